//! Overlays from a published catalog: what it has that is newer.

use std::collections::{BTreeMap, HashSet};

use sky_accel_core::catalog::{Catalog, Offer, Price, PriceKind, ProviderId, Quality, Statistic};
use sky_accel_core::money::{Count, Usd};
use toml::{Table, Value};

use super::fresh::{Fresh, OverlayEntry};

/// Returns an overlay for `known` with the offers and prices of a provider in `published` that are newer. The two ids
/// of the provider are for the two catalogs. Facts dated after `today`, such as `2026-11-20`, are left out, and so are
/// offers of accelerators that `known` does not have.
pub fn overlay_of_published(
    known: &Catalog<'_>,
    published: &Catalog<'_>,
    (of_known, of_published): (ProviderId, ProviderId),
    today: &str,
) -> Fresh {
    let id = known.provider_id(of_known);
    let fresh = Fresh {
        heading: format!(
            "# Offers and prices of {id} in the published catalog {}. `sky-accel catalog update` wrote this file, and replaces\n\
             # it on the next update. Delete it to use the embedded prices.\n\nsold_by = \"{id}\"\n",
            published.version()
        ),
        ..Fresh::default()
    };
    let devices = known.accelerators.iter();
    let mut writer = PublishedWriter {
        known,
        published,
        of_known,
        devices: devices.map(|device| known.str(device.id)).collect(),
        today,
        fresh,
    };
    let offers = published.offers.iter();
    for offer in offers.filter(|offer| offer.provider == of_published) {
        writer.offer(&offer);
    }
    writer.fresh.write();
    writer.fresh
}

struct PublishedWriter<'w, 'a, 'b> {
    known: &'w Catalog<'a>,
    published: &'w Catalog<'b>,
    /// The provider in the known catalog.
    of_known: ProviderId,
    /// The ids of the known accelerators.
    devices: HashSet<&'a str>,
    today: &'w str,
    fresh: Fresh,
}

