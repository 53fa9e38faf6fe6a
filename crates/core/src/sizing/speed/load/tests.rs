//! Loads of a server with one device.

use super::super::super::device::{ByWidth, CacheShares, EngineCosts, Shares};
use super::super::super::format::WeightFormat;
use super::super::super::load::Load;
use super::super::super::peak::Peak;
use super::super::super::testing::{assert_near, llama_3_8b as model};
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
            experts: 0.8,
            cache: CacheShares {
                heads: 0.8,
                ..CacheShares::default()
            },
            fp8_cache: CacheShares {
                heads: 0.8,
                ..CacheShares::default()
            },
            dense: half,
            attention: 0.5,
            ..Shares::default()
        },
        engine: EngineCosts {
            most_sequences: f64::INFINITY,
            most_requests: f64::INFINITY,
            ..EngineCosts::default()
        },
        ..Device::default()
    }
}

fn calibration() -> Calibration {
    Calibration {
        stall_share: 1.1,
        queue_share: 1.0,
        wave_share: 0.05,
        ..Calibration::default()
    }
}

fn at(arrival: Arrival, limits: Limits, room: f64) -> Served {
    on(&device(), arrival, limits, room)
}

fn on(device: &Device, arrival: Arrival, limits: Limits, room: f64) -> Served {
    with_lengths(device, arrival, limits, room, (1000.0, 200.0))
}

fn with_lengths(
    device: &Device,
    arrival: Arrival,
    limits: Limits,
    room: f64,
    lengths: (f64, f64),
) -> Served {
    let load = Load {
        arrival,
        limits,
        is_disaggregated: false,
        requests: None,
    };
    under(device, load, room, lengths)
}

fn under(device: &Device, load: Load, room: f64, (context, generate): (f64, f64)) -> Served {
    let run = Run {
        context,
        generate,
        load: Some(load),
        ..Run::new(Workload::Inference, WeightFormat::plain(16.0))
    };
    let layout = Layout::default();
    served(&model(), &run, &layout, device, &calibration(), room).unwrap()
}

/// A closed loop of `users` users with a total of `requests` requests, of which ten are served at once.
fn until_last(users: f64, requests: Option<f64>) -> Served {
    let load = Load {
        arrival: Arrival::Users(users),
        limits: Limits::default(),
        is_disaggregated: false,
        requests,
    };
    under(&device(), load, 10.0, (1000.0, 200.0))
}

/// Seconds to the first token of `users` users, of whom 64 are served at once.
fn first_token_of_users(run: &Run, calibration: &Calibration, users: f64) -> f64 {
    let load = Load {
        arrival: Arrival::Users(users),
        limits: Limits::default(),
        is_disaggregated: false,
        requests: None,
    };
    let run = Run {
        load: Some(load),
        ..*run
    };
    let layout = Layout::default();
    let served = served(&model(), &run, &layout, &device(), calibration, 64.0);
    served.unwrap().first_token_s
}

#[test]
fn requests_of_equal_length_wait_for_each_other() {
    let calibration = Calibration {
        users_in_step: 4.0,
        ..calibration()
    };
    let first_token = |users: f64, length_spread: Option<f64>| {
        let run = Run {
            context: 1000.0,
            generate: 200.0,
            length_spread,
            ..Run::new(Workload::Inference, WeightFormat::plain(16.0))
        };
        first_token_of_users(&run, &calibration, users)
    };
    let more =
        |users: f64, spread: f64| first_token(users, Some(spread)) - first_token(users, None);
    assert!(more(1.0, 0.0).abs() < 1e-9);
    assert!(more(2.0, 0.0) > 0.0);
    // Four users stay in step, and each waits for half of the others' prompts.
    assert!((more(3.0, 0.0) / more(2.0, 0.0) - 2.0).abs() < 0.2);
    assert!(more(8.0, 0.0) < more(4.0, 0.0) * 1.01);
    // Different lengths bring them out of step.
    assert!(first_token(4.0, Some(0.01)) < first_token(4.0, Some(0.0)));
}

