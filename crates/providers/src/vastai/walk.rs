//! Follows a search with truncated answers upwards by price, until an answer is complete.
//!
//! Vast.ai truncates answers at 64 or 512 rows, depending on the account, whatever `limit`
//! requests, and does not always report it. The next search starts at the last price of a truncated
//! answer. No I/O.

use std::collections::HashSet;

use sky_accel_core::catalog::CapacityType;

use crate::error::{ErrorKind, ProviderError};
use crate::offer::{DroppedBecause, Tally};

use super::request::{ID, StartPrice};
use super::response::{SearchPage, VastOfferRow, VastSearchResult, machine};

/// The maximum number of requests of a search: enough for 2,000 machines at 64 rows per answer.
const MAX_QUESTIONS: u32 = 32;
/// The maximum number of rows of a search. The whole market has some thousands.
const MAX_ROWS: usize = 50_000;
/// The sort price may have more digits than the price in the row.
const ROUNDING: f64 = 1.01;

/// The state of a search.
pub(super) struct PagedSearch {
    disk_gb: f64,
    found: VastSearchResult,
    /// The ids of the rows so far.
    seen: HashSet<u64>,
    /// The number of distinct rows so far.
    rows: usize,
    questions: u32,
    start: StartPrice,
    /// True if more machines may have the same price than fit in an answer.
    skipped_equals: bool,
}

/// The next step after an answer.
#[derive(Debug, PartialEq)]
pub(super) enum NextStep {
    /// Send another request, from [`PagedSearch::start`] on.
    Ask,
    /// The search is complete.
    Done,
    /// The search cannot continue.
    Stop(StopReason),
}

/// The reason why a search ends early.
#[derive(Debug, PartialEq)]
pub(super) enum StopReason {
    /// The maximum number of requests or rows is reached.
    Limit,
    /// The remaining time is too short for another request.
    Time,
    /// The answers are not sorted by price, or do not start at the requested price.
    Order,
    /// A follow-up request failed.
    Failed(ProviderError),
}

/// The machines of a search, and the problem if some are missing.
pub(super) type SearchOutcome = (VastSearchResult, Option<ProviderError>);

impl PagedSearch {
    pub(super) fn new(capacity: CapacityType, disk_gb: f64) -> Self {
        Self {
            disk_gb,
            found: VastSearchResult {
                capacity,
                machines: Vec::new(),
                dropped: Tally::default(),
            },
            seen: HashSet::new(),
            rows: 0,
            questions: 0,
            start: StartPrice::Lowest,
            skipped_equals: false,
        }
    }

    /// Returns the start of the next request.
    pub(super) fn start(&self) -> StartPrice {
        self.start
    }

    /// Returns true before the first answer.
    pub(super) fn is_at_the_start(&self) -> bool {
        self.questions == 0
    }

    /// Adds the new rows of an answer.
    pub(super) fn take(&mut self, page: SearchPage) -> NextStep {
        self.questions += 1;
        let is_cut = page.is_cut();
        let prices: Vec<f64> = page.rows.iter().filter_map(VastOfferRow::price).collect();
        for row in page.rows {
            if !self.is_new(&row) {
                continue;
            }
            self.rows += 1;
            match machine(row, self.found.capacity, self.disk_gb) {
                Ok(machine) => self.found.machines.push(machine),
                Err(because) => self.found.dropped.add(because),
            }
        }
        if !is_cut {
            return NextStep::Done;
        }
        if self.questions >= MAX_QUESTIONS || self.rows >= MAX_ROWS {
            return NextStep::Stop(StopReason::Limit);
        }
        match after(self.start, &prices) {
            Some(start) => {
                self.skipped_equals |= matches!(start, StartPrice::Above(_));
                self.start = start;
                NextStep::Ask
            }
            None => NextStep::Stop(StopReason::Order),
        }
    }

    /// Returns true if no earlier answer had the row. Without an id, rows are compared by price.
    fn is_new(&mut self, row: &VastOfferRow) -> bool {
        match (row.id(), self.start) {
            (Some(id), _) => self.seen.insert(id.to_bits()),
            (None, StartPrice::Lowest) => true,
            (None, StartPrice::From(usd) | StartPrice::Above(usd)) => {
                row.price().is_some_and(|p| p > usd)
            }
        }
    }

    /// Returns the machines, with a problem if some are missing.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Protocol`] if no row can be read, and with the error of a follow-up
    /// request if it is about credentials.
    pub(super) fn finish(
        self,
        stopped: Option<StopReason>,
    ) -> Result<SearchOutcome, ProviderError> {
        let is_unreadable = self.found.machines.is_empty()
            && self.found.dropped.is_only(DroppedBecause::Unreadable);
        if self.rows > 0 && is_unreadable {
            return Err(ProviderError::unreadable(ID, self.rows));
        }
        let problem = match stopped {
            Some(StopReason::Failed(error)) if error.kind.is_about_credentials() => {
                return Err(error);
            }
            Some(stopped) => Some(self.early_end(stopped)),
            None if self.skipped_equals => Some(self.equals_left_out()),
            None => None,
        };
        Ok((self.found, problem))
    }

