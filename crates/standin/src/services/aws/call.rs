//! The parts that the calls of all AWS services share.

#![allow(
    clippy::result_large_err,
    reason = "an error is a response, and a run has a few hundred responses"
)]

use serde_json::{Value, json};

use crate::reply::{Problem, Reply};
use crate::service::{Recorded, Refusal, refuse};
use crate::shop::{AwsPages, AwsShop};

pub(super) const ACCESS_KEY_ID: &str = "AKIASTANDIN000000000";

/// A response or an error response of EC2, whose errors have more codes than there are problems.
pub(super) type Ec2Answer = Result<Reply, Reply>;

/// Returns the region of a request that is signed with the known key. The signature itself is not
/// checked.
pub(super) fn signed(request: &Recorded) -> Result<&str, Refusal> {
    match request.aws_scope() {
        Some((ACCESS_KEY_ID, region)) => Ok(region),
        _ => refuse(
            Problem::Unauthorized,
            "AWS was not able to validate the provided access credentials",
        ),
    }
}

/// Returns the page of rows that the body of a request asks for, as the list `name` of a document.
pub(super) fn json_page(
    shop: &AwsShop,
    rows: Vec<Value>,
    body: &Value,
    name: &str,
) -> Result<Value, Refusal> {
    let size = match body["MaxResults"].as_u64() {
        None => shop.page_size,
        Some(asked @ 1..=100) => (asked as usize).min(shop.page_size),
        Some(_) => return refuse(Problem::BadRequest, "MaxResults is between 1 and 100"),
    };
    let invalid = || {
        (
            Problem::BadRequest,
            "the next token is not valid".to_owned(),
        )
    };
    let (rows, next) = page(shop, rows, body["NextToken"].as_str(), size, invalid)?;
    let mut document = json!({ name: rows });
    if let Some(next) = next {
        document["NextToken"] = json!(next);
    }
    Ok(document)
}

/// Returns a page of rows and the token of the next page.
pub(super) fn page<T, E>(
    shop: &AwsShop,
    rows: Vec<T>,
    token: Option<&str>,
    size: usize,
    invalid: impl Fn() -> E,
) -> Result<(Vec<T>, Option<String>), E> {
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
