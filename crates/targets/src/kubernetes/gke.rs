//! Google Kubernetes Engine: a Job with GKE's node selectors, and its node pool.

use std::cmp::Reverse;

use serde_json::{Map, Value, json};
use sky_accel_core::catalog::OfferKind;
use sky_accel_core::plan::Candidate;

use super::job::{limits, tpu_labels};
use super::managed::{add_job, add_pool, first_of, lost, slices};
use super::manifest::{INDEXED_JOB, machines};
use super::server::PODS;
use crate::job::{Handover, is_spot};
use crate::mig::commands::gke_partition;
use crate::target::{Descriptor, Validation};
use crate::terraform::configuration::{Configuration, arguments, literal, lose_max_price, zone};
use crate::terraform::google::{self, SOURCE};
use crate::{LossCode, Rendered, Step, Unsupported, write};

/// The maximum length of a pool's name.
const NAME_LEN: usize = 39;

/// A Kubernetes Job and its node pool of Google Kubernetes Engine.
pub(crate) const TARGET: Descriptor = Descriptor {
    step: Step::Schedule,
    provider: Some(google::PROVIDER),
    rendezvous: Some(INDEXED_JOB),
    serving: Some(PODS),
    counts_whole_devices: true,
    validation: Validation::OnRequest,
    ..Descriptor::new(
        "gke",
        "a Job and a node pool of Google Kubernetes Engine",
        render,
    )
};

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), Unsupported> {
    let candidate = first_of(handover, google::PROVIDER, "a machine of Google Cloud", out)?;
    let partition = handover.layout.as_ref().map(gke_partition).transpose()?;
    let mut labels = match tpu_labels(handover, candidate) {
        Some(labels) => labels,
        None => arguments([(
            "cloud.google.com/gke-accelerator",
            gpu(handover, candidate)?.into(),
        )]),
    };
    if is_spot(candidate) {
        labels.insert("cloud.google.com/gke-spot".to_owned(), "true".into());
    }
    let limits = if let Some(partition) = partition {
        let label = "cloud.google.com/gke-gpu-partition-size";
        labels.insert(label.to_owned(), partition.into());
        arguments([(handover.resource(candidate)?, slices(handover).into())])
    } else {
        limits(handover, candidate)?
    };
    add_job(handover, candidate, labels, limits, None, out)?;
    let pool = node_pool(handover, candidate, partition)?;
    add_pool(pool, out);
    let name = &handover.job.name;
    out.lose_given(
        LossCode::Name,
        write::slug(name, NAME_LEN) != write::slug(name, usize::MAX),
        "the name of a node pool has at most 39 characters",
    );
    lose_max_price(handover, out);
    lost(handover, out);
    Ok(())
}

/// Returns GKE's name for the GPU of a candidate. If there are several, the name shares the most parts
/// with the machine type: `nvidia-h100-mega-80gb` for `a3-megagpu-8g`.
fn gpu<'a>(handover: &Handover<'_, 'a>, candidate: &Candidate) -> Result<&'a str, Unsupported> {
    let catalog = &handover.catalog;
    let machine_type = handover.instance_type(candidate);
    if handover.offer(candidate).kind == OfferKind::Attached {
        return Ok(machine_type);
    }
    let spellings = catalog.spellings_of(candidate.found.accelerator).iter();
    let names = spellings.filter(|spelling| catalog.str(spelling.dialect) == "gcp");
    let names = names.map(|spelling| catalog.str(spelling.text));
    // Values of GKE's label are in lower case. Spellings with capitals are for other tools.
    let labels = names.filter(|name| !name.contains(char::is_uppercase));
    let shared = |name: &str| {
        let parts = name.split('-');
        parts.filter(|part| machine_type.contains(part)).count()
    };
    labels
        .enumerate()
        .max_by_key(|(index, name)| (shared(name), Reverse(*index)))
        .map(|(_, name)| name)
        .ok_or_else(|| {
            let product = catalog
                .accelerator_id(candidate.found.accelerator)
                .to_owned();
            Unsupported::Unknown {
                kind: "GKE name",
                product,
            }
        })
}

/// Writes a `google_container_node_pool`. GKE partitions its GPUs if the plan has slices.
fn node_pool(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    partition: Option<&str>,
) -> Result<Configuration, Unsupported> {
    let mut pool = Configuration::new(SOURCE);
    let project = pool.ask("project", "The project to bill");
    pool.settings = json!({ "project": project });
    let offer = handover.offer(candidate);
    let machine_type = match offer.kind {
        OfferKind::Slice => pool.ask(
            "machine_type",
            "The machine type of the slice's hosts, such as ct5p-hightpu-4t",
        ),
        OfferKind::Attached => google::host(handover, candidate, &mut pool),
        _ => literal(handover.instance_type(candidate)),
    };
    let mut node = arguments([("machine_type", machine_type)]);
    if offer.kind != OfferKind::Slice {
        let gpus = gpus(handover, candidate, partition)?;
        node.insert("guest_accelerator".to_owned(), json!([gpus]));
    }
    if is_spot(candidate) {
        node.insert("spot".to_owned(), true.into());
    }
    if let Some(disk) = handover.job.disk_gb {
        node.insert("disk_size_gb".to_owned(), disk.into());
    }
    let scopes = json!(["https://www.googleapis.com/auth/cloud-platform"]);
    node.insert("oauth_scopes".to_owned(), scopes);
    let mut arguments = arguments([
        ("name", write::slug(&handover.job.name, NAME_LEN).into()),
        ("cluster", pool.ask("cluster", "The name of the cluster")),
        (
            "location",
            pool.ask("location", "The region or the zone of the cluster"),
        ),
        (
            "node_locations",
            json!([zone(handover, candidate, &mut pool)]),
        ),
        ("node_count", machines(handover).into()),
        ("node_config", json!([node])),
    ]);
    if let Some(slice) = handover.pod_slice(candidate)
        && offer.hosts > 1
    {
        let topology = handover.catalog.str(slice.topology);
        arguments.insert(
            "placement_policy".to_owned(),
            json!([{ "type": "COMPACT", "tpu_topology": literal(topology) }]),
        );
    }
    pool.resource("google_container_node_pool", arguments);
    Ok(pool)
}

/// Writes the GPUs of a node and the installation of their driver.
fn gpus(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    partition: Option<&str>,
) -> Result<Map<String, Value>, Unsupported> {
    let mut gpus = arguments([
        ("type", literal(gpu(handover, candidate)?)),
        ("count", Handover::count(candidate).into()),
        (
            "gpu_driver_installation_config",
            json!([{ "gpu_driver_version": "LATEST" }]),
        ),
    ]);
    if let Some(partition) = partition {
        gpus.insert("gpu_partition_size".to_owned(), literal(partition));
    }
    Ok(gpus)
}