#[test]
fn long_prompts_never_give_more_users_an_earlier_first_token() {
    let calibration = Calibration {
        stall_share: 2.0,
        ..calibration()
    };
    let first_token = |users: f64| {
        let run = Run {
            context: 32_000.0,
            generate: 100.0,
            ..Run::new(Workload::Inference, WeightFormat::plain(16.0))
        };
        first_token_of_users(&run, &calibration, users)
    };
    for users in 1..64 {
        let (fewer, more) = (f64::from(users), f64::from(users + 1));
        assert!(first_token(fewer) <= first_token(more) + 1e-9, "{users}");
    }
}

#[test]
fn a_finite_load_ends_with_its_last_answer() {
    let seconds = |users: f64, requests: f64| {
        let served = until_last(users, Some(requests));
        let seconds = served.seconds.unwrap();
        assert!((served.output * seconds / (requests * 200.0) - 1.0).abs() < 1e-9);
        seconds
    };
    let is_near = |is: f64, expected: f64| (is / expected - 1.0).abs() < 1e-9;
    // A single wave is as fast as a closed loop.
    let going_on = until_last(10.0, None);
    assert_eq!(going_on.seconds, None);
    assert!(is_near(
        until_last(10.0, Some(10.0)).output,
        going_on.output
    ));
    // Requests beyond the capacity form a second wave, which is faster because it is smaller.
    assert!(is_near(
        seconds(15.0, 15.0),
        seconds(10.0, 10.0) + seconds(5.0, 5.0)
    ));
    assert!(seconds(15.0, 15.0) > 15.0 * 200.0 / going_on.output);
    assert!(is_near(
        seconds(10.0, 3000.0),
        3000.0 * 200.0 / going_on.output
    ));
    // A single user sends one request after another.
    assert!(is_near(seconds(1.0, 7.0), 7.0 * seconds(1.0, 1.0)));
}

#[test]
fn single_requests_wait_for_half_of_the_others() {
    let wait = |users: f64, requests: Option<f64>| {
        until_last(users, requests).first_token_s - until_last(10.0, None).first_token_s
    };
    assert!((wait(15.0, Some(15.0)) / wait(15.0, None) - 0.5).abs() < 1e-9);
    assert!((wait(15.0, Some(15e6)) / wait(15.0, None) - 1.0).abs() < 1e-3);
    assert!(wait(10.0, Some(10.0)).abs() < 1e-9);
    // Users without a request do not wait.
    assert!(wait(500.0, Some(10.0)).abs() < 1e-9);
}

#[test]
fn more_users_at_once_end_no_later() {
    let mut last = f64::INFINITY;
    for users in 1..40 {
        let seconds = until_last(f64::from(users), Some(37.0)).seconds.unwrap();
        assert!(seconds <= last * 1.001, "{users}: {seconds} {last}");
        last = seconds;
    }
}

#[test]
fn a_request_waits_for_steps_of_others_before_it_is_scheduled() {
    let mut patient = device();
    patient.engine.awaited_steps = 10.0;
    let later = |users: f64| {
        let [late, early] = [&patient, &device()]
            .map(|device| on(device, Arrival::Users(users), Limits::default(), 500.0));
        (late.first_token_s - early.first_token_s) / early.token_s
    };
    // A single user has no others to wait for. Between decode steps, there are prefills as well.
    assert!(later(1.0).abs() < 1e-9);
    assert!(1.0 < later(8.0) && later(8.0) < 10.0, "{}", later(8.0));
}

#[test]
fn requests_wait_for_a_share_of_the_admission_interval() {
    let first_token = |share: Option<f64>, interval: Option<f64>| {
        let mut device = device();
        device.engine.admission_share = share;
        let run = Run {
            load: Some(Load {
                arrival: Arrival::Users(8.0),
                limits: Limits::default(),
                is_disaggregated: false,
                requests: None,
            }),
            context: 1000.0,
            generate: 200.0,
            admission_interval: interval,
            ..Run::new(Workload::Inference, WeightFormat::plain(16.0))
        };
        served(
            &model(),
            &run,
            &Layout::default(),
            &device,
            &calibration(),
            500.0,
        )
        .unwrap()
        .first_token_s
    };
    let at_once = first_token(None, None);
    let half = first_token(Some(0.5), Some(20.0)) - at_once;
    let full_prompt = first_token(Some(1.0), Some(20.0)) - at_once;
    assert!(
        half > 0.0 && (full_prompt / half - 2.0).abs() < 1e-6,
        "{half} {full_prompt}"
    );
    assert!((first_token(Some(0.5), None) - at_once).abs() < 1e-12);
    // The interval has no effect on an engine without this setting.
    assert!((first_token(None, Some(20.0)) - at_once).abs() < 1e-12);
}

