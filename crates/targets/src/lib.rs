//! Plans, specs and MIG layouts in the formats of other tools.
//!
//! [`render`] is a pure function from a plan to files. A part that the target cannot express is
//! listed as a [`Loss`] and never dropped silently. A value that only the user knows is a
//! [`Placeholder`] in the file. All text goes through the writer of its format (`write`), so that
//! the target reads every name and image exactly as the user wrote it.

mod aws;
mod containers;
mod device;
mod dialect;
mod dstack;
mod flyte;
mod image;
mod job;
mod kubernetes;
pub mod launch;
mod loss;
pub mod mig;
mod modal;
mod ray;
mod rendered;
mod requirements;
mod runpod;
mod serving;
mod skypilot;
mod skyward;
mod slurm;
mod target;
mod terraform;
mod unsupported;
mod vastai;
mod verda;
mod write;

use sky_accel_core::catalog::{Catalog, ProviderId};

pub use dialect::{Converted, Dialect, convert};
pub use image::MachineImage;
pub use job::{Capacity, EntryArguments, Handover, HostLimits, Job};
pub use loss::{Loss, LossCode};
pub use rendered::{Placeholder, Rendered, RenderedFile, Step};
pub use serving::{Endpoint, Rendezvous, Servers, Serving};
pub use target::{Descriptor, Fallback, Validation};
pub use unsupported::Unsupported;

target::targets! {
    /// A SkyPilot task in YAML.
    SkyPilot = skypilot::TARGET,
    /// A dstack task in YAML.
    Dstack = dstack::TARGET,
    /// A Kubernetes Job that requests devices from the device plugins.
    Kubernetes = kubernetes::job::TARGET,
    /// A Kubernetes Job that claims devices by dynamic resource allocation (DRA).
    Dra = kubernetes::dra::TARGET,
    /// A Kubernetes Job and its node pool of Google Kubernetes Engine.
    Gke = kubernetes::gke::TARGET,
    /// A Kubernetes Job and its node pool of Azure Kubernetes Service.
    Aks = kubernetes::aks::TARGET,
    /// A Karpenter NodePool and its EC2NodeClass.
    Karpenter = kubernetes::karpenter::TARGET,
    /// A Terraform configuration in JSON.
    Terraform = terraform::TARGET,
    /// A CloudFormation stack with an EC2 fleet.
    CloudFormation = aws::cloudformation::TARGET,
    /// A request of the EC2 action `CreateFleet`, in JSON.
    Ec2Fleet = aws::fleet::TARGET,
    /// A shell script for the AWS command line that tries the candidates in order.
    AwsCli = aws::cli::TARGET,
    /// A pod for version 2 of RunPod's API.
    RunPod = runpod::TARGET,
    /// A shell script that searches for a machine on Vast.ai and rents it.
    VastAi = vastai::TARGET,
    /// An instance for Verda's API.
    Verda = verda::TARGET,
    /// A task for the Flyte SDK, in Python.
    Flyte = flyte::TARGET,
    /// A Slurm batch script.
    Slurm = slurm::TARGET,
    /// A cluster configuration for the Ray launcher.
    Ray = ray::TARGET,
    /// A service for Docker Compose.
    Compose = containers::COMPOSE,
    /// A `docker run` command.
    Docker = containers::DOCKER,
    /// A script of `nvidia-smi` commands that create the MIG slices.
    NvidiaSmi = mig::commands::TARGET,
    /// A configuration of `nvidia-mig-parted` that creates the MIG slices.
    MigParted = mig::parted::TARGET,
    /// A function for Modal, in Python.
    Modal = modal::TARGET,
    /// A pool for skyward, in Python.
    Skyward = skyward::TARGET,
}

impl Target {
    /// Returns the target with this exact name; `None` for an unknown name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|target| target.name() == name)
    }

    /// Returns the name of the target on the command line, such as `ec2-fleet`.
    pub fn name(self) -> &'static str {
        self.descriptor().name
    }

    /// Returns a short description of the output, such as `a batch script`.
    pub fn about(self) -> &'static str {
        self.descriptor().about
    }

    /// Returns the step that the files of the target perform.
    pub fn step(self) -> Step {
        self.descriptor().step
    }

    /// Returns the id of the catalog's tool entry, which lists the providers and names that the
    /// target supports; `None` if the target has no such entry.
    pub fn tool(self) -> Option<&'static str> {
        self.descriptor().tool
    }

    /// Returns the id of the only provider whose machines the target can rent; `None` if it is not
    /// limited to a single provider.
    pub fn provider(self) -> Option<&'static str> {
        self.descriptor().provider
    }

    /// Returns whether the target rents machines of a provider; false if its machines run already.
    pub fn rents_from(self, catalog: &Catalog<'_>, provider: ProviderId) -> bool {
        let tool = self.tool().and_then(|id| catalog.tool(id));
        self.provider() == Some(catalog.provider_id(provider))
            || tool.is_some_and(|tool| catalog.tool_provider(&tool, provider).is_some())
    }
}

/// Writes a plan for a target, and returns the files, the losses and the placeholders.
///
/// # Errors
///
/// Fails if the target supports none of the candidates, or not the requested slices.
pub fn render(handover: &Handover<'_, '_>, target: Target) -> Result<Rendered, Unsupported> {
    let descriptor = target.descriptor();
    let mut out = Rendered::new(descriptor.step);
    (descriptor.render)(handover, &mut out)?;
    if let Some(first) = handover
        .first()
        .filter(|first| descriptor.counts_whole_devices && !first.found.count.is_whole())
    {
        let count = first.found.count;
        out.lose(
            LossCode::Count,
            format!("the target requests whole devices: 1 instead of {count}"),
        );
    }
    // A file that only partitions GPUs does not run the command, so it needs none of its variables.
    if out.files.iter().any(|file| file.step != Step::Partition) {
        for (name, meaning) in &handover.job.variables {
            out.ask(name, meaning.clone());
        }
    }
    // Where the target cannot partition the GPUs, the user runs this script on the machine.
    let leaves_gpus_whole = out.lossy.iter().any(|loss| loss.code == LossCode::Mig);
    if let Some(layout) = handover.layout.as_ref().filter(|_| leaves_gpus_whole) {
        out.file_for(
            Step::Partition,
            mig::commands::SCRIPT,
            mig::commands::script(layout),
        );
    }
    Ok(out)
}
