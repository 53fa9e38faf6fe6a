//! SkyPilot tasks: `ordered` keeps the order of the candidates.

use serde_json::{Map, Value, json};
use sky_accel_core::plan::{Candidate, Interconnect};
use sky_accel_core::text::list_and;

use crate::aws::ec2;
use crate::image::MachineImage;
use crate::job::{Handover, is_spot};
use crate::serving::{MODEL_TOKEN, Rendezvous, Serving};
use crate::target::{Descriptor, Fallback, Validation};
use crate::{LossCode, Rendered, Unsupported, write};

const TOOL: &str = "skypilot";
/// The seconds until a server has to be ready: loading may include a download of a terabyte.
const LOADING_S: u32 = 7200;

/// The reason why a candidate is left out.
enum SkippedCandidate<'a> {
    /// It is in a region that needs a separate account, which SkyPilot does not support.
    Separate(&'a str),
    /// SkyPilot lacks a needed feature at the provider, or has no name for the machine.
    CannotDo,
    /// It is a whole device, and another candidate is exactly the requested fraction.
    Whole,
}

/// A SkyPilot task in YAML.
pub(crate) const TARGET: Descriptor = Descriptor {
    tool: Some(TOOL),
    rendezvous: Some(Rendezvous {
        rank: "\"$SKYPILOT_NODE_RANK\"",
        address: Some("\"$(echo \"$SKYPILOT_NODE_IPS\" | head -n 1)\""),
    }),
    serving: Some(Serving::Groups),
    fallback: Fallback::InOrder,
    validation: Validation::OnRequest,
    ..Descriptor::new(
        TOOL,
        "a SkyPilot task that tries the candidates in order",
        render,
    )
};

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), Unsupported> {
    let mut choices = choices(handover, out)?;
    let mut resources = match &mut choices[..] {
        [Value::Object(entry)] => std::mem::take(entry),
        _ => Map::from_iter([("ordered".to_owned(), Value::from(choices))]),
    };
    let job = handover.job;
    if let Some(image) = handover.container_image() {
        resources.insert("image_id".to_owned(), format!("docker:{image}").into());
    }
    if let Some(disk) = job.disk_gb {
        resources.insert("disk_size".to_owned(), disk.into());
    }
    if let Some(max) = job.max_price {
        resources.insert("max_hourly_cost".to_owned(), max.decimal().into());
    }
    if needs_fabric(handover) && handover.machine_image().is_none() {
        resources.insert("network_tier".to_owned(), "best".into());
    }
    lost(handover, out);
    let Some(first) = handover.first() else {
        return Ok(());
    };
    let server = job.server.as_ref();
    if let Some(server) = server {
        resources.insert("ports".to_owned(), server.endpoint.port.into());
    }
    let mut task = json!({
        "name": handover.name(60, out),
        "num_nodes": server.map_or(job.nodes, |server| server.machines),
        "resources": resources,
        "run": handover.command(first),
    });
    if let Some(server) = server {
        task["service"] = json!({
            "readiness_probe": {
                "path": server.endpoint.health,
                "initial_delay_seconds": LOADING_S,
            },
            "replicas": server.replicas,
        });
        // `sky serve up --env HF_TOKEN` sets it.
        task["envs"] = json!({ MODEL_TOKEN: "" });
    }
    out.file("task.yaml", write::yaml(&task));
    Ok(())
}

