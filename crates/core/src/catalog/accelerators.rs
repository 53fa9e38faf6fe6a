//! Accelerators, their names, and how they are shared.

#[cfg(doc)]
use super::Catalog;
use super::{AcceleratorId, GeometryId, OfferId, Rows, Str};
use crate::money::Count;

/// One device as clouds and drivers count it. Rates are dense; a missing figure is unknown.
#[derive(Clone, Copy, Debug)]
pub struct Accelerator {
    pub id: Str,
    pub family: Str,
    pub vendor: Str,
    /// Product line, where people name one: GeForce, Instinct, Trainium.
    pub line: Str,
    pub architecture: Str,
    pub class: Str,
    pub form_factor: Str,
    pub sdk: Str,
    /// As the vendor sells it.
    pub memory_gb: Option<f64>,
    /// As the driver reports it.
    pub memory_mib: Option<f64>,
    /// As the EC2 API lists it.
    pub memory_mib_ec2: Option<f64>,
    pub memory_type: Str,
    pub memory_bandwidth_gb_s: Option<f64>,
    pub fp64_tflops: Option<f64>,
    pub fp32_tflops: Option<f64>,
    pub tf32_tflops: Option<f64>,
    pub fp16_tflops: Option<f64>,
    pub bf16_tflops: Option<f64>,
    pub fp8_tflops: Option<f64>,
    pub fp4_tflops: Option<f64>,
    pub int8_tops: Option<f64>,
    pub tdp_w: Option<f64>,
    pub interconnect: Str,
    /// Total of both directions, per device.
    pub interconnect_gb_s: Option<f64>,
    pub pcie_gen: Option<f64>,
    pub compute_capability: Str,
    pub cuda_min: Str,
    pub cuda_last: Str,
    pub rocm_gfx: Str,
    pub mig: Option<bool>,
    pub mig_geometry: Option<GeometryId>,
    pub release_year: Option<f64>,
    pub max_per_node: Option<f64>,
    pub note: Str,
    /// Strings.
    pub sources: Rows,
    pub disputed: Rows,
    pub quoted_memory: Rows,
}

/// A figure on which published documents disagree.
#[derive(Clone, Copy, Debug)]
pub struct Disputed {
    pub field: Str,
    pub also: Str,
    pub why: Str,
    pub source: Str,
    pub as_of: Str,
}

/// A memory size that people write for an accelerator that has another one.
#[derive(Clone, Copy, Debug)]
pub struct QuotedMemory {
    pub gb: f64,
    /// How many devices the size is of.
    pub count: Count,
    pub note: Str,
}

/// The meaning of a name.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    pub key: Str,
    /// How the name is written back.
    pub display: Str,
    pub meaning: Meaning,
    /// Said whenever the name is used and nothing in the spec settles it.
    pub note: Str,
}

/// The kinds of meaning.
#[derive(Clone, Copy, Debug)]
pub enum Meaning {
    /// Exactly one accelerator.
    Exact(AcceleratorId),
    /// Several; the first one is displayed. A run of [`Catalog::accelerator_lists`].
    AnyOf(Rows),
    /// A name with a number of devices and perhaps MIG slices in it.
    Sized {
        accelerators: Rows,
        count: Option<Count>,
        mig: Str,
    },
    /// A provider's own instance type: the hardware in it.
    InstanceType(OfferId),
    /// Looks like a product and is none. `suggest` is a run of [`Catalog::accelerator_lists`].
    Rejected { why: Str, suggest: Rows },
}

/// One way to write a name.
#[derive(Clone, Copy, Debug)]
pub struct Spelling {
    pub text: Str,
    /// Who writes it so: a provider, a tool, `common`.
    pub dialect: Str,
    pub accelerator: AcceleratorId,
    /// Whether the name means only this accelerator.
    pub exact: bool,
}

/// A maker of accelerators.
#[derive(Clone, Copy, Debug)]
pub struct Vendor {
    pub name: Str,
    /// Strings: lower-case words that stand for it.
    pub aliases: Rows,
}

/// A way other than MIG in which an accelerator is shared, or joined with others.
#[derive(Clone, Copy, Debug)]
pub struct Sharing {
    /// A run of [`Catalog::accelerator_lists`].
    pub accelerators: Rows,
    /// `partition-mode`, `vgpu`, `pod-slice` or `logical-cores`.
    pub kind: Str,
    pub name: Str,
    /// Devices that one accelerator shows as.
    pub devices: Option<f64>,
    /// Accelerators that it takes, where it takes several.
    pub accelerators_needed: Option<f64>,
    pub topology: Str,
    /// Compute units or cores of each device.
    pub cores: Option<f64>,
    /// Memory of each device, as it is sold and as it is reported.
    pub memory_gb: Option<f64>,
    pub memory_mib: Option<f64>,
    /// The words or steps that switch it on.
    pub set_by: Str,
    pub note: Str,
    pub source: Str,
    pub as_of: Str,
}

impl Accelerator {
    /// The highest dense half-precision rate, else the single-precision one: what a price per
    /// TFLOPS is measured with.
    pub fn headline_tflops(&self) -> Option<f64> {
        let half = match (self.bf16_tflops, self.fp16_tflops) {
            (Some(b), Some(f)) => Some(b.max(f)),
            (b, f) => b.or(f),
        };
        half.or(self.fp32_tflops)
    }
}
