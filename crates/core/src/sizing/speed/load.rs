//! A server under load: latency, throughput, and the largest load within the limits.
//!
//! A server mixes chunks of prefill and decode steps in the same passes. In steady state, the prefills of other
//! requests delay each request, and a new prompt waits for the share of time spent on prefill. Loads are solved in
//! closed form or by bisection, without simulation. The shares come from measured runs (InferenceX).

use super::super::architecture::Architecture;
use super::super::calibration::Calibration;
use super::super::device::Device;
use super::super::load::{Arrival, Limits};
use super::super::run::{Layout, Run};
use super::parts::TimeParts;
use super::reading;
use super::replica::ReplicaTimes;

/// Sequences in flight that decide how replicas are divided between prefill and decode. It is fixed, so that the
/// number of users does not change the division.
const BUSY_SEQUENCES: f64 = 256.0;
/// The maximum number of steps of a bisection.
const STEPS: u32 = 32;
/// The relative width at which a bisection stops. Answers have three digits, so this leaves no trace in them.
const PRECISION: f64 = 1e-5;
/// The share of a rate that a bisection has to reach for the rate to count as served.
const NEARLY: f64 = 0.999;
/// The upper bound of the search for users: with a limit on TTFT alone, a queue has no natural end.
pub(super) const MOST_USERS: f64 = 1_048_576.0;
/// The maximum utilization of prefill replicas in a closed loop; an M/G/1 queue grows without bound toward 1.
const MOST_BUSY: f64 = 0.95;
/// The maximum utilization with Poisson arrivals; above it, the server counts as overloaded.
pub(super) const MOST_BUSY_AT_RANDOM: f64 = 0.85;

/// A server under load. Rates are of all devices together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Served {
    /// Requests in flight, including waiting requests.
    pub concurrency: f64,
    /// Sequences that each data-parallel rank decodes at once.
    pub sequences: f64,
    /// Seconds from a request to its first token (TTFT).
    pub first_token_s: f64,
    /// Seconds between two tokens of a request (TPOT).
    pub token_s: f64,
    /// Output tokens per second; for a load that ends, the average until the last answer.
    pub output: f64,
    /// Requests that are answered per second; for a load that ends, the average until the last answer.
    pub requests: f64,
    /// Seconds until the last answer of a load that ends; `None` for a steady load.
    pub seconds: Option<f64>,
    /// Tokens per second, including prompt tokens.
    pub total: f64,
    /// Output tokens per second of one user.
    pub per_user: f64,
    /// The maximum number of users within the limits; without limits, the users that are served at once.
    pub most_users: f64,
    /// The maximum rate of Poisson arrivals, in requests per second, at which 95% of requests are within the limits.
    /// `None` for a closed loop, whose users do not need it: see [`goodput`].
    pub goodput: Option<f64>,
    /// Whether the load is within the limits: all users, or 95% of Poisson arrivals.
    pub is_met: bool,
    /// Replicas that only prefill; 0 if each replica does both.
    pub prompt_replicas: f64,
    /// The shares of the time of a replica.
    pub parts: TimeParts,
}

impl Served {
    /// The share of the load that is served within the limits at most; `None` if that is nothing, or not computed.
    pub fn utilization(&self, arrival: Arrival) -> Option<f64> {
        let (load, most) = match arrival {
            Arrival::Users(users) => (users, self.most_users),
            Arrival::Rate(rate) => (rate, self.goodput?),
        };
        (most > 0.0).then(|| load / most)
    }
}

/// Computes a server under the load of a run.
///
/// `capacity` is the number of sequences that the cache of a rank holds. The result is `None` if a figure of the device
/// is unknown, or if the run has no load.
pub fn served(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    calibration: &Calibration,
    capacity: f64,
) -> Option<Served> {
    let load = run.load?;
    if reading::only_reads(run) {
        return reading::served(model, run, layout, device, calibration, capacity);
    }
    let server = Server::new(model, run, layout, device, calibration, capacity)?;
    let most_users = server.most_users(&load.limits);
    let goodput = matches!(load.arrival, Arrival::Rate(_)).then(|| server.most_rate(&load.limits));
    let (at, is_met) = match load.arrival {
        Arrival::Users(users) => {
            let at_once = load.requests.map_or(users, |requests| users.min(requests));
            (server.of_users(users, load.requests), at_once <= most_users)
        }
        Arrival::Rate(rate) => match server.open(rate) {
            Some(at) => (at, server.slow(&at).meets(&load.limits)),
            None => (server.overloaded(rate), false),
        },
    };
    Some(Served {
        seconds: load
            .requests
            .map(|requests| requests * run.output() / at.output),
        concurrency: at.users,
        sequences: at.sequences.max(1.0),
        first_token_s: at.first_token,
        token_s: at.token,
        output: at.output,
        requests: at.output / run.output().max(1.0),
        total: at.output * (1.0 + run.prompt() / run.output().max(1.0)),
        per_user: 1.0 / at.token,
        most_users,
        goodput,
        is_met,
        prompt_replicas: server.prompt_replicas,
        parts: server.parts(at.sequences),
    })
}

