//! Rules of thumb of the guide, and the savings of its strategies at the prices of the catalog.

use crate::bind::interpret;
use crate::catalog::{
    CapacityType, Catalog, Comparison, GuideSize, GuideStrategy, GuideWorkload, Offer, ProviderId,
    Status,
};
use crate::mig::{Attribute, parse_profile};
use crate::money::{Count, Usd};

/// Returns the row for a number of parameters in billions, and the next row when the number is on
/// the boundary between the two; `None` when no row includes it.
pub fn size_row(catalog: &Catalog<'_>, billions: f64) -> Option<(GuideSize, Option<GuideSize>)> {
    let sizes = catalog.guide_sizes;
    let at = sizes.iter().position(|row| match row.up_to {
        None => true,
        Some(bound) if row.inclusive => billions <= bound,
        Some(bound) => billions < bound,
    })?;
    let row = sizes.at(at);
    let next = sizes
        .get(at + 1)
        .filter(|_| row.inclusive && row.up_to == Some(billions));
    Some((row, next))
}

/// Returns the rows for a workload.
pub fn workload_rows(catalog: &Catalog<'_>, workload: &str) -> Vec<GuideWorkload> {
    let answers = |row: &GuideWorkload| {
        catalog.str(row.workload) == workload
            || catalog.strings(row.flags).any(|flag| flag == workload)
    };
    catalog.guide_workloads.iter().filter(answers).collect()
}

/// The saving of a strategy at the catalog's prices, in percent.
#[derive(Clone, Debug, PartialEq)]
pub struct Saving {
    /// The smallest saving, in percent.
    pub low: f64,
    /// The median saving, in percent.
    pub median: f64,
    /// The largest saving, in percent.
    pub high: f64,
    /// The number of comparisons.
    pub samples: usize,
    /// A phrase that names the prices compared.
    pub basis: String,
}

impl Saving {
    fn of(mut percents: Vec<f64>, basis: impl Into<String>) -> Option<Self> {
        percents.sort_by(f64::total_cmp);
        Some(Self {
            low: *percents.first()?,
            median: percents[percents.len() / 2],
            high: *percents.last()?,
            samples: percents.len(),
            basis: basis.into(),
        })
    }

    /// Returns whether the median lies within the claimed range, to the nearest percent.
    pub fn within_claim(&self, strategy: &GuideStrategy) -> bool {
        let median = self.median.round();
        median >= strategy.claimed_low_percent && median <= strategy.claimed_high_percent
    }
}

/// Computes the saving of a strategy; `None` when no two prices can be compared.
pub fn saving(catalog: &Catalog<'_>, strategy: &GuideStrategy) -> Option<Saving> {
    match strategy.compare {
        Comparison::SpotDiscount => Saving::of(
            spot_savings(catalog),
            "spot against on-demand price of every offer with both",
        ),
        Comparison::SliceShare => Saving::of(
            slice_savings(catalog),
            "one slice against its whole GPU, every profile that shares a rentable one",
        ),
        Comparison::SpecPrices => {
            let (cheap, expensive) = (catalog.str(strategy.cheap), catalog.str(strategy.dear));
            let basis = format!(
                "lowest on-demand price of one {cheap} against one {expensive}, by provider that sells both"
            );
            Saving::of(spec_savings(catalog, cheap, expensive), basis)
        }
    }
}

fn percent(cheap: Usd, expensive: Usd) -> Option<f64> {
    (expensive > Usd(0)).then(|| (1.0 - cheap.0 as f64 / expensive.0 as f64) * 100.0)
}

/// Returns the price of one accelerator in the first tier, preferably in the default region.
fn per_accelerator(catalog: &Catalog<'_>, offer: &Offer, capacity: CapacityType) -> Option<Usd> {
    let home = catalog.provider(offer.provider).default_region;
    catalog
        .prices(offer)
        .iter()
        .filter(|price| price.capacity == capacity)
        .min_by_key(|price| (price.tier, price.region != home, price.usd))
        .map(|price| {
            let count = price.count.or(offer.count).unwrap_or(Count::ONE);
            price.of_machine(count).per(count)
        })
}

fn offered<'a>(catalog: &Catalog<'a>) -> impl Iterator<Item = Offer> + use<'a> {
    catalog
        .offers
        .iter()
        .filter(|offer| offer.status == Status::Offered)
}

fn spot_savings(catalog: &Catalog<'_>) -> Vec<f64> {
    offered(catalog)
        .filter_map(|offer| {
            let spot = per_accelerator(catalog, &offer, CapacityType::Spot)?;
            percent(
                spot,
                per_accelerator(catalog, &offer, CapacityType::OnDemand)?,
            )
        })
        .collect()
}

fn slice_savings(catalog: &Catalog<'_>) -> Vec<f64> {
    let rentable = |geometry: u16| {
        offered(catalog).any(|offer| {
            catalog.provider(offer.provider).tenant_mig != Some(false)
                && catalog
                    .accelerator(offer.accelerator)
                    .mig_geometry
                    .is_some_and(|id| id.0 == geometry)
        })
    };
    let geometries = catalog
        .geometries
        .iter()
        .enumerate()
        .filter(|(at, _)| rentable(*at as u16));
    geometries
        .flat_map(|(_, geometry)| catalog.profiles(&geometry))
        .filter(|profile| {
            let name = parse_profile(catalog.str(profile.name));
            profile.max > 1 && name.is_some_and(|name| name.attribute == Attribute::None)
        })
        .map(|profile| (1.0 - 1.0 / f64::from(profile.max)) * 100.0)
        .collect()
}

fn spec_savings(catalog: &Catalog<'_>, cheap: &str, expensive: &str) -> Vec<f64> {
    let lowest = |spec: &str, provider: ProviderId| {
        let wanted = interpret(catalog, spec).unwrap_or_default();
        let candidates = wanted.iter().flat_map(|w| &w.candidates);
        candidates
            .flat_map(|candidate| catalog.offers_of(candidate.accelerator))
            .map(|id| catalog.offer(id))
            .filter(|offer| {
                offer.provider == provider
                    && offer.status == Status::Offered
                    && offer.mig_profile.len == 0
            })
            .filter(|offer| offer.count.is_none_or(Count::is_whole))
            .filter_map(|offer| per_accelerator(catalog, &offer, CapacityType::OnDemand))
            .min()
    };
    (0..catalog.providers.len() as u16)
        .map(ProviderId)
        .filter_map(|provider| percent(lowest(cheap, provider)?, lowest(expensive, provider)?))
        .collect()
}
