//! Bounds for every figure of a catalog. A figure outside of its bounds is an error whenever a catalog is read. The
//! bounds are wide: [`lint`](crate::lint()) finds figures in the wrong unit.

use std::ops::RangeInclusive;

/// The minimum and maximum of a figure.
#[derive(Debug)]
pub(crate) struct Bounds {
    least: f64,
    most: f64,
    unit: &'static str,
}

impl Bounds {
    const fn new(range: RangeInclusive<f64>, unit: &'static str) -> Self {
        Self {
            least: *range.start(),
            most: *range.end(),
            unit,
        }
    }

    /// Returns whether a figure is within the bounds. NaN is not.
    pub fn contains(&self, value: f64) -> bool {
        (self.least..=self.most).contains(&value)
    }

    /// Returns the error message for a figure that is out of bounds.
    pub fn message(&self, value: f64) -> String {
        let Self { least, most, unit } = self;
        let space = if unit.is_empty() { "" } else { " " };
        format!("{value} is not between {least} and {most}{space}{unit}; leave out unknown figures")
    }
}

/// The memory of a device.
pub(crate) const MEMORY_GB: Bounds = Bounds::new(0.01..=1e6, "GB");
/// The memory of a device in MiB.
pub(crate) const MEMORY_MIB: Bounds = Bounds::new(1.0..=1e12, "MiB");
/// The bandwidth of a device's memory. A wafer-scale chip has 21,000,000 GB/s.
pub(crate) const BANDWIDTH_GB_S: Bounds = Bounds::new(0.001..=1e8, "GB/s");
/// Dense arithmetic, in the unit of its field.
pub(crate) const TERA_OPERATIONS: Bounds = Bounds::new(0.01..=1e6, "tera-operations per second");
/// The power of a device.
pub(crate) const POWER_W: Bounds = Bounds::new(0.01..=100_000.0, "W");
/// The link of a device to its neighbors.
pub(crate) const LINK_GB_S: Bounds = Bounds::new(0.001..=1e6, "GB/s");
/// The generation of PCI Express.
pub(crate) const PCIE_GENERATION: Bounds = Bounds::new(1.0..=10.0, "");
/// The year of release of a device.
pub(crate) const YEAR: Bounds = Bounds::new(1999.0..=2100.0, "");
/// The vCPUs of a machine, or of all hosts of a slice.
pub(crate) const VCPU: Bounds = Bounds::new(0.1..=1e6, "vCPUs");
/// The activations of a model of images, video or speech.
pub(crate) const ACTIVATIONS_GIB: Bounds = Bounds::new(0.0..=1e4, "GiB");
/// The width of a hidden state or of a head.
pub(crate) const WIDTH: Bounds = Bounds::new(8.0..=1e6, "");
/// The layers of a transformer.
pub(crate) const LAYERS: Bounds = Bounds::new(1.0..=10_000.0, "layers");
/// Pixels or frames of a token.
pub(crate) const PATCH: Bounds = Bounds::new(1.0..=256.0, "");
/// Patches of an image that are merged into a token.
pub(crate) const IMAGE_PATCHES: Bounds = Bounds::new(1.0..=4_096.0, "patches");
/// Values of the pixels of a patch.
pub(crate) const PATCH_VALUES: Bounds = Bounds::new(1.0..=1e6, "values");
/// Tokens of the prompt of a picture, or of a picture in a prompt.
pub(crate) const PROMPT_TOKENS: Bounds = Bounds::new(1.0..=100_000.0, "tokens");
/// Pictures that are read with a prompt.
pub(crate) const REFERENCES: Bounds = Bounds::new(0.0..=16.0, "pictures");
/// Passes of a denoising step.
pub(crate) const PASSES: Bounds = Bounds::new(1.0..=4.0, "passes");
/// Denoising steps.
pub(crate) const STEPS: Bounds = Bounds::new(1.0..=10_000.0, "steps");
/// The side of a picture.
pub(crate) const PIXELS: Bounds = Bounds::new(16.0..=65_536.0, "pixels");
/// The frames of a video.
pub(crate) const FRAMES: Bounds = Bounds::new(1.0..=100_000.0, "frames");
/// Frames of an encoder of sound per second.
pub(crate) const FRAMES_PER_S: Bounds = Bounds::new(0.5..=1_000.0, "frames per second");
/// The window of an encoder of speech.
pub(crate) const SPEECH_WINDOW_S: Bounds = Bounds::new(1.0..=3_600.0, "seconds");
/// The score of a model on a leaderboard.
pub(crate) const SCORE: Bounds = Bounds::new(0.0..=1e5, "");
/// The network of a machine.
pub(crate) const NETWORK_GBIT: Bounds = Bounds::new(1.0..=1e5, "Gbit/s");
/// The memory of a machine.
pub(crate) const HOST_GIB: Bounds = Bounds::new(0.1..=1e8, "GiB");
/// The network adapters of a machine. The largest machines have 32.
pub(crate) const ADAPTERS: Bounds = Bounds::new(1.0..=64.0, "");
/// The minimum number of billed hours.
pub(crate) const BILLED_HOURS: Bounds = Bounds::new(0.001..=8760.0, "hours");
/// The price of an offer per hour. A pod of 6,144 devices costs about 50,000 dollars.
pub(crate) const USD_PER_HOUR: Bounds = Bounds::new(0.000_001..=1e6, "US dollars per hour");
/// The price of a million tokens, of an image, or of another unit of work of an API.
pub(crate) const USD_PER_TOKENS: Bounds = Bounds::new(0.000_001..=10_000.0, "US dollars");
/// The price of a unit of storage or traffic, of an address, or a payment.
pub(crate) const CHARGE: Bounds = Bounds::new(0.0..=10_000.0, "of the currency");
/// The share of one price in another.
pub(crate) const PRICE_SHARE: Bounds = Bounds::new(0.01..=2.0, "");
/// A discount as a share.
pub(crate) const DISCOUNT: Bounds = Bounds::new(0.001..=0.99, "");
/// The rate of a currency.
pub(crate) const USD_PER_UNIT: Bounds = Bounds::new(0.000_001..=100.0, "US dollars");
/// The devices of one machine.
pub(crate) const DEVICES: Bounds = Bounds::new(1.0..=256.0, "devices");
/// The devices that one link joins.
pub(crate) const LINK_DOMAIN: Bounds = Bounds::new(2.0..=100_000.0, "");
/// The devices, cores or chips of a way to share accelerators.
pub(crate) const SHARED: Bounds = Bounds::new(1.0..=100_000.0, "");
/// The parameters of a model.
pub(crate) const PARAMETERS: Bounds = Bounds::new(1e5..=1e15, "");
/// Parameters of a model outside of its layers; negative if the layers have fewer than their shape says.
pub(crate) const OTHER_PARAMETERS: Bounds = Bounds::new(-1e14..=1e14, "");
/// The values of a model's recurrent state.
pub(crate) const STATE_VALUES: Bounds = Bounds::new(0.0..=1e12, "");
/// The tokens of a context or of a window.
pub(crate) const TOKENS: Bounds = Bounds::new(1.0..=1e9, "tokens");
/// The bits per weight.
pub(crate) const BITS: Bounds = Bounds::new(0.5..=64.0, "bits");
/// The weights of a quantization group, and the bits of its scale and zero point.
pub(crate) const GROUP: Bounds = Bounds::new(1.0..=1e6, "");
/// A measured figure for sizing: a share, a factor, bytes per value or microseconds.
pub(crate) const COEFFICIENT: Bounds = Bounds::new(0.001..=10_000.0, "");
/// The uncertainty of a prior, as the standard deviation of its logarithm.
pub(crate) const PRIOR_WIDTH: Bounds = Bounds::new(0.01..=3.0, "");
/// The multiprocessors of a slice.
pub(crate) const MULTIPROCESSORS: Bounds = Bounds::new(1.0..=1_000.0, "");
/// The size of a model in billions of parameters.
pub(crate) const BILLIONS: Bounds = Bounds::new(0.001..=1e6, "billion parameters");

/// The maximum number of offers, and of regions, of a catalog.
pub(crate) const MAX_ROWS: usize = 4_000_000;
/// The maximum number of errors that are reported, because each one keeps its line.
pub(crate) const MAX_ERRORS: usize = 100;
/// The maximum number of devices of one slice of a pod.
pub(crate) const MAX_COUNT: f64 = 10_000.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_include_both_ends() {
        for (value, is_within) in [
            (0.9, false),
            (1.0, true),
            (256.0, true),
            (256.1, false),
            (f64::NAN, false),
        ] {
            assert_eq!(DEVICES.contains(value), is_within, "{value}");
        }
        let message = "300 is not between 1 and 256 devices; leave out unknown figures";
        assert_eq!(DEVICES.message(300.0), message);
    }
}