/// Computes the maximum rate of Poisson arrivals, in requests per second, at which 95% of requests are within the
/// limits of the load of a run. The arguments and `None` are as for [`served`].
pub fn goodput(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    calibration: &Calibration,
    capacity: f64,
) -> Option<f64> {
    if reading::only_reads(run) {
        return reading::goodput(model, run, layout, device, calibration, capacity);
    }
    let server = Server::new(model, run, layout, device, calibration, capacity)?;
    Some(server.most_rate(&run.load?.limits))
}

/// The rank of a layout for a load: a greater value is a better layout. Earlier fields decide first.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct LayoutScore {
    /// Whether the load is within the given limits.
    pub is_met: bool,
    /// Whether the load is within the given limits, and within the expected ones where no limit is given. Meeting only
    /// one of the expected limits does not count: a layout may do so with a fraction of the throughput.
    pub is_expected: bool,
    /// Output tokens per second at the load; if the load is not within the limits, the users or requests per second
    /// that would be.
    pub amount: f64,
    /// Seconds to the first token, negated.
    pub promptness: f64,
    /// Seconds until the end of an answer, negated.
    pub quickness: f64,
    /// Sequences that each data-parallel rank decodes at once.
    pub sequences: f64,
}

/// Ranks a layout by how well it serves the load of a run.
///
/// `expected` replaces limits that the load does not give. The result is `None` in the same cases as for [`served`].
pub fn layout_score(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    calibration: &Calibration,
    capacity: f64,
    expected: &Limits,
) -> Option<LayoutScore> {
    let load = run.load?;
    if reading::only_reads(run) {
        return reading::layout_score(model, run, layout, device, calibration, capacity, expected);
    }
    let expected = Limits {
        first_token_s: load.limits.first_token_s.or(expected.first_token_s),
        token_s: load.limits.token_s.or(expected.token_s),
    };
    let server = Server::new(model, run, layout, device, calibration, capacity)?;
    // Poisson arrivals are judged by their slowest 5%, but rated by their mean.
    let (at, judged) = match load.arrival {
        Arrival::Users(users) => {
            let at = server.of_users(users, load.requests);
            (at, Some(at))
        }
        Arrival::Rate(rate) => match server.open(rate) {
            Some(at) => (at, Some(server.slow(&at))),
            None => (server.overloaded(rate), None),
        },
    };
    let meets = |limits: Limits| judged.is_some_and(|point| point.meets(&limits));
    let is_met = meets(load.limits);
    let amount = match load.arrival {
        _ if is_met => at.output,
        Arrival::Users(_) => server.most_users(&load.limits),
        Arrival::Rate(_) => server.most_rate(&load.limits),
    };
    Some(LayoutScore {
        is_met,
        is_expected: meets(expected),
        amount,
        promptness: -at.first_token,
        quickness: -(at.first_token + run.output() * at.token),
        sequences: at.sequences,
    })
}

/// The state of a server with a number of users.
#[derive(Clone, Copy, Debug)]
struct LoadPoint {
    users: f64,
    sequences: f64,
    first_token: f64,
    token: f64,
    output: f64,
}

impl LoadPoint {
    fn meets(&self, limits: &Limits) -> bool {
        limits
            .first_token_s
            .is_none_or(|limit| self.first_token <= limit)
            && limits.token_s.is_none_or(|limit| self.token <= limit)
    }
}

/// Steps of other requests that a request waits for before its prefill begins.
fn awaited_steps(run: &Run, device: &Device) -> f64 {
    let engine = &device.engine;
    let interval = run.admission_interval.unwrap_or_default();
    engine.awaited_steps + engine.admission_share.unwrap_or_default() * interval
}

