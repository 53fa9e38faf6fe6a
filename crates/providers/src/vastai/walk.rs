//! A search whose answers are cut, walked upwards by price until an answer is whole.
//!
//! Vast.ai answers some accounts with 64 rows and others with 512, whatever `limit` asks for, and
//! does not always say so. The last price of a cut answer is where the next question begins. No
//! I/O here.

use std::collections::HashSet;

use sky_accel_core::catalog::CapacityType;

use crate::error::{ErrorKind, ProviderError};
use crate::offer::{DroppedBecause, Tally};

use super::ID;
use super::request::Start;
use super::response::{Found, Page, Row, machine};

/// The most questions of one search: a market of 2,000 machines at 64 rows an answer.
const MAX_QUESTIONS: u32 = 32;
/// The most rows of one search. The whole market has some thousands.
const MAX_ROWS: usize = 50_000;
/// Rows may be ordered by a price with more digits than the one that they show.
const ROUNDING: f64 = 1.01;

/// A search on its way.
pub(super) struct Walk {
    disk_gb: f64,
    found: Found,
    /// Ids of the rows so far.
    seen: HashSet<u64>,
    /// Distinct rows so far.
    rows: usize,
    questions: u32,
    start: Start,
    /// Whether there may be more machines at one price than an answer holds.
    skipped_equals: bool,
}

/// How a walk goes on after an answer.
#[derive(Debug, PartialEq)]
pub(super) enum Next {
    /// With another question, from [`Walk::start`] on.
    Ask,
    /// Everything was read.
    Done,
    /// It cannot go on.
    Stop(Stopped),
}

/// Why a walk ends before its last row.
#[derive(Debug, PartialEq)]
pub(super) enum Stopped {
    /// There were too many questions or rows.
    Limit,
    /// No time is left for another question.
    Time,
    /// The answers are not in the order of price, or do not begin where they were asked to.
    Order,
    /// A further question failed.
    Failed(ProviderError),
}

/// The machines that a walk found, and the problem where some are missing.
pub(super) type Walked = (Found, Option<ProviderError>);

impl Walk {
    pub(super) fn new(capacity: CapacityType, disk_gb: f64) -> Self {
        Self {
            disk_gb,
            found: Found {
                capacity,
                machines: Vec::new(),
                dropped: Tally::default(),
            },
            seen: HashSet::new(),
            rows: 0,
            questions: 0,
            start: Start::Lowest,
            skipped_equals: false,
        }
    }

    /// Where the next question begins.
    pub(super) fn start(&self) -> Start {
        self.start
    }

    /// Whether no question was answered yet.
    pub(super) fn is_at_the_start(&self) -> bool {
        self.questions == 0
    }

