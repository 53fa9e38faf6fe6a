//! `watch`: asks the providers again and again, until an offer appears or is cheap enough.

use std::collections::BTreeMap;
use std::io;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::Serialize;
use sky_accel_core::bind::Wanted;
use sky_accel_core::catalog::{Availability, ProviderId, Status};
use sky_accel_core::resolve::CapacityFilter;
use sky_accel_core::text::{list_and, number};
use sky_accel_engine::asking::{
    Cache, CacheMode, ErrorKind, Live, LiveRequest, Progress, can_ask, now, timestamp,
};
use sky_accel_engine::contract::{Num, OfferOut};
use sky_accel_engine::text::dollars;
use sky_accel_engine::{
    Error, ErrorCode, ErrorKind as Kind, OfferFilter, ResolveRequest, canonical,
};

use super::live::with_progress;
use super::{Context, Result};
use crate::cli::{OutputFormat, WatchArgs};
use crate::exit_code::ExitCode;
use crate::present::offers::{OfferTable, leading};
use crate::render::{Block, Page, write_json_line};
use crate::requests;
use crate::settings::cache_folder;
use crate::ui::Ui;

/// Time that a provider has for one answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest pause after a provider has said that it is asked too often.
const LONGEST_PAUSE: Duration = Duration::from_secs(15 * 60);

/// The offers that are waited for.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchRequest {
    pub spec: String,
    #[serde(flatten)]
    pub offers: OfferFilter,
    pub at_least: bool,
    pub interval_s: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<u64>,
}

/// One change, on a line.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchLine<'a> {
    pub schema: &'static str,
    pub at: String,
    pub request: &'a WatchRequest,
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["appeared", "gone", "price", "stock", "failed", "recovered", "found", "timeout"])))]
    pub event: &'static str,
    /// The provider that the event is about; missing where it is about the whole question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    pub message: String,
    /// As it is now; missing when it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offer: Option<OfferOut<'a>>,
}

/// The state of an offer after the last poll.
#[derive(Clone, Debug, PartialEq)]
struct Known {
    usd: Option<f64>,
    availability: Availability,
}

/// Whose machine it is, what it is called, how many devices it has.
type Key = (String, String, String);

struct Watch<'w, 'c> {
    context: &'w mut Context<'c>,
    args: &'w WatchArgs,
    request: WatchRequest,
    specs: Vec<Vec<Wanted>>,
    providers: Vec<ProviderId>,
    resolve: ResolveRequest,
    capacity_filter: CapacityFilter,
    max_price: Option<f64>,
    known: BTreeMap<Key, Known>,
    failing: BTreeMap<String, String>,
    /// Whether each change is a line of JSON; else people look on.
    lines: bool,
}

pub fn run(context: &mut Context<'_>, args: &WatchArgs) -> Result<ExitCode> {
    let catalog = context.engine.catalog();
    let specs = context.engine.read_specs(&[args.spec.as_str().into()])?;
    let offers = requests::offers(&args.offers, &context.settings.offers);
    if context.settings.offline {
        let message = "watch asks the providers, and --offline forbids it";
        return Err(Error::new(ErrorCode::Offline, message).into());
    }
    // The filter is held against the catalog before anybody is asked.
    let wishes = offers.request(&catalog)?;
    let max_price = offers.max_price.map(|usd| usd.0);
    let providers = providers(context, &offers, max_price)?;
    let ids = wishes.providers.iter();
    let request = WatchRequest {
        spec: canonical(&specs[0]),
        offers: OfferFilter {
            providers: ids.map(|id| catalog.provider_id(*id).to_owned()).collect(),
            ..offers.clone()
        },
        at_least: args.at_least,
        interval_s: args.interval.as_secs(),
        timeout_s: args.timeout.map(|time| time.as_secs()),
    };
    let lines = match context.settings.output {
        OutputFormat::Json | OutputFormat::Jsonl => true,
        OutputFormat::Table | OutputFormat::Wide => !Ui::is_terminal(),
        OutputFormat::Names => false,
        OutputFormat::Csv | OutputFormat::Yaml => {
            let message = "watch prints a table, ids (names) or a line of JSON for each change";
            return Err(Error::new(ErrorCode::BadValue, message).into());
        }
    };
    let capacity_filter = offers.capacity_type;
    let resolve = ResolveRequest {
        at_least: args.at_least,
        offers: OfferFilter {
            // An offer that is too dear is watched all the same.
            max_price: None,
            limit: None,
            ..offers
        },
        ..ResolveRequest::default()
    };
    Watch {
        context,
        args,
        request,
        specs,
        providers,
        resolve,
        capacity_filter,
        max_price,
        known: BTreeMap::new(),
        failing: BTreeMap::new(),
        lines,
    }
    .run()
}

