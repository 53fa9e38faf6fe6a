//! A plan in the words of the engine that applies it.
//!
//! [`render`] is a pure function from a plan to files. What a target has no word for is listed as
//! lost, never left out silently; what only the user knows stands as a placeholder that says what
//! it is. Text goes through the writer of the format that it lands in (`write`), so that any name
//! or image comes back byte for byte.

mod aws;
mod containers;
mod device;
mod dialect;
mod dstack;
mod flyte;
mod job;
mod kubernetes;
pub mod mig;
mod modal;
mod ray;
mod runpod;
mod skypilot;
mod skyward;
mod slurm;
mod target;
mod vastai;
mod verda;
mod write;

pub use dialect::{Converted, Dialect, convert};
pub use job::{Capacity, Handover, Job};
pub use target::Target;

/// A file that an engine takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub name: String,
    pub text: String,
}

/// Something that the target cannot say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Stable: the part of the request that is lost.
    pub code: &'static str,
    pub message: String,
}

/// A value that the user has to fill in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder {
    /// As it stands in the file.
    pub name: &'static str,
    pub meaning: &'static str,
}

/// A plan as a target takes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// The one that is the plan first.
    pub files: Vec<File>,
    pub lossy: Vec<Loss>,
    pub placeholders: Vec<Placeholder>,
}

impl Rendered {
    fn file(&mut self, name: &str, text: String) {
        self.files.push(File {
            name: name.to_owned(),
            text,
        });
    }

    fn lose(&mut self, code: &'static str, message: impl Into<String>) {
        let loss = Loss {
            code,
            message: message.into(),
        };
        if !self.lossy.contains(&loss) {
            self.lossy.push(loss);
        }
    }

    /// Tells what is lost where it was asked for.
    fn lose_given(&mut self, code: &'static str, is_given: bool, message: &str) {
        if is_given {
            self.lose(code, message);
        }
    }

    fn ask(&mut self, name: &'static str, meaning: &'static str) {
        let placeholder = Placeholder { name, meaning };
        if !self.placeholders.contains(&placeholder) {
            self.placeholders.push(placeholder);
        }
    }
}

/// Why a target cannot take a plan at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CannotSay(pub String);

impl std::fmt::Display for CannotSay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CannotSay {}

/// Writes a plan for a target: files, what they do not say, and what the user has to fill in.
///
/// # Errors
///
/// A target that has no word for any of the candidates, or for the slices that are asked for.
pub fn render(handover: &Handover<'_, '_>, target: Target) -> Result<Rendered, CannotSay> {
    let mut out = Rendered::default();
    match target {
        Target::SkyPilot => skypilot::render(handover, &mut out)?,
        Target::Dstack => dstack::render(handover, &mut out)?,
        Target::Kubernetes => kubernetes::job::render(handover, &mut out)?,
        Target::Dra => kubernetes::dra::render(handover, &mut out)?,
        Target::Karpenter => kubernetes::karpenter::render(handover, &mut out)?,
        Target::Terraform => aws::terraform::render(handover, &mut out)?,
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
            "count",
            format!("it asks for whole devices: one, not {}", first.found.count),
        );
    }
    // What the target cannot cut is cut on the machine.
    let is_cut_elsewhere = out.lossy.iter().any(|loss| loss.code == "mig");
    if let Some(layout) = handover.layout.as_ref().filter(|_| is_cut_elsewhere) {
        out.file("mig.sh", mig::script(layout));
    }
    Ok(out)
}
