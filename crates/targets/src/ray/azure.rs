//! Azure: virtual machines.

use serde_json::{Map, Value, json};
use sky_accel_core::plan::Candidate;

use super::launcher::Launcher;
use crate::Rendered;
use crate::job::{Handover, is_spot};

/// Returns the settings for a candidate.
pub(super) fn launcher(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    out: &mut Rendered,
) -> Launcher {
    let location = handover.region(candidate).unwrap_or("LOCATION");
    if handover.region(candidate).is_none() {
        out.ask("LOCATION", "the region of the machines");
    }
    handover.lose_unknown_region(candidate, out);
    out.ask("RESOURCE_GROUP", "the resource group of the machines");
    let job = handover.job;
    let mut machine = Map::from_iter([
        (
            "vmSize".to_owned(),
            Value::from(handover.instance_type(candidate)),
        ),
        ("imagePublisher".to_owned(), "microsoft-dsvm".into()),
        ("imageOffer".to_owned(), "ubuntu-2204".into()),
        ("imageSku".to_owned(), "2204-gen2".into()),
        ("imageVersion".to_owned(), "latest".into()),
    ]);
    if is_spot(candidate) {
        machine.insert("priority".to_owned(), "Spot".into());
        // Azure reads -1 as a limit at the on-demand price.
        let max = job.max_price.map_or(json!(-1), |max| json!(max.decimal()));
        machine.insert("billingProfile".to_owned(), json!({ "maxPrice": max }));
    } else {
        handover.lose_price_limit("the machines have no price limit", out);
    }
    if let Some(disk) = job.disk_gb {
        machine.insert("osDiskSize".to_owned(), disk.into());
    }
    Launcher {
        provider: json!({
            "type": "azure",
            "location": location,
            "resource_group": "RESOURCE_GROUP",
        }),
        auth: json!({
            "ssh_user": "ubuntu",
            "ssh_private_key": "~/.ssh/id_rsa",
            "ssh_public_key": "~/.ssh/id_rsa.pub",
        }),
        node: Map::from_iter([("azure_arm_parameters".to_owned(), machine.into())]),
    }
}
