//! The steps of a plan, one after another, and the targets that do them.

use sky_accel_targets::{Rendered, Target, mig};

use super::cut::Cut;
use crate::contract::StepOut;

/// Provisioning, partitioning where GPUs are cut, and scheduling.
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
        let is_target = target.is_some_and(|target| targets.contains(&target));
        let mine = |name: &str| (name == "mig.sh") == (targets == PARTITION);
        let files = rendered.into_iter().flat_map(|rendered| &rendered.files);
        let cuts = targets == PARTITION;
        files
            .map(|file| file.name.clone())
            .filter(|name| {
                if cuts {
                    name == "mig.sh" || is_target
                } else {
                    is_target && mine(name)
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
