//! Plans, specs and MIG layouts in the formats of other engines and tools.
//!
//! [`render`] is a pure function from a plan to files. A part that the target cannot express is
//! listed as a [`Loss`] and never left out silently. A value that only the user knows is a
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
pub mod mig;
mod modal;
mod ray;
mod runpod;
mod skypilot;
mod skyward;
mod slurm;
mod target;
mod terraform;
mod vastai;
mod verda;
mod write;

use std::borrow::Cow;

pub use dialect::{Converted, Dialect, convert};
pub use image::MachineImage;
pub use job::{Capacity, Handover, Job};
pub use target::{Step, Target};

/// A file of a rendered plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The file name without a folder, such as `main.tf.json`.
    pub name: String,
    /// The whole contents of the file.
    pub text: String,
    /// The step that the file performs.
    pub step: Step,
}

sky_accel_core::words! {
    /// The part of a plan or spec that a target or dialect cannot express.
    pub enum LossCode {
        /// Some of the accelerators that the spec covers.
        Accelerator = "accelerator",
        /// The memory of the accelerator.
        Memory = "memory",
        /// The form factor or another property of the accelerator.
        Form = "form",
        /// The name of the accelerator.
        Name = "name",
        /// The number of accelerators.
        Count = "count",
        /// The MIG slices.
        Mig = "mig",
        /// The order of the candidates.
        Order = "order",
        /// The candidates after the first.
        Fallback = "fallback",
        /// The provider.
        Provider = "provider",
        /// The region.
        Region = "region",
        /// Spot capacity.
        Spot = "spot",
        /// A reservation or a capacity block.
        Capacity = "capacity",
        /// The price limit.
        MaxPrice = "max_price",
        /// The number of machines.
        Nodes = "nodes",
        /// The link between accelerators or machines.
        Interconnect = "interconnect",
        /// The CUDA version.
        CudaMin = "cuda_min",
        /// The image.
        Image = "image",
        /// The command.
        Command = "command",
        /// The disk.
        Disk = "disk",
    }
}

/// A loss: a part of a plan or spec that a target or dialect cannot express.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The part that is lost.
    pub code: LossCode,
    /// The explanation for people: a lower-case sentence without a period.
    pub message: String,
}

/// A value in a file that the user must fill in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder {
    /// The name of the placeholder, usually as it is written in the file, such as `IMAGE`.
    pub name: &'static str,
    /// The value that belongs in its place, in words, such as `the container image`.
    pub meaning: Cow<'static, str>,
}

/// A plan in the format of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The files, the main one first.
    pub files: Vec<File>,
    /// The parts of the plan that the files do not express, each listed once.
    pub lossy: Vec<Loss>,
    /// The values that the user must fill in, each listed once.
    pub placeholders: Vec<Placeholder>,
    step: Step,
}

impl Rendered {
    fn new(target: Target) -> Self {
        Self {
            files: Vec::new(),
            lossy: Vec::new(),
            placeholders: Vec::new(),
            step: target.step(),
        }
    }

    /// Adds a file that performs the step of the target.
    fn file(&mut self, name: &str, text: String) {
        self.files.push(File {
            name: name.to_owned(),
            text,
            step: self.step,
        });
    }

    fn lose(&mut self, code: LossCode, message: impl Into<String>) {
        let loss = Loss {
            code,
            message: message.into(),
        };
        if !self.lossy.contains(&loss) {
            self.lossy.push(loss);
        }
    }

    /// Tells what is lost where it was asked for.
    fn lose_given(&mut self, code: LossCode, is_given: bool, message: &str) {
        if is_given {
            self.lose(code, message);
        }
    }

    fn ask(&mut self, name: &'static str, meaning: impl Into<Cow<'static, str>>) {
        let meaning = meaning.into();
        let placeholder = Placeholder { name, meaning };
        if !self.placeholders.contains(&placeholder) {
            self.placeholders.push(placeholder);
        }
    }
}

/// The reason why a target, dialect or tool cannot express the request at all, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CannotSay(pub String);

impl std::fmt::Display for CannotSay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CannotSay {}

/// Writes a plan for a target, and returns the files, the losses and the placeholders.
///
/// # Errors
///
/// Fails if the target has no word for any of the candidates, or for the requested slices.
pub fn render(handover: &Handover<'_, '_>, target: Target) -> Result<Rendered, CannotSay> {
    let mut out = Rendered::new(target);
    match target {
        Target::SkyPilot => skypilot::render(handover, &mut out)?,
        Target::Dstack => dstack::render(handover, &mut out)?,
        Target::Kubernetes => kubernetes::job::render(handover, &mut out)?,
        Target::Dra => kubernetes::dra::render(handover, &mut out)?,
        Target::Gke => kubernetes::gke::render(handover, &mut out)?,
        Target::Aks => kubernetes::aks::render(handover, &mut out)?,
        Target::Karpenter => kubernetes::karpenter::render(handover, &mut out)?,
        Target::Terraform => terraform::render(handover, &mut out)?,
        Target::CloudFormation => aws::cloudformation::render(handover, &mut out)?,
        Target::Ec2Fleet => aws::fleet::render(handover, &mut out)?,
        Target::AwsCli => aws::cli::render(handover, &mut out)?,
        Target::RunPod => runpod::render(handover, &mut out)?,
        Target::VastAi => vastai::render(handover, &mut out)?,
        Target::Verda => verda::render(handover, &mut out)?,
        Target::Flyte => flyte::render(handover, &mut out)?,
        Target::Slurm => slurm::render(handover, &mut out)?,
        Target::Ray => ray::render(handover, &mut out)?,
        Target::Compose => containers::compose(handover, &mut out)?,
        Target::Docker => containers::docker(handover, &mut out)?,
        Target::MigParted => mig::render_parted(handover, &mut out)?,
        Target::NvidiaSmi => mig::render_commands(handover, &mut out)?,
        Target::Modal => modal::render(handover, &mut out)?,
        Target::Skyward => skyward::render(handover, &mut out)?,
    }
    let by_device = matches!(
        target,
        Target::Kubernetes
            | Target::Dra
            | Target::Gke
            | Target::Aks
            | Target::Flyte
            | Target::Slurm
            | Target::Modal
            | Target::Docker
            | Target::Compose
            | Target::Skyward
    );
    if let Some(first) = handover
        .first()
        .filter(|first| !first.found.count.is_whole())
        && by_device
    {
        out.lose(
            LossCode::Count,
            format!("it asks for whole devices: one, not {}", first.found.count),
        );
    }
    let runs = out.files.iter().any(|file| file.step != Step::Partition);
    for (name, meaning) in handover.job.variables.iter().filter(|_| runs) {
        out.ask(name, meaning.clone());
    }
    // What the target cannot cut is cut on the machine.
    let is_cut_elsewhere = out.lossy.iter().any(|loss| loss.code == LossCode::Mig);
    if let Some(layout) = handover.layout.as_ref().filter(|_| is_cut_elsewhere) {
        out.files.push(File {
            name: mig::SCRIPT.to_owned(),
            text: mig::script(layout),
            step: Step::Partition,
        });
    }
    Ok(out)
}
