//! An instance for Verda's API: `POST /v1/instances`, with every key that Verda's own client sends.

use serde_json::{Map, Value, json};

use crate::job::{Handover, is_spot};
use crate::target::Descriptor;
use crate::{LossCode, Rendered, Unsupported, write};

const PROVIDER: &str = "verda";

/// An instance for Verda's API.
pub(crate) const TARGET: Descriptor = Descriptor {
    provider: Some(PROVIDER),
    ..Descriptor::new("verda", "an instance for Verda's API", render)
};

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), Unsupported> {
    let mut instances = handover
        .candidates
        .iter()
        .filter(|candidate| handover.provider(candidate) == PROVIDER);
    let first = instances
        .next()
        .ok_or(Unsupported::Machine("a machine of Verda"))?;
    let job = handover.job;
    // Verda's images are operating systems. The name of a container image contains a path or a tag.
    let is_system = |image: &&String| !image.contains(['/', ':']);
    let image = job.image.as_ref().filter(is_system).cloned();
    if job.image.is_some() && image.is_none() {
        out.lose(
            LossCode::Image,
            "Verda starts operating system images: use the target docker to run the container on the machine",
        );
    }
    let image = image.unwrap_or_else(|| {
        out.ask("IMAGE", "the operating system image");
        "IMAGE".to_owned()
    });
    let hostname = write::slug(&job.name, 60);
    let location = handover.region(first).unwrap_or("LOCATION");
    if handover.region(first).is_none() {
        out.ask("LOCATION", "the location: where the type is in stock");
    }
    handover.lose_unknown_region(first, out);
    out.ask("SSH_KEY_ID", "the id of the key to log in with");
    let volume = job
        .disk_gb
        .map(|disk| json!({ "name": format!("{hostname}-os"), "size": disk }));
    let instance = Map::from_iter([
        (
            "instance_type".to_owned(),
            Value::from(handover.instance_type(first)),
        ),
        ("image".to_owned(), image.into()),
        ("hostname".to_owned(), hostname.into()),
        ("description".to_owned(), job.name.as_str().into()),
        ("location_code".to_owned(), location.into()),
        ("ssh_key_ids".to_owned(), json!(["SSH_KEY_ID"])),
        ("is_spot".to_owned(), is_spot(first).into()),
        (
            "contract".to_owned(),
            if is_spot(first) {
                "SPOT"
            } else {
                "PAY_AS_YOU_GO"
            }
            .into(),
        ),
        ("volumes".to_owned(), json!([])),
        ("existing_volumes".to_owned(), json!([])),
        ("os_volume".to_owned(), volume.unwrap_or_default()),
        ("startup_script_id".to_owned(), Value::Null),
        ("coupon".to_owned(), Value::Null),
    ]);
    lost(handover, out);
    out.file("instance.json", write::json(&Value::Object(instance)));
    Ok(())
}

/// Adds the losses: settings that Verda cannot express.
fn lost(handover: &Handover<'_, '_>, out: &mut Rendered) {
    let job = handover.job;
    if handover.candidates.len() > 1 {
        out.lose(
            LossCode::Fallback,
            "an instance has a single type and location: if Verda rejects it, try the next candidate",
        );
    }
    handover.lose_price_limit("an instance has no price limit", out);
    if job.nodes > 1 {
        out.lose(
            LossCode::Nodes,
            format!("an instance is one machine: create it {} times", job.nodes),
        );
    }
    if job.command.is_some() {
        out.lose(
            LossCode::Command,
            "Verda runs a command only as a startup script, which must be created first",
        );
    }
    if let Some(cuda) = &job.cuda {
        out.lose(
            LossCode::CudaMin,
            format!("the image decides the driver, which must support CUDA {cuda}"),
        );
    }
    if job.interconnect.is_some() && job.nodes > 1 {
        out.lose(
            LossCode::Interconnect,
            "instances are not linked: use Verda's clusters",
        );
    }
    if handover.layout.is_some() {
        out.lose(
            LossCode::Mig,
            "Verda rents whole GPUs: run mig.sh on the machine to partition them",
        );
    }
    if job.capacity.is_some() {
        out.lose(LossCode::Capacity, "the reservation is for EC2");
    }
}
