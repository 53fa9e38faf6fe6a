//! Peak rates of a device.

use super::device::Device;
use super::format::WeightFormat;
use crate::catalog::{Accelerator, Catalog};

/// Bits of the integers that engines multiply.
const INTEGER_BITS: f64 = 8.0;

/// Dense operations per second, by the bits of the operands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Peak {
    /// On 32 bits.
    pub bits_32: Option<f64>,
    /// On 16 bits.
    pub bits_16: Option<f64>,
    /// On 8 bits; `None` if the device has no such rate and computes in 16 bits.
    pub bits_8: Option<f64>,
    /// On 4 bits; `None` if the device has no such rate and computes in 16 bits.
    pub bits_4: Option<f64>,
    /// Whether `bits_8` is the rate of integers, and the engine multiplies weights and activations as such.
    pub is_of_integers: bool,
}

/// The width of the operands that a device multiplies after unpacking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    Full,
    Half,
    Eight,
    Four,
}

impl Peak {
    /// The peaks of an accelerator.
    pub fn of(catalog: &Catalog<'_>, accelerator: &Accelerator) -> Self {
        let tera = |rate: Option<f64>| rate.map(|rate| rate * 1e12);
        Self {
            bits_32: tera(accelerator.tf32_tflops.or(accelerator.fp32_tflops)),
            bits_16: tera(Device::half_tflops(catalog, accelerator)),
            bits_8: tera(accelerator.fp8_tflops),
            bits_4: tera(accelerator.fp4_tflops),
            is_of_integers: false,
        }
    }

    /// The peaks of an engine that multiplies 8-bit integers on an accelerator; unchanged if it has no such rate.
    #[must_use]
    pub fn of_integers(self, accelerator: &Accelerator) -> Self {
        let Some(rate) = accelerator.int8_tops else {
            return self;
        };
        Self {
            bits_8: Some(rate * 1e12),
            bits_4: None,
            is_of_integers: true,
            ..self
        }
    }

    /// Bits of the products with weights of a format. Formats in integers are unpacked to 16 bits, unless the engine
    /// quantizes the activations too.
    pub fn bits_of(&self, weights: &WeightFormat) -> f64 {
        if self.is_of_integers {
            weights.compute_bits.min(INTEGER_BITS)
        } else {
            weights.compute_bits
        }
    }

    /// Operations per second on operands of some bits; `None` if unknown.
    pub fn operations(&self, bits: f64) -> Option<f64> {
        self.at(bits).0
    }

    /// Operations per second on operands of `bits` bits, and the width of the products. Formats that the
    /// device lacks are unpacked to 16 bits.
    pub(super) fn at(&self, bits: f64) -> (Option<f64>, Width) {
        let half = (self.bits_16, Width::Half);
        if bits >= 32.0 {
            (self.bits_32.or(self.bits_16), Width::Full)
        } else if bits >= 16.0 {
            half
        } else if bits >= 8.0 {
            self.bits_8.map_or(half, |rate| (Some(rate), Width::Eight))
        } else {
            self.bits_4.map_or(half, |rate| (Some(rate), Width::Four))
        }
    }

    /// The peaks of an engine that unpacks small weights to 16 bits.
    #[must_use]
    pub fn unpacked(self) -> Self {
        Self {
            bits_8: None,
            bits_4: None,
            ..self
        }
    }

    pub(super) fn scaled(self, share: f64) -> Self {
        let scaled = |rate: Option<f64>| rate.map(|rate| rate * share);
        Self {
            bits_32: scaled(self.bits_32),
            bits_16: scaled(self.bits_16),
            bits_8: scaled(self.bits_8),
            bits_4: scaled(self.bits_4),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::assert_near;
    use super::*;

    #[test]
    fn only_engines_that_quantize_activations_multiply_integers() {
        let weights = WeightFormat {
            compute_bits: 16.0,
            ..WeightFormat::plain(8.0)
        };
        let peak = Peak {
            bits_16: Some(1.0),
            bits_8: Some(2.0),
            ..Peak::default()
        };
        assert_near(peak.bits_of(&weights), 16.0);
        let integers = Peak {
            is_of_integers: true,
            ..peak
        };
        assert_near(integers.bits_of(&weights), 8.0);
        assert_eq!(
            integers.at(integers.bits_of(&weights)),
            (Some(2.0), Width::Eight)
        );
        assert_near(integers.bits_of(&WeightFormat::plain(4.0)), 4.0);
    }

    #[test]
    fn operands_have_the_rate_of_the_next_wider_one() {
        let all = Peak {
            bits_32: Some(1.0),
            bits_16: Some(2.0),
            bits_8: Some(4.0),
            bits_4: Some(8.0),
            is_of_integers: false,
        };
        for (bits, wanted) in [
            (64.0, (Some(1.0), Width::Full)),
            (32.0, (Some(1.0), Width::Full)),
            (31.0, (Some(2.0), Width::Half)),
            (16.0, (Some(2.0), Width::Half)),
            (15.0, (Some(4.0), Width::Eight)),
            (8.0, (Some(4.0), Width::Eight)),
            (7.0, (Some(8.0), Width::Four)),
            (4.0, (Some(8.0), Width::Four)),
        ] {
            assert_eq!(all.at(bits), wanted, "{bits}");
            assert_eq!(all.operations(bits), wanted.0, "{bits}");
        }
        // A format that the device lacks is computed in 16 bits.
        let half = Peak {
            bits_16: Some(2.0),
            ..Peak::default()
        };
        assert_eq!(half.at(32.0), (Some(2.0), Width::Full));
        for bits in [16.0, 8.0, 4.0] {
            assert_eq!(half.at(bits), (Some(2.0), Width::Half), "{bits}");
            assert_eq!(all.unpacked().at(bits), (Some(2.0), Width::Half), "{bits}");
        }
        assert_eq!(all.unpacked().at(32.0), (Some(1.0), Width::Full));
        assert_eq!(Peak::default().at(8.0), (None, Width::Half));
    }
}
