//! Google Cloud: machines with GPUs, and slices of TPU pods.

use serde_json::{Map, Value, json};
use sky_accel_core::catalog::OfferKind;
use sky_accel_core::plan::Candidate;

use super::launcher::Launcher;
use crate::job::{Handover, is_spot};
use crate::{LossCode, Rendered};

/// The placeholder for a zone, which the catalog does not have.
const ZONE: &str = "ZONE";
/// The placeholder for the project.
const PROJECT: &str = "PROJECT_ID";

/// Returns the settings for a candidate.
pub(super) fn launcher(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    out: &mut Rendered,
) -> Launcher {
    let region = handover.region(candidate).unwrap_or("REGION");
    if handover.region(candidate).is_none() {
        out.ask("REGION", "the region of the machines");
    }
    handover.lose_unknown_region(candidate, out);
    out.ask(ZONE, "a zone of the region that has the machine");
    out.ask(PROJECT, "the project to bill");
    handover.lose_price_limit("the machines have no price limit", out);
    let node = match handover.offer(candidate).kind {
        OfferKind::Slice => slice(handover, candidate, out),
        _ => instance(handover, candidate, out),
    };
    Launcher {
        provider: json!({
            "type": "gcp",
            "region": region,
            "availability_zone": ZONE,
            "project_id": PROJECT,
        }),
        auth: json!({ "ssh_user": "ubuntu" }),
        node,
    }
}

/// Writes a machine in the form of the Compute Engine API.
fn instance(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    out: &mut Rendered,
) -> Map<String, Value> {
    let is_attached = handover.offer(candidate).kind == OfferKind::Attached;
    let host = handover.host(candidate).filter(|_| is_attached);
    let machine_type = match &host {
        Some(host) => host,
        None if is_attached => {
            out.ask("MACHINE_TYPE", "the machine that the GPUs are attached to");
            "MACHINE_TYPE"
        }
        None => handover.instance_type(candidate),
    };
    out.ask("SOURCE_IMAGE", "the machine image with a GPU driver");
    let mut image = Map::from_iter([("sourceImage".to_owned(), Value::from("SOURCE_IMAGE"))]);
    if let Some(disk) = handover.job.disk_gb {
        image.insert("diskSizeGb".to_owned(), disk.into());
    }
    // Google Cloud cannot live-migrate a machine with GPUs.
    let mut scheduling = json!({ "onHostMaintenance": "TERMINATE" });
    if is_spot(candidate) {
        scheduling["provisioningModel"] = "SPOT".into();
        scheduling["preemptible"] = true.into();
        scheduling["automaticRestart"] = false.into();
    }
    let mut node = Map::from_iter([
        ("machineType".to_owned(), machine_type.into()),
        (
            "disks".to_owned(),
            json!([{
                "boot": true,
                "autoDelete": true,
                "type": "PERSISTENT",
                "initializeParams": image,
            }]),
        ),
        ("scheduling".to_owned(), json!([scheduling])),
    ]);
    if is_attached {
        let name = handover.instance_type(candidate);
        let kind = format!("projects/{PROJECT}/zones/{ZONE}/acceleratorTypes/{name}");
        node.insert(
            "guestAccelerators".to_owned(),
            json!([{
                "acceleratorType": kind,
                "acceleratorCount": Handover::count(candidate),
            }]),
        );
    }
    node
}

/// Writes a slice in the form of the Cloud TPU API.
fn slice(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    out: &mut Rendered,
) -> Map<String, Value> {
    out.ask(
        "RUNTIME_VERSION",
        "the software of the TPU machines, such as v2-alpha-tpuv5",
    );
    out.lose_given(
        LossCode::Disk,
        handover.job.asks_disk(),
        "the disk size of TPU hosts is fixed",
    );
    let kind = handover.pod_slice(candidate).map_or_else(
        || handover.instance_type(candidate),
        |slice| handover.catalog.str(slice.name),
    );
    let mut node = Map::from_iter([
        ("acceleratorType".to_owned(), kind.into()),
        ("runtimeVersion".to_owned(), "RUNTIME_VERSION".into()),
    ]);
    if is_spot(candidate) {
        node.insert(
            "schedulingConfig".to_owned(),
            json!({ "preemptible": true }),
        );
    }
    node
}