struct Server<'s> {
    times: ReplicaTimes<'s>,
    calibration: &'s Calibration,
    replicas: f64,
    /// Sequences that a replica can decode at once.
    capacity: f64,
    /// Output tokens of each request.
    output: f64,
    /// Seconds of work for a prompt, and seconds of a prefill on an idle replica.
    prompt: f64,
    alone: f64,
    /// Seconds of a whole request on an idle replica.
    request_alone: f64,
    /// Seconds before the engine begins with a request.
    begin: f64,
    /// Steps of other requests before that.
    awaited_steps: f64,
    /// The maximum number of requests per second that the serving engine accepts, on all machines.
    most_requests: f64,
    /// Seconds between the first and the last end of requests that begin together; `None` if the spread of lengths is
    /// unknown.
    ends_within: Option<f64>,
    /// The squared coefficient of variation of prompt lengths.
    variation: f64,
    /// Replicas that only prefill; 0 if each replica does both.
    prompt_replicas: f64,
    /// Seconds that a prefill replica takes to send the cache of a prompt to a decode replica.
    transfer: f64,
}

impl<'s> Server<'s> {
    fn new(
        model: &'s Architecture,
        run: &'s Run,
        layout: &Layout,
        device: &'s Device,
        calibration: &'s Calibration,
        capacity: f64,
    ) -> Option<Self> {
        let times = ReplicaTimes::new(model, run, layout, device, calibration);
        let one_token = times.step(1.0)?.seconds / times.tokens_of_step();
        let stages = f64::from(layout.pipeline);
        // Stages also wait for each other while they prefill the prompts of several requests.
        let prompt = times.prompt_work()? * (1.0 + times.pipeline_waits(f64::INFINITY)) / stages;
        let alone = times.prompts(1.0)?.seconds;
        let spread = run.spread();
        let most = run.max_sequences.unwrap_or(device.engine.most_sequences);
        let capacity = capacity.min(most).max(1.0);
        // Data-parallel ranks that share experts still decode separate sequences.
        let replicas = f64::from(layout.data);
        let output = run.output().max(1.0);
        let prompt_replicas = if run.load?.is_disaggregated {
            // Prefill gets as many replicas as busy decode replicas need, so that more users do not change it.
            let sequences = capacity.min(BUSY_SEQUENCES);
            let generating = output * times.step(sequences)?.seconds / sequences;
            let generating = generating / times.tokens_of_step();
            // The slower side bounds the server.
            let requests = |reading: f64| (reading / prompt).min((replicas - reading) / generating);
            let maximum = (replicas - 1.0).max(1.0);
            let fewer = (replicas * prompt / (prompt + generating))
                .floor()
                .clamp(1.0, maximum);
            let more = (fewer + 1.0).min(maximum);
            if requests(more) > requests(fewer) {
                more
            } else {
                fewer
            }
        } else {
            0.0
        };
        // If a replica fits on one machine, each machine is a separate server with its own front end.
        let replica_devices = (f64::from(layout.tensor) * stages).max(f64::from(layout.expert));
        let servers = if replica_devices <= device.per_machine {
            let machines = f64::from(layout.devices()) / device.per_machine;
            machines.floor().max(1.0)
        } else {
            1.0
        };
        let cached =
            model.kept_bytes(run.prompt(), run.cache.bytes()) + model.index_bytes(run.prompt());
        Some(Self {
            times,
            calibration,
            replicas: (replicas - prompt_replicas).max(1.0),
            prompt_replicas,
            transfer: cached / f64::from(layout.tensor) / device.links.network.max(1.0),
            capacity,
            output,
            prompt,
            alone,
            request_alone: device.engine.first_token
                + alone
                + calibration.wave_share * prompt
                + output * one_token,
            begin: device.engine.first_token,
            awaited_steps: awaited_steps(run, device),
            ends_within: run.length_spread.map(|spread| spread * output * one_token),
            most_requests: device.engine.most_requests * servers,
            variation: spread * spread / 12.0 / (1.0 - spread / 2.0).powi(2),
        })
    }

    /// Seconds between two tokens with `sequences` sequences in flight, without prefill.
    fn bare_token(&self, sequences: f64) -> f64 {
        let step = self.times.step(sequences).map_or(0.0, |step| step.seconds);
        step / self.times.tokens_of_step()
    }

