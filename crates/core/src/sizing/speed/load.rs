//! Many users at once: how long they wait, and how many there can be.
//!
//! A server puts chunks of prompts and steps of generating into the same passes. In steady state each
//! request is stretched by the prompts of all others, and a new prompt waits for the share of time
//! that is spent on prompts. Nothing is simulated: a load is solved in closed form, or by bisection.

use super::super::architecture::Architecture;
use super::super::calibration::Calibration;
use super::super::device::Device;
use super::super::run::{Layout, Run};
use super::pace::Pace;

/// Sequences of a replica by which replicas are shared out to prompts and to generating.
const BUSY_SEQUENCES: f64 = 256.0;
/// Steps of a bisection.
const STEPS: u32 = 32;
/// How near the two ends of a bisection come to each other, as a share of them: answers have three digits.
const PRECISION: f64 = 1e-5;
/// The share of a rate that a bisection comes near to.
const NEARLY: f64 = 0.999;
/// The most users that are looked for.
const MOST_USERS: f64 = 1_048_576.0;
/// The share of time that replicas for prompts alone are at work, at most.
const MOST_BUSY: f64 = 0.95;
/// The share of time spent on prompts up to which requests that arrive at random are served.
const MOST_BUSY_AT_RANDOM: f64 = 0.85;

/// How requests come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arrival {
    /// So many users, each of whom asks again when the answer is there.
    Users(f64),
    /// So many requests per second, at random.
    Rate(f64),
}

/// The longest that users wait.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Seconds to the first token.
    pub first_token_s: Option<f64>,
    /// Seconds between two tokens.
    pub token_s: Option<f64>,
}

/// The load of a server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// How requests come.
    pub arrival: Arrival,
    /// The longest that users wait.
    pub limits: Limits,
    /// Whether some replicas read prompts, and others generate.
    pub is_disaggregated: bool,
    /// The requests in all, after which the load of users ends; `None` where it goes on.
    pub requests: Option<f64>,
}

/// A server under load. Rates are of all devices together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Served {
    /// Requests in flight, those that wait included.
    pub concurrency: f64,
    /// Sequences that each data-parallel rank generates at once.
    pub sequences: f64,
    /// Seconds from a request to its first token.
    pub first_token_s: f64,
    /// Seconds between two tokens of a request.
    pub token_s: f64,
    /// Generated tokens per second; of a load that ends, on average until its last answer.
    pub output: f64,
    /// Seconds until the last answer of a load that ends; `None` where it goes on.
    pub seconds: Option<f64>,
    /// Tokens per second, those of prompts included.
    pub total: f64,
    /// Generated tokens per second that one user sees.
    pub per_user: f64,
    /// The most users who wait no longer than the limits; without limits, those who are served at once.
    pub most_users: f64,
    /// Requests per second, arriving at random, of which nineteen of twenty wait no longer than the
    /// limits.
    pub goodput: f64,
    /// Whether all users, or nineteen of twenty requests that arrive at random, are served within the
    /// limits.
    pub is_met: bool,
    /// Replicas that read prompts, where others generate; 0 where each does both.
    pub prompt_replicas: f64,
}

/// A server under the load of a run; `None` where a figure of the device is not known, or where the
/// run has no load.
///
/// `room` is the number of sequences that the cache of a rank holds.
pub fn served(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    known: &Calibration,
    room: f64,
) -> Option<Served> {
    let load = run.load?;
    let server = Server::new(model, run, layout, device, known, room)?;
    let most_users = server.most_users(&load.limits);
    let most_rate = server.most_rate(&load.limits);
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
        total: at.output * (1.0 + run.prompt() / run.output().max(1.0)),
        per_user: 1.0 / at.token,
        most_users,
        goodput: most_rate,
        is_met,
        prompt_replicas: server.prompt_replicas,
    })
}

