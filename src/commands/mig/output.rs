//! Output that `mig fit` and `mig pack` share.

use std::io::Write as _;

use sky_accel_engine::contract::{CostOut, Num, PackOut};
use sky_accel_engine::{Error, ErrorCode, MigLayout, MigTool};

use crate::cli::OutputFormat;
use crate::context::{Context, Result};
use crate::present::ages::ages_of;
use crate::present::prices::ESTIMATED;
use crate::ui::Ui;

/// The hint after a packing or a placement.
pub const MAKES_IT: &str =
    "--to nvidia-smi prints the commands for this layout; see --help for other tools";

/// Joins slices into one list; `=` and `*` precede the count.
pub fn joined(slices: &[String]) -> String {
    slices.join("+").replace('=', "*")
}

/// Rejects formats for browsers: the text is for a tool.
pub fn check_format(output: OutputFormat) -> std::result::Result<(), Error> {
    if output.is_html() {
        let message = "--to prints text for a tool; leave out -o";
        return Err(Error::new(ErrorCode::Format, message));
    }
    Ok(())
}

/// Prints a layout in the format of a tool.
pub fn write_for(ui: &mut Ui, layout: &MigLayout<'_>, tool: MigTool) -> Result<()> {
    let text = layout.render(tool)?;
    Ok(ui.stdout().write_all(text.as_bytes())?)
}

/// The ages of the prices of the cheapest machines.
pub fn price_ages(context: &Context<'_>, results: &[PackOut]) -> Option<String> {
    let costs = results.iter().filter_map(|result| result.cheapest.as_ref());
    let prices = costs.map(|cost| (&cost.provider[..], cost.kind, &cost.as_of[..]));
    ages_of(&context.engine, prices)
}

/// CSV columns of the cheapest machines.
pub const COST_CSV: [&str; 8] = [
    "cheapest.provider",
    "cheapest.instance_type",
    "cheapest.machines",
    "cheapest.usd_per_hour",
    "cheapest.usd_per_slice_hour",
    "cheapest.likely_usd_per_hour",
    "cheapest.as_of",
    "cheapest.age_days",
];

/// The stated price of all machines; `None` if it is the likely price.
pub(super) fn stated(cost: &CostOut) -> Option<Num> {
    (cost.likely_usd_per_hour != cost.usd_per_hour).then_some(cost.usd_per_hour)
}

/// The prefix of a likely price that differs from the stated price.
pub(super) fn estimated(cost: &CostOut) -> &'static str {
    stated(cost).map_or("", |_| ESTIMATED)
}
