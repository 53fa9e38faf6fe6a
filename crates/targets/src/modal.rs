//! A Modal app. A list of GPUs is a fallback chain.

use std::fmt::Write as _;

use crate::job::{Handover, is_spot};
use crate::serving::{MODEL_TOKEN, Serving};
use crate::target::{Descriptor, Fallback, Validation};
use crate::{LossCode, Rendered, Unsupported, write};

const TOOL: &str = "modal";
/// The provider whose machines Modal rents.
const PROVIDER: &str = "modal";
/// The disk of every function, in GiB. Only a larger disk is requested.
const DISK: f64 = 512.0;
/// The requests that a container of a server answers at once; the engine queues more than it can compute.
const MOST_REQUESTS: u32 = 1000;
/// The seconds until a server has to be ready: loading includes the download of the model.
const START_SECONDS: u32 = 60 * 60;

/// A function for Modal, in Python.
pub(crate) const TARGET: Descriptor = Descriptor {
    counts_whole_devices: true,
    fallback: Fallback::InOrder,
    serving: Some(Serving::Machines),
    validation: Validation::OnRequest,
    ..Descriptor::new("modal", "a function for Modal", render)
};

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), Unsupported> {
    let job = handover.job;
    // A server on several machines is a cluster, and clusters have no address.
    let server = job.server.as_ref().filter(|server| server.machines == 1);
    let gpu = gpus(handover, out)?;
    let Some(first) = handover.first() else {
        return Ok(());
    };
    let image = handover.container_image().map_or_else(
        || "modal.Image.debian_slim()".to_owned(),
        |image| {
            // The entry point of an engine's image would run instead of the function.
            let entry_point = if server.is_some() {
                ".entrypoint([])"
            } else {
                ""
            };
            format!(
                "modal.Image.from_registry({}, add_python=\"3.12\"){entry_point}",
                write::python(image)
            )
        },
    );
    let modules = match server {
        Some(_) => "import os\nimport subprocess",
        None => "import subprocess",
    };
    let mut text = format!("{modules}\n\nimport modal\n\n");
    let name = handover.name(60, out);
    let _ = write!(
        text,
        "app = modal.App({})\nimage = {image}\n\n\n",
        write::python(&name)
    );
    let _ = write!(text, "@app.function(\n    image=image,\n    gpu={gpu},\n");
    if let Some(disk) = job
        .disk_gb
        .map(f64::from)
        .filter(|gb| gb * 1e9 > DISK * 1024.0_f64.powi(3))
    {
        let mib = (disk * 1e9 / 1024.0_f64.powi(2)).ceil();
        let _ = writeln!(text, "    ephemeral_disk={mib},");
    }
    let (vcpu, memory) = job.host.unwrap_or_default().rounded();
    if let Some(vcpu) = vcpu {
        let _ = writeln!(text, "    cpu={vcpu},");
    }
    if let Some(gib) = memory {
        let _ = writeln!(text, "    memory={},", gib.saturating_mul(1024));
    }
    text.push_str("    timeout=24 * 60 * 60,\n");
    if let Some(server) = server {
        let replicas = server.replicas;
        let _ = writeln!(
            text,
            "    min_containers={replicas},\n    max_containers={replicas},\n    secrets=[modal.Secret.from_dict({{\"{MODEL_TOKEN}\": os.environ.get(\"{MODEL_TOKEN}\", \"\")}})],"
        );
    }
    text.push_str(")\n");
    if let Some(server) = server {
        let port = server.endpoint.port;
        let _ = writeln!(
            text,
            "@modal.concurrent(max_inputs={MOST_REQUESTS})\n@modal.web_server({port}, startup_timeout={START_SECONDS})"
        );
    } else if job.nodes > 1 {
        let rdma = if job.interconnect.is_some() {
            ", rdma=True"
        } else {
            ""
        };
        let _ = writeln!(text, "@modal.clustered(size={}{rdma})", job.nodes);
    }
    let command = write::python(&handover.command(first));
    // A web server has to keep running when its function returns.
    let (name, run) = match server {
        Some(_) => (
            "serve",
            format!("subprocess.Popen([\"sh\", \"-c\", {command}])"),
        ),
        None => (
            "main",
            format!("subprocess.run([\"sh\", \"-c\", {command}], check=True)"),
        ),
    };
    let _ = writeln!(text, "def {name}() -> None:\n    {run}");
    lost(handover, out);
    out.file("app.py", text);
    Ok(())
}

/// Returns the `gpu` argument of a function: a GPU or a list of fallbacks.
fn gpus(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<String, Unsupported> {
    let mut gpus: Vec<String> = Vec::new();
    let mut left_out = handover.candidates.len();
    // Modal sells any count, so a larger machine of another cloud must not raise the count.
    let are_larger = handover
        .candidates
        .iter()
        .all(|candidate| !candidate.is_exact);
    for candidate in handover
        .candidates
        .iter()
        .filter(|candidate| candidate.is_exact || are_larger)
    {
        let Some(word) = handover.word(TOOL, candidate, out) else {
            continue;
        };
        left_out -= 1;
        let gpu = match Handover::count(candidate) {
            1 => word.text.to_owned(),
            count => format!("{}:{count}", word.text),
        };
        if !gpus.contains(&gpu) {
            gpus.push(gpu);
        }
    }
    if gpus.is_empty() {
        return Err(Unsupported::Candidates("Modal".to_owned()));
    }
    if left_out > 0 {
        out.lose(
            LossCode::Fallback,
            format!("candidates left out: {left_out}; Modal has no name for the GPU, or it sells the exact count and the candidate is larger"),
        );
    }
    let gpus: Vec<String> = gpus.iter().map(|gpu| write::python(gpu)).collect();
    Ok(match &gpus[..] {
        [gpu] => gpu.clone(),
        gpus => format!("[{}]", gpus.join(", ")),
    })
}

/// Adds the losses: settings that Modal cannot express.
fn lost(handover: &Handover<'_, '_>, out: &mut Rendered) {
    let job = handover.job;
    let candidates = &handover.candidates;
    let is_elsewhere = candidates
        .iter()
        .any(|way| handover.provider(way) != PROVIDER);
    out.lose_given(
        LossCode::Provider,
        is_elsewhere,
        "Modal runs the function in its own cloud, at its own prices",
    );
    handover.lose_region("Modal chooses the region of a function", out);
    if job.interconnect.is_some() && job.nodes == 1 {
        out.lose(
            LossCode::Interconnect,
            "Modal cannot request an interconnect between GPUs",
        );
    }
    if handover.candidates.iter().any(is_spot) {
        out.lose(LossCode::Spot, "Modal cannot request spot machines");
    }
    out.lose_given(
        LossCode::MaxPrice,
        is_elsewhere && job.max_price.is_some(),
        "a function has no price limit",
    );
    if let Some(cuda) = &job.cuda {
        out.lose(
            LossCode::CudaMin,
            format!("Modal decides the driver, which must support CUDA {cuda}"),
        );
    }
    if handover.layout.is_some() {
        out.lose(LossCode::Mig, "Modal runs on whole GPUs");
    }
    if handover.machine_image().is_some() {
        out.lose(
            LossCode::Image,
            "Modal runs container images, not machine images",
        );
    }
    if job.capacity.is_some() {
        out.lose(LossCode::Capacity, "the reservation is for EC2");
    }
}
