//! dstack tasks. dstack takes the cheapest offer that fulfils all wishes.

use serde_json::{Map, Value, json};
use sky_accel_core::catalog::CapacityType;
use sky_accel_core::plan::{Candidate, Interconnect};
use sky_accel_core::text::number;

use crate::job::{Capacity, Handover};
use crate::{CannotSay, Rendered, write};

const TOOL: &str = "dstack";

pub(crate) fn render(own: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), CannotSay> {
    let job = own.job;
    let tool = own.catalog.tool(TOOL);
    let sayable = |candidate: &&Candidate| {
        let provider = own.offer(candidate).provider;
        tool.is_some_and(|tool| own.catalog.tool_provider(tool, provider).is_some())
    };
    let sayable =
        |candidate: &&Candidate| sayable(candidate) && self::gpu(own, candidate).is_some();
    let all = own.candidates.iter().filter(sayable);
    let none = || CannotSay("dstack has no word for any of the candidates".to_owned());
    let first = all.clone().next().ok_or_else(none)?;
    let gpu = gpu(own, first).ok_or_else(none)?;
    own.lose_covered(TOOL, first, out, |id| {
        own.catalog.accelerator(id).memory_gb == own.accelerator(first).memory_gb
    });
    // One request has one kind of machine: candidates of another are not tried.
    let same = |candidate: &&Candidate| self::gpu(own, candidate).as_ref() == Some(&gpu);
    let tried: Vec<&Candidate> = all.filter(same).collect();
    if tried.len() < own.candidates.len() {
        out.lose(
            "fallback",
            "a dstack task asks for one kind of machine: other candidates are left out",
        );
    } else if tried.len() > 1 {
        out.lose(
            "order",
            "dstack tries the cheapest offer first, whatever their order is here",
        );
    }
    let mut backends: Vec<&str> = Vec::new();
    let mut regions: Vec<&str> = Vec::new();
    let mut types: Vec<&str> = Vec::new();
    for candidate in &tried {
        let provider = own.offer(candidate).provider;
        let backend = tool.and_then(|tool| own.catalog.tool_provider(tool, provider));
        backends.extend(backend.filter(|own| !backends.contains(own)));
        let region = own.region(candidate);
        regions.extend(region.filter(|own| !regions.contains(own)));
        let own_type = own.instance_type(candidate);
        if !types.contains(&own_type) {
            types.push(own_type);
        }
    }
    // Regions and types hold for all backends: they are said where all candidates have them.
    let only_types = tried
        .iter()
        .all(|own_candidate| own.offer(own_candidate).count.is_some());
    let is_regional = tried.iter().all(|candidate| candidate.region.is_some());
    let has = |capacity| tried.iter().any(|candidate| candidate.capacity == capacity);
    let spot = match (has(CapacityType::Spot), has(CapacityType::OnDemand)) {
        (true, true) => "auto",
        (true, false) => "spot",
        _ => "on-demand",
    };
    let mut task = Map::new();
    let mut say = |key: &str, value: Value| {
        task.insert(key.to_owned(), value);
    };
    say("type", "task".into());
    say("name", own.name(40, out).into());
    if job.nodes > 1 {
        say("nodes", job.nodes.into());
    }
    if let Some(image) = own.container_image() {
        say("image", image.into());
    }
    say("commands", json!([write::dstack(&own.command(first))]));
    let mut resources = Map::from_iter([("gpu".to_owned(), Value::from(gpu))]);
    if let Some(disk) = job.disk_gb {
        resources.insert("disk".to_owned(), format!("{disk}GB..").into());
    }
    say("resources", resources.into());
    say("backends", backends.into());
    if is_regional && !regions.is_empty() {
        say("regions", regions.into());
    } else if own.regions.is_some() {
        out.lose(
            "region",
            "regions hold for all backends, and of some of these none is known",
        );
    }
    if only_types {
        say("instance_types", types.into());
    }
    say("spot_policy", spot.into());
    if let Some(max) = job.max_price {
        say("max_price", max.decimal().into());
    }
    if let Some(Capacity::Reservation(id) | Capacity::Block(id)) = &job.capacity {
        say("reservation", id.as_str().into());
    }
    lost(own, out);
    out.file("task.dstack.yml", write::yaml(&Value::Object(task)));
    Ok(())
}

fn lost(own: &Handover<'_, '_>, out: &mut Rendered) {
    if own.layout.is_some() {
        out.lose("mig", "dstack rents whole GPUs: mig.sh cuts them");
    }
    if let Some(cuda) = &own.job.cuda {
        out.lose(
            "cuda_min",
            format!("dstack takes no driver floor for CUDA {cuda}"),
        );
    }
    if own.machine_image().is_some() {
        out.lose("image", "dstack starts containers, not machine images");
    }
    if matches!(
        own.job.interconnect,
        Some(Interconnect::Efa | Interconnect::Infiniband | Interconnect::Any)
    ) {
        out.lose(
            "interconnect",
            "dstack joins machines in a fleet with `placement: cluster`, not in a task",
        );
    }
}

/// `nvidia:H100:80GB:8`.
fn gpu(own: &Handover<'_, '_>, candidate: &Candidate) -> Option<String> {
    // It counts whole devices.
    if !candidate.found.count.is_whole() {
        return None;
    }
    let word = own.word_alone(TOOL, candidate)?;
    if let Some(slice) = own.pod_slice(candidate) {
        return Some(format!("google:{}", own.catalog.str(slice.name)));
    }
    let memory = own.accelerator(candidate).memory_gb;
    let memory = memory.map(|gb| format!(":{}GB", number(gb)));
    let vendor = word.vendor.map(|vendor| format!("{vendor}:"));
    Some(format!(
        "{}{}{}:{}",
        vendor.unwrap_or_default(),
        word.text,
        memory.unwrap_or_default(),
        candidate.found.count
    ))
}
