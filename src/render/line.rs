//! Styled text.

use anstyle::Style;

/// A line of styled text.
pub type Line = Vec<(Style, String)>;