/// How well a layout serves a load. Fields that come first decide first; the greater is the better layout.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Standing {
    /// Whether the load is served within the limits that are given.
    pub is_met: bool,
    /// Whether it is served within those that are given and those that are expected in place of the others. Keeping
    /// only one of the expected ones does not count: a layout may do that with a fraction of the tokens.
    pub is_expected: bool,
    /// Generated tokens per second at the load; where it is not served within the limits, the users or the requests per
    /// second that are.
    pub amount: f64,
    /// The seconds to the first token, negated.
    pub promptness: f64,
    /// The seconds of a whole answer, negated.
    pub quickness: f64,
    /// Sequences that each data-parallel rank generates at once.
    pub sequences: f64,
}

/// How well a layout serves the load of a run, where `expected` are the limits that people expect where none is given.
/// `None` as for [`served`].
pub fn standing(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    known: &Calibration,
    room: f64,
    expected: &Limits,
) -> Option<Standing> {
    let load = run.load?;
    let expected = Limits {
        first_token_s: load.limits.first_token_s.or(expected.first_token_s),
        token_s: load.limits.token_s.or(expected.token_s),
    };
    let server = Server::new(model, run, layout, device, known, room)?;
    // The point at the load, and the one that has to meet the limits.
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
    Some(Standing {
        is_met,
        is_expected: meets(expected),
        amount,
        promptness: -at.first_token,
        quickness: -(at.first_token + run.output() * at.token),
        sequences: at.sequences,
    })
}

/// A server with so many users.
#[derive(Clone, Copy, Debug)]
struct Point {
    users: f64,
    sequences: f64,
    first_token: f64,
    token: f64,
    output: f64,
}

impl Point {
    fn meets(&self, limits: &Limits) -> bool {
        limits
            .first_token_s
            .is_none_or(|most| self.first_token <= most)
            && limits.token_s.is_none_or(|most| self.token <= most)
    }
}

/// Steps of others that a request waits for until its prompt begins.
fn awaited_steps(run: &Run, device: &Device) -> f64 {
    let engine = &device.engine;
    let interval = run.admission_interval.unwrap_or_default();
    engine.awaited_steps + engine.admission_share.unwrap_or_default() * interval
}

struct Server<'s> {
    pace: Pace<'s>,
    known: &'s Calibration,
    replicas: f64,
    /// Sequences that a replica generates at once.
    room: f64,
    /// Tokens that each request generates.
    output: f64,
    /// Seconds of work for a prompt, and those of a prompt that is alone.
    prompt: f64,
    alone: f64,
    /// Seconds from a request that is alone to its last token.
    request_alone: f64,
    /// Seconds until the engine has begun.
    begin: f64,
    /// Steps of others until then.
    awaited_steps: f64,
    /// Requests per second that the engine takes, on all machines.
    most_requests: f64,
    /// Seconds from the first to the last end of requests that begin together, where it is known how far their lengths are
    /// apart.
    ends_within: Option<f64>,
    /// How unequal the prompts are: the variance over the square of the mean.
    variation: f64,
    /// Replicas that read prompts alone; 0 where each replica generates too.
    prompt_replicas: f64,
    /// Seconds that the cache of a prompt takes from one replica to another.
    transfer: f64,
}

