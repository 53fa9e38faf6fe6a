//! Rows of a CSV file that contradict each other: a machine has one set of devices, vCPUs and memory, and one price for
//! a day.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::rc::Rc;

use sky_accel_core::catalog::Sells;
use sky_accel_core::text::number;

use crate::Diagnostic;
use crate::bounds::MAX_ERRORS;
use crate::schema::{HourlyAmount, OfferEntry, PriceEntry, Spanned, SpannedText};
use crate::source::CatalogDocument;

/// The rows seen so far, by a hash of their terms: a file may have millions.
#[derive(Default)]
pub(crate) struct RowsSeen {
    machines: HashMap<u64, MachineRow>,
    prices: HashMap<u64, f64>,
    /// The names of accelerators, and the number of each. Each row of a hostile file may have a new one.
    accelerators: Vec<Rc<str>>,
    numbers: HashMap<Rc<str>, usize>,
    pub found: Vec<Diagnostic>,
}

/// The cells of the first row of a machine.
#[derive(Clone, Copy)]
struct MachineRow {
    line: usize,
    accelerator: Option<usize>,
    figures: [Option<f64>; 3],
}

/// The columns that rows of one machine have in common. The compiler itself refuses different counts.
const COLUMNS: [&str; 3] = ["memory_gb", "vcpu", "host_memory_gib"];

impl RowsSeen {
    /// Compares the rows of a part of a file with those before. `sells` returns what a provider sells, if it is known.
    ///
    /// Other projects list several machines under one id, and so do marketplaces.
    pub fn read(&mut self, document: &CatalogDocument, sells: &dyn Fn(&str) -> Option<Sells>) {
        let is_full = self.found.len() >= MAX_ERRORS;
        if is_full || !document.has_rows || document.dialect.is_some() {
            return;
        }
        let sold = |provider: Option<&SpannedText>| {
            let id = provider.map_or("", |id| id.get_ref());
            sells(id).unwrap_or(Sells::InstanceTypes)
        };
        for item in &document.content.offer {
            match sold(item.provider.as_ref()) {
                Sells::Marketplace => {}
                sold => self.machine(document, item, sold == Sells::AnyCount),
            }
        }
        for item in &document.content.price {
            if sold(item.provider.as_ref()) != Sells::Marketplace {
                self.price(document, item);
            }
        }
    }

    fn report(&mut self, document: &CatalogDocument, at: Range<usize>, message: String) {
        if self.found.len() < MAX_ERRORS {
            self.found.push(document.error(at, message));
        }
    }

    /// Reports a row whose machine differs from an earlier row with its id. An empty cell says nothing. If any count is
    /// sold, each count has its own vCPUs and memory.
    fn machine(&mut self, document: &CatalogDocument, item: &OfferEntry, is_any_count: bool) {
        let count = item.count.as_ref().map(|count| count.get_ref().to_bits());
        let key = hashed(&(
            (document.layer.number(), &document.file),
            text(item.provider.as_ref()),
            item.id.get_ref(),
            count.filter(|_| is_any_count),
        ));
        let cells = [&item.memory_gb, &item.vcpu, &item.host_memory_gib];
        let accelerator = item.accelerator.as_ref();
        let named = accelerator.map(|name| self.accelerator(name.get_ref()));
        let Some(first) = self.machines.get_mut(&key) else {
            let row = MachineRow {
                line: document.line(item.id.span()),
                accelerator: named,
                figures: cells.map(|cell| cell.as_ref().map(|cell| *cell.get_ref())),
            };
            self.machines.insert(key, row);
            return;
        };
        let mut differs: Vec<(Range<usize>, String)> = Vec::new();
        if let (Some(before), Some(name)) = (first.accelerator, accelerator)
            && Some(before) != named
        {
            let before = &self.accelerators[before];
            let words = format!("accelerator {} instead of {before}", name.get_ref());
            differs.push((name.span(), words));
        }
        for ((cell, before), column) in cells.into_iter().zip(&mut first.figures).zip(COLUMNS) {
            let Some(cell) = cell else { continue };
            let (value, before) = (*cell.get_ref(), *before.get_or_insert(*cell.get_ref()));
            if (value - before).abs() > 1e-9 * before.abs() {
                let words = format!("{column} {} instead of {}", number(value), number(before));
                differs.push((cell.span(), words));
            }
        }
        let line = first.line;
        let Some((at, _)) = differs.first().cloned() else {
            return;
        };
        let words: Vec<String> = differs.into_iter().map(|(_, words)| words).collect();
        let message = format!(
            "this row contradicts line {line}, which has the same id: {}",
            words.join(", ")
        );
        self.report(document, at, message);
    }