    fn kind_of_offers(&self) -> &'static str {
        match self.found.capacity {
            CapacityType::OnDemand => "on-demand",
            CapacityType::Spot => "interruptible",
        }
    }

    fn early_end(&self, stopped: StopReason) -> ProviderError {
        let (reason, hint) = match stopped {
            StopReason::Limit => (
                format!(
                    "its answers are truncated, and {} searches are not enough",
                    self.questions
                ),
                Some(ASK_FOR_LESS.to_owned()),
            ),
            StopReason::Time => (
                "its answers are truncated, and the time is too short for another search"
                    .to_owned(),
                Some(format!("allow more time with `timeout`, or {ASK_FOR_LESS}")),
            ),
            StopReason::Order => (
                "its answers are truncated and not sorted by price".to_owned(),
                Some(ASK_FOR_LESS.to_owned()),
            ),
            StopReason::Failed(error) => (
                format!(
                    "its answers are truncated, and another search failed: {}",
                    error.message
                ),
                error.hint.map(String::from),
            ),
        };
        let (rows, kind) = (self.rows, self.kind_of_offers());
        let message = format!("only the {rows} cheapest {kind} offers were read: {reason}");
        let error = ProviderError::new(ID, ErrorKind::Incomplete, message);
        match hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }

    fn equals_left_out(&self) -> ProviderError {
        let kind = self.kind_of_offers();
        let message = format!(
            "some {kind} offers may be missing: its answers are truncated, and more machines are listed at the same price than fit in an answer"
        );
        ProviderError::new(ID, ErrorKind::Incomplete, message).hint(ASK_FOR_LESS)
    }
}

const ASK_FOR_LESS: &str = "request less at once: one GPU, one count, one region";