impl PublishedWriter<'_, '_, '_> {
    fn offer(&mut self, offer: &Offer) {
        let published = self.published;
        let id = published.str(offer.id);
        let devices: Vec<&str> = published
            .accelerators(offer.accelerators)
            .iter()
            .map(|device| published.accelerator_id(device))
            .collect();
        let is_device = |name: &&str| self.devices.contains(name);
        if devices.is_empty() || !devices.iter().all(is_device) {
            let reason = "offers of accelerators that this program does not know";
            self.fresh.left_out.add(reason, 1);
            return;
        }
        let known_offer = self.known_offer(id, &devices);
        let known_day = known_offer.map(|known| self.known.str(known.as_of));
        if self.is_newer(published.str(offer.as_of), known_day) {
            self.fresh.types += 1;
            self.add(id, false, "offer", self.described(offer, &devices));
        } else if known_offer.is_none() {
            return;
        }
        self.prices(offer, known_offer.as_ref());
    }

    /// Returns the known offer with an id and these accelerators.
    fn known_offer(&self, id: &str, devices: &[&str]) -> Option<Offer> {
        let known = self.known;
        let offers = known.offers_with_id(self.of_known, id);
        let mut offers = offers.map(|offer| known.offer(offer));
        offers.find(|offer| {
            let names = known.accelerators(offer.accelerators).iter();
            names
                .map(|device| known.accelerator_id(device))
                .eq(devices.iter().copied())
        })
    }

    /// Returns whether a fact is newer than what is known, and counts facts of the future.
    fn is_newer(&mut self, day: &str, known_day: Option<&str>) -> bool {
        let is_future = day > self.today;
        self.fresh
            .left_out
            .add("facts dated in the future", is_future.into());
        !is_future && known_day.is_none_or(|known| day > known)
    }

    fn described(&self, offer: &Offer, devices: &[&str]) -> Table {
        let published = self.published;
        let mut table = Table::new();
        text(&mut table, "id", published.str(offer.id));
        text(&mut table, "kind", offer.kind.word());
        match devices {
            [device] => text(&mut table, "accelerator", device),
            devices => texts(&mut table, "any_of", devices.iter().copied()),
        }
        if offer.hosts > 1 {
            table.insert("hosts".to_owned(), i64::from(offer.hosts).into());
        }
        let count = |count: Option<Count>| count.map(Count::decimal);
        figure(&mut table, "count", count(offer.count));
        let counts = published.sold_counts.run(offer.counts).iter();
        let counts: Vec<Value> = counts.map(|count| i64::from(count).into()).collect();
        if counts.is_empty() {
            figure(&mut table, "max_count", count(offer.max_count));
        } else {
            table.insert("counts".to_owned(), counts.into());
        }
        let vcpu = ["vcpu", "vcpu_per_accelerator"];
        let vcpu = vcpu[usize::from(offer.vcpu_per_accelerator)];
        figure(&mut table, vcpu, offer.vcpu);
        let memory = ["host_memory_gib", "host_memory_gib_per_accelerator"];
        let memory = memory[usize::from(offer.host_memory_per_accelerator)];
        figure(&mut table, memory, offer.host_memory_gib);
        text(&mut table, "status", offer.status.word());
        let regions = published.regions(offer.regions).iter();
        let regions = regions.map(|region| published.region_id(region));
        texts(&mut table, "regions", regions);
        more_columns(published, offer, &mut table);
        text(&mut table, "source", published.str(offer.source));
        text(&mut table, "as_of", published.str(offer.as_of));
        table
    }

    fn prices(&mut self, offer: &Offer, known_offer: Option<&Offer>) {
        let (known, published) = (self.known, self.published);
        let newest = |catalog: &Catalog<'_>, offer: &Offer| {
            let days = catalog.prices(offer).iter();
            let days = days.filter(is_public);
            days.map(|price| catalog.str(price.as_of).to_owned()).max()
        };
        let known_day = known_offer.and_then(|offer| newest(known, offer));
        let Some(day) = newest(published, offer) else {
            return;
        };
        if !self.is_newer(&day, known_day.as_deref()) {
            return;
        }
        let id = published.str(offer.id);
        let of_id = published.offers_with_id(offer.provider, id);
        let memory = published.accelerator(offer.accelerator).memory_gb;
        let memory = memory.filter(|_| of_id.len() > 1);
        // Prices that differ in nothing but the region share an entry. An entry without regions replaces all earlier
        // ones, so it comes first.
        let mut entries: BTreeMap<(bool, String), (Table, Table)> = BTreeMap::new();
        for price in published.prices(offer) {
            if !is_public(&price) {
                continue;
            }
            let mut terms = self.terms(offer, &price);
            figure(&mut terms, "memory_gb", memory);
            let key = (price.region.is_some(), terms.to_string());
            let (_, amounts) = entries
                .entry(key)
                .or_insert_with(|| (terms, Table::default()));
            let region = price.region.map(|region| published.region_id(region));
            amounts.insert(region.unwrap_or_default().to_owned(), amount(&price).into());
        }
        for ((is_regional, _), (mut terms, amounts)) in entries {
            self.fresh.prices += amounts.len();
            let of_all = amounts.get("").cloned();
            let stated = match of_all {
                Some(usd) if !is_regional => usd,
                _ => Value::Table(amounts),
            };
            let field = terms.remove(AMOUNT).and_then(|field| {
                let field = field.as_str()?;
                Some(field.to_owned())
            });
            terms.insert(field.unwrap_or_default(), stated);
            self.add(id, true, "price", terms);
        }
    }

    /// Returns the terms of a price without its amount. The entry [`AMOUNT`] is the name of the field of the amount.
    fn terms(&self, offer: &Offer, price: &Price) -> Table {
        let published = self.published;
        let mut terms = Table::new();
        text(&mut terms, "offer", published.str(offer.id));
        figure(&mut terms, "count", price.count.map(Count::decimal));
        text(&mut terms, "capacity_type", price.capacity.word());
        text(&mut terms, "kind", price.kind.word());
        let provider = published.provider(offer.provider);
        let tier = published.strings(provider.tiers).nth(price.tier.into());
        text(&mut terms, "tier", tier.unwrap_or_default());
        let statistic = price.statistic.map(Statistic::word);
        text(&mut terms, "statistic", statistic.unwrap_or_default());
        let seen_in = published.regions(price.seen_in).iter();
        let seen_in = seen_in.map(|region| published.region_id(region));
        texts(&mut terms, "regions", seen_in);
        text(&mut terms, "source", published.str(price.source));
        text(&mut terms, "as_of", published.str(price.as_of));
        if price.quality != Quality::Provider {
            text(&mut terms, "quality", price.quality.word());
        }
        let currency = published.str(price.currency);
        text(&mut terms, "currency", currency);
        let field = match (price.per_accelerator, currency.is_empty()) {
            (false, true) => "usd_per_hour",
            (true, true) => "usd_per_accelerator_hour",
            (false, false) => "per_hour",
            (true, false) => "per_accelerator_hour",
        };
        text(&mut terms, AMOUNT, field);
        terms
    }

    fn add(&mut self, offer: &str, is_price: bool, section: &str, entry: Table) {
        let entry = Value::Array(vec![Value::Table(entry)]);
        let document = Table::from_iter([(section.to_owned(), entry)]);
        self.fresh.entries.push(OverlayEntry {
            offer: offer.to_owned(),
            is_price,
            text: format!("\n{document}"),
        });
    }
}

