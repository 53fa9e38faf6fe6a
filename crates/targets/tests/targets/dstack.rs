//! Memory sizes that dstack uses for candidates.

use std::collections::BTreeSet;

use sky_accel_core::bind::interpret;
use sky_accel_core::catalog::{Offer, Status};
use sky_accel_core::plan::CapacityOrder;
use sky_accel_embedded::TEST_CATALOG as CATALOG;
use sky_accel_targets::{Dialect, Target, convert};

use super::planned::Planned;

/// The memory in dstack's `vendor:name:memory:count`: bounds in GB, both in the range.
fn memory(gpu: &str) -> Option<(f64, f64)> {
    let part = gpu.split(':').find(|part| part.ends_with("GB"))?;
    let gb = |text: &str| -> f64 {
        let number = text.strip_suffix("GB").expect("GB").parse();
        number.unwrap_or_else(|_| panic!("a number: {gpu}"))
    };
    Some(match part.split_once("..") {
        Some((min, max)) => (gb(min), gb(max)),
        None => (gb(part), gb(part)),
    })
}

/// The memory per device in dstack's offers, in its GB: the figure of the API for EC2, except for the
/// L4, which dstack corrects, and the marketed size for others.
fn offered(offer: &Offer) -> Option<f64> {
    let row = CATALOG.accelerator(offer.accelerator);
    let is_corrected = CATALOG.str(row.id) == "L4";
    let mib = offer
        .memory_mib
        .or(row.memory_mib_ec2)
        .filter(|_| !is_corrected);
    let is_ec2 = CATALOG.provider_id(offer.provider) == "aws";
    mib.filter(|_| is_ec2)
        .map(|mib| mib / 1024.0)
        .or(row.memory_gb)
}

#[test]
fn dstack_memory_matches_its_offers() {
    let tool = CATALOG.tool("dstack").expect("dstack");
    let mut checked = BTreeSet::new();
    let mut missed = Vec::new();
    let (mut compared, mut planned_for) = (0, 0);
    for offer in CATALOG.offers {
        let count = offer.count.or(offer.max_count).filter(|n| n.is_whole());
        let is_known = CATALOG.tool_provider(&tool, offer.provider).is_some();
        let (Some(count), true, true) = (count, is_known, offer.status == Status::Offered) else {
            continue;
        };
        let (Some(figure), true) = (offered(&offer), offer.mig_profile.len == 0) else {
            continue;
        };
        let id = CATALOG.accelerator_id(offer.accelerator);
        // Checks one machine of each size.
        if !checked.insert((offer.provider, id, count)) {
            continue;
        }
        let spec = format!("{id}:x{count}");
        let mut written = Vec::new();
        let wanted = interpret(&CATALOG, &spec).expect("a spec");
        written
            .extend(convert(&CATALOG, &wanted[0], Dialect::Dstack).map(|converted| converted.text));
        let provider = CATALOG.provider_id(offer.provider);
        let planned = Planned::new(&spec, &[provider], &[], CapacityOrder::Any);
        if !planned.candidates.is_empty()
            && let Ok(rendered) = planned.render(Target::Dstack)
        {
            let line = rendered.files[0]
                .text
                .lines()
                .find_map(|line| line.trim().strip_prefix("gpu: ").map(str::to_owned));
            written.push(line.expect("a task that asks for a gpu"));
            planned_for += 1;
        }
        for gpu in written {
            // dstack needs no memory for a name with a single size.
            let Some((min, max)) = memory(&gpu) else {
                continue;
            };
            compared += 1;
            if !(min <= figure && figure <= max) {
                missed.push(format!("{gpu} at {provider}, whose offers have {figure}"));
            }
        }
    }
    println!(
        "{} sizes, {planned_for} plans, {compared} figures",
        checked.len()
    );
    assert!(
        planned_for > 100 && compared > 20,
        "{planned_for} {compared}"
    );
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn dstack_distinguishes_sizes_of_a_name() {
    for (spec, gpu) in [
        ("A100:40GB:x8", "nvidia:A100:40GB:8"),
        ("A100:80GB:x8", "nvidia:A100:80GB:8"),
        ("V100:16GB:x8", "nvidia:V100:16GB:8"),
    ] {
        let planned = Planned::new(spec, &["aws", "verda"], &[], CapacityOrder::Any);
        let rendered = planned.render(Target::Dstack).expect("a task");
        let text = &rendered.files[0].text;
        assert!(text.contains(&format!("gpu: {gpu}\n")), "{spec}: {text}");
    }
}
