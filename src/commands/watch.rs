//! `watch`: queries providers repeatedly until an offer appears or meets a price limit.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;
use std::io;
use std::process::Command;
use std::time::{Duration, Instant};

use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::Catalog;
use sky_accel_core::resolve::CapacityFilter;
use sky_accel_core::text::{counted, number, some_of};
use sky_accel_engine::asking::{
    Cache, CacheMode, Live, LiveRequest, Progress, Session, SessionError, key_variables, now,
    timestamp, url_variables,
};
use sky_accel_engine::contract::{OfferOut, WatchEvent, WatchLine, WatchRequest};
use sky_accel_engine::{
    Error, ErrorCode, OfferFilter, ScoreGoal, Watch, WatchChange, WatchClock, WatchEnd, WatchFace,
    WatchGoal, WatchLimits, WatchPause, WatchQuery, WatchedProviders, canonical, json,
};

use super::live::with_progress;
use crate::cli::{OutputFormat, WatchArgs};
use crate::context::{Context, Failure, Result};
use crate::exit_code::ExitCode;
use crate::present::offers::OfferTable;
use crate::render::{Block, Page};
use crate::requests;
use crate::settings::cache_folder;
use crate::ui::duration;

/// The code of notes on prices that are left out.
const IMPLAUSIBLE: &str = "implausible-prices";

/// The face of a watch on the command line.
struct Watcher<'w, 'c> {
    context: &'w mut Context<'c>,
    args: &'w WatchArgs,
    request: WatchRequest,
    specs: Vec<Vec<BoundChoice>>,
    capacity_filter: CapacityFilter,
    /// True to print each change as a JSON line instead of text.
    lines: bool,
    /// The messages on prices that were left out.
    said: HashSet<String>,
    /// The providers that could not be asked in the last query.
    failing: BTreeSet<&'static str>,
}

pub fn run(context: &mut Context<'_>, args: &WatchArgs) -> Result<ExitCode> {
    let catalog = context.engine.catalog();
    let specs = context.engine.bind(&[args.spec.as_str().into()])?;
    let mut offers = requests::offers(&args.offers, &context.settings.offers);
    if !args.min_score.is_empty() && offers.capacity_type == CapacityFilter::Unspecified {
        // Scores are mostly for spot capacity.
        offers.capacity_type = CapacityFilter::Any;
    }
    if context.settings.offline {
        let message = "watch queries providers, which --offline does not allow";
        return Err(Error::new(ErrorCode::Offline, message).into());
    }
    // Validate the filter before querying providers.
    let constraints = offers.request(&catalog, context.engine.today())?;
    let goal = goal(&catalog, args)?;
    let providers = WatchedProviders::choose(&catalog, &offers, &goal)?;
    if let Some(remark) = &providers.remark {
        context.ui.footer(remark)?;
    }
    let ids = constraints.providers.iter();
    let request = WatchRequest {
        spec: canonical(&specs[0]),
        offers: OfferFilter {
            providers: ids.map(|id| catalog.provider_id(*id).to_owned()).collect(),
            ..offers.clone()
        },
        at_least: args.at_least,
        nodes: goal.nodes,
        min_scores: goal.min_scores.clone(),
        check_quota: goal.check_quota,
        interval_s: args.interval.as_secs(),
        timeout_s: args.timeout.map(|time| time.as_secs()),
        give_up_s: args.give_up.as_secs(),
    };
    let lines = match context.settings.output {
        OutputFormat::Json | OutputFormat::Jsonl => true,
        OutputFormat::Table | OutputFormat::Wide => !context.ui.is_terminal(),
        OutputFormat::Names => false,
        OutputFormat::Csv | OutputFormat::Yaml | OutputFormat::Html | OutputFormat::Fragment => {
            let message = "watch supports the formats table, names and JSON (one line per change)";
            return Err(Error::new(ErrorCode::BadValue, message).into());
        }
    };
    let capacity_filter = offers.capacity_type;
    let watch = Watch::new(specs.concat(), &offers, args.at_least, goal);
    let (engine, session) = (context.engine, context.session);
    let mut watcher = Watcher {
        context,
        args,
        request,
        specs,
        capacity_filter,
        lines,
        said: HashSet::new(),
        failing: BTreeSet::new(),
    };
    let clock = SessionClock {
        session,
        start: Instant::now(),
    };
    let limits = WatchLimits {
        interval: args.interval,
        timeout: args.timeout,
        give_up: args.give_up,
    };
    match watch.run(&engine, &providers.ids, limits, &clock, &mut watcher) {
        Ok(WatchEnd::Found(exit_code)) => Ok(exit_code),
        Ok(WatchEnd::GaveUp(error)) => watcher.gave_up(error),
        Ok(WatchEnd::TimedOut(error)) => watcher.too_late(error),
        Err(failure) => {
            watcher.context.ui.progress(&[]);
            Err(failure)
        }
    }
}

