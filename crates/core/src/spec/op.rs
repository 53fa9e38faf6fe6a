//! Comparison operators.

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// `=` or `==`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `>=`.
    AtLeast,
    /// `>`.
    MoreThan,
    /// `<=`.
    AtMost,
    /// `<`.
    LessThan,
}

impl Op {
    /// Longest first, so that `>=` is not read as `>`.
    const SPELLINGS: [(&'static str, Self); 7] = [
        (">=", Self::AtLeast),
        ("<=", Self::AtMost),
        ("!=", Self::NotEqual),
        ("==", Self::Equal),
        ("=", Self::Equal),
        (">", Self::MoreThan),
        ("<", Self::LessThan),
    ];

    /// Returns the operator at the start of a text, and the rest of the text.
    pub(super) fn strip(text: &str) -> Option<(Self, &str)> {
        Self::SPELLINGS
            .into_iter()
            .find_map(|(spelling, op)| text.strip_prefix(spelling).map(|rest| (op, rest)))
    }

    /// Returns the canonical spelling.
    pub fn spelling(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::AtLeast => ">=",
            Self::MoreThan => ">",
            Self::AtMost => "<=",
            Self::LessThan => "<",
        }
    }

    /// Returns whether an ordering satisfies the comparison.
    pub fn holds(self, ordering: std::cmp::Ordering) -> bool {
        match self {
            Self::Equal => ordering.is_eq(),
            Self::NotEqual => ordering.is_ne(),
            Self::AtLeast => ordering.is_ge(),
            Self::MoreThan => ordering.is_gt(),
            Self::AtMost => ordering.is_le(),
            Self::LessThan => ordering.is_lt(),
        }
    }
}
