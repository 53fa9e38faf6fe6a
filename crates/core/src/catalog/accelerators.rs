//! Accelerators, their names, and how they are shared.

#[cfg(doc)]
use super::Catalog;
use super::table::kind;
use super::{AcceleratorId, Column, GeometryId, OfferId, Rows, Str};
use crate::money::Count;

/// Declares the plain columns of an accelerator, once for every place that has a field for each: `$then` is a
/// macro that takes the declarations. The row, the schema of catalog files, the merge of overlays, the compiler,
/// the differences of catalogs, the JSON contract, CSV output and the tables of `show` and `compare` follow
/// from them.
///
/// Each column has
///
/// - its documentation, which is also the description in the JSON Schema,
/// - its kind: `Text`, `Class`, `Flag`, or `Figure` with the bounds from the catalog compiler's `bounds` module,
/// - its form in JSON when it is unknown: `required` columns always have a value, `nullable` ones are `null`, and
///   `optional` ones are missing,
/// - a label and a unit if `show` prints it.
///
/// The group decides where a column is output: `tabular` in JSON and CSV, `listed` in JSON, `shown` in the JSON of
/// `show` only, `internal` nowhere. The order is the order of the output.
#[macro_export]
macro_rules! accelerator_columns {
    ($then:ident) => {
        $then! {
            tabular {
                /// The product line, such as `GeForce`, `Instinct` or `Trainium`.
                line: Text, optional;
                /// The architecture, such as `Hopper`.
                architecture: Text, nullable;
                /// The class: `datacenter`, `workstation`, `consumer`, `asic` or `media`.
                class: Class, required;
                /// The form factor, such as `SXM5`, `PCIe` or `OAM`.
                form_factor: Text, required, ["form factor", ""];
                /// Memory in decimal GB, as the vendor sells it.
                memory_gb: Figure(MEMORY_GB), nullable, ["memory", "GB"];
                /// Memory in MiB, as the driver reports it.
                memory_mib: Figure(MEMORY_MIB), nullable, ["memory reported", "MiB"];
                /// The memory technology, such as `HBM3`.
                memory_type: Text, nullable;
                /// Peak memory bandwidth in decimal GB per second.
                memory_bandwidth_gb_s: Figure(BANDWIDTH_GB_S), nullable, ["memory bandwidth", "GB/s"];
                /// Peak dense FP64 rate in TFLOPS.
                fp64_tflops: Figure(TERA_OPERATIONS), nullable, ["FP64", "TFLOPS"];
                /// Peak dense FP32 rate in TFLOPS.
                fp32_tflops: Figure(TERA_OPERATIONS), nullable, ["FP32", "TFLOPS"];
                /// Peak dense TF32 rate in TFLOPS.
                tf32_tflops: Figure(TERA_OPERATIONS), nullable, ["TF32", "TFLOPS"];
                /// Peak dense FP16 rate in TFLOPS.
                fp16_tflops: Figure(TERA_OPERATIONS), nullable, ["FP16", "TFLOPS"];
                /// Peak dense BF16 rate in TFLOPS.
                bf16_tflops: Figure(TERA_OPERATIONS), nullable, ["BF16", "TFLOPS"];
                /// Peak dense FP8 rate in TFLOPS.
                fp8_tflops: Figure(TERA_OPERATIONS), nullable, ["FP8", "TFLOPS"];
                /// Peak dense FP4 rate in TFLOPS.
                fp4_tflops: Figure(TERA_OPERATIONS), nullable, ["FP4", "TFLOPS"];
                /// Peak dense INT8 rate in TOPS.
                int8_tops: Figure(TERA_OPERATIONS), nullable, ["INT8", "TOPS"];
                /// Thermal design power in watts.
                tdp_w: Figure(POWER_W), nullable, ["power", "W"];
                /// The CUDA compute capability, such as `9.0`. Devices without CUDA have none.
                compute_capability: Text, optional, ["compute capability", ""];
                /// The first CUDA toolkit that supports the device.
                cuda_min: Text, optional, ["first CUDA", ""];
                /// The last CUDA toolkit that supports the device. Devices that current toolkits support have none.
                cuda_last: Text, optional, ["last CUDA", ""];
                /// The ROCm target, such as `gfx942`. Devices without ROCm have none.
                rocm_gfx: Text, optional, ["ROCm target", ""];
                /// The link between devices, such as `NVLink4`.
                interconnect: Text, optional;
                /// Bandwidth of the link between devices in decimal GB per second, both directions together.
                interconnect_gb_s: Figure(LINK_GB_S), optional, ["interconnect", "GB/s"];
                /// True if the device can be partitioned into MIG slices.
                mig: Flag, nullable;
                /// The year of release.
                release_year: Figure(YEAR), nullable, ["released", ""];
                /// The software stack, such as `cuda`, `rocm`, `neuron` or `xla`.
                sdk: Text, nullable, ["SDK", ""];
            }
            listed {
                /// The maximum number of devices in one machine.
                max_per_node: Figure(DEVICES), optional, ["maximum per machine", ""];
                /// A remark for users.
                note: Text, optional;
            }
            shown {
                /// The generation of the PCI Express connection.
                pcie_gen: Figure(PCIE_GENERATION), optional, ["PCIe generation", ""];
            }
            internal {
                /// Memory in MiB, as the EC2 API lists it.
                memory_mib_ec2: Figure(MEMORY_MIB), optional;
                /// The maximum number of devices that the link joins, if it spans several machines.
                link_domain: Figure(LINK_DOMAIN), optional;
            }
        }
    };
}

