//! Numbers in JSON.

use serde::{Serialize, Serializer};

/// A number in the contract. Integers are serialized without a fraction; other numbers are rounded to six
/// decimal places.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(transparent)
)]
pub struct Num(pub f64);

impl Serialize for Num {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let integer = self.0 as i64;
        #[allow(clippy::float_cmp, reason = "the test is for exact equality")]
        if integer as f64 == self.0 && self.0.abs() < 1e15 {
            serializer.serialize_i64(integer)
        } else {
            serializer.serialize_f64((self.0 * 1e6).round() / 1e6)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Num;

    #[test]
    fn numbers_are_written_without_needless_digits() {
        for (value, text) in [
            (3.0, "3"),
            (-2.0, "-2"),
            (0.123_456_78, "0.123457"),
            (1e20, "1e+20"),
        ] {
            assert_eq!(serde_json::to_string(&Num(value)).unwrap(), text);
        }
    }
}
