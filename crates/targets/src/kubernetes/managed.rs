//! The parts that the managed clusters of clouds share: a Job with the labels of their nodes, and the
//! node pool that it runs on.

use serde_json::{Map, Value};
use sky_accel_core::plan::Candidate;

use super::{container, disk, driver_major, job, spread, tolerations};
use crate::job::Handover;
use crate::terraform::Configuration;
use crate::{CannotSay, File, LossCode, Rendered, Step, write};

const POOL: &str = "node-pool.tf.json";

/// The first candidate of a provider; that the others are left out is a loss.
pub(super) fn first_of<'h>(
    handover: &'h Handover<'_, '_>,
    provider: &str,
    name: &str,
    out: &mut Rendered,
) -> Result<&'h Candidate, CannotSay> {
    let mut candidates = handover.candidates.iter();
    let first = candidates
        .find(|candidate| handover.provider(candidate) == provider)
        .ok_or_else(|| CannotSay(format!("no candidate is a machine of {name}")))?;
    if handover.candidates.len() > 1 {
        out.lose(
            LossCode::Fallback,
            "a node pool has one machine type: the other candidates are left out",
        );
    }
    Ok(first)
}

/// Adds the Job: `labels` are those of its nodes, `limits` the devices of each pod.
pub(super) fn add_job(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    labels: Map<String, Value>,
    limits: Map<String, Value>,
    spot_taint: Option<Value>,
    out: &mut Rendered,
) -> Result<(), CannotSay> {
    let mut resources = Map::from_iter([("limits".to_owned(), Value::from(limits))]);
    disk(handover, &mut resources);
    let mut container = container(handover, candidate, out);
    container.insert("resources".to_owned(), resources.into());
    let mut tolerations = tolerations(handover.resource(candidate)?);
    if let (Some(taint), Some(known)) = (spot_taint, tolerations.as_array_mut()) {
        known.push(taint);
    }
    let mut affinity = Map::new();
    spread(handover, &mut affinity);
    let mut spec = Map::from_iter([("nodeSelector".to_owned(), Value::from(labels))]);
    if !affinity.is_empty() {
        spec.insert("affinity".to_owned(), affinity.into());
    }
    spec.insert("tolerations".to_owned(), tolerations);
    out.file("job.yaml", write::yaml(&job(handover, spec, container)));
    Ok(())
}

/// Adds the node pool, which is created before the Job.
pub(super) fn add_pool(pool: Configuration, out: &mut Rendered) {
    out.files.push(File {
        name: POOL.to_owned(),
        text: pool.text(),
        step: Step::Provision,
    });
}

/// The number of slices of all GPUs of a node, each of which is a device to Kubernetes.
pub(super) fn slices(handover: &Handover<'_, '_>) -> u32 {
    handover.slices().iter().map(|(_, count)| count).sum()
}

/// Adds the losses: wishes that a node pool has no words for.
pub(super) fn lost(handover: &Handover<'_, '_>, out: &mut Rendered) {
    let job = handover.job;
    out.lose_given(
        LossCode::Capacity,
        job.capacity.is_some(),
        "the reservation is EC2's",
    );
    out.lose_given(
        LossCode::Interconnect,
        job.interconnect.is_some(),
        "how machines are joined is a matter of the cluster's network",
    );
    if let Some(cuda) = &job.cuda {
        let driver = driver_major(handover)
            .map(|major| format!(" ({major} or newer)"))
            .unwrap_or_default();
        out.lose(
            LossCode::CudaMin,
            format!("the driver for CUDA {cuda}{driver} is that of the node image"),
        );
    }
}
