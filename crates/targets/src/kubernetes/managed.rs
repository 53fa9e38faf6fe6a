//! The parts that managed clusters of clouds share: a Job with the labels of their nodes, and its node
//! pool.

use serde_json::{Map, Value};
use sky_accel_core::plan::Candidate;

use super::manifest::{add_workload, container, disk, driver_major, spread, tolerations};
use crate::job::Handover;
use crate::terraform::configuration::Configuration;
use crate::{LossCode, Rendered, Step, Unsupported};

const POOL: &str = "node-pool.tf.json";

/// Returns the first candidate of a provider. Other candidates are a loss.
pub(super) fn first_of<'h>(
    handover: &'h Handover<'_, '_>,
    provider: &str,
    machine: &'static str,
    out: &mut Rendered,
) -> Result<&'h Candidate, Unsupported> {
    let mut candidates = handover.candidates.iter();
    let first = candidates
        .find(|candidate| handover.provider(candidate) == provider)
        .ok_or(Unsupported::Machine(machine))?;
    if handover.candidates.len() > 1 {
        out.lose(
            LossCode::Fallback,
            "a node pool has a single machine type, so the other candidates are left out",
        );
    }
    Ok(first)
}

/// Adds the Job. `labels` select its nodes, and `limits` are the devices of each pod.
pub(super) fn add_job(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    labels: Map<String, Value>,
    limits: Map<String, Value>,
    spot_taint: Option<Value>,
    out: &mut Rendered,
) -> Result<(), Unsupported> {
    let mut resources = Map::from_iter([("limits".to_owned(), Value::from(limits))]);
    disk(handover, &mut resources);
    let mut container = container(handover, candidate, out);
    container.insert("resources".to_owned(), resources.into());
    let mut tolerations = tolerations(handover.resource(candidate)?);
    if let (Some(taint), Some(tolerations)) = (spot_taint, tolerations.as_array_mut()) {
        tolerations.push(taint);
    }
    let mut affinity = Map::new();
    spread(handover, &mut affinity);
    let mut spec = Map::from_iter([("nodeSelector".to_owned(), Value::from(labels))]);
    if !affinity.is_empty() {
        spec.insert("affinity".to_owned(), affinity.into());
    }
    spec.insert("tolerations".to_owned(), tolerations);
    add_workload(handover, &[], spec, container, out);
    Ok(())
}

/// Adds the node pool, which must exist before the Job.
pub(super) fn add_pool(pool: Configuration, out: &mut Rendered) {
    out.file_for(Step::Provision, POOL, pool.text());
}

/// Returns the number of slices of all GPUs of a node. Each is a device in Kubernetes.
pub(super) fn slices(handover: &Handover<'_, '_>) -> u32 {
    handover.slices().iter().map(|(_, count)| count).sum()
}

/// Adds the losses: settings that a node pool cannot express.
pub(super) fn lost(handover: &Handover<'_, '_>, out: &mut Rendered) {
    let job = handover.job;
    out.lose_given(
        LossCode::Capacity,
        job.capacity.is_some(),
        "the reservation is for EC2",
    );
    out.lose_given(
        LossCode::Interconnect,
        job.interconnect.is_some(),
        "the network of the cluster decides how machines are linked",
    );
    if let Some(cuda) = &job.cuda {
        let driver = driver_major(handover)
            .map(|major| format!(" ({major} or newer)"))
            .unwrap_or_default();
        out.lose(
            LossCode::CudaMin,
            format!("the node image decides the driver, which must support CUDA {cuda}{driver}"),
        );
    }
}