macro_rules! declare_accelerator {
    ($($group:ident { $(
        $(#[$doc:meta])*
        $name:ident: $kind:ident $(($bounds:ident))?, $presence:ident $(, [$label:literal, $unit:literal])?;
    )+ })+) => {
        crate::rows! {
            /// An accelerator: one device as clouds and drivers count it. An empty string or `None` is an
            /// unknown value, or a value that does not apply.
            #[derive(Clone, Copy, Debug)]
            pub struct Accelerator {
                /// The catalog's id, such as `H100-80GB-SXM`.
                pub id: Str,
                /// The family, such as `H100`.
                pub family: Str,
                /// The name of the vendor, as in [`Vendor::name`].
                pub vendor: Str,
                $($($(#[$doc])* pub $name: kind::$kind,)+)+
                /// The MIG geometry; `None` without MIG, or if the profiles are not published.
                pub mig_geometry: Option<GeometryId>,
                /// The sources of the figures: a run of [`field@Catalog::strings`].
                pub sources: Rows,
                /// The figures on which documents disagree: a run of [`field@Catalog::disputed`].
                pub disputed: Rows,
                /// The memory sizes that people write instead of the marketed one: a run of
                /// [`field@Catalog::quoted_memory`].
                pub quoted_memory: Rows,
            }
        }
    };
}

accelerator_columns!(declare_accelerator);

crate::words! {
    /// The market segment of an accelerator.
    pub enum AcceleratorClass {
        /// A GPU for servers.
        Datacenter = "datacenter",
        /// A GPU for workstations.
        Workstation = "workstation",
        /// A GPU for desktops, whose license or cooling may not allow use in servers.
        Consumer = "consumer",
        /// A chip other than a GPU, such as a TPU.
        Asic = "asic",
        /// A device that cannot compute, such as a video transcoder.
        Media = "media",
    }
}

crate::words! {
    /// A software stack that the program treats in a particular way. A catalog can have others.
    pub enum SdkKind {
        /// CUDA of NVIDIA.
        Cuda = "cuda",
        /// ROCm of AMD.
        Rocm = "rocm",
        /// Neuron of AWS.
        Neuron = "neuron",
        /// XLA, for the TPUs of Google.
        Xla = "xla",
    }
}

impl SdkKind {
    /// Returns whether schedulers count its devices as GPUs.
    pub fn is_of_gpus(self) -> bool {
        matches!(self, Self::Cuda | Self::Rocm)
    }
}

crate::words! {
    /// The kind of a way other than MIG to share an accelerator, or to join it with others.
    pub enum SharingKind {
        /// A mode that splits the device into several devices.
        PartitionMode = "partition-mode",
        /// Fractions of the device for virtual machines.
        Vgpu = "vgpu",
        /// Devices of several hosts, joined by their links.
        PodSlice = "pod-slice",
        /// Cores that drivers show as devices.
        LogicalCores = "logical-cores",
    }
}

crate::rows! {
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

    /// A memory size that people write instead of the marketed size.
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
        /// A remark that is shown if the rest of the spec leaves the name ambiguous, or empty.
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
        /// The number of devices; `None` if the name states none.
        count: Option<Count>,
        /// The list of MIG slices; empty if the name states none.
        mig: Str,
    },
    /// The hardware in a provider's instance type.
    InstanceType(OfferId),
    /// A name that looks like a product but does not exist, with the reason `why`. `suggest` is a run of
    /// [`Catalog::accelerator_lists`] that could have been meant.
    Rejected {
        /// The reason why it does not exist.
        why: Str,
        /// The accelerators that could have been meant.
        suggest: Rows,
    },
}

/// The columns of a meaning: the index of its variant, accelerators (or one id as the start of an empty run), a count,
/// and a text.
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
        /// True if the spelling means only this accelerator.
        pub exact: bool,
    }

    /// A maker of accelerators.
    #[derive(Clone, Copy, Debug)]
    pub struct Vendor {
        /// The name, such as `NVIDIA`.
        pub name: Str,
        /// Aliases of the vendor in lower case: a run of [`field@Catalog::strings`].
        pub aliases: Rows,
    }

    /// A way other than MIG to share an accelerator, or to join it with others.
    #[derive(Clone, Copy, Debug)]
    pub struct Sharing {
        /// The accelerators: a run of [`Catalog::accelerator_lists`].
        pub accelerators: Rows,
        /// The kind.
        pub kind: SharingKind,
        /// The name of the mode.
        pub name: Str,
        /// The number of devices that one accelerator appears as; `None` if unknown.
        pub devices: Option<f64>,
        /// The number of accelerators that one slice takes; `None` if it takes a single one.
        pub accelerators_needed: Option<f64>,
        /// The topology, such as `2x2x1`, or empty.
        pub topology: Str,
        /// The compute units or cores of each device; `None` if unknown.
        pub cores: Option<f64>,
        /// Marketed memory of each device in decimal GB; `None` if unknown.
        pub memory_gb: Option<f64>,
        /// Reported memory of each device in MiB; `None` if unknown.
        pub memory_mib: Option<f64>,
        /// The command or steps that enable the mode; empty if unknown.
        pub set_by: Str,
        /// A remark, or empty.
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
        self.half_tflops().or(self.fp32_tflops)
    }

    /// Returns the higher of the dense BF16 and FP16 rates in TFLOPS; `None` if both are unknown.
    pub fn half_tflops(&self) -> Option<f64> {
        match (self.bf16_tflops, self.fp16_tflops) {
            (Some(b), Some(f)) => Some(b.max(f)),
            (b, f) => b.or(f),
        }
    }
}
