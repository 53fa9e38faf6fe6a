//! The parts that all price lists share.

use crate::reply::{Problem, Reply};
use crate::state::Recorded;

/// A response, or the kind and the message of an error.
pub(super) type FeedResult = Result<Reply, (Problem, String)>;

/// Returns the error of an unknown path.
pub(super) fn no_such_path() -> FeedResult {
    Err((Problem::NotFound, "no such path".into()))
}

/// Parses an integer of the query string. Without it, returns the default.
pub(super) fn number(
    request: &Recorded,
    name: &str,
    default: usize,
) -> Result<usize, (Problem, String)> {
    match request.parameter(name) {
        None => Ok(default),
        Some(text) => text.parse().map_err(|_| {
            (
                Problem::BadRequest,
                format!("{name} is not an integer: {text}"),
            )
        }),
    }
}
