//! `main.tf.json`: a configuration in Terraform's JSON syntax, which needs no HCL quoting.

mod aws;
pub(crate) mod azure;
pub(crate) mod configuration;
mod flat;
pub(crate) mod google;
mod nebius;
mod oci;

use sky_accel_core::plan::Candidate;
use sky_accel_core::text::list_and;

use self::configuration::{Configuration, lose_fallback};
use crate::aws::ec2;
use crate::job::Handover;
use crate::target::{Descriptor, Validation};
use crate::{LossCode, Rendered, Unsupported};

const TOOL: &str = "terraform";
const FILE: &str = "main.tf.json";

/// A Terraform configuration in JSON.
pub(crate) const TARGET: Descriptor = Descriptor {
    tool: Some(TOOL),
    validation: Validation::OnRequest,
    ..Descriptor::new(TOOL, "machines of a cloud as main.tf.json", render)
};

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), Unsupported> {
    let mut candidates = handover.candidates.iter();
    let (candidate, name) = candidates
        .find_map(|candidate| Some((candidate, handover.provider_word(TOOL, candidate)?)))
        .ok_or_else(|| unreached(handover))?;
    // AWS has its own losses: its launch template takes a machine image and a capacity reservation.
    let configuration = if name == ec2::PROVIDER {
        aws::machine(handover, out)?
    } else {
        lose_fallback(handover.candidates.len(), out);
        let configuration = machine(name, handover, candidate, out)?;
        lost(handover, out);
        configuration
    };
    out.file(FILE, configuration.text());
    Ok(())
}

/// Writes the machines of a provider, given Terraform's name for it.
fn machine(
    name: &str,
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    out: &mut Rendered,
) -> Result<Configuration, Unsupported> {
    match name {
        "google" => Ok(google::machine(handover, candidate, out)),
        "azurerm" => Ok(azure::machine(handover, candidate, out)),
        "nebius" => nebius::machine(handover, candidate, out),
        "oci" => Ok(oci::machine(handover, candidate, out)),
        name => flat::machine(name, handover, candidate, out).ok_or_else(|| Unsupported::Unknown {
            kind: "Terraform resource",
            product: name.to_owned(),
        }),
    }
}

/// Returns the error of a plan without a candidate at a supported provider.
fn unreached(handover: &Handover<'_, '_>) -> Unsupported {
    let catalog = &handover.catalog;
    let tool = catalog.tool(TOOL).into_iter();
    let rows = tool.flat_map(|tool| catalog.tool_providers.run(tool.providers));
    let providers: Vec<&str> = rows.map(|row| catalog.provider_id(row.provider)).collect();
    Unsupported::Providers(list_and(&providers))
}

/// Adds the losses: settings that the machines of most clouds do not take.
fn lost(handover: &Handover<'_, '_>, out: &mut Rendered) {
    let job = handover.job;
    if handover.layout.is_some() {
        out.lose(
            LossCode::Mig,
            "the machine has whole GPUs: run mig.sh on it to partition them",
        );
    }
    if job.image.is_some() {
        out.lose(
            LossCode::Image,
            "a machine starts an image of its cloud: use the target docker to run the container on it",
        );
    }
    if job.command.is_some() {
        out.lose(
            LossCode::Command,
            "the machine is started without a command",
        );
    }
    if let Some(cuda) = &job.cuda {
        out.lose(
            LossCode::CudaMin,
            format!("the machine image decides the driver, which must support CUDA {cuda}"),
        );
    }
    if job.interconnect.is_some() {
        out.lose(
            LossCode::Interconnect,
            "the network decides how the machines are linked, and the configuration does not create it",
        );
    }
    if job.capacity.is_some() {
        out.lose(LossCode::Capacity, "the reservation is for EC2");
    }
}
