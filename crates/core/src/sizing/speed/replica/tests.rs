//! Terms of one replica, each with a device that makes the other terms vanish.

use super::super::super::architecture::{Experts, Mla, QkNorm, Sparse, Window};

use super::super::super::device::{CacheShares, Collective, EngineCosts, Peak, Shares};
use super::super::super::format::WeightFormat;
use super::super::super::testing::llama_3_8b;
use super::super::super::words::{CacheFormat, Workload};
use super::*;

/// Caches that are read at the full bandwidth, and computed in no time.
fn read_in_full() -> CacheShares {
    CacheShares {
        heads: 1.0,
        latent: 1.0,
        latent_compute: f64::INFINITY,
    }
}

fn device() -> Device {
    Device {
        bandwidth: Some(1e12),
        peak: Peak {
            bits_16: Some(1e14),
            ..Peak::default()
        },
        shares: Shares {
            weights: 1.0,
            experts: 1.0,
            cache: read_in_full(),
            fp8_cache: read_in_full(),
            ..Shares::default()
        },
        engine: EngineCosts {
            index_layer: 1e-3,
            ..EngineCosts::default()
        },
        ..Device::default()
    }
}

fn latent() -> Architecture {
    Architecture {
        heads: 128,
        kv_heads: 128,
        mla: Some(Mla {
            kv_rank: 512,
            q_rank: 1536,
            nope_dim: 128,
            rope_dim: 64,
            value_dim: 128,
        }),
        ..llama_3_8b()
    }
}

fn cache_read(model: &Architecture, tensor: u32, latent_compute: f64) -> f64 {
    let mut device = device();
    device.shares.cache.latent_compute = latent_compute;
    let run = Run::new(Workload::Inference, WeightFormat::plain(16.0));
    let layout = Layout {
        tensor,
        ..Layout::default()
    };
    ReplicaTimes::new(model, &run, &layout, &device, &Calibration::default()).cache_read
}

#[test]
fn many_heads_per_rank_make_a_latent_cache_compute_bound() {
    let model = latent();
    let read = cache_read(&model, 1, f64::INFINITY);
    // 128 heads multiply twice with each of 1,088 values, far above the compute-to-bandwidth ratio of this device.
    assert!(cache_read(&model, 1, 0.7) > 2.0 * read);
    // With one head per rank, each rank reads the same bytes and computes little.
    assert!((cache_read(&model, 128, 0.7) / read - 1.0).abs() < 0.01);
    // Other caches have no computing term.
    let plain = llama_3_8b();
    let difference = cache_read(&plain, 1, 0.7) / cache_read(&plain, 1, f64::INFINITY);
    assert!((difference - 1.0).abs() < 1e-9);
}

#[test]
fn an_fp8_cache_has_a_separate_bandwidth_share() {
    let read = |cache: CacheFormat, fp8_cache: f64| {
        let mut device = device();
        device.shares.fp8_cache.heads = fp8_cache;
        let run = Run {
            cache,
            context: 1000.0,
            ..Run::new(Workload::Inference, WeightFormat::plain(16.0))
        };
        let calibration = Calibration::default();
        let layout = Layout::default();
        ReplicaTimes::new(&llama_3_8b(), &run, &layout, &device, &calibration).cache_read
    };
    let whole = read(CacheFormat::Bf16, 0.5);
    assert!((read(CacheFormat::Fp8, 1.0) / whole - 0.5).abs() < 1e-9);
    assert!((read(CacheFormat::Fp8, 0.5) / whole - 1.0).abs() < 1e-9);
    assert!((read(CacheFormat::Int8, 0.5) / whole - 0.5).abs() < 1e-9);
}

#[test]
fn attention_in_fp8_speeds_up_long_prompts_without_a_latent_cache() {
    let prompt = |model: &Architecture, cache: CacheFormat, fp8_attention_gain: f64| {
        let mut device = device();
        device.shares.dense.half = 0.5;
        device.shares.attention = 0.5;
        let run = Run {
            cache,
            context: 32_000.0,
            ..Run::new(Workload::Inference, WeightFormat::plain(16.0))
        };
        let calibration = Calibration {
            fp8_attention_gain,
            ..Calibration::default()
        };
        let layout = Layout::default();
        ReplicaTimes::new(model, &run, &layout, &device, &calibration)
            .prompt_work()
            .unwrap()
    };
    let plain = llama_3_8b();
    let whole = prompt(&plain, CacheFormat::Fp8, 1.0);
    // Attention is one part of the work, and only that part takes half as long.
    let faster = prompt(&plain, CacheFormat::Fp8, 2.0);
    assert!(
        0.5 * whole < faster && faster < 0.9 * whole,
        "{whole} {faster}"
    );
    assert!((prompt(&plain, CacheFormat::Bf16, 2.0) / whole - 1.0).abs() < 1e-9);
    let latent = latent();
    let apart = prompt(&latent, CacheFormat::Fp8, 2.0) / prompt(&latent, CacheFormat::Fp8, 1.0);
    assert!((apart - 1.0).abs() < 1e-9);
}