#[test]
fn one_user_is_bound_by_reading_weights() {
    let one = at(Arrival::Users(1.0), Limits::default(), 100.0);
    // Each token reads all weights except the embedding, at 80% of the bandwidth.
    let weights = 2.0 * (model().parameters().total() - 4096.0 * 128_256.0);
    let least = weights / (2e12 * 0.8);
    assert!(
        one.token_s > least && one.token_s < 1.1 * least,
        "{}",
        one.token_s
    );
    assert!((one.per_user * one.token_s - 1.0).abs() < 1e-9);
    assert!(one.first_token_s > one.token_s);
}

#[test]
fn users_beyond_the_capacity_wait_for_the_cache() {
    let full = at(Arrival::Users(10.0), Limits::default(), 10.0);
    let over = at(Arrival::Users(15.0), Limits::default(), 10.0);
    assert!((full.output - over.output).abs() < 1e-6);
    let waited = over.first_token_s - full.first_token_s;
    let requests = full.output / 200.0;
    assert!((waited * requests - 5.0).abs() < 1e-6);
    assert!((over.most_users - 10.0).abs() < 1e-9);
}

#[test]
fn poisson_arrivals_follow_littles_law() {
    let rate = 2.0;
    let open = at(Arrival::Rate(rate), Limits::default(), 200.0);
    assert!(open.is_met && (open.output - rate * 200.0).abs() < 1e-6);
    // Little's law: requests in flight = arrival rate * time of a request.
    let answer = open.first_token_s + open.token_s * 199.0;
    assert!((open.concurrency / (rate * answer) - 1.0).abs() < 0.01);
    let too_many = at(Arrival::Rate(1e4), Limits::default(), 200.0);
    assert!(!too_many.is_met);
}

/// Asserts that more load never lowers the throughput or the latency.
fn is_served_no_better(served: &[Served]) {
    for pair in served.windows(2) {
        assert!(pair[1].output >= pair[0].output * 0.999, "{pair:?}");
        assert!(
            pair[1].first_token_s >= pair[0].first_token_s * 0.999,
            "{pair:?}"
        );
    }
}

/// Tokens of a prompt and its answer: usual lengths, and a long prompt with a short answer.
const LENGTHS: [(f64, f64); 2] = [(1000.0, 200.0), (32_000.0, 16.0)];

#[test]
fn overload_never_lowers_throughput() {
    for lengths in LENGTHS {
        for room in [2.0, 20.0, 200.0] {
            let at = |hundredths: u32| {
                let rate = Arrival::Rate(f64::from(hundredths) / 100.0);
                with_lengths(&device(), rate, Limits::default(), room, lengths)
            };
            let served: Vec<Served> = (1..2000).step_by(7).map(at).collect();
            assert!(served.last().is_some_and(|most| !most.is_met));
            is_served_no_better(&served);
        }
    }
}

#[test]
fn more_users_never_lower_throughput() {
    for lengths in LENGTHS {
        let at = |users: u32| {
            let users = Arrival::Users(f64::from(users));
            with_lengths(&device(), users, Limits::default(), 20.0, lengths)
        };
        is_served_no_better(&(1..60).map(at).collect::<Vec<_>>());
    }
}

#[test]
fn limits_reduce_users_and_goodput() {
    let none = at(Arrival::Users(4.0), Limits::default(), 500.0);
    let limits = Limits {
        first_token_s: Some(1.0),
        token_s: Some(0.03),
    };
    let some = at(Arrival::Users(4.0), limits, 500.0);
    assert!(some.most_users < none.most_users);
    let goodput = |limits| at(Arrival::Rate(1.0), limits, 500.0).goodput.unwrap();
    assert!(goodput(limits) < goodput(Limits::default()));
    let at_most = at(Arrival::Users(some.most_users), limits, 500.0);
    let beyond = at(Arrival::Users(some.most_users + 1.0), limits, 500.0);
    assert!(at_most.is_met && !beyond.is_met);
    let never = Limits {
        first_token_s: Some(1e-6),
        ..limits
    };
    assert!(at(Arrival::Users(1.0), never, 500.0).most_users < 0.5);
}

