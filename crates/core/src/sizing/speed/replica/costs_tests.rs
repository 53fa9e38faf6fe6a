//! The costs of sampling, of the host, and of split experts in a step.

use super::super::super::device::{CacheShares, EngineCosts, SamplerCosts, Shares};
use super::super::super::format::WeightFormat;
use super::super::super::testing::{llama_3_8b, tiny_mixture};
use super::super::super::words::Workload;
use super::*;

/// A device on which nothing but `engine` and the reading of weights takes time.
fn device(engine: EngineCosts) -> Device {
    Device {
        bandwidth: Some(1e12),
        shares: Shares {
            weights: 1.0,
            experts: 1.0,
            cache: CacheShares {
                heads: 1.0,
                ..CacheShares::default()
            },
            ..Shares::default()
        },
        engine,
        ..Device::default()
    }
}

fn sampled(sampling: Sampling) -> Run {
    Run {
        sampling,
        context: 100.0,
        generate: 200.0,
        ..Run::new(Workload::Inference, WeightFormat::plain(16.0))
    }
}

fn step(model: &Architecture, run: &Run, layout: &Layout, engine: EngineCosts, n: f64) -> StepTime {
    let (device, calibration) = (device(engine), Calibration::default());
    let times = ReplicaTimes::new(model, run, layout, &device, &calibration);
    times.step(n).unwrap()
}

#[test]
fn sampling_costs_by_kind_and_by_sequence() {
    let costs = |step| SamplerCosts {
        step,
        first: 2e-3,
        further: 1e-3,
    };
    let engine = EngineCosts {
        top_p: costs(0.5),
        penalties: costs(0.25),
        graph_sequences: f64::INFINITY,
        ..EngineCosts::default()
    };
    let mut model = llama_3_8b();
    model.vocab = 65_536;
    let seconds = |sampling, n| {
        let run = sampled(sampling);
        step(&model, &run, &Layout::default(), engine, n)
            .parts()
            .sampling
    };
    assert!(seconds(Sampling::Greedy, 200.0).abs() < 1e-12);
    // 128 sequences at the first price and 72 at the second, with half of the measured vocabulary.
    let top_p = 0.5 + f64::midpoint(128.0 * 2e-3, 72.0 * 1e-3);
    assert!((seconds(Sampling::TopP, 200.0) - top_p).abs() < 1e-9);
    let both = 0.75 + 128.0 * 2e-3 + 72.0 * 1e-3;
    assert!((seconds(Sampling::Penalties, 200.0) - both).abs() < 1e-9);
}

#[test]
fn a_step_waits_for_what_the_host_does_longer_than_the_device() {
    let model = llama_3_8b();
    let waiting = |engine: EngineCosts, sampling, n| {
        let run = sampled(sampling);
        step(&model, &run, &Layout::default(), engine, n)
            .parts()
            .waiting
    };
    let eager = EngineCosts {
        graph_sequences: 16.0,
        eager_layer: 1.0,
        ..EngineCosts::default()
    };
    assert!(waiting(eager, Sampling::Greedy, 16.0).abs() < 1e-12);
    let waited = waiting(eager, Sampling::Greedy, 17.0);
    // 32 layers, less the time that the device takes to read the weights.
    assert!(waited > 31.0 && waited < 32.0, "{waited}");
    let counting = EngineCosts {
        counted_token: 1e-3,
        graph_sequences: f64::INFINITY,
        ..EngineCosts::default()
    };
    assert!(waiting(counting, Sampling::TopP, 10.0).abs() < 1e-12);
    // Half of the answers so far, 100 tokens of each of ten sequences.
    let waited = waiting(counting, Sampling::Penalties, 10.0);
    assert!(waited > 0.9 && waited < 1.0, "{waited}");
}

#[test]
fn split_experts_cost_more_once_a_rank_has_more_tokens_than_experts() {
    let model = tiny_mixture();
    let experts = f64::from(model.experts.unwrap().count);
    let engine = EngineCosts {
        split_expert_layer: 1.0,
        graph_sequences: f64::INFINITY,
        ..EngineCosts::default()
    };
    let launching = |expert, n| {
        let layout = Layout {
            tensor: 2,
            expert,
            ..Layout::default()
        };
        let run = sampled(Sampling::Greedy);
        step(&model, &run, &layout, engine, n).parts().launching
    };
    assert!(launching(1, experts).abs() < 1e-12);
    assert!(launching(2, experts / 2.0).abs() < 1e-12);
    let layers = f64::from(model.expert_layers());
    assert!((launching(2, experts / 2.0 + 1.0) - layers).abs() < 1e-12);
}

#[test]
fn stages_wait_for_each_other_unless_a_sequence_is_alone() {
    let model = llama_3_8b();
    let engine = EngineCosts {
        pipeline_wait: 0.5,
        layer: 1.0,
        ..EngineCosts::default()
    };
    let waiting = |pipeline, n| {
        let layout = Layout {
            pipeline,
            ..Layout::default()
        };
        let parts = step(&model, &sampled(Sampling::Greedy), &layout, engine, n).parts();
        parts.waiting / (parts.total() - parts.waiting)
    };
    assert!(waiting(1, 64.0).abs() < 1e-12);
    assert!(waiting(4, 1.0).abs() < 1e-12);
    // Two doublings, with 16 sequences in each of four micro-batches.
    assert!((waiting(4, 64.0) - 2.0 * 0.5 * 15.0 / 16.0).abs() < 1e-9);
}

#[test]
fn parts_add_up_to_the_step() {
    let model = llama_3_8b();
    let engine = EngineCosts {
        layer: 1e-3,
        step: 2e-3,
        sequence: 1e-4,
        ..EngineCosts::default()
    };
    let at = step(
        &model,
        &sampled(Sampling::Greedy),
        &Layout::default(),
        engine,
        8.0,
    );
    assert!((at.parts().total() / at.seconds - 1.0).abs() < 1e-9);
}

#[test]
fn answers_to_people_are_longer_where_they_are_in_flight() {
    let run = sampled(Sampling::TopP);
    assert!((run.in_flight(1.0) - 300.0).abs() < 1e-9);
    assert!((run.in_flight(0.0) - 200.0).abs() < 1e-9);
    // The spread of lengths is known, or all answers are equal.
    let known = Run {
        length_spread: Some(0.0),
        ..run
    };
    assert!((known.in_flight(1.0) - 200.0).abs() < 1e-9);
    assert!((sampled(Sampling::Greedy).in_flight(1.0) - 200.0).abs() < 1e-9);
}
