//! A server of texts that are only read, such as a server of embeddings or of a reranker, under load.
//!
//! Such a server computes the texts that wait in one pass, up to a number of tokens, and answers all of them when the
//! pass ends. It is a queue with batches: a text waits for the end of the current pass, and then for its own.

use super::super::architecture::Architecture;
use super::super::calibration::Calibration;
use super::super::device::Device;
use super::super::load::{Arrival, Limits};
use super::super::run::{Layout, Run};
use super::load::{LayoutScore, MOST_BUSY_AT_RANDOM, MOST_USERS, Served};
use super::replica::ReplicaTimes;

/// The maximum tokens that a server of embeddings computes in a pass: the default of text-embeddings-inference.
pub const TOKENS_OF_A_PASS: f64 = 16_384.0;
/// The maximum number of steps of a bisection.
const STEPS: u32 = 48;
/// The share of a pass of which 95% of the texts that arrive during it wait for at most the rest.
const LATE: f64 = 0.95;

/// True for a run that reads texts and generates nothing.
pub(super) fn only_reads(run: &Run) -> bool {
    run.generate < 1.0
}

/// The state of a server with a number of texts in flight.
#[derive(Clone, Copy, Debug)]
struct ReadingPoint {
    users: f64,
    /// The texts of a pass.
    texts: f64,
    /// Seconds from a request to its answer: on average, and of the slowest 5%.
    answer: f64,
    slow: f64,
    /// Texts per second of all replicas.
    requests: f64,
}

impl ReadingPoint {
    fn meets(&self, limits: &Limits) -> bool {
        limits.first_token_s.is_none_or(|limit| self.slow <= limit)
    }
}

struct ReadingServer<'s> {
    times: ReplicaTimes<'s>,
    replicas: f64,
    /// The maximum number of texts in a pass.
    most_texts: f64,
    /// Seconds before the engine begins with a request.
    begin: f64,
    /// The maximum number of requests per second that the serving engine accepts, on all machines.
    most_requests: f64,
}

impl<'s> ReadingServer<'s> {
    fn new(
        model: &'s Architecture,
        run: &'s Run,
        layout: &Layout,
        device: &'s Device,
        calibration: &'s Calibration,
        capacity: f64,
    ) -> Option<Self> {
        let times = ReplicaTimes::new(model, run, layout, device, calibration);
        times.prompts(1.0)?;
        let tokens = run.max_batched_tokens.unwrap_or(TOKENS_OF_A_PASS);
        let texts = (tokens / run.prompt().max(1.0)).floor();
        let most = run.max_sequences.unwrap_or(device.engine.most_sequences);
        let machines = f64::from(layout.devices()) / device.per_machine.max(1.0);
        Some(Self {
            times,
            replicas: f64::from(layout.data),
            most_texts: texts.min(most).min(capacity).max(1.0),
            begin: device.engine.first_token,
            most_requests: device.engine.most_requests * machines.floor().max(1.0),
        })
    }

    /// Seconds of a pass over some texts.
    fn pass(&self, texts: f64) -> f64 {
        let pass = self.times.prompts(texts.max(1.0));
        pass.map_or(f64::INFINITY, |pass| pass.seconds)
    }

    /// The maximum number of texts per second that arrive at random, with all replicas.
    fn most_at_random(&self) -> f64 {
        let full = self.replicas * self.most_texts / self.pass(self.most_texts);
        (full * MOST_BUSY_AT_RANDOM).min(self.most_requests)
    }

    /// A closed loop of `users` users: the texts of a replica that no pass takes wait for the next one.
    fn closed(&self, users: f64) -> ReadingPoint {
        let of_replica = (users / self.replicas).max(1.0);
        let texts = of_replica.min(self.most_texts);
        let reading = self.begin + self.pass(texts) * of_replica / texts;
        let answer = reading.max(users / self.most_requests);
        ReadingPoint {
            users,
            texts,
            answer,
            slow: answer,
            requests: users / answer,
        }
    }

