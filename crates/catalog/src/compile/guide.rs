//! `[guide]`. Its specs are checked against the finished tables.

use sky_accel_core::bind::interpret;
use sky_accel_core::catalog::{Comparison, GuideSize, GuideStrategy, GuideWorkload};

use super::Compiler;
use crate::bounds;
use crate::schema::Spanned;
use crate::source::CatalogDocument;

const COMPARISONS: [(&str, Comparison); 3] = [
    ("spot-discount", Comparison::SpotDiscount),
    ("slice-share", Comparison::SliceShare),
    ("spec-prices", Comparison::SpecPrices),
];

impl Compiler<'_> {
    pub(super) fn guide(&mut self) {
        // The guide of the last layer replaces all others.
        let mut guides = self
            .documents
            .iter()
            .filter_map(|d| Some((d, d.content.guide.as_ref()?)));
        let Some((document, guide)) = guides.next_back() else {
            return;
        };
        if let (Some(source), Some(as_of)) = (&guide.source, &guide.as_of) {
            self.header.guide_source = self.tables.intern(source.get_ref());
            self.date(document, as_of);
            self.header.guide_as_of = self.tables.intern(as_of.get_ref());
        }
        for item in &guide.workload {
            item.pick.iter().for_each(|spec| self.spec(document, spec));
            let row = GuideWorkload {
                workload: self.text(document, Some(&item.workload)),
                title: self.text(document, Some(&item.title)),
                flags: self.texts(document, &item.flags),
                pick: self.texts(document, &item.pick),
                because: self.text(document, Some(&item.because)),
            };
            self.tables.guide_workloads.push(row);
        }
        for item in &guide.size {
            for spec in [&item.minimum, &item.recommended] {
                self.spec(document, spec);
            }
            if let Some(billions) = item.up_to.or(item.below) {
                self.within(document, &item.title, billions, &bounds::BILLIONS);
            }
            let row = GuideSize {
                title: self.text(document, Some(&item.title)),
                up_to: item.up_to.or(item.below),
                inclusive: item.up_to.is_some(),
                minimum: self.text(document, Some(&item.minimum)),
                recommended: self.text(document, Some(&item.recommended)),
            };
            self.tables.guide_sizes.push(row);
        }
        for item in &guide.strategy {
            let compare = self.one_of(document, &item.compare, &COMPARISONS);
            if !item
                .claimed_percent
                .iter()
                .all(|percent| (0.0..=100.0).contains(percent))
            {
                self.fail(
                    document,
                    &item.strategy,
                    "a claimed saving is between 0 and 100 percent",
                );
            }
            [&item.cheap, &item.dear]
                .into_iter()
                .flatten()
                .for_each(|spec| self.spec(document, spec));
            let row = GuideStrategy {
                strategy: self.text(document, Some(&item.strategy)),
                title: self.text(document, Some(&item.title)),
                claimed_low_percent: item.claimed_percent[0],
                claimed_high_percent: item.claimed_percent[1],
                good_for: self.text(document, Some(&item.good_for)),
                compare: compare.unwrap_or(Comparison::SpotDiscount),
                cheap: self.text(document, item.cheap.as_ref()),
                dear: self.text(document, item.dear.as_ref()),
            };
            self.tables.guide_strategies.push(row);
        }
    }

    fn spec(&mut self, document: &CatalogDocument, spec: &Spanned<String>) {
        if let Err(errors) = interpret(&self.tables.catalog(), spec.get_ref()) {
            let message = errors
                .first()
                .map(sky_accel_core::spec::SpecError::sentence)
                .unwrap_or_default();
            self.fail(document, spec, message);
        }
    }
}
