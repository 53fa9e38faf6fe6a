//! `list`: the catalog's accelerators, filtered and sorted.

use std::collections::BTreeSet;

use serde::Serialize;
use sky_accel_core::bind::AcceleratorFilter;
use sky_accel_core::catalog::{AcceleratorClass, AcceleratorId, Catalog, Offer};
use sky_accel_core::resolve::LikelyPrices;

use crate::age;
use crate::code::ErrorCode;
use crate::contract::{self, AcceleratorOut, Envelope};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::filter::providers_named;
use crate::too_old::no_price_left;

/// Filters of `list`; all of them must hold.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ListRequest {
    /// Names or parts of a spec: `hopper`, `A100`, `40GB+`, `SXM`, `cc>=8.9`. An answer includes the values
    /// of `vendor`, `class`, `architecture` and `min_memory`.
    pub filters: Vec<String>,
    /// Ids or names of providers, any of which rents the accelerator out; empty for all accelerators.
    pub providers: Vec<String>,
    /// True to list only accelerators that support MIG.
    pub mig: bool,
    /// The maximum age of prices in seconds: only accelerators and providers with a price of that age are listed.
    /// Omitted without a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age_s: Option<u64>,
    /// The order. Omitted: by class, newest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<ListSort>,
    /// The maximum number of results. Omitted without a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// The vendor. Not serialized.
    #[serde(skip)]
    pub vendor: Option<String>,
    /// `datacenter`, `workstation`, `consumer`, `asic` or `media`. Not serialized.
    #[serde(skip)]
    pub class: Option<String>,
    /// The architecture, such as `hopper`. Not serialized.
    #[serde(skip)]
    pub architecture: Option<String>,
    /// The minimum memory of a device: `64`, `80GB`, `79.6GiB`; the default unit is decimal GB. Not
    /// serialized.
    #[serde(skip)]
    pub min_memory: Option<String>,
}

sky_accel_core::words! {
    /// The order of a list. Figures descend and names ascend; unknown figures come last.
    pub enum ListSort {
        /// By id.
        Name = "name",
        /// By memory per device.
        Memory = "memory",
        /// By memory bandwidth.
        Bandwidth = "bandwidth",
        /// By peak 16-bit rate, or the FP32 rate where no 16-bit rate is published.
        Tflops = "tflops",
        /// By thermal design power.
        Tdp = "tdp",
        /// By year of release.
        Year = "year",
    }
}

/// Listed accelerators.
#[derive(Debug)]
pub struct ListAnswer<'c> {
    /// The JSON document.
    pub envelope: Envelope<'c, ListRequest, AcceleratorOut<'c>>,
    /// The number of matching accelerators before the limit.
    pub total: usize,
}

impl<'c> Engine<'c> {
    /// Lists the accelerators that match every filter.
    ///
    /// Without a filter, accelerators that are only found by name are omitted.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Spec`] for a filter that is neither a name nor part of a spec;
    /// [`ErrorCode::UnknownProvider`]; [`ErrorCode::DataTooOld`] if `max_age` leaves nothing.
    pub fn list(&self, request: &ListRequest) -> Result<ListAnswer<'c>> {
        let catalog = self.catalog();
        let filters = all_filters(request)?;
        let sold_by: Vec<&str> = providers_named(&catalog, &request.providers)?
            .into_iter()
            .map(|id| catalog.provider_id(id))
            .collect();
        let mut notes = Vec::new();
        let mut ids: Vec<AcceleratorId> = catalog
            .accelerator_ids()
            .filter(|id| !filters.is_empty() || !catalog.only_by_name(*id))
            .collect();
        for filter in &filters {
            let parsed = AcceleratorFilter::parse(&catalog, filter)
                .map_err(|errors| Error::spec(filter, &errors, None))?;
            ids.retain(|id| parsed.keeps(*id));
            notes.extend(parsed.notes().iter().cloned());
        }
        ids.retain(|id| !request.mig || catalog.accelerator(*id).mig == Some(true));
        let likely = self.likely_prices();
        let likely = likely.not_older_than(request.max_age_s.map(age::whole_days));
        let is_asked = |seller: &&str| sold_by.is_empty() || sold_by.contains(seller);
        if !sold_by.is_empty() {
            ids.retain(|id| {
                let sellers = contract::providers(&catalog, *id);
                sellers.iter().any(&is_asked)
            });
        }
        if likely.has_max_age() && !ids.is_empty() {
            let all = ids.clone();
            ids.retain(|id| sellers(&catalog, *id, &likely).iter().any(&is_asked));
            if ids.is_empty() {
                let counts = |offer: &Offer| is_asked(&catalog.provider_id(offer.provider));
                return Err(no_price_left(&catalog, &likely, all, counts));
            }
        }
        order(&catalog, &mut ids, request.sort);
        let total = ids.len();
        ids.truncate(request.limit.map_or(usize::MAX, |limit| limit as usize));
        let results = ids.iter().map(|id| AcceleratorOut {
            providers: sellers(&catalog, *id, &likely),
            ..contract::accelerator(&catalog, *id)
        });
        let results: Vec<AcceleratorOut<'c>> = results.collect();
        let understood = ListRequest {
            filters,
            providers: sold_by.into_iter().map(str::to_owned).collect(),
            ..request.clone()
        };
        let envelope = Envelope::new("sky-accel.list.v1", &catalog, understood, results);
        let mut envelope = envelope
            .with_overridden(self.overlaid(), None)
            .with_notes(notes);
        envelope.left_off = request.limit.map(|_| total - ids.len());
        Ok(ListAnswer { envelope, total })
    }
}

