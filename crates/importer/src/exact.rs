//! The exact format of a checkpoint: the bits of its matrices, and the cache that its files prescribe.

use sky_accel_checkpoint::Description;
use sky_accel_core::sizing::{CacheFormat, WeightFormat};

/// The difference in bits that rounding of an entry may cause.
const SAME_BITS: f64 = 0.05;

/// The exact format of a checkpoint.
#[derive(Clone, Copy, Debug)]
pub struct Exact<'c> {
    pub format: WeightFormat,
    /// The word of the format of the cache; empty without one.
    pub kv_cache: &'c str,
}

impl Exact<'_> {
    /// Reads the exact format of a configuration; `None` without a quantization.
    pub fn of(found: &Description<'_>, usual: WeightFormat) -> Self {
        Self {
            format: found.format.unwrap_or(usual),
            kv_cache: found.kv_cache.map_or("", CacheFormat::word),
        }
    }

    /// The bits of each kind of matrices, with the names of the entry.
    fn bits(format: &WeightFormat) -> [(&'static str, f64); 3] {
        [
            ("experts", format.bits),
            ("attention", format.attention_bits),
            ("mlp", format.mlp_bits),
        ]
    }

    /// True if two formats differ by no more than rounding.
    pub fn is_same(&self, other: &Exact<'_>) -> bool {
        let pairs = Self::bits(&self.format)
            .into_iter()
            .zip(Self::bits(&other.format));
        let mut pairs = pairs.map(|((_, ours), (_, theirs))| (ours - theirs).abs());
        self.kv_cache == other.kv_cache && pairs.all(|difference| difference <= SAME_BITS)
    }

    /// The fields of a checkpoint's entry: what differs from the usual format.
    pub fn toml(&self, usual: &WeightFormat) -> String {
        let pairs = Self::bits(&self.format).into_iter().zip(Self::bits(usual));
        let differing = pairs.filter(|((_, bits), (_, usual))| (bits - usual).abs() > SAME_BITS);
        let bits = differing
            .map(|((name, bits), _)| format!("{name} = {}", (bits * 100.0).round() / 100.0));
        let bits: Vec<String> = bits.collect();
        let bits = match bits.join(", ") {
            none if none.is_empty() => none,
            bits => format!(", bits = {{ {bits} }}"),
        };
        let kv_cache = match self.kv_cache {
            "" => String::new(),
            name => format!(", kv_cache = \"{name}\""),
        };
        bits + &kv_cache
    }
}