/// The conditions of the watch beside the filter on offers.
fn goal(catalog: &Catalog<'_>, args: &WatchArgs) -> std::result::Result<WatchGoal, Error> {
    let scores = args.min_score.iter();
    let scores = scores.map(|text| ScoreGoal::read(catalog, text));
    Ok(WatchGoal {
        nodes: args.nodes,
        min_scores: scores.collect::<std::result::Result<_, _>>()?,
        check_quota: args.check_quota,
    })
}

/// The clock of the system. Ctrl-C and signals end a pause.
struct SessionClock<'s> {
    session: &'s Session,
    start: Instant,
}

impl WatchClock for SessionClock<'_> {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn pause(&self, time: Duration) -> std::result::Result<(), Error> {
        self.session.pause(time).map_err(Error::from)
    }
}

impl WatchFace<ExitCode, Failure> for Watcher<'_, '_> {
    fn query(&mut self, query: WatchQuery<'_>) -> Result<Live> {
        let request = LiveRequest {
            capacity_filter: self.capacity_filter,
            at_least: self.args.at_least,
            regions: self.request.offers.regions.clone(),
            disk_gb: f64::from(self.args.disk),
            machines: self.request.nodes,
            spot_scores: !self.request.min_scores.is_empty(),
            check_quota: self.request.check_quota,
            timeout: query.timeout,
            cache: Cache {
                folder: cache_folder(),
                mode: CacheMode::Refresh,
                max_age: None,
            },
            public: self.context.settings.public(self.args.public),
            required: self
                .request
                .offers
                .providers_by_name(&self.context.engine.catalog()),
            ..LiveRequest::default()
        };
        let catalog = self.context.engine.catalog();
        let session = self.context.session;
        let wanted: Vec<&BoundChoice> = self.specs.iter().flatten().collect();
        let live = with_progress(self.context.ui, |progress: &dyn Fn(Progress<'_>)| {
            let providers = query.providers;
            session.ask_until(
                &catalog,
                &wanted,
                providers,
                &request,
                progress,
                query.is_enough,
            )
        });
        let live = live.map_err(Error::from)?;
        self.say_left_out(&live)?;
        self.say_failures(&live)?;
        Ok(live)
    }

    fn changed(&mut self, change: WatchChange<'_>) -> Result<()> {
        let WatchChange {
            event,
            provider,
            message,
            offer,
        } = change;
        // Text has one line for all providers with the same cause.
        if event == WatchEvent::Failed && !self.lines {
            return Ok(());
        }
        Ok(self.line(event, Some(provider), &message, offer)?)
    }

    fn waiting(&mut self, pause: WatchPause<'_>) {
        let WatchPause {
            queries,
            remaining,
            nearest,
        } = pause;
        self.context.ui.status(&format!(
            "{}: {}, next in {} s; {nearest}",
            self.request.spec,
            counted(queries, "query"),
            remaining.as_secs() + 1
        ));
    }

