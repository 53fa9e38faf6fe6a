//! Inputs of the targets.

/// Returns the bytes as text; `None` unless they are UTF-8.
pub(crate) fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}
