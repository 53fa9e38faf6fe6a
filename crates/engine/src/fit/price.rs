//! The price of the hardware of a fit.

use std::borrow::Cow;

use serde_json::{Map, Value};
use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::Catalog;
use sky_accel_core::money::Count;
use sky_accel_core::resolve::{Match, PriceBasis, Request, resolve};
use sky_accel_core::text::printable;
use sky_accel_core::word::Word as _;

use super::hardware::SizedHardware;
use crate::age;
use crate::code::ErrorCode;
use crate::contract::{FitPriceOut, Num, link_of};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::price_policy::PricePolicy;
use crate::too_old::NewestPrice;

/// Takes the prices of a JSON request out of its fields.
pub(super) fn prices_from_json(fields: &mut Map<String, Value>) -> Result<Option<PricePolicy>> {
    let mut text = |field: &str| match fields.remove(field) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => {
            let message = format!("`{field}` must be a string, not {other}");
            Err(Error::new(ErrorCode::Request, message))
        }
    };
    let (basis, max_age) = (text("price")?, text("max_age")?);
    if basis.is_none() && max_age.is_none() {
        return Ok(None);
    }
    let basis = match basis {
        None => PriceBasis::default(),
        Some(word) => PriceBasis::from_word(&word).ok_or_else(|| {
            let word = printable(&word);
            let message = format!("unknown `price` '{word}': expected likely or stated");
            Error::new(ErrorCode::BadValue, message)
        })?,
    };
    let max_age_s = max_age.as_deref().map(age::max_age_s).transpose()?;
    Ok(Some(PricePolicy { basis, max_age_s }))
}

/// Finds the first offers of hardware.
pub(super) struct Pricer<'c> {
    catalog: Catalog<'c>,
    request: Request,
    /// The newest price that is older than the maximum age.
    newest_old: Option<NewestPrice>,
    /// Whether some hardware has a price.
    has_price: bool,
}

impl<'c> Pricer<'c> {
    pub fn new(engine: &Engine<'c>, prices: PricePolicy) -> Result<Self> {
        let catalog = engine.catalog();
        Ok(Self {
            request: prices.filter().request(&catalog, engine.today())?,
            catalog,
            newest_old: None,
            has_price: false,
        })
    }

    /// Returns the price of the first offer that `resolve` lists for the hardware, for all machines; of an instance
    /// type, the price of that type. `None` without a priced offer.
    pub fn price(
        &mut self,
        wanted: &BoundChoice,
        hardware: &SizedHardware,
        machines: u32,
    ) -> Option<FitPriceOut> {
        let catalog = &self.catalog;
        let mut wanted = wanted.clone();
        wanted
            .candidates
            .retain(|candidate| candidate.accelerator == hardware.accelerator);
        let wanted = [wanted];
        let found = resolve(catalog, &wanted, &self.request).matches;
        let of_type = |found: &&Match| {
            let id = catalog.str(catalog.offer(found.offer).id);
            wanted[0].instance_type.as_deref() == Some(id)
        };
        let priced = || found.iter().filter(|found| found.on_demand.is_some());
        let first = priced().find(of_type).or_else(|| priced().next());
        let price = first.and_then(|found| self.price_of(found, hardware, machines));
        if price.is_none() && self.newest_old.is_none() {
            self.newest_old = NewestPrice::of(catalog, &wanted, &self.request);
        }
        self.has_price |= price.is_some();
        price
    }

    fn price_of(
        &self,
        found: &Match,
        hardware: &SizedHardware,
        machines: u32,
    ) -> Option<FitPriceOut> {
        let catalog = &self.catalog;
        let quote = found.on_demand.as_ref()?;
        let offer = catalog.offer(found.offer);
        let price = catalog.price(quote.price);
        let usd = |usd: f64| Num((usd * f64::from(machines) * 1e4).round() / 1e4);
        let doubts = found.reasons.iter().copied();
        Some(FitPriceOut {
            usd_per_hour: usd(quote.usd.decimal()),
            likely_usd_per_hour: usd(quote.likely.usd.decimal()),
            low: usd(quote.likely.low().decimal()),
            high: usd(quote.likely.high().decimal()),
            sources: price.sources,
            quality: price.quality,
            as_of: catalog.str(price.as_of).to_owned(),
            provider: catalog.provider_id(offer.provider).to_owned(),
            instance_type: catalog.str(offer.id).to_owned(),
            count: Num(found.count.decimal()),
            of_whole_devices: hardware.part.is_some()
                && offer.mig_profile.len == 0
                && found.count >= Count::ONE,
            sells: offer.kind,
            region: quote
                .region
                .map(|region| catalog.region_id(region).to_owned()),
            kind: price.kind,
            tier: catalog.tier(&offer, &price).map(str::to_owned),
            age_days: quote.age_days,
            doubts: doubts.filter(|reason| reason.is_doubt()).collect(),
            url: link_of(catalog, &offer, quote.region).map(Cow::into_owned),
        })
    }

