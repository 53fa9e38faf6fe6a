//! Checks for facts that are well-formed but cannot be right: figures in the wrong unit, implausible prices, dates in
//! the future.

mod charges;
mod commitments;
mod overrides;
mod peers;
mod prices;
mod rates;
mod token_prices;
mod traps;
mod usual;
mod warnings;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use sky_accel_core::catalog::{Accelerator, Catalog, Meaning, Offer, OfferId};
use sky_accel_core::money::Count;
use sky_accel_core::text::number;
use smallvec::SmallVec;

use crate::bounds::MAX_ERRORS;
use crate::rows::RowsSeen;
use crate::schema::{self, Spanned};
use crate::source::{CatalogDocument, Sources};
use crate::{Diagnostic, Source};
use peers::{PeerSearch, Peers};

pub use usual::UsualPrices;
pub use warnings::{Warning, WarningKind, warnings};

/// Reported memory over marketed memory. A driver reserves some memory, and a vendor's GB may be GiB.
const REPORTED: std::ops::RangeInclusive<f64> = 0.8..=1.08;
/// The maximum plausible memory of a device in GB.
const MAX_MEMORY_GB: f64 = 2000.0;
/// The plausible memory of a machine in GiB.
const HOST_GIB: std::ops::RangeInclusive<f64> = 0.5..=65_536.0;
/// The minimum plausible bandwidth of 8 GB or more. Lower figures are TB/s in the field for GB/s.
const MIN_BANDWIDTH_GB_S: f64 = 10.0;
/// The bandwidth of the on-chip memory of a wafer-scale chip, with a margin.
const MAX_BANDWIDTH_GB_S: f64 = 5e7;
const TDP_W: std::ops::RangeInclusive<f64> = 5.0..=30_000.0;
/// The maximum number of offers whose peers are kept: a price list has the prices of an offer close together.
const MAX_PEERS: usize = 4096;
/// The maximum relative difference between two figures that count as equal.
const SAME: f64 = 0.02;

/// Checks files for facts that are well-formed but cannot be right, and returns the findings by
/// file and position. Overlays are checked against `catalog`, files of the embedded catalog against
/// `shipped`, the catalog without overlays. `age` returns the days since a date. Old prices are
/// allowed in the embedded catalog, because every answer states their date.
pub fn lint<'a>(
    sources: &[Source],
    catalog: &Catalog<'a>,
    shipped: &Catalog<'a>,
    age: &dyn Fn(&str) -> Option<i32>,
) -> Vec<Diagnostic> {
    let sources = match Sources::read(sources) {
        Ok(sources) => sources,
        Err(errors) => return errors,
    };
    let mut embedded = Linter::over(shipped, shipped, age);
    let mut laid_over = Linter::over(catalog, shipped, age);
    for document in &sources.documents {
        let linter = if document.layer.is_embedded() {
            &mut embedded
        } else {
            &mut laid_over
        };
        linter.accelerators(document);
        linter.history(document);
        linter.token_prices(document);
        linter.charges(document);
        linter.commitments(document);
    }
    let mut rows = RowsSeen::default();
    let sells = |id: &str| Some(catalog.provider(catalog.provider_named(id)?).sells);
    sources.each_with_offers(|_, document| match document {
        Ok(document) if document.layer.is_embedded() => {
            embedded.offers(document);
            embedded.prices(document);
        }
        Ok(document) => {
            rows.read(document, &sells);
            laid_over.offers(document);
            laid_over.prices(document);
            laid_over.machines(document);
        }
        Err(error) => laid_over.found.push(error),
    });
    let is_overlay = |document: &&CatalogDocument| !document.layer.is_embedded();
    laid_over.overrides(sources.documents.iter().filter(is_overlay));
    let mut found = embedded.found;
    found.extend(laid_over.found);
    found.extend(rows.found);
    found.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    found.dedup();
    found
}

/// A date as text, without an allocation: a file may have millions.
type ShortDate = SmallVec<[u8; 10]>;

struct Linter<'l, 'a> {
    catalog: &'l Catalog<'a>,
    /// The catalog without the user's files.
    shipped: &'l Catalog<'a>,
    age: &'l dyn Fn(&str) -> Option<i32>,
    /// The prices seen so far, each with its day and layer.
    stated: HashSet<String>,
    /// The newest date of the prices of the same terms, by a hash of the terms.
    newest: HashMap<u64, ShortDate>,
    peers: HashMap<OfferId, Rc<Peers<'a>>>,
    found: Vec<Diagnostic>,
}

impl<'l, 'a> Linter<'l, 'a> {
    fn over(
        catalog: &'l Catalog<'a>,
        shipped: &'l Catalog<'a>,
        age: &'l dyn Fn(&str) -> Option<i32>,
    ) -> Self {
        Self {
            catalog,
            shipped,
            age,
            stated: HashSet::new(),
            newest: HashMap::new(),
            peers: HashMap::new(),
            found: Vec::new(),
        }
    }

