//! Tables in which committed prices replace the prices on demand, so that all other code ranks them.

use sky_accel_core::catalog::{
    Availability, CapacityType, Catalog, CommitmentBasis, CommitmentFilter, Offer, OfferId, Price,
    PriceKind, ReplacedPrices, Rows, Str, share_of,
};
use sky_accel_core::money::Usd;
use sky_accel_core::resolve::{CommittedPrice, ranking_commitments};

use crate::Tables;

impl Tables {
    /// Returns a copy of a catalog in which the prices of each offer are those of the requested commitments. Spot
    /// prices stay. An offer without a known committed price has no price on demand; [`Catalog::uncommitted`] finds the
    /// old prices.
    pub fn committed(catalog: &Catalog<'_>, filter: CommitmentFilter) -> Self {
        let mut tables = Self::copy_of(catalog);
        let mut replaced = Vec::with_capacity(catalog.offers.len());
        for (at, offer) in catalog.offers.iter().enumerate() {
            let rows = prices(catalog, &offer, filter);
            let old = offer.prices;
            let prices = tables.prices.append(rows);
            tables.offers.set(at, Offer { prices, ..offer });
            replaced.push(ReplacedPrices {
                offer: OfferId::of_index(at),
                prices: old,
            });
        }
        tables.replaced_prices.extend(replaced);
        tables.commitment_request.push(filter);
        tables.index_offers();
        tables
    }
}

/// Returns the committed prices of an offer and its spot prices.
fn prices(catalog: &Catalog<'_>, offer: &Offer, filter: CommitmentFilter) -> Vec<Price> {
    let old = catalog.prices(offer);
    let mut rows: Vec<Price> = Vec::new();
    for committed in ranking_commitments(catalog, offer, filter) {
        let basis = committed.commitment.basis;
        if basis == CommitmentBasis::Share {
            let on_demand = old.iter().filter(|price| {
                let tier = committed.commitment.tier;
                price.capacity == CapacityType::OnDemand
                    && tier.is_none_or(|tier| tier == price.tier)
            });
            rows.extend(on_demand.map(|price| share(&committed, &price)));
        } else {
            rows.push(price(&committed));
        }
    }
    rows.extend(
        old.iter()
            .filter(|price| price.capacity == CapacityType::Spot),
    );
    rows
}

/// A price that is a share of a price on demand.
fn share(committed: &CommittedPrice, on_demand: &Price) -> Price {
    let millionths = share_of(Usd(committed.commitment.figure), committed.share).0;
    Price {
        kind: PriceKind::Committed,
        usd: share_of(on_demand.usd, millionths),
        currency: Str::default(),
        charged: 0,
        quality: committed.quality.max(on_demand.quality),
        ..*on_demand
    }
}

fn price(committed: &CommittedPrice) -> Price {
    let CommittedPrice {
        commitment,
        share,
        quality,
        source,
        as_of,
        ..
    } = *committed;
    Price {
        capacity: CapacityType::OnDemand,
        kind: PriceKind::Committed,
        tier: commitment.tier.unwrap_or(0),
        statistic: None,
        count: None,
        region: commitment.region,
        seen_in: Rows::default(),
        usd: share_of(Usd(commitment.figure), share),
        per_accelerator: commitment.basis == CommitmentBasis::Accelerator,
        currency: Str::default(),
        charged: 0,
        quality,
        sources: 1,
        source,
        as_of,
        availability: Availability::Unknown,
        zone: Str::default(),
        listing: Str::default(),
    }
}

#[cfg(test)]
mod tests {
    use sky_accel_core::catalog::{OfferId, Upfront};
    use sky_accel_core::resolve::{LikelyPrices, committed_prices};

    use super::*;
    use crate::fixture::{changes, compiled, errors};

    const PROGRAM: &str = r#"
[[commitment_program]]
id = "acme-reserved"
provider = "acme"
name = "reserved"
derived = [{ term = "1y", upfront = "all", share = 0.9, source = "s", as_of = "2026" }]
source = "s"
as_of = "2026"
"#;

    fn commitment(fields: &str) -> String {
        format!(
            "[[commitment]]\nprogram = \"acme-reserved\"\nterms = [\"1y\"]\n{fields}\nsource = \"s\"\nas_of = \"2026-11-01\"\n"
        )
    }

    fn with(fields: &str) -> String {
        format!("{PROGRAM}{}", commitment(fields))
    }

    const EAST: &str = "offers = [\"g8\"]\nupfront = \"none\"\nusd_per_hour = { east = 10.0 }";

    /// The prices on demand of the offer with this id, in millionths.
    fn on_demand(tables: &Tables, id: &str) -> Vec<u64> {
        let catalog = tables.catalog();
        let offers = catalog.offers.iter();
        let offer = offers
            .clone()
            .find(|offer| catalog.str(offer.id) == id)
            .unwrap();
        let prices = catalog.prices(&offer).iter();
        prices
            .filter(|price| price.capacity == CapacityType::OnDemand)
            .map(|price| price.usd.0)
            .collect()
    }