#[test]
fn rare_requests_do_not_delay_each_other() {
    let lengths = (16_000.0, 4.0);
    let alone = with_lengths(
        &device(),
        Arrival::Users(1.0),
        Limits::default(),
        50.0,
        lengths,
    );
    // Another prefill between these few tokens would take longer than all of them.
    let limits = Limits {
        first_token_s: Some(alone.first_token_s * 2.0),
        token_s: Some(alone.token_s * 2.0),
    };
    let rare = with_lengths(&device(), Arrival::Rate(1e-6), limits, 50.0, lengths);
    assert!(rare.is_met && rare.goodput > Some(1e-6), "{rare:?}");
    let two = with_lengths(&device(), Arrival::Users(2.0), limits, 50.0, lengths);
    assert!(!two.is_met, "{two:?}");
}

#[test]
fn an_overloaded_server_generates_at_most_the_requested_tokens() {
    let mut bounded = 0;
    for room in [40.0, 400.0, 4000.0] {
        let full = at(Arrival::Users(room), Limits::default(), room);
        let arriving = at(Arrival::Rate(1.0), Limits::default(), room);
        for more in [1.01, 2.0, 100.0] {
            let rate = arriving.goodput.unwrap() * more;
            let served = at(Arrival::Rate(rate), Limits::default(), room);
            assert!(!served.is_met, "{served:?}");
            assert!(served.output <= rate * 200.0 * 1.0001, "{served:?}");
            assert!((served.concurrency - room).abs() < 1e-9, "{served:?}");
            bounded += u32::from(full.output > rate * 200.0);
        }
    }
    // In some cases, a full cache would generate more than the load requests.
    assert!(bounded > 0);
}

#[test]
fn users_beyond_the_requests_do_not_count() {
    assert!(until_last(1000.0, Some(8.0)).is_met);
    assert!(!until_last(1000.0, Some(80.0)).is_met);
}