    fn found(&mut self, offer: &OfferOut<'_>) -> Result<ExitCode> {
        let catalog = self.context.engine.catalog();
        let money = self.request.offers.money(&catalog)?;
        let price = offer.ranking_quote(self.capacity_filter);
        let price = price.map_or(String::new(), |price| {
            format!(", {} per hour", money.text(price.likely_usd_per_hour))
        });
        let message = format!("found: {} {}{price}", offer.provider, offer.instance_type);
        let provider = Some(offer.provider.to_owned());
        if self.context.settings.output == OutputFormat::Names {
            self.context.ui.progress(&[]);
            self.context.ui.name(offer.instance_type)?;
        } else {
            self.line(WatchEvent::Found, provider, &message, Some(offer.clone()))?;
            if !self.lines {
                let table = OfferTable {
                    lead: None,
                    offers: vec![offer],
                    capacity_filter: self.capacity_filter,
                    money: money.clone(),
                    wide: self.context.settings.output == OutputFormat::Wide,
                    is_by_one: false,
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
}

impl Watcher<'_, '_> {
    /// Reports prices that were left out, each message once.
    fn say_left_out(&mut self, live: &Live) -> Result<()> {
        let left_out = live.notes.iter().filter(|note| note.code == IMPLAUSIBLE);
        for note in left_out {
            if self.said.insert(note.message.clone()) {
                self.context.ui.progress(&[]);
                self.context.ui.footer(&note.message)?;
            }
        }
        Ok(())
    }

    /// Reports the providers that could not be asked, once while they fail.
    fn say_failures(&mut self, live: &Live) -> Result<()> {
        let catalog = self.context.engine.catalog();
        let answers = live.answers.iter();
        let asked: BTreeSet<&str> = answers
            .map(|one| catalog.provider_id(one.provider))
            .collect();
        // A provider that was not queried this time still fails.
        let earlier = self
            .failing
            .iter()
            .copied()
            .filter(|id| !asked.contains(id));
        let failing = live.failures().map(|error| error.provider);
        let failing: BTreeSet<&str> = failing.chain(earlier).collect();
        let is_new = !failing.is_subset(&self.failing);
        self.failing = failing;
        let Some(error) = Error::of_live(live).filter(|_| is_new && !self.lines) else {
            return Ok(());
        };
        self.context.ui.progress(&[]);
        for problem in error.condensed().problems {
            let message = match problem.provider {
                Some(_) => format!("could not ask {}", problem.message),
                None => problem.message,
            };
            self.context.ui.footer(&message)?;
        }
        Ok(())
    }

    /// Reports that no provider replied for too long.
    fn gave_up(mut self, error: Error) -> Result<ExitCode> {
        let time = duration(i64::try_from(self.request.give_up_s).unwrap_or(i64::MAX));
        let providers: Vec<&str> = self.failing.iter().copied().collect();
        let message = format!(
            "{}: could not ask {} for {time}, so the watch ends (--give-up)",
            self.request.spec,
            some_of(&providers)
        );
        self.end(&message)?;
        Err(error.into())
    }

    fn line(
        &mut self,
        event: WatchEvent,
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
            json::write_line(self.context.ui.stdout(), &line)?;
            // Flush each line, because programs read from a pipe.
            return self.context.ui.flush();
        }
        self.context.ui.progress(&[]);
        self.context.ui.footer(message)
    }

    fn too_late(mut self, error: Option<Error>) -> Result<ExitCode> {
        let mut message = format!(
            "{}: no offer was found before the timeout",
            self.request.spec
        );
        if !self.failing.is_empty() {
            let providers: Vec<&str> = self.failing.iter().copied().collect();
            let _ = write!(message, "; could not ask {}", some_of(&providers));
        }
        self.end(&message)?;
        match error {
            Some(error) => Err(error.into()),
            None => Ok(ExitCode::NothingMatches),
        }
    }

    /// Reports the end of a watch without an offer.
    fn end(&mut self, message: &str) -> io::Result<()> {
        if self.lines {
            return self.line(WatchEvent::Timeout, None, message, None);
        }
        self.context.ui.progress(&[]);
        self.context.ui.stderr_line(message)
    }

    /// Runs the user's command. The offer is passed on standard input and in environment variables, never on the
    /// command line, which could be interpreted by the shell.
    fn exec(&self, command: &str, offer: &OfferOut<'_>) -> Result<ExitCode> {
        let price = offer.ranking_quote(self.capacity_filter);
        let is_spot = self.capacity_filter == CapacityFilter::Spot
            || price.is_some_and(|price| {
                offer
                    .spot
                    .as_ref()
                    .is_some_and(|spot| std::ptr::eq(price, spot))
            });
        let mut document = Vec::new();
        json::write_line(&mut document, offer)?;
        let region = price.and_then(|price| price.region);
        let region = region.or_else(|| {
            offer
                .regions
                .as_ref()
                .and_then(|regions| regions.first().copied())
        });
        let mut child = Command::new("sh");
        child.args(["-c", command]);
        if !self.args.exec_keys {
            for name in key_variables() {
                child.env_remove(name);
            }
            // The address of a server or of a proxy may contain a user and a password.
            let servers: Vec<String> = url_variables().collect();
            let is_address = |name: &str| {
                servers.iter().any(|server| server == name)
                    || name.to_ascii_lowercase().ends_with("_proxy")
            };
            for (name, value) in std::env::vars_os() {
                let is_key = name.to_str().is_some_and(is_address)
                    && value.as_encoded_bytes().contains(&b'@');
                if is_key {
                    child.env_remove(name);
                }
            }
        }
        let count = number(offer.count.0);
        let usd = price.map(|price| number(price.usd_per_hour.0));
        for (name, value) in [
            ("SPEC", &offer.spec[..]),
            ("PROVIDER", offer.provider),
            ("INSTANCE_TYPE", offer.instance_type),
            ("ACCELERATOR", offer.accelerator),
            ("COUNT", &count),
            ("CAPACITY_TYPE", if is_spot { "spot" } else { "on-demand" }),
            ("REGION", region.unwrap_or_default()),
            (
                "ID",
                price.and_then(|price| price.offer_id).unwrap_or_default(),
            ),
            ("USD_PER_HOUR", usd.as_deref().unwrap_or_default()),
            ("JSON", String::from_utf8_lossy(&document).trim_end()),
        ] {
            child.env(format!("SKY_ACCEL_OFFER_{name}"), in_environment(value));
        }
        if self.lines {
            // Standard output has one line per change, so the command's output goes to standard error.
            child.stdout(io::stderr());
        }
        let why = match self.context.session.run(child, &document) {
            Ok(status) if status.success() => return Ok(ExitCode::Found),
            Ok(status) => status.to_string(),
            Err(SessionError::Run(error)) => error.to_string(),
            Err(interrupted) => return Err(Error::from(interrupted).into()),
        };
        let message = format!("an offer was found, but the command failed: {why}");
        Err(Error::new(ErrorCode::WatchExec, message).into())
    }
}

/// The maximum size of a variable in bytes: systems reject larger environments.
const MAX_VARIABLE: usize = 64 << 10;

/// A value for an environment variable: without NUL, and empty if it is too long.
fn in_environment(value: &str) -> String {
    if value.len() > MAX_VARIABLE {
        return String::new();
    }
    value.replace('\0', "")
}
