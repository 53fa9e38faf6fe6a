//! Figures of several accelerators side by side, with prices, and the machines with them that serve a model.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{AcceleratorId, Offer, OfferKind, PriceKind, Quality, Status};
use sky_accel_core::money::Count;
use sky_accel_core::resolve::{Match, Reason, matches, rank_before_price};
use sky_accel_core::spec::CountRange;

use crate::code::ErrorCode;
use crate::contract::{
    self, AcceleratorOut, CommitmentOut, Envelope, FitOut, Num, RecommendEcho, RecommendOut,
};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::filter::OfferFilter;
use crate::fit::{FitHardware, FitRequest};
use crate::recommend::{NAMED, RecommendRequest};
use crate::sizing::{ModelHub, RunRequest};
use crate::specs::{read_accelerators, unless_one};
use crate::too_old::no_price_left;

/// The maximum number of names. Each is a column, with all its figures and prices.
const MAX_NAMES: usize = 100;

/// Accelerators to compare.
#[derive(Clone, Debug, Default)]
pub struct CompareRequest {
    /// Names of accelerators.
    pub names: Vec<String>,
    /// A model and its load, which the machines with each accelerator have to serve; `None` for the figures alone.
    pub run: Option<RunRequest>,
    /// Limits to the offers.
    pub offers: OfferFilter,
}

/// The request of a comparison as it was understood.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompareEcho {
    /// Names of accelerators.
    pub names: Vec<String>,
    /// The term of commitments. Omitted without them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The model, its load and the limits to machines. Omitted without a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<RecommendEcho>,
}

/// An accelerator, with its figures relative to the first accelerator.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompareOut<'a> {
    /// The figures of the accelerator.
    #[serde(flatten)]
    pub accelerator: AcceleratorOut<'a>,
    /// Each figure divided by the figure of the first result, by field name. Omitted if either is unknown.
    pub ratios: BTreeMap<&'static str, Num>,
    /// The lowest likely price of one device. Omitted if no price is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<DevicePriceOut<'a>>,
    /// The best machine with it that serves the model. Omitted without a model or such a machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<Box<RecommendOut<'a>>>,
    /// The reason why no machine with it serves the model. Omitted without a model, and with a machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
    /// The fit of the model on one device that no provider sells. Omitted without a model, and if it is sold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<Box<FitOut>>,
}

/// The lowest likely price of one device.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DevicePriceOut<'a> {
    /// US dollars per hour: the stated price of the machine over the number of its devices.
    pub usd_per_hour: Num,
    /// The likely price of today of one device; the stated price if the request asks for stated prices.
    pub likely_usd_per_hour: Num,
    /// The same as `usd_per_hour`. Omitted if the likely price is equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stated_usd_per_hour: Option<Num>,
    /// The lower end of the band that holds four of five likely prices.
    pub low: Num,
    /// The upper end of the band.
    pub high: Num,
    /// The number of sources that have stated a price of the machine.
    pub sources: u8,
    /// The reliability of the price.
    pub quality: Quality,
    /// The date of the price: a day, a month or a year.
    pub as_of: &'a str,
    /// The provider.
    pub provider: &'a str,
    /// The provider's page with the machine or its prices. Omitted if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<Cow<'a, str>>,
    /// The number of devices in the machine.
    pub count: Num,
    /// The reasons to doubt the price or its host. Omitted without any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Reason>,
    /// The origin of the price.
    pub kind: PriceKind,
    /// The provider's tier. Omitted without tiers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<&'a str>,
    /// The prices under the requested commitments, the lowest first, with `commit`. Omitted otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commitments: Vec<CommitmentOut<'a>>,
    /// The age of the price in days. Omitted if its date is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_days: Option<i32>,
    /// US dollars per hour of 1,000 dense TFLOPS in 16 bits, at the likely price. Omitted if the rate is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_petaflops: Option<Num>,
}

