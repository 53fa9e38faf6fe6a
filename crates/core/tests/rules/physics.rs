//! Limits that no figure may exceed, on the shipped catalog.

use sky_accel_core::catalog::{AcceleratorClass, AcceleratorId};
use sky_accel_core::money::Count;
use sky_accel_core::sizing::{
    Calibration, DeviceReader, Layout, MOST_DEVICES_OF_A_MACHINE, Run, ServingEngine, WeightFormat,
    Workload, speed,
};
use sky_accel_core::word::Word as _;
use sky_accel_embedded::CATALOG;

/// The share of the peak of a format that training reaches on a device, for one model and layout.
fn mfu(id: AcceleratorId, model: &str, bits: f64, layout: &Layout) -> Option<f64> {
    let device = DeviceReader::new(ServingEngine::Transformers, None).read(&CATALOG, id);
    let device = device.for_training(&CATALOG, id);
    let row = CATALOG
        .models
        .iter()
        .find(|row| CATALOG.str(row.id) == model);
    let shape = row.unwrap_or_else(|| panic!("no {model}")).shape;
    let run = Run {
        compile: layout.tensor == 1,
        ..Run::new(Workload::Full, WeightFormat::plain(bits))
    };
    let calibration = Calibration::of(&CATALOG, run.workload, run.engine);
    speed(&shape, &run, layout, &device, &calibration).mfu
}

#[test]
fn no_device_trains_faster_than_its_matrix_products() {
    let layouts = [1, 2].map(|tensor| Layout {
        tensor,
        ..Layout::default()
    });
    let mut found = 0;
    for id in CATALOG.accelerator_ids() {
        let accelerator = CATALOG.accelerator(id);
        let architecture = CATALOG.str(accelerator.architecture);
        let class = format!("{architecture} {}", CATALOG.str(accelerator.class));
        let scopes = [CATALOG.accelerator_id(id), &class, architecture];
        let share = |name: &str| CATALOG.coefficient_among(name, &scopes, None).unwrap();
        let wide = share("matmul-share-16");
        // Formats that the device lacks are unpacked to 16 bits.
        let narrow = |rate: Option<f64>| rate.map_or(wide, |_| share("matmul-share-8"));
        for (bits, most) in [
            (16.0, wide),
            (8.0, narrow(accelerator.fp8_tflops)),
            (4.0, narrow(accelerator.fp4_tflops)),
        ] {
            for model in ["Llama-3.2-1B", "Llama-3.1-70B", "DeepSeek-V3"] {
                for layout in &layouts {
                    let Some(reached) = mfu(id, model, bits, layout) else {
                        continue;
                    };
                    let name = CATALOG.accelerator_id(id);
                    assert!(
                        reached <= most * (1.0 + 1e-9),
                        "{name}: {reached} of at most {most} with {model} in {bits} bits"
                    );
                    found += 1;
                }
            }
        }
    }
    assert!(found > 1000, "{found}");
}

#[test]
fn devices_without_training_measurements_are_no_faster_than_measured_ones() {
    let id = |name: &str| {
        let mut ids = CATALOG.accelerator_ids();
        ids.find(|id| CATALOG.accelerator_id(*id) == name)
            .unwrap_or_else(|| panic!("no {name}"))
    };
    // The fastest matrix products of stas00/ml-engineering, in TFLOPS.
    for (name, fastest) in [
        ("MI300X", 668.4),
        ("MI325X", 784.9),
        ("MI355X", 1565.0),
        ("Gaudi3", 1243.0),
    ] {
        let peak = CATALOG.accelerator(id(name)).half_tflops().unwrap();
        for tensor in [1, 8] {
            let layout = Layout {
                tensor,
                ..Layout::default()
            };
            let of = |name: &str| mfu(id(name), "Llama-3.1-70B", 16.0, &layout).unwrap();
            assert!(of(name) <= of("H100-80GB-SXM"), "{name}");
            assert!(of(name) * peak < 0.9 * fastest, "{name}");
        }
    }
}

