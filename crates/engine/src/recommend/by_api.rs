//! The load of a request by API, on the first machine, and on a machine that the user owns.

use std::collections::BTreeSet;

use sky_accel_core::catalog::{Catalog, TokenPrice, TokenUnit};
use sky_accel_core::money::Usd;
use sky_accel_core::sizing::{Arrival, ModelKind};
use sky_accel_core::text::{counted, list_and};

use super::RecommendRequest;
use super::own_machine::OwnMachine;
use super::picks::Pick;
use super::search::{SearchInput, SizedMachine, spec_of};
use super::sentences::machine_in_words;
use crate::code::ErrorCode;
use crate::contract::{ApiComparisonOut, ApiOfferOut, ComparedMachineOut, Num, OwnMachineOut};
use crate::error::{Error, Result};
use crate::money::Money;
use crate::recommend_words::{Basis, ComparedWith, PickKind, WayToRun};
use crate::sizing::{ModelRun, ModelSource};
use crate::text::{figure, grouped};

/// Kinds of service that no user waits for.
pub(crate) const BATCH: &str = "batch";
const MILLION: f64 = 1e6;
const HOUR_S: f64 = 3600.0;

/// The work of an hour.
struct HourlyWork {
    unit: TokenUnit,
    /// Tokens of input and output of a request; 0 for other units.
    input: f64,
    output: f64,
    /// The share of the input that is in a cache.
    cached: f64,
    /// Units per hour of the load, or the maximum of the machine.
    units_per_hour: Option<f64>,
    /// Units per hour of the most users that the machine serves; `None` if unknown or without users.
    most_per_hour: Option<f64>,
    /// True if the request states the load.
    is_stated: bool,
}

impl HourlyWork {
    /// Returns the work of a run on the first machine. `prices` are those of the model.
    fn of(work: &ModelRun, first: Option<&SizedMachine>, prices: &[TokenPrice]) -> Self {
        let run = &work.run;
        if work.model.kind == ModelKind::Speech {
            let per_s = first.and_then(|choice| choice.model.items_per_s);
            return Self::of_speech(prices, per_s);
        }
        if work.items.is_some() {
            let per_s = first.and_then(|choice| choice.model.items_per_s);
            // Videos are sold by the second, and the frames of a second are not known.
            let is_video = work.model.kind == ModelKind::Video;
            return Self {
                unit: if is_video {
                    TokenUnit::VideoSecond
                } else {
                    TokenUnit::Image
                },
                input: 0.0,
                output: 0.0,
                cached: 0.0,
                units_per_hour: per_s.filter(|_| !is_video).map(|per_s| per_s * HOUR_S),
                most_per_hour: None,
                is_stated: false,
            };
        }
        let output = if run.generate >= 1.0 {
            run.generate
        } else {
            0.0
        };
        let counted = if output > 0.0 { output } else { run.context };
        let rate = match run.load.map(|load| load.arrival) {
            Some(Arrival::Rate(rate)) => Some(rate),
            _ => first
                .and_then(|choice| choice.model.tokens_per_s)
                .map(|rate| rate / counted),
        };
        let tokens = run.context + output;
        let units_per_hour = rate.map(|rate| rate * HOUR_S * tokens / MILLION);
        let served = first.and_then(|choice| choice.model.served);
        let more = match run.load.map(|load| load.arrival) {
            Some(Arrival::Users(users)) => served.map(|served| served.most_users / users),
            _ => None,
        };
        Self {
            unit: TokenUnit::Tokens,
            input: run.context,
            output,
            cached: run.prefix_cached,
            units_per_hour,
            most_per_hour: units_per_hour
                .zip(more)
                .map(|(units, more)| units * more.max(1.0)),
            is_stated: run.load.is_some(),
        }
    }

    /// Speech is sold by the hour that is written down, or by the characters that are spoken. `hours_per_s` are the
    /// hours of speech that the first machine writes down in a second.
    fn of_speech(prices: &[TokenPrice], hours_per_s: Option<f64>) -> Self {
        let units = prices.iter().map(|price| price.unit);
        let spoken = units.into_iter().find(|unit| *unit != TokenUnit::Tokens);
        let unit = spoken.unwrap_or(TokenUnit::AudioHour);
        let hours = hours_per_s.filter(|_| unit == TokenUnit::AudioHour);
        Self {
            unit,
            input: 0.0,
            output: 0.0,
            cached: 0.0,
            units_per_hour: hours.map(|per_s| per_s * HOUR_S),
            most_per_hour: None,
            is_stated: false,
        }
    }