impl<'c> Engine<'c> {
    /// Compares the first reading of each name with the first name. With a model, each result has the best machine with
    /// the accelerator that serves it, as [`Engine::recommend`] finds it.
    ///
    /// `hub` downloads the configuration of a model that is named by its hub id.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Spec`](crate::ErrorCode::Spec) for an unknown name, [`ErrorCode::TooManyRows`] for more than 100
    /// names, and the errors of [`Engine::recommend`].
    pub fn compare(
        &self,
        request: &CompareRequest,
        hub: Option<&ModelHub<'_>>,
    ) -> Result<Envelope<'c, CompareEcho, CompareOut<'c>>> {
        let catalog = self.catalog();
        request.offers.check_live(false)?;
        let names = request.names.len();
        if names > MAX_NAMES {
            let message = format!("a comparison has at most {MAX_NAMES} accelerators, not {names}");
            return Err(Error::new(ErrorCode::TooManyRows, message));
        }
        let mut ids: Vec<AcceleratorId> = Vec::new();
        let mut notes = Vec::new();
        for name in &request.names {
            let (found, more) = read_accelerators(&catalog, name)
                .map_err(|error| unless_one(&catalog, &request.names, error))?;
            ids.extend(found.first());
            notes.extend(more);
        }
        let machines = self.machines(request, &ids, hub)?;
        let rows: Vec<AcceleratorOut<'c>> = ids
            .iter()
            .map(|id| contract::accelerator(&catalog, *id))
            .collect();
        let first = rows.first().cloned();
        let results = rows.into_iter().zip(&ids).zip(first.iter().cycle());
        let results = results.map(|((accelerator, id), first)| {
            let (machine, why_not) = match &machines {
                Some(machines) => machines.of(accelerator.id),
                None => (None, None),
            };
            let is_unsold = machine.is_none() && catalog.sold(*id).is_empty();
            let run = request.run.as_ref().filter(|_| is_unsold);
            CompareOut {
                fit: run.and_then(|run| self.fit_on_one(accelerator.id, run, hub)),
                ratios: ratios(&accelerator, first),
                price: self.lowest_price(request, *id, &accelerator),
                accelerator,
                machine,
                why_not,
            }
        });
        let results: Vec<CompareOut<'c>> = results.collect();
        let is_limited = request.offers.max_age_s.is_some();
        let has_offers = || ids.iter().any(|id| !catalog.sold(*id).is_empty());
        if is_limited && results.iter().all(|row| row.price.is_none()) && has_offers() {
            let providers = request.offers.providers(&catalog)?;
            let sells = |id| providers.is_empty() || providers.contains(&id);
            let counts = |offer: &Offer| is_machine(offer) && sells(offer.provider);
            return Err(no_price_left(&catalog, &self.likely_prices(), ids, counts));
        }
        let understood = CompareEcho {
            names: request.names.clone(),
            commit: request.offers.commit.clone(),
            work: machines.map(|machines| machines.echo),
        };
        let envelope = Envelope::new("sky-accel.compare.v1", &catalog, understood, results);
        Ok(envelope
            .with_overridden(self.overlaid(), None)
            .with_notes(notes)
            .with_notes(self.commitment_notes()))
    }

