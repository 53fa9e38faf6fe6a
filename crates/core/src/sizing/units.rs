//! Units that catalog figures and coefficients are given in.

/// Bytes in a GiB.
pub const GIB: f64 = 1_073_741_824.0;