    /// Poisson arrivals of `rate` requests per second; `None` if the server cannot keep up.
    fn open(&self, rate: f64) -> Option<ReadingPoint> {
        if rate > self.most_at_random() {
            return None;
        }
        let of_replica = rate / self.replicas;
        // A pass takes the texts that arrive during the pass before it.
        let (mut low, mut high) = (1.0, self.most_texts);
        for _ in 0..STEPS {
            let middle = f64::midpoint(low, high);
            if of_replica * self.pass(middle) > middle {
                low = middle;
            } else {
                high = middle;
            }
        }
        let texts = high;
        let pass = self.pass(texts);
        let busy = (of_replica * pass / texts).min(1.0);
        // Texts beyond a full pass wait as in a queue with one server (M/D/1), whose customers are full passes.
        let share = of_replica * self.pass(self.most_texts) / self.most_texts;
        let queue = share * share * pass / (2.0 * (1.0 - share) * self.most_texts);
        let answer = self.begin + busy * pass / 2.0 + queue + pass;
        // The texts of a pass are about Poisson: 95% of the passes have at most the mean plus two deviations.
        let late = self.pass((texts + 2.0 * texts.sqrt()).min(self.most_texts));
        let tail = 1.75 + 1.75 * share;
        Some(ReadingPoint {
            users: rate * answer,
            texts,
            answer,
            slow: self.begin + busy * pass * LATE + queue * tail + late,
            requests: rate,
        })
    }

    /// The state of a server to which more texts come than it reads.
    fn overloaded(&self, rate: f64) -> ReadingPoint {
        let full = self.closed(self.most_texts * self.replicas);
        ReadingPoint {
            requests: full.requests.min(rate),
            ..full
        }
    }