    /// The shares of the time of a replica with `sequences` sequences in flight: the steps of a request, and its
    /// prompt.
    fn parts(&self, sequences: f64) -> TimeParts {
        let step = self.times.step(sequences).map(|step| step.parts());
        let steps = self.output / self.times.tokens_of_step() / sequences.max(1.0);
        let prompt = self.times.prompt_parts().unwrap_or_default();
        (step.unwrap_or_default().times(steps) + prompt).shares()
    }

    /// Seconds that a request waits for steps of other sequences before its prefill begins. The last factor makes it 0
    /// for a request that is alone. `bare` is as in [`Self::stepping`].
    fn awaited(&self, sequences: f64, bare: f64) -> f64 {
        self.awaited_steps * bare * self.times.tokens_of_step() * (1.0 - 1.0 / sequences)
    }

    /// A closed loop of `users` users.
    fn closed(&self, users: f64) -> LoadPoint {
        if self.prompt_replicas > 0.0 {
            self.apart(users)
        } else {
            self.together(users)
        }
    }

    /// Decode replicas with `sequences` sequences each, and the utilization of the prefill replicas.
    ///
    /// Prompts wait in an M/G/1 queue for the prefill replicas. If those fall behind, they bound the server.
    fn generating(&self, sequences: f64) -> (LoadPoint, f64) {
        let token = self.bare_token(sequences);
        let requests = self.replicas * sequences / (self.output * token);
        let busy = requests * self.prompt / self.prompt_replicas;
        let wait = if busy < 1.0 {
            self.prompt * busy * (1.0 + self.variation)
                / (2.0 * self.prompt_replicas * (1.0 - busy))
        } else {
            f64::INFINITY
        };
        let first_token = self.begin + wait + self.alone + self.transfer + token;
        let users = requests * (first_token + token * (self.output - 1.0));
        let at = LoadPoint {
            users,
            sequences,
            first_token,
            token,
            output: requests * self.output,
        };
        (at, busy)
    }

    /// A closed loop of `users` users on a disaggregated server.
    fn apart(&self, users: f64) -> LoadPoint {
        let (mut low, mut high) = (0.0, self.capacity);
        // Requests in prefill occupy memory, too.
        let sequences = (users / self.replicas).clamp(1.0, self.capacity);
        let (full, busy) = self.generating(high);
        if busy < MOST_BUSY && full.users <= users {
            // The cache is full: the other users wait for it.
            let requests = full.output / self.output;
            return LoadPoint {
                users,
                sequences,
                first_token: full.first_token + (users - full.users) / requests,
                ..full
            };
        }
        for _ in 0..STEPS {
            let middle = f64::midpoint(low, high);
            let (at, busy) = self.generating(middle);
            if busy < MOST_BUSY && at.users <= users {
                low = middle;
            } else {
                high = middle;
            }
        }
        let (at, _) = self.generating(low.max(1e-6));
        let requests = at.output / self.output;
        // If prefill bounds the server, users wait for it.
        let first_token = (users / requests - at.token * (self.output - 1.0)).max(at.first_token);
        LoadPoint {
            users,
            sequences,
            first_token,
            ..at
        }
    }

    /// A closed loop of `users` users; with a total number of `requests`, the average until the last answer.
    fn of_users(&self, users: f64, requests: Option<f64>) -> LoadPoint {
        let Some(requests) = requests else {
            return self.closed(users);
        };
        let users = users.min(requests);
        let at = self.closed(users);
        let at_once = users.min(self.capacity * self.replicas).floor().max(1.0);
        // Requests run in waves of `at_once`, and the remaining ones in a last, smaller wave.
        let seconds = |of: f64| of * self.output / self.closed(of).output;
        let last = requests % at_once;
        let full_waves = (requests - last) / at_once * seconds(at_once);
        let all = full_waves + if last > 0.0 { seconds(last) } else { 0.0 };
        // The queue drains at the end: requests of the last round find ever fewer others before them.
        let unqueued = self.closed(at_once).first_token.min(at.first_token);
        let queued = 1.0 - users / (2.0 * requests);
        LoadPoint {
            first_token: unqueued + (at.first_token - unqueued) * queued,
            output: requests * self.output / all,
            ..at
        }
    }

