//! The known obtainability of the machines of a candidate.

use crate::resolve::StockClass;

/// The known obtainability of all machines of a candidate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outlook {
    /// The stock.
    pub stock: StockClass,
    /// Whether the account's quotas and permissions admit the machines; `None` when that is unknown.
    pub quota: Option<bool>,
    /// The time until the machines can start in seconds, if the provider states a date or a time; otherwise `None`.
    pub wait_s: Option<u64>,
}
