//! Runs the server from a shell: prints `export NAME=value` lines and serves until killed.
#![allow(
    clippy::print_stdout,
    reason = "the variables are what this program is for"
)]

use std::io::Write as _;
use std::time::Duration;

use clap::Parser;
use sky_accel_standin::{Fault, Service, Shop, Standin, TruncatedField};

#[derive(Parser)]
#[command(about)]
struct StandinArguments {
    /// The port; any free port by default
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// The delay of every response
    #[arg(long, value_name = "N", default_value_t = 0)]
    delay_ms: u64,
    /// The number of generated Vast.ai offers, instead of the default offers
    #[arg(long, value_name = "N")]
    vast_offers: Option<usize>,
    /// The maximum number of rows of a Vast.ai response
    #[arg(long, value_name = "N")]
    vast_cap: Option<usize>,
    /// The number of AWS regions
    #[arg(long, value_name = "N")]
    aws_regions: Option<usize>,
    /// A fault for all requests to a service, such as `vast=too-many:30`
    #[arg(long, value_name = "SERVICE=FAULT", value_parser = fault)]
    fault: Vec<(Service, Fault)>,
    /// Leave out values that a vendor's own client cannot parse
    #[arg(long)]
    plain: bool,
}

fn fault(text: &str) -> Result<(Service, Fault), String> {
    let (service, fault) = text.split_once('=').ok_or("wants SERVICE=FAULT")?;
    Ok((service.parse()?, fault.parse()?))
}

fn main() -> std::io::Result<()> {
    let arguments = StandinArguments::parse();
    let mut shop = Shop::default();
    if let Some(n) = arguments.vast_offers {
        shop = shop.with_vast_offers(n);
    }
    if let Some(rows) = arguments.vast_cap {
        shop = shop.with_vast_cap(rows, TruncatedField::Absent);
    }
    if let Some(n) = arguments.aws_regions {
        shop = shop.with_aws_regions(n);
    }
    if arguments.plain {
        shop = shop.plain();
    }
    shop.delay = Duration::from_millis(arguments.delay_ms);
    let standin = Standin::on_port(shop, arguments.port);
    for (service, fault) in arguments.fault {
        standin.fault(service, fault);
    }
    for (name, value) in standin.environment() {
        // A key has several lines.
        let value = value.replace('\'', r"'\''");
        println!("export {name}='{value}'");
    }
    std::io::stdout().flush()?;
    loop {
        std::thread::park();
    }
}
