//! The targets: the engines and tools for which plans are written.

sky_accel_core::words! {
    /// A step of carrying out a plan.
    pub enum Step {
        /// Renting the machines.
        Provision = "provision",
        /// Cutting their GPUs into MIG slices.
        Partition = "partition",
        /// Running the work on them.
        Schedule = "schedule",
    }
}

/// A provisioning engine or tool, and the format in which it takes a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A SkyPilot task in YAML.
    SkyPilot,
    /// A dstack task in YAML.
    Dstack,
    /// A Kubernetes Job that requests devices from the device plugins.
    Kubernetes,
    /// A Kubernetes Job that claims devices by dynamic resource allocation (DRA).
    Dra,
    /// A Kubernetes Job and its node pool of Google Kubernetes Engine.
    Gke,
    /// A Kubernetes Job and its node pool of Azure Kubernetes Service.
    Aks,
    /// A Karpenter NodePool and its EC2NodeClass.
    Karpenter,
    /// A Terraform configuration in JSON.
    Terraform,
    /// A CloudFormation stack with an EC2 fleet.
    CloudFormation,
    /// A request of the EC2 action `CreateFleet`, in JSON.
    Ec2Fleet,
    /// A shell script for the AWS command line that tries the candidates in order.
    AwsCli,
    /// A pod for version 2 of RunPod's API.
    RunPod,
    /// A shell script that searches for a machine on Vast.ai and rents it.
    VastAi,
    /// An instance for Verda's API.
    Verda,
    /// A task for the Flyte SDK, in Python.
    Flyte,
    /// A Slurm batch script.
    Slurm,
    /// A cluster configuration for the Ray launcher.
    Ray,
    /// A service for Docker Compose.
    Compose,
    /// A `docker run` command.
    Docker,
    /// A configuration of `nvidia-mig-parted` that creates the MIG slices.
    MigParted,
    /// A script of `nvidia-smi` commands that create the MIG slices.
    NvidiaSmi,
    /// A function for Modal, in Python.
    Modal,
    /// A pool for skyward, in Python.
    Skyward,
}

impl Target {
    /// All targets, in the order in which they are listed for users.
    pub const ALL: [Self; 23] = [
        Self::SkyPilot,
        Self::Dstack,
        Self::Kubernetes,
        Self::Dra,
        Self::Gke,
        Self::Aks,
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
        Self::NvidiaSmi,
        Self::MigParted,
        Self::Modal,
        Self::Skyward,
    ];

    /// Returns the name of the target on the command line, such as `ec2-fleet`.
    pub fn name(self) -> &'static str {
        match self {
            Self::SkyPilot => "skypilot",
            Self::Dstack => "dstack",
            Self::Kubernetes => "kubernetes",
            Self::Dra => "dra",
            Self::Gke => "gke",
            Self::Aks => "aks",
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

    /// Returns the target with this exact name; `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|target| target.name() == name)
    }

    /// Returns a description of the output in a few words, such as `a batch script`.
    pub fn about(self) -> &'static str {
        match self {
            Self::SkyPilot => "a SkyPilot task that tries the candidates in order",
            Self::Dstack => "a dstack task",
            Self::Kubernetes => "a Job for the device plugins",
            Self::Dra => "a Job with dynamic resource allocation",
            Self::Gke => "a Job and a node pool of Google Kubernetes Engine",
            Self::Aks => "a Job and a node pool of Azure Kubernetes Service",
            Self::Karpenter => "a NodePool and its EC2NodeClass",
            Self::Terraform => "machines of a cloud as main.tf.json",
            Self::CloudFormation => "a stack with an EC2 fleet",
            Self::Ec2Fleet => "a CreateFleet request",
            Self::AwsCli => "a script that tries the candidates in order",
            Self::RunPod => "a pod for RunPod's API, version 2",
            Self::VastAi => "a script that searches and rents",
            Self::Verda => "an instance for Verda's API",
            Self::Flyte => "a task for the Flyte SDK",
            Self::Slurm => "a batch script",
            Self::Ray => "a cluster for the Ray launcher",
            Self::Compose => "a service for Docker Compose",
            Self::Docker => "a docker run command",
            Self::MigParted => "a configuration that cuts the GPUs",
            Self::NvidiaSmi => "the commands that cut the GPUs",
            Self::Modal => "a function for Modal",
            Self::Skyward => "a pool for skyward",
        }
    }

    /// Returns the step that the files of the target perform.
    pub fn step(self) -> Step {
        match self {
            Self::NvidiaSmi | Self::MigParted => Step::Partition,
            Self::Kubernetes
            | Self::Dra
            | Self::Gke
            | Self::Aks
            | Self::Flyte
            | Self::Slurm
            | Self::Compose
            | Self::Docker => Step::Schedule,
            Self::SkyPilot
            | Self::Dstack
            | Self::Karpenter
            | Self::Terraform
            | Self::CloudFormation
            | Self::Ec2Fleet
            | Self::AwsCli
            | Self::RunPod
            | Self::VastAi
            | Self::Verda
            | Self::Ray
            | Self::Modal
            | Self::Skyward => Step::Provision,
        }
    }

    /// Returns the id of the catalog's tool entry, which lists the providers and words that the
    /// target knows; `None` if the target has no such entry.
    pub fn tool(self) -> Option<&'static str> {
        matches!(
            self,
            Self::SkyPilot | Self::Dstack | Self::Skyward | Self::Terraform | Self::Ray
        )
        .then(|| self.name())
    }

    /// Returns words of the shell for the number of a machine, from 0, and for the address of machine 0, where
    /// the target runs a command on each of several machines and tells them; the address is `None` where only
    /// the number is told.
    pub fn meeting(self) -> Option<(&'static str, Option<&'static str>)> {
        match self {
            Self::SkyPilot => Some((
                "\"$SKYPILOT_NODE_RANK\"",
                Some("\"$(echo \"$SKYPILOT_NODE_IPS\" | head -n 1)\""),
            )),
            Self::Dstack => Some(("\"$DSTACK_NODE_RANK\"", Some("\"$DSTACK_MASTER_NODE_IP\""))),
            Self::Kubernetes | Self::Dra | Self::Gke | Self::Aks => {
                Some(("\"$JOB_COMPLETION_INDEX\"", None))
            }
            Self::Slurm => Some((
                "\"$SLURM_NODEID\"",
                Some("\"$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\""),
            )),
            _ => None,
        }
    }

    /// Returns the id of the only provider whose machines the target can rent; `None` if it is not
    /// limited to one provider.
    pub fn provider(self) -> Option<&'static str> {
        match self {
            Self::Karpenter | Self::CloudFormation | Self::Ec2Fleet | Self::AwsCli => Some("aws"),
            Self::Gke => Some("gcp"),
            Self::Aks => Some("azure"),
            Self::RunPod => Some("runpod"),
            Self::VastAi => Some("vastai"),
            Self::Verda => Some("verda"),
            _ => None,
        }
    }
}
