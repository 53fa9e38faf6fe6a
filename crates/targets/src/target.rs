//! The engines that a plan can be written for.

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    SkyPilot,
    Dstack,
    Kubernetes,
    Dra,
    Karpenter,
    Terraform,
    CloudFormation,
    Ec2Fleet,
    AwsCli,
    RunPod,
    VastAi,
    Verda,
    Flyte,
    Slurm,
    Ray,
    Compose,
    Docker,
    MigParted,
    NvidiaSmi,
    Modal,
    Skyward,
}

impl Target {
    pub const ALL: [Self; 21] = [
        Self::SkyPilot,
        Self::Dstack,
        Self::Kubernetes,
        Self::Dra,
        Self::Karpenter,
        Self::Terraform,
        Self::CloudFormation,
        Self::Ec2Fleet,
        Self::AwsCli,
        Self::RunPod,
        Self::VastAi,
        Self::Verda,
        Self::Flyte,
        Self::Slurm,
        Self::Ray,
        Self::Compose,
        Self::Docker,
        Self::MigParted,
        Self::NvidiaSmi,
        Self::Modal,
        Self::Skyward,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::SkyPilot => "skypilot",
            Self::Dstack => "dstack",
            Self::Kubernetes => "kubernetes",
            Self::Dra => "dra",
            Self::Karpenter => "karpenter",
            Self::Terraform => "terraform",
            Self::CloudFormation => "cloudformation",
            Self::Ec2Fleet => "ec2-fleet",
            Self::AwsCli => "aws-cli",
            Self::RunPod => "runpod",
            Self::VastAi => "vastai",
            Self::Verda => "verda",
            Self::Flyte => "flyte",
            Self::Slurm => "slurm",
            Self::Ray => "ray",
            Self::Compose => "compose",
            Self::Docker => "docker",
            Self::MigParted => "mig-parted",
            Self::NvidiaSmi => "nvidia-smi",
            Self::Modal => "modal",
            Self::Skyward => "skyward",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|target| target.name() == name)
    }

    /// A description in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::SkyPilot => "a SkyPilot task that tries the candidates in order",
            Self::Dstack => "a dstack task",
            Self::Kubernetes => "a Job for the device plugins",
            Self::Dra => "a Job with dynamic resource allocation",
            Self::Karpenter => "a NodePool and its EC2NodeClass",
            Self::Terraform => "AWS instances as main.tf.json",
            Self::CloudFormation => "a stack with an EC2 fleet",
            Self::Ec2Fleet => "a request of CreateFleet",
            Self::AwsCli => "a script that tries the candidates in order",
            Self::RunPod => "a pod for RunPod's API, version 2",
            Self::VastAi => "a script that searches and rents",
            Self::Verda => "an instance for Verda's API",
            Self::Flyte => "a task for the Flyte SDK",
            Self::Slurm => "a batch script",
            Self::Ray => "a cluster for the Ray launcher on AWS",
            Self::Compose => "a service for Docker Compose",
            Self::Docker => "a docker run command",
            Self::MigParted => "a configuration that cuts the GPUs",
            Self::NvidiaSmi => "the commands that cut the GPUs",
            Self::Modal => "a function for Modal",
            Self::Skyward => "a pool for skyward",
        }
    }

    /// The tool of the catalog that says which providers it knows, and what it can do there.
    pub fn tool(self) -> Option<&'static str> {
        matches!(self, Self::SkyPilot | Self::Dstack | Self::Skyward).then(|| self.name())
    }

    /// The provider whose machines alone it can get.
    pub fn provider(self) -> Option<&'static str> {
        match self {
            Self::Karpenter
            | Self::Terraform
            | Self::CloudFormation
            | Self::Ec2Fleet
            | Self::AwsCli
            | Self::Ray => Some("aws"),
            Self::RunPod => Some("runpod"),
            Self::VastAi => Some("vastai"),
            Self::Verda => Some("verda"),
            _ => None,
        }
    }
}
