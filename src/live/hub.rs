//! Models of a hub, read while a command waits.

use std::cell::{OnceCell, RefCell};
use std::path::Path;
use std::time::Duration;

use sky_accel_providers::{
    Cache, CacheMode, Context, Environment, Event, Http, Hub, HubFiles, Timeouts,
};
use tokio::runtime::Runtime;
use tokio::time::Instant;

use super::problem;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::ui::Ui;

/// For one model.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Reads models of a hub. Nothing is started before one is asked for.
pub struct HubReader<'u> {
    ui: RefCell<&'u mut Ui>,
    offline: bool,
    started: OnceCell<Started>,
}

struct Started {
    runtime: Runtime,
    http: Http,
}

impl<'u> HubReader<'u> {
    pub fn new(ui: &'u mut Ui, offline: bool) -> Self {
        Self {
            ui: RefCell::new(ui),
            offline,
            started: OnceCell::new(),
        }
    }

    /// The files of a model.
    pub fn files(&self, model: &str) -> Result<HubFiles, CliError> {
        if self.offline {
            let message = format!("--offline: {model} is not read from its hub");
            return Err(CliError::new(
                ExitCode::Provider,
                "provider.not-cached",
                message,
            ));
        }
        if self.started.get().is_none() {
            let started = start().map_err(|error| {
                let message = format!("cannot start: {error}");
                CliError::new(ExitCode::Internal, "live.runtime", message)
            })?;
            let _ = self.started.set(started);
        }
        let Some(Started { runtime, http }) = self.started.get() else {
            return Err(CliError::new(
                ExitCode::Internal,
                "live.runtime",
                "cannot start",
            ));
        };
        let environment = Environment {
            variable: &|name| std::env::var(name).ok(),
            read: &|path: &Path| crate::catalog::read_text(path).ok(),
        };
        let cache = Cache {
            folder: None,
            mode: CacheMode::Prefer,
            max_age: None,
        };
        let trace = |event: Event<'_>| self.ui.borrow_mut().event(&event);
        let answer = runtime.block_on(async {
            let context = Context {
                http,
                cache: &cache,
                deadline: Instant::now() + TIMEOUT,
                events: &trace,
            };
            let hub = Hub::from_environment(&environment)?;
            hub.files(model, &context).await
        });
        answer.map_err(|error| CliError {
            exit_code: if error.kind.is_about_credentials() {
                ExitCode::Credentials
            } else {
                ExitCode::Provider
            },
            problems: vec![problem(&error)],
        })
    }
}

fn start() -> std::io::Result<Started> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let user_agent = concat!("sky-accel/", env!("CARGO_PKG_VERSION"));
    Ok(Started {
        runtime,
        http: Http::new(Timeouts { total: TIMEOUT }, user_agent),
    })
}
