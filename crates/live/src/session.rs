//! One runtime and one HTTPS client, started when they are first needed.

use std::cell::OnceCell;
use std::future::Future;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::time::Duration;

use sky_accel_core::bind::Wanted;
use sky_accel_core::catalog::{Catalog, ProviderId};
use sky_accel_providers::{
    Cache, CacheMode, Context, Environment, Http, Hub, HubFiles, ProviderError, Timeouts,
};
use thiserror::Error;
use tokio::runtime::Runtime;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::ask::{LiveRequest, Progress, ask_all};
use crate::fresh::{self, Live};

/// The time for the files of one model.
const HUB_TIMEOUT: Duration = Duration::from_secs(30);
/// The most bytes of a credentials file that are read.
const MAX_CREDENTIALS: u64 = 1 << 20;

/// Asks providers and model hubs, and blocks the calling thread until the answer is there.
///
/// A session starts its runtime and its HTTPS client when it is first used. Threads
/// cannot share it; keep it for as long as questions follow, because it reuses connections.
#[derive(Debug)]
pub struct Session {
    runtime: OnceCell<Runtime>,
    http: Http,
    cancelled: Arc<Notify>,
}

/// Cancels the question of a session from another thread.
#[derive(Clone, Debug, Default)]
pub struct Canceller(Arc<Notify>);

impl Canceller {
    /// Ends the question that the session is asking, or else its next one, as Ctrl-C would.
    pub fn cancel(&self) {
        self.0.notify_one();
    }
}

/// The reason why a session could not ask at all.
#[derive(Debug, Error)]
pub enum SessionError {
    /// Ctrl-C was pressed, or the question was cancelled.
    #[error("interrupted")]
    Interrupted,
    /// The runtime could not be started.
    #[error("cannot start the network runtime: {0}")]
    Start(std::io::Error),
    /// A program could not be started.
    #[error("{0}")]
    Run(std::io::Error),
    /// A model hub did not answer, or refused.
    #[error(transparent)]
    Hub(#[from] Box<ProviderError>),
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}

impl Session {
    /// A session that has started nothing yet.
    pub fn new() -> Self {
        let user_agent = concat!("sky-accel/", env!("CARGO_PKG_VERSION"));
        Self {
            runtime: OnceCell::new(),
            http: Http::new(Timeouts { total: HUB_TIMEOUT }, user_agent),
            cancelled: Arc::default(),
        }
    }

    /// The same session, whose questions a canceller ends.
    #[must_use]
    pub fn cancelled_by(mut self, canceller: &Canceller) -> Self {
        self.cancelled = Arc::clone(&canceller.0);
        self
    }

    /// The same session, which sends keys without encryption to other machines if that is allowed:
    /// to a base URL that begins with `http://`.
    #[must_use]
    pub fn allowing_plain_http(mut self, allows_plain_http: bool) -> Self {
        self.http = self.http.with_plain_http(allows_plain_http);
        self
    }

    /// Asks providers for everything that may fulfil the wishes.
    ///
    /// Credentials come from the environment and the files of each provider's own tools. A
    /// provider that fails is part of the answer ([`Live::failures`]), not an error.
    ///
    /// # Errors
    ///
    /// [`SessionError::Interrupted`] after Ctrl-C; [`SessionError::Start`] when the system gives
    /// no runtime.
    pub fn ask(
        &self,
        catalog: &Catalog<'_>,
        wanted: &[&Wanted],
        providers: &[ProviderId],
        request: &LiveRequest,
        progress: &dyn Fn(Progress<'_>),
    ) -> Result<Live, SessionError> {
        let http = self.http.with_timeouts(Timeouts {
            total: request.timeout,
        });
        let listings = self.interruptible(ask_all(
            catalog, wanted, providers, request, &http, progress,
        ));
        if listings.is_err() {
            progress(Progress::Waiting(&[]));
        }
        Ok(fresh::put_together(catalog, listings?, request))
    }

    /// Waits for a time, or until Ctrl-C is pressed.
    ///
    /// # Errors
    ///
    /// Same as [`Session::ask`].
    pub fn pause(&self, time: Duration) -> Result<(), SessionError> {
        self.interruptible(async move { tokio::time::sleep(time).await })
    }

    /// Runs a program until it ends. If this one is interrupted first, by Ctrl-C, SIGTERM or SIGHUP, it
    /// terminates the program, and kills it after five seconds. Without a terminal the descendants of
    /// the program are terminated too.
    ///
    /// # Errors
    ///
    /// [`SessionError::Interrupted`] when it was ended; [`SessionError::Run`] when it cannot be
    /// started; otherwise as [`Session::ask`].
    pub fn run(&self, command: Command) -> Result<ExitStatus, SessionError> {
        let ended = self.runtime()?.block_on(crate::child::run(command));
        ended
            .map_err(SessionError::Run)?
            .ok_or(SessionError::Interrupted)
    }

    /// The files of a model, `organisation/name` or `organisation/name@revision`, from its hub.
    ///
    /// # Errors
    ///
    /// [`SessionError::Hub`] when the hub refuses or does not answer within 30 seconds; otherwise
    /// as [`Session::ask`].
    pub fn hub_files(
        &self,
        model: &str,
        progress: &dyn Fn(Progress<'_>),
    ) -> Result<HubFiles, SessionError> {
        let cache = Cache {
            folder: None,
            mode: CacheMode::Prefer,
            max_age: None,
        };
        let http = self.http.with_timeouts(Timeouts { total: HUB_TIMEOUT });
        let events = |event: sky_accel_providers::Event<'_>| progress(Progress::Event(event));
        let files = self.interruptible(async {
            let context = Context {
                http: &http,
                cache: &cache,
                deadline: Instant::now() + HUB_TIMEOUT,
                events: &events,
            };
            let environment = Environment {
                variable: &variable,
                read: &read,
            };
            let hub = Hub::from_environment(&environment)?;
            hub.files(model, &context).await
        })?;
        files.map_err(|error: ProviderError| Box::new(error).into())
    }

    /// The runtime, which is started when it is first needed.
    fn runtime(&self) -> Result<&Runtime, SessionError> {
        if let Some(runtime) = self.runtime.get() {
            return Ok(runtime);
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(SessionError::Start)?;
        Ok(self.runtime.get_or_init(|| runtime))
    }

    /// Runs a future until it is done, Ctrl-C is pressed, or the session's canceller is used.
    fn interruptible<T>(&self, work: impl Future<Output = T>) -> Result<T, SessionError> {
        self.runtime()?.block_on(async {
            tokio::select! {
                done = work => Ok(done),
                // Without a handler the system ends the program, which is as good.
                Ok(()) = tokio::signal::ctrl_c() => Err(SessionError::Interrupted),
                () = self.cancelled.notified() => Err(SessionError::Interrupted),
            }
        })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // A name that is still being looked up is not waited for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// An environment variable. One that is no UTF-8 is set all the same: as a key it is refused, and
/// not missing.
pub(crate) fn variable(name: &str) -> Option<String> {
    Some(std::env::var_os(name)?.to_string_lossy().into_owned())
}

/// The text of a credentials file.
pub(crate) fn read(path: &Path) -> Option<String> {
    use std::io::Read as _;

    let mut text = String::new();
    let file = std::fs::File::open(path).ok()?;
    file.take(MAX_CREDENTIALS + 1)
        .read_to_string(&mut text)
        .ok()?;
    (text.len() as u64 <= MAX_CREDENTIALS).then_some(text)
}