    /// US dollars per unit at a price; `None` if the price is for other work.
    fn usd_per_unit(&self, price: &TokenPrice) -> Option<f64> {
        if price.unit != self.unit {
            return None;
        }
        let output = price.output.map(Usd::decimal);
        if self.unit != TokenUnit::Tokens {
            return output;
        }
        let input = price.input?.decimal();
        let cached = price.cached.map_or(input, Usd::decimal);
        let output = match output {
            Some(output) => output,
            None if self.output > 0.0 => return None,
            None => 0.0,
        };
        let prompt = input * (1.0 - self.cached) + cached * self.cached;
        let sum = self.input + self.output;
        Some((self.input * prompt + self.output * output) / sum)
    }

    /// Requests per hour.
    fn requests_per_hour(&self) -> Option<f64> {
        let units = self.units_per_hour?;
        let tokens = self.input + self.output;
        (tokens > 0.0).then(|| units * MILLION / tokens)
    }

    /// The work of an hour as text: `31.7 million tokens`.
    fn in_words(&self, units: f64) -> String {
        match self.unit {
            TokenUnit::Image => counted(grouped(units.round()), self.unit.in_words()),
            unit => format!("{} {}", figure(units), unit.plural()),
        }
    }
}

/// The names of the units that APIs sell.
enum SoldUnits {
    /// Those of the requested model.
    OfModel(Vec<&'static str>),
    /// Those of other models: the requested model has no price.
    OfOthers(Vec<&'static str>),
}

/// Prices that are left out, by reason.
#[derive(Default)]
struct LeftOutPrices {
    other_precision: usize,
    short_context: usize,
    batches: usize,
}

/// The machine that is compared with APIs: the first of the answer, or for a job the machine with the lowest total,
/// which a margin for many devices may rank behind others.
pub(super) fn compared<'m>(
    choices: &'m [SizedMachine],
    picks: &[Pick],
    first: Option<&'m SizedMachine>,
    basis: Basis,
) -> Option<&'m SizedMachine> {
    let is_cheapest = |pick: &&Pick| pick.kinds.contains(&PickKind::Cheapest);
    let cheapest = picks.iter().find(is_cheapest);
    let of_job = cheapest.filter(|_| basis == Basis::Job);
    of_job.map_or(first, |pick| Some(&choices[pick.at]))
}

/// Compares a machine with the alternatives that a request names; `None` if it names none.
///
/// # Errors
///
/// An unreadable description of the user's machine.
pub(super) fn comparison(
    input: &SearchInput<'_>,
    request: &RecommendRequest,
    first: Option<&SizedMachine>,
    money: &Money<'_>,
) -> Result<Option<ApiComparisonOut>> {
    let own = request.own.as_deref().map(OwnMachine::parse).transpose()?;
    if own.is_none() && request.compared_with.is_none() {
        return Ok(None);
    }
    if input.work.run.workload.is_training() {
        let field = match request.compared_with {
            Some(_) => "compare",
            None => "own",
        };
        let message =
            format!("`{field}` applies only to inference: APIs do not sell training by the token");
        return Err(Error::new(ErrorCode::BadValue, message));
    }
    let catalog = &input.engine.catalog();
    let today = input.engine.today().to_string();
    let in_use = input.work_in(first.map_or(0, |choice| choice.precision));
    let name = asked_name(request, in_use);
    let prices = catalog.token_prices_of(name);
    let work = HourlyWork::of(in_use, first, &prices);
    let rented = first.map(|choice| choice.usd_per_hour.decimal());
    let per_unit = |usd_per_hour: f64| {
        let units = work.units_per_hour.filter(|units| *units > 0.0)?;
        Some(usd_per_hour / units)
    };
    let mut left_out = LeftOutPrices::default();
    let units = sold_units(catalog, &prices);
    let offers = match request.compared_with {
        Some(ComparedWith::Api) => offers(
            catalog,
            in_use,
            &work,
            prices,
            (today.as_str(), rented),
            &mut left_out,
        ),
        None => Vec::new(),
    };
    let mut out = ApiComparisonOut {
        cheapest: None,
        message: String::new(),
        unit: work.unit,
        input_tokens: (work.input > 0.0).then_some(Num(work.input)),
        output_tokens: (work.output > 0.0).then_some(Num(work.output)),
        cached_share: (work.cached > 0.0).then_some(Num(work.cached)),
        requests_per_hour: work.requests_per_hour().map(Num),
        units_per_hour: work.units_per_hour.map(Num),
        machine: first.map(|choice| machine(catalog, choice, rented.and_then(per_unit))),
        own: own.map(|own| own.out(per_unit(own.usd_per_hour()), rented)),
        median_usd_per_unit: median(&offers),
        offers,
        other_precision: left_out.other_precision,
        short_context: left_out.short_context,
        batches: left_out.batches,
    };
    let costs = costs(&out);
    out.cheapest = costs
        .first()
        .filter(|_| costs.len() > 1)
        .map(|(way, _)| *way);
    let machine = first.map(|choice| machine_in_words(catalog, choice));
    let no_price = request.compared_with.map(|_| no_price(name, &work, &units));
    out.message = sentence(&out, &work, no_price.as_deref(), machine.as_deref(), money);
    Ok(Some(out))
}