    /// The best machine with each accelerator for the model of the request; `None` without a model.
    fn machines(
        &self,
        request: &CompareRequest,
        ids: &[AcceleratorId],
        hub: Option<&ModelHub<'_>>,
    ) -> Result<Option<Machines<'c>>> {
        let Some(run) = &request.run else {
            return Ok(None);
        };
        let catalog = self.catalog();
        let names: BTreeSet<&str> = ids.iter().map(|id| catalog.accelerator_id(*id)).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let answer = self.recommend(
            &RecommendRequest {
                run: run.clone(),
                on: Some(names.join("|")),
                offers: OfferFilter {
                    limit: Some(names.len() as u32),
                    ..request.offers.clone()
                },
                ..RecommendRequest::default()
            },
            hub,
        )?;
        let notes = answer.envelope.notes.into_iter();
        let notes = notes.filter(|note| note.code == NAMED || note.code == "rejected");
        Ok(Some(Machines {
            echo: RecommendEcho {
                on: None,
                ..answer.envelope.request
            },
            rows: answer.envelope.results,
            reasons: notes.map(|note| note.message).collect(),
        }))
    }

    /// The fit of a model on one device; `None` if it cannot be sized.
    fn fit_on_one(
        &self,
        accelerator: &str,
        run: &RunRequest,
        hub: Option<&ModelHub<'_>>,
    ) -> Option<Box<FitOut>> {
        let request = FitRequest {
            hardware: FitHardware::Spec(accelerator.to_owned()),
            nodes: 1,
            run: run.clone(),
            prices: None,
        };
        let answer = self.fit(&request, hub).ok()?;
        answer.envelope.results.into_iter().next().map(Box::new)
    }

    /// The lowest likely price of one device among the machines with an accelerator that rank alike before their price:
    /// doubtful prices come last, as in `resolve`.
    fn lowest_price(
        &self,
        request: &CompareRequest,
        id: AcceleratorId,
        figures: &AcceleratorOut<'_>,
    ) -> Option<DevicePriceOut<'c>> {
        let catalog = self.catalog();
        let filter = request.offers.request(&catalog, self.today()).ok()?;
        let choice = BoundChoice::accelerator(&catalog, id, Some(CountRange::at_least(Count::ONE)));
        let found = matches(&catalog, &[choice], &filter);
        let priced = found.iter().filter_map(|machine: &Match| {
            let offer = catalog.offer(machine.offer);
            let counts = is_machine(&offer) && machine.accelerator == id;
            let quote = machine
                .ranking_quote(filter.capacity_filter)
                .filter(|_| counts)?;
            let devices = machine.count.decimal();
            Some((
                rank_before_price(&catalog, machine, &filter),
                quote.likely.usd.per(machine.count).decimal(),
                quote,
                devices,
                machine,
            ))
        });
        // Of equal prices of a device, the smallest machine is the offer to try.
        let first = priced.min_by(|a, b| {
            a.0.cmp(&b.0)
                .then(a.1.total_cmp(&b.1))
                .then(a.3.total_cmp(&b.3))
        });
        let (_, usd, quote, devices, machine) = first?;
        let offer = catalog.offer(machine.offer);
        let commitments = catalog.commitment_filter();
        let price = catalog.price(quote.price);
        let tflops = figures.bf16_tflops.or(figures.fp16_tflops);
        let rounded = |usd: f64| Num((usd * 1e4).round() / 1e4);
        Some(DevicePriceOut {
            usd_per_hour: rounded(quote.usd.decimal() / devices),
            likely_usd_per_hour: rounded(usd),
            stated_usd_per_hour: (quote.usd != quote.likely.usd)
                .then(|| rounded(quote.usd.decimal() / devices)),
            low: rounded(quote.likely.low().decimal() / devices),
            high: rounded(quote.likely.high().decimal() / devices),
            sources: price.sources,
            quality: price.quality,
            as_of: catalog.str(price.as_of),
            provider: catalog.provider_id(offer.provider),
            url: contract::link_of(&catalog, &offer, quote.region),
            count: Num(devices),
            doubts: machine
                .reasons
                .iter()
                .copied()
                .filter(|reason| reason.is_doubt())
                .collect(),
            kind: price.kind,
            tier: catalog.tier(&offer, &price),
            commitments: commitments.map_or_else(Vec::new, |committed| {
                let likely = filter.likely.as_ref();
                contract::commitments_of(&catalog, likely, committed, machine)
            }),
            age_days: quote.age_days,
            usd_per_petaflops: tflops.map(|tflops| rounded(usd / tflops.0 * 1e3)),
        })
    }
}

/// Whether an offer has machines with whole devices.
fn is_machine(offer: &Offer) -> bool {
    offer.kind != OfferKind::Endpoint
        && offer.mig_profile.len == 0
        && offer.status == Status::Offered
}

/// The best machines of a comparison.
struct Machines<'c> {
    echo: RecommendEcho,
    rows: Vec<RecommendOut<'c>>,
    /// Reasons against accelerators without a machine; each begins with its spec.
    reasons: Vec<String>,
}

impl<'c> Machines<'c> {
    /// The machine with an accelerator, or the reason for its absence.
    fn of(&self, name: &str) -> (Option<Box<RecommendOut<'c>>>, Option<String>) {
        let mut rows = self.rows.iter();
        if let Some(row) = rows.find(|row| row.offer.accelerator == name) {
            return (Some(Box::new(row.clone())), None);
        }
        let reason = self.reasons.iter().find_map(|reason| {
            let rest = reason.strip_prefix(name)?;
            let is_name = rest.starts_with([':', ' ']);
            let (_, why) = rest.rsplit_once(": ").filter(|_| is_name)?;
            Some(why.to_owned())
        });
        let unknown = || "no machine with it is sold within the limits".to_owned();
        (None, Some(reason.unwrap_or_else(unknown)))
    }
}

