//! Parsers of domain enums: the words of a flag are the words of the JSON.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use sky_accel_core::word::Word;

/// Parses any word of an enum. The help of each word is the documentation of its variant.
pub fn any_word<T: Word + Send + Sync>() -> impl TypedValueParser<Value = T> {
    words_where(|_| true)
}

/// Parses the words of the variants that a flag accepts.
pub fn words_where<T: Word + Send + Sync>(
    is_accepted: fn(T) -> bool,
) -> impl TypedValueParser<Value = T> {
    let values = T::ALL.iter().zip(T::ABOUT);
    let values = values.filter(|((_, variant), _)| is_accepted(*variant));
    PossibleValuesParser::new(values.map(|((word, _), about)| {
        PossibleValue::new(*word).help(about.trim().trim_end_matches('.'))
    }))
    .try_map(|word| T::from_word(&word).ok_or("not one of the words"))
}
