//! The runtime and the HTTPS clients, which start when they are first needed.

use std::cell::OnceCell;
use std::future::Future;
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::time::Duration;

use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{Catalog, ProviderId};
use sky_accel_providers::{
    Cache, CacheMode, Context, Environment, FeedPrice, Http, Hub, HubFiles, Listing, NO_NETWORK,
    PUBLISHED, ProviderError, RunBudget, Timeouts, TokenFeed, published_file,
};
use thiserror::Error;
use tokio::runtime::Runtime;
use tokio::time::Instant;

use crate::answers::Live;
use crate::ask::{Progress, ask_all};
use crate::environment;
use crate::interrupt::{Interruption, on_ctrl_c};
use crate::merge;
use crate::request::LiveRequest;

/// The time limit for the files of one model.
const HUB_TIMEOUT: Duration = Duration::from_secs(30);

/// Queries providers and model hubs, and blocks the calling thread until the answer is complete.
///
/// A session starts its runtime and its HTTPS clients when it first needs them. Threads
/// cannot share it; keep it for as long as questions follow, because it reuses connections.
#[derive(Debug)]
pub struct Session {
    runtime: OnceCell<Runtime>,
    http: Http,
    interruption: Interruption,
}

/// Cancels the question of a session from another thread.
#[derive(Clone, Debug, Default)]
pub struct Canceller(Interruption);

impl Canceller {
    /// Cancels the current question of the session, or otherwise the next one, like Ctrl-C.
    pub fn cancel(&self) {
        self.0.set();
    }
}

/// The reason why a session sent no request.
#[derive(Debug, Error)]
pub enum SessionError {
    /// Ctrl-C was pressed, or the request was canceled.
    #[error("interrupted")]
    Interrupted,
    /// The program runs in WebAssembly.
    #[error("{NO_NETWORK}")]
    NoNetwork,
    /// The runtime could not be started.
    #[error("cannot start the network runtime: {0}")]
    Start(std::io::Error),
    /// A program could not be started.
    #[error("{0}")]
    Run(std::io::Error),
    /// A model hub, or the server of a published catalog, did not answer or refused.
    #[error(transparent)]
    File(#[from] Box<ProviderError>),
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}

impl Session {
    /// Creates a session. Nothing is started yet.
    pub fn new() -> Self {
        let user_agent = concat!("sky-accel/", env!("CARGO_PKG_VERSION"));
        Self {
            runtime: OnceCell::new(),
            http: Http::new(Timeouts { total: HUB_TIMEOUT }, user_agent),
            interruption: Interruption::default(),
        }
    }

    /// Returns the session with a canceller for its questions.
    #[must_use]
    pub fn canceled_by(mut self, canceller: &Canceller) -> Self {
        self.interruption = canceller.0.clone();
        self
    }

    /// Returns the session with permission to send keys without encryption to other machines, if a
    /// base URL starts with `http://`.
    #[must_use]
    pub fn allowing_plain_http(mut self, allows_plain_http: bool) -> Self {
        self.http = self.http.with_plain_http(allows_plain_http);
        self
    }