    /// A closed loop of `users` users on replicas that do both prefill and decode.
    fn together(&self, users: f64) -> LoadPoint {
        let per_replica = (users / self.replicas).max(1.0);
        let sequences = per_replica.min(self.capacity);
        self.stepping(users, sequences, self.bare_token(sequences))
    }

    /// Seconds that a prompt waits on average for the prompts of users who send requests at the same time: requests of
    /// one length that begin together also end together. Runs with equal lengths show it for up to `users-in-step`
    /// users.
    fn in_step(&self, sequences: f64) -> f64 {
        let Some(ends_within) = self.ends_within else {
            return 0.0;
        };
        let others = sequences.min(self.calibration.users_in_step) - 1.0;
        let waited = (others * self.prompt - ends_within).max(0.0) / 2.0;
        // The bound keeps each additional user from costing more than a separate, idle replica would.
        let spare = self.request_alone - (1.0 + 2.0 * self.calibration.wave_share) * self.prompt;
        waited.min((others * spare / 2.0).max(0.0))
    }

    /// The state with `sequences` sequences per replica, where `bare` is the time per token without prefill.
    fn stepping(&self, users: f64, sequences: f64, bare: f64) -> LoadPoint {
        let served = users.min(sequences * self.replicas);
        // Requests together take no longer than one after another, which bounds the delay by a prompt.
        let stall_share = self
            .calibration
            .stall_share
            .min(1.0 + self.calibration.wave_share);
        // A single output token has no next token to delay.
        let stalls = if self.output < 2.0 {
            0.0
        } else {
            stall_share * (sequences - 1.0) * self.prompt / self.output
        };
        let token = bare + stalls;
        let busy = sequences * self.prompt;
        // A prompt waits for at most the prompts of the other sequences.
        let share = busy / (self.output * bare);
        let queue = (self.calibration.queue_share * share)
            .min(self.calibration.wave_share * (sequences - 1.0));
        let wave = self.calibration.wave_share * busy;
        let begun = self.begin + self.awaited(sequences, bare);
        let waited = (self.alone * queue).max(self.in_step(sequences)) + wave;
        let mut first_token = begun + self.alone + waited + bare;
        let generating = token * (self.output - 1.0).max(0.0);
        // Requests that share a replica wait no longer than if it served them one after another.
        first_token = first_token.min((sequences * self.request_alone - generating).max(0.0));
        // The lower bound: the engine accepts a maximum rate, and a replica does the work of all its sequences.
        let least = (served / self.most_requests).max(busy + self.output * bare);
        first_token = first_token.max(least - generating);
        let requests = served / (first_token + generating);
        if users > served {
            first_token += (users - served) / requests;
        }
        LoadPoint {
            users,
            sequences,
            first_token,
            token,
            output: requests * self.output,
        }
    }

    /// Poisson arrivals at the rate that keeps `sequences` sequences in flight per replica; `None` if prompts arrive
    /// faster than they are prefilled.
    fn random(&self, sequences: f64) -> Option<LoadPoint> {
        if self.prompt_replicas > 0.0 {
            let (at, busy) = self.generating(sequences);
            return (busy < MOST_BUSY_AT_RANDOM).then_some(at);
        }
        // A step has at least one sequence.
        let at_least_one = sequences.max(1.0);
        let bare = self.bare_token(at_least_one);
        let at = self.stepping(at_least_one * self.replicas, at_least_one, bare);
        // Little's law: sequences in flight = arrival rate * time in the server.
        let arrival_rate = sequences / (self.output * at.token);
        let wait = self.wait(arrival_rate, bare)?;
        let begun = self.begin + self.awaited(at_least_one, bare);
        let first_token = begun + wait + self.alone + bare;
        let answer = first_token + at.token * (self.output - 1.0);
        Some(LoadPoint {
            users: arrival_rate * self.replicas * answer,
            sequences: sequences.max(1.0),
            first_token,
            output: arrival_rate * self.replicas * self.output,
            ..at
        })
    }

