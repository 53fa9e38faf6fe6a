//! Terms of one replica, each with a device that makes the other terms vanish.

use super::super::super::architecture::{Experts, Mla, QkNorm, Sparse, Window};

use super::super::super::device::{ByWidth, CacheShares, EngineCosts, Links, Shares};
use super::super::super::format::WeightFormat;
use super::super::super::links::Collective;
use super::super::super::peak::Peak;
use super::super::super::run::Speculation;
use super::super::super::testing::{assert_near, llama_3_8b, tiny, tiny_mixture};
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
    let baseline = read(CacheFormat::Bf16, 0.5);
    assert!((read(CacheFormat::Fp8, 1.0) / baseline - 0.5).abs() < 1e-9);
    assert!((read(CacheFormat::Fp8, 0.5) / baseline - 1.0).abs() < 1e-9);
    assert!((read(CacheFormat::Int8, 0.5) / baseline - 0.5).abs() < 1e-9);
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
    let baseline = prompt(&plain, CacheFormat::Fp8, 1.0);
    // Attention is one part of the work, and only that part takes half as long.
    let faster = prompt(&plain, CacheFormat::Fp8, 2.0);
    assert!(
        0.5 * baseline < faster && faster < 0.9 * baseline,
        "{baseline} {faster}"
    );
    assert!((prompt(&plain, CacheFormat::Bf16, 2.0) / baseline - 1.0).abs() < 1e-9);
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
    let bytes = |model: &Architecture| model.attended(1256.0, 2.0).total() / 1e12;
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
            global_kv_heads: None,
            kv_heads: None,
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
                image_width: 0,
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
                image_width: 0,
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

/// A device on which every term of the tiny model has a size that can be computed manually.
fn slow_device() -> Device {
    let shares = CacheShares {
        heads: 0.25,
        latent: 0.5,
        latent_compute: 0.5,
    };
    Device {
        bandwidth: Some(1000.0),
        peak: Peak {
            bits_16: Some(1e4),
            ..Peak::default()
        },
        shares: Shares {
            weights: 0.5,
            cache: shares,
            fp8_cache: shares,
            dense: ByWidth {
                half: 0.5,
                ..ByWidth::default()
            },
            attention: 0.25,
            attention_half_tokens: 4.0,
            ..Shares::default()
        },
        engine: EngineCosts {
            layer: 1.0,
            step: 10.0,
            sequence: 0.5,
            sum_latencies: 2.0,
            ..EngineCosts::default()
        },
        links: Links {
            rate: 16.0,
            domain: 8.0,
            is_fabric: true,
            sums: [Collective {
                latency: 0.25,
                sum: 32.0,
                exchange: 64.0,
            }; 3],
            ..Links::default()
        },
        host_link: 100.0,
        ..Device::default()
    }
}

fn slow_calibration() -> Calibration {
    Calibration {
        prompt_sum_factor: 3.0,
        dequantizing_share: 0.5,
        llama_cpp_batch: 8.0,
        host_read_gb_s: 1e-6,
        host_bandwidth_share: 0.5,
        exchange_factor: 2.0,
        exchange_us: 1e6,
        unfused_launch_factor: 1.5,
        ..Calibration::default()
    }
}

/// Prompts of 10 tokens and answers of 6.
fn short_run() -> Run {
    Run {
        context: 10.0,
        generate: 6.0,
        max_batched_tokens: Some(8.0),
        ..Run::new(Workload::Inference, WeightFormat::plain(16.0))
    }
}

