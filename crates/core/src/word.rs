//! Choices that are written as words, in flags, in requests and in answers alike.

/// A choice among words. [`words!`](crate::words) declares one.
pub trait Word: Copy + Sized + 'static {
    /// Every choice with its word, in the order of the declaration.
    const ALL: &'static [(&'static str, Self)];

    /// Other words that are understood, each with its choice.
    const SYNONYMS: &'static [(&'static str, Self)] = &[];

    /// The word of this choice.
    fn word(self) -> &'static str;

    /// The choice of a word or of a synonym, spelled exactly; `None` when no choice has it.
    fn from_word(word: &str) -> Option<Self> {
        let mut known = Self::ALL.iter().chain(Self::SYNONYMS);
        let found = known.find(|(known, _)| *known == word);
        found.map(|(_, choice)| *choice)
    }
}

/// Declares an enum and the word of each variant, once: it is a [`Word`](crate::word::Word), is
/// displayed and serialized as its word, and with the feature `schema` describes its words to JSON Schema.
/// Synonyms follow the word, each after a `|`: they are understood, and never written.
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* pub enum $name:ident {
        $($(#[$variant_meta:meta])* $variant:ident = $word:literal $(| $synonym:literal)*,)+
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "schema", derive(::schemars::JsonSchema), schemars(inline))]
        pub enum $name {
            $($(#[$variant_meta])* #[cfg_attr(feature = "schema", schemars(rename = $word))] $variant,)+
        }

        impl $name {
            /// The word of this choice, as the contract has it.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl $crate::word::Word for $name {
            const ALL: &'static [(&'static str, Self)] = &[$(($word, Self::$variant),)+];
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

#[cfg(test)]
mod tests {
    use super::Word as _;

    crate::words! {
        /// A choice.
        pub enum Choice {
            /// The first.
            First = "first",
            /// Another one.
            OtherOne = "other-one" | "another" | "second",
        }
    }

    #[test]
    fn a_word_is_read_back_as_its_choice() {
        for (word, choice) in Choice::ALL {
            assert_eq!(Choice::from_word(word), Some(*choice));
            assert_eq!(choice.word(), *word);
        }
        assert_eq!(Choice::from_word("second"), Some(Choice::OtherOne));
        assert_eq!(Choice::from_word("First"), None);
    }
}
