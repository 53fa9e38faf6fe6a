//! The budgets of a run: what one provider, and all providers together, may send.
//!
//! Every answer is untrusted, so each byte, row and request counts against the budget of its
//! provider and of the run. A provider that exceeds its budget fails; the others are not affected.
//! Parsers call [`count_row`] for each row that they read, which also ends the work after the
//! deadline and after an interruption.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::time::Instant;

use crate::error::{ErrorKind, ProviderError};

/// The amounts that a budget allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amounts {
    /// Bytes of answers, as received and after decompression.
    pub bytes: u64,
    /// Elements of lists and maps, and rows of tables.
    pub rows: u64,
    /// Requests, of which each page of a list needs one.
    pub pages: u64,
}

/// The budget of one provider. The largest real answers, all public lists of AWS, need a fifth.
pub const PROVIDER_BUDGET: Amounts = Amounts {
    bytes: 128 << 20,
    rows: 500_000,
    pages: 1_000,
};

/// The budget of all providers together.
pub const RUN_BUDGET: Amounts = Amounts {
    bytes: 4 * PROVIDER_BUDGET.bytes,
    rows: 4 * PROVIDER_BUDGET.rows,
    pages: 4 * PROVIDER_BUDGET.pages,
};

/// The maximum number of elements of one list or map. No provider lists this many offers.
pub const MAX_LIST_ROWS: usize = 50_000;
/// The maximum number of offers of one provider.
pub const MAX_OFFERS: usize = 20_000;
/// The maximum number of regions of one provider. There are 249 countries.
pub const MAX_REGIONS: usize = 2_000;
/// The maximum number of prices of one provider, over all offers and regions.
pub const MAX_PRICES: usize = 500_000;

/// The number of rows between two checks of the clock.
const ROWS_PER_CHECK: u64 = 256;

/// A resource that a budget counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resource {
    Bytes,
    Rows,
    Pages,
}

impl Resource {
    fn of(self, amounts: Amounts) -> u64 {
        match self {
            Self::Bytes => amounts.bytes,
            Self::Rows => amounts.rows,
            Self::Pages => amounts.pages,
        }
    }

    /// Returns an exceeded amount as it follows `its answers`.
    fn words(self, amount: u64) -> String {
        match self {
            Self::Bytes => format!("are larger than {} MB", amount >> 20),
            Self::Rows => format!("have more than {amount} rows"),
            Self::Pages => format!("have more than {amount} pages"),
        }
    }
}

/// The amounts that were used.
#[derive(Debug, Default)]
struct Used {
    bytes: Cell<u64>,
    rows: Cell<u64>,
    pages: Cell<u64>,
}

impl Used {
    fn cell(&self, resource: Resource) -> &Cell<u64> {
        match resource {
            Resource::Bytes => &self.bytes,
            Resource::Rows => &self.rows,
            Resource::Pages => &self.pages,
        }
    }

    /// Adds an amount, and returns true if the sum is within `allowed`.
    fn add(&self, resource: Resource, amount: u64, allowed: Amounts) -> bool {
        let cell = self.cell(resource);
        cell.set(cell.get().saturating_add(amount));
        cell.get() <= resource.of(allowed)
    }

    fn left(&self, resource: Resource, allowed: Amounts) -> u64 {
        resource
            .of(allowed)
            .saturating_sub(self.cell(resource).get())
    }
}

/// The budget of all providers of a run.
#[derive(Debug, Default)]
pub struct RunBudget {
    used: Used,
    /// True if the run was interrupted.
    stop: Arc<AtomicBool>,
}

impl RunBudget {
    /// Creates a budget of which nothing is used. Work ends when `stop` becomes true.
    pub fn new(stop: Arc<AtomicBool>) -> Self {
        Self {
            used: Used::default(),
            stop,
        }
    }

    /// Returns the budget of one provider of the run.
    pub fn of_provider(&self, provider: &'static str) -> Budget<'_> {
        Budget {
            provider,
            run: self,
            used: Used::default(),
            exceeded: RefCell::default(),
        }
    }
}

/// The budget of one provider.
#[derive(Debug)]
pub struct Budget<'r> {
    provider: &'static str,
    run: &'r RunBudget,
    used: Used,
    /// The first error of an exceeded budget.
    exceeded: RefCell<Option<ProviderError>>,
}

impl Budget<'_> {
    /// Returns the error if the budget was exceeded. The answer is useless then, whatever was read
    /// of it.
    pub fn exceeded(&self) -> Option<ProviderError> {
        self.exceeded.borrow().clone()
    }

    /// Uses an amount.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Protocol`] if the budget of the provider or of the run is exceeded.
    pub(crate) fn take(&self, resource: Resource, amount: u64) -> Result<(), ProviderError> {
        let of_run = self.run.used.add(resource, amount, RUN_BUDGET);
        if !self.used.add(resource, amount, PROVIDER_BUDGET) {
            let exceeded = resource.words(resource.of(PROVIDER_BUDGET));
            return Err(self.fail(format!("its answers {exceeded} in all")));
        }
        if !of_run {
            let exceeded = resource.words(resource.of(RUN_BUDGET));
            let message = format!("the answers of all providers {exceeded} in all");
            return Err(self.fail(message));
        }
        Ok(())
    }

    fn fail(&self, message: String) -> ProviderError {
        let error = ProviderError::new(self.provider, ErrorKind::Protocol, message);
        let error = error.hint("its answers are not used");
        self.exceeded.borrow_mut().get_or_insert(error).clone()
    }

    /// Runs a parser, and counts its rows. The parser ends early if they exceed the budget, and
    /// after `deadline`.
    ///
    /// # Errors
    ///
    /// Fails with the error of the parser, with [`ErrorKind::Protocol`] if the budget is exceeded,
    /// and with [`ErrorKind::Timeout`] after the deadline and after an interruption.
    pub(crate) fn metered<T>(
        &self,
        deadline: Instant,
        operation: &str,
        parse: impl FnOnce() -> Result<T, ProviderError>,
    ) -> Result<T, ProviderError> {
        let of_run = self.run.used.left(Resource::Rows, RUN_BUDGET);
        let meter = Meter {
            rows: 0,
            allowed: of_run.min(self.used.left(Resource::Rows, PROVIDER_BUDGET)),
            deadline,
            stop: Arc::clone(&self.run.stop),
            end: None,
        };
        let outer = METER.replace(Some(meter));
        let parsed = parse();
        let meter = METER.replace(outer);
        let Some(meter) = meter else { return parsed };
        self.take(Resource::Rows, meter.rows)?;
        match meter.end {
            None | Some(End::Rows) => parsed,
            Some(End::List) => {
                let message = format!("a list has more than {MAX_LIST_ROWS} rows ({operation})");
                Err(self.fail(message))
            }
            Some(End::Time) => {
                let message = format!("the answer could not be read in time ({operation})");
                let error = ProviderError::new(self.provider, ErrorKind::Timeout, message);
                Err(error.hint("try again, or allow more time with `timeout`"))
            }
        }
    }
}

