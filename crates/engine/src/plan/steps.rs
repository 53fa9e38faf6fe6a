//! The steps of a plan in order, and the targets that perform them.

use sky_accel_targets::{Rendered, Step, Target, mig};

use super::cut::Cut;
use crate::contract::StepOut;

/// Provisioning, partitioning if GPUs have slices, and scheduling.
pub(super) fn steps(cut: Option<&Cut<'_>>, rendered: Option<&Rendered>) -> Vec<StepOut> {
    let step = |id: Step, after: Option<Step>, what: &str, commands: Vec<String>| StepOut {
        id,
        after,
        what: what.to_owned(),
        targets: Target::ALL
            .into_iter()
            .filter(|target| target.step() == id)
            .map(Target::name)
            .collect(),
        commands,
        files: rendered
            .into_iter()
            .flat_map(|rendered| &rendered.files)
            .filter(|file| file.step == id)
            .map(|file| file.name.clone())
            .collect(),
    };
    let rent = "rent the first candidate that can be had, in their order";
    let mut steps = vec![step(Step::Provision, None, rent, Vec::new())];
    if let Some(cut) = cut {
        let commands = mig::nvidia_smi(&cut.layout());
        let commands = commands.lines().map(str::to_owned).collect();
        let description = "cut the GPUs of each machine";
        let after = Some(Step::Provision);
        steps.push(step(Step::Partition, after, description, commands));
    }
    let after = steps.last().map(|last| last.id);
    let run = "run the work on it";
    steps.push(step(Step::Schedule, after, run, Vec::new()));
    steps
}