/// The providers to ask: those that can be asked, and that tell what is waited for.
fn providers(
    context: &mut Context<'_>,
    offers: &OfferFilter,
    max_price: Option<f64>,
) -> Result<Vec<ProviderId>> {
    let catalog = context.engine.catalog();
    let mut providers = offers.providers_or_all(&catalog)?;
    providers.retain(|id| can_ask(catalog.provider_id(*id)));
    if providers.is_empty() {
        let message = "this build cannot ask any of these providers";
        return Err(Error::new(ErrorCode::Watch, message).into());
    }
    if max_price.is_some() {
        return Ok(providers);
    }
    let (telling, silent): (Vec<ProviderId>, Vec<ProviderId>) = providers
        .into_iter()
        .partition(|id| catalog.provider(*id).tells_stock);
    let names: Vec<&str> = silent.iter().map(|id| catalog.provider_id(*id)).collect();
    let does = if silent.len() == 1 { "does" } else { "do" };
    let message = format!(
        "{} {does} not tell what is in stock: say with --max-price what to wait for",
        list_and(&names)
    );
    if telling.is_empty() {
        return Err(Error::new(ErrorCode::Watch, message).into());
    }
    if !silent.is_empty() {
        context.ui.footer(&format!("{message} there"))?;
    }
    Ok(telling)
}

impl Watch<'_, '_> {
    fn run(mut self) -> Result<ExitCode> {
        let deadline = self.args.timeout.map(|time| Instant::now() + time);
        let mut pause = self.args.interval;
        let mut has_answered = false;
        for asked in 1_u32.. {
            let live = self.ask(left(deadline).min(PATIENCE).max(Duration::from_secs(1)))?;
            let failed = Error::no_answer(&live);
            // A key does not come by waiting.
            if let Some(error) = failed {
                if error.kind == Kind::Credentials {
                    return Err(error.into());
                }
            } else {
                has_answered = true;
            }
            self.tell_failures(&live)?;
            let engine = self.context.engine.with_live(&live);
            let offers = engine
                .resolve_bound(&self.resolve, &self.specs)?
                .envelope
                .results;
            self.tell_changes(&offers)?;
            if let Some(best) = offers.iter().find(|offer| self.is_found(offer)) {
                return self.found(best);
            }
            let is_hurried = live
                .failures()
                .any(|error| error.kind == ErrorKind::RateLimited);
            pause = if is_hurried {
                (pause * 2).min(LONGEST_PAUSE)
            } else {
                self.args.interval
            };
            let nearest = self.nearest(&offers);
            if !self.wait(pause, deadline, asked, &nearest)? {
                return self.too_late(has_answered, &live);
            }
        }
        Ok(ExitCode::NothingMatches)
    }

    /// Waits until the next question; false when the time is up before.
    fn wait(
        &mut self,
        pause: Duration,
        deadline: Option<Instant>,
        asked: u32,
        nearest: &str,
    ) -> Result<bool> {
        let until = Instant::now() + pause;
        loop {
            let rest = left(deadline);
            if rest.is_zero() {
                return Ok(false);
            }
            let wait = until.saturating_duration_since(Instant::now());
            if wait.is_zero() {
                return Ok(true);
            }
            self.context.ui.status(&format!(
                "{}: asked {asked} times, again in {} s; {nearest}",
                self.request.spec,
                wait.as_secs() + 1
            ));
            let second = wait.min(rest).min(Duration::from_secs(1));
            if let Err(interrupted) = self.context.session.pause(second) {
                self.context.ui.progress(&[]);
                return Err(Error::from(interrupted).into());
            }
        }
    }

    fn ask(&mut self, timeout: Duration) -> Result<Live> {
        let request = LiveRequest {
            capacity_filter: self.capacity_filter,
            at_least: self.args.at_least,
            regions: self.request.offers.regions.clone(),
            disk_gb: f64::from(self.args.disk),
            timeout,
            cache: Cache {
                folder: cache_folder(),
                mode: CacheMode::Refresh,
                max_age: None,
            },
            text: requests::live_text(self.lines),
            ..LiveRequest::default()
        };
        let catalog = self.context.engine.catalog();
        let session = self.context.session;
        let wanted: Vec<&Wanted> = self.specs.iter().flatten().collect();
        let providers = &self.providers;
        let live = with_progress(self.context.ui, |progress: &dyn Fn(Progress<'_>)| {
            session.ask(&catalog, &wanted, providers, &request, progress)
        });
        Ok(live.map_err(Error::from)?)
    }

