use super::RemedyKind;
use crate::contract::RemedyOut;
use crate::sizing::{ModelSource, RunRequest};
use crate::{Engine, FitHardware, FitRequest};
use sky_accel_core::sizing::Workload;

#[test]
fn a_number_of_devices_that_divides_no_heads_leaves_some_idle() {
    let codes = |spec: &str| -> Vec<String> {
        let request = FitRequest {
            hardware: FitHardware::Spec(spec.to_owned()),
            nodes: 1,
            run: RunRequest {
                model: Some(ModelSource::read("Llama-3.3-70B")),
                concurrency: Some(16.0),
                ..RunRequest::default()
            },
            prices: None,
        };
        let answer = Engine::embedded().fit(&request, None).unwrap();
        let notes = answer.envelope.notes.iter();
        notes.map(|note| note.code.clone()).collect()
    };
    let is_idle = |spec| codes(spec).iter().any(|code| code == "idle-devices");
    assert!(is_idle("H100-80GB-SXM:x5") && is_idle("H100-80GB-SXM:x7"));
    assert!(!is_idle("H100-80GB-SXM:x4") && !is_idle("H100-80GB-SXM:x8"));
}

#[test]
fn a_server_may_take_more_memory_or_fewer_sequences() {
    let request = FitRequest {
        hardware: FitHardware::Spec("L4".to_owned()),
        nodes: 1,
        run: RunRequest {
            model: Some(ModelSource::read("Llama-3.1-8B")),
            context: Some(24_000.0),
            generate: Some(512.0),
            concurrency: Some(1.0),
            ..RunRequest::default()
        },
        prices: None,
    };
    let answer = Engine::embedded().fit(&request, None).unwrap();
    let kinds = answer.envelope.results[0].would_fit.iter();
    let kinds: Vec<RemedyKind> = kinds.map(|remedy| remedy.change).collect();
    for kind in [RemedyKind::GpuMemoryUtilization, RemedyKind::MaxSequences] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
}

fn remedies(spec: &str, model: &str, workload: Workload) -> Vec<RemedyOut> {
    let request = FitRequest {
        hardware: FitHardware::Spec(spec.to_owned()),
        nodes: 1,
        run: RunRequest {
            model: Some(ModelSource::read(model)),
            workload: Some(workload.into()),
            ..RunRequest::default()
        },
        prices: None,
    };
    let answer = Engine::embedded().fit(&request, None).unwrap();
    assert!(!answer.fits);
    let remedies = answer.envelope.results[0].would_fit.clone();
    for remedy in &remedies {
        // A device that is full fails as soon as another program takes some memory.
        assert!(
            remedy.high_gib.0 <= remedy.usable_gib.0 * 0.985,
            "{remedy:?}"
        );
    }
    remedies
}

fn flags(remedies: &[RemedyOut], kind: RemedyKind) -> Option<&str> {
    let mut remedies = remedies.iter();
    let remedy = remedies.find(|remedy| remedy.change == kind)?;
    Some(&remedy.flags)
}

#[test]
fn inference_that_does_not_fit_takes_fewer_bits_or_more_devices() {
    let remedies = remedies("H100:x1", "Llama-3.1-70B", Workload::Inference);
    let precision = flags(&remedies, RemedyKind::Precision).unwrap();
    assert!(precision.starts_with("--precision "), "{precision}");
    let devices = flags(&remedies, RemedyKind::Devices).unwrap();
    assert!(
        devices.ends_with(":x4") || devices.ends_with(":x2"),
        "{devices}"
    );
    assert_eq!(flags(&remedies, RemedyKind::Offload), None);
}

#[test]
fn lora_that_does_not_fit_becomes_qlora() {
    let remedies = remedies("H100:x1", "Llama-3.1-70B", Workload::Lora);
    let qlora = flags(&remedies, RemedyKind::Workload);
    assert_eq!(qlora, Some("--workload qlora"));
    assert_eq!(flags(&remedies, RemedyKind::Precision), None);
}

#[test]
fn changes_leave_memory_to_spare() {
    for (spec, model) in [
        ("A100-40GB:x4", "Mixtral-8x22B"),
        ("RTX4060", "Llama-3.1-8B"),
        ("RTX4090", "gpt-oss-120B"),
        ("H100", "Llama-3.3-70B"),
        ("RTX4090", "Llama-3.3-70B"),
    ] {
        let remedies = remedies(spec, model, Workload::Inference);
        let of_kind = |kind: RemedyKind| {
            let mut remedies = remedies.iter();
            remedies.any(|remedy| {
                remedy.change == kind && remedy.high_gib.0 > 0.95 * remedy.usable_gib.0
            })
        };
        assert!(
            !of_kind(RemedyKind::Precision),
            "{spec} {model}: {remedies:?}"
        );
        assert!(
            !of_kind(RemedyKind::CpuExperts),
            "{spec} {model}: {remedies:?}"
        );
        assert!(
            !of_kind(RemedyKind::GpuLayers),
            "{spec} {model}: {remedies:?}"
        );
    }
}

#[test]
fn formats_run_on_the_device() {
    for (spec, model) in [
        ("RTX4090", "Wan2.1-T2V-14B"),
        ("RTX4090", "Qwen3-32B"),
        ("A100-40GB:x4", "Mixtral-8x22B"),
    ] {
        for remedy in remedies(spec, model, Workload::Inference) {
            let flags = &remedy.flags;
            assert!(!flags.contains("nvfp4"), "{spec} {model}: {flags}");
        }
    }
    // Pipelines of media models run no AWQ.
    let video = remedies("RTX4090", "Wan2.1-T2V-14B", Workload::Inference);
    assert_eq!(
        flags(&video, RemedyKind::Precision),
        Some("--precision nf4")
    );
}

#[test]
fn the_usual_format_stands_beside_the_largest() {
    let remedies = remedies("RTX4060", "Llama-3.1-8B", Workload::Inference);
    let usual = remedies
        .iter()
        .filter(|remedy| remedy.change == RemedyKind::Precision && remedy.flags.contains("Q4_K_M"));
    assert_eq!(usual.count(), 1, "{remedies:?}");
}

#[test]
fn experts_go_to_the_host_before_whole_layers() {
    let mixture = remedies("RTX4090", "gpt-oss-120B", Workload::Inference);
    let first = mixture.first().unwrap();
    assert_eq!(first.change, RemedyKind::CpuExperts);
    assert!(first.flags.contains("--n-cpu-moe "), "{}", first.flags);
    assert!(first.host_gib.is_some_and(|host| host.0 > 20.0));
    assert_eq!(flags(&mixture, RemedyKind::GpuLayers), None);
    let dense = remedies("RTX4060", "Llama-3.3-70B", Workload::Inference);
    assert_eq!(flags(&dense, RemedyKind::CpuExperts), None);
    let layers = flags(&dense, RemedyKind::GpuLayers).unwrap();
    assert!(layers.contains("--gpu-layers "), "{layers}");
}

#[test]
fn consumer_cards_run_gguf_formats() {
    let remedies = remedies("RTX4090:x1", "Qwen2.5-32B", Workload::Inference);
    assert!(
        remedies[0].flags.contains("--precision gguf:"),
        "{remedies:?}"
    );
}