/// Returns the providers that sell an accelerator, at a price that is not too old.
fn sellers<'c>(catalog: &Catalog<'c>, id: AcceleratorId, likely: &LikelyPrices) -> Vec<&'c str> {
    let mut sellers = contract::providers(catalog, id);
    if likely.has_max_age() {
        let offers = catalog.offers_of(id).map(|offer| catalog.offer(offer));
        let is_priced = |offer: &Offer| {
            let mut prices = catalog.prices(offer).iter();
            prices.any(|price| !likely.is_too_old(catalog, &price))
        };
        let priced: BTreeSet<&str> = offers
            .filter(is_priced)
            .map(|offer| catalog.provider_id(offer.provider))
            .collect();
        sellers.retain(|seller| priced.contains(seller));
    }
    sellers
}

/// Converts the filters of a request to parts of a spec.
fn all_filters(request: &ListRequest) -> Result<Vec<String>> {
    let mut filters = request.filters.clone();
    for (key, value) in [
        ("vendor=", request.vendor.clone()),
        ("class=", request.class.clone()),
        ("arch=", request.architecture.clone()),
        ("memory>=", request.min_memory.as_deref().map(with_unit)),
    ] {
        let Some(value) = value else { continue };
        if value.contains([':', '|']) {
            let message = format!("'{value}' is not a single word");
            return Err(Error::new(ErrorCode::BadValue, message));
        }
        filters.push(format!("{key}{value}"));
    }
    Ok(filters)
}

/// A memory size; the default unit is GB.
fn with_unit(size: &str) -> String {
    if size.ends_with(|c: char| c.is_ascii_digit()) {
        format!("{size}GB")
    } else {
        size.to_owned()
    }
}

/// The position of a class in a list: classes that are looked up often come first.
fn position(class: Option<AcceleratorClass>) -> Option<u8> {
    class.map(|class| match class {
        AcceleratorClass::Datacenter => 0,
        AcceleratorClass::Asic => 1,
        AcceleratorClass::Workstation => 2,
        AcceleratorClass::Consumer => 3,
        AcceleratorClass::Media => 4,
    })
}

fn order(catalog: &Catalog<'_>, ids: &mut [AcceleratorId], sort: Option<ListSort>) {
    let row = |id: &AcceleratorId| catalog.accelerator(*id);
    let Some(sort) = sort else {
        // Newest first; the sort is stable, so families stay together.
        return ids.sort_by_cached_key(|id| {
            (
                position(catalog.class(&row(id))),
                std::cmp::Reverse(row(id).release_year.unwrap_or(0.0) as u32),
            )
        });
    };
    let figure = |id: &AcceleratorId| match sort {
        ListSort::Name => None,
        ListSort::Memory => row(id).memory_gb,
        ListSort::Bandwidth => row(id).memory_bandwidth_gb_s,
        ListSort::Tflops => row(id).headline_tflops(),
        ListSort::Tdp => row(id).tdp_w,
        ListSort::Year => row(id).release_year,
    };
    ids.sort_by(|a, b| {
        let by_figure = figure(b)
            .unwrap_or(-1.0)
            .total_cmp(&figure(a).unwrap_or(-1.0));
        by_figure.then_with(|| catalog.accelerator_id(*a).cmp(catalog.accelerator_id(*b)))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_maximum_age_leaves_sellers_with_newer_prices() {
        let engine = Engine::embedded();
        let sellers = |max_age_s| {
            let request = ListRequest {
                filters: vec!["H100".to_owned()],
                max_age_s,
                ..ListRequest::default()
            };
            let answer = engine.list(&request)?;
            let rows = answer.envelope.results.iter();
            Ok(rows.map(|row| row.providers.len()).sum::<usize>())
        };
        let all: Result<usize> = sellers(None);
        let (all, newer) = (all.unwrap(), sellers(Some(60 * 86_400)).unwrap());
        assert!(0 < newer && newer < all, "{newer} of {all}");
        let error = sellers(Some(86_400)).unwrap_err();
        let problem = &error.problems[0];
        assert_eq!(problem.code, ErrorCode::DataTooOld);
        let says_newest = problem.message.contains("the newest, of ");
        assert!(says_newest, "{}", problem.message);
    }
}
