//! Tensor types of GGUF.

/// The number of each type in the tensor list of a file, and the bits per value.
const TYPES: &[(u32, f64)] = &[
    // F32
    (0, 32.0),
    // F16
    (1, 16.0),
    // Q4_0
    (2, 4.5),
    // Q4_1
    (3, 5.0),
    // Q5_0
    (6, 5.5),
    // Q5_1
    (7, 6.0),
    // Q8_0
    (8, 8.5),
    // Q8_1
    (9, 9.0),
    // Q2_K
    (10, 2.625),
    // Q3_K
    (11, 3.4375),
    // Q4_K
    (12, 4.5),
    // Q5_K
    (13, 5.5),
    // Q6_K
    (14, 6.5625),
    // Q8_K
    (15, 9.125),
    // IQ2_XXS
    (16, 2.0625),
    // IQ2_XS
    (17, 2.3125),
    // IQ3_XXS
    (18, 3.0625),
    // IQ1_S
    (19, 1.5625),
    // IQ4_NL
    (20, 4.5),
    // IQ3_S
    (21, 3.4375),
    // IQ2_S
    (22, 2.5625),
    // IQ4_XS
    (23, 4.25),
    // I8
    (24, 8.0),
    // I16
    (25, 16.0),
    // I32
    (26, 32.0),
    // I64
    (27, 64.0),
    // F64
    (28, 64.0),
    // IQ1_M
    (29, 1.75),
    // BF16
    (30, 16.0),
    // TQ1_0
    (34, 1.6875),
    // TQ2_0
    (35, 2.0625),
    // MXFP4
    (39, 4.25),
    // NVFP4
    (40, 4.5),
];

/// The average bits per value of a type, including the scales of its blocks; `None` for an unknown type.
pub(super) fn bits_of(kind: u32) -> Option<f64> {
    let found = TYPES.iter().find(|(known, _)| *known == kind);
    found.map(|(_, bits)| *bits)
}

#[cfg(test)]
mod tests {
    use super::bits_of;

    /// The values and the bytes of a block of each type.
    #[test]
    fn types_take_the_bytes_of_their_blocks() {
        for (kind, values, bytes) in [
            (0, 1, 4),
            (1, 1, 2),
            (2, 32, 18),
            (3, 32, 20),
            (6, 32, 22),
            (7, 32, 24),
            (8, 32, 34),
            (9, 32, 36),
            (10, 256, 84),
            (11, 256, 110),
            (12, 256, 144),
            (13, 256, 176),
            (14, 256, 210),
            (15, 256, 292),
            (16, 256, 66),
            (17, 256, 74),
            (18, 256, 98),
            (19, 256, 50),
            (20, 32, 18),
            (21, 256, 110),
            (22, 256, 82),
            (23, 256, 136),
            (24, 1, 1),
            (25, 1, 2),
            (26, 1, 4),
            (27, 1, 8),
            (28, 1, 8),
            (29, 256, 56),
            (30, 1, 2),
            (34, 256, 54),
            (35, 256, 66),
            (39, 32, 17),
            (40, 64, 36),
        ] {
            let expected = 8.0 * f64::from(bytes) / f64::from(values);
            assert_eq!(bits_of(kind), Some(expected), "type {kind}");
        }
        assert_eq!(bits_of(4), None);
    }
}
