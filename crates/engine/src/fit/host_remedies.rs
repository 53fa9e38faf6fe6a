//! Changes that make a model fit on a host without accelerators.

use sky_accel_core::catalog::{Catalog, NamedFormat};
use sky_accel_core::sizing::ServingEngine;
use sky_accel_core::text::{grouped, number};

use super::host::HostSpec;
use super::remedies::{MIN_CONTEXT, Remedy, RemedyKind, first, is_roomy, remedy_out};
use crate::contract::{FitOut, RemedyOut};
use crate::sizing::{self, Fitted, ModelRun};

/// The usual sizes of the memory of hosts, in GB.
const MEMORIES: [f64; 14] = [
    16.0, 32.0, 48.0, 64.0, 96.0, 128.0, 192.0, 256.0, 384.0, 512.0, 768.0, 1024.0, 1536.0, 2048.0,
];

impl HostSpec {
    /// The smallest change of each kind that makes some work fit.
    pub(super) fn remedies(
        &self,
        catalog: &Catalog<'_>,
        work: &ModelRun,
        result: &FitOut,
    ) -> Vec<RemedyOut> {
        let mut remedies = self.smaller_formats(catalog, work);
        remedies.extend(self.shorter(catalog, work, result));
        remedies.extend(self.larger(catalog, work));
        remedies
    }

    /// The run, if it fits.
    fn fitted(&self, catalog: &Catalog<'_>, work: &ModelRun) -> Option<Fitted> {
        let fitted = self.sizer(catalog, work).best(work, 1).ok()?;
        (fitted.fits() == Some(true)).then_some(fitted)
    }

    /// The format with the most bits that fits, and the usual format if it has fewer.
    fn smaller_formats(&self, catalog: &Catalog<'_>, work: &ModelRun) -> Vec<RemedyOut> {
        let bits = work.run.weights.bits;
        let is_smaller = |row: &NamedFormat| {
            row.is_common
                && row.format.bits < bits
                && catalog.engine_of(row) == Some(ServingEngine::LlamaCpp)
        };
        let mut formats: Vec<NamedFormat> =
            catalog.weight_formats.iter().filter(is_smaller).collect();
        formats.sort_by(|a, b| b.format.bits.total_cmp(&a.format.bits));
        let sized = |name: &str| {
            let work = work.with_precision(catalog, name)?;
            let fitted = self.fitted(catalog, &work)?;
            Some((work, fitted))
        };
        let most = first(
            formats
                .iter()
                .filter_map(|row| sized(catalog.str(row.name))),
        );
        let below = most.as_ref().map(|(work, _)| work.run.weights.bits);
        let usual = sized(sizing::USUAL_GGUF)
            .filter(|(work, _)| below.is_some_and(|bits| work.run.weights.bits < bits));
        let found = most.into_iter().chain(usual);
        let remedies = found.map(|(work, fitted)| {
            let change = Remedy {
                kind: RemedyKind::Precision,
                lead: format!("in {}", work.precision),
                flags: format!("--precision {}", work.precision),
            };
            remedy_out(change, &work, &fitted, 1)
        });
        remedies.collect()
    }

    /// The longest prompt that leaves memory to spare.
    fn shorter(
        &self,
        catalog: &Catalog<'_>,
        work: &ModelRun,
        result: &FitOut,
    ) -> Option<RemedyOut> {
        let run = work.run;
        let largest = result.largest.context?.0;
        if largest < MIN_CONTEXT || largest >= run.text_tokens() {
            return None;
        }
        let at = |steps: u32| {
            let context = f64::from(steps) * MIN_CONTEXT;
            let run = run.with_text(context);
            let work = ModelRun {
                run,
                ..work.clone()
            };
            let fitted = self.fitted(catalog, &work)?;
            is_roomy(&fitted).then_some((work, fitted))
        };
        let (mut low, mut high) = (1, (largest / MIN_CONTEXT) as u32 + 1);
        let mut best = at(low)?;
        while high - low > 1 {
            let middle = u32::midpoint(low, high);
            match at(middle) {
                Some(found) => (low, best) = (middle, found),
                None => high = middle,
            }
        }
        let (work, fitted) = best;
        let context = work.run.text_tokens();
        let change = Remedy {
            kind: RemedyKind::Context,
            lead: format!("with prompts of {} tokens", grouped(context)),
            flags: format!("--context {}", number(context)),
        };
        Some(remedy_out(change, &work, &fitted, 1))
    }

    /// The smallest usual host with more memory that the work fits on.
    fn larger(&self, catalog: &Catalog<'_>, work: &ModelRun) -> Option<RemedyOut> {
        let memories = MEMORIES.iter().copied();
        let larger = memories.filter(|memory| *memory > self.memory_gb());
        let (memory, fitted) = first(larger.filter_map(|memory| {
            let host = Self {
                memory: Some(memory),
            };
            Some((memory, host.fitted(catalog, work)?))
        }))?;
        let host = Self {
            memory: Some(memory),
        };
        let change = Remedy {
            kind: RemedyKind::HostMemory,
            lead: format!("on a host with {} GB of memory", number(memory)),
            flags: host.spec(),
        };
        Some(remedy_out(change, work, &fitted, 1))
    }
}
