//! Names and sizes that dstack and SkyPilot actually use for candidates.

use std::collections::BTreeSet;

use sky_accel_core::bind::interpret;
use sky_accel_core::catalog::{Offer, Status};
use sky_accel_core::plan::CapacityOrder;
use sky_accel_embedded::TEST_CATALOG as CATALOG;
use sky_accel_targets::{Dialect, Target, convert};

use super::rendering::Planned;
use crate::support::sky_line;

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

#[test]
fn skypilot_gets_no_separate_region() {
    // Without other candidates, the error names the regions.
    let run = sky_line("plan A100:40GB --region us-gov-west-1 --to skypilot").run();
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr);
    assert!(run.stderr.contains("us-gov-west-1"), "{}", run.stderr);
    // With other candidates, they are left out, which is a loss.
    let run =
        sky_line("plan A100:40GB --region us-gov-west-1 --region us-east-1 --to skypilot").run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(!run.stdout.contains("us-gov"), "{}", run.stdout);
    let lost = run
        .stderr
        .lines()
        .find(|line| line.starts_with("lost: region: "));
    assert!(
        lost.is_some_and(|line| line.contains("us-gov-west-1")),
        "{}",
        run.stderr
    );
}

#[test]
fn fractions_stay_fractions() {
    // Vast.ai rents whole devices only, so its machines are not used for a fraction.
    let run = sky_line("plan L4:x0.5 --limit 60 --to dstack").run();
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stdout);
    assert!(run.stderr.contains("0.5"), "{}", run.stderr);
    let run = sky_line("plan L4:x0.5 --limit 60 --to skypilot").run();
    assert!(run.stdout.contains("g6f.4xlarge"), "{}", run.stdout);
    assert!(!run.stdout.contains("vast"), "{}", run.stdout);
    assert!(run.stderr.contains("lost: fallback: "), "{}", run.stderr);
    let run = sky_line("plan L4:x0.5 --limit 60 --to skyward").run();
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stdout);
    // Without another offer, the whole device is used, with a note.
    let run = sky_line("plan L4:x0.5 --provider vastai --to skypilot").run();
    assert!(run.stdout.contains("L4:1"), "{}", run.stdout);
}