#[test]
fn a_latent_cache_has_a_separate_bandwidth_share() {
    let read = |model: &Architecture, cache: CacheFormat| {
        let mut device = device();
        device.shares.cache.latent = 0.5;
        device.shares.fp8_cache.latent = 0.25;
        let run = Run {
            cache,
            context: 1000.0,
            ..Run::new(Workload::Inference, WeightFormat::plain(16.0))
        };
        let layout = Layout::default();
        ReplicaTimes::new(model, &run, &layout, &device, &Calibration::default()).cache_read
    };
    let (latent, plain) = (latent(), llama_3_8b());
    let bytes = |model: &Architecture| model.attended_bytes(1256.0, 2.0) / 1e12;
    assert!((read(&plain, CacheFormat::Bf16) / bytes(&plain) - 1.0).abs() < 0.01);
    assert!((read(&latent, CacheFormat::Bf16) / bytes(&latent) - 2.0).abs() < 0.02);
    // Half of the bytes are read at a quarter of the bandwidth.
    assert!((read(&latent, CacheFormat::Fp8) / bytes(&latent) - 2.0).abs() < 0.02);
}

#[test]
fn attention_of_short_prompts_reaches_less_of_the_peak() {
    let attention = |model: &Architecture, context: f64, half_tokens: f64| {
        let mut device = device();
        device.shares.attention = 0.5;
        device.shares.dense.half = f64::INFINITY;
        device.shares.sparse.half.most = f64::INFINITY;
        device.shares.attention_half_tokens = half_tokens;
        device.shares.latent_half_tokens = 2.0 * half_tokens;
        let run = Run {
            context,
            ..Run::new(Workload::Inference, WeightFormat::plain(16.0))
        };
        let layout = Layout::default();
        let calibration = Calibration::default();
        let times = ReplicaTimes::new(model, &run, &layout, &device, &calibration);
        times.prompt_work().unwrap()
    };
    let near = |ratio: f64, expected: f64| assert!((ratio - expected).abs() < 1e-6, "{ratio}");
    let plain = llama_3_8b();
    near(
        attention(&plain, 1000.0, 1000.0) / attention(&plain, 1000.0, 0.0),
        2.0,
    );
    near(
        attention(&plain, 4000.0, 1000.0) / attention(&plain, 4000.0, 0.0),
        1.25,
    );
    let latent = latent();
    near(
        attention(&latent, 1000.0, 1000.0) / attention(&latent, 1000.0, 0.0),
        3.0,
    );
    // Windows do not reduce this term.
    let windowed = Architecture {
        window: Some(Window {
            tokens: 100,
            global_layers: 0,
            global_cache_width: None,
        }),
        ..llama_3_8b()
    };
    let more =
        |model: &Architecture| attention(model, 1000.0, 1000.0) - attention(model, 1000.0, 0.0);
    near(more(&windowed) / more(&plain), 1.0);
}

#[test]
fn joint_norms_add_an_all_reduce_per_layer() {
    let summed = |qk_norm: Option<QkNorm>, tensor: u32| {
        let model = Architecture {
            qk_norm,
            ..llama_3_8b()
        };
        let mut device = device();
        device.links.domain = 8.0;
        device.links.sums[0].latency = 1e-5;
        device.links.sums[0].sum = 1e18;
        device.engine.sum_latencies = 2.0;
        let calibration = Calibration::default();
        let run = Run::new(Workload::Inference, WeightFormat::plain(16.0));
        let layout = Layout {
            tensor,
            ..Layout::default()
        };
        ReplicaTimes::new(&model, &run, &layout, &device, &calibration).summed(1.0, 1.0)
    };
    let layer = summed(Some(QkNorm::Full), 2) / 32.0;
    assert!((layer / 4e-5 - 1.0).abs() < 1e-3, "{layer}");
    assert!((summed(Some(QkNorm::Joint), 2) / 32.0 / layer - 1.5).abs() < 1e-3);
    assert!(summed(Some(QkNorm::Joint), 1).abs() < 1e-12);
}

