//! Accelerators, their names, and how they are shared.

#[cfg(doc)]
use super::Catalog;
use super::{AcceleratorId, Column, GeometryId, OfferId, Rows, Str};
use crate::money::Count;

crate::rows! {
    /// An accelerator: one device as clouds and drivers count it. Rates are dense peak rates. An empty
    /// string or `None` stands for an unknown value, unless the field says otherwise.
    #[derive(Clone, Copy, Debug)]
    pub struct Accelerator {
        /// The catalog's id, such as `H100-80GB-SXM`.
        pub id: Str,
        /// The family, such as `H100`.
        pub family: Str,
        /// The name of the vendor, as in [`Vendor::name`].
        pub vendor: Str,
        /// The product line, such as GeForce, Instinct or Trainium; empty where there is none.
        pub line: Str,
        /// The architecture, such as `Hopper`.
        pub architecture: Str,
        /// The class: `datacenter`, `workstation`, `consumer`, `asic` or `media`.
        pub class: Str,
        /// The form factor, such as `SXM5`, `PCIe` or `OAM`.
        pub form_factor: Str,
        /// The id of the software stack, such as `cuda` or `rocm`: a [`Sdk`](super::Sdk).
        pub sdk: Str,
        /// Memory in decimal GB, as the vendor sells it.
        pub memory_gb: Option<f64>,
        /// Memory in MiB, as the driver reports it.
        pub memory_mib: Option<f64>,
        /// Memory in MiB, as the EC2 API lists it.
        pub memory_mib_ec2: Option<f64>,
        /// The memory technology, such as `HBM3`.
        pub memory_type: Str,
        /// Peak memory bandwidth in decimal GB per second.
        pub memory_bandwidth_gb_s: Option<f64>,
        /// Peak FP64 rate in TFLOPS.
        pub fp64_tflops: Option<f64>,
        /// Peak FP32 rate in TFLOPS.
        pub fp32_tflops: Option<f64>,
        /// Peak TF32 rate in TFLOPS.
        pub tf32_tflops: Option<f64>,
        /// Peak FP16 rate in TFLOPS.
        pub fp16_tflops: Option<f64>,
        /// Peak BF16 rate in TFLOPS.
        pub bf16_tflops: Option<f64>,
        /// Peak FP8 rate in TFLOPS.
        pub fp8_tflops: Option<f64>,
        /// Peak FP4 rate in TFLOPS.
        pub fp4_tflops: Option<f64>,
        /// Peak INT8 rate in TOPS.
        pub int8_tops: Option<f64>,
        /// Thermal design power in watts.
        pub tdp_w: Option<f64>,
        /// The link between devices, such as `NVLink4`; empty where there is none.
        pub interconnect: Str,
        /// Bandwidth of that link in decimal GB per second, both directions together.
        pub interconnect_gb_s: Option<f64>,
        /// The most devices that the link joins, where those are several machines.
        pub link_domain: Option<f64>,
        /// The generation of PCI Express.
        pub pcie_gen: Option<f64>,
        /// The CUDA compute capability, such as `9.0`; empty for devices without CUDA.
        pub compute_capability: Str,
        /// The first CUDA toolkit that supports the device.
        pub cuda_min: Str,
        /// The last CUDA toolkit that supports the device; empty where current toolkits do.
        pub cuda_last: Str,
        /// The ROCm target, such as `gfx942`; empty for devices without ROCm.
        pub rocm_gfx: Str,
        /// Whether the device can be cut into MIG slices.
        pub mig: Option<bool>,
        /// The MIG geometry; `None` without MIG or where the profiles are not published.
        pub mig_geometry: Option<GeometryId>,
        /// The year of release.
        pub release_year: Option<f64>,
        /// The most devices in one machine.
        pub max_per_node: Option<f64>,
        /// A remark for users; empty where there is none.
        pub note: Str,
        /// The sources of the figures: a run of [`field@Catalog::strings`].
        pub sources: Rows,
        /// The figures on which documents disagree: a run of [`field@Catalog::disputed`].
        pub disputed: Rows,
        /// The memory sizes that people write instead of the marketed one: a run of
        /// [`field@Catalog::quoted_memory`].
        pub quoted_memory: Rows,
    }

    /// A figure on which published documents disagree.
    #[derive(Clone, Copy, Debug)]
    pub struct Disputed {
        /// The name of the field, such as `tdp_w`.
        pub field: Str,
        /// The figure of the other document.
        pub also: Str,
        /// The reason why that figure is not used.
        pub why: Str,
        /// The other document.
        pub source: Str,
        /// The date of the entry: a day, a month or a year.
        pub as_of: Str,
    }

    /// A memory size that people write for an accelerator that has another one.
    #[derive(Clone, Copy, Debug)]
    pub struct QuotedMemory {
        /// The size in GB.
        pub gb: f64,
        /// The number of devices that have this size together.
        pub count: Count,
        /// A remark that explains the size.
        pub note: Str,
    }

    /// A name with its meaning.
    #[derive(Clone, Copy, Debug)]
    pub struct Name {
        /// The name in lower case, without spaces, `-` and `_`.
        pub key: Str,
        /// The canonical spelling.
        pub display: Str,
        /// The meaning.
        pub meaning: Meaning,
        /// A remark that is shown when the name is used and nothing in the spec settles it; empty where
        /// there is none.
        pub note: Str,
    }
}