/// The units in which APIs sell a model, or any model if its prices are empty.
fn sold_units(catalog: &Catalog<'_>, prices: &[TokenPrice]) -> SoldUnits {
    let units_of =
        |units: BTreeSet<TokenUnit>| units.into_iter().map(TokenUnit::in_words).collect();
    if prices.is_empty() {
        let all = catalog.token_prices.iter().map(|price| price.unit);
        SoldUnits::OfOthers(units_of(all.collect()))
    } else {
        SoldUnits::OfModel(units_of(prices.iter().map(|price| price.unit).collect()))
    }
}

/// Says that no API price applies to the work, and what prices there are.
fn no_price(name: &str, work: &HourlyWork, units: &SoldUnits) -> String {
    let unit = work.unit.in_words();
    match units {
        SoldUnits::OfOthers(units) => format!(
            "no API price of {name} is known; the catalog has prices of other models per {}",
            list_and(units)
        ),
        SoldUnits::OfModel(units) if units.contains(&unit) => {
            format!("no API price of {name} is known for it")
        }
        SoldUnits::OfModel(units) => format!(
            "no API price of {name} per {unit} is known; the catalog has its price per {}",
            list_and(units)
        ),
    }
}

/// The requested name of the model, which the lists of sellers use.
fn asked_name<'r>(request: &'r RecommendRequest, work: &'r ModelRun) -> &'r str {
    match &request.run.model {
        Some(ModelSource::Name(name)) => name,
        _ => &work.model.name,
    }
}

fn machine(
    catalog: &Catalog<'_>,
    choice: &SizedMachine,
    usd_per_unit: Option<f64>,
) -> ComparedMachineOut {
    let offer = catalog.offer(choice.machine.offer);
    ComparedMachineOut {
        spec: spec_of(catalog, &choice.machine),
        provider: catalog.provider_id(offer.provider).to_owned(),
        instance_type: catalog.str(offer.id).to_owned(),
        usd_per_hour: Num(choice.usd_per_hour.decimal()),
        usd_per_unit: usd_per_unit.map(Num),
    }
}

/// The prices that apply to the work, the cheapest first.
fn offers(
    catalog: &Catalog<'_>,
    run: &ModelRun,
    work: &HourlyWork,
    prices: Vec<TokenPrice>,
    (today, rented): (&str, Option<f64>),
    left_out: &mut LeftOutPrices,
) -> Vec<ApiOfferOut> {
    let tokens = work.input + work.output;
    let mut offers = Vec::new();
    for price in prices {
        let retires = catalog.text(price.retires);
        let is_retired = retires.is_some_and(|day| day <= today);
        let (Some(usd_per_unit), false) = (work.usd_per_unit(&price), is_retired) else {
            continue;
        };
        let format = catalog.text(price.precision);
        let format = format.and_then(|name| catalog.weight_format(name));
        let variant = catalog.text(price.variant);
        if format.is_some_and(|format| format.format.bits < run.run.weights.bits) {
            left_out.other_precision += 1;
        } else if price.context > 0 && f64::from(price.context) < tokens {
            left_out.short_context += 1;
        } else if variant == Some(BATCH) && !run.is_batch_job {
            left_out.batches += 1;
        } else {
            let seller = catalog.token_seller(&price);
            let usd = |usd: Option<Usd>| usd.map(|usd| Num(usd.decimal()));
            let text = |text| catalog.text(text).map(str::to_owned);
            offers.push(ApiOfferOut {
                seller: catalog.str(seller.id).to_owned(),
                seller_name: catalog.str(seller.name).to_owned(),
                model_id: catalog.str(price.id).to_owned(),
                variant: variant.map(str::to_owned),
                precision: text(price.precision),
                input_usd: usd(price.input),
                cached_usd: usd(price.cached),
                output_usd: usd(price.output),
                usd_per_unit: Num(usd_per_unit),
                usd_per_hour: work.units_per_hour.map(|units| Num(units * usd_per_unit)),
                break_even_units_per_hour: rented.map(|rented| Num(rented / usd_per_unit)),
                context: (price.context > 0).then_some(price.context),
                since: text(price.since),
                as_of: catalog.str(price.as_of).to_owned(),
                retires: text(price.retires),
                source: catalog.str(price.source).to_owned(),
                page: text(seller.page),
            });
        }
    }
    offers.sort_by(|a, b| {
        let by_cost = a.usd_per_unit.0.total_cmp(&b.usd_per_unit.0);
        by_cost.then_with(|| (&a.seller, &a.model_id).cmp(&(&b.seller, &b.model_id)))
    });
    offers
}