#[test]
fn layers_whose_inputs_are_quantized_cost_more_to_launch() {
    let launched = |weights: WeightFormat, bits_8: Option<f64>| {
        let mut device = device();
        device.peak.bits_8 = bits_8;
        device.engine.quantized_layer = 1e-3;
        let run = Run {
            weights,
            ..Run::new(Workload::Inference, weights)
        };
        let calibration = Calibration::default();
        ReplicaTimes::new(
            &llama_3_8b(),
            &run,
            &Layout::default(),
            &device,
            &calibration,
        )
        .launched()
    };
    let eight = WeightFormat::plain(8.0);
    assert!((launched(eight, Some(2e14)) - 32e-3).abs() < 1e-9);
    // Products with unpacked weights, and attention in 16 bits, need no quantized inputs.
    assert!(launched(eight, None).abs() < 1e-9);
    let attention = WeightFormat {
        attention_bits: 16.0,
        ..eight
    };
    assert!(launched(attention, Some(2e14)).abs() < 1e-9);
}

#[test]
fn attention_to_a_latent_cache_costs_more_to_launch() {
    let launched = |model: &Architecture| {
        let mut device = device();
        device.engine.latent_layer = 1e-3;
        let run = Run::new(Workload::Inference, WeightFormat::plain(16.0));
        let calibration = Calibration::default();
        ReplicaTimes::new(model, &run, &Layout::default(), &device, &calibration).launched()
    };
    assert!((launched(&latent()) - launched(&llama_3_8b()) - 32e-3).abs() < 1e-9);
    // Recurrent layers do not count.
    let some = Architecture {
        attention_layers: Some(8),
        ..latent()
    };
    assert!((launched(&some) - launched(&llama_3_8b()) - 8e-3).abs() < 1e-9);
}

#[test]
fn expert_layers_include_the_minimum_time_of_their_products() {
    let launched = |launch: f64| {
        let model = Architecture {
            experts: Some(Experts {
                count: 64,
                active: 4,
                width: 1024,
                shared_width: 0,
                dense_first: 2,
                every: 1,
                latent_width: 0,
            }),
            ..llama_3_8b()
        };
        let mut device = device();
        device.shares.sparse.half.launch = launch;
        let run = Run::new(Workload::Inference, WeightFormat::plain(16.0));
        let calibration = Calibration::default();
        ReplicaTimes::new(&model, &run, &Layout::default(), &device, &calibration).launched()
    };
    assert!((launched(1e-3) - launched(0.0) - 30e-3).abs() < 1e-9);
}

#[test]
fn a_token_is_sent_once_to_each_rank_with_a_chosen_expert() {
    let exchanged = |ranks: u32, active: u32| {
        let model = Architecture {
            experts: Some(Experts {
                count: 64,
                active,
                width: 1024,
                shared_width: 0,
                dense_first: 0,
                every: 1,
                latent_width: 0,
            }),
            ..llama_3_8b()
        };
        let mut device = device();
        device.links.domain = 64.0;
        device.links.sums = [Collective {
            exchange: 1e11,
            ..Collective::default()
        }; 3];
        let calibration = Calibration {
            exchange_factor: 1.0,
            ..Calibration::default()
        };
        let run = Run::new(Workload::Inference, WeightFormat::plain(16.0));
        let layout = Layout {
            data: ranks,
            expert: ranks,
            ..Layout::default()
        };
        ReplicaTimes::new(&model, &run, &layout, &device, &calibration).exchanged(1000.0)
    };
    // One expert is on the other rank in half of the cases; with eight, at least one nearly always is.
    let one = exchanged(2, 1);
    assert!((one / (32.0 * 1000.0 * 0.5 * 4096.0 * 3.0 / 1e11) - 1.0).abs() < 1e-9);
    assert!((exchanged(2, 8) / one - 2.0 * (1.0 - 0.5_f64.powi(8))).abs() < 1e-9);
    assert!(exchanged(8, 8) < 8.0 * exchanged(8, 1));
}

#[test]
fn dense_weights_in_4_bits_reach_less_of_the_bandwidth() {
    let read = |bits_4: Option<f64>| {
        let mut device = device();
        device.peak.bits_4 = bits_4;
        device.shares.four_bit_weights = 0.5;
        let run = Run::new(Workload::Inference, WeightFormat::plain(4.0));
        let calibration = Calibration::default();
        ReplicaTimes::new(
            &llama_3_8b(),
            &run,
            &Layout::default(),
            &device,
            &calibration,
        )
        .dense_read
    };
    assert!((read(Some(4e14)) / read(None) - 2.0).abs() < 1e-9);
}

#[test]
fn each_index_adds_launch_cost() {
    let launched = |index_layers: u32| {
        let model = Architecture {
            sparse: Some(Sparse {
                top_k: 2048,
                layers: 32,
                index_layers,
                index_heads: 64,
                index_width: 128,
            }),
            ..latent()
        };
        let run = Run::new(Workload::Inference, WeightFormat::plain(16.0));
        let (device, calibration) = (device(), Calibration::default());
        ReplicaTimes::new(&model, &run, &Layout::default(), &device, &calibration).launched()
    };
    assert!((launched(32) - launched(8) - 24e-3).abs() < 1e-9);
}
