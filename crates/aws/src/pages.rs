//! Paginated answers.

use std::collections::HashSet;

use aws_smithy_async::future::pagination_stream::PaginationStream;
use sky_accel_providers::{Answered, Context, ErrorKind, ProviderError};

use crate::api::ID;
use crate::trace::traced;

/// The maximum number of pages: the longest answers have 20,000 rows in pages of 1,000.
const MOST_PAGES: usize = 200;

/// The rows of all pages that were read.
pub(crate) struct PagedRows<T> {
    pub rows: Vec<T>,
    /// The reason why rows are missing.
    cut: Option<String>,
}

impl<T> PagedRows<T> {
    /// Returns the rows as an answer, with a problem if rows are missing. `action` is the
    /// permission that the call needs.
    pub fn answered<U>(self, action: &str, rows: impl FnOnce(Vec<T>) -> U) -> Answered<U> {
        let problem = self
            .cut
            .map(|why| ProviderError::new(ID, ErrorKind::Incomplete, format!("{why} ({action})")));
        (rows(self.rows), problem.into_iter().collect())
    }
}

/// Reads pages until the last one. `parts` returns the rows of a page and the token of the next
/// page. A server could return tokens forever, so at most `most` rows are kept.
pub(crate) async fn pages<P, T, E>(
    context: &Context<'_>,
    operation: &str,
    max_rows: usize,
    mut stream: PaginationStream<Result<P, E>>,
    parts: impl Fn(P) -> (Vec<T>, Option<String>),
) -> Result<PagedRows<T>, E> {
    let call = async {
        let mut rows = Vec::new();
        let mut seen = HashSet::new();
        while let Some(page) = stream.try_next().await? {
            let (more, token) = parts(page);
            rows.extend(more);
            let Some(token) = token.filter(|token| !token.is_empty()) else {
                break;
            };
            let cut = if rows.len() >= max_rows {
                Some(format!("its answer has more than {max_rows} rows"))
            } else if seen.len() + 1 >= MOST_PAGES || !seen.insert(token) {
                Some("its answer has endless pages".to_owned())
            } else {
                None
            };
            if cut.is_some() {
                rows.truncate(max_rows);
                return Ok(PagedRows { rows, cut });
            }
        }
        rows.truncate(max_rows);
        Ok(PagedRows { rows, cut: None })
    };
    traced(context, operation, call).await
}