impl<'s> Server<'s> {
    fn new(
        model: &'s Architecture,
        run: &'s Run,
        layout: &Layout,
        device: &'s Device,
        known: &'s Calibration,
        room: f64,
    ) -> Option<Self> {
        let pace = Pace::new(model, run, layout, device, known);
        let one_token = pace.step(1.0)?.seconds / pace.tokens_of_step();
        let stages = f64::from(layout.pipeline);
        let prompt = pace.prompt_work()? / stages;
        let alone = pace.prompts(1.0)?.seconds;
        let spread = run.spread();
        let room = room.min(device.engine.most_sequences).max(1.0);
        // Replicas that share their experts are one.
        let replicas = f64::from(layout.data);
        let output = run.output().max(1.0);
        let prompt_replicas = if run.load?.is_disaggregated {
            // As many as the others need when they are busy, so that more users do not change them.
            let sequences = room.min(BUSY_SEQUENCES);
            let generating = output * pace.step(sequences)?.seconds / sequences;
            let generating = generating / pace.tokens_of_step();
            // The slower side bounds the server.
            let requests = |reading: f64| (reading / prompt).min((replicas - reading) / generating);
            let most = (replicas - 1.0).max(1.0);
            let fewer = (replicas * prompt / (prompt + generating))
                .floor()
                .clamp(1.0, most);
            let more = (fewer + 1.0).min(most);
            if requests(more) > requests(fewer) {
                more
            } else {
                fewer
            }
        } else {
            0.0
        };
        // Machines that share nothing are servers of their own.
        let each = (f64::from(layout.tensor) * stages).max(f64::from(layout.expert));
        let servers = if each <= device.per_machine {
            let machines = f64::from(layout.devices()) / device.per_machine;
            machines.floor().max(1.0)
        } else {
            1.0
        };
        let cached =
            model.kept_bytes(run.prompt(), run.cache.bytes()) + model.index_bytes(run.prompt());
        Some(Self {
            pace,
            known,
            replicas: (replicas - prompt_replicas).max(1.0),
            prompt_replicas,
            transfer: cached / f64::from(layout.tensor) / device.links.network.max(1.0),
            room,
            output,
            prompt,
            alone,
            request_alone: device.engine.first_token
                + alone
                + known.wave_share * prompt
                + output * one_token,
            begin: device.engine.first_token,
            awaited_steps: awaited_steps(run, device),
            ends_within: run.length_spread.map(|spread| spread * output * one_token),
            most_requests: device.engine.most_requests * servers,
            variation: spread * spread / 12.0 / (1.0 - spread / 2.0).powi(2),
        })
    }

    /// Seconds between two tokens of one of so many sequences, without the prompts of others.
    fn bare_token(&self, sequences: f64) -> f64 {
        let step = self.pace.step(sequences).map_or(0.0, |step| step.seconds);
        step / self.pace.tokens_of_step()
    }

    /// Seconds of the steps that a request waits for while other sequences are generated; `bare` as in
    /// [`Self::stepping`].
    fn awaited(&self, sequences: f64, bare: f64) -> f64 {
        self.awaited_steps * bare * self.pace.tokens_of_step() * (1.0 - 1.0 / sequences)
    }

    /// Users who ask again when they are answered.
    fn closed(&self, users: f64) -> Point {
        if self.prompt_replicas > 0.0 {
            self.apart(users)
        } else {
            self.together(users)
        }
    }

    /// Replicas that generate for so many sequences each, while others read the prompts.
    ///
    /// The prompts of all sequences are a queue before the replicas that read them; where these fall
    /// behind, they are what bounds the server.
    fn generating(&self, sequences: f64) -> (Point, f64) {
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
        let at = Point {
            users,
            sequences,
            first_token,
            token,
            output: requests * self.output,
        };
        (at, busy)
    }

