//! Facts of overlays that differ from the embedded catalog.
//!
//! An overlay may override any fact, and answers then use it. A device, a machine or a model that differs from the
//! embedded catalog is more likely a mistake, or a manipulation by another person.

use std::collections::BTreeSet;

use sky_accel_core::catalog::{CapacityType, PriceKind};
use sky_accel_core::money::Count;
use sky_accel_core::text::number;

use super::Linter;
use super::prices::LintedAmount;
use crate::facts::{Facts, facts};
use crate::schema;
use crate::schema::{Layer, Spanned};
use crate::source::CatalogDocument;

/// The maximum factor between a figure of a device, or a list price, and its correction.
const MOVED: f64 = 2.0;
/// The maximum factor between two measurements of a coefficient.
const RECALIBRATED: f64 = 3.0;
/// The maximum relative difference between two sizes of a model, or of a format, that count as equal.
const SAME_SIZE: f64 = 0.01;

/// Returns whether a figure is more than `times` another figure, or less than that fraction of it.
fn is_far(new: f64, old: f64, times: f64) -> bool {
    !(old / times..=old * times).contains(&new)
}

impl Linter<'_, '_> {
    pub(super) fn overrides<'d>(&mut self, documents: impl Iterator<Item = &'d CatalogDocument>) {
        let mut documents = documents.peekable();
        if documents.peek().is_none() {
            return;
        }
        let (before, after) = (facts(self.shipped), facts(self.catalog));
        for document in documents {
            self.devices(document);
            self.sizing(document);
            self.words(document);
            self.described(document, &before, &after);
        }
    }

    fn devices(&mut self, document: &CatalogDocument) {
        let shipped = self.shipped;
        for item in &document.content.accelerator {
            let mut rows = shipped.accelerators.iter();
            let Some(row) = rows.find(|row| shipped.str(row.id) == item.id.get_ref()) else {
                continue;
            };
            let vendor = shipped.str(row.vendor);
            if let Some(other) = item
                .vendor
                .as_ref()
                .filter(|other| *other.get_ref() != vendor)
            {
                self.report(
                    document,
                    other,
                    format!("the vendor in the embedded catalog is {vendor}"),
                );
            }
            for (field, figure, before) in [
                ("memory_gb", &item.memory_gb, row.memory_gb),
                ("memory_mib", &item.memory_mib, row.memory_mib),
                (
                    "memory_bandwidth_gb_s",
                    &item.memory_bandwidth_gb_s,
                    row.memory_bandwidth_gb_s,
                ),
                ("fp32_tflops", &item.fp32_tflops, row.fp32_tflops),
                ("fp16_tflops", &item.fp16_tflops, row.fp16_tflops),
                ("bf16_tflops", &item.bf16_tflops, row.bf16_tflops),
                ("fp8_tflops", &item.fp8_tflops, row.fp8_tflops),
                ("fp4_tflops", &item.fp4_tflops, row.fp4_tflops),
                ("int8_tops", &item.int8_tops, row.int8_tops),
                ("tdp_w", &item.tdp_w, row.tdp_w),
                (
                    "interconnect_gb_s",
                    &item.interconnect_gb_s,
                    row.interconnect_gb_s,
                ),
            ] {
                if let (Some(figure), Some(before)) = (figure, before)
                    && is_far(*figure.get_ref(), before, MOVED)
                {
                    let before = number(before);
                    let message = format!(
                        "`{field}` is {before} in the embedded catalog; this looks like another product"
                    );
                    self.report(document, figure, message);
                }
            }
        }
    }

    pub(super) fn machines(&mut self, document: &CatalogDocument) {
        let shipped = self.shipped;
        for item in &document.content.offer {
            let provider = item.provider.as_ref().or(document.content.sold_by.as_ref());
            let provider = provider.map_or("", |id| id.get_ref());
            let Some(provider) = shipped.provider_named(provider) else {
                continue;
            };
            let offers = shipped.offers_with_id(provider, item.id.get_ref());
            let mut offers = offers.map(|id| shipped.offer(id)).peekable();
            let Some(first) = offers.peek().copied() else {
                continue;
            };
            let ids: BTreeSet<&str> = offers
                .map(|offer| shipped.accelerator_id(offer.accelerator))
                .collect();
            // A row of a CSV file may have any name of the accelerator, which the compiler has resolved.
            let understood: BTreeSet<&str> = self
                .offer(document, item.provider.as_ref(), &item.id, None)
                .map(|id| {
                    self.catalog
                        .accelerator_id(self.catalog.offer(id).accelerator)
                })
                .into_iter()
                .collect();
            for id in item.accelerator.iter().chain(item.any_of.iter().flatten()) {
                let is_known = if document.has_rows {
                    understood.is_subset(&ids)
                } else {
                    ids.contains(&id.get_ref()[..])
                };
                if !is_known {
                    let ids: Vec<&str> = ids.iter().copied().collect();
                    let message =
                        format!("the embedded catalog says that it has {}", ids.join(" or "));
                    self.report(document, id, message);
                }
            }
            let count = item.count.as_ref();
            if let (Some(count), Some(before)) = (count, first.count)
                && Count::from_decimal(*count.get_ref()) != Some(before)
            {
                self.report(
                    document,
                    count,
                    format!("the embedded catalog says that it has {before}"),
                );
            }
        }
    }

    fn sizing(&mut self, document: &CatalogDocument) {
        let shipped = self.shipped;
        for item in &document.content.coefficient {
            let text =
                |text: Option<&Spanned<String>>| text.map_or("", |text| text.get_ref()).to_owned();
            let (scope, before) = (text(item.scope.as_ref()), text(item.before.as_ref()));
            let row = shipped.coefficients.iter().find(|row| {
                shipped.str(row.name) == item.name.get_ref()
                    && shipped.str(row.scope) == scope
                    && shipped.str(row.before) == before
            });
            if let Some(before) = row.map(|row| row.value)
                && is_far(item.value, before, RECALIBRATED)
            {
                let (new, before) = (number(item.value), number(before));
                let message = format!("{new} is far from {before} in the embedded catalog");
                self.report(document, &item.name, message);
            }
        }
        for item in &document.content.model {
            let Some(before) = shipped.model(item.id.get_ref()) else {
                continue;
            };
            let size = |shape: &sky_accel_core::sizing::Architecture| shape.parameters().total();
            let Some(now) = self.catalog.model(item.id.get_ref()) else {
                continue;
            };
            let (now, before) = (size(&now.shape) / 1e9, size(&before.shape) / 1e9);
            if (now / before - 1.0).abs() > SAME_SIZE {
                let message = format!(
                    "this shape has {now:.2} billion parameters, and the embedded catalog has {before:.2}"
                );
                self.report(document, &item.id, message);
            }
        }
        for item in &document.content.weight_format {
            let Some(before) = shipped.weight_format(item.name.get_ref()) else {
                continue;
            };
            let before = before.format.bits;
            if (item.bits.get_ref() / before - 1.0).abs() > SAME_SIZE {
                let message = format!(
                    "the embedded catalog has {} bits for this format",
                    number(before)
                );
                self.report(document, &item.bits, message);
            }
        }
    }

    /// Reports words of tools that get another meaning.
    fn words(&mut self, document: &CatalogDocument) {
        let shipped = self.shipped;
        for tool in &document.content.tool {
            let mut tools = shipped.tools.iter();
            let Some(before) = tools.find(|row| shipped.str(row.id) == tool.id.get_ref()) else {
                continue;
            };
            for item in &tool.words {
                let rows = shipped.tool_words(&before).iter();
                let rows = rows.filter(|row| shipped.str(row.word) == item.word.get_ref());
                let meant: BTreeSet<&str> = rows
                    .flat_map(|row| shipped.accelerators(row.accelerators))
                    .map(|id| shipped.accelerator_id(id))
                    .collect();
                let is_other = |id: &&Spanned<String>| !meant.contains(&id.get_ref()[..]);
                let other = item.accelerators.iter().find(is_other);
                if let Some(other) = other.filter(|_| !meant.is_empty()) {
                    let meant: Vec<&str> = meant.iter().copied().collect();
                    let message = format!(
                        "this word means {} in the embedded catalog",
                        meant.join(" or ")
                    );
                    self.report(document, other, message);
                }
            }
        }
    }

    /// Compares facts as text: software, quotas and geometries.
    fn described(&mut self, document: &CatalogDocument, before: &Facts, after: &Facts) {
        let content = &document.content;
        let mut named: Vec<(String, &Spanned<String>)> = Vec::new();
        named.extend(
            content
                .sdk
                .iter()
                .map(|item| (format!("sdk {}", item.id.get_ref()), &item.id)),
        );
        for item in &content.quota {
            let provider = item.provider.as_ref().or(content.sold_by.as_ref());
            let provider = provider.map_or("", |id| id.get_ref());
            let label = |family: &Spanned<String>| format!("quota {provider} {}", family.get_ref());
            named.extend(item.families.iter().map(|family| (label(family), family)));
        }
        for item in &content.cuda_release {
            named.push((format!("cuda {}", item.version.get_ref()), &item.version));
        }
        for item in &content.geometry {
            named.push((format!("geometry {}", item.id.get_ref()), &item.id));
        }
        for (name, at) in named {
            let key = [name];
            let (Some(before), Some(after)) = (before.get(&key), after.get(&key)) else {
                continue;
            };
            for ((field, before), (_, after)) in before.fields.iter().zip(&after.fields) {
                if before != after && !before.is_empty() {
                    let message = format!("the embedded catalog has another `{field}`: {before}");
                    self.report(document, at, message);
                }
            }
        }
    }

    /// Reports a list price far from the list price in the embedded catalog.
    pub(super) fn far_from_before(
        &self,
        layer: Layer,
        stated: &LintedAmount<'_>,
    ) -> Option<String> {
        let is_list = |item: &schema::PriceEntry| {
            item.kind
                .as_ref()
                .is_none_or(|kind| kind.get_ref() == "list")
        };
        let item = stated.item;
        // The embedded catalog keeps its history: a provider may double its prices within a year.
        if layer.is_embedded() || !is_list(item) || item.tier.is_some() {
            return None;
        }
        let shipped = self.shipped;
        let prices = stated.peers.shipped.iter().filter(|price| {
            let region = price.region.map(|id| shipped.region_id(id));
            price.capacity == CapacityType::OnDemand
                && price.kind == PriceKind::List
                && (region.is_none() || stated.region.is_none_or(|name| region == Some(name)))
        });
        let (low, high) = prices
            .map(|price| stated.whole(price))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), usd| {
                (low.min(usd), high.max(usd))
            });
        if low > high || (low / MOVED..=high * MOVED).contains(&stated.total) {
            return None;
        }
        let before = if low < high {
            format!("{} to {}", number(low), number(high))
        } else {
            number(low)
        };
        let (now, place) = (number(stated.total), &stated.place);
        Some(format!(
            "{now}{place} is far from {before} in the embedded catalog; `kind = \"contract\"` marks a price of your own"
        ))
    }
}