    fn accelerator(&mut self, name: &str) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let (name, number) = (Rc::<str>::from(name), self.accelerators.len());
        self.accelerators.push(Rc::clone(&name));
        self.numbers.insert(name, number);
        number
    }

    /// Reports a row with another price than an earlier row for the same day from the same source. Rows may repeat a
    /// price, since they have other values too, and zones have their own spot prices.
    fn price(&mut self, document: &CatalogDocument, item: &PriceEntry) {
        // Without a day, two prices may be of different days.
        if item.statistic.is_some() || item.date().len() <= 7 {
            return;
        }
        let Ok(stated) = item.stated() else { return };
        let (region, usd) = match stated.amount.get_ref() {
            HourlyAmount::Everywhere(usd) => ("", *usd),
            HourlyAmount::ByRegion(by_region) => match by_region.first_key_value() {
                Some((region, usd)) => (&region[..], *usd),
                None => return,
            },
        };
        let count = item.count.as_ref().map(|count| *count.get_ref());
        let is_each = stated.is_each && count.is_none();
        let total = if stated.is_each {
            usd * count.unwrap_or(1.0)
        } else {
            usd
        };
        for id in item.offer_ids() {
            let words = [
                text(item.provider.as_ref()),
                id.get_ref(),
                region,
                item.capacity_type.get_ref(),
                text(item.quality.as_ref()),
                text(item.tier.as_ref()),
                text(item.kind.as_ref()),
                text(item.source.as_ref()),
                item.date(),
            ];
            let memory = item.memory_gb.as_ref().map(|gb| gb.get_ref().to_bits());
            let figures = (count.map(f64::to_bits), memory, is_each);
            let key = hashed(&(document.layer.number(), words, figures));
            let before = *self.prices.entry(key).or_insert(total);
            if (before - total).abs() > 1e-9 * before.abs() {
                let place = if region.is_empty() {
                    String::new()
                } else {
                    format!(" in {region}")
                };
                let message = format!(
                    "two rows state different prices{place} on this day: {} and {}",
                    number(before),
                    number(total)
                );
                self.report(document, stated.amount.span(), message);
            }
        }
    }
}

fn text(text: Option<&Spanned<String>>) -> &str {
    text.map_or("", |text| text.get_ref())
}

fn hashed(key: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use crate::fixture::{compiled, sources};

    /// Returns the findings of `catalog verify` as `line: message`.
    fn findings(rows: &str) -> Vec<String> {
        let shipped = compiled(&[]).unwrap();
        let found = match compiled(&[rows]) {
            Err(errors) => errors,
            Ok(tables) => crate::lint(
                &sources(&[rows]),
                &tables.catalog(),
                &shipped.catalog(),
                &|_| Some(1),
            ),
        };
        let found = found.into_iter();
        found
            .map(|error| format!("{}: {}", error.line, error.message))
            .collect()
    }

    const HEADER: &str =
        "provider,id,accelerator,count,vcpu,host_memory_gib,region,usd_per_hour,source,as_of\n";

    #[test]
    fn rows_of_one_machine_agree() {
        let rows = |rows: &str| findings(&format!("{HEADER}{rows}"));
        let first = "acme,x8,G-80GB,8,192,2048,east,16,s,2026-11-02\n";
        let contradicting = "acme,x8,G-80GB,8,96,1024,west,16,s,2026-11-02\n\
                             acme,x8,G-40GB,8,192,,north,16,s,2026-11-02\n";
        assert_eq!(
            rows(&format!("{first}{contradicting}")),
            [
                "3: this row contradicts line 2, which has the same id: vcpu 96 instead of 192, host_memory_gib 1024 \
                 instead of 2048",
                "4: this row contradicts line 2, which has the same id: accelerator G-40GB instead of G-80GB",
            ]
        );
        // Empty cells, and another machine.
        let equal = "acme,x8,G-80GB,8,,,west,16,s,2026-11-02\nacme,y8,G-80GB,8,96,1024,west,16,s,2026-11-02\n";
        assert_eq!(rows(&format!("{first}{equal}")), [""; 0]);
    }

    #[test]
    fn contradictions_are_reported_beside_other_errors() {
        let rows = format!(
            "{HEADER}acme,x8,G-80GB,8,192,2048,east,16,s,2026-11-02\n\
             acme,x8,G-80GB,8,96,2048,east,17,s,2026-11-02\n\
             acme,y8,H-80GB,8,96,2048,east,16,s,2026-11-02\n"
        );
        let found = findings(&rows);
        let begins = |at: usize, text: &str| found[at].starts_with(text);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(
            begins(0, "3: this row contradicts line 2")
                && begins(
                    1,
                    "3: two rows state different prices in east on this day: 16 and 17"
                )
                && begins(2, "4: no accelerator has the id 'H-80GB'"),
            "{found:?}"
        );
    }

    #[test]
    fn any_count_and_marketplaces_have_several_machines_of_one_id() {
        let of = |sells: &str| {
            let provider = format!("[[provider]]\nid = \"any\"\nsells = \"{sells}\"\n");
            let rows = format!(
                "{HEADER}any,G,G-80GB,1,12,128,east,2,s,2026-11-02\nany,G,G-80GB,2,24,256,east,4,s,2026-11-02\n"
            );
            let overlays = [&provider[..], &rows];
            let (shipped, tables) = (compiled(&[]).unwrap(), compiled(&overlays).unwrap());
            let found = crate::lint(
                &sources(&overlays),
                &tables.catalog(),
                &shipped.catalog(),
                &|_| Some(1),
            );
            let rows = found
                .into_iter()
                .filter(|error| error.file.ends_with("csv"));
            rows.map(|error| error.message).collect::<Vec<_>>()
        };
        assert_eq!(of("any-count"), [""; 0]);
        assert_eq!(of("marketplace"), [""; 0]);
    }
}
