//! The plan as an engine takes it: the document, its files, and what is to be done with them.

use std::io::Write as _;

use sky_accel_targets::{Rendered, Target, mig};

use super::super::{Context, Result};
use super::cut::Cut;
use crate::error::CliError;
use crate::output::StepOut;

/// What is to be done, one after another, and which targets do it.
pub(super) fn steps(
    cut: Option<&Cut<'_>>,
    target: Option<Target>,
    rendered: Option<&Rendered>,
) -> Vec<StepOut> {
    use Target as T;

    const PROVISION: [Target; 13] = [
        T::SkyPilot,
        T::Dstack,
        T::Karpenter,
        T::Terraform,
        T::CloudFormation,
        T::Ec2Fleet,
        T::AwsCli,
        T::RunPod,
        T::VastAi,
        T::Verda,
        T::Ray,
        T::Modal,
        T::Skyward,
    ];
    const PARTITION: [Target; 2] = [T::NvidiaSmi, T::MigParted];
    const SCHEDULE: [Target; 6] = [
        T::Kubernetes,
        T::Dra,
        T::Flyte,
        T::Slurm,
        T::Compose,
        T::Docker,
    ];
    let files = |targets: &[Target]| -> Vec<String> {
        let own = target.is_some_and(|target| targets.contains(&target));
        let mine = |name: &str| (name == "mig.sh") == (targets == PARTITION);
        let all = rendered.into_iter().flat_map(|rendered| &rendered.files);
        let cuts = targets == PARTITION;
        all.map(|file| file.name.clone())
            .filter(|name| {
                if cuts {
                    name == "mig.sh" || own
                } else {
                    own && mine(name)
                }
            })
            .collect()
    };
    let names = |targets: &[Target]| targets.iter().map(|target| target.name()).collect();
    let mut steps = vec![StepOut {
        id: "provision",
        after: None,
        what: "rent the first candidate that can be had, in their order".to_owned(),
        targets: names(&PROVISION),
        commands: Vec::new(),
        files: files(&PROVISION),
    }];
    if let Some(cut) = cut {
        steps.push(StepOut {
            id: "partition",
            after: Some("provision"),
            what: "cut the GPUs of each machine".to_owned(),
            targets: names(&PARTITION),
            commands: mig::nvidia_smi(&cut.layout())
                .lines()
                .map(str::to_owned)
                .collect(),
            files: files(&PARTITION),
        });
    }
    steps.push(StepOut {
        id: "schedule",
        after: Some(if cut.is_some() {
            "partition"
        } else {
            "provision"
        }),
        what: "run the work on it".to_owned(),
        targets: names(&SCHEDULE),
        commands: Vec::new(),
        files: files(&SCHEDULE),
    });
    steps
}

/// Prints the document, or says where the files are; what is lost and what is to be filled in goes
/// to standard error.
pub(super) fn hand_over(
    context: &mut Context<'_>,
    target: Target,
    rendered: &Rendered,
    written: &[String],
) -> Result<()> {
    if written.is_empty() {
        if let Some(file) = rendered.files.first() {
            context.ui.stdout().write_all(file.text.as_bytes())?;
        }
    } else {
        for path in written {
            context.ui.line(path)?;
        }
    }
    context.ui.flush()?;
    for loss in &rendered.lossy {
        context
            .ui
            .always(&format!("lost: {}: {}", loss.code, loss.message))?;
    }
    for placeholder in &rendered.placeholders {
        context.ui.footer(&format!(
            "fill in {}: {}",
            placeholder.name, placeholder.meaning
        ))?;
    }
    if let [_, others @ ..] = &rendered.files[..]
        && written.is_empty()
        && !others.is_empty()
    {
        let names: Vec<&str> = others.iter().map(|file| file.name.as_str()).collect();
        context.ui.footer(&format!(
            "{} has more files: {} (--out DIR writes them all)",
            target.name(),
            names.join(", ")
        ))?;
    }
    Ok(())
}

/// What a target cannot say, as an error.
pub(super) fn lossy_error(target: Target, rendered: &Rendered) -> CliError {
    let mut problems = rendered.lossy.iter().map(|loss| {
        let message = format!(
            "{} cannot say it: {}: {}",
            target.name(),
            loss.code,
            loss.message
        );
        CliError::usage("plan.lossy", message).problems
    });
    let mut error = CliError::usage("plan.lossy", "the target cannot say all that is asked");
    if let Some(first) = problems.next() {
        error.problems = first;
        error.problems.extend(problems.flatten());
    }
    error
}
