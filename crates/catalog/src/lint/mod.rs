//! Checks for files that are well-formed and still wrong: figures in a field of another unit,
//! prices that nobody charges, dates that have passed.

mod overrides;
mod traps;

use std::collections::HashSet;

use sky_accel_core::catalog::{
    Accelerator, CapacityType, Catalog, Meaning, Offer, OfferId, Price, RegionId, Status,
};
use sky_accel_core::money::Count;
use sky_accel_core::text::number;

use crate::compile::MAX_ERRORS;
use crate::schema::{self, Amount, Spanned};
use crate::source::{Document, Sources};
use crate::{Diagnostic, Layer, Source};

/// A driver keeps some of the memory for itself, and a vendor's GB may be GiB.
const REPORTED: std::ops::RangeInclusive<f64> = 0.8..=1.08;
/// No device has more memory, in GB.
const MAX_MEMORY_GB: f64 = 2000.0;
/// No machine has more memory, in GiB, and none with an accelerator less for each.
const HOST_GIB: std::ops::RangeInclusive<f64> = 0.5..=65_536.0;
/// Slower memory than this is none of these sizes: TB/s stand in the field of GB/s.
const MIN_BANDWIDTH_GB_S: f64 = 10.0;
/// On-chip memory of a wafer has this much.
const MAX_BANDWIDTH_GB_S: f64 = 5e7;
const TDP_W: std::ops::RangeInclusive<f64> = 3.0..=30_000.0;
/// US dollars for one accelerator and hour.
const PRICE: std::ops::RangeInclusive<f64> = 0.005..=150.0;
/// Nobody charges so many times more, or less, than everybody else.
const FAR: f64 = 20.0;
/// The most other machines that a price is compared with.
const MAX_SIBLINGS: usize = 64;
/// How near two figures are that are one and the same.
const SAME: f64 = 0.02;

/// Checks files for facts that are well-formed but cannot be right, and returns the findings by
/// file and position. Overlays are checked against `catalog`, files of the embedded catalog against
/// `shipped`, the catalog without overlays. `age` returns the days since a date. Old prices are no
/// error in the embedded catalog, because every answer states their date.
pub fn lint<'a>(
    sources: &[Source],
    catalog: &Catalog<'a>,
    shipped: &Catalog<'a>,
    age: &dyn Fn(&str) -> Option<i32>,
) -> Vec<Diagnostic> {
    let sources = match Sources::read(sources) {
        Ok(sources) => sources,
        Err(errors) => return errors,
    };
    let mut embedded = Linter::over(shipped, shipped, age);
    let mut laid_over = Linter::over(catalog, shipped, age);
    for document in &sources.documents {
        match document.layer {
            Layer::EMBEDDED => embedded.accelerators(document),
            _ => laid_over.accelerators(document),
        }
    }
    sources.each_with_offers(|_, document| match document {
        Ok(document) if document.layer == Layer::EMBEDDED => {
            embedded.offers(document);
            embedded.prices(document);
        }
        Ok(document) => {
            laid_over.offers(document);
            laid_over.prices(document);
            laid_over.machines(document);
        }
        Err(error) => laid_over.found.push(error),
    });
    let is_overlay = |document: &&Document| document.layer != Layer::EMBEDDED;
    laid_over.overrides(sources.documents.iter().filter(is_overlay));
    let mut found = embedded.found;
    found.extend(laid_over.found);
    found.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    found.dedup();
    found
}

struct Linter<'l, 'a> {
    catalog: &'l Catalog<'a>,
    /// The catalog without the user's files.
    shipped: &'l Catalog<'a>,
    age: &'l dyn Fn(&str) -> Option<i32>,
    /// The prices seen so far, each with its day and layer.
    stated: HashSet<String>,
    found: Vec<Diagnostic>,
}

impl<'l, 'a> Linter<'l, 'a> {
    fn over(
        catalog: &'l Catalog<'a>,
        shipped: &'l Catalog<'a>,
        age: &'l dyn Fn(&str) -> Option<i32>,
    ) -> Self {
        Self {
            catalog,
            shipped,
            age,
            stated: HashSet::new(),
            found: Vec::new(),
        }
    }