    /// The largest number of sequences in flight that meets a monotone condition, and the smallest number that
    /// fails. Both are the capacity of the cache if the condition holds there.
    fn most_in_flight(&self, holds: impl Fn(&LoadPoint) -> bool) -> (f64, f64) {
        let holds_for = |sequences: f64| self.random(sequences).is_some_and(|at| holds(&at));
        if holds_for(self.capacity) {
            return (self.capacity, self.capacity);
        }
        let (mut low, mut high) = (0.0, self.capacity);
        // Rates may be millions of times below the capacity, so this needs more steps than other bisections.
        for _ in 0..2 * STEPS {
            if high - low <= high * PRECISION {
                break;
            }
            let middle = f64::midpoint(low, high);
            if holds_for(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        (low, high)
    }

    /// Poisson arrivals of `rate` requests per second; `None` if the server cannot keep up.
    fn open(&self, rate: f64) -> Option<LoadPoint> {
        let requested = rate * self.output;
        let (_, enough) = self.most_in_flight(|at| at.output < requested);
        let at = self.random(enough)?;
        let is_taken = at.output >= requested * NEARLY && rate <= self.most_requests;
        is_taken.then_some(LoadPoint {
            output: requested,
            ..at
        })
    }

    /// The state of a server that cannot keep up with `rate` requests per second. The cache is full, so the output is
    /// the output of a closed loop or of the highest served rate, whichever is higher, and at most the requested
    /// output.
    fn overloaded(&self, rate: f64) -> LoadPoint {
        let full = self.closed(self.capacity * self.replicas);
        let (most, _) = self.most_in_flight(|_| true);
        let at_random = self.random(most);
        let (first_token, output) = at_random.map_or((0.0, 0.0), |at| (at.first_token, at.output));
        let requests = rate.min(self.most_requests);
        LoadPoint {
            first_token: full.first_token.max(first_token),
            output: full.output.max(output).min(requests * self.output),
            ..full
        }
    }

    /// Seconds that a prompt waits for earlier prompts: the Pollaczek-Khinchine formula of an M/G/1 queue. `bare` is as
    /// in [`Self::stepping`].
    fn wait(&self, rate: f64, bare: f64) -> Option<f64> {
        let service = self.prompt + bare;
        let busy = rate * service;
        (busy < MOST_BUSY_AT_RANDOM)
            .then(|| rate * service * service * (1.0 + self.variation) / (2.0 * (1.0 - busy)))
    }

    /// The maximum number of users within the limits.
    fn most_users(&self, limits: &Limits) -> f64 {
        let at_once = self.capacity * self.replicas;
        let meets = |users: f64| self.closed(users).meets(limits);
        if !meets(1.0) {
            return 0.0;
        }
        // Users beyond the capacity wait for their first token, which may still be within the limit.
        let max_users = if limits.first_token_s.is_some() {
            MOST_USERS
        } else {
            at_once.min(MOST_USERS).floor().max(1.0)
        };
        if meets(max_users) {
            return max_users;
        }
        let (mut low, mut high) = (1.0, max_users);
        // Most limits are reached before the cache is full, so that this halves the search.
        let full = at_once.floor();
        if full > low && full < high {
            if meets(full) {
                low = full;
            } else {
                high = full;
            }
        }
        for _ in 0..STEPS {
            let middle = f64::midpoint(low, high).floor();
            if middle <= low {
                break;
            }
            if meets(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The maximum rate of Poisson arrivals, in requests per second, at which 95% are within the limits.
    fn most_rate(&self, limits: &Limits) -> f64 {
        let (in_flight, _) =
            self.most_in_flight(|at| at.meets(limits) && self.slow(at).meets(limits));
        let rate = |at: LoadPoint| (at.output / self.output).min(self.most_requests);
        self.random(in_flight).map_or(0.0, rate)
    }

    /// The 95th percentile of the latency of Poisson arrivals.
    fn slow(&self, at: &LoadPoint) -> LoadPoint {
        let wait = at.first_token - self.begin - self.alone;
        let requests = at.output / self.output / self.replicas;
        let busy = requests * (self.prompt + at.token);
        // The tail of a queue is about exponential, and longer with more utilization. This line approximates the ratio
        // of the 95th percentile to the mean, which is ln 20 = 3.0 for an exact exponential.
        let tail = 1.75 + 1.75 * busy;
        // The number in flight is about Poisson: 95% of the time it is below its mean plus two deviations.
        let generating = requests * self.output * at.token;
        let more = (generating + 2.0 * generating.sqrt()).max(1.0);
        let token = if self.prompt_replicas > 0.0 {
            self.bare_token(more)
        } else {
            self.together(more * self.replicas).token
        };
        LoadPoint {
            first_token: self.begin + self.alone + wait * tail,
            token,
            ..*at
        }
    }
}

#[cfg(test)]
mod tests;