/// The meaning of a name.
#[derive(Clone, Copy, Debug)]
pub enum Meaning {
    /// Exactly one accelerator.
    Exact(AcceleratorId),
    /// Several accelerators, the one to display first: a run of [`Catalog::accelerator_lists`].
    AnyOf(Rows),
    /// Accelerators with a number of devices or MIG slices, as in `A100-40GB-320GB`.
    Sized {
        /// The accelerators: a run of [`Catalog::accelerator_lists`].
        accelerators: Rows,
        /// The number of devices; `None` when the name states none.
        count: Option<Count>,
        /// The list of MIG slices; empty when the name states none.
        mig: Str,
    },
    /// The hardware in a provider's instance type.
    InstanceType(OfferId),
    /// A name that looks like a product and is none, with the reason `why`. `suggest` is a run of
    /// [`Catalog::accelerator_lists`] that could have been meant.
    Rejected {
        /// The reason why it is none.
        why: Str,
        /// The accelerators that could have been meant.
        suggest: Rows,
    },
}

/// The columns of a meaning: which one it is, accelerators (or one id as the start of an empty run),
/// a count, and a text.
type MeaningColumns = ((u8, Rows), (Option<Count>, Str));

impl Column for Meaning {
    const WIDTH: usize = MeaningColumns::WIDTH;
    const LAYOUT: u64 = MeaningColumns::LAYOUT;

    fn read(bytes: &[u8]) -> Self {
        let ((kind, rows), (count, text)) = MeaningColumns::read(bytes);
        match kind {
            1 => Self::AnyOf(rows),
            2 => Self::Sized {
                accelerators: rows,
                count,
                mig: text,
            },
            3 => Self::InstanceType(OfferId(rows.start)),
            4 => Self::Rejected {
                why: text,
                suggest: rows,
            },
            _ => Self::Exact(AcceleratorId(rows.start as u16)),
        }
    }

    fn write(self, out: &mut Vec<u8>) {
        let id = |start: u32| Rows { start, len: 0 };
        let columns: MeaningColumns = match self {
            Self::Exact(accelerator) => ((0, id(accelerator.0.into())), (None, Str::default())),
            Self::AnyOf(rows) => ((1, rows), (None, Str::default())),
            Self::Sized {
                accelerators,
                count,
                mig,
            } => ((2, accelerators), (count, mig)),
            Self::InstanceType(offer) => ((3, id(offer.0)), (None, Str::default())),
            Self::Rejected { why, suggest } => ((4, suggest), (None, why)),
        };
        columns.write(out);
    }
}

crate::rows! {
    /// One spelling of a name.
    #[derive(Clone, Copy, Debug)]
    pub struct Spelling {
        /// The spelling.
        pub text: Str,
        /// The user of the spelling: a provider, a tool, or `common`.
        pub dialect: Str,
        /// The accelerator that is displayed for it.
        pub accelerator: AcceleratorId,
        /// Whether the spelling means only this accelerator.
        pub exact: bool,
    }

    /// A maker of accelerators.
    #[derive(Clone, Copy, Debug)]
    pub struct Vendor {
        /// The name, such as `NVIDIA`.
        pub name: Str,
        /// Lower-case words that stand for the vendor: a run of [`field@Catalog::strings`].
        pub aliases: Rows,
    }

    /// A way other than MIG to share an accelerator, or to join it with others.
    #[derive(Clone, Copy, Debug)]
    pub struct Sharing {
        /// The accelerators: a run of [`Catalog::accelerator_lists`].
        pub accelerators: Rows,
        /// The kind: `partition-mode`, `vgpu`, `pod-slice` or `logical-cores`.
        pub kind: Str,
        /// The name of the mode.
        pub name: Str,
        /// The number of devices that one accelerator appears as; `None` when it is unknown.
        pub devices: Option<f64>,
        /// The number of accelerators that one slice takes; `None` where it takes a single one.
        pub accelerators_needed: Option<f64>,
        /// The topology, such as `2x2x1`; empty where there is none.
        pub topology: Str,
        /// The compute units or cores of each device; `None` when they are unknown.
        pub cores: Option<f64>,
        /// Memory of each device in decimal GB, as it is sold; `None` when it is unknown.
        pub memory_gb: Option<f64>,
        /// Memory of each device in MiB, as it is reported; `None` when it is unknown.
        pub memory_mib: Option<f64>,
        /// The command or steps that switch the mode on; empty when they are unknown.
        pub set_by: Str,
        /// A remark; empty where there is none.
        pub note: Str,
        /// The source of the facts.
        pub source: Str,
        /// The date of the facts: a day, a month or a year.
        pub as_of: Str,
    }
}

impl Accelerator {
    /// Returns the higher of the dense BF16 and FP16 rates, else the FP32 rate, in TFLOPS; `None`
    /// when all are unknown. Prices per TFLOPS use it.
    pub fn headline_tflops(&self) -> Option<f64> {
        let half = match (self.bf16_tflops, self.fp16_tflops) {
            (Some(b), Some(f)) => Some(b.max(f)),
            (b, f) => b.or(f),
        };
        half.or(self.fp32_tflops)
    }
}
