//! Shared code of the small APIs with a key: the check of the key, and pages by number.

use serde_json::Value;

use crate::reply::Problem;
use crate::service::{Recorded, Refusal, refuse};

/// Checks the key of a request: a bearer token.
pub(super) fn check_bearer(request: &Recorded, key: &str) -> Result<(), Refusal> {
    check(request.bearer(), key)
}

/// Checks the key of a request: the value of a header.
pub(super) fn check_header(request: &Recorded, name: &str, key: &str) -> Result<(), Refusal> {
    check(request.header(name), key)
}

fn check(sent: Option<&str>, key: &str) -> Result<(), Refusal> {
    match sent {
        Some(sent) if sent == key => Ok(()),
        Some(_) => refuse(Problem::Unauthorized, "Invalid API key"),
        None => refuse(Problem::Unauthorized, "Missing API key"),
    }
}

/// Returns a page of rows, and the number of the next page if there is one. Pages count from 1.
pub(super) fn page(
    request: &Recorded,
    rows: &[Value],
    sizes: (&str, usize),
    most: usize,
) -> Result<(Vec<Value>, Option<usize>), Refusal> {
    let (name, default) = sizes;
    let size = request.number(name, default)?.clamp(1, most);
    let number = request.number("page", 1)?.max(1);
    let start = (number - 1).saturating_mul(size).min(rows.len());
    let end = rows.len().min(start + size);
    let next = (end < rows.len()).then_some(number + 1);
    Ok((rows[start..end].to_vec(), next))
}