    /// The maximum number of users within the limits; without limits, the texts of a pass of all replicas.
    fn most_users(&self, limits: &Limits) -> f64 {
        let at_once = (self.most_texts * self.replicas).floor().max(1.0);
        let meets = |users: f64| self.closed(users).meets(limits);
        if !meets(1.0) {
            return 0.0;
        }
        if limits.first_token_s.is_none() {
            return at_once.min(MOST_USERS);
        }
        if meets(MOST_USERS) {
            return MOST_USERS;
        }
        let (mut low, mut high) = (1.0, MOST_USERS);
        while high - low > 1.0 {
            let middle = f64::midpoint(low, high).floor();
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
        let most = self.most_at_random();
        let meets = |rate: f64| self.open(rate).is_some_and(|at| at.meets(limits));
        if meets(most) {
            return most;
        }
        let (mut low, mut high) = (0.0, most);
        for _ in 0..STEPS {
            let middle = f64::midpoint(low, high);
            if meets(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The state under a load, and whether it is within the limits.
    fn at(&self, arrival: Arrival, limits: &Limits) -> (ReadingPoint, bool) {
        match arrival {
            Arrival::Users(users) => {
                let at = self.closed(users);
                (at, at.meets(limits))
            }
            Arrival::Rate(rate) => match self.open(rate) {
                Some(at) => (at, at.meets(limits)),
                None => (self.overloaded(rate), false),
            },
        }
    }
}

/// Computes a server of texts under the load of a run. The arguments and `None` are as for [`super::served`].
pub(super) fn served(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    calibration: &Calibration,
    capacity: f64,
) -> Option<Served> {
    let load = run.load?;
    let server = ReadingServer::new(model, run, layout, device, calibration, capacity)?;
    let (at, is_met) = server.at(load.arrival, &load.limits);
    let is_rate = matches!(load.arrival, Arrival::Rate(_));
    let parts = server.times.prompts(at.texts).map(|pass| pass.parts);
    Some(Served {
        concurrency: at.users,
        sequences: at.texts,
        first_token_s: at.answer,
        token_s: 0.0,
        output: 0.0,
        requests: at.requests,
        seconds: load.requests.map(|requests| requests / at.requests),
        total: at.requests * run.prompt(),
        per_user: 0.0,
        most_users: server.most_users(&load.limits),
        goodput: is_rate.then(|| server.most_rate(&load.limits)),
        is_met,
        prompt_replicas: 0.0,
        parts: parts.unwrap_or_default().shares(),
    })
}

/// Computes the maximum rate of texts within the limits of the load of a run. The arguments and `None` are as for
/// [`super::goodput`].
pub(super) fn goodput(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    calibration: &Calibration,
    capacity: f64,
) -> Option<f64> {
    let server = ReadingServer::new(model, run, layout, device, calibration, capacity)?;
    Some(server.most_rate(&run.load?.limits))
}

/// Ranks a layout by how well it serves texts. The arguments and `None` are as for [`super::layout_score`].
pub(super) fn layout_score(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    calibration: &Calibration,
    capacity: f64,
    expected: &Limits,
) -> Option<LayoutScore> {
    let load = run.load?;
    let server = ReadingServer::new(model, run, layout, device, calibration, capacity)?;
    let (at, is_met) = server.at(load.arrival, &load.limits);
    let expected = Limits {
        first_token_s: load.limits.first_token_s.or(expected.first_token_s),
        token_s: None,
    };
    let amount = match load.arrival {
        // Copies of a small model read more texts than devices that share it, which only shorten the time of a pass.
        _ if is_met => server.most_at_random(),
        Arrival::Users(_) => server.most_users(&load.limits),
        Arrival::Rate(_) => server.most_rate(&load.limits),
    };
    Some(LayoutScore {
        is_met,
        is_expected: at.meets(&expected),
        amount,
        promptness: -at.answer,
        quickness: -at.answer,
        sequences: at.texts,
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::device::{ByWidth, EngineCosts, Shares};
    use super::super::super::format::WeightFormat;
    use super::super::super::load::Load;
    use super::super::super::peak::Peak;
    use super::super::super::testing::{assert_near, llama_3_8b};
    use super::super::super::words::Workload;
    use super::*;

    fn device() -> Device {
        let half = ByWidth {
            half: 0.5,
            eight: 0.5,
            four: 0.5,
        };
        Device {
            bandwidth: Some(2e12),
            peak: Peak {
                bits_16: Some(5e14),
                ..Peak::default()
            },
            shares: Shares {
                weights: 0.8,
                dense: half,
                attention: 0.5,
                ..Shares::default()
            },
            engine: EngineCosts {
                most_sequences: f64::INFINITY,
                most_requests: f64::INFINITY,
                ..EngineCosts::default()
            },
            per_machine: 8.0,
            ..Device::default()
        }
    }

    fn reading(arrival: Arrival, first_token_s: Option<f64>, replicas: u32) -> Served {
        let limits = Limits {
            first_token_s,
            token_s: None,
        };
        let run = Run {
            context: 512.0,
            generate: 0.0,
            load: Some(Load {
                arrival,
                limits,
                is_disaggregated: false,
                requests: None,
            }),
            ..Run::new(Workload::Inference, WeightFormat::plain(16.0))
        };
        let layout = Layout {
            data: replicas,
            ..Layout::default()
        };
        let calibration = Calibration::default();
        served(&llama_3_8b(), &run, &layout, &device(), &calibration, 1e9).unwrap()
    }

    /// The texts per second of a full server.
    fn most(replicas: u32) -> f64 {
        reading(Arrival::Users(1e4), None, replicas).requests
    }

    #[test]
    fn users_beyond_a_pass_wait_for_the_next_one() {
        let [full, twice] = [32.0, 64.0].map(|users| reading(Arrival::Users(users), None, 1));
        assert_near(full.sequences, TOKENS_OF_A_PASS / 512.0);
        assert_near(twice.requests, full.requests);
        assert_near(twice.first_token_s, 2.0 * full.first_token_s);
        assert_near(full.total, full.requests * 512.0);
    }

    #[test]
    fn replicas_divide_the_users() {
        assert_near(most(4), 4.0 * most(1));
        let users = |replicas| reading(Arrival::Users(1.0), Some(2.0), replicas).most_users;
        assert!((users(2) / users(1) - 2.0).abs() < 0.05);
    }

    #[test]
    fn more_arrivals_wait_longer_until_the_server_is_overloaded() {
        let at = |share: f64| reading(Arrival::Rate(most(1) * share), None, 1);
        let shares = [0.01, 0.3, 0.6, 0.8];
        for pair in shares.windows(2) {
            let [fewer, more] = [at(pair[0]), at(pair[1])];
            assert!(fewer.first_token_s < more.first_token_s, "{pair:?}");
            assert!(fewer.is_met && more.is_met, "{pair:?}");
        }
        assert!(!at(0.9).is_met);
        let goodput = at(0.3).goodput.unwrap();
        assert_near(goodput, most(1) * MOST_BUSY_AT_RANDOM);
    }

    #[test]
    fn the_slowest_answers_keep_the_limit() {
        let alone = reading(Arrival::Users(1.0), None, 1).first_token_s;
        let at = |limit: f64| reading(Arrival::Rate(1.0), Some(limit), 1);
        let (short, long) = (at(4.0 * alone), at(1e3 * alone));
        assert!(short.goodput < long.goodput);
        assert!(at(alone / 2.0).goodput.unwrap() < 1e-6);
        assert_near(at(alone / 2.0).most_users, 0.0);
    }
}
