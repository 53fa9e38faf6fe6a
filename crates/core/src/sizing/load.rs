//! The load of a server: how requests arrive, and how long they may wait.

/// How requests arrive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arrival {
    /// A closed loop with this many users, each of whom sends the next request when the last is answered.
    Users(f64),
    /// Poisson arrivals with this many requests per second.
    Rate(f64),
}

/// Limits on the latency that users see.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Seconds to the first token (TTFT).
    pub first_token_s: Option<f64>,
    /// Seconds per output token after the first (TPOT).
    pub token_s: Option<f64>,
}

/// The load of a server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// How requests arrive.
    pub arrival: Arrival,
    /// Limits on the latency that users see.
    pub limits: Limits,
    /// Whether some replicas only prefill and the others only decode.
    pub is_disaggregated: bool,
    /// The total number of requests of a load that ends; `None` for a steady load.
    pub requests: Option<f64>,
}