    fn usd(&self, offer: &OfferOut<'_>) -> Option<f64> {
        leading(offer, self.capacity_filter).map(|price| price.usd_per_hour.0)
    }

    /// Whether it can be had, at a price that will do. Where nobody tells what is in stock, a price is
    /// all that can be waited for.
    fn is_found(&self, offer: &OfferOut<'_>) -> bool {
        let is_cheap = self
            .max_price
            .is_none_or(|max| self.usd(offer).is_some_and(|usd| usd <= max));
        let is_there = match offer.availability {
            Availability::Available | Availability::Limited => true,
            Availability::Unknown => self.max_price.is_some(),
            Availability::Unavailable => false,
        };
        is_cheap && is_there && offer.status == Status::Offered
    }

    fn nearest(&self, offers: &[OfferOut<'_>]) -> String {
        let there = offers
            .iter()
            .filter(|offer| offer.availability != Availability::Unavailable);
        let cheapest = there
            .filter_map(|offer| Some((self.usd(offer)?, offer)))
            .min_by(|(a, _), (b, _)| a.total_cmp(b));
        match cheapest {
            Some((usd, offer)) => {
                let (provider, kind) = (offer.provider, offer.instance_type);
                format!("cheapest {} on {provider} ({kind})", dollars(Num(usd)))
            }
            None if offers.is_empty() => "nobody lists it".to_owned(),
            None => "out of stock everywhere".to_owned(),
        }
    }

    fn line(
        &mut self,
        event: &'static str,
        provider: Option<String>,
        message: &str,
        offer: Option<OfferOut<'_>>,
    ) -> io::Result<()> {
        if self.lines {
            let line = WatchLine {
                schema: "sky-accel.watch.v1",
                at: timestamp(now()),
                request: &self.request,
                event,
                provider,
                message: message.to_owned(),
                offer,
            };
            write_json_line(self.context.ui.stdout(), &line)?;
            // Whoever reads a pipe waits for it.
            return self.context.ui.flush();
        }
        self.context.ui.progress(&[]);
        self.context.ui.footer(message)
    }

    fn tell_failures(&mut self, live: &Live) -> io::Result<()> {
        let now: BTreeMap<String, String> = live
            .failures()
            .map(|error| (error.provider.to_owned(), error.message.clone()))
            .collect();
        for (provider, message) in &now {
            if !self.failing.contains_key(provider) {
                let message = format!("{provider}: {message}");
                self.line("failed", Some(provider.clone()), &message, None)?;
            }
        }
        let before = std::mem::replace(&mut self.failing, now);
        for provider in before.into_keys() {
            if !self.failing.contains_key(&provider) {
                let message = format!("{provider} answers again");
                self.line("recovered", Some(provider), &message, None)?;
            }
        }
        Ok(())
    }

    fn tell_changes(&mut self, offers: &[OfferOut<'_>]) -> io::Result<()> {
        let mut now: BTreeMap<Key, Known> = BTreeMap::new();
        for offer in offers {
            let count = number(offer.count.0);
            let key = (
                offer.provider.to_owned(),
                offer.instance_type.to_owned(),
                count,
            );
            if now.contains_key(&key) {
                continue;
            }
            let known = Known {
                usd: self.usd(offer),
                availability: offer.availability,
            };
            let price = known
                .usd
                .map_or("price unknown".to_owned(), |usd| dollars(Num(usd)));
            let subject = format!("{} {}", offer.provider, offer.instance_type);
            let change = match self.known.get(&key) {
                None => Some(("appeared", format!("{subject}: {price}, {}", stock(&known)))),
                Some(before) if before.availability != known.availability => Some((
                    "stock",
                    format!("{subject}: {}, was {}", stock(&known), stock(before)),
                )),
                Some(before) if before.usd != known.usd => {
                    let old = before
                        .usd
                        .map_or("unknown".to_owned(), |usd| dollars(Num(usd)));
                    Some(("price", format!("{subject}: {price}, was {old}")))
                }
                Some(_) => None,
            };
            if let Some((event, message)) = change {
                self.line(
                    event,
                    Some(offer.provider.to_owned()),
                    &message,
                    Some(offer.clone()),
                )?;
            }
            now.insert(key, known);
        }
        // Of a provider that did not answer nothing is known, not even that it is gone.
        let failing: Vec<String> = self.failing.keys().cloned().collect();
        let before = std::mem::take(&mut self.known);
        for (key, known) in before {
            if now.contains_key(&key) {
                continue;
            }
            if failing.contains(&key.0) {
                now.insert(key, known);
                continue;
            }
            let message = format!("{} {} is gone", key.0, key.1);
            self.line("gone", Some(key.0), &message, None)?;
        }
        self.known = now;
        Ok(())
    }

    fn found(mut self, offer: &OfferOut<'_>) -> Result<ExitCode> {
        let price = self.usd(offer).map_or(String::new(), |usd| {
            format!(", {} per hour", dollars(Num(usd)))
        });
        let message = format!("found: {} {}{price}", offer.provider, offer.instance_type);
        let provider = Some(offer.provider.to_owned());
        if self.context.settings.output == OutputFormat::Names {
            self.context.ui.progress(&[]);
            self.context.ui.line(offer.instance_type)?;
        } else {
            self.line("found", provider, &message, Some(offer.clone()))?;
            if !self.lines {
                let table = OfferTable {
                    lead: None,
                    offers: vec![offer],
                    capacity_filter: self.capacity_filter,
                    wide: self.context.settings.output == OutputFormat::Wide,
                };
                let page = Page {
                    blocks: vec![Block::Table(table.build())],
                };
                page.print(self.context.ui)?;
            }
        }
        self.context.ui.flush()?;
        match &self.args.exec {
            Some(command) => self.exec(command, offer),
            None => Ok(ExitCode::Found),
        }
    }

    fn too_late(mut self, has_answered: bool, last: &Live) -> Result<ExitCode> {
        let message = format!("{}: nothing was found in time", self.request.spec);
        if self.lines {
            self.line("timeout", None, &message, None)?;
        } else {
            self.context.ui.progress(&[]);
            self.context.ui.always(&message)?;
        }
        match Error::no_answer(last).filter(|_| !has_answered) {
            Some(error) => Err(error.into()),
            None => Ok(ExitCode::NothingMatches),
        }
    }

    /// Runs the user's command, which sees the offer in its environment and never on a command line.
    fn exec(&self, command: &str, offer: &OfferOut<'_>) -> Result<ExitCode> {
        let price = leading(offer, self.capacity_filter);
        let is_spot = self.capacity_filter == CapacityFilter::Spot
            || price.is_some_and(|price| {
                offer
                    .spot
                    .as_ref()
                    .is_some_and(|spot| std::ptr::eq(price, spot))
            });
        let mut json = Vec::new();
        write_json_line(&mut json, offer)?;
        let region = price.and_then(|price| price.region);
        let region = region.or_else(|| {
            offer
                .regions
                .as_ref()
                .and_then(|regions| regions.first().copied())
        });
        let mut child = Command::new("sh");
        child
            .args(["-c", command])
            .stdin(Stdio::null())
            .env("SKY_ACCEL_OFFER_SPEC", &offer.spec)
            .env("SKY_ACCEL_OFFER_PROVIDER", offer.provider)
            .env("SKY_ACCEL_OFFER_INSTANCE_TYPE", offer.instance_type)
            .env("SKY_ACCEL_OFFER_ACCELERATOR", offer.accelerator)
            .env("SKY_ACCEL_OFFER_COUNT", number(offer.count.0))
            .env(
                "SKY_ACCEL_OFFER_CAPACITY_TYPE",
                if is_spot { "spot" } else { "on-demand" },
            )
            .env("SKY_ACCEL_OFFER_REGION", region.unwrap_or_default())
            .env(
                "SKY_ACCEL_OFFER_ID",
                price.and_then(|price| price.offer_id).unwrap_or_default(),
            )
            .env(
                "SKY_ACCEL_OFFER_USD_PER_HOUR",
                price
                    .map(|price| number(price.usd_per_hour.0))
                    .unwrap_or_default(),
            )
            .env(
                "SKY_ACCEL_OFFER_JSON",
                String::from_utf8_lossy(&json).trim_end(),
            );
        if self.lines {
            // Standard output is a line for each change.
            child.stdout(io::stderr());
        }
        let why = match child.status() {
            Ok(status) if status.success() => return Ok(ExitCode::Found),
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        };
        let message = format!("an offer was found, and the command failed: {why}");
        Err(Error::new(ErrorCode::WatchExec, message).into())
    }
}

/// The stock in words.
fn stock(known: &Known) -> &'static str {
    match known.availability {
        Availability::Available => "in stock",
        Availability::Limited => "few are left",
        Availability::Unavailable => "out of stock",
        Availability::Unknown => "stock unknown",
    }
}

/// The time until a deadline.
fn left(deadline: Option<Instant>) -> Duration {
    deadline.map_or(Duration::MAX, |at| {
        at.saturating_duration_since(Instant::now())
    })
}
