//! The reasons why a machine is not recommended.

use std::fmt;

use sky_accel_core::sizing::GIB;

/// The reason why a machine is not recommended. Its text follows the name of the machine.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Misfit {
    /// The engine or the work is not supported, for a reason in words.
    Unsupported(String),
    /// The model cannot be split over so many devices.
    Indivisible { model: String, devices: u32 },
    /// The model would be cut into a number of stages that servers are not made for.
    Stages(u32),
    /// The memory of the device is not known.
    MemoryUnknown,
    /// In bytes of each device.
    Memory { needed: f64, usable: f64 },
    /// In GiB of the machine.
    HostMemory { needed: f64, has: f64 },
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported(why) => f.write_str(why),
            Self::Indivisible { model, devices } => {
                write!(f, "{model} cannot be split over {devices} devices")
            }
            Self::Stages(stages) => write!(
                f,
                "the model would be cut into {stages} stages, and servers take 2, 4 or 8"
            ),
            Self::MemoryUnknown => f.write_str("its memory is not known"),
            Self::Memory { needed, usable } => write!(
                f,
                "needs up to {:.1} GiB on each device, and {:.1} are usable",
                needed / GIB,
                usable / GIB
            ),
            Self::HostMemory { needed, has } => write!(
                f,
                "needs {needed:.0} GiB of host memory, and it has {has:.0}"
            ),
        }
    }
}