    fn say<T>(&mut self, document: &Document, at: &Spanned<T>, message: impl Into<String>) {
        if self.found.len() < MAX_ERRORS {
            self.found.push(document.error(at.span(), message));
        }
    }

    fn is_outside(
        &mut self,
        document: &Document,
        figure: Option<&Spanned<f64>>,
        range: &std::ops::RangeInclusive<f64>,
        what: &str,
    ) {
        if let Some(figure) = figure
            && !range.contains(figure.get_ref())
        {
            let value = number(*figure.get_ref());
            self.say(document, figure, format!("{value} is no plausible {what}"));
        }
    }

    fn future(&mut self, document: &Document, date: &Spanned<String>) {
        if (self.age)(date.get_ref()).is_some_and(|days| days < -1) {
            self.say(document, date, "this day is still to come");
        }
    }

    fn accelerators(&mut self, document: &Document) {
        let catalog = self.catalog;
        for item in &document.content.name {
            let default = item.default.as_ref().map_or("", |id| id.get_ref());
            self.taken(document, default, &item.names);
        }
        for item in &document.content.accelerator {
            let row = catalog
                .accelerators
                .iter()
                .find(|row| catalog.str(row.id) == item.id.get_ref());
            let Some(row) = row else { continue };
            if document.layer != Layer::EMBEDDED && row.sources.len == 0 {
                self.say(document, &item.id, "there is no `sources`");
            }
            self.memory(document, item, &row);
            self.taken(document, item.id.get_ref(), &item.names);
            let bandwidth = MIN_BANDWIDTH_GB_S..=MAX_BANDWIDTH_GB_S;
            if row.memory_gb.is_some_and(|gb| gb >= 8.0) {
                let figure = item.memory_bandwidth_gb_s.as_ref();
                self.is_outside(document, figure, &bandwidth, "number of GB/s");
            }
            for (figure, range, what) in [
                (&item.tdp_w, TDP_W, "number of watts"),
                (&item.interconnect_gb_s, 1.0..=5000.0, "number of GB/s"),
                (&item.pcie_gen, 1.0..=9.0, "generation of PCIe"),
                (&item.release_year, 1999.0..=2049.0, "year"),
            ] {
                self.is_outside(document, figure.as_ref(), &range, what);
            }
            for (version, field) in [
                (&item.compute_capability, "compute_capability"),
                (&item.cuda_min, "cuda_min"),
                (&item.cuda_last, "cuda_last"),
            ] {
                if let Some(version) = version
                    .as_ref()
                    .filter(|text| !text.get_ref().contains('.'))
                {
                    self.say(
                        document,
                        version,
                        format!("`{field}` is a version such as 9.0"),
                    );
                }
            }
            self.rates(document, item, &row);
            for disputed in &item.disputed {
                self.future(document, &disputed.as_of);
            }
        }
    }

    /// Dense rates of one device go up as their formats get shorter, and not by much.
    fn rates(&mut self, document: &Document, item: &schema::Accelerator, row: &Accelerator) {
        let full = row.fp32_tflops;
        for (figure, field) in [
            (&item.bf16_tflops, "bf16_tflops"),
            (&item.fp16_tflops, "fp16_tflops"),
        ] {
            let Some(figure) = figure else { continue };
            let tflops = *figure.get_ref();
            let other = if field == "bf16_tflops" {
                row.fp16_tflops
            } else {
                row.bf16_tflops
            };
            if full.is_some_and(|full| tflops < full / 8.0 || tflops > full * 100.0) {
                let message = format!(
                    "`{field}` does not go with {} TFLOPS of FP32: another unit",
                    figure_text(full)
                );
                self.say(document, figure, message);
            } else if field == "bf16_tflops"
                && other.is_some_and(|other| (tflops / other - 2.0).abs() < 0.02)
            {
                let message =
                    format!("`{field}` is twice that of FP16: rates are dense, without sparsity");
                self.say(document, figure, message);
            }
        }
    }