    /// Takes the rows of an answer that are new.
    pub(super) fn take(&mut self, page: Page) -> Next {
        self.questions += 1;
        let is_cut = page.is_cut();
        let prices: Vec<f64> = page.rows.iter().filter_map(Row::price).collect();
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
            return Next::Done;
        }
        if self.questions >= MAX_QUESTIONS || self.rows >= MAX_ROWS {
            return Next::Stop(Stopped::Limit);
        }
        match after(self.start, &prices) {
            Some(start) => {
                self.skipped_equals |= matches!(start, Start::Above(_));
                self.start = start;
                Next::Ask
            }
            None => Next::Stop(Stopped::Order),
        }
    }

    /// Whether a row was not in an earlier answer. Without an id, its price tells.
    fn is_new(&mut self, row: &Row) -> bool {
        match (row.id(), self.start) {
            (Some(id), _) => self.seen.insert(id.to_bits()),
            (None, Start::Lowest) => true,
            (None, Start::From(usd) | Start::Above(usd)) => row.price().is_some_and(|p| p > usd),
        }
    }

    /// The machines found; with a problem where some are missing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Protocol`] where there are rows and none can be read; the error of a further
    /// question where it is about credentials, which are refused as a whole.
    pub(super) fn finish(self, stopped: Option<Stopped>) -> Result<Walked, ProviderError> {
        let is_unreadable = self.found.machines.is_empty()
            && self.found.dropped.is_only(DroppedBecause::Unreadable);
        if self.rows > 0 && is_unreadable {
            return Err(ProviderError::unreadable(ID, self.rows));
        }
        let problem = match stopped {
            Some(Stopped::Failed(error)) if error.kind.is_about_credentials() => return Err(error),
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

    fn early_end(&self, stopped: Stopped) -> ProviderError {
        let (reason, hint) = match stopped {
            Stopped::Limit => (
                format!(
                    "its answers are cut, and {} searches are not enough",
                    self.questions
                ),
                Some(ASK_FOR_LESS.to_owned()),
            ),
            Stopped::Time => (
                "its answers are cut, and no time is left for another search".to_owned(),
                Some(format!("allow more time with --timeout, or {ASK_FOR_LESS}")),
            ),
            Stopped::Order => (
                "its answers are cut, and not in the order of price".to_owned(),
                Some(ASK_FOR_LESS.to_owned()),
            ),
            Stopped::Failed(error) => (
                format!(
                    "its answers are cut, and another search failed: {}",
                    error.message
                ),
                error.hint,
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
            "some {kind} offers may be missing: its answers are cut, and more machines are at the same price than one of them holds"
        );
        ProviderError::new(ID, ErrorKind::Incomplete, message).hint(ASK_FOR_LESS)
    }
}

const ASK_FOR_LESS: &str = "ask for less at once: one GPU, one count, one region";

/// Where the next question begins, from the prices of a cut answer in its order; `None` where it
/// does not lead on.
fn after(start: Start, prices: &[f64]) -> Option<Start> {
    let last = *prices.last()?;
    let lowest = prices.iter().copied().fold(last, f64::min);
    let highest = prices.iter().copied().fold(last, f64::max);
    if highest > last * ROUNDING {
        return None;
    }
    let has_one_price = lowest.total_cmp(&highest).is_eq();
    let leads_on = match start {
        Start::Lowest => true,
        Start::From(usd) => last > usd || has_one_price && last >= usd,
        Start::Above(usd) => last > usd,
    };
    // Asked from that price on, the same rows would come again.
    let next = if has_one_price {
        Start::Above(last)
    } else {
        Start::From(last)
    };
    leads_on.then_some(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An answer with rows of these ids and prices.
    fn page(rows: impl IntoIterator<Item = (u32, f64)>) -> Page {
        let rows = rows.into_iter().map(|(id, usd)| {
            format!(
                r#"{{"id":{id},"gpu_name":"X","num_gpus":1,"gpu_ram":81559,"dph_total":{usd}}}"#
            )
        });
        let rows = rows.collect::<Vec<_>>().join(",");
        Page::parse(format!("{{\"offers\":[{rows}]}}").as_bytes()).unwrap()
    }

    /// 64 rows whose ids and prices begin with `first` and rise by 1.
    fn full(first: u32) -> Page {
        page((first..first + 64).map(|id| (id, f64::from(id))))
    }

    fn walk() -> Walk {
        Walk::new(CapacityType::OnDemand, 10.0)
    }

    #[test]
    fn cut_answers_are_walked_without_duplicates() {
        let mut walk = walk();
        assert!(walk.is_at_the_start());
        assert_eq!(walk.take(full(1)), Next::Ask);
        assert_eq!(walk.start(), Start::From(64.0));
        assert_eq!(walk.take(full(64)), Next::Ask);
        assert_eq!(walk.start(), Start::From(127.0));
        assert_eq!(walk.take(page([(127, 127.0), (128, 128.0)])), Next::Done);
        let (found, problem) = walk.finish(None).unwrap();
        assert_eq!((found.machines.len(), problem), (128, None));
    }

    #[test]
    fn rows_without_ids_are_told_apart_by_price() {
        let anonymous = |prices: std::ops::Range<u32>| {
            let rows = prices.map(|usd| {
                format!(r#"{{"gpu_name":"X","num_gpus":1,"gpu_ram":81559,"dph_total":{usd}}}"#)
            });
            let rows = rows.collect::<Vec<_>>().join(",");
            Page::parse(format!("{{\"offers\":[{rows}]}}").as_bytes()).unwrap()
        };
        let mut walk = walk();
        assert_eq!(walk.take(anonymous(1..65)), Next::Ask);
        assert_eq!(walk.take(anonymous(64..80)), Next::Done);
        assert_eq!(walk.finish(None).unwrap().0.machines.len(), 79);
    }

    #[test]
    fn a_price_with_more_machines_than_an_answer_holds_is_stepped_over() {
        let mut walk = walk();
        // The price begins in one answer and fills the next one.
        let first = (1..=10)
            .map(|id| (id, 0.5))
            .chain((11..=64).map(|id| (id, 1.0)));
        assert_eq!(walk.take(page(first)), Next::Ask);
        assert_eq!(walk.start(), Start::From(1.0));
        assert_eq!(walk.take(page((11..75).map(|id| (id, 1.0)))), Next::Ask);
        assert_eq!(walk.start(), Start::Above(1.0));
        assert_eq!(walk.take(page([(200, 2.0)])), Next::Done);
        let (found, problem) = walk.finish(None).unwrap();
        assert_eq!(found.machines.len(), 75);
        let problem = problem.unwrap();
        assert_eq!(problem.kind, ErrorKind::Incomplete);
        assert!(problem.message.contains("at the same price"), "{problem}");
    }

    #[test]
    fn answers_that_lead_nowhere_end_the_walk() {
        // The question is ignored: the same rows again.
        let mut same = walk();
        assert_eq!(same.take(full(1)), Next::Ask);
        assert_eq!(same.take(full(1)), Next::Stop(Stopped::Order));
        // Dearest first.
        let mut falling = walk();
        let rows = (1..=64).rev().map(|id| (id, f64::from(id)));
        assert_eq!(falling.take(page(rows)), Next::Stop(Stopped::Order));
        // No price at all.
        let bodies = vec![r#"{"id":1,"gpu_name":"X","num_gpus":1,"min_bid":1}"#; 64].join(",");
        let page = Page::parse(format!("{{\"offers\":[{bodies}]}}").as_bytes()).unwrap();
        assert_eq!(walk().take(page), Next::Stop(Stopped::Order));
    }

    #[test]
    fn questions_are_bounded_and_an_early_end_is_a_problem() {
        let mut endless = walk();
        let mut first = 1;
        let stopped = loop {
            match endless.take(full(first)) {
                Next::Ask => first += 63,
                Next::Done => panic!("it was cut"),
                Next::Stop(stopped) => break stopped,
            }
        };
        assert_eq!(stopped, Stopped::Limit);
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
    fn a_further_question_that_fails_costs_the_rest_unless_the_key_is_refused() {
        let end = |kind| {
            let mut walk = walk();
            assert_eq!(walk.take(full(1)), Next::Ask);
            let error = ProviderError::new(ID, kind, "that went wrong");
            walk.finish(Some(Stopped::Failed(error)))
        };
        let (found, problem) = end(ErrorKind::RateLimited).unwrap();
        assert_eq!(found.machines.len(), 64);
        assert!(problem.unwrap().message.ends_with("that went wrong"));
        let Err(error) = end(ErrorKind::CredentialsRefused) else {
            panic!("a refused key is no partial answer");
        };
        assert_eq!(error.kind, ErrorKind::CredentialsRefused);
    }

    #[test]
    fn rows_of_which_none_can_be_read_are_a_failure() {
        let finish = |rows: &str| {
            let mut walk = walk();
            let page = Page::parse(format!("{{\"offers\":[{rows}]}}").as_bytes()).unwrap();
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
        // One row is enough, though it cannot be rented.
        let rented =
            r#"null,{"gpu_name":"X","num_gpus":1,"gpu_ram":81559,"dph_total":1,"rented":true}"#;
        assert!(finish(rented).is_ok());
        assert!(finish("").is_ok());
    }
}
