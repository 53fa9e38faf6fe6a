//! A model on the processors of a host, without accelerators.

use sky_accel_core::catalog::Catalog;
use sky_accel_core::note::Note;
use sky_accel_core::sizing::{Device, GIB, ServingEngine};

use crate::code::ErrorCode;
use crate::contract::FitOut;
use crate::error::{Error, Result};
use crate::launch::launch_on_host;
use crate::sizing::{self, ModelRun, SizedDevice, Sizer};

/// The name of a host in specs and answers.
const NAME: &str = "cpu";
/// The memory of the usual host in GB.
const USUAL_MEMORY: f64 = 64.0;
/// The maximum memory of a host in GB.
const MAX_MEMORY: f64 = 65_536.0;

/// A host that a spec names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HostSpec {
    /// The memory in GB; `None` if the spec does not say.
    pub(super) memory: Option<f64>,
}

impl HostSpec {
    /// Reads a spec such as `cpu` or `cpu:64GB`; `None` if it names no host.
    pub fn read(spec: &str) -> Result<Option<Self>> {
        let spec = spec.trim().to_ascii_lowercase();
        let Some(rest) = spec.strip_prefix(NAME) else {
            return Ok(None);
        };
        if rest.is_empty() {
            return Ok(Some(Self { memory: None }));
        }
        let Some(memory) = rest.strip_prefix(':') else {
            return Ok(None);
        };
        let units = ["gib", "gb", "g"];
        let number = units.iter().find_map(|unit| memory.strip_suffix(unit));
        let size = number.and_then(|number| number.trim().parse::<f64>().ok());
        let message = match size {
            Some(size) if (1.0..=MAX_MEMORY).contains(&size) => {
                return Ok(Some(Self {
                    memory: size.into(),
                }));
            }
            Some(_) => format!(
                "the memory of a host is 1GB to {MAX_MEMORY}GB, not {}",
                memory.to_ascii_uppercase()
            ),
            None => {
                "after cpu, only the memory of the host can follow, such as cpu:64GB".to_owned()
            }
        };
        Err(Error::new(ErrorCode::BadValue, message))
    }

    /// Sizes some work on the host.
    pub(super) fn size(
        &self,
        catalog: &Catalog<'_>,
        work: &ModelRun,
        notes: &mut Vec<Note>,
    ) -> Result<(FitOut, ModelRun)> {
        let run = &work.run;
        let is_open = !work.has_engine || run.engine == ServingEngine::LlamaCpp;
        if run.workload.is_training() || work.model.media.is_some() || !is_open {
            return Err(Error::new(
                ErrorCode::BadValue,
                "on cpu, only inference with llama.cpp is modeled",
            ));
        }
        if run.uses_host() {
            return Err(Error::new(
                ErrorCode::BadValue,
                "on cpu, everything is on the host: leave out `gpu_layers` and `n_cpu_moe`",
            ));
        }
        let work = work.on_host(catalog);
        notes.extend(work.notes.iter().cloned());
        let sizer = self.sizer(catalog, &work);
        let best = sizer.best(&work, 1).map_err(|_| {
            let message = "a host is one device: leave out the parallelism";
            Error::new(ErrorCode::Layout, message)
        })?;
        let device = SizedDevice {
            name: "CPU",
            accelerator: None,
            is_measured: true,
        };
        let mut result = sizing::out_of(catalog, &device, 1, &work, &sizer, &best);
        notes.extend(self.size_note());
        notes.push(sizing::host_memory(catalog, work.run.host_bandwidth));
        if result.fits == Some(true) {
            result.launch = launch_on_host(catalog, &work).map(Into::into);
        }
        if result.fits == Some(false) {
            result.would_fit = self.remedies(catalog, &work, &result);
        }
        result.spec = Some(self.spec());
        Ok((result, work))
    }

    /// The canonical spec.
    pub fn spec(&self) -> String {
        match self.memory {
            Some(memory) => format!("{NAME}:{memory}GB"),
            None => NAME.to_owned(),
        }
    }

    /// The memory in GB: the usual one if the spec does not say.
    pub(super) fn memory_gb(&self) -> f64 {
        self.memory.unwrap_or(USUAL_MEMORY)
    }

    /// The bytes of memory that a model may take.
    pub fn usable(&self, catalog: &Catalog<'_>) -> f64 {
        let share = catalog.coefficient("host-memory-share", "");
        // Memory modules have binary sizes.
        self.memory_gb() * GIB * share.unwrap_or(1.0)
    }

    /// Sizes runs of llama.cpp on the host.
    pub fn sizer(&self, catalog: &Catalog<'_>, work: &ModelRun) -> Sizer {
        let peak = sizing::peak_bandwidth(catalog, work.run.host_bandwidth);
        let device = Device::host(catalog, self.usable(catalog), peak);
        Sizer::host(catalog, &device, work)
    }