    /// A name of the embedded catalog keeps its meaning, because scripts rely on it.
    fn taken(&mut self, document: &Document, accelerator: &str, names: &schema::Names) {
        if document.layer == Layer::EMBEDDED {
            return;
        }
        let shipped = self.shipped;
        for name in names.values().flatten() {
            let meant: Vec<&str> = match shipped.name(name.get_ref()).map(|row| row.meaning) {
                Some(Meaning::Exact(id)) => vec![shipped.accelerator_id(id)],
                Some(Meaning::AnyOf(rows)) => shipped
                    .accelerators(rows)
                    .iter()
                    .map(|id| shipped.accelerator_id(id))
                    .collect(),
                _ => continue,
            };
            if !meant.contains(&accelerator) {
                let message = format!("this name means {} already", meant.join(" or "));
                self.say(document, name, message);
            }
        }
    }

    fn memory(&mut self, document: &Document, item: &schema::Accelerator, row: &Accelerator) {
        if let Some(gb) = item
            .memory_gb
            .as_ref()
            .filter(|gb| *gb.get_ref() > MAX_MEMORY_GB)
        {
            self.say(
                document,
                gb,
                "this is no number of GB: MiB belong in `memory_mib`",
            );
            return;
        }
        let Some(gb) = row.memory_gb else { return };
        if let (Some(stated), None, Some(mib)) = (&item.memory_gb, &item.memory_mib, row.memory_mib)
            && !REPORTED.contains(&(mib / (gb * 1024.0)))
        {
            let message = format!(
                "{} GB does not go with the {} MiB that its driver reports",
                number(gb),
                number(mib)
            );
            self.say(document, stated, message);
        }
        for (field, mib) in [
            ("memory_mib", &item.memory_mib),
            ("memory_mib_ec2", &item.memory_mib_ec2),
        ] {
            let Some(mib) = mib else { continue };
            let ratio = mib.get_ref() / (gb * 1024.0);
            if !REPORTED.contains(&ratio) {
                let why = unit_of(*mib.get_ref(), gb);
                self.say(
                    document,
                    mib,
                    format!("`{field}` does not go with {} GB{why}", number(gb)),
                );
            }
        }
    }

    fn offers(&mut self, document: &Document) {
        for item in &document.content.offer {
            let Some(offer) = self.offer(document, item.provider.as_ref(), &item.id, None) else {
                continue;
            };
            let offer = self.catalog.offer(offer);
            if document.layer != Layer::EMBEDDED
                && is_missing(item.source.as_ref())
                && (item.accelerator.is_some() || item.any_of.is_some())
            {
                self.say(document, &item.id, "there is no `source`");
            }
            if let Some(date) = &item.as_of {
                self.future(document, date);
            }
            let whole = item.host_memory_gib.as_ref();
            let each = item.host_memory_gib_per_accelerator.as_ref();
            let hosts = f64::from(offer.hosts.max(1));
            let range = *HOST_GIB.start()..=HOST_GIB.end() * hosts;
            self.is_outside(document, whole.or(each), &range, "number of GiB");
            self.device_memory(document, item, &offer);
        }
    }

    /// The memory of an offer is that of one device.
    fn device_memory(&mut self, document: &Document, item: &schema::Offer, offer: &Offer) {
        let device = self.catalog.accelerator(offer.accelerator);
        let (Some(mib), Some(gb)) = (&item.memory_mib, device.memory_gb) else {
            return;
        };
        // A ready-made slice has less, as its profile says.
        if offer.mig_profile.len > 0 || offer.count.is_some_and(|count| count.decimal() < 1.0) {
            return;
        }
        let ratio = mib.get_ref() / (gb * 1024.0);
        if REPORTED.contains(&ratio) {
            return;
        }
        let count = offer.count.map_or(1.0, Count::decimal);
        let why = if count > 1.0 && REPORTED.contains(&(ratio / count)) {
            format!(": it is that of all {} together", number(count))
        } else {
            unit_of(*mib.get_ref(), gb)
        };
        let name = self.catalog.accelerator_id(offer.accelerator);
        let message = format!(
            "`memory_mib` is for one device, and {name} has {} GB{why}",
            number(gb)
        );
        self.say(document, mib, message);
    }

