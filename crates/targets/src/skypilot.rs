//! SkyPilot tasks: `ordered` keeps the order of the candidates.

use serde_json::{Map, Value, json};
use sky_accel_core::plan::{Candidate, Interconnect};

use crate::job::{Handover, is_spot};
use crate::{CannotSay, Rendered, write};

const TOOL: &str = "skypilot";

pub(crate) fn render(own: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), CannotSay> {
    let mut choices: Vec<Value> = Vec::new();
    let mut unsaid = 0;
    for candidate in own.candidates {
        match choice(own, candidate, out) {
            Some(choice) if !choices.contains(&choice) => choices.push(choice),
            Some(_) => {}
            None => unsaid += 1,
        }
    }
    if choices.is_empty() {
        return Err(CannotSay(
            "SkyPilot has no word for any of the candidates".to_owned(),
        ));
    }
    if unsaid > 0 {
        out.lose(
            "fallback",
            format!("{unsaid} candidates are left out: SkyPilot cannot do there what is asked"),
        );
    }
    let mut resources = match &mut choices[..] {
        [Value::Object(one)] => std::mem::take(one),
        _ => Map::from_iter([("ordered".to_owned(), Value::from(choices))]),
    };
    let job = own.job;
    if let Some(image) = own.container_image() {
        resources.insert("image_id".to_owned(), format!("docker:{image}").into());
    }
    if let Some(disk) = job.disk_gb {
        resources.insert("disk_size".to_owned(), disk.into());
    }
    if let Some(max) = job.max_price {
        resources.insert("max_hourly_cost".to_owned(), max.decimal().into());
    }
    match job.interconnect {
        Some(Interconnect::Efa | Interconnect::Infiniband | Interconnect::Any)
            if own.machine_image().is_some() =>
        {
            out.lose(
                "interconnect",
                "SkyPilot joins machines that run containers alone",
            );
        }
        Some(Interconnect::Efa | Interconnect::Infiniband | Interconnect::Any) => {
            resources.insert("network_tier".to_owned(), "best".into());
        }
        Some(Interconnect::Nvlink) | None => {}
    }
    let unplaced = |candidate: &&Candidate| candidate.region.is_none();
    if own.regions.is_some() && own.candidates.iter().any(|own| unplaced(&own)) {
        out.lose(
            "region",
            "where RunPod and Vast.ai have the machine is their choice: no region is said for them",
        );
    }
    lost(own, out);
    let Some(first) = own.first() else {
        return Ok(());
    };
    let task = json!({
        "name": own.name(60, out),
        "num_nodes": job.nodes,
        "resources": resources,
        "run": own.command(first),
    });
    out.file("task.yaml", write::yaml(&task));
    Ok(())
}

fn lost(own: &Handover<'_, '_>, out: &mut Rendered) {
    if own.layout.is_some() {
        out.lose(
            "mig",
            "SkyPilot rents whole GPUs: mig.sh cuts them once they run",
        );
    }
    if own
        .machine_image()
        .is_some_and(|image| !image.starts_with("ami-"))
    {
        out.lose(
            "image",
            "SkyPilot takes the id of a machine image, not a parameter",
        );
    }
    if let Some(cuda) = &own.job.cuda {
        out.lose(
            "cuda_min",
            format!("SkyPilot takes no driver floor for CUDA {cuda}"),
        );
    }
    let reserved = own
        .candidates
        .iter()
        .find_map(|candidate| own.capacity(candidate));
    if reserved.is_some() {
        out.lose(
            "capacity",
            "what is reserved stands in SkyPilot's configuration: aws.specific_reservations",
        );
    }
}

/// What an entry of `ordered` says.
fn choice(own: &Handover<'_, '_>, candidate: &Candidate, out: &mut Rendered) -> Option<Value> {
    let tool = own.catalog.tool(TOOL)?;
    let offer = own.offer(candidate);
    let cloud = own.catalog.tool_provider(tool, offer.provider)?;
    let can = |feature: &str| own.catalog.tool_can(tool, offer.provider, feature);
    let job = own.job;
    let fabric = matches!(
        job.interconnect,
        Some(Interconnect::Efa | Interconnect::Infiniband | Interconnect::Any)
    );
    if own.container_image().is_some() && !can("image")
        || job.nodes > 1 && !can("nodes")
        || fabric && !can("interconnect")
    {
        return None;
    }
    let mut choice = Map::new();
    let infra = match (own.region(candidate), own.provider(candidate)) {
        // Its places are cities, which no price tells.
        (None, _) | (_, "vastai") => cloud.to_owned(),
        (Some(region), "runpod") => match own.country(candidate) {
            Some(country) => format!("{cloud}/{country}/{region}"),
            None => cloud.to_owned(),
        },
        (Some(region), _) => format!("{cloud}/{region}"),
    };
    choice.insert("infra".to_owned(), infra.into());
    // EC2's types are SkyPilot's too; of other clouds it makes its own.
    if own.provider(candidate) == "aws" {
        choice.insert(
            "instance_type".to_owned(),
            own.instance_type(candidate).into(),
        );
        if let Some(image) = own
            .machine_image()
            .filter(|image| image.starts_with("ami-"))
        {
            choice.insert("image_id".to_owned(), image.into());
        }
    } else {
        let word = own.word(TOOL, candidate, out)?;
        let count = candidate.found.count;
        let accelerators = own.pod_slice(candidate).map_or_else(
            || format!("{}:{count}", word.text),
            |slice| format!("tpu-{}", own.catalog.str(slice.name)),
        );
        choice.insert("accelerators".to_owned(), accelerators.into());
    }
    if is_spot(candidate) {
        choice.insert("use_spot".to_owned(), true.into());
    }
    Some(Value::Object(choice))
}