/// The reason why a parser ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Rows,
    List,
    Time,
}

/// The rows that the current parser has read.
struct Meter {
    rows: u64,
    allowed: u64,
    deadline: Instant,
    stop: Arc<AtomicBool>,
    end: Option<End>,
}

impl Meter {
    fn count(&mut self) -> bool {
        self.rows += 1;
        let is_late = || self.stop.load(Ordering::Relaxed) || Instant::now() >= self.deadline;
        if self.rows > self.allowed {
            self.end = self.end.or(Some(End::Rows));
        } else if self.rows % ROWS_PER_CHECK == 1 && is_late() {
            self.end = self.end.or(Some(End::Time));
        }
        self.end.is_none()
    }
}

thread_local! {
    /// The meter of the parser that runs on this thread. The parsers of JSON are called by serde,
    /// which hands nothing through to them.
    static METER: RefCell<Option<Meter>> = const { RefCell::new(None) };
}

/// Too many rows were read, or the time is over.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the answer has too many rows, or the time is over")]
pub(crate) struct EndedEarly;

/// Counts a row of the current parser. `number` is its number in its list, from 1.
///
/// # Errors
///
/// Fails if the parser must end.
pub(crate) fn count_row(number: usize) -> Result<(), EndedEarly> {
    METER.with_borrow_mut(|meter| {
        let goes_on = meter.as_mut().is_none_or(Meter::count);
        if number > MAX_LIST_ROWS {
            if let Some(meter) = meter {
                meter.end = meter.end.or(Some(End::List));
            }
            return Err(EndedEarly);
        }
        if goes_on { Ok(()) } else { Err(EndedEarly) }
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn read(budget: &Budget<'_>, rows: usize) -> Result<usize, ProviderError> {
        let deadline = Instant::now() + Duration::from_secs(600);
        budget.metered(deadline, "testing", || {
            // Numbers of rows restart with each list.
            let read = (0..rows).take_while(|at| count_row(at % MAX_LIST_ROWS).is_ok());
            Ok(read.count())
        })
    }

    #[test]
    fn the_rows_of_all_answers_of_a_provider_count() {
        let run = RunBudget::default();
        let budget = run.of_provider("test");
        let most = PROVIDER_BUDGET.rows as usize;
        assert_eq!(read(&budget, most).unwrap(), most);
        let error = read(&budget, most).unwrap_err();
        assert_eq!(
            error.message,
            "its answers have more than 500000 rows in all"
        );
        assert_eq!(budget.exceeded(), Some(error));
        // Other providers are not affected.
        assert!(read(&run.of_provider("other"), most).is_ok());
    }

    #[test]
    fn all_providers_together_have_a_budget() {
        let run = RunBudget::default();
        for _ in 0..4 {
            let budget = run.of_provider("test");
            for resource in [Resource::Bytes, Resource::Pages] {
                budget.take(resource, resource.of(PROVIDER_BUDGET)).unwrap();
            }
        }
        let error = run.of_provider("other").take(Resource::Bytes, 1);
        let message = error.unwrap_err().message;
        assert_eq!(
            message,
            "the answers of all providers are larger than 512 MB in all"
        );
    }

    #[test]
    fn a_parser_ends_after_the_deadline_and_after_an_interruption() {
        let stop = Arc::new(AtomicBool::new(false));
        let run = RunBudget::new(Arc::clone(&stop));
        let budget = run.of_provider("test");
        let parse = |deadline| {
            let mut read = 0;
            let answer = budget.metered(deadline, "testing", || {
                while count_row(1).is_ok() && read < 10_000 {
                    read += 1;
                }
                Ok(())
            });
            (answer.map_err(|error| error.kind), read)
        };
        let now = Instant::now();
        assert_eq!(parse(now), (Err(ErrorKind::Timeout), 0));
        let later = now + Duration::from_secs(600);
        assert_eq!(parse(later), (Ok(()), 10_000));
        stop.store(true, Ordering::Relaxed);
        assert_eq!(parse(later), (Err(ErrorKind::Timeout), 0));
        assert_eq!(budget.exceeded(), None);
    }

    #[test]
    fn parsers_alone_have_no_budget() {
        assert!(count_row(MAX_LIST_ROWS).is_ok());
        assert!(count_row(MAX_LIST_ROWS + 1).is_err());
    }
}