fn ratios(of: &AcceleratorOut, against: &AcceleratorOut<'_>) -> BTreeMap<&'static str, Num> {
    let pairs = [
        ("memory_gb", of.memory_gb, against.memory_gb),
        (
            "memory_bandwidth_gb_s",
            of.memory_bandwidth_gb_s,
            against.memory_bandwidth_gb_s,
        ),
        ("fp64_tflops", of.fp64_tflops, against.fp64_tflops),
        ("fp32_tflops", of.fp32_tflops, against.fp32_tflops),
        ("tf32_tflops", of.tf32_tflops, against.tf32_tflops),
        ("fp16_tflops", of.fp16_tflops, against.fp16_tflops),
        ("bf16_tflops", of.bf16_tflops, against.bf16_tflops),
        ("fp8_tflops", of.fp8_tflops, against.fp8_tflops),
        ("fp4_tflops", of.fp4_tflops, against.fp4_tflops),
        ("int8_tops", of.int8_tops, against.int8_tops),
        ("tdp_w", of.tdp_w, against.tdp_w),
        (
            "interconnect_gb_s",
            of.interconnect_gb_s,
            against.interconnect_gb_s,
        ),
    ];
    let ratio = |(name, figure, first): (&'static str, Option<Num>, Option<Num>)| {
        Some((name, Num((figure?.0 / first?.0 * 1000.0).round() / 1000.0)))
    };
    pairs.into_iter().filter_map(ratio).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizing::ModelSource;

    fn compared(names: &[&str], model: Option<&str>) -> Vec<CompareOut<'static>> {
        let request = CompareRequest {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            run: model.map(|model| RunRequest {
                model: Some(ModelSource::Name(model.to_owned())),
                ..RunRequest::default()
            }),
            ..CompareRequest::default()
        };
        let answer = Engine::embedded().compare(&request, None).unwrap();
        answer.results
    }

    #[test]
    fn the_number_of_names_is_bounded() {
        let mut request = CompareRequest {
            names: vec!["L4".to_owned(); MAX_NAMES],
            ..CompareRequest::default()
        };
        assert!(Engine::embedded().compare(&request, None).is_ok());
        request.names.push("L4".to_owned());
        let error = Engine::embedded().compare(&request, None).unwrap_err();
        assert_eq!(error.problems[0].code, ErrorCode::TooManyRows);
        assert_eq!(
            error.to_string(),
            "a comparison has at most 100 accelerators, not 101"
        );
    }

    #[test]
    fn every_device_has_a_machine_or_a_reason() {
        let rows = compared(&["4090", "L40S", "T4", "4090"], Some("Llama-3.1-70B"));
        for row in &rows {
            let name = row.accelerator.id;
            assert_ne!(row.machine.is_some(), row.why_not.is_some(), "{name}");
            let machine = row.machine.as_ref();
            assert!(machine.is_none_or(|machine| machine.offer.accelerator == name));
        }
        let prices =
            |row: &CompareOut<'_>| row.machine.as_ref().map(|machine| machine.usd_per_hour);
        assert_eq!(prices(&rows[0]), prices(&rows[3]));
        assert!(rows[1].machine.is_some());
    }

    #[test]
    fn the_model_is_sized_on_a_device_that_is_not_sold() {
        let rows = compared(&["4090", "M4 Max"], Some("Qwen3-14B"));
        assert!(rows[0].machine.is_some() && rows[0].fit.is_none());
        let fit = rows[1].fit.as_ref().expect("a fit");
        assert_eq!((fit.count, fit.fits), (1, Some(true)));
        assert!(rows[1].machine.is_none() && rows[1].why_not.is_some());
    }

    #[test]
    fn a_price_has_its_stated_and_its_likely_amount() {
        let rows = compared(&["A100", "H100", "L4", "B200", "4090", "T4"], None);
        let prices: Vec<&DevicePriceOut<'_>> =
            rows.iter().filter_map(|row| row.price.as_ref()).collect();
        let has_drifted =
            |price: &&&DevicePriceOut<'_>| price.usd_per_hour != price.likely_usd_per_hour;
        assert!(prices.iter().filter(has_drifted).count() > 1);
        for price in prices {
            let stated = has_drifted(&&price).then_some(price.usd_per_hour);
            assert_eq!(price.stated_usd_per_hour, stated, "{price:?}");
            assert!(
                price.low <= price.likely_usd_per_hour && price.likely_usd_per_hour <= price.high
            );
        }
    }

    #[test]
    fn prices_are_of_one_device() {
        let rows = compared(&["H100", "TPUv5e", "B200"], None);
        let price = |at: usize| rows[at].price.as_ref().unwrap();
        // B200 is sold in machines with eight.
        assert!(
            (0.5..10.0).contains(&price(2).usd_per_hour.0),
            "{:?}",
            price(2)
        );
        let tflops = rows[0].accelerator.bf16_tflops.unwrap().0;
        let expected = price(0).likely_usd_per_hour.0 / tflops * 1e3;
        let stated = price(0).usd_per_petaflops.unwrap().0;
        assert!((stated - expected).abs() < 1e-3, "{stated} {expected}");
        assert!(
            rows.iter()
                .all(|row| row.machine.is_none() && row.why_not.is_none())
        );
    }
}