/// The key of the field name of an amount, which no field of the schema has.
const AMOUNT: &str = "";

/// Returns whether a price is for everybody.
fn is_public(price: &Price) -> bool {
    !matches!(price.kind, PriceKind::Contract | PriceKind::Live)
}

/// Returns the amount in the currency that the provider charges.
fn amount(price: &Price) -> f64 {
    let is_usd = price.currency.len == 0;
    let amount = if is_usd {
        price.usd
    } else {
        Usd(price.charged)
    };
    amount.decimal()
}

fn text(table: &mut Table, key: &str, value: &str) {
    if !value.is_empty() {
        table.insert(key.to_owned(), value.into());
    }
}

fn texts<'t>(table: &mut Table, key: &str, values: impl Iterator<Item = &'t str>) {
    let values: Vec<Value> = values.map(Value::from).collect();
    if !values.is_empty() {
        table.insert(key.to_owned(), values.into());
    }
}

fn figure(table: &mut Table, key: &str, value: Option<f64>) {
    if let Some(value) = value {
        table.insert(key.to_owned(), value.into());
    }
}

macro_rules! declare_columns {
    ($($(#[$doc:meta])* $name:ident: $kind:ident $(($bounds:ident))?;)+) => {
        /// Adds the columns that every interface shares.
        fn more_columns(catalog: &Catalog<'_>, offer: &Offer, table: &mut Table) {
            $(declare_columns!(@ $kind, catalog, table, stringify!($name), offer.$name);)+
        }
    };
    (@ Text, $catalog:ident, $table:ident, $name:expr, $value:expr) => {
        text($table, $name, $catalog.str($value));
    };
    (@ Figure, $catalog:ident, $table:ident, $name:expr, $value:expr) => {
        figure($table, $name, $value);
    };
}

sky_accel_core::offer_columns!(declare_columns);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{BASE, compiled, sources};
    use crate::{Layer, Source, Tables, compile, diff};

    const CURRENCY: &str = r#"
        [[currency]]
        code = "EUR"
        usd = 1.2
        source = "s"
        as_of = "2026-11"
    "#;

    /// Returns the base catalog with changes, which another project published.
    fn edition(changes: &[(&str, &str)], more: &str) -> Tables {
        let mut text = BASE.to_owned();
        for (before, after) in changes {
            assert!(text.contains(before), "{before}");
            text = text.replace(before, after);
        }
        compile(&[Source::toml(
            Layer::EMBEDDED,
            "base.toml",
            text + CURRENCY + more,
        )])
        .unwrap()
    }

    fn overlay_of(published: &Tables) -> Fresh {
        let base = compiled(&[CURRENCY]).unwrap();
        overlay_of_published(
            &base.catalog(),
            &published.catalog(),
            (ProviderId(0), ProviderId(0)),
            "2026-11-20",
        )
    }

    /// Returns the base catalog with an overlay.
    fn with(overlay: &Fresh) -> Tables {
        let mut sources = sources(&[CURRENCY]);
        sources.push(Source::toml(
            Layer::overlay(1),
            "via-published-acme.toml",
            overlay.text.clone(),
        ));
        compile(&sources).unwrap_or_else(|errors| panic!("{errors:?}\n{}", overlay.text))
    }

    const NEW_OFFERS: &str = r#"
        [[offer]]
        id = "g4"
        accelerator = "G-80GB"
        count = 4
        vcpu = 48
        host_memory_gib = 512
        host_arch = "x86_64"
        efa_interfaces = 2
        note = "new"
        status = "preview"
        regions = ["west"]
        source = "list"
        as_of = "2026-11-15"

        [[price]]
        offer = "g4"
        source = "list"
        as_of = "2026-11-15"
        tier = "community"
        quality = "aggregator"
        currency = "EUR"
        per_hour = 7.5

        [[price]]
        offer = "g4"
        source = "list"
        as_of = "2026-11-15"
        capacity_type = "spot"
        kind = "snapshot"
        statistic = "lowest-zone"
        usd_per_accelerator_hour = { west = 0.8 }
    "#;

    #[test]
    fn newer_prices_and_offers_equal_the_published_catalog() {
        let published = edition(
            &[(
                "as_of = \"2026-11-01\"\nusd_per_hour = { east = 16.0, west = 18.0 }",
                "as_of = \"2026-11-10\"\nusd_per_hour = { east = 20.0, west = 22.0 }",
            )],
            NEW_OFFERS,
        );
        let overlay = overlay_of(&published);
        assert_eq!((overlay.types, overlay.prices), (1, 4), "{}", overlay.text);
        assert_eq!(overlay.left_out.rows(), 0);
        let after = with(&overlay);
        let changes = diff(&after.catalog(), &published.catalog());
        assert!(changes.is_empty(), "{changes:?}");
        // Only newer facts are written.
        assert!(!overlay.text.contains("\"g1\""), "{}", overlay.text);
    }

    #[test]
    fn older_prices_do_not_replace_newer_ones() {
        let published = edition(
            &[(
                "as_of = \"2026-11-01\"\nusd_per_hour = 2.5",
                "as_of = \"2026-10-31\"\nusd_per_hour = 1.5",
            )],
            "",
        );
        let overlay = overlay_of(&published);
        assert_eq!((overlay.types, overlay.prices), (0, 0), "{}", overlay.text);
    }

    #[test]
    fn facts_of_the_future_are_left_out() {
        let published = edition(
            &[(
                "as_of = \"2026-11-01\"\nusd_per_hour = 2.5",
                "as_of = \"2026-11-21\"\nusd_per_hour = 1.5",
            )],
            "",
        );
        let overlay = overlay_of(&published);
        assert_eq!((overlay.prices, overlay.left_out.rows()), (0, 1));
    }

    #[test]
    fn offers_of_unknown_accelerators_are_left_out() {
        let new = r#"
            [[accelerator]]
            id = "Z-1GB"
            family = "Z"
            vendor = "NVIDIA"
            class = "datacenter"
            form_factor = "PCIe"
            memory_gb = 1
            sources = ["https://example.com"]
            names.common = ["Z"]

            [[offer]]
            id = "z1"
            accelerator = "Z-1GB"
            count = 1
            source = "s"
            as_of = "2026-11-02"
        "#;
        let overlay = overlay_of(&edition(&[], new));
        assert_eq!((overlay.types, overlay.left_out.rows()), (0, 1));
    }
}
