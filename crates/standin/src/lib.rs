//! A local server that imitates the providers' APIs and public price lists, with faults on demand. It is for tests and
//! benchmarks only: responses have the formats of the providers, and prices are made up.
#![allow(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "test support: a test cannot go on without its server"
)]

mod conditional;
mod distort;
mod fault;
mod pack;
mod proto;
mod reply;
mod rules;
mod server;
mod service;
mod services;
pub mod shop;
mod state;
mod transform;
mod xml;

use std::sync::Arc;
use std::thread;

use tokio::net::TcpListener;
use tokio::sync::oneshot;

pub use fault::Fault;
pub use service::{Recorded, Service};
pub use shop::{AwsPages, RegionState, RunPodPlace, Shop, TruncatedField};

/// Returns the variables that hand credentials to a client, with the credentials that the server accepts.
pub fn credentials() -> impl Iterator<Item = (&'static str, &'static str)> {
    let declared = Service::ALL.iter().map(|service| service.0.credentials);
    declared.flatten().copied()
}

/// Returns the credential of a variable.
pub fn credential(variable: &str) -> &'static str {
    let mut credentials = credentials();
    let found = credentials.find(|(name, _)| *name == variable);
    found.expect("a variable that a service declares").1
}

/// A running server on a port of 127.0.0.1. It stops when dropped.
pub struct Standin {
    port: u16,
    server: Arc<server::StandinServer>,
    /// Stops the server when dropped.
    _lifeline: oneshot::Sender<()>,
}

impl Standin {
    /// Starts a server with the default market.
    pub fn start() -> Self {
        Self::with(Shop::default())
    }

    /// Starts a server with a market.
    pub fn with(shop: Shop) -> Self {
        Self::on_port(shop, 0)
    }

    /// Starts a server on a port; 0 selects any free port.
    pub fn on_port(shop: Shop, port: u16) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime for the stand-in");
        let listener = runtime
            .block_on(TcpListener::bind(("127.0.0.1", port)))
            .expect("a port on 127.0.0.1");
        let port = listener.local_addr().expect("the port's address").port();
        let server = Arc::new(server::StandinServer::new(shop));
        let serving = server::serve(listener, Arc::clone(&server));
        let (lifeline, end) = oneshot::channel();
        let serve = move || {
            runtime.block_on(async {
                tokio::select! {
                    () = serving => {}
                    _ = end => {}
                }
            });
        };
        thread::Builder::new()
            .name("standin".to_owned())
            .spawn(serve)
            .expect("a thread for the stand-in");
        Self {
            port,
            server,
            _lifeline: lifeline,
        }
    }

    /// Returns the base URL in the form of the service's variable.
    pub fn url(&self, service: Service) -> String {
        let (name, base) = (service.name(), service.0.base);
        format!("http://127.0.0.1:{}/{name}{base}", self.port)
    }

    /// Returns the variables that point a client at this server, without credentials.
    pub fn urls(&self) -> Vec<(&'static str, String)> {
        Service::ALL
            .iter()
            .map(|service| (service.url_variable(), self.url(*service)))
            .collect()
    }

    /// Returns the variables that point a client at this server, with credentials.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let mut variables = self.urls();
        let settings = Service::ALL.iter().flat_map(|service| service.0.settings);
        let rest = settings.copied().chain(credentials());
        variables.extend(rest.map(|(name, value)| (name, value.to_owned())));
        variables
    }

    /// Sets the fault for all later requests to a service, and removes its earlier faults.
    pub fn fault(&self, service: Service, fault: Fault) {
        self.server.faults().set(service, fault);
    }

    /// Adds a fault for the next `n` requests to a service.
    pub fn fault_times(&self, service: Service, fault: Fault, n: u32) {
        self.server.faults().add(service, None, fault, Some(n));
    }

    /// Adds a fault for requests whose path, region (`region=us-east-1`) or body contains `needle`.
    pub fn fault_where(&self, service: Service, needle: &str, fault: Fault) {
        self.server
            .faults()
            .add(service, Some(needle.into()), fault, None);
    }

    /// Returns all requests so far.
    pub fn requests(&self) -> Vec<Recorded> {
        self.server.requests().clone()
    }

    /// Returns the number of rejected requests that would have created, changed or bought something.
    pub fn attempted_writes(&self) -> usize {
        self.server.state.attempted_writes()
    }

    /// Returns the number of issued Verda tokens.
    pub fn tokens_minted(&self) -> usize {
        self.server.state.tokens().minted()
    }
}
