//! SkyPilot tasks: `ordered` keeps the order of the candidates.

use serde_json::{Map, Value, json};
use sky_accel_core::plan::{Candidate, Interconnect};
use sky_accel_core::text::list_and;

use crate::job::{Handover, is_spot};
use crate::{CannotSay, LossCode, Rendered, write};

const TOOL: &str = "skypilot";

/// Why a candidate is left out.
enum LeftOut<'a> {
    /// It is in a region that takes accounts of its own, of which SkyPilot has none.
    Separate(&'a str),
    /// SkyPilot cannot do at the provider what is asked, or has no word for the machine.
    CannotDo,
    /// It is a whole device where a part of one is asked for and sold.
    Whole,
}

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), CannotSay> {
    let mut choices = choices(handover, out)?;
    let mut resources = match &mut choices[..] {
        [Value::Object(one)] => std::mem::take(one),
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
    let task = json!({
        "name": handover.name(60, out),
        "num_nodes": job.nodes,
        "resources": resources,
        "run": handover.command(first),
    });
    out.file("task.yaml", write::yaml(&task));
    Ok(())
}

/// The entries for the candidates, best first. Those that are left out are reported as losses.
fn choices(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<Vec<Value>, CannotSay> {
    let mut choices: Vec<Value> = Vec::new();
    let mut separate: Vec<&str> = Vec::new();
    let (mut unable, mut whole) = (0, 0);
    for candidate in handover.candidates {
        match choice(handover, candidate, out) {
            Ok(choice) if !choices.contains(&choice) => choices.push(choice),
            Err(LeftOut::Separate(region)) if !separate.contains(&region) => {
                separate.push(region);
            }
            Ok(_) | Err(LeftOut::Separate(_)) => {}
            Err(LeftOut::CannotDo) => unable += 1,
            Err(LeftOut::Whole) => whole += 1,
        }
    }
    let separate = list_and(&separate);
    if choices.is_empty() {
        return Err(CannotSay(if separate.is_empty() {
            "SkyPilot has no word for any of the candidates".to_owned()
        } else {
            format!("SkyPilot does not know {separate}, which take accounts of their own")
        }));
    }
    if !separate.is_empty() {
        out.lose(
            LossCode::Region,
            format!(
                "candidates in {separate} are left out: SkyPilot does not know regions that take accounts of their own"
            ),
        );
    }
    if unable > 0 {
        out.lose(
            LossCode::Fallback,
            format!("{unable} candidates are left out: SkyPilot cannot do there what is asked"),
        );
    }
    if whole > 0 {
        out.lose(
            LossCode::Fallback,
            format!("{whole} candidates are left out: they are whole devices, and a part of one is asked for"),
        );
    }
    Ok(choices)
}

/// Whether machines, and not only the GPUs of one, are to be joined.
fn needs_fabric(handover: &Handover<'_, '_>) -> bool {
    matches!(
        handover.job.interconnect,
        Some(Interconnect::Efa | Interconnect::Infiniband | Interconnect::Any)
    )
}

fn lost(handover: &Handover<'_, '_>, out: &mut Rendered) {
    if needs_fabric(handover) && handover.machine_image().is_some() {
        out.lose(
            LossCode::Interconnect,
            "SkyPilot joins machines that run containers alone",
        );
    }
    let names_types = handover
        .candidates
        .iter()
        .all(|one| handover.names_type(TOOL, one));
    if handover.job.interconnect == Some(Interconnect::Nvlink) && !names_types {
        out.lose(
            LossCode::Interconnect,
            "SkyPilot has no word for how the GPUs of a machine are joined",
        );
    }
    let is_unplaced = |candidate: &Candidate| match candidate.region {
        Some(_) => !says_region(handover, candidate),
        None => handover.regions.is_some(),
    };
    if handover.candidates.iter().any(is_unplaced) {
        out.lose(
            LossCode::Region,
            "RunPod and Vast.ai choose where the machine is: no region is written for them",
        );
    }
    if handover.layout.is_some() {
        out.lose(
            LossCode::Mig,
            "SkyPilot rents whole GPUs: mig.sh cuts them once they run",
        );
    }
    if handover
        .machine_image()
        .is_some_and(|image| !image.starts_with("ami-"))
    {
        out.lose(
            LossCode::Image,
            "SkyPilot takes the id of a machine image, not a parameter",
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
            "what is reserved stands in SkyPilot's configuration: aws.specific_reservations",
        );
    }
}

/// Whether an entry says where the machine is: the places of Vast.ai are cities, which no price
/// tells, and those of RunPod stand below a country.
fn says_region(handover: &Handover<'_, '_>, candidate: &Candidate) -> bool {
    match handover.provider(candidate) {
        "vastai" => false,
        "runpod" => handover.country(candidate).is_some(),
        _ => true,
    }
}

/// The fields of an entry of `ordered`.
fn choice<'a>(
    handover: &Handover<'_, 'a>,
    candidate: &Candidate,
    out: &mut Rendered,
) -> Result<Value, LeftOut<'a>> {
    let catalog = &handover.catalog;
    let tool = catalog.tool(TOOL).ok_or(LeftOut::CannotDo)?;
    let offer = handover.offer(candidate);
    let cloud = catalog
        .tool_provider(&tool, offer.provider)
        .ok_or(LeftOut::CannotDo)?;
    let can = |feature: &str| catalog.tool_can(&tool, offer.provider, feature);
    if let Some(id) = candidate.region
        && catalog.region(id).separate
        && !can("separate-regions")
    {
        return Err(LeftOut::Separate(catalog.region_id(id)));
    }
    if handover.container_image().is_some() && !can("image")
        || handover.job.nodes > 1 && !can("nodes")
        || needs_fabric(handover) && !can("interconnect")
        || is_spot(candidate) && !can("spot")
    {
        return Err(LeftOut::CannotDo);
    }
    if !handover.keeps_fraction(candidate) {
        return Err(LeftOut::Whole);
    }
    let mut choice = Map::new();
    let region = handover
        .region(candidate)
        .filter(|_| says_region(handover, candidate));
    let infra = match (region, handover.provider(candidate)) {
        (None, _) => cloud.to_owned(),
        (Some(region), "runpod") => {
            let country = handover.country(candidate).unwrap_or_default();
            format!("{cloud}/{country}/{region}")
        }
        (Some(region), _) => format!("{cloud}/{region}"),
    };
    choice.insert("infra".to_owned(), infra.into());
    let word = handover.word_alone(TOOL, candidate);
    if handover.names_type(TOOL, candidate) {
        if word.is_none() && catalog.tool_sells_some(&tool, offer.provider) {
            return Err(LeftOut::CannotDo);
        }
        choice.insert(
            "instance_type".to_owned(),
            handover.instance_type(candidate).into(),
        );
        if let Some(image) = handover
            .machine_image()
            .filter(|image| image.starts_with("ami-") && handover.provider(candidate) == "aws")
        {
            choice.insert("image_id".to_owned(), image.into());
        }
    } else {
        let word = word.ok_or(LeftOut::CannotDo)?;
        handover.lose_covered(TOOL, candidate, out, |_| true);
        let count = candidate.found.count;
        let accelerators = handover.pod_slice(candidate).map_or_else(
            || format!("{}:{count}", word.text),
            |slice| format!("tpu-{}", catalog.str(slice.name)),
        );
        choice.insert("accelerators".to_owned(), accelerators.into());
    }
    if is_spot(candidate) {
        choice.insert("use_spot".to_owned(), true.into());
    }
    Ok(Value::Object(choice))
}
