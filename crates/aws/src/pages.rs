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
    /// The missing part, in words.
    cut: Option<String>,
}

impl<T> Pages<T> {
    /// The rows as an answer, with a problem where some are missing. `action` is the permission
    /// that the call takes.
    pub fn answered<U>(self, action: &str, rows: impl FnOnce(Vec<T>) -> U) -> Answered<U> {
        let problem = self
            .cut
            .map(|why| ProviderError::new(ID, ErrorKind::Incomplete, format!("{why} ({action})")));
        (rows(self.rows), problem.into_iter().collect())
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
            let cut = if rows.len() >= most {
                Some(format!(
                    "its answer has more than the {most} rows that are read"
                ))
            } else if seen.len() + 1 >= MOST_PAGES || !seen.insert(token) {
                Some("the pages of its answer have no end".to_owned())
            } else {
                None
            };
            if cut.is_some() {
                rows.truncate(most);
                return Ok(Pages { rows, cut });
            }
        }
        rows.truncate(most);
        Ok(Pages { rows, cut: None })
    };
    traced(context, operation, call).await
}