    #[test]
    fn committed_prices_replace_those_on_demand() {
        let tables = compiled(&[&with(EAST)]).unwrap();
        let year = CommitmentFilter {
            days: Some(365),
            upfront: None,
        };
        let committed = Tables::committed(&tables.catalog(), year);
        assert_eq!(on_demand(&committed, "g8"), [10_000_000]);
        assert!(on_demand(&committed, "g1").is_empty());
        let catalog = committed.catalog();
        assert_eq!(catalog.commitment_filter(), Some(year));
        let ids = (0..catalog.offers.len()).map(OfferId::of_index);
        let g8 = ids
            .clone()
            .find(|id| catalog.str(catalog.offer(*id).id) == "g8")
            .unwrap();
        assert_eq!(catalog.prices(&catalog.uncommitted(g8)).len(), 2);
        let all = CommitmentFilter {
            upfront: Some(Upfront::All),
            ..year
        };
        let upfront = Tables::committed(&tables.catalog(), all);
        assert_eq!(on_demand(&upfront, "g8"), [9_000_000]);
        let longer = CommitmentFilter {
            days: Some(1095),
            ..year
        };
        let none = Tables::committed(&tables.catalog(), longer);
        assert!(on_demand(&none, "g8").is_empty());
    }

    #[test]
    fn the_market_is_that_of_prices_on_demand() {
        // The median needs two providers.
        let other = "[[provider]]\nid = \"beta\"\nsells = \"instance-types\"\n[[offer]]\nprovider = \"beta\"\nid = \"b8\"\n\
            accelerator = \"G-80GB\"\ncount = 8\nsource = \"s\"\nas_of = \"2026-11-01\"\n\
            [[price]]\nprovider = \"beta\"\noffer = \"b8\"\nsource = \"s\"\nas_of = \"2026-11-01\"\nusd_per_hour = 20.0\n";
        let tables = compiled(&[&with(EAST), other]).unwrap();
        let committed = Tables::committed(&tables.catalog(), CommitmentFilter::default());
        let median = |tables: &Tables| {
            let catalog = tables.catalog();
            let offer = catalog.uncommitted(OfferId::of_index(0));
            let price = catalog.prices(&offer).iter().next().unwrap();
            LikelyPrices::on("2026-11-20").median(&catalog, &offer, &price)
        };
        assert!(median(&tables).is_some());
        assert_eq!(median(&committed), median(&tables));
    }

    #[test]
    fn shares_are_those_of_each_price_on_demand() {
        let tables = compiled(&[&with("upfront = \"none\"\nshare_of_on_demand = 0.5")]).unwrap();
        let committed = Tables::committed(&tables.catalog(), CommitmentFilter::default());
        assert_eq!(on_demand(&committed, "g8"), [8_000_000, 9_000_000]);
        assert_eq!(on_demand(&committed, "g1"), [1_250_000]);
    }

    #[test]
    fn a_later_layer_replaces_a_price_in_its_region() {
        let later = commitment(&EAST.replace("10.0", "9.5"));
        let west = commitment(&EAST.replace("{ east = 10.0 }", "{ west = 11.0 }"));
        let tables = compiled(&[&with(EAST), &later, &west]).unwrap();
        let catalog = tables.catalog();
        let offer = catalog.offers.at(0);
        let prices = committed_prices(&catalog, &offer, CommitmentFilter::default());
        let stated = prices
            .iter()
            .filter(|price| price.upfront == Some(Upfront::None));
        let figures: Vec<u64> = stated.map(|price| price.commitment.figure).collect();
        assert_eq!(figures, [9_500_000, 11_000_000]);
        let names: Vec<String> = changes(&[&with(EAST)])
            .into_iter()
            .map(|change| change.what)
            .collect();
        assert!(
            names
                .iter()
                .any(|name| name.contains("commitment acme g8 acme-reserved 1y none east")),
            "{names:?}"
        );
    }

    #[test]
    fn faults_are_errors() {
        for (overlay, message) in [
            (with(&EAST.replace("g8", "g9")), "no offer has the id 'g9'"),
            (
                with(&EAST.replace("east", "moon")),
                "the provider has no region 'moon'",
            ),
            (with(&EAST.replace("none", "some")), "unknown value"),
            (with(EAST).replace("[\"1y\"]", "[\"1 yr\"]"), "not a term"),
            (with(EAST).replace("[\"1y\"]", "[\"0d\"]"), "not a term"),
            (with(EAST).replace("[\"1y\"]", "[\"0d-0d\"]"), "not a term"),
            (
                with(EAST).replace("program = \"acme-reserved\"", "program = \"other\""),
                "known ids are acme-reserved",
            ),
            (commitment(EAST), "no [[commitment_program]] has the id"),
            (
                with(&format!("{EAST}\nshare_of_on_demand = 0.5")),
                "a commitment has one of",
            ),
            (
                with("usd_per_hour = 4.0"),
                "the price of a machine names its `offers`",
            ),
            (with(&EAST.replace("10.0", "0.0")), "is not between"),
            (
                with(EAST) + &commitment(EAST),
                "a price of this commitment is stated twice",
            ),
            (
                with(EAST).replace("share = 0.9", "share = 1.5"),
                "at most 1",
            ),
        ] {
            let found = errors(&[&overlay]);
            assert!(
                found.iter().any(|error| error.contains(message)),
                "{message}: {found:?}"
            );
        }
    }
}