fn with_times<T>(run: &Run, layout: &Layout, look: impl Fn(&ReplicaTimes<'_>) -> T) -> T {
    let (model, device, calibration) = (tiny(), slow_device(), slow_calibration());
    look(&ReplicaTimes::new(
        &model,
        run,
        layout,
        &device,
        &calibration,
    ))
}

/// Seconds of reading the head, the matrices of the layers and the norms at half of the bandwidth.
const DENSE_READ: f64 = (512.0 + 4608.0 + 144.0) / 500.0;
/// Seconds of computing a token in the layers, and in the head, at half of the peak.
const TOKEN: f64 = 2.0 * 2304.0 / 5000.0;
const HEAD: f64 = 2.0 * 256.0 / 5000.0;
/// Seconds of reading 13 tokens of cache, the prompt and half of the answer, at a quarter of the bandwidth.
const CACHE_READ: f64 = 13.0 * 64.0 / 250.0;

#[test]
fn a_step_is_the_sum_of_its_terms() {
    with_times(&short_run(), &Layout::default(), |times| {
        for sequences in [1.0, 2.0, 8.0] {
            let step = times.step(sequences).unwrap();
            let weights = overlapped(DENSE_READ, sequences * (TOKEN + HEAD));
            let launched = 4.0 + 10.0 + sequences * 0.5;
            assert_near(step.seconds, weights + sequences * CACHE_READ + launched);
        }
        assert_near(
            times.step(0.25).unwrap().seconds,
            times.step(1.0).unwrap().seconds,
        );
        // Launches are 14.5 seconds of the first step, and reading is 40 seconds of a larger one.
        assert_eq!(times.step(1.0).unwrap().bound(), Some(Bound::Launch));
        assert_eq!(times.step(9.0).unwrap().bound(), Some(Bound::Memory));
    });
}

#[test]
fn a_step_without_a_bandwidth_is_unknown() {
    let (model, run, calibration) = (tiny(), short_run(), slow_calibration());
    let device = Device {
        bandwidth: None,
        ..slow_device()
    };
    let times = ReplicaTimes::new(&model, &run, &Layout::default(), &device, &calibration);
    assert!(times.step(1.0).is_none() && times.prompt_work().is_some());
    let device = Device {
        peak: Peak::default(),
        ..slow_device()
    };
    let times = ReplicaTimes::new(&model, &run, &Layout::default(), &device, &calibration);
    assert!(times.step(1.0).is_some() && times.prompt_work().is_none());
}

#[test]
fn speculation_computes_guesses_and_runs_drafts() {
    let run = Run {
        speculation: Some(Speculation {
            tokens: 3.0,
            acceptance: 0.5,
        }),
        ..short_run()
    };
    with_times(&run, &Layout::default(), |times| {
        assert_near(times.tokens_of_step(), 1.875);
        let weights = overlapped(DENSE_READ, 2.0 * 4.0 * (TOKEN + HEAD));
        let drafts = 3.0 * (DENSE_READ + 14.0) / 4.0;
        let expected = weights + 2.0 * CACHE_READ + 14.0 + 2.0 * 0.5 + drafts;
        assert_near(times.step(2.0).unwrap().seconds, expected);
    });
}

#[test]
fn pipeline_stages_share_sequences_and_send_them_on() {
    let layout = Layout {
        pipeline: 2,
        ..Layout::default()
    };
    with_times(&short_run(), &layout, |times| {
        let hop = |tokens: f64| 0.25 + tokens * 8.0 * 2.0 / 16.0;
        assert_near(times.hop(3.0), hop(3.0));
        let step = times.step(6.0).unwrap().seconds;
        let weights = overlapped(DENSE_READ, 3.0 * (TOKEN + HEAD));
        assert_near(step, weights + 3.0 * CACHE_READ + 14.0 + 1.5 + hop(3.0));
    });
}

#[test]
fn tensor_parallelism_divides_work_and_adds_all_reduces() {
    let layout = Layout {
        tensor: 2,
        ..Layout::default()
    };
    with_times(&short_run(), &layout, |times| {
        // Four layers with two all-reduces of two latencies each.
        let sums = |tokens: f64, factor: f64| 8.0 * (0.5 + factor * tokens * 16.0 / 32.0);
        assert_near(times.summed(3.0, 1.0), sums(3.0, 1.0));
        let weights = overlapped(DENSE_READ / 2.0, 3.0 * (TOKEN + HEAD) / 2.0);
        let expected = weights + 3.0 * CACHE_READ / 2.0 + 14.0 + 1.5 + sums(3.0, 1.0);
        assert_near(times.step(3.0).unwrap().seconds, expected);
        let attention = 10.0 * 896.0 / 2.0 / 2500.0;
        let work = 10.0 * TOKEN / 2.0 + attention + sums(10.0, 3.0);
        assert_near(times.prompt_work().unwrap(), work);
    });
}

#[test]
fn experts_of_other_ranks_cost_exchanges() {
    let (model, device, calibration) = (tiny_mixture(), slow_device(), slow_calibration());
    let run = short_run();
    let layout = Layout {
        data: 2,
        expert: 2,
        ..Layout::default()
    };
    let times = ReplicaTimes::new(&model, &run, &layout, &device, &calibration);
    // Three of four tokens with two experts have one on the other rank. Three layers take a second each at least.
    let sent = 5.0 * 0.75 * 8.0 * 3.0 / 64.0;
    assert_near(times.exchanged(5.0), 3.0 * (2.0 * sent + 1.0));
    let alone = ReplicaTimes::new(&model, &run, &Layout::default(), &device, &calibration);
    assert_near(alone.exchanged(5.0), 0.0);
}

#[test]
fn a_prompt_costs_matrices_and_attention() {
    // Per token: 4 layers, 4 * 8 operations per entry, 5 entries on average, and 2 for the half tokens.
    let attention = |tokens: f64, entries: f64| tokens * 32.0 * 4.0 * (entries + 2.0) / 2500.0;
    with_times(&short_run(), &Layout::default(), |times| {
        assert_near(
            times.prompt_work().unwrap(),
            10.0 * TOKEN + attention(10.0, 5.0),
        );
    });
    let cached = Run {
        prefix_cached: 0.5,
        ..short_run()
    };
    with_times(&cached, &Layout::default(), |times| {
        assert_near(
            times.prompt_work().unwrap(),
            5.0 * TOKEN + attention(5.0, 7.5),
        );
    });
}

#[test]
fn serving_engines_launch_a_prefill_once_per_chunk() {
    let prefill = |engine, sequences| {
        let run = Run {
            engine,
            ..short_run()
        };
        with_times(&run, &Layout::default(), |times| {
            (
                times.prompts(sequences).unwrap(),
                times.prompt_work().unwrap(),
            )
        })
    };
    // 20 tokens are three chunks of 8.
    let (time, work) = prefill(ServingEngine::Vllm, 2.0);
    let expected = overlapped(2.0 * work, DENSE_READ) + 3.0 * 14.0;
    assert_near(time.seconds, expected);
    // All parameters but the embedding, and attention to half of the prompt.
    let useful = 20.0 * (2.0 * (2888.0 - 256.0) + 5.0 * 128.0);
    assert_near(time.mfu.unwrap(), useful / expected / 1e4);
    let (time, _) = prefill(ServingEngine::None, 2.0);
    assert_near(time.seconds, overlapped(2.0 * work, DENSE_READ) + 14.0);
}

#[test]
fn unpacked_weights_slow_down_engines_without_fused_kernels() {
    let work = |engine, bits| {
        let run = Run {
            engine,
            ..Run {
                weights: WeightFormat::plain(bits),
                ..short_run()
            }
        };
        with_times(&run, &Layout::default(), |times| {
            (times.prompt_work().unwrap(), times.launched())
        })
    };
    let (plain, _) = work(ServingEngine::Vllm, 16.0);
    assert_near(work(ServingEngine::Vllm, 8.0).0, plain);
    assert_near(work(ServingEngine::LlamaCpp, 16.0).0, plain);
    assert_near(work(ServingEngine::LlamaCpp, 8.0).0, plain + 10.0 * TOKEN);
    // transformers also launches more kernels per layer.
    assert_near(work(ServingEngine::LlamaCpp, 8.0).1, 4.0);
    assert_near(work(ServingEngine::Transformers, 16.0).1, 4.0);
    assert_near(work(ServingEngine::Transformers, 8.0).1, 6.0);
}

#[test]
fn the_host_reads_its_layers_and_sends_them_for_a_prefill() {
    let run = Run {
        engine: ServingEngine::LlamaCpp,
        gpu_layers: Some(2),
        ..short_run()
    };
    with_times(&run, &Layout::default(), |times| {
        let host_bytes = 4752.0 / 2.0 + 512.0;
        let step = times.step(1.0).unwrap();
        let weights = overlapped(4752.0 / 2.0 / 500.0, TOKEN + HEAD);
        let on_host = host_bytes / 1000.0 + 13.0 * 64.0 / 2.0 / 1000.0;
        assert_near(step.seconds, weights + CACHE_READ / 2.0 + 14.5 + on_host);
        // Ten tokens are two batches of 8.
        let prefill = overlapped(times.prompt_work().unwrap(), 4752.0 / 1000.0) + 14.0;
        let sent = 2.0 * host_bytes / 100.0;
        assert_near(times.prompts(1.0).unwrap().seconds, prefill + sent);
    });
    // A known peak of the host's memory replaces the measured rate.
    let fast = Run {
        host_bandwidth: Some(8000.0),
        ..run
    };
    let on_host = |run: &Run| {
        with_times(run, &Layout::default(), |times| {
            times.step(1.0).unwrap().on_host
        })
    };
    assert_near(on_host(&fast), on_host(&run) / 4.0);
}

#[test]
fn the_host_reads_only_the_experts_that_tokens_choose() {
    let model = tiny_mixture();
    let (device, calibration) = (slow_device(), slow_calibration());
    let step = |layers| {
        let run = Run {
            engine: ServingEngine::LlamaCpp,
            cpu_expert_layers: Some(layers),
            ..short_run()
        };
        let times = ReplicaTimes::new(&model, &run, &Layout::default(), &device, &calibration);
        times.step(1.0).unwrap().on_host
    };
    let experts = short_run().weights.bytes(&model).experts;
    assert_near(step(0), 0.0);
    // The first of four layers is dense.
    assert_near(step(1), 0.0);
    assert_near(step(4), experts * model.active_share(1.0) / 1000.0);
    assert_near(step(2), step(4) / 3.0);
}

#[test]
fn a_latent_cache_is_read_and_computed_by_every_rank() {
    let model = Architecture {
        mla: Some(Mla {
            kv_rank: 6,
            q_rank: 0,
            nope_dim: 2,
            rope_dim: 2,
            value_dim: 2,
        }),
        ..tiny()
    };
    let (run, device, calibration) = (short_run(), slow_device(), slow_calibration());
    let read = |tensor| {
        let layout = Layout {
            tensor,
            ..Layout::default()
        };
        ReplicaTimes::new(&model, &run, &layout, &device, &calibration).cache_read
    };
    // 13 tokens and 4 layers: 8 values of 2 bytes, and 4 heads with 2 * 14 operations.
    let reading = 13.0 * 4.0 * 16.0 / 500.0;
    let computing = 13.0 * 4.0 * 4.0 * 28.0 / 5000.0;
    assert_near(read(1), overlapped(reading, computing));
    assert_near(read(4), overlapped(reading, computing / 4.0));
}

#[test]
fn only_steps_of_several_tokens_dequantize() {
    let run = |dequantizes: bool| {
        let weights = WeightFormat {
            dequantizes,
            ..WeightFormat::plain(4.0)
        };
        Run::new(Workload::Inference, weights)
    };
    let (plain, dequantized) = (run(false), run(true));
    for model in [llama_3_8b(), tiny_mixture()] {
        let (device, calibration) = (device(), Calibration::default());
        let weights = |run: &Run, sequences: f64| {
            let layout = Layout::default();
            let times = ReplicaTimes::new(&model, run, &layout, &device, &calibration);
            times.step(sequences).unwrap().weights
        };
        assert!((weights(&dequantized, 1.0) / weights(&plain, 1.0) - 1.0).abs() < 1e-9);
        assert!(weights(&dequantized, 8.0) > 3.0 * weights(&plain, 8.0));
        let experts = |run: &Run, tokens: f64| {
            let layout = Layout::default();
            let times = ReplicaTimes::new(&model, run, &layout, &device, &calibration);
            times.experts.read(tokens)
        };
        let has_experts = model.experts.is_some();
        assert_eq!(experts(&plain, 8.0) > 0.0, has_experts);
        assert!((experts(&dequantized, 1.0) - experts(&plain, 1.0)).abs() < 1e-12);
        let times = experts(&dequantized, 8.0) / experts(&plain, 8.0);
        assert!(times > 3.0 || !has_experts, "{times}");
    }
}