/// Returns the start of the next request from the sorted prices of a truncated answer; `None` if
/// the search cannot continue.
fn after(start: StartPrice, prices: &[f64]) -> Option<StartPrice> {
    let last = *prices.last()?;
    let lowest = prices.iter().copied().fold(last, f64::min);
    let highest = prices.iter().copied().fold(last, f64::max);
    if highest > last * ROUNDING {
        return None;
    }
    let has_one_price = lowest.total_cmp(&highest).is_eq();
    let leads_on = match start {
        StartPrice::Lowest => true,
        StartPrice::From(usd) => last > usd || has_one_price && last >= usd,
        StartPrice::Above(usd) => last > usd,
    };
    // Starting at this price would return the same rows again.
    let next = if has_one_price {
        StartPrice::Above(last)
    } else {
        StartPrice::From(last)
    };
    leads_on.then_some(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an answer with rows of these ids and prices.
    fn page(rows: impl IntoIterator<Item = (u32, f64)>) -> SearchPage {
        let rows = rows.into_iter().map(|(id, usd)| {
            format!(
                r#"{{"id":{id},"gpu_name":"X","num_gpus":1,"gpu_ram":81559,"dph_total":{usd}}}"#
            )
        });
        let rows = rows.collect::<Vec<_>>().join(",");
        SearchPage::parse(format!("{{\"offers\":[{rows}]}}").as_bytes()).unwrap()
    }

    /// Returns 64 rows whose ids and prices start at `first` and rise by 1.
    fn full(first: u32) -> SearchPage {
        page((first..first + 64).map(|id| (id, f64::from(id))))
    }

    fn walk() -> PagedSearch {
        PagedSearch::new(CapacityType::OnDemand, 10.0)
    }

    #[test]
    fn truncated_answers_are_continued_without_duplicates() {
        let mut walk = walk();
        assert!(walk.is_at_the_start());
        assert_eq!(walk.take(full(1)), NextStep::Ask);
        assert_eq!(walk.start(), StartPrice::From(64.0));
        assert_eq!(walk.take(full(64)), NextStep::Ask);
        assert_eq!(walk.start(), StartPrice::From(127.0));
        assert_eq!(
            walk.take(page([(127, 127.0), (128, 128.0)])),
            NextStep::Done
        );
        let (found, problem) = walk.finish(None).unwrap();
        assert_eq!((found.machines.len(), problem), (128, None));
    }

    #[test]
    fn rows_without_ids_are_compared_by_price() {
        let anonymous = |prices: std::ops::Range<u32>| {
            let rows = prices.map(|usd| {
                format!(r#"{{"gpu_name":"X","num_gpus":1,"gpu_ram":81559,"dph_total":{usd}}}"#)
            });
            let rows = rows.collect::<Vec<_>>().join(",");
            SearchPage::parse(format!("{{\"offers\":[{rows}]}}").as_bytes()).unwrap()
        };
        let mut walk = walk();
        assert_eq!(walk.take(anonymous(1..65)), NextStep::Ask);
        assert_eq!(walk.take(anonymous(64..80)), NextStep::Done);
        assert_eq!(walk.finish(None).unwrap().0.machines.len(), 79);
    }

    #[test]
    fn skips_a_price_with_more_machines_than_fit_in_an_answer() {
        let mut walk = walk();
        // The same price ends one answer and fills the next.
        let first = (1..=10)
            .map(|id| (id, 0.5))
            .chain((11..=64).map(|id| (id, 1.0)));
        assert_eq!(walk.take(page(first)), NextStep::Ask);
        assert_eq!(walk.start(), StartPrice::From(1.0));
        assert_eq!(walk.take(page((11..75).map(|id| (id, 1.0)))), NextStep::Ask);
        assert_eq!(walk.start(), StartPrice::Above(1.0));
        assert_eq!(walk.take(page([(200, 2.0)])), NextStep::Done);
        let (found, problem) = walk.finish(None).unwrap();
        assert_eq!(found.machines.len(), 75);
        let problem = problem.unwrap();
        assert_eq!(problem.kind, ErrorKind::Incomplete);
        assert!(problem.message.contains("at the same price"), "{problem}");
    }

    #[test]
    fn a_search_that_cannot_continue_ends() {
        // The start is ignored: the same rows again.
        let mut same = walk();
        assert_eq!(same.take(full(1)), NextStep::Ask);
        assert_eq!(same.take(full(1)), NextStep::Stop(StopReason::Order));
        // Sorted by falling price.
        let mut falling = walk();
        let rows = (1..=64).rev().map(|id| (id, f64::from(id)));
        assert_eq!(falling.take(page(rows)), NextStep::Stop(StopReason::Order));
        // Rows without a price.
        let bodies = vec![r#"{"id":1,"gpu_name":"X","num_gpus":1,"min_bid":1}"#; 64].join(",");
        let page = SearchPage::parse(format!("{{\"offers\":[{bodies}]}}").as_bytes()).unwrap();
        assert_eq!(walk().take(page), NextStep::Stop(StopReason::Order));
    }

    #[test]
    fn requests_are_bounded_and_an_early_end_is_a_problem() {
        let mut endless = walk();
        let mut first = 1;
        let stopped = loop {
            match endless.take(full(first)) {
                NextStep::Ask => first += 63,
                NextStep::Done => panic!("the answer was truncated"),
                NextStep::Stop(stopped) => break stopped,
            }
        };
        assert_eq!(stopped, StopReason::Limit);
        assert_eq!(endless.questions, MAX_QUESTIONS);
        let rows = 63 * MAX_QUESTIONS as usize + 1;
        let (found, problem) = endless.finish(Some(stopped)).unwrap();
        assert_eq!(found.machines.len(), rows);
        let problem = problem.unwrap();
        assert_eq!(problem.kind, ErrorKind::Incomplete);
        let begins = format!("only the {rows} cheapest on-demand offers were read");
        assert!(problem.message.starts_with(&begins), "{problem}");
    }

    #[test]
    fn a_failing_follow_up_is_a_problem_but_a_refused_key_is_an_error() {
        let end = |kind| {
            let mut walk = walk();
            assert_eq!(walk.take(full(1)), NextStep::Ask);
            let error = ProviderError::new(ID, kind, "that went wrong");
            walk.finish(Some(StopReason::Failed(error)))
        };
        let (found, problem) = end(ErrorKind::RateLimited).unwrap();
        assert_eq!(found.machines.len(), 64);
        assert!(problem.unwrap().message.ends_with("that went wrong"));
        let Err(error) = end(ErrorKind::CredentialsRefused) else {
            panic!("a refused key fails the listing");
        };
        assert_eq!(error.kind, ErrorKind::CredentialsRefused);
    }

    #[test]
    fn an_answer_without_readable_rows_is_a_failure() {
        let finish = |rows: &str| {
            let mut walk = walk();
            let page = SearchPage::parse(format!("{{\"offers\":[{rows}]}}").as_bytes()).unwrap();
            let _ = walk.take(page);
            walk.finish(None)
        };
        let Err(error) =
            finish(r#"null,{"num_gpus":{}},{"gpu_name":"X","num_gpus":1,"dph_total":1}"#)
        else {
            panic!("nothing can be read");
        };
        assert_eq!(error.kind, ErrorKind::Protocol);
        assert_eq!(
            error.message,
            "none of the 3 rows of its answer can be read"
        );
        // One readable row is enough, even if the machine is not available.
        let rented =
            r#"null,{"gpu_name":"X","num_gpus":1,"gpu_ram":81559,"dph_total":1,"rented":true}"#;
        assert!(finish(rented).is_ok());
        assert!(finish("").is_ok());
    }
}
