//! The reasons why a machine is not recommended.

use std::fmt;

use sky_accel_core::money::Usd;
use sky_accel_core::sizing::GIB;
use sky_accel_core::text::number;

use crate::contract::Num;
use crate::text::{dollars, figure};

/// The reason why a machine is not recommended. Its text follows the name of the machine.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Misfit {
    /// The engine or the work is not supported, for a reason in words.
    Unsupported(String),
    /// The model cannot be split over so many devices.
    Indivisible { model: String, devices: u32 },
    /// The memory of the device is not known.
    MemoryUnknown,
    /// In bytes of each device.
    Memory { needed: f64, usable: f64 },
    /// The load is too much, for a reason in words.
    Load(String),
    /// No layout serves requests.
    NoLayout,
    /// In GiB of the machine.
    HostMemory { needed: f64, has: f64 },
    /// `None` where no speed is known.
    Deadline { hours: Option<f64>, most: f64 },
    /// `None` where no speed is known.
    Budget { usd: Option<Usd>, most: Usd },
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let usd = |usd: Usd| dollars(Num(usd.decimal()));
        match self {
            Self::Unsupported(why) | Self::Load(why) => f.write_str(why),
            Self::Indivisible { model, devices } => {
                write!(f, "{model} cannot be split over {devices} devices")
            }
            Self::MemoryUnknown => f.write_str("its memory is not known"),
            Self::Memory { needed, usable } => write!(
                f,
                "needs up to {:.1} GiB on each device, and {:.1} are usable",
                needed / GIB,
                usable / GIB
            ),
            Self::NoLayout => f.write_str("it does not fit"),
            Self::HostMemory { needed, has } => write!(
                f,
                "needs {needed:.0} GiB of host memory, and it has {has:.0}"
            ),
            Self::Deadline { hours, most } => {
                let takes = hours.map_or("an unknown time".to_owned(), |hours| {
                    format!("{} hours", figure(hours))
                });
                write!(f, "it takes {takes}, more than {}", number(*most))
            }
            Self::Budget { usd: total, most } => {
                let costs = total.map_or("an unknown sum".to_owned(), usd);
                write!(f, "it costs {costs}, more than {}", usd(*most))
            }
        }
    }
}
