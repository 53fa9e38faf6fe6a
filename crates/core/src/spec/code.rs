//! The codes of spec errors, all in one place.

crate::words! {
    /// A kind of spec error. The words are part of the contract and never change.
    pub enum SpecErrorCode {
        /// The spec has no text.
        Empty = "spec.empty",
        /// The spec is longer than [`MAX_SPEC_LEN`](super::MAX_SPEC_LEN) bytes.
        TooLong = "spec.too-long",
        /// A character that changes how the text around it is shown.
        ForbiddenCharacter = "spec.forbidden-character",
        /// More choices than [`MAX_CHOICES`](super::MAX_CHOICES).
        TooManyChoices = "spec.too-many-choices",
        /// One side of a `|` is empty.
        EmptyChoice = "spec.empty-choice",
        /// The spec begins with a part or a count instead of a name.
        EmptyName = "spec.empty-name",
        /// A part after a `:` is empty.
        EmptyPart = "spec.empty-part",
        /// The `(` of a call is never closed.
        UnclosedCall = "spec.unclosed-call",
        /// An argument of a call has no `=` or an unknown name.
        BadArgument = "spec.bad-argument",
        /// A count is not a number or a range, or is out of range.
        BadCount = "spec.bad-count",
        /// A count is zero or negative.
        ZeroCount = "spec.zero-count",
        /// A memory size has no number or unit, or is out of range.
        BadMemory = "spec.bad-memory",
        /// A list of MIG slices cannot be read, or is too long.
        BadMig = "spec.bad-mig",
        /// The value of a `key=value` part is of the wrong kind or unknown.
        BadValue = "spec.bad-value",
        /// A part repeats another part, or the name implies it.
        DuplicatePart = "spec.duplicate-part",
        /// The key of a `key=value` part is unknown.
        UnknownKey = "spec.unknown-key",
        /// The kind of a part is unknown.
        UnknownPart = "spec.unknown-part",
        /// No dialect has the name.
        UnknownAccelerator = "spec.unknown-accelerator",
        /// A custom accelerator that no overlay describes.
        CustomAccelerator = "spec.custom-accelerator",
        /// The name looks like a product that does not exist.
        NotAProduct = "spec.not-a-product",
        /// `any` has no other part that narrows it.
        TooWide = "spec.too-wide",
        /// No candidate has the memory size.
        NoSuchMemory = "spec.no-such-memory",
        /// No candidate has the form factor or kind of memory.
        NoSuchForm = "spec.no-such-form",
        /// No candidate satisfies a comparison, or all parts at once.
        NothingLikeThat = "spec.nothing-like-that",
        /// The accelerator does not support MIG, or its profiles are not published.
        NoMig = "spec.no-mig",
        /// The GPU does not have the MIG profile, or not all listed profiles together.
        NoSuchProfile = "spec.no-such-profile",
        /// With a count, the list of slices for each GPU does not fit one GPU.
        MigDoesNotFit = "spec.mig-does-not-fit",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::SpecErrorCode;
    use crate::word::Word as _;

    #[test]
    fn codes_are_unique_and_in_kebab_case() {
        let texts: Vec<&str> = SpecErrorCode::ALL.iter().map(|(word, _)| *word).collect();
        let unique: BTreeSet<&str> = texts.iter().copied().collect();
        assert_eq!(unique.len(), texts.len());
        for text in texts {
            let word = text.strip_prefix("spec.").unwrap_or_default();
            let is_kebab = |b: u8| b.is_ascii_lowercase() || b == b'-';
            assert!(!word.is_empty() && word.bytes().all(is_kebab), "{text}");
        }
    }
}
