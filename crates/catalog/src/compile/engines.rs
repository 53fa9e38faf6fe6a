//! Which serving engine runs which format on which devices, and which parallelism it supports.

use std::cmp::Reverse;

use sky_accel_core::catalog::{
    Axis, Computed, EngineFormat, EngineLack, LossMeasure, QualityLoss, QuantizedPart,
    compare_versions,
};
use sky_accel_core::sizing::{CacheFormat, ServingEngine};
use sky_accel_core::word::Word as _;

use super::Compiler;
use crate::schema::{self, Spanned};
use crate::source::CatalogDocument;

/// The kinds of work, with whether they are training.
const WORKS: [(&str, bool); 2] = [("inference", false), ("training", true)];

/// Returns the key of an entry. A later entry with the same key replaces it.
fn key(item: &schema::EngineFormatEntry) -> String {
    let text = |text: &Option<Spanned<String>>| {
        text.as_ref()
            .map_or(String::new(), |text| text.get_ref().clone())
    };
    let list = |list: &[Spanned<String>]| {
        let names: Vec<&str> = list.iter().map(|name| name.get_ref().as_str()).collect();
        names.join("\0")
    };
    [
        item.engine.get_ref().clone(),
        list(&item.formats),
        text(&item.work),
        text(&item.from),
        text(&item.below),
        list(&item.architectures),
    ]
    .join("\u{1}")
}

impl Compiler<'_> {
    pub(super) fn engine_formats(&mut self) {
        let mut items = self.layered(
            |document| &document.content.engine_format,
            |_, item| (key(item), &item.engine),
            |under, over| *under = over.clone(),
        );
        // The first matching entry applies, so entries of later layers come first.
        items.sort_by_key(|(document, _)| Reverse(document.layer));
        let mut rows = Vec::new();
        for (document, item) in &items {
            self.check_engine_format(document, item);
            let (Some(engine), Some(computed)) = (
                self.one_of(document, &item.engine, ServingEngine::ALL),
                self.one_of(document, &item.computed, Computed::ALL),
            ) else {
                continue;
            };
            let work = item.work.as_ref();
            let training = work.and_then(|work| self.one_of(document, work, &WORKS));
            rows.push(EngineFormat {
                engine,
                formats: self.texts(document, &item.formats),
                training: training.unwrap_or_default(),
                from: self.text(document, item.from.as_ref()),
                below: self.text(document, item.below.as_ref()),
                architectures: self.texts(document, &item.architectures),
                computed,
                since: self.text(document, item.since.as_ref()),
                source: self.text(document, Some(&item.source)),
                as_of: self.date(document, &item.as_of),
            });
        }
        self.tables.engine_formats = rows.into_iter().collect();
    }

    pub(super) fn engine_lacks(&mut self) {
        let items = self.layered(
            |document| &document.content.engine_lack,
            |_, item| {
                let work = item.work.as_ref().map_or("", |work| work.get_ref());
                let formats: Vec<&str> = item
                    .formats
                    .iter()
                    .map(|name| name.get_ref().as_str())
                    .collect();
                let key = format!("{}\0{work}\0{}", item.engine.get_ref(), formats.join("\0"));
                (key, &item.engine)
            },
            |under, over| *under = over.clone(),
        );
        let mut rows = Vec::new();
        for (document, item) in &items {
            self.check_formats(document, &item.formats);
            let Some(engine) = self.one_of(document, &item.engine, ServingEngine::ALL) else {
                continue;
            };
            let work = item.work.as_ref();
            let training = work.and_then(|work| self.one_of(document, work, &WORKS));
            for axis in &item.axes {
                let Some(axis) = self.one_of(document, axis, Axis::ALL) else {
                    continue;
                };
                rows.push(EngineLack {
                    engine,
                    axis,
                    formats: self.texts(document, &item.formats),
                    training: training.unwrap_or_default(),
                    source: self.text(document, Some(&item.source)),
                    as_of: self.date(document, &item.as_of),
                });
            }
        }
        self.tables.engine_lacks = rows.into_iter().collect();
    }

    /// Compiles `[[quality_loss]]`. A later entry for the same part and format replaces an earlier entry.
    pub(super) fn quality_losses(&mut self) {
        let items = self.layered(
            |document| &document.content.quality_loss,
            |_, item| {
                let part = item.part.as_ref().map_or("", |part| part.get_ref());
                (format!("{part}\0{}", item.format.get_ref()), &item.format)
            },
            |under, over| *under = over.clone(),
        );
        let mut rows = Vec::new();
        for (document, item) in &items {
            let part = match &item.part {
                Some(part) => self.one_of(document, part, QuantizedPart::ALL),
                None => Some(QuantizedPart::Weights),
            };
            let measure = self.one_of(document, &item.measure, LossMeasure::ALL);
            let (Some(part), Some(measure)) = (part, measure) else {
                continue;
            };
            match part {
                QuantizedPart::Weights => {
                    self.check_formats(document, std::slice::from_ref(&item.format));
                }
                QuantizedPart::KvCache => {
                    self.one_of(document, &item.format, CacheFormat::ALL);
                }
            }
            let low = *item.low.get_ref();
            if !(0.0..=100.0).contains(&low) || !(low..=100.0).contains(&item.high) {
                let message = "`low` and `high` are percentages, and `low` is not above `high`";
                self.fail(document, &item.low, message);
                continue;
            }
            rows.push(QualityLoss {
                format: self.text(document, Some(&item.format)),
                part,
                low,
                high: item.high,
                measure,
                source: self.text(document, Some(&item.source)),
                as_of: self.date(document, &item.as_of),
            });
        }
        self.tables.quality_losses = rows.into_iter().collect();
    }

    fn check_formats(&mut self, document: &CatalogDocument, formats: &[Spanned<String>]) {
        for name in formats {
            let catalog = self.tables.catalog();
            if catalog.weight_format(name.get_ref()).is_none() {
                self.fail(document, name, "no weight_format has this name");
            }
        }
    }

    fn check_engine_format(
        &mut self,
        document: &CatalogDocument,
        item: &schema::EngineFormatEntry,
    ) {
        self.check_formats(document, &item.formats);
        let bounds = [item.from.as_ref(), item.below.as_ref()];
        for version in bounds.into_iter().flatten() {
            if !super::models::is_capability(version.get_ref()) {
                self.fail(
                    document,
                    version,
                    "a compute capability is written like 8.9",
                );
            }
        }
        if let (Some(from), Some(below)) = (&item.from, &item.below)
            && compare_versions(below.get_ref(), from.get_ref()).is_le()
        {
            self.fail(document, below, "`below` is above `from`");
        }
        match (&item.from, &item.below) {
            (None, Some(below)) => self.fail(document, below, "`below` needs `from`"),
            (None, None) if item.architectures.is_empty() => {
                let message =
                    "an entry names devices: `from`, a compute capability, or `architectures`";
                self.fail(document, &item.engine, message);
            }
            _ => {}
        }
    }
}