    fn offer(
        &self,
        document: &Document,
        provider: Option<&Spanned<String>>,
        id: &Spanned<String>,
        memory_gb: Option<f64>,
    ) -> Option<OfferId> {
        let provider = provider.or(document.content.sold_by.as_ref())?;
        let catalog = self.catalog;
        let provider = catalog.provider_named(provider.get_ref())?;
        let mut rows = catalog.offers_with_id(provider, id.get_ref());
        let has_memory = |row: &OfferId| {
            let accelerator = catalog.accelerator(catalog.offer(*row).accelerator);
            memory_gb.is_none_or(|gb| {
                accelerator
                    .memory_gb
                    .is_some_and(|size| sky_accel_core::memory::is_same(size, gb))
            })
        };
        rows.find(has_memory)
    }

    fn prices(&mut self, document: &Document) {
        for item in &document.content.price {
            for of in item.of() {
                self.price(document, item, of);
            }
        }
    }

    fn price(&mut self, document: &Document, item: &schema::Price, of: &Spanned<String>) {
        let memory_gb = item.memory_gb.as_ref().map(|gb| *gb.get_ref());
        let provider = item.provider.as_ref();
        let Some(id) = self.offer(document, provider, of, memory_gb) else {
            return;
        };
        if document.layer != Layer::EMBEDDED && is_missing(item.source.as_ref()) {
            self.say(document, of, "there is no `source`");
        }
        if let Some(date) = &item.as_of {
            self.future(document, date);
        }
        let Ok(schema::Stated {
            amount,
            is_each,
            currency,
        }) = item.stated()
        else {
            return;
        };
        let Some(rate) = self.rate(document, currency) else {
            return;
        };
        match amount.get_ref() {
            Amount::Everywhere(usd) => {
                self.amount(document, item, id, amount, is_each, None, usd * rate);
            }
            Amount::ByRegion(by_region) => {
                for (region, usd) in by_region {
                    self.amount(
                        document,
                        item,
                        id,
                        amount,
                        is_each,
                        Some(region),
                        usd * rate,
                    );
                }
            }
        }
        self.stale(document, item, id);
    }

    /// The dollars for one unit of a price's currency.
    fn rate(&mut self, document: &Document, currency: Option<&Spanned<String>>) -> Option<f64> {
        let Some(code) = currency.filter(|code| code.get_ref() != "USD") else {
            return Some(1.0);
        };
        let row = self.catalog.currency(code.get_ref());
        if row.is_none() {
            let message = format!(
                "no [[currency]] has a rate for {}: it is listed without a price",
                code.get_ref()
            );
            self.say(document, code, message);
        }
        row.map(|row| row.usd)
    }

    fn stale(&mut self, document: &Document, item: &schema::Price, id: OfferId) {
        if document.layer == Layer::EMBEDDED {
            return;
        }
        // A later price makes it history.
        let offer = self.catalog.offer(id);
        let Some(date) = &item.as_of else { return };
        let as_of = date.get_ref().as_str();
        let mut current = self.catalog.prices(&offer).iter();
        if !current.any(|price| self.catalog.str(price.as_of) == as_of) {
            return;
        }
        let provider = self.catalog.provider(offer.provider);
        let limit = i32::from(provider.price_max_age_days);
        if let Some(days) = (self.age)(as_of).filter(|days| *days > limit) {
            let name = self.catalog.str(provider.id);
            let message = format!("{days} days old: prices of {name} keep {limit} days");
            self.say(document, date, message);
        }
    }