#[test]
fn no_data_center_gpu_infers_faster_than_its_matrix_products() {
    let mut found = 0;
    for id in CATALOG.accelerator_ids() {
        let accelerator = CATALOG.accelerator(id);
        let has_hbm = CATALOG.str(accelerator.memory_type).starts_with("HBM");
        // The matrix products of smaller cards were not measured.
        if CATALOG.class(&accelerator) != Some(AcceleratorClass::Datacenter) || !has_hbm {
            continue;
        }
        let name = CATALOG.accelerator_id(id);
        let architecture = CATALOG.str(accelerator.architecture);
        let class = format!("{architecture} {}", CATALOG.str(accelerator.class));
        let share = |name: &str, scopes: &[&str]| CATALOG.coefficient_among(name, scopes, None);
        let most = share("matmul-share-16", &[name, &class, architecture]).unwrap();
        for (word, engine) in ServingEngine::ALL {
            if !engine.only_trains() {
                let device = DeviceReader::new(*engine, None).read(&CATALOG, id);
                let reached = device.shares.dense.half;
                assert!(
                    reached <= most,
                    "{name} with {word}: {reached} of at most {most}"
                );
            }
        }
        // Pictures: matrices, and the products of attention.
        let capability = CATALOG.str(accelerator.compute_capability);
        let capability = format!("compute capability {capability}");
        for part in ["compute", "attention-compute"] {
            let part = format!("diffusion-{part}-share");
            let reached = share(&part, &[&capability, architecture]).unwrap();
            assert!(
                reached <= most,
                "{name}: {part} {reached} of at most {most}"
            );
        }
        found += 1;
    }
    assert!(found > 50, "{found}");
}

/// Models are published in bf16, which old devices multiply more slowly than fp16.
#[test]
fn sixteen_bits_are_those_of_bf16() {
    let mut slower = 0;
    for id in CATALOG.accelerator_ids() {
        let accelerator = CATALOG.accelerator(id);
        let Some(rate) = accelerator.bf16_tflops else {
            continue;
        };
        let device = DeviceReader::new(ServingEngine::Vllm, None).read(&CATALOG, id);
        assert_eq!(device.peak.bits_16, Some(rate * 1e12));
        slower += u32::from(accelerator.fp16_tflops > Some(rate));
    }
    assert!(slower > 0);
}

/// The sampler of old versions waited for the host, above all on one laboratory's B200.
#[test]
fn the_newest_engine_samples_as_fast_on_newer_devices() {
    let costs = |name: &str, version: Option<&str>| {
        let id = CATALOG.accelerator_ids();
        let id = id
            .into_iter()
            .find(|id| CATALOG.accelerator_id(*id) == name);
        let device = DeviceReader::new(ServingEngine::Vllm, version).read(&CATALOG, id.unwrap());
        device.engine.penalties.step
    };
    let (hopper, blackwell) = ("H100-80GB-SXM", "B200-180GB-SXM");
    assert!(costs(blackwell, Some("0.11.1")) > costs(hopper, Some("0.11.1")));
    assert!(costs(blackwell, None) <= costs(hopper, None));
}

#[test]
fn matrix_units_without_a_published_rate_have_no_speed() {
    let mut old = 0;
    for id in CATALOG.accelerator_ids() {
        let accelerator = CATALOG.accelerator(id);
        let device = DeviceReader::new(ServingEngine::Transformers, None).read(&CATALOG, id);
        if accelerator.half_tflops().is_none() && device.peak.bits_16.is_some() {
            let capability = CATALOG.str(accelerator.compute_capability);
            let first = capability.split('.').next().unwrap();
            assert!(first.parse::<u32>().unwrap() < 7, "{capability}");
            old += 1;
        }
    }
    assert!(old > 20, "{old}");
}

/// Devices of one architecture, class and memory share costs that are read once.
#[test]
fn a_device_does_not_depend_on_the_devices_before() {
    for engine in [ServingEngine::Vllm, ServingEngine::LlamaCpp] {
        let mut all = DeviceReader::new(engine, None);
        for id in CATALOG.accelerator_ids() {
            let alone = DeviceReader::new(engine, None).read(&CATALOG, id);
            assert_eq!(
                all.read(&CATALOG, id),
                alone,
                "{}",
                CATALOG.accelerator_id(id)
            );
        }
    }
}

/// A machine that is sold with more GPUs than usual is still one machine, without a network between them.
#[test]
fn a_machine_has_the_devices_that_its_offer_states() {
    let mut reader = DeviceReader::new(ServingEngine::Vllm, None);
    let mut larger = 0;
    for id in CATALOG.accelerator_ids() {
        let accelerator = CATALOG.accelerator(id);
        if CATALOG.class(&accelerator) == Some(AcceleratorClass::Asic) {
            continue;
        }
        let device = reader.read(&CATALOG, id);
        for sold in CATALOG.sold(id) {
            let count = sold.count.map_or(0, Count::whole_devices);
            if count <= MOST_DEVICES_OF_A_MACHINE {
                let name = CATALOG.accelerator_id(id);
                assert!(f64::from(count) <= device.per_machine, "{name}:x{count}");
                let usual = accelerator.max_per_node.unwrap_or(8.0);
                larger += u32::from(f64::from(count) > usual);
            }
        }
    }
    assert!(larger > 0, "no offer is larger than usual");
}
