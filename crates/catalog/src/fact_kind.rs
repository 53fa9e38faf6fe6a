//! The kinds of facts that answers can depend on.

/// The kind of a fact, which is the first word of [`Change::what`](crate::Change::what).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactKind {
    /// A coefficient of the sizing model.
    Coefficient,
    /// A number format.
    Format,
    /// A family of model architectures.
    Family,
    /// A model.
    Model,
}

impl FactKind {
    const ALL: [Self; 4] = [Self::Coefficient, Self::Format, Self::Family, Self::Model];

    /// The first word of [`Change::what`](crate::Change::what).
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Coefficient => "coefficient",
            Self::Format => "format",
            Self::Family => "family",
            Self::Model => "model",
        }
    }

    /// Splits the subject of a change, such as `model Llama-3.1-8B`, into its kind and name. Returns `None` for
    /// other kinds of facts, which no answer depends on.
    pub fn split(what: &str) -> Option<(Self, &str)> {
        let (word, name) = what.split_once(' ')?;
        let kind = Self::ALL.into_iter().find(|kind| kind.word() == word)?;
        Some((kind, name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_word() {
        for kind in FactKind::ALL {
            let text = format!("{} a name", kind.word());
            assert_eq!(FactKind::split(&text), Some((kind, "a name")));
        }
        for what in ["H100-80GB-SXM", "name of a model x", "model", ""] {
            assert_eq!(FactKind::split(what), None, "{what}");
        }
    }
}