/// The median price of a unit of work: of two prices in the middle, the mean. `offers` are sorted by price; the lowest
/// of each seller counts, which may have one for each region.
fn median(offers: &[ApiOfferOut]) -> Option<Num> {
    let mut sellers = BTreeSet::new();
    let lowest = offers.iter().filter(|offer| sellers.insert(&offer.seller));
    let prices: Vec<f64> = lowest.map(|offer| offer.usd_per_unit.0).collect();
    let middle = prices.len() / 2;
    let upper = *prices.get(middle)?;
    let lower = match prices.len() % 2 {
        0 => *prices.get(middle.wrapping_sub(1))?,
        _ => upper,
    };
    Some(Num(lower.midpoint(upper)))
}

/// The known costs of an hour of the load, the lowest first.
fn costs(out: &ApiComparisonOut) -> Vec<(WayToRun, f64)> {
    let api = out.offers.first().and_then(|offer| offer.usd_per_hour);
    let rented = out.machine.as_ref().map(|machine| machine.usd_per_hour);
    let own = out.own.as_ref().map(|own| own.usd_per_hour);
    let known = [
        (WayToRun::Api, api),
        (WayToRun::Machine, rented),
        (WayToRun::Own, own),
    ];
    let mut costs: Vec<(WayToRun, f64)> = known
        .into_iter()
        .filter_map(|(way, usd)| Some((way, usd?.0)))
        .collect();
    costs.sort_by(|a, b| a.1.total_cmp(&b.1));
    costs
}

/// The comparison as a sentence: the cheapest way, the cost of each, and the break-even.
fn sentence(
    out: &ApiComparisonOut,
    work: &HourlyWork,
    no_price: Option<&str>,
    machine: Option<&str>,
    money: &Money<'_>,
) -> String {
    // Without a stated load, the machine is compared at full load, whatever the users of the search are.
    let compared = if work.is_stated {
        "this load"
    } else {
        "the work of the fully loaded machine"
    };
    let lead = match out.cheapest {
        Some(WayToRun::Api) => format!("an API is cheapest for {compared}"),
        Some(WayToRun::Machine) => format!("renting a machine is cheapest for {compared}"),
        Some(WayToRun::Own) => format!("a machine of your own is cheapest for {compared}"),
        None if !out.offers.is_empty() && out.units_per_hour.is_none() && machine.is_some() => {
            "the speed of the machine is not known, so that its cost has no common unit with the API's"
                .to_owned()
        }
        None => "only one way has a known cost".to_owned(),
    };
    let mut parts = Vec::new();
    let unit = match work.unit {
        // The prices of input and output are mixed in the proportion of the load.
        TokenUnit::Tokens if work.output > 0.0 => "million tokens of input and output",
        unit => unit.in_words(),
    };
    match out.offers.first() {
        Some(offer) => {
            let hour = offer
                .usd_per_hour
                .map_or_else(String::new, |usd| format!(", {} per hour", money.text(usd)));
            let each = money.text(offer.usd_per_unit);
            parts.push(format!("{} at {each} per {unit}{hour}", offer.seller_name));
        }
        None => parts.extend(no_price.map(str::to_owned)),
    }
    match (&out.machine, machine) {
        (Some(rented), Some(words)) => {
            parts.push(format!(
                "{words}, {} per hour",
                money.text(rented.usd_per_hour)
            ));
        }
        _ => parts.push("no machine meets the limits".to_owned()),
    }
    // The cheapest way comes first, after the colon.
    if out.cheapest == Some(WayToRun::Machine) {
        parts.rotate_right(1);
    }
    parts.extend(out.own.as_ref().map(|own: &OwnMachineOut| {
        format!(
            "your own machine, {} per hour of work",
            money.text(own.usd_per_hour)
        )
    }));
    if out.cheapest == Some(WayToRun::Own) {
        parts.rotate_right(1);
    }
    let break_even = out
        .offers
        .first()
        .and_then(|offer| offer.break_even_units_per_hour);
    if let (Some(Num(units)), None) = (break_even, work.units_per_hour) {
        let units = work.in_words(units);
        parts.push(format!(
            "the rented machine pays if it does more than {units} per hour"
        ));
    }
    if let (Some(Num(units)), Some(load)) = (break_even, work.units_per_hour) {
        let whose = if work.is_stated {
            "this load has"
        } else {
            "the machine does"
        };
        let from = work.in_words(units);
        let actual = figure(load);
        parts.push(match work.most_per_hour.filter(|most| units > *most) {
            Some(most) => format!(
                "the rented machine would pay from {from} per hour, but does at most {}; {whose} {actual}",
                figure(most)
            ),
            None => format!("the rented machine pays from {from} per hour, and {whose} {actual}"),
        });
    }
    format!("{lead}: {}", parts.join("; "))
}
