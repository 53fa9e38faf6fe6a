//! Reasons why a model does not run on a machine.

use std::fmt;

use sky_accel_core::sizing::GIB;
use sky_accel_core::text::counted;

/// The reason why a model does not run on a machine. Its text follows the name of the machine.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NoFitReason {
    /// The serving engine or the work is not supported; the text is the reason.
    Unsupported(String),
    /// The model cannot be split over this number of devices.
    Indivisible { model: String, devices: u32 },
    /// The model would need a number of pipeline stages that servers do not support.
    Stages(u32),
    /// The memory of the device is unknown.
    MemoryUnknown,
    /// Too little memory, in bytes per device: the low and the high end of the estimate, and the usable memory.
    Memory { low: f64, needed: f64, usable: f64 },
    /// Too little host memory, in GiB per machine.
    HostMemory { needed: f64, has: f64 },
}

impl NoFitReason {
    /// True if the model may run nevertheless: only the high end of the estimate exceeds the memory.
    pub fn is_tight(&self) -> bool {
        matches!(self, Self::Memory { low, usable, .. } if low <= usable)
    }
}

impl fmt::Display for NoFitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported(why) => f.write_str(why),
            Self::Indivisible { model, devices } => {
                let devices = counted(devices, "device");
                write!(f, "{model} cannot be split over {devices}")
            }
            Self::Stages(stages) => write!(
                f,
                "{stages} pipeline stages are not supported; use 2, 4 or 8"
            ),
            Self::MemoryUnknown => f.write_str("its memory is unknown"),
            Self::Memory {
                low,
                needed,
                usable,
            } if self.is_tight() => write!(
                f,
                "tight, it takes {:.1} to {:.1} GiB on each device and {:.1} are usable, so it may run or run out of memory",
                low / GIB,
                needed / GIB,
                usable / GIB
            ),
            Self::Memory { needed, usable, .. } => write!(
                f,
                "needs up to {:.1} GiB on each device, but {:.1} are usable",
                needed / GIB,
                usable / GIB
            ),
            Self::HostMemory { needed, has } => {
                write!(f, "needs {needed:.0} GiB of host memory, but has {has:.0}")
            }
        }
    }
}