    /// The prices that an offer has without the user's files.
    fn shipped(&self, offer: &Offer) -> Vec<Price> {
        let (catalog, shipped) = (self.catalog, self.shipped);
        let (provider, id) = (catalog.provider_id(offer.provider), catalog.str(offer.id));
        let accelerator = catalog.accelerator_id(offer.accelerator);
        let Some(provider) = shipped.provider_named(provider) else {
            return Vec::new();
        };
        let same = shipped
            .offers_with_id(provider, id)
            .map(|id| shipped.offer(id));
        let same = same.filter(|other| shipped.accelerator_id(other.accelerator) == accelerator);
        same.flat_map(|other| shipped.prices(&other)).collect()
    }

    #[expect(clippy::too_many_arguments, reason = "one price of many")]
    fn amount(
        &mut self,
        document: &Document,
        item: &schema::Price,
        id: OfferId,
        at: &Spanned<Amount>,
        each: bool,
        region: Option<&String>,
        usd: f64,
    ) {
        let count = item
            .count
            .as_ref()
            .map(|count| *count.get_ref())
            .or(self.catalog.offer(id).count.map(Count::decimal))
            .unwrap_or(1.0);
        let (total, per_device) = if each {
            (usd * count, usd)
        } else {
            (usd, usd / count)
        };
        let stated = Stated {
            item,
            id,
            region,
            place: region.map(|name| format!(" in {name}")).unwrap_or_default(),
            count,
            usd,
            total,
            per_device,
        };
        let place = &stated.place;
        if is_placeholder(usd) || !PRICE.contains(&per_device) {
            let message = format!(
                "{}{place} looks like a placeholder, not like a price per hour",
                number(usd)
            );
            self.say(document, at, message);
            return;
        }
        // History is prices of several days; by its year alone a day is not known.
        let has_day = item.date().len() > 7;
        // A table has a row for each zone.
        if has_day && !document.has_rows && !self.stated.insert(stated.key(document.layer)) {
            let message = format!("the price{place} of that day is stated twice");
            self.say(document, at, message);
        }
        let message = self.bid(&stated).or_else(|| self.other_currency(&stated));
        let message = message.or_else(|| {
            if item.capacity_type.get_ref() == "spot" {
                self.above_on_demand(&stated)
            } else {
                self.windows(&stated)
                    .or_else(|| self.far_from_usual(&stated))
                    .or_else(|| self.of_other_count(&stated))
                    .or_else(|| self.far_from_before(&stated))
            }
        });
        if let Some(message) = message {
            self.say(document, at, message);
        }
    }

    /// Says that a spot price is above the on-demand price.
    fn above_on_demand(&self, stated: &Stated<'_>) -> Option<String> {
        let catalog = self.catalog;
        let offer = catalog.offer(stated.id);
        let item = stated.item;
        let is_same_place = |price: &Price| {
            let region = price.region.map(|id: RegionId| catalog.region_id(id));
            let stated = stated.region;
            region.is_none() || stated.is_none_or(|name| region == Some(name))
        };
        let is_same_tier = |price: &Price| {
            let stated = item.tier.as_ref().map_or("", |tier| tier.get_ref());
            let tiers = catalog.provider(offer.provider).tiers;
            let tier = catalog.strings(tiers).nth(price.tier.into()).unwrap_or("");
            stated.is_empty() || tier == stated
        };
        let is_same_count = |price: &Price| {
            item.count.is_none()
                || price
                    .count
                    .is_some_and(|count| (count.decimal() - stated.count).abs() < 1e-6)
        };
        let on_demand = catalog
            .prices(&offer)
            .iter()
            .filter(|price| price.capacity == CapacityType::OnDemand)
            .filter(is_same_place)
            .filter(is_same_tier)
            .filter(is_same_count);
        // The same amount is what a market charges when nobody else bids.
        let highest = on_demand
            .map(|price| stated.whole(&price))
            .fold(f64::NAN, f64::max);
        (stated.total > highest * (1.0 + SAME)).then(|| {
            format!(
                "spot{} for {} is above on-demand for {}",
                stated.place,
                number(stated.total),
                number(highest)
            )
        })
    }

    /// Whether the program has the provider of an offer without the user's files.
    fn is_known(&self, offer: &Offer) -> bool {
        let provider = self.catalog.provider_id(offer.provider);
        self.shipped.provider_named(provider).is_some()
    }