/// Returns the entries of the candidates, best first, and reports skipped candidates as losses.
fn choices(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<Vec<Value>, Unsupported> {
    let mut choices: Vec<Value> = Vec::new();
    let mut separate: Vec<&str> = Vec::new();
    let (mut unsupported, mut whole_devices) = (0, 0);
    for candidate in handover.candidates {
        match choice(handover, candidate, out) {
            Ok(choice) if !choices.contains(&choice) => choices.push(choice),
            Err(SkippedCandidate::Separate(region)) if !separate.contains(&region) => {
                separate.push(region);
            }
            Ok(_) | Err(SkippedCandidate::Separate(_)) => {}
            Err(SkippedCandidate::CannotDo) => unsupported += 1,
            Err(SkippedCandidate::Whole) => whole_devices += 1,
        }
    }
    let separate = list_and(&separate);
    if choices.is_empty() {
        return Err(if separate.is_empty() {
            Unsupported::Candidates("SkyPilot".to_owned())
        } else {
            Unsupported::SeparateRegions(separate)
        });
    }
    if !separate.is_empty() {
        out.lose(
            LossCode::Region,
            format!(
                "candidates in {separate} are left out: SkyPilot does not support regions that need separate accounts"
            ),
        );
    }
    if unsupported > 0 {
        out.lose(
            LossCode::Fallback,
            format!(
                "candidates left out: {unsupported}, where SkyPilot does not support the request"
            ),
        );
    }
    if whole_devices > 0 {
        out.lose(
            LossCode::Fallback,
            format!("candidates left out: {whole_devices}, which are whole devices instead of the requested fraction"),
        );
    }
    Ok(choices)
}

/// Returns whether the job needs a fast interconnect between machines.
fn needs_fabric(handover: &Handover<'_, '_>) -> bool {
    matches!(
        handover.job.interconnect,
        Some(Interconnect::Efa | Interconnect::Infiniband | Interconnect::Any)
    )
}

/// Adds the losses: settings that SkyPilot cannot express.
fn lost(handover: &Handover<'_, '_>, out: &mut Rendered) {
    if needs_fabric(handover) && handover.machine_image().is_some() {
        out.lose(
            LossCode::Interconnect,
            "SkyPilot supports fast interconnects only with containers",
        );
    }
    let names_types = handover
        .candidates
        .iter()
        .all(|candidate| handover.names_type(TOOL, candidate));
    if handover.job.interconnect == Some(Interconnect::Nvlink) && !names_types {
        out.lose(
            LossCode::Interconnect,
            "SkyPilot cannot request an interconnect between the GPUs of a machine",
        );
    }
    let is_unplaced = |candidate: &Candidate| match candidate.region {
        Some(_) => !says_region(handover, candidate),
        None => handover.regions.is_some(),
    };
    if handover.candidates.iter().any(is_unplaced) {
        out.lose(
            LossCode::Region,
            "RunPod and Vast.ai choose the region of the machine, so the file names none for them",
        );
    }
    if handover.layout.is_some() {
        out.lose(
            LossCode::Mig,
            "SkyPilot rents whole GPUs: run mig.sh on the machines to partition them",
        );
    }
    if let Some(MachineImage::SsmParameter(_)) = handover.machine_image() {
        out.lose(
            LossCode::Image,
            "SkyPilot takes the id of a machine image, not an SSM parameter",
        );
    }
    if let Some(cuda) = &handover.job.cuda {
        out.lose(
            LossCode::CudaMin,
            format!("SkyPilot cannot require a driver for CUDA {cuda}"),
        );
    }
    let reserved = handover
        .candidates
        .iter()
        .find_map(|candidate| handover.capacity(candidate));
    if reserved.is_some() {
        out.lose(
            LossCode::Capacity,
            "set the reservation in SkyPilot's configuration: aws.specific_reservations",
        );
    }
}

/// Returns whether an entry includes the region. SkyPilot takes no region for some providers (Vast.ai),
/// and a region only together with its country for others (RunPod).
fn says_region(handover: &Handover<'_, '_>, candidate: &Candidate) -> bool {
    !lacks(handover, candidate, "regions")
        && (!lacks(handover, candidate, "bare-regions") || handover.country(candidate).is_some())
}

/// Returns whether the catalog says that SkyPilot lacks a feature at the provider of a candidate.
fn lacks(handover: &Handover<'_, '_>, candidate: &Candidate, feature: &str) -> bool {
    let provider = handover.offer(candidate).provider;
    handover.catalog.tool(TOOL).is_some_and(|tool| {
        handover.catalog.tool_provider(&tool, provider).is_some()
            && !handover.catalog.tool_can(&tool, provider, feature)
    })
}

/// Returns the fields of an entry of `ordered`.
fn choice<'a>(
    handover: &Handover<'_, 'a>,
    candidate: &Candidate,
    out: &mut Rendered,
) -> Result<Value, SkippedCandidate<'a>> {
    let catalog = &handover.catalog;
    let tool = catalog.tool(TOOL).ok_or(SkippedCandidate::CannotDo)?;
    let offer = handover.offer(candidate);
    let cloud = catalog
        .tool_provider(&tool, offer.provider)
        .ok_or(SkippedCandidate::CannotDo)?;
    let can = |feature: &str| catalog.tool_can(&tool, offer.provider, feature);
    if let Some(id) = candidate.region
        && catalog.region(id).separate
        && !can("separate-regions")
    {
        return Err(SkippedCandidate::Separate(catalog.region_id(id)));
    }
    if handover.container_image().is_some() && !can("image")
        || handover.job.nodes > 1 && !can("nodes")
        || needs_fabric(handover) && !can("interconnect")
        || is_spot(candidate) && !can("spot")
    {
        return Err(SkippedCandidate::CannotDo);
    }
    if !handover.keeps_fraction(candidate) {
        return Err(SkippedCandidate::Whole);
    }
    let mut choice = Map::new();
    let region = handover
        .region(candidate)
        .filter(|_| says_region(handover, candidate));
    let infra = match region {
        None => cloud.to_owned(),
        Some(region) if lacks(handover, candidate, "bare-regions") => {
            let country = handover.country(candidate).unwrap_or_default();
            format!("{cloud}/{country}/{region}")
        }
        Some(region) => format!("{cloud}/{region}"),
    };
    choice.insert("infra".to_owned(), infra.into());
    let word = handover.word_alone(TOOL, candidate);
    if handover.names_type(TOOL, candidate) {
        if word.is_none() && catalog.tool_sells_some(&tool, offer.provider) {
            return Err(SkippedCandidate::CannotDo);
        }
        choice.insert(
            "instance_type".to_owned(),
            handover.instance_type(candidate).into(),
        );
        if let Some(MachineImage::Ami(id)) = handover.machine_image()
            && handover.provider(candidate) == ec2::PROVIDER
        {
            choice.insert("image_id".to_owned(), id.into());
        }
    } else {
        let word = word.ok_or(SkippedCandidate::CannotDo)?;
        handover.lose_covered(TOOL, candidate, out, |_| true);
        let count = candidate.found.count;
        let accelerators = handover.pod_slice(candidate).map_or_else(
            || format!("{}:{count}", word.text),
            |slice| format!("tpu-{}", catalog.str(slice.name)),
        );
        choice.insert("accelerators".to_owned(), accelerators.into());
        let (vcpu, memory) = handover.job.host.unwrap_or_default().rounded();
        choice.extend(vcpu.map(|vcpu| ("cpus".to_owned(), format!("{vcpu}+").into())));
        choice.extend(memory.map(|gib| ("memory".to_owned(), format!("{gib}+").into())));
    }
    if is_spot(candidate) {
        choice.insert("use_spot".to_owned(), true.into());
    }
    Ok(Value::Object(choice))
}
