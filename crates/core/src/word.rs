//! Enums that are spelled as words in flags, requests and answers.

/// An enum whose variants each have a word, declared with [`words!`](crate::words).
pub trait Word: Copy + Sized + 'static {
    /// Every variant with its word, in declaration order.
    const ALL: &'static [(&'static str, Self)];

    /// The documentation of each variant, in declaration order, for help texts.
    const ABOUT: &'static [&'static str];

    /// Accepted synonyms, each with its variant.
    const SYNONYMS: &'static [(&'static str, Self)] = &[];

    /// Returns the word of the variant.
    fn word(self) -> &'static str;

    /// Returns the variant with this exact word or synonym; `None` for an unknown word.
    fn from_word(word: &str) -> Option<Self> {
        let mut words = Self::ALL.iter().chain(Self::SYNONYMS);
        let found = words.find(|(spelling, _)| *spelling == word);
        found.map(|(_, choice)| *choice)
    }
}

/// Declares an enum together with the word of each variant. The enum implements
/// [`Word`](crate::word::Word), `Display` and `Serialize` with that word, `JsonSchema` with the
/// feature `schema`, and can be a column of the catalog. Synonyms follow the word, each after a
/// `|`: they are accepted as input and never written. A macro instead of derives: with `strum` and
/// `serde`, each variant would repeat its word in three attributes (`strum`, `serde`, `schemars`),
/// and the list of variants for the catalog column would still need a macro.
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* pub enum $name:ident {
        $($(#[$($variant_meta:tt)*])* $variant:ident = $word:literal $(| $synonym:literal)*,)+
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "schema", derive(::schemars::JsonSchema), schemars(inline))]
        pub enum $name {
            $($(#[$($variant_meta)*])* #[cfg_attr(feature = "schema", schemars(rename = $word))] $variant,)+
        }

        impl $name {
            /// Returns the word of the variant, as written in JSON.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl $crate::word::Word for $name {
            const ALL: &'static [(&'static str, Self)] = &[$(($word, Self::$variant),)+];
            const ABOUT: &'static [&'static str] = &[$($crate::doc_text!([] $(#[$($variant_meta)*])*),)+];
            const SYNONYMS: &'static [(&'static str, Self)] =
                &[$($(($synonym, Self::$variant),)*)+];

            fn word(self) -> &'static str {
                Self::word(self)
            }
        }

        $crate::choice_column!($name { $($variant,)+ });

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.word())
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.word())
            }
        }
    };
}

/// Returns the text of the doc comments among attributes.
#[doc(hidden)]
#[macro_export]
macro_rules! doc_text {
    ([$($text:literal)*] #[doc = $doc:literal] $($rest:tt)*) => {
        $crate::doc_text!([$($text)* $doc] $($rest)*)
    };
    ([$($text:literal)*] #[$($other:tt)*] $($rest:tt)*) => {
        $crate::doc_text!([$($text)*] $($rest)*)
    };
    ([$($text:literal)*]) => {
        concat!($($text),*)
    };
}

#[cfg(test)]
mod tests {
    use super::Word as _;

    crate::words! {
        /// A sample.
        pub enum SampleWord {
            /// The first.
            First = "first",
            /// Another one.
            OtherOne = "other-one" | "another" | "second",
        }
    }

    #[test]
    fn words_and_synonyms_parse() {
        for (word, choice) in SampleWord::ALL {
            assert_eq!(SampleWord::from_word(word), Some(*choice));
            assert_eq!(choice.word(), *word);
        }
        assert_eq!(SampleWord::from_word("second"), Some(SampleWord::OtherOne));
        assert_eq!(SampleWord::from_word("First"), None);
        assert_eq!(SampleWord::ABOUT, [" The first.", " Another one."]);
    }
}
