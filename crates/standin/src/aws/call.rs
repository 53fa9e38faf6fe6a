//! The parts that the calls of all AWS services share.

#![allow(
    clippy::result_large_err,
    reason = "an error is a response, and a run has a few hundred responses"
)]

use crate::credentials::AWS_ACCESS_KEY_ID;
use crate::error::problem;
use crate::reply::{Problem, Reply};
use crate::shop::{AwsPages, AwsShop};
use crate::state::Recorded;

/// A response or an error response.
pub(super) type AwsResult = Result<Reply, Reply>;

/// Returns the region of a request that is signed with the known key. The signature itself is not
/// checked.
pub(super) fn signed(request: &Recorded) -> Result<&str, Reply> {
    match request.aws_scope() {
        Some((AWS_ACCESS_KEY_ID, region)) => Ok(region),
        _ => Err(problem(
            request.service,
            Problem::Unauthorized,
            "AWS was not able to validate the provided access credentials",
        )),
    }
}

/// Returns a page of rows and the token of the next page.
pub(super) fn page<T>(
    shop: &AwsShop,
    rows: Vec<T>,
    token: Option<&str>,
    size: usize,
    invalid: impl Fn() -> Reply,
) -> Result<(Vec<T>, Option<String>), Reply> {
    let is_endless = shop.pages == AwsPages::Endless;
    let start = match token {
        None | Some("") => 0,
        Some(token) => token
            .strip_prefix("page-from-")
            .and_then(|start| start.parse().ok())
            .filter(|start| *start < rows.len() || is_endless)
            .ok_or_else(invalid)?,
    };
    let size = size.max(1);
    let next = match shop.pages {
        _ if start + size < rows.len() => Some(start + size),
        AwsPages::Finite => None,
        AwsPages::Cyclic => Some(0),
        AwsPages::Endless => Some(start + size),
    };
    let next = next.map(|start| format!("page-from-{start}"));
    Ok((rows.into_iter().skip(start).take(size).collect(), next))
}
