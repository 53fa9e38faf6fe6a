//! `[[history]]`: prices of the past.

use std::collections::{BTreeMap, HashMap};

use sky_accel_core::catalog::{
    AcceleratorId, CapacityType, Day, PastPrice, PriceKind, ProviderId, Str,
};
use sky_accel_core::money::Usd;
use sky_accel_core::word::Word as _;

use super::Compiler;
use crate::bounds;
use crate::schema::{HistoryEntry, Layer, PastPriceEntry, Spanned};
use crate::source::CatalogDocument;

/// The origins that past prices may have: others are of no use later.
const KINDS: [(&str, PriceKind); 2] =
    [("list", PriceKind::List), ("snapshot", PriceKind::Snapshot)];

/// The market of a source, in which a day has one price.
type SeriesKey = (
    Layer,
    AcceleratorId,
    ProviderId,
    CapacityType,
    PriceKind,
    Str,
);

/// The days that a source has stated prices for, with the last day of each.
type StatedDays = HashMap<SeriesKey, BTreeMap<Day, Day>>;

/// The properties of an entry that all its prices share.
struct Series {
    provider: ProviderId,
    capacity: CapacityType,
    kind: PriceKind,
    source: Str,
}

impl Compiler<'_> {
    /// Compiles past prices. Providers already have their ids.
    pub(super) fn history(&mut self) {
        let mut rows: Vec<PastPrice> = Vec::new();
        let mut stated = StatedDays::new();
        for document in self.documents {
            for entry in &document.content.history {
                let Some(series) = self.series(document, entry) else {
                    continue;
                };
                for past in &entry.prices {
                    let Some(row) = self.past_price(document, &series, past) else {
                        continue;
                    };
                    let key = (
                        document.layer,
                        row.accelerator,
                        row.provider,
                        row.capacity,
                        row.kind,
                        row.source,
                    );
                    let days = stated.entry(key).or_default();
                    // The last run that begins before the end of this one is the only run that may overlap.
                    let last = days.range(..=row.until).next_back();
                    if last.is_some_and(|(_, until)| *until >= row.from) {
                        let message = "this source has already stated a price for this day";
                        self.fail(document, &past.from, message);
                    }
                    days.insert(row.from, row.until);
                    rows.push(row);
                }
            }
        }
        rows.sort_by_key(|row| (row.accelerator, row.provider, row.from, row.until));
        self.tables.past_prices = rows.into_iter().collect();
    }

    fn series(&mut self, document: &CatalogDocument, entry: &HistoryEntry) -> Option<Series> {
        let provider = self.provider_of(document, entry.provider.as_ref(), &entry.source);
        let capacity = match &entry.capacity_type {
            None => Some(CapacityType::OnDemand),
            Some(word) => self.one_of(document, word, CapacityType::ALL),
        };
        let kind = match &entry.kind {
            None => Some(PriceKind::List),
            Some(word) => self.one_of(document, word, &KINDS),
        };
        let source = self.text(document, Some(&entry.source));
        if source.len == 0 {
            self.fail(document, &entry.source, "past prices need a source");
        }
        Some(Series {
            provider: provider?,
            capacity: capacity?,
            kind: kind?,
            source,
        })
    }

    /// Compiles one row. The figures and days must be in order.
    fn past_price(
        &mut self,
        document: &CatalogDocument,
        series: &Series,
        past: &PastPriceEntry,
    ) -> Option<PastPrice> {
        let accelerator = self.accelerator_ref(document, &past.accelerator);
        let from = self.day(document, &past.from);
        let until = match &past.until {
            Some(until) => self.day(document, until),
            None => from,
        };
        if let Some(at) = &past.until
            && from.zip(until).is_some_and(|(from, until)| until < from)
        {
            self.fail(document, at, "`until` is before `from`");
        }
        let usd = self.past_amount(document, &past.usd);
        let mut at_least = |amount: Option<&Spanned<f64>>, low: Usd, message: &str| {
            let Some(amount) = amount else {
                return low;
            };
            let usd = self.past_amount(document, amount);
            if usd < low {
                self.fail(document, amount, message);
            }
            usd
        };
        let below = "`median` is below `usd`, the lowest price";
        let median = at_least(past.median.as_ref(), usd, below);
        let high = at_least(past.high.as_ref(), median, "`high` is below `median`");
        Some(PastPrice {
            accelerator: accelerator?,
            provider: series.provider,
            capacity: series.capacity,
            kind: series.kind,
            from: from?,
            until: until?,
            usd,
            median,
            high,
            source: series.source,
        })
    }

    fn day(&mut self, document: &CatalogDocument, date: &Spanned<String>) -> Option<Day> {
        self.date(document, date);
        Day::of_text(date.get_ref())
    }

    fn past_amount(&mut self, document: &CatalogDocument, amount: &Spanned<f64>) -> Usd {
        let value = *amount.get_ref();
        self.within(document, amount, value, &bounds::USD_PER_HOUR);
        Usd::from_decimal(value).unwrap_or_default()
    }
}