    /// Says that nobody charges so much, or so little, for a device.
    fn far_from_usual(&self, stated: &Stated<'_>) -> Option<String> {
        let offer = self.catalog.offer(stated.id);
        // What a private machine costs is its owner's business.
        if !self.is_known(&offer) {
            return None;
        }
        let (low, high) = self.usual(&offer)?;
        (!(low / FAR..=high * FAR).contains(&stated.per_device)).then(|| {
            format!(
                "{}{} for one device is far from what others charge, {} to {}: a placeholder, or another unit",
                number(stated.per_device),
                stated.place,
                number(low),
                number(high)
            )
        })
    }

    /// Says that a price of one device is stated as that of the whole machine, or the other way.
    fn of_other_count(&self, stated: &Stated<'_>) -> Option<String> {
        let Stated {
            place, count, usd, ..
        } = stated;
        // Of a market each count has a price of its own.
        if *count <= 1.0 || stated.item.count.is_some() {
            return None;
        }
        let offer = self.catalog.offer(stated.id);
        let others = self
            .catalog
            .prices(&offer)
            .iter()
            .chain(self.shipped(&offer));
        // Twice the price of another region is not unheard of.
        let is_here = |price: &Price| {
            let region = price.region.map(|id: RegionId| self.catalog.region_id(id));
            *count > 2.0 || stated.region.map(String::as_str) == region
        };
        let others = others
            .filter(|price| price.capacity == CapacityType::OnDemand && price.count.is_none())
            .filter(is_here)
            .map(|price| stated.whole(&price))
            .filter(|other| (other - stated.total).abs() > stated.total * SAME);
        let siblings = if self.is_known(&offer) {
            Vec::new()
        } else {
            self.siblings(stated.id)
        };
        let siblings = siblings.into_iter().map(|each| each * count);
        others.chain(siblings).find_map(|other| {
            let ratio = stated.total / other;
            if (ratio - count).abs() <= count * SAME {
                Some(format!(
                    "{}{place} is the price of the whole machine, not of one of its {}",
                    number(*usd),
                    number(*count)
                ))
            } else if (ratio * count - 1.0).abs() <= SAME {
                Some(format!(
                    "{}{place} is the price of one device: `usd_per_accelerator_hour`",
                    number(*usd)
                ))
            } else {
                None
            }
        })
    }

    /// The on-demand prices of one device in other machines of the same provider.
    fn siblings(&self, id: OfferId) -> Vec<f64> {
        let catalog = self.catalog;
        let offer = catalog.offer(id);
        let is_sibling = |other: &Offer| {
            other.provider == offer.provider
                && other.accelerator == offer.accelerator
                && other.status != Status::Retired
        };
        let each = |other: Offer| -> Vec<f64> {
            let Some(count) = other.count else {
                return Vec::new();
            };
            let prices = catalog.prices(&other).iter();
            prices
                .filter(|price| price.capacity == CapacityType::OnDemand && price.count.is_none())
                .map(|price| {
                    let usd = price.usd.decimal();
                    if price.per_accelerator {
                        usd
                    } else {
                        usd / count.decimal()
                    }
                })
                .collect()
        };
        let others = catalog
            .offers_of(offer.accelerator)
            .filter(|other| *other != id);
        let others = others.map(|other| catalog.offer(other)).filter(is_sibling);
        others.take(MAX_SIBLINGS).flat_map(each).collect()
    }

