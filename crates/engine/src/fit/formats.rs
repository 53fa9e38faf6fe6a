//! The formats of weights and of the KV cache that run on some hardware, each with its memory and its speed.

use sky_accel_core::catalog::Catalog;
use sky_accel_core::sizing::GIB;

use super::hardware::SizedHardware;
use crate::contract::{FormatFitOut, Num};
use crate::sizing::{self, Fitted, ModelRun, Sizer, WeightSource, rate};

/// The maximum number of weight formats, so that their table stays short.
const MOST_FORMATS: usize = 6;

/// Sizes the formats that the engine runs the model in on the hardware, the format of the request first. Empty if there
/// is no other.
pub(super) fn formats(
    catalog: &Catalog<'_>,
    hardware: &SizedHardware,
    machines: u32,
    work: &ModelRun,
    is_cache_open: bool,
) -> Vec<FormatFitOut> {
    let device = hardware.accelerator;
    let others = sizing::in_other_formats(catalog, work);
    let own = sizing::own(catalog, work);
    let of_weights = std::iter::once(&own).chain(&others);
    let of_weights = of_weights.filter(|precision| precision.runs(catalog, device));
    let devices = hardware.count.saturating_mul(machines);
    let mut found = Vec::new();
    let figures = Sizer::device(catalog, device, work);
    for precision in of_weights.take(MOST_FORMATS) {
        let run = &precision.work;
        let sizer = Sizer::on(catalog, device, &figures, run).machines(machines, hardware.count);
        let sizer = match &hardware.part {
            Some(part) => sizer.part(part),
            None => sizer,
        };
        let Ok(best) = sizer.best(run, devices) else {
            continue;
        };
        let checkpoint = match precision.source(catalog, device) {
            Some(WeightSource::Checkpoint(id)) => Some(id.to_owned()),
            Some(WeightSource::Files | WeightSource::OnLoad) | None => None,
        };
        found.push(out(run, &best, checkpoint.clone()));
        let small = precision.with_fp8_cache().filter(|_| is_cache_open);
        let Some(small) = small.filter(|small| small.runs(catalog, device)) else {
            continue;
        };
        // A smaller cache keeps the layout, unless only it fits.
        let run = &small.work;
        let fitted = if best.fits() == Some(false) {
            sizer.best(run, devices).unwrap_or(best)
        } else {
            sizer.fitted(run, &run.run, &best.layout)
        };
        found.push(out(run, &fitted, checkpoint));
    }
    if found.len() > 1 { found } else { Vec::new() }
}

fn out(run: &ModelRun, fitted: &Fitted, checkpoint: Option<String>) -> FormatFitOut {
    let gib = |bytes: f64| Num((bytes / GIB * 1e4).round() / 1e4);
    let tokens_per_s = match fitted.served {
        Some(served) => Some(served.output),
        None => fitted.speed.decode,
    };
    FormatFitOut {
        precision: run.precision.clone(),
        kv_precision: run.run.cache,
        checkpoint,
        fits: fitted.fits(),
        high_gib: gib(fitted.high),
        tokens_per_s: tokens_per_s
            .filter(|_| fitted.fits() == Some(true))
            .map(rate),
    }
}

#[cfg(test)]
mod tests {
    use sky_accel_core::sizing::CacheFormat;

    use crate::contract::FormatFitOut;
    use crate::sizing::{ModelSource, RunRequest};
    use crate::{Engine, FitHardware, FitRequest};

    fn formats(spec: &str, run: RunRequest) -> Vec<FormatFitOut> {
        let request = FitRequest {
            hardware: FitHardware::Spec(spec.to_owned()),
            nodes: 1,
            run: RunRequest {
                model: Some(ModelSource::read("Llama-3.1-70B")),
                ..run
            },
            prices: None,
        };
        let answer = Engine::embedded().fit(&request, None).unwrap();
        answer.envelope.results[0].formats.clone()
    }

    #[test]
    fn formats_of_weights_and_cache_are_sized_together() {
        let formats = formats("H100:x1", RunRequest::default());
        let find = |weights: &str, cache: CacheFormat| {
            let mut formats = formats.iter();
            let found =
                formats.find(|format| format.precision == weights && format.kv_precision == cache);
            found.unwrap()
        };
        let own = find("bf16", CacheFormat::Bf16);
        assert_eq!(own.fits, Some(false));
        let small = find("nf4", CacheFormat::Fp8);
        assert_eq!(small.fits, Some(true));
        assert!(small.high_gib < find("nf4", CacheFormat::Bf16).high_gib);
        assert!(small.tokens_per_s.is_some() && own.tokens_per_s.is_none());
    }

    #[test]
    fn formats_that_a_device_does_not_run_are_left_out() {
        // Compute capability 7.0: neither weights nor a cache in fp8.
        let formats = formats("V100-SXM2-32GB:x8", RunRequest::default());
        let is_fp8 = |format: &FormatFitOut| {
            format.precision == "fp8" || format.kv_precision == CacheFormat::Fp8
        };
        assert!(!formats.iter().any(is_fp8), "{formats:?}");
    }

    #[test]
    fn a_given_cache_format_is_kept() {
        let run = RunRequest {
            kv_precision: Some(CacheFormat::Bf16),
            ..RunRequest::default()
        };
        let formats = formats("H100:x8", run);
        let mut caches = formats.iter().map(|format| format.kv_precision);
        assert!(caches.all(|cache| cache == CacheFormat::Bf16));
    }
}
