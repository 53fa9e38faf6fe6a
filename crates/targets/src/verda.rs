//! An instance for Verda's API: `POST /v1/instances`, with every key that its own client sends.

use serde_json::{Map, Value, json};

use crate::job::{Handover, is_spot};
use crate::{CannotSay, LossCode, Rendered, write};

const PROVIDER: &str = "verda";

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), CannotSay> {
    let mut ours = handover
        .candidates
        .iter()
        .filter(|candidate| handover.provider(candidate) == PROVIDER);
    let first = ours
        .next()
        .ok_or_else(|| CannotSay("no candidate is a machine of Verda".to_owned()))?;
    let job = handover.job;
    // Its images are operating systems; the name of a container's has a path or a tag.
    let is_system = |image: &&String| !image.contains(['/', ':']);
    let image = job.image.as_ref().filter(is_system).cloned();
    if job.image.is_some() && image.is_none() {
        out.lose(
            LossCode::Image,
            "Verda starts operating systems: --to docker runs the container on it",
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

fn lost(handover: &Handover<'_, '_>, out: &mut Rendered) {
    let job = handover.job;
    if handover.candidates.len() > 1 {
        out.lose(
            LossCode::Fallback,
            "an instance has one type and one location: if Verda refuses it, try the next candidate",
        );
    }
    if job.max_price.is_some() {
        out.lose(LossCode::MaxPrice, "an instance has no price limit");
    }
    if job.nodes > 1 {
        out.lose(
            LossCode::Nodes,
            format!("an instance is one machine: create it {} times", job.nodes),
        );
    }
    if job.command.is_some() {
        out.lose(
            LossCode::Command,
            "a command is a startup script, which has to be there first",
        );
    }
    if let Some(cuda) = &job.cuda {
        out.lose(
            LossCode::CudaMin,
            format!("the driver for CUDA {cuda} is that of the image"),
        );
    }
    if job.interconnect.is_some() && job.nodes > 1 {
        out.lose(
            LossCode::Interconnect,
            "instances are not joined: Verda's clusters are",
        );
    }
    if handover.layout.is_some() {
        out.lose(
            LossCode::Mig,
            "Verda rents whole GPUs: mig.sh cuts them once they run",
        );
    }
    if job.capacity.is_some() {
        out.lose(LossCode::Capacity, "the reservation is EC2's");
    }
}
