//! The error of a request that a target, dialect or tool cannot express at all.

use std::fmt;

/// The reason why a target, dialect or tool cannot express a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unsupported {
    /// No candidate is a machine of this kind, such as `an EC2 machine in a known region`.
    Machine(&'static str),
    /// The tool of this name supports none of the candidates.
    Candidates(String),
    /// No candidate is from one of these providers, to which the target is limited.
    Providers(String),
    /// SkyPilot does not support these regions, which need separate accounts.
    SeparateRegions(String),
    /// No name or method of this kind is known for a product.
    Unknown {
        /// The missing piece, such as `Kubernetes device plugin`.
        kind: &'static str,
        /// The product, such as an accelerator id.
        product: String,
    },
    /// The tool counts whole devices, and the request is for a part of a device.
    Fraction {
        /// The name of the tool.
        tool: String,
        /// The requested share, such as `0.5 x L4`.
        request: String,
    },
    /// The tool supports other slices of a TPU pod only.
    Topology {
        /// The tool's name for the accelerator.
        accelerator: String,
        /// The requested topology, such as `2x2x4`.
        topology: String,
        /// The supported topologies.
        supported: String,
    },
    /// The plan has no MIG slices to create.
    NoSlices,
    /// The tool allocates whole GPU instances, and the request is for this compute instance.
    ComputeInstance {
        /// The name of the tool.
        tool: String,
        /// The compute instance, such as `1c.3g.40gb`.
        slice: String,
    },
    /// The tool of this name partitions all its GPUs alike.
    MixedSlices(String),
    /// The tool does not support a MIG profile.
    Profile {
        /// The name of the tool.
        tool: &'static str,
        /// The requested profile.
        profile: String,
        /// The GPU.
        gpu: String,
        /// The supported profiles of this GPU; empty if no profile is supported.
        supported: String,
    },
    /// Each Slurm site chooses its name for this accelerator or profile.
    SiteName(String),
    /// The dialect has no name for the spec.
    Spec {
        /// The name of the dialect.
        dialect: &'static str,
        /// The spec in canonical form.
        spec: String,
    },
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Machine(machine) => write!(f, "no candidate is {machine}"),
            Self::Candidates(tool) => write!(f, "{tool} supports none of the candidates"),
            Self::Providers(providers) => write!(
                f,
                "Terraform configurations can be written for {providers}; no candidate is from any of them"
            ),
            Self::SeparateRegions(regions) => write!(
                f,
                "SkyPilot does not support {regions}, which need separate accounts"
            ),
            Self::Unknown { kind, product } => write!(f, "no {kind} is known for {product}"),
            Self::Fraction { tool, request } => {
                write!(
                    f,
                    "{tool} counts whole devices and cannot request {request}"
                )
            }
            Self::Topology {
                accelerator,
                topology,
                supported,
            } => write!(
                f,
                "Flyte does not support slice {topology} of {accelerator}; supported: {supported}"
            ),
            Self::NoSlices => f.write_str(
                "the plan has no MIG slices to create: request slices, as in H100:mig=3g.40gb",
            ),
            Self::ComputeInstance { tool, slice } => {
                write!(
                    f,
                    "{tool} allocates whole GPU instances and cannot request {slice}"
                )
            }
            Self::MixedSlices(tool) => write!(
                f,
                "{tool} partitions all GPUs alike: it takes one profile, on GPUs without other slices"
            ),
            Self::Profile {
                tool,
                gpu,
                supported,
                ..
            } if supported.is_empty() => write!(f, "{tool} does not support slices of {gpu}"),
            Self::Profile {
                tool,
                profile,
                gpu,
                supported,
            } => write!(
                f,
                "{tool} does not support {profile} of {gpu}; supported: {supported}"
            ),
            Self::SiteName(name) => write!(
                f,
                "each site has its own name for {name}: give it with `slurm_types` {name}=TYPE"
            ),
            Self::Spec { dialect, spec } => write!(f, "{dialect} has no name for {spec}"),
        }
    }
}

impl std::error::Error for Unsupported {}
