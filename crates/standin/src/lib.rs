//! Stands in for the APIs of RunPod, Vast.ai, Verda and AWS, and for price lists that are open to
//! everyone, on a loopback port, with faults on demand. For tests and benchmarks only: the answers
//! have the providers' shapes, the prices are made up.
#![allow(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "test support: a stand-in that cannot start has nothing to fall back on"
)]

mod answer;
mod aws;
mod conditional;
mod fault;
mod feeds;
mod pack;
mod reply;
mod runpod;
mod server;
pub mod shop;
mod state;
mod transform;
mod vast;
mod verda;
mod xml;

use std::sync::Arc;
use std::thread;

use tokio::net::TcpListener;
use tokio::sync::oneshot;

pub use fault::{Fault, Service};
pub use shop::{AwsPages, RegionState, RunPodPlace, Shop, TruncatedField};
pub use state::Recorded;

/// The credentials that the server accepts: recognisable, so that a test can search output for
/// them.
pub mod credentials {
    pub const RUNPOD_API_KEY: &str = "rpa_STANDIN0SECRET0RUNPOD";
    pub const VAST_API_KEY: &str = "standin0secret0vast";
    pub const VERDA_CLIENT_ID: &str = "standin-verda-client";
    pub const VERDA_CLIENT_SECRET: &str = "standin0secret0verda";
    pub const AWS_ACCESS_KEY_ID: &str = "AKIASTANDIN000000000";
    pub const AWS_SECRET_ACCESS_KEY: &str = "standin0secret0aws";

    /// The variables that hand these credentials to a client.
    pub const VARIABLES: [(&str, &str); 6] = [
        ("RUNPOD_API_KEY", RUNPOD_API_KEY),
        ("VAST_API_KEY", VAST_API_KEY),
        ("VERDA_CLIENT_ID", VERDA_CLIENT_ID),
        ("VERDA_CLIENT_SECRET", VERDA_CLIENT_SECRET),
        ("AWS_ACCESS_KEY_ID", AWS_ACCESS_KEY_ID),
        ("AWS_SECRET_ACCESS_KEY", AWS_SECRET_ACCESS_KEY),
    ];
}

/// A running server on 127.0.0.1 with a port of its own; stops when dropped.
pub struct Standin {
    port: u16,
    state: Arc<state::State>,
    /// The server ends when this is dropped.
    _lifeline: oneshot::Sender<()>,
}

impl Standin {
    /// With the default market.
    pub fn start() -> Self {
        Self::with(Shop::default())
    }

    pub fn with(shop: Shop) -> Self {
        Self::on_port(shop, 0)
    }

    /// On a given port; 0 takes any free one.
    pub fn on_port(shop: Shop, port: u16) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime for the stand-in");
        let listener = runtime
            .block_on(TcpListener::bind(("127.0.0.1", port)))
            .expect("a port on 127.0.0.1");
        let port = listener.local_addr().expect("the port's address").port();
        let state = Arc::new(state::State::new(shop));
        let server = server::serve(listener, Arc::clone(&state));
        let (lifeline, end) = oneshot::channel();
        let serve = move || {
            runtime.block_on(async {
                tokio::select! {
                    () = server => {}
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
            state,
            _lifeline: lifeline,
        }
    }

    /// The base URL as the provider's own variable wants it.
    pub fn url(&self, service: Service) -> String {
        let base = format!("http://127.0.0.1:{}/{}", self.port, service.name());
        match service {
            Service::Verda => base + "/v1",
            Service::GpuHunt => base + "/v3",
            Service::SkyPilot => base + "/catalogs/v8",
            _ => base,
        }
    }

    /// The variables that point a client at this server, without a credential.
    pub fn urls(&self) -> Vec<(&'static str, String)> {
        Service::ALL
            .iter()
            .map(|service| (service.url_variable(), self.url(*service)))
            .collect()
    }

    /// The variables that point a client at this server, credentials included.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let rest = [
            ("AWS_REGION", "us-east-1"),
            ("AWS_EC2_METADATA_DISABLED", "true"),
        ];
        let mut variables = self.urls();
        let rest = rest.iter().chain(&credentials::VARIABLES);
        variables.extend(rest.map(|(name, value)| (*name, (*value).to_owned())));
        variables
    }

    /// Sets the faults that every later request to a service meets. Replaces all earlier faults
    /// of the service.
    pub fn fault(&self, service: Service, fault: Fault) {
        self.state.faults().set(service, fault);
    }

    /// Only the next `n` requests to the service meet the fault.
    pub fn fault_times(&self, service: Service, fault: Fault, n: u32) {
        self.state.faults().add(service, None, fault, Some(n));
    }

    /// Only the requests whose path, region (`region=us-east-1`) or body contains `needle` meet
    /// the fault.
    pub fn fault_where(&self, service: Service, needle: &str, fault: Fault) {
        self.state
            .faults()
            .add(service, Some(needle.into()), fault, None);
    }

    /// Everything received so far.
    pub fn requests(&self) -> Vec<Recorded> {
        self.state.requests()
    }

    /// How many requests would have created, changed or bought something; all were refused.
    pub fn attempted_writes(&self) -> usize {
        self.state.attempted_writes()
    }

    /// How many Verda tokens were handed out.
    pub fn tokens_minted(&self) -> usize {
        self.state.tokens().minted()
    }
}
