//! Implausible prices of commitments.

use sky_accel_core::catalog::{ProviderId, RegionId};
use sky_accel_core::money::{Count, Usd};
use sky_accel_core::resolve::PricedMachine;
use sky_accel_core::text::number;

use super::Linter;
use crate::schema::{CommitmentEntry, HourlyAmount, Spanned};
use crate::source::CatalogDocument;

/// The price on demand times this is more than any commitment costs, whatever a `note` says: support and software do
/// not explain it.
const MOST_TIMES: u64 = 3;

impl Linter<'_, '_> {
    /// Checks that dates are not in the future, and that no commitment costs more than the price on demand without a
    /// `note` that says why.
    pub(super) fn commitments(&mut self, document: &CatalogDocument) {
        for program in &document.content.commitment_program {
            self.check_not_in_future(document, &program.as_of);
            for payment in &program.derived {
                self.check_not_in_future(document, &payment.as_of);
            }
        }
        for item in &document.content.commitment {
            self.check_not_in_future(document, &item.as_of);
            let stated = [
                (&item.usd_per_hour, false),
                (&item.usd_per_accelerator_hour, true),
            ];
            for (figure, is_each) in stated {
                if let Some(figure) = figure {
                    self.dear_commitment(document, item, figure, is_each);
                }
            }
        }
    }

    fn dear_commitment(
        &mut self,
        document: &CatalogDocument,
        item: &CommitmentEntry,
        figure: &Spanned<HourlyAmount>,
        is_each: bool,
    ) {
        let catalog = self.catalog;
        let program = catalog
            .commitment_programs
            .iter()
            .find(|program| catalog.str(program.id) == item.program.get_ref());
        let Some(provider) = program.map(|program| program.provider) else {
            return;
        };
        let amounts: Vec<(Option<&str>, f64)> = match figure.get_ref() {
            HourlyAmount::Everywhere(amount) => vec![(None, *amount)],
            HourlyAmount::ByRegion(by_region) => by_region
                .iter()
                .map(|(region, amount)| (Some(region.as_str()), *amount))
                .collect(),
        };
        for id in &item.offers {
            let offers = catalog.offers_with_id(provider, id.get_ref());
            let Some(offer) = offers.map(|id| catalog.offer(id)).next() else {
                continue;
            };
            let count = offer.count.unwrap_or(Count::ONE);
            for (region, amount) in &amounts {
                let region = region.and_then(|name| self.region_named(provider, name));
                let machine = PricedMachine {
                    offer: &offer,
                    count,
                    region,
                };
                let on_demand = machine.on_demand(catalog, None);
                let usd = Usd::from_decimal(*amount).unwrap_or_default();
                let usd = if is_each { usd.times(count) } else { usd };
                let why = match on_demand {
                    _ if usd == Usd(0) => "has no price".to_owned(),
                    Some(list) if usd.0 > list.0.saturating_mul(MOST_TIMES) => format!(
                        "is not plausible: {} an hour, and {} on demand",
                        number(usd.decimal()),
                        number(list.decimal())
                    ),
                    Some(list) if usd > list && item.note.is_none() => {
                        "costs more than the price on demand: say why in a `note`".to_owned()
                    }
                    _ => continue,
                };
                let message = format!("the commitment of '{}' {why}", id.get_ref());
                self.report(document, figure, message);
            }
        }
    }

    fn region_named(&self, provider: ProviderId, name: &str) -> Option<RegionId> {
        let catalog = self.catalog;
        let rows = catalog.regions.iter().enumerate();
        let mut found = rows.filter(|(_, row)| row.provider == provider);
        found
            .find(|(_, row)| catalog.str(row.id) == name)
            .map(|(at, _)| RegionId::of_index(at))
    }
}