    /// Returns the prices that the prices of an offer are compared with, gathered once for all of its prices.
    fn peers(&mut self, id: OfferId) -> Rc<Peers<'a>> {
        if let Some(peers) = self.peers.get(&id) {
            return Rc::clone(peers);
        }
        if self.peers.len() >= MAX_PEERS {
            self.peers.clear();
        }
        let search = PeerSearch {
            catalog: self.catalog,
            shipped: self.shipped,
        };
        let peers = Rc::new(search.gather(id));
        self.peers.insert(id, Rc::clone(&peers));
        peers
    }

    fn report<T>(
        &mut self,
        document: &CatalogDocument,
        at: &Spanned<T>,
        message: impl Into<String>,
    ) {
        if self.found.len() < MAX_ERRORS {
            self.found.push(document.error(at.span(), message));
        }
    }

    fn is_outside(
        &mut self,
        document: &CatalogDocument,
        figure: Option<&Spanned<f64>>,
        range: &std::ops::RangeInclusive<f64>,
        what: &str,
    ) {
        if let Some(figure) = figure
            && !range.contains(figure.get_ref())
        {
            let value = number(*figure.get_ref());
            self.report(
                document,
                figure,
                format!("{value} is not a plausible {what}"),
            );
        }
    }

    fn check_not_in_future(&mut self, document: &CatalogDocument, date: &Spanned<String>) {
        if (self.age)(date.get_ref()).is_some_and(|days| days < -1) {
            self.report(document, date, "this date is in the future");
        }
    }

    /// Checks that no price of the past is from a later day than today.
    fn history(&mut self, document: &CatalogDocument) {
        for entry in &document.content.history {
            for past in &entry.prices {
                self.check_not_in_future(document, past.until.as_ref().unwrap_or(&past.from));
            }
        }
    }

    fn accelerators(&mut self, document: &CatalogDocument) {
        let catalog = self.catalog;
        for item in &document.content.name {
            let default = item.default.as_ref().map_or("", |id| id.get_ref());
            self.check_names_keep_meaning(document, default, &item.names);
        }
        for item in &document.content.accelerator {
            let mut ids = catalog.accelerator_ids();
            let named = ids.find(|id| catalog.accelerator_id(*id) == item.id.get_ref());
            let Some(id) = named else { continue };
            let row = catalog.accelerator(id);
            if !document.layer.is_embedded() && row.sources.len == 0 {
                self.report(document, &item.id, "`sources` is missing");
            }
            self.memory(document, item, &row);
            self.check_names_keep_meaning(document, item.id.get_ref(), &item.names);
            let bandwidth = MIN_BANDWIDTH_GB_S..=MAX_BANDWIDTH_GB_S;
            if row.memory_gb.is_some_and(|gb| gb >= 8.0) {
                let figure = item.memory_bandwidth_gb_s.as_ref();
                self.is_outside(document, figure, &bandwidth, "number of GB/s");
            }
            for (figure, range, what) in [
                (&item.tdp_w, TDP_W, "number of watts"),
                (&item.interconnect_gb_s, 1.0..=5000.0, "number of GB/s"),
                (&item.pcie_gen, 1.0..=9.0, "generation of PCIe"),
                (&item.release_year, 1999.0..=2049.0, "year"),
            ] {
                self.is_outside(document, figure.as_ref(), &range, what);
            }
            for (version, field) in [
                (&item.compute_capability, "compute_capability"),
                (&item.cuda_min, "cuda_min"),
                (&item.cuda_last, "cuda_last"),
            ] {
                if let Some(version) = version
                    .as_ref()
                    .filter(|text| !text.get_ref().contains('.'))
                {
                    self.report(
                        document,
                        version,
                        format!("`{field}` is a version such as 9.0"),
                    );
                }
            }
            self.rates(document, item, &row);
            self.ordered_rates(document, item, &row);
            self.unequal_rates(document, item, id);
            self.half_rate(document, item, id);
            for disputed in &item.disputed {
                self.check_not_in_future(document, &disputed.as_of);
            }
        }
    }

    /// Reports names that get another meaning. Scripts rely on the names of the embedded catalog.
    fn check_names_keep_meaning(
        &mut self,
        document: &CatalogDocument,
        accelerator: &str,
        names: &schema::SpellingsByDialect,
    ) {
        if document.layer.is_embedded() {
            return;
        }
        let shipped = self.shipped;
        for name in names.values().flatten() {
            let meant: Vec<&str> = match shipped.name(name.get_ref()).map(|row| row.meaning) {
                Some(Meaning::Exact(id)) => vec![shipped.accelerator_id(id)],
                Some(Meaning::AnyOf(rows)) => shipped
                    .accelerators(rows)
                    .iter()
                    .map(|id| shipped.accelerator_id(id))
                    .collect(),
                _ => continue,
            };
            if !meant.contains(&accelerator) {
                let message = format!("this name already means {}", meant.join(" or "));
                self.report(document, name, message);
            }
        }
    }

    fn memory(
        &mut self,
        document: &CatalogDocument,
        item: &schema::AcceleratorEntry,
        row: &Accelerator,
    ) {
        if let Some(gb) = item
            .memory_gb
            .as_ref()
            .filter(|gb| *gb.get_ref() > MAX_MEMORY_GB)
        {
            self.report(
                document,
                gb,
                "this is not a size in GB: MiB belong in `memory_mib`",
            );
            return;
        }
        let Some(gb) = row.memory_gb else { return };
        if let (Some(stated), None, Some(mib)) = (&item.memory_gb, &item.memory_mib, row.memory_mib)
            && !REPORTED.contains(&(mib / (gb * 1024.0)))
        {
            let message = format!(
                "{} GB does not match the {} MiB that its driver reports",
                number(gb),
                number(mib)
            );
            self.report(document, stated, message);
        }
        for (field, mib) in [
            ("memory_mib", &item.memory_mib),
            ("memory_mib_ec2", &item.memory_mib_ec2),
        ] {
            let Some(mib) = mib else { continue };
            let ratio = mib.get_ref() / (gb * 1024.0);
            if !REPORTED.contains(&ratio) {
                let why = unit_of(*mib.get_ref(), gb);
                self.report(
                    document,
                    mib,
                    format!("`{field}` does not match {} GB{why}", number(gb)),
                );
            }
        }
    }

    fn offers(&mut self, document: &CatalogDocument) {
        for item in &document.content.offer {
            let Some(offer) = self.offer(document, item.provider.as_ref(), &item.id, None) else {
                continue;
            };
            let offer = self.catalog.offer(offer);
            if !document.layer.is_embedded()
                && is_missing(item.source.as_ref())
                && (item.accelerator.is_some() || item.any_of.is_some())
            {
                self.report(document, &item.id, "`source` is missing");
            }
            if let Some(date) = &item.as_of {
                self.check_not_in_future(document, date);
            }
            let per_machine = item.host_memory_gib.as_ref();
            let per_accelerator = item.host_memory_gib_per_accelerator.as_ref();
            let hosts = f64::from(offer.hosts.max(1));
            let range = *HOST_GIB.start()..=HOST_GIB.end() * hosts;
            self.is_outside(
                document,
                per_machine.or(per_accelerator),
                &range,
                "number of GiB",
            );
            self.device_memory(document, item, &offer);
        }
    }

    /// Checks that the memory of an offer is the memory of one device.
    fn device_memory(
        &mut self,
        document: &CatalogDocument,
        item: &schema::OfferEntry,
        offer: &Offer,
    ) {
        let device = self.catalog.accelerator(offer.accelerator);
        let (Some(mib), Some(gb)) = (&item.memory_mib, device.memory_gb) else {
            return;
        };
        // A ready-made slice has less memory than its device.
        if offer.mig_profile.len > 0 || offer.count.is_some_and(|count| count.decimal() < 1.0) {
            return;
        }
        let ratio = mib.get_ref() / (gb * 1024.0);
        if REPORTED.contains(&ratio) {
            return;
        }
        let count = offer.count.map_or(1.0, Count::decimal);
        let why = if count > 1.0 && REPORTED.contains(&(ratio / count)) {
            format!(": it is the total of all {} devices", number(count))
        } else {
            unit_of(*mib.get_ref(), gb)
        };
        let name = self.catalog.accelerator_id(offer.accelerator);
        let message = format!(
            "`memory_mib` is the memory of one device, and {name} has {} GB{why}",
            number(gb)
        );
        self.report(document, mib, message);
    }

    fn offer(
        &self,
        document: &CatalogDocument,
        provider: Option<&Spanned<String>>,
        id: &Spanned<String>,
        memory_gb: Option<f64>,
    ) -> Option<OfferId> {
        let provider = provider.or(document.content.sold_by.as_ref())?;
        let catalog = self.catalog;
        let provider = catalog.provider_named(provider.get_ref())?;
        let mut rows = catalog.offers_with_id(provider, id.get_ref());
        let has_memory = |row: &OfferId| {
            let accelerator = catalog.accelerator(catalog.offer(*row).accelerator);
            memory_gb.is_none_or(|gb| {
                accelerator
                    .memory_gb
                    .is_some_and(|size| sky_accel_core::memory::is_same(size, gb))
            })
        };
        rows.find(has_memory)
    }
}

/// Returns the unit that a figure seems to have, if it is not in MiB.
fn unit_of(value: f64, gb: f64) -> String {
    let near = |other: f64| (value / other - 1.0).abs() < 0.25;
    let unit = if near(gb) {
        "GB or GiB"
    } else if near(gb * 1e9) {
        "bytes"
    } else if near(gb * 1e6) {
        "KB"
    } else {
        return String::new();
    };
    format!(": these are {unit}")
}

fn figure_text(value: Option<f64>) -> String {
    value.map(number).unwrap_or_default()
}

/// Returns whether a text is missing or a placeholder.
fn is_missing(text: Option<&Spanned<String>>) -> bool {
    let words = ["", "?", "todo", "tbd", "unknown", "none"];
    text.is_none_or(|text| words.contains(&text.get_ref().trim().to_lowercase().as_str()))
}

#[cfg(test)]
mod tests;