    /// Queries providers for all offers that may match.
    ///
    /// Credentials come from the environment and the files of each provider's own tools. The
    /// failure of a provider is part of the answer ([`Live::failures`]), not an error.
    ///
    /// # Errors
    ///
    /// Fails with [`SessionError::Interrupted`] after Ctrl-C, and with [`SessionError::Start`] if
    /// the runtime cannot start.
    pub fn ask(
        &self,
        catalog: &Catalog<'_>,
        wanted: &[&BoundChoice],
        providers: &[ProviderId],
        request: &LiveRequest,
        progress: &dyn Fn(Progress<'_>),
    ) -> Result<Live, SessionError> {
        self.ask_each(catalog, wanted, providers, request, progress, &|_, _| false)
    }

    /// Queries providers as [`Session::ask`] until `is_enough` is true for the answer of one of them.
    /// Providers that have not answered by then are missing in the answers.
    ///
    /// # Errors
    ///
    /// Same as [`Session::ask`].
    pub fn ask_until(
        &self,
        catalog: &Catalog<'_>,
        wanted: &[&BoundChoice],
        providers: &[ProviderId],
        request: &LiveRequest,
        progress: &dyn Fn(Progress<'_>),
        is_enough: &dyn Fn(&Live) -> bool,
    ) -> Result<Live, SessionError> {
        let is_enough = |provider: ProviderId, listing: &Listing| {
            let alone = vec![(provider, Some(Ok(listing.clone())))];
            let is_stopped = || self.interruption.is_set();
            let live = merge::merge_into_catalog(catalog, alone, request, &is_stopped);
            is_enough(&live)
        };
        self.ask_each(catalog, wanted, providers, request, progress, &is_enough)
    }

    fn ask_each(
        &self,
        catalog: &Catalog<'_>,
        wanted: &[&BoundChoice],
        providers: &[ProviderId],
        request: &LiveRequest,
        progress: &dyn Fn(Progress<'_>),
        is_enough: &dyn Fn(ProviderId, &Listing) -> bool,
    ) -> Result<Live, SessionError> {
        let http = self.http.with_timeouts(Timeouts {
            total: request.timeout,
        });
        let stop = self.interruption.flag();
        let live = self.interruptible(async {
            let asked = (catalog, providers);
            let listings = ask_all(asked, wanted, request, &http, stop, progress, is_enough).await;
            let is_stopped = || self.interruption.is_set();
            merge::merge_into_catalog(catalog, listings, request, &is_stopped)
        });
        if live.is_err() {
            progress(Progress::Waiting(&[]));
        }
        live
    }

    /// Waits for a duration, or until Ctrl-C is pressed.
    ///
    /// # Errors
    ///
    /// Same as [`Session::ask`].
    pub fn pause(&self, time: Duration) -> Result<(), SessionError> {
        self.interruptible(async move { tokio::time::sleep(time).await })
    }

    /// Runs a program until it ends, with a text as its standard input. If this process is interrupted first, by
    /// Ctrl-C, SIGTERM or SIGHUP, it terminates the program, and kills it after five seconds. Without a terminal, the
    /// descendants of the program are terminated too.
    ///
    /// # Errors
    ///
    /// Fails with [`SessionError::Interrupted`] if the program was terminated, with
    /// [`SessionError::Run`] if it cannot be started, and otherwise as [`Session::ask`].
    pub fn run(&self, command: Command, input: &[u8]) -> Result<ExitStatus, SessionError> {
        check_network()?;
        let ended = self.runtime()?.block_on(crate::child::run(command, input));
        ended
            .map_err(SessionError::Run)?
            .ok_or(SessionError::Interrupted)
    }

    /// Returns the files of a model, `organization/name` or `organization/name@revision`, from its
    /// hub.
    ///
    /// # Errors
    ///
    /// Fails with [`SessionError::File`] if the hub refuses or does not answer within 30 seconds,
    /// and otherwise as [`Session::ask`].
    pub fn hub_files(
        &self,
        model: &str,
        progress: &dyn Fn(Progress<'_>),
    ) -> Result<HubFiles, SessionError> {
        self.file(Hub::ID, HUB_TIMEOUT, progress, async |context| {
            let environment = Environment {
                variable: &environment::variable,
                read: &environment::read,
            };
            let hub = Hub::from_environment(&environment)?;
            hub.files(model, context).await
        })
    }

    /// Downloads a published catalog.
    ///
    /// # Errors
    ///
    /// Fails with [`SessionError::File`] and the errors of [`published_file`], and otherwise as [`Session::ask`].
    pub fn published_catalog(
        &self,
        address: &str,
        limit: Duration,
        progress: &dyn Fn(Progress<'_>),
    ) -> Result<Vec<u8>, SessionError> {
        self.file(PUBLISHED, limit, progress, async |context| {
            published_file(address, context).await
        })
    }

    /// Returns the prices of a public list of prices of tokens on a day such as `2026-11-20`.
    ///
    /// # Errors
    ///
    /// Fails with [`SessionError::File`] if the server does not answer within the limit, or with another document, and
    /// otherwise as [`Session::ask`].
    pub fn token_prices(
        &self,
        feed: TokenFeed,
        day: &str,
        limit: Duration,
        progress: &dyn Fn(Progress<'_>),
    ) -> Result<Vec<FeedPrice>, SessionError> {
        self.file(feed.name(), limit, progress, async |context| {
            let environment = Environment {
                variable: &environment::variable,
                read: &environment::read,
            };
            feed.prices(day, &environment, context).await
        })
    }

    /// Reads files of one server within a time limit, without a cache.
    fn file<T>(
        &self,
        server: &'static str,
        limit: Duration,
        progress: &dyn Fn(Progress<'_>),
        read: impl AsyncFnOnce(&Context<'_>) -> Result<T, ProviderError>,
    ) -> Result<T, SessionError> {
        let cache = Cache {
            folder: None,
            mode: CacheMode::Prefer,
            max_age: None,
        };
        let http = self.http.with_timeouts(Timeouts { total: limit });
        let events = |event: sky_accel_providers::Event<'_>| progress(Progress::Event(event));
        let run_budget = RunBudget::new(Arc::clone(self.interruption.flag()));
        let read = self.interruptible(async {
            let context = Context {
                http: &http,
                cache: &cache,
                deadline: Instant::now() + limit,
                budget: &run_budget.of_provider(server),
                events: &events,
            };
            read(&context).await
        })?;
        read.map_err(|error| Box::new(error).into())
    }

    /// Returns the runtime, and starts it if needed.
    fn runtime(&self) -> Result<&Runtime, SessionError> {
        if let Some(runtime) = self.runtime.get() {
            return Ok(runtime);
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(SessionError::Start)?;
        on_ctrl_c(&self.interruption).map_err(SessionError::Start)?;
        Ok(self.runtime.get_or_init(|| runtime))
    }

    /// Runs a future until it is done, Ctrl-C is pressed, or the session's canceller is used.
    fn interruptible<T>(&self, work: impl Future<Output = T>) -> Result<T, SessionError> {
        check_network()?;
        let done = self.runtime()?.block_on(async {
            tokio::select! {
                done = work => Some(done),
                () = self.interruption.wait() => None,
            }
        });
        // Work that does not await ends early after an interruption, without a complete result.
        let is_interrupted = self.interruption.take();
        done.filter(|_| !is_interrupted)
            .ok_or(SessionError::Interrupted)
    }
}

/// Fails in WebAssembly. The callers contain it, so that a module has no code after it.
#[inline]
const fn check_network() -> Result<(), SessionError> {
    if cfg!(target_family = "wasm") {
        return Err(SessionError::NoNetwork);
    }
    Ok(())
}

impl Drop for Session {
    fn drop(&mut self) {
        // Do not wait for a DNS lookup that is still running.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    #[test]
    fn work_that_does_not_await_is_interrupted() {
        let canceller = Canceller::default();
        let session = Session::new().canceled_by(&canceller);
        let stop = Arc::clone(session.interruption.flag());
        let (has_begun, begun) = mpsc::channel();
        let other = thread::spawn(move || {
            begun.recv().unwrap();
            canceller.cancel();
        });
        let answer = session.interruptible(async {
            has_begun.send(()).unwrap();
            while !stop.load(Ordering::Relaxed) {
                thread::yield_now();
            }
        });
        other.join().unwrap();
        assert!(matches!(answer, Err(SessionError::Interrupted)));
        // The next question is not interrupted.
        assert!(matches!(session.interruptible(async { 7 }), Ok(7)));
    }

    #[test]
    fn a_cancellation_between_questions_ends_the_next_one() {
        let canceller = Canceller::default();
        let session = Session::new().canceled_by(&canceller);
        canceller.cancel();
        let waits = session.pause(Duration::from_secs(600));
        assert!(matches!(waits, Err(SessionError::Interrupted)));
    }
}
