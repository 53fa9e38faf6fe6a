//! `[[charge]]`: what providers bill besides machines.

use std::collections::BTreeMap;

use sky_accel_core::catalog::{
    Certainty, Charge, ChargeItem, ChargeRule, ChargeTier, ChargeUnit, ProviderId, RegionId, Rows,
    Str,
};
use sky_accel_core::word::Word as _;

use super::Compiler;
use super::regions::RegionsByName;
use crate::bounds;
use crate::schema::{ChargeEntry, Layer, Spanned};
use crate::source::CatalogDocument;

/// The key of a charge: a later layer replaces equal keys, and the table is sorted by them.
type ChargeKey = (ProviderId, ChargeItem, Option<RegionId>);

/// A charge before its tiers have their place.
#[derive(Clone)]
struct Draft {
    layer: Layer,
    row: Charge,
    tiers: Vec<ChargeTier>,
}

impl Compiler<'_> {
    /// Compiles charges. Providers, regions and currencies are already compiled.
    pub(super) fn charges(&mut self) {
        let regions = self.regions_by_name();
        let mut drafts: BTreeMap<ChargeKey, Draft> = BTreeMap::new();
        for document in self.documents {
            for entry in &document.content.charge {
                let Some(draft) = self.charge(document, entry) else {
                    continue;
                };
                for region in self.charged_regions(document, entry, draft.row.provider, &regions) {
                    let row = Charge {
                        region,
                        ..draft.row
                    };
                    let draft = Draft {
                        row,
                        ..draft.clone()
                    };
                    let replaced = drafts.insert((row.provider, row.item, region), draft);
                    if replaced.is_some_and(|replaced| replaced.layer == document.layer) {
                        let message = "this charge of the provider is stated twice";
                        self.fail(document, &entry.item, message);
                    }
                }
            }
        }
        for draft in drafts.into_values() {
            let tiers = self.tables.charge_tiers.append(draft.tiers);
            self.tables.charges.push(Charge { tiers, ..draft.row });
        }
    }

    /// Returns the regions of an entry, or one `None` for all regions.
    fn charged_regions(
        &mut self,
        document: &CatalogDocument,
        entry: &ChargeEntry,
        provider: ProviderId,
        regions: &RegionsByName,
    ) -> Vec<Option<RegionId>> {
        if entry.regions.is_empty() {
            return vec![None];
        }
        let mut found = Vec::with_capacity(entry.regions.len());
        for name in &entry.regions {
            match regions.get(&(provider, name.get_ref().clone())) {
                Some(region) => found.push(Some(*region)),
                None => self.unknown_region(document, name, name.get_ref()),
            }
        }
        found
    }

    fn charge(&mut self, document: &CatalogDocument, entry: &ChargeEntry) -> Option<Draft> {
        let provider = self.provider_of(document, entry.provider.as_ref(), &entry.item);
        let item = self.one_of(document, &entry.item, ChargeItem::ALL);
        let rule = match &entry.rule {
            None => Some(ChargeRule::Priced),
            Some(rule) => self.one_of(document, rule, ChargeRule::ALL),
        };
        let unit = match &entry.per {
            None => Some(ChargeUnit::Once),
            Some(unit) => self.one_of(document, unit, ChargeUnit::ALL),
        };
        if let (Some(item), Some(unit), Some(at)) = (item, unit, &entry.per) {
            self.charge_unit(document, item, unit, at);
        }
        let sure = self.one_of(document, &entry.sure, Certainty::ALL);
        let source = self.text(document, Some(&entry.source));
        if source.len == 0 {
            self.fail(document, &entry.source, "a charge needs a source");
        }
        let tiers = self.charge_tiers(document, entry);
        let price = entry.price.as_ref();
        let price = price.map(|price| self.charge_price(document, price));
        if price.is_some() && entry.per.is_none() {
            self.fail(document, &entry.item, "a price needs its unit, `per`");
        }
        let is_duration = matches!(item, Some(ChargeItem::Start | ChargeItem::MinimumRental));
        if rule == Some(ChargeRule::Priced) && price.is_none() && !is_duration {
            let message = "a charge has a price, or a rule other than `priced`";
            self.fail(document, &entry.item, message);
        }
        let (least_s, most_s) = self.charge_times(document, entry);
        let row = Charge {
            provider: provider?,
            item: item?,
            region: None,
            rule: rule?,
            except: self.text(document, entry.except.as_ref()),
            unit: unit?,
            currency: self.charge_currency(document, entry.currency.as_ref()),
            price,
            free: entry.free.as_ref().map_or(0, |free| *free.get_ref()),
            tiers: Rows::default(),
            least_s,
            most_s,
            note: self.text(document, entry.note.as_ref()),
            source,
            as_of: self.date(document, &entry.as_of),
            sure: sure?,
        };
        Some(Draft {
            layer: document.layer,
            row,
            tiers,
        })
    }

    /// Checks that the price of an item can be stated in a unit.
    fn charge_unit(
        &mut self,
        document: &CatalogDocument,
        item: ChargeItem,
        unit: ChargeUnit,
        at: &Spanned<String>,
    ) {
        let units = item.units();
        if units.contains(&unit) {
            return;
        }
        let words: Vec<&str> = units.iter().map(|unit| unit.word()).collect();
        let message = match &words[..] {
            [] => format!("{item} is a rule of the bill and has no price"),
            words => format!(
                "the price of {item} is per {}, not per {unit}",
                words.join(" or ")
            ),
        };
        self.fail(document, at, message);
    }

    fn charge_tiers(&mut self, document: &CatalogDocument, entry: &ChargeEntry) -> Vec<ChargeTier> {
        let mut tiers: Vec<ChargeTier> = Vec::new();
        for tier in &entry.tiers {
            let above = *tier.above.get_ref();
            if above <= tiers.last().map_or(0, |last| last.above) {
                let message = "the bounds of tiers rise, and the first tier is `price` itself";
                self.fail(document, &tier.above, message);
            }
            let price = self.charge_price(document, &tier.price);
            tiers.push(ChargeTier { above, price });
        }
        tiers
    }

    /// Returns a price in billionths.
    fn charge_price(&mut self, document: &CatalogDocument, price: &Spanned<f64>) -> u64 {
        let value = *price.get_ref();
        self.within(document, price, value, &bounds::CHARGE);
        (value * 1e9).round().max(0.0) as u64
    }

    fn charge_times(&mut self, document: &CatalogDocument, entry: &ChargeEntry) -> (u32, u32) {
        if let Some([least, most]) = &entry.seconds {
            if most.get_ref() < least.get_ref() {
                self.fail(document, most, "the second time is shorter than the first");
            }
            return (*least.get_ref(), *most.get_ref());
        }
        let hours = entry.hours.as_ref().map_or(0, |hours| *hours.get_ref());
        let seconds = hours.saturating_mul(3600);
        (seconds, seconds)
    }

    /// Returns the code of a currency; empty for US dollars.
    fn charge_currency(
        &mut self,
        document: &CatalogDocument,
        code: Option<&Spanned<String>>,
    ) -> Str {
        let Some(code) = code.filter(|code| code.get_ref() != "USD") else {
            return Str::default();
        };
        self.currency_code(document, code);
        self.text(document, Some(code))
    }
}
