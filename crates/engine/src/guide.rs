//! The rules of thumb, and what the ways to save are worth at the catalog's prices.

use serde::Serialize;
use sky_accel_core::guide::saving;

use crate::contract::{Envelope, Num};
use crate::engine::Engine;

/// There is nothing to ask.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GuideRequest {
    pub guide: bool,
}

/// A row of one of the tables.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "table", rename_all = "kebab-case")]
pub enum GuideOut {
    /// By kind of work.
    Workload {
        workload: String,
        title: String,
        pick: Vec<String>,
        because: String,
        source: String,
        as_of: String,
    },
    /// By number of parameters.
    Size {
        title: String,
        minimum: String,
        recommended: String,
        source: String,
        as_of: String,
    },
    /// Ways to save.
    Strategy {
        strategy: String,
        title: String,
        claimed_percent: [Num; 2],
        good_for: String,
        /// At the catalog's prices; `null` where no two prices can be compared.
        computed: Option<SavingOut>,
        source: String,
        as_of: String,
    },
}

/// What a strategy saves, in percent.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SavingOut {
    pub low_percent: Num,
    pub median_percent: Num,
    pub high_percent: Num,
    /// Comparisons behind it.
    pub samples: usize,
    pub basis: String,
    /// Whether the median is within the claim.
    pub within_claim: bool,
}

impl<'c> Engine<'c> {
    /// The rule-of-thumb tables: by kind of work, by model size, and ways to save with the savings
    /// computed from the catalog's prices.
    pub fn guide(&self) -> Envelope<'c, GuideRequest, GuideOut> {
        let catalog = self.catalog();
        let text = |s| catalog.str(s).to_owned();
        let source = || catalog.guide_source.to_owned();
        let as_of = || catalog.guide_as_of.to_owned();
        let mut rows: Vec<GuideOut> = Vec::new();
        rows.extend(
            catalog
                .guide_workloads
                .iter()
                .map(|row| GuideOut::Workload {
                    workload: text(row.workload),
                    title: text(row.title),
                    pick: catalog.strings(row.pick).map(str::to_owned).collect(),
                    because: text(row.because),
                    source: source(),
                    as_of: as_of(),
                }),
        );
        rows.extend(catalog.guide_sizes.iter().map(|row| GuideOut::Size {
            title: text(row.title),
            minimum: text(row.minimum),
            recommended: text(row.recommended),
            source: source(),
            as_of: as_of(),
        }));
        rows.extend(
            catalog
                .guide_strategies
                .iter()
                .map(|row| GuideOut::Strategy {
                    strategy: text(row.strategy),
                    title: text(row.title),
                    claimed_percent: [Num(row.claimed_low_percent), Num(row.claimed_high_percent)],
                    good_for: text(row.good_for),
                    computed: saving(&catalog, row).map(|saving| SavingOut {
                        low_percent: tenths(saving.low),
                        median_percent: tenths(saving.median),
                        high_percent: tenths(saving.high),
                        samples: saving.samples,
                        within_claim: saving.within_claim(row),
                        basis: saving.basis,
                    }),
                    source: source(),
                    as_of: as_of(),
                }),
        );
        Envelope::new(
            "sky-accel.guide.v1",
            &catalog,
            GuideRequest { guide: true },
            rows,
        )
    }
}

fn tenths(percent: f64) -> Num {
    Num((percent * 10.0).round() / 10.0)
}
