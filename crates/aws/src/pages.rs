//! Answers in pages.

use std::collections::HashSet;

use aws_smithy_async::future::pagination_stream::PaginationStream;
use sky_accel_providers::{Answered, Context, ErrorKind, ProviderError};

use crate::ID;
use crate::listing::traced;

/// The most pages of one answer: those of the longest have 20,000 rows in pages of 1,000.
const MOST_PAGES: usize = 200;

/// The rows of all pages, as far as there are any.
pub(crate) struct Pages<T> {
    pub rows: Vec<T>,
    /// Whether there were to be more: pages go in a circle, or have no end.
    is_cut: bool,
}

impl<T> Pages<T> {
    /// The rows as an answer, with a problem where some are missing. `action` is the permission
    /// that the call takes.
    pub fn answered<U>(self, action: &str, rows: impl FnOnce(Vec<T>) -> U) -> Answered<U> {
        let mut problems = Vec::new();
        if self.is_cut {
            let message = format!("the pages of its answer have no end ({action})");
            problems.push(ProviderError::new(ID, ErrorKind::Incomplete, message));
        }
        (rows(self.rows), problems)
    }
}

/// Reads pages until the last one. `parts` takes a page apart: its rows, and the token of the page
/// behind it. At most so many rows are kept: a token for one more page is quickly made.
pub(crate) async fn pages<P, T, E>(
    context: &Context<'_>,
    operation: &str,
    most: usize,
    mut stream: PaginationStream<Result<P, E>>,
    parts: impl Fn(P) -> (Vec<T>, Option<String>),
) -> Result<Pages<T>, E> {
    let call = async {
        let mut rows = Vec::new();
        let mut seen = HashSet::new();
        while let Some(page) = stream.try_next().await? {
            let (more, token) = parts(page);
            rows.extend(more);
            let Some(token) = token.filter(|token| !token.is_empty()) else {
                break;
            };
            if rows.len() >= most || seen.len() + 1 >= MOST_PAGES || !seen.insert(token) {
                rows.truncate(most);
                return Ok(Pages { rows, is_cut: true });
            }
        }
        Ok(Pages {
            rows,
            is_cut: false,
        })
    };
    traced(context, operation, call).await
}