    /// The lowest and the highest that one device of an offer costs on demand, as shipped.
    fn usual(&self, offer: &Offer) -> Option<(f64, f64)> {
        let shipped = self.shipped;
        let name = self.catalog.accelerator_id(offer.accelerator);
        let device = shipped
            .accelerator_ids()
            .find(|id| shipped.accelerator_id(*id) == name)?;
        let of_device = |other: &Offer| {
            let is_same_provider =
                shipped.provider_id(other.provider) == self.catalog.provider_id(offer.provider);
            (other.status != Status::Retired || is_same_provider) && other.accelerator == device
        };
        let each = |other: &Offer, price: &Price| {
            let count = price.count.or(other.count).unwrap_or(Count::ONE);
            let usd = price.usd.decimal();
            if price.per_accelerator {
                usd
            } else {
                usd / count.decimal()
            }
        };
        let mut range: Option<(f64, f64)> = None;
        let others = shipped.offers_of(device).map(|id| shipped.offer(id));
        for other in others.filter(of_device) {
            let prices = shipped.prices(&other).iter();
            for price in prices.filter(|price| price.capacity == CapacityType::OnDemand) {
                let usd = each(&other, &price);
                range = Some(range.map_or((usd, usd), |(low, high)| (low.min(usd), high.max(usd))));
            }
        }
        range
    }
}

/// One amount of a price, of one region or of all of them.
struct Stated<'p> {
    item: &'p schema::Price,
    id: OfferId,
    region: Option<&'p String>,
    /// The region in words, empty without one.
    place: String,
    /// The devices that the price is for.
    count: f64,
    /// As the file has it, for all devices, and for one of them, in US dollars per hour.
    usd: f64,
    total: f64,
    per_device: f64,
}

impl Stated<'_> {
    /// Tells prices apart that may stand beside each other.
    fn key(&self, layer: Layer) -> String {
        let Self {
            item, id, region, ..
        } = self;
        format!(
            "{} {id:?} {} {} {} {:?} {region:?} {:?} {}",
            layer.0,
            // What an aggregator says stands beside the provider's own word.
            item.quality.as_ref().map_or("", |word| word.get_ref()),
            item.capacity_type.get_ref(),
            item.tier.as_ref().map_or("", |tier| tier.get_ref()),
            item.count.as_ref().map(|count| *count.get_ref()),
            item.statistic.as_ref().map(Spanned::get_ref),
            item.date(),
        )
    }

    /// A price of the same offer, in US dollars per hour for as many devices.
    fn whole(&self, price: &Price) -> f64 {
        let usd = price.usd.decimal();
        if price.per_accelerator {
            usd * self.count
        } else {
            usd
        }
    }
}

/// The unit that a figure seems to have, where it is no number of MiB.
fn unit_of(value: f64, gb: f64) -> String {
    let near = |other: f64| (value / other - 1.0).abs() < 0.25;
    let unit = if near(gb) {
        "GB or GiB"
    } else if near(gb * 1e9) {
        "bytes"
    } else if near(gb * 1e6) {
        "KB"
    } else {
        return String::new();
    };
    format!(": these are {unit}")
}

fn figure_text(value: Option<f64>) -> String {
    value.map(number).unwrap_or_default()
}

/// Whether nothing is said.
fn is_missing(text: Option<&Spanned<String>>) -> bool {
    let words = ["", "?", "todo", "tbd", "unknown", "none"];
    text.is_none_or(|text| words.contains(&text.get_ref().trim().to_lowercase().as_str()))
}

/// Numbers that people type where they know none: 700, 999, 9999, 1234.
fn is_placeholder(usd: f64) -> bool {
    if (500.0..1000.0).contains(&usd) && usd % 100.0 == 0.0 {
        return true;
    }
    let digits: String = number(usd).chars().filter(char::is_ascii_digit).collect();
    let nines = digits.len() >= 3 && digits.bytes().all(|b| b == b'9');
    usd >= 900.0 && (nines || matches!(digits.as_str(), "1234" | "12345" | "123456"))
}

#[cfg(test)]
mod tests {
    use super::is_placeholder;

    #[test]
    fn a_placeholder_is_large_and_has_the_digits_of_one() {
        for usd in [700.0, 999.0, 9999.0, 999.99, 1234.0, 12_345.0, 1234.56] {
            assert!(is_placeholder(usd), "{usd}");
        }
        for usd in [0.99, 9.99, 99.99, 990.0, 1000.0, 1235.0, 9998.0, 123.4] {
            assert!(!is_placeholder(usd), "{usd}");
        }
    }
}
