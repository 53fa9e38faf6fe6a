//! Live answers: the providers are asked, and what they say replaces what the catalog says.
//!
//! The rest of the program sees one more [`Tables`]: resolving, ranking and printing are the
//! same for an answer of this minute and for one of the catalog. Only here a runtime is started
//! and a TLS client built.

mod fresh;
mod hub;
mod identify;
mod question;
mod sources;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use sky_accel_catalog::Tables;
use sky_accel_core::bind::Wanted;
use sky_accel_core::catalog::{Catalog, ProviderId};
use sky_accel_core::note::Note;
use sky_accel_core::resolve::Buying;
use sky_accel_providers::{Cache, Context, Event, Http, Listing, ProviderError, Timeouts};
use tokio::time::{Instant, timeout_at};

use crate::error::{CliError, Problem};
use crate::exit_code::ExitCode;
use crate::ui::Ui;

pub use fresh::{Extras, Text, timestamp};
pub use hub::HubReader;
pub(crate) use identify::{Identifier, Identity};
use sources::Source;

/// What is asked live, beside the specs.
#[derive(Clone, Debug)]
pub struct LiveRequest {
    pub buying: Buying,
    pub at_least: bool,
    /// Whether to ask for every count in every region: for what is near when nothing matches.
    pub widely: bool,
    /// As asked: names, patterns, countries.
    pub regions: Vec<String>,
    pub disk_gb: f64,
    pub spot_scores: bool,
    pub capacity_block_hours: Option<u32>,
    pub check_quota: bool,
    pub timeout: Duration,
    pub cache: Cache,
    pub text: Text,
}

/// What came of it.
pub struct Live {
    /// The catalog with what the providers say now.
    pub tables: Tables,
    /// What only live answers have, by provider and instance type.
    pub extras: BTreeMap<(ProviderId, String), Extras>,
    /// In the order of the catalog.
    pub answers: Vec<Answer>,
    pub notes: Vec<Note>,
}

/// How one provider answered.
pub struct Answer {
    pub provider: ProviderId,
    pub outcome: Outcome,
    /// Parts that failed while the rest was answered.
    pub problems: Vec<ProviderError>,
}

/// What is known of a provider.
pub enum Outcome {
    /// It answered; the seconds are those of the oldest price, and of the oldest list of types.
    Answered {
        fetched_at: i64,
        cached: bool,
        types_at: Option<i64>,
    },
    Failed(ProviderError),
    /// It has no API that is known here: what the catalog says of it stands.
    FromCatalog,
}

impl Live {
    pub fn failures(&self) -> impl Iterator<Item = &ProviderError> {
        self.answers.iter().flat_map(|answer| {
            let failed = match &answer.outcome {
                Outcome::Failed(error) => Some(error),
                _ => None,
            };
            failed.into_iter().chain(&answer.problems)
        })
    }

    /// The error when no provider answered.
    pub fn error(&self) -> Option<CliError> {
        let failed: Vec<&ProviderError> = self
            .answers
            .iter()
            .map(|answer| match &answer.outcome {
                Outcome::Failed(error) => Some(error),
                _ => None,
            })
            .collect::<Option<_>>()?;
        let about_credentials = failed.iter().all(|error| error.kind.is_about_credentials());
        let too_old = failed
            .iter()
            .all(|e| e.kind == sky_accel_providers::ErrorKind::TooOld);
        let exit_code = if about_credentials {
            ExitCode::Credentials
        } else if too_old {
            ExitCode::TooOld
        } else {
            ExitCode::Provider
        };
        Some(CliError {
            exit_code,
            problems: failed.into_iter().map(problem).collect(),
        })
    }

    /// What to say of the providers that failed while others answered.
    pub fn partial(&self) -> Option<CliError> {
        let problems: Vec<Problem> = self.failures().map(problem).collect();
        (!problems.is_empty()).then_some(CliError {
            exit_code: ExitCode::Partial,
            problems,
        })
    }
}

fn problem(error: &ProviderError) -> Problem {
    Problem {
        code: error.kind.code().to_owned(),
        message: error.to_string(),
        advice: error.hint.clone(),
        provider: Some(error.provider),
        ..Problem::default()
    }
}

/// Asks providers what they sell of what is wanted.
pub fn ask(
    catalog: &Catalog<'_>,
    wanted: &[&Wanted],
    providers: &[ProviderId],
    request: &LiveRequest,
    ui: &mut Ui,
) -> Result<Live, CliError> {
    let listings = interruptible(ask_all(catalog, wanted, providers, request, ui));
    if listings.is_err() {
        ui.progress(&[]);
    }
    Ok(fresh::put_together(catalog, listings?, request.text))
}

/// Whether a provider can be asked at all.
pub fn can_ask(provider: &str) -> bool {
    Source::named(provider).is_some()
}

/// Waits, and is interrupted by Ctrl-C.
pub fn pause(time: Duration) -> Result<(), CliError> {
    interruptible(async move { tokio::time::sleep(time).await })
}

/// Runs what waits, until it is done or Ctrl-C is pressed.
fn interruptible<T>(work: impl Future<Output = T>) -> Result<T, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| {
            CliError::new(
                ExitCode::Internal,
                "live.runtime",
                format!("cannot start: {error}"),
            )
        })?;
    let outcome = runtime.block_on(async {
        tokio::select! {
            done = work => Ok(done),
            // Without a handler the system ends the program, which is as good.
            Ok(()) = tokio::signal::ctrl_c() => Err(CliError::interrupted()),
        }
    });
    // What is still under way, such as a name being looked up, is not waited for.
    runtime.shutdown_background();
    outcome
}

type Listings = Vec<(ProviderId, Option<Result<Listing, ProviderError>>)>;

async fn ask_all(
    catalog: &Catalog<'_>,
    wanted: &[&Wanted],
    providers: &[ProviderId],
    request: &LiveRequest,
    ui: &mut Ui,
) -> Listings {
    let timeouts = Timeouts {
        total: request.timeout,
    };
    let user_agent = concat!("sky-accel/", env!("CARGO_PKG_VERSION"));
    let http = Http::new(timeouts, user_agent);
    let deadline = Instant::now() + request.timeout;
    let ui = RefCell::new(ui);
    let trace = |event: Event<'_>| ui.borrow_mut().event(&event);
    let context = Context {
        http: &http,
        cache: &request.cache,
        deadline,
        events: &trace,
    };
    let identifier = Identifier::new(catalog);
    let mut waiting: Vec<&str> = Vec::new();
    let mut asked = FuturesUnordered::new();
    let mut listings: Listings = Vec::new();
    for provider in providers {
        let id = catalog.provider_id(*provider);
        let Some(source) = Source::named(id) else {
            listings.push((*provider, None));
            continue;
        };
        waiting.push(id);
        let (identifier, context) = (&identifier, &context);
        asked.push(async move {
            let question = question::of(catalog, *provider, wanted, request);
            let answer = source.ask(&question, identifier, *provider, timeouts, context);
            // The backends keep to the deadline by themselves; this is for what they cannot
            // interrupt.
            let late = deadline + Duration::from_millis(500);
            let answer = timeout_at(late, answer)
                .await
                .unwrap_or_else(|_| Err(source.too_late()));
            (*provider, answer)
        });
    }
    ui.borrow_mut().progress(&waiting);
    while let Some((provider, answer)) = asked.next().await {
        let id = catalog.provider_id(provider);
        waiting.retain(|other| *other != id);
        ui.borrow_mut().progress(&waiting);
        listings.push((provider, Some(answer)));
    }
    listings.sort_by_key(|(provider, _)| *provider);
    listings
}