    /// Checks that some hardware has a price, if prices of a maximum age were requested and there are older ones.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::DataTooOld`](crate::ErrorCode::DataTooOld).
    pub fn check(&self) -> std::result::Result<(), Error> {
        match &self.newest_old {
            Some(newest) if !self.has_price => Err(newest.error(false)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FitHardware, FitRequest, ModelSource, ResolveRequest, RunRequest};

    fn request(spec: &str, max_age_s: Option<u64>) -> FitRequest<'static> {
        FitRequest {
            hardware: FitHardware::Spec(spec.to_owned()),
            nodes: 1,
            run: RunRequest {
                model: Some(ModelSource::Name("Llama-3.1-8B".to_owned())),
                ..RunRequest::default()
            },
            prices: Some(PricePolicy {
                max_age_s,
                ..PricePolicy::default()
            }),
        }
    }

    fn price(request: &FitRequest<'_>) -> FitPriceOut {
        let answer = Engine::embedded().fit(request, None).unwrap();
        let mut results = answer.envelope.results.into_iter();
        results.next().unwrap().price.unwrap()
    }

    #[test]
    fn the_price_is_that_of_the_first_offer() {
        for spec in ["A100:80GB:SXM:x8", "RTX4090", "L4:x2"] {
            let of_fit = price(&request(spec, None));
            let resolved = ResolveRequest {
                specs: vec![spec.into()],
                ..ResolveRequest::default()
            };
            let offers = Engine::embedded().resolve(&resolved).unwrap().envelope;
            let first = &offers.results[0];
            assert_eq!(of_fit.instance_type, first.instance_type, "{spec}");
            let stated = first.on_demand.as_ref().unwrap().usd_per_hour;
            assert_eq!(of_fit.usd_per_hour, stated, "{spec}");
        }
        let of_type = price(&request("p4de.24xlarge", None));
        assert_eq!(of_type.instance_type, "p4de.24xlarge");
        let of_two = FitRequest {
            nodes: 2,
            ..request("p4de.24xlarge", None)
        };
        let ratio = price(&of_two).usd_per_hour.0 / of_type.usd_per_hour.0;
        assert!((ratio - 2.0).abs() < 1e-4, "{ratio}");
    }

    #[test]
    fn a_slice_costs_a_whole_device() {
        assert!(price(&request("H100:mig=3g.40gb", None)).of_whole_devices);
        assert!(!price(&request("H100", None)).of_whole_devices);
        assert!(!price(&request("L4:0.5", None)).of_whole_devices);
    }

    #[test]
    fn prices_of_a_maximum_age_are_an_error_only_without_any() {
        const DAY_S: u64 = 86_400;
        let newest = price(&request("RTX4090", None)).age_days.unwrap();
        let days = u64::try_from(newest).unwrap();
        let answer = Engine::embedded().fit(&request("RTX4090", Some(days * DAY_S)), None);
        assert!(answer.is_ok(), "{answer:?}");
        let error = Engine::embedded().fit(&request("RTX4090", Some(DAY_S)), None);
        let error = error.unwrap_err();
        assert_eq!(error.problems[0].code, ErrorCode::DataTooOld);
        // No provider sells a host without accelerators.
        let unsold = Engine::embedded().fit(&request("cpu:64GB", None), None);
        assert_eq!(unsold.unwrap_err().problems[0].code, ErrorCode::BadValue);
    }

    #[test]
    fn json_requests_have_the_names_of_the_flags() {
        let fit = |fields: &str| {
            let text = format!("{{\"spec\":\"L4\",\"model\":\"Llama-3.1-8B\"{fields}}}");
            Engine::embedded().fit_json(text.as_bytes())
        };
        let answer = fit(",\"price\":\"stated\"").unwrap().envelope;
        assert_eq!(answer.request.price, Some(PriceBasis::Stated));
        assert!(answer.results[0].price.is_some());
        assert!(fit("").unwrap().envelope.results[0].price.is_none());
        let answer = fit(",\"max_age\":\"3000d\"").unwrap().envelope;
        assert_eq!(answer.request.max_age_s, Some(3000 * 86_400));
        for (wrong, message) in [
            (",\"max_age\":\"5\"", "`max_age`: 5 has no unit"),
            (",\"max_age\":5", "`max_age` must be a string, not 5"),
            (",\"price\":\"real\"", "expected likely or stated"),
        ] {
            let error = fit(wrong).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