/// Looks at a server with prompts of 1,000 and answers of 200 tokens.
fn with_server<T>(
    change: impl Fn(&mut Run, &mut Layout, &mut Device, &mut Calibration),
    look: impl Fn(&Server<'_>) -> T,
) -> T {
    let (mut layout, mut device, mut calibration) = (Layout::default(), device(), calibration());
    let mut run = Run {
        context: 1000.0,
        generate: 200.0,
        load: Some(Load {
            arrival: Arrival::Users(1.0),
            limits: Limits::default(),
            is_disaggregated: false,
            requests: None,
        }),
        ..Run::new(Workload::Inference, WeightFormat::plain(16.0))
    };
    change(&mut run, &mut layout, &mut device, &mut calibration);
    let model = model();
    look(&Server::new(&model, &run, &layout, &device, &calibration, 100.0).unwrap())
}

#[test]
fn prompts_wait_in_a_queue_with_one_server() {
    with_server(
        |run, _, _, _| run.length_spread = Some(0.5),
        |server| {
            // The squared coefficient of variation of lengths between 0.5 and 1.
            let variation = 1.0 / 27.0;
            assert_near(server.variation, variation);
            let service = server.prompt + 0.01;
            for busy in [0.1, 0.5, 0.84] {
                let rate = busy / service;
                let expected = busy * service * (1.0 + variation) / 2.0 / (1.0 - busy);
                assert_near(server.wait(rate, 0.01).unwrap(), expected);
            }
            assert_eq!(server.wait(0.86 / service, 0.01), None);
        },
    );
}

#[test]
fn prompts_of_others_delay_tokens_and_first_tokens() {
    with_server(
        |_, _, device, calibration| {
            device.engine.first_token = 0.5;
            device.engine.awaited_steps = 4.0;
            calibration.queue_share = 0.25;
            calibration.stall_share = 0.75;
        },
        |server| {
            let (bare, prompt) = (server.bare_token(3.0), server.prompt);
            let at = server.together(3.0);
            assert_near(at.token, bare + 0.75 * 2.0 * prompt / 200.0);
            let queue = 0.25 * 3.0 * prompt / (200.0 * bare);
            // No more than the first wave of the two others.
            let queue = server.alone * queue.min(0.05 * 2.0);
            let awaited = 4.0 * bare * 2.0 / 3.0;
            let expected = 0.5 + awaited + server.alone + queue + 0.05 * 3.0 * prompt + bare;
            assert_near(at.first_token, expected);
            assert_near(at.output, 3.0 * 200.0 / (expected + 199.0 * at.token));
        },
    );
}

#[test]
fn the_slowest_requests_wait_for_the_tail_of_the_queue() {
    with_server(
        |_, _, device, _| device.engine.first_token = 0.5,
        |server| {
            let at = LoadPoint {
                users: 4.0,
                sequences: 4.0,
                first_token: 2.0,
                token: 0.05,
                output: 20.0,
            };
            let slow = server.slow(&at);
            let requests = 20.0 / 200.0;
            let busy = requests * (server.prompt + 0.05);
            let wait = 2.0 - 0.5 - server.alone;
            let expected = 0.5 + server.alone + wait * 1.75 * (1.0 + busy);
            assert_near(slow.first_token, expected);
            // One request is in flight on average, and up to three 95% of the time.
            assert_near(slow.token, server.together(3.0).token);
        },
    );
}

#[test]
fn disaggregated_replicas_are_divided_by_work() {
    with_server(
        |run, layout, device, _| {
            if let Some(load) = &mut run.load {
                load.is_disaggregated = true;
            }
            layout.data = 4;
            device.links.network = 1e9;
        },
        |server| {
            assert_near(server.prompt_replicas + server.replicas, 4.0);
            assert!(server.prompt_replicas >= 1.0 && server.replicas >= 1.0);
            // The cache of a prompt: 131,072 bytes per token.
            assert_near(server.transfer, 1000.0 * 131_072.0 / 1e9);
            let token = server.bare_token(8.0);
            let (at, busy) = server.generating(8.0);
            let requests = server.replicas * 8.0 / (200.0 * token);
            assert_near(busy, requests * server.prompt / server.prompt_replicas);
            let variation = 1.0 + server.variation;
            let wait =
                server.prompt * busy * variation / (2.0 * server.prompt_replicas * (1.0 - busy));
            let first_token = wait + server.alone + server.transfer + token;
            assert_near(at.first_token, first_token);
            assert_near(at.token, token);
            assert_near(at.users, requests * (first_token + 199.0 * token));
            assert_near(at.output, requests * 200.0);
        },
    );
}

#[test]
fn engines_bound_sequences_and_requests() {
    with_server(
        |_, layout, device, _| {
            layout.data = 16;
            device.per_machine = 8.0;
            device.engine.most_sequences = 7.0;
            device.engine.most_requests = 3.0;
        },
        |server| {
            assert_near(server.capacity, 7.0);
            // Two machines, each with a front end.
            assert_near(server.most_requests, 6.0);
        },
    );
}

#[test]
fn a_maximum_number_of_sequences_overrides_the_engines_default() {
    let load = Load {
        arrival: Arrival::Users(64.0),
        limits: Limits::default(),
        is_disaggregated: false,
        requests: None,
    };
    let sequences = |max_sequences: Option<f64>| {
        let run = Run {
            context: 1000.0,
            generate: 200.0,
            load: Some(load),
            max_sequences,
            ..Run::new(Workload::Inference, WeightFormat::plain(16.0))
        };
        let mut device = device();
        device.engine.most_sequences = 32.0;
        let layout = Layout::default();
        let served = served(&model(), &run, &layout, &device, &calibration(), 1e6).unwrap();
        assert!((served.parts.total() - 1.0).abs() < 1e-9);
        served.sequences
    };
    assert_near(sequences(None), 32.0);
    assert_near(sequences(Some(48.0)), 48.0);
    assert_near(sequences(Some(8.0)), 8.0);
}

#[test]
fn utilization_is_the_share_of_the_most_that_is_served() {
    let served = Served {
        most_users: 8.0,
        goodput: Some(4.0),
        ..at(Arrival::Users(2.0), Limits::default(), 64.0)
    };
    let of = |served: &Served, arrival| served.utilization(arrival);
    assert_eq!(of(&served, Arrival::Users(2.0)), Some(0.25));
    assert_eq!(of(&served, Arrival::Rate(3.0)), Some(0.75));
    let nothing = Served {
        most_users: 0.0,
        goodput: None,
        ..served
    };
    assert_eq!(of(&nothing, Arrival::Users(2.0)), None);
    assert_eq!(of(&nothing, Arrival::Rate(3.0)), None);
}