    /// The note on the assumed memory; `None` if the spec states it.
    pub fn size_note(&self) -> Option<Note> {
        self.memory.is_none().then(|| {
            let message = format!(
                "the host is assumed to have {USUAL_MEMORY} GB of memory: set another size, such as cpu:32GB"
            );
            Note::new("host-size", message)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizing::{ModelSource, RunRequest};
    use crate::{Engine, FitHardware, FitRequest, RemedyKind};

    #[test]
    fn hosts_may_name_their_memory() {
        assert_eq!(HostSpec::read("H100").unwrap(), None);
        assert_eq!(HostSpec::read("cpux").unwrap(), None);
        assert_eq!(
            HostSpec::read("CPU").unwrap(),
            Some(HostSpec { memory: None })
        );
        let memory = Some(HostSpec { memory: Some(64.0) });
        assert_eq!(HostSpec::read("cpu:64GB").unwrap(), memory);
        assert_eq!(HostSpec::read(" cpu:64GiB ").unwrap(), memory);
        assert!(HostSpec::read("cpu:x2").is_err() && HostSpec::read("cpu:0GB").is_err());
    }

    #[test]
    fn a_host_reads_a_model_at_the_bandwidth_of_its_memory() {
        let fit = |host_bandwidth| {
            let request = FitRequest {
                hardware: FitHardware::Spec("cpu:64GB".to_owned()),
                nodes: 1,
                run: RunRequest {
                    model: Some(ModelSource::read("Llama-3.1-8B")),
                    precision: Some("gguf:Q4_K_M".to_owned()),
                    host_bandwidth,
                    ..RunRequest::default()
                },
                prices: None,
            };
            Engine::embedded().fit(&request, None).unwrap()
        };
        let usual = fit(None);
        assert!(usual.fits);
        let result = &usual.envelope.results[0];
        let command = &result.launch.as_ref().unwrap().command;
        assert!(
            command.starts_with("llama-server ") && command.contains(" -ngl 0 "),
            "{command}"
        );
        let speed = |answer: &crate::FitAnswer<'_>| {
            let speed = &answer.envelope.results[0].throughput;
            assert!(speed.prefill_tokens_per_s.is_some());
            speed.decode_tokens_per_s.unwrap().0
        };
        // 4.6 GiB of weights and the cache at 37 GB/s.
        let slow = speed(&usual);
        assert!((5.0..8.0).contains(&slow), "{slow}");
        let fast = speed(&fit(Some(2.0 * 51.39)));
        assert!((fast / slow - 2.0).abs() < 0.05, "{fast} {slow}");
    }

    #[test]
    fn changes_that_make_a_model_fit_on_a_host_fit() {
        let fit = |spec: &str, precision: Option<&str>, context: Option<f64>| {
            let request = FitRequest {
                hardware: FitHardware::Spec(spec.to_owned()),
                nodes: 1,
                run: RunRequest {
                    model: Some(ModelSource::read("Llama-3.1-8B")),
                    precision: precision.map(str::to_owned),
                    context,
                    ..RunRequest::default()
                },
                prices: None,
            };
            let answer = Engine::embedded().fit(&request, None).unwrap();
            answer.envelope.results[0].clone()
        };
        let unfit = fit("cpu:16GB", None, Some(16384.0));
        assert_eq!(unfit.fits, Some(false));
        let kinds: Vec<RemedyKind> = unfit.would_fit.iter().map(|remedy| remedy.change).collect();
        assert!(kinds.contains(&RemedyKind::Precision), "{kinds:?}");
        assert!(kinds.contains(&RemedyKind::HostMemory), "{kinds:?}");
        for remedy in &unfit.would_fit {
            assert!(
                remedy.high_gib.0 <= 0.95 * remedy.usable_gib.0,
                "{remedy:?}"
            );
            let value = remedy.flags.rsplit(' ').next().unwrap();
            let fixed = match remedy.change {
                RemedyKind::Precision => fit("cpu:16GB", Some(value), Some(16384.0)),
                RemedyKind::HostMemory => fit(value, None, Some(16384.0)),
                _ => fit("cpu:16GB", None, value.parse().ok()),
            };
            assert_eq!(fixed.fits, Some(true), "{remedy:?}");
        }
        // The weights alone fit, so a shorter prompt is enough.
        let long = fit("cpu:16GB", Some("gguf:Q8_0"), Some(100_000.0));
        assert!(
            long.would_fit
                .iter()
                .any(|remedy| remedy.change == RemedyKind::Context),
            "{:?}",
            long.would_fit
        );
    }

    #[test]
    fn other_work_on_a_host_is_an_error() {
        let request = FitRequest {
            hardware: FitHardware::Spec("cpu".to_owned()),
            nodes: 1,
            run: RunRequest {
                model: Some(ModelSource::read("Llama-3.1-8B")),
                engine: Some(ServingEngine::Vllm),
                ..RunRequest::default()
            },
            prices: None,
        };
        let error = Engine::embedded().fit(&request, None).unwrap_err();
        assert!(error.to_string().contains("llama.cpp"), "{error}");
    }
}