    /// Users of a server whose prompts are read apart.
    fn apart(&self, users: f64) -> Point {
        let (mut low, mut high) = (0.0, self.room);
        // Memory is taken by those whose prompts are read, too.
        let sequences = (users / self.replicas).clamp(1.0, self.room);
        let (most, busy) = self.generating(high);
        if busy < MOST_BUSY && most.users <= users {
            // The cache is full: the others wait for it.
            let requests = most.output / self.output;
            return Point {
                users,
                sequences,
                first_token: most.first_token + (users - most.users) / requests,
                ..most
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
        // Where prompts bound the server, users wait for them.
        let first_token = (users / requests - at.token * (self.output - 1.0)).max(at.first_token);
        Point {
            users,
            sequences,
            first_token,
            ..at
        }
    }

    /// So many users; where they ask so many times in all, on average until the last answer.
    fn of_users(&self, users: f64, requests: Option<f64>) -> Point {
        let Some(requests) = requests else {
            return self.closed(users);
        };
        let users = users.min(requests);
        let at = self.closed(users);
        let at_once = users.min(self.room * self.replicas).floor().max(1.0);
        // As many as are served at once begin and end about together, and so do the fewer that remain.
        let seconds = |of: f64| of * self.output / self.closed(of).output;
        let last = requests % at_once;
        let whole = (requests - last) / at_once * seconds(at_once);
        let all = whole + if last > 0.0 { seconds(last) } else { 0.0 };
        // The first users wait for fewer others than those who come while all are there.
        let unqueued = self.closed(at_once).first_token.min(at.first_token);
        let queued = 1.0 - users / (2.0 * requests);
        Point {
            first_token: unqueued + (at.first_token - unqueued) * queued,
            output: requests * self.output / all,
            ..at
        }
    }

    /// Users of replicas that read prompts and generate.
    fn together(&self, users: f64) -> Point {
        let wanted = (users / self.replicas).max(1.0);
        let sequences = wanted.min(self.room);
        self.stepping(users, sequences, self.bare_token(sequences))
    }

    /// Seconds that a prompt waits for those of users who ask at the same time, on average: requests of one length that
    /// begin together end together.
    fn in_step(&self, sequences: f64) -> f64 {
        let Some(ends_within) = self.ends_within else {
            return 0.0;
        };
        let others = sequences.min(self.known.users_in_step) - 1.0;
        let waited = (others * self.prompt - ends_within).max(0.0) / 2.0;
        // With what generating waits for prompts, and longer steps, each more user still takes no longer than one who is alone.
        let spare = self.request_alone - (1.0 + 2.0 * self.known.wave_share) * self.prompt;
        waited.min((others * spare / 2.0).max(0.0))
    }

    /// The same for so many sequences of a replica, between whose tokens are so many seconds without the
    /// prompts of others.
    fn stepping(&self, users: f64, sequences: f64, bare: f64) -> Point {
        let served = users.min(sequences * self.replicas);
        // Requests together take no longer than one after another, so a prompt holds others up no longer than it takes alone.
        let stall_share = self.known.stall_share.min(1.0 + self.known.wave_share);
        // Nobody waits between tokens where there is only one.
        let stalls = if self.output < 2.0 {
            0.0
        } else {
            stall_share * (sequences - 1.0) * self.prompt / self.output
        };
        let token = bare + stalls;
        let busy = sequences * self.prompt;
        // Nobody waits for more prompts than there are: the others' share of time is bounded by them.
        let share = busy / (self.output * bare);
        let queue = (self.known.queue_share * share).min(self.known.wave_share * (sequences - 1.0));
        let wave = self.known.wave_share * busy;
        let begun = self.begin + self.awaited(sequences, bare);
        let waited = (self.alone * queue).max(self.in_step(sequences)) + wave;
        let mut first_token = begun + self.alone + waited + bare;
        let generating = token * (self.output - 1.0).max(0.0);
        // Those who share a replica wait no longer than if it served one after another.
        first_token = first_token.min((sequences * self.request_alone - generating).max(0.0));
        // An engine takes only so many requests in a second, and each replica does the work of all.
        let least = (served / self.most_requests).max(busy + self.output * bare);
        first_token = first_token.max(least - generating);
        let requests = served / (first_token + generating);
        if users > served {
            first_token += (users - served) / requests;
        }
        Point {
            users,
            sequences,
            first_token,
            token,
            output: requests * self.output,
        }
    }

    /// Requests that arrive at random, as many as keep so many sequences in flight on each replica;
    /// `None` where prompts come faster than they are read.
    fn random(&self, sequences: f64) -> Option<Point> {
        if self.prompt_replicas > 0.0 {
            let (at, busy) = self.generating(sequences);
            return (busy < MOST_BUSY_AT_RANDOM).then_some(at);
        }
        // A step is never of less than one sequence.
        let at_least_one = sequences.max(1.0);
        let bare = self.bare_token(at_least_one);
        let at = self.stepping(at_least_one * self.replicas, at_least_one, bare);
        // In flight are as many as come while one is served.
        let each = sequences / (self.output * at.token);
        let wait = self.wait(each, bare)?;
        let begun = self.begin + self.awaited(at_least_one, bare);
        let first_token = begun + wait + self.alone + bare;
        let answer = first_token + at.token * (self.output - 1.0);
        Some(Point {
            users: each * self.replicas * answer,
            sequences: sequences.max(1.0),
            first_token,
            output: each * self.replicas * self.output,
            ..at
        })
    }

    /// The most sequences of a replica in flight for which something holds that holds for fewer, and the
    /// fewest for which it does not; both are what the cache has room for where it holds for that.
    fn most_in_flight(&self, holds: impl Fn(&Point) -> bool) -> (f64, f64) {
        let holds_for = |sequences: f64| self.random(sequences).is_some_and(|at| holds(&at));
        if holds_for(self.room) {
            return (self.room, self.room);
        }
        let (mut low, mut high) = (0.0, self.room);
        // Rates may be millions of times below what a cache holds.
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

    /// So many requests per second, arriving at random; `None` where they are more than the server can
    /// take.
    fn open(&self, rate: f64) -> Option<Point> {
        let asked = rate * self.output;
        let (_, enough) = self.most_in_flight(|at| at.output < asked);
        let at = self.random(enough)?;
        let is_taken = at.output >= asked * NEARLY && rate <= self.most_requests;
        is_taken.then_some(Point {
            output: asked,
            ..at
        })
    }

    /// The most that is served where so many requests per second are more than are taken: the cache is full, and generates
    /// as much as with so many users, or as with as many at random as are taken.
    fn overloaded(&self, rate: f64) -> Point {
        let full = self.closed(self.room * self.replicas);
        let (most, _) = self.most_in_flight(|_| true);
        let at_random = self.random(most);
        let (first_token, output) = at_random.map_or((0.0, 0.0), |at| (at.first_token, at.output));
        let requests = rate.min(self.most_requests);
        Point {
            first_token: full.first_token.max(first_token),
            output: full.output.max(output).min(requests * self.output),
            ..full
        }
    }

    /// Seconds that a prompt waits for those before it, as a queue with one server; `bare` as in
    /// [`Self::stepping`].
    fn wait(&self, rate: f64, bare: f64) -> Option<f64> {
        let service = self.prompt + bare;
        let busy = rate * service;
        (busy < MOST_BUSY_AT_RANDOM)
            .then(|| rate * service * service * (1.0 + self.variation) / (2.0 * (1.0 - busy)))
    }

    /// The most users who wait no longer than the limits.
    fn most_users(&self, limits: &Limits) -> f64 {
        let at_once = self.room * self.replicas;
        let meets = |users: f64| self.closed(users).meets(limits);
        if !meets(1.0) {
            return 0.0;
        }
        // Those beyond the cache wait for their first token, perhaps not too long.
        let most = if limits.first_token_s.is_some() {
            MOST_USERS
        } else {
            at_once.min(MOST_USERS).floor().max(1.0)
        };
        if meets(most) {
            return most;
        }
        let (mut low, mut high) = (1.0, most);
        // Most limits are reached before the cache is full.
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

    /// The most requests per second of which nineteen of twenty wait no longer than the limits.
    fn most_rate(&self, limits: &Limits) -> f64 {
        let (in_flight, _) =
            self.most_in_flight(|at| at.meets(limits) && self.slow(at).meets(limits));
        let rate = |at: Point| (at.output / self.output).min(self.most_requests);
        self.random(in_flight).map_or(0.0, rate)
    }

    /// The longest waits of nineteen of twenty requests that arrive at random.
    fn slow(&self, at: &Point) -> Point {
        let wait = at.first_token - self.begin - self.alone;
        let requests = at.output / self.output / self.replicas;
        let busy = requests * (self.prompt + at.token);
        // The waits of a queue end like an exponential: the busier, the longer their tail.
        let tail = 1.75 + 1.75 * busy;
        // Nineteen of twenty times fewer than two deviations more are in flight, and at least the one that waits.
        let generating = requests * self.output * at.token;
        let more = (generating + 2.0 * generating.sqrt()).max(1.0);
        let token = if self.prompt_replicas > 0.0 {
            self.bare_token(more)
        } else {
            self.together(more * self.replicas).token
        };
        Point {
            first_token: self.begin + self.alone + wait * tail,
            token,
            ..*at
        }
    }
}

#[cfg(test)]
mod tests;
