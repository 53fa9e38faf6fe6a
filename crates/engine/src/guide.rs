//! Rules of thumb, and the savings of cost strategies at the catalog's prices.

use serde::Serialize;
use sky_accel_core::guide::saving;

use crate::contract::{Envelope, Num};
use crate::engine::Engine;

/// The request for the guide; it has no options.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GuideRequest {
    /// Always true.
    pub guide: bool,
}

/// A row of the rule-of-thumb guide, which has three tables.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "table", rename_all = "kebab-case")]
pub enum GuideOut {
    /// Accelerators for a kind of work.
    Workload {
        /// The stable id of the workload.
        workload: String,
        /// A description of the workload.
        title: String,
        /// Specs of the suggested accelerators.
        pick: Vec<String>,
        /// The reason for the suggestion.
        because: String,
        /// The source of the guide.
        source: String,
        /// The date of the guide.
        as_of: String,
    },
    /// Memory for a number of parameters.
    Size {
        /// The size class of the model.
        title: String,
        /// The minimum hardware.
        minimum: String,
        /// The recommended hardware.
        recommended: String,
        /// The source of the guide.
        source: String,
        /// The date of the guide.
        as_of: String,
    },
    /// A way to save money.
    Strategy {
        /// The stable id of the strategy.
        strategy: String,
        /// A description of the strategy.
        title: String,
        /// The saving according to the source, in percent: low and high.
        claimed_percent: [Num; 2],
        /// The workloads that the strategy suits.
        good_for: String,
        /// The saving at the catalog's prices; `null` if no two prices can be compared.
        computed: Option<SavingOut>,
        /// The source of the guide.
        source: String,
        /// The date of the guide.
        as_of: String,
    },
}

/// The saving of a strategy, computed from the catalog's prices.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SavingOut {
    /// The lowest saving in percent; negative where the strategy costs more.
    pub low_percent: Num,
    /// The median saving in percent.
    pub median_percent: Num,
    /// The highest saving in percent.
    pub high_percent: Num,
    /// The number of comparisons that the figures are based on.
    pub samples: usize,
    /// A description of the compared prices.
    pub basis: String,
    /// True if the median is within the claimed range.
    pub within_claim: bool,
}

impl<'c> Engine<'c> {
    /// Returns the rule-of-thumb tables: by workload, by model size, and cost strategies with savings
    /// computed from the catalog's prices.
    pub fn guide(&self) -> Envelope<'c, GuideRequest, GuideOut> {
        let catalog = self.catalog();
        let text = |s| catalog.str(s).to_owned();
        let source = || catalog.guide_source().to_owned();
        let as_of = || catalog.guide_as_of().to_owned();
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
                    computed: saving(&catalog, &row).map(|saving| SavingOut {
                        low_percent: tenths(saving.low),
                        median_percent: tenths(saving.median),
                        high_percent: tenths(saving.high),
                        samples: saving.samples,
                        within_claim: saving.within_claim(&row),
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
