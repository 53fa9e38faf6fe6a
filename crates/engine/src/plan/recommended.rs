//! The parts of a recommendation that a plan uses: machines, their number, and the workload.

use serde_json::{Map, Value};
use sky_accel_core::catalog::Catalog;
use sky_accel_core::note::Note;
use sky_accel_core::plan::{Candidate, Plan};
use sky_accel_core::sizing::{Attention, Layout};
use sky_accel_core::text::{number, printable, shortened};
use sky_accel_targets::Target;

use super::request::reached;
use crate::contract::Num;
use crate::error::Result;
use crate::fit::MAX_DEVICES;
use crate::recommend_words::Basis;
use crate::sizing::{RunRequest, run_from_json};
use crate::text::dollars;

/// The schema of recommendations.
pub(super) const RECOMMENDATION: &str = "sky-accel.recommend.v1";
/// The bounds of text and prices of a recommendation in notes.
const MOST_LETTERS: usize = 64;
const MOST_USD: f64 = 1e9;
/// The options of the workload that a result may decide: its formats, and the memory of its engine.
const DECIDED: [&str; 5] = [
    "precision",
    "kv_precision",
    "max_num_seqs",
    "max_batched_tokens",
    "gpu_memory_utilization",
];

/// The recommended machines that have the same layout as the first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recommended {
    /// The ids of provider and machine, best first.
    pub machines: Vec<(String, String)>,
    /// The position of each of them in the recommendation, from 0.
    pub(super) places: Vec<usize>,
    /// The first machine of the recommendation, whatever its layout.
    pub(super) first: Option<RecommendedMachine>,
    /// The number of machines that work together; `None` without a recommendation.
    pub nodes: Option<u32>,
    /// The workload and its layout; `None` without a model.
    pub work: Option<PlannedWork>,
    /// The values of [`DECIDED`] of the first machine.
    pub(super) decided: [Option<Value>; 5],
}

/// A machine of a recommendation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RecommendedMachine {
    provider: String,
    instance_type: String,
    /// US dollars per hour of all machines; `None` without a price.
    usd_per_hour: Option<f64>,
    /// The format of the weights; `None` for the format of the request.
    precision: Option<String>,
}

impl RecommendedMachine {
    pub(super) fn read(result: &Value) -> Option<Self> {
        let text = |field: &str| result["offer"][field].as_str().map(str::to_owned);
        Some(Self {
            provider: text("provider")?,
            instance_type: text("instance_type")?,
            usd_per_hour: result["usd_per_hour"].as_f64(),
            precision: result["precision"].as_str().map(str::to_owned),
        })
    }

    /// Describes the machine: `1B200.30V of verda in nvfp4 at $7.09 per hour`.
    fn words(&self) -> String {
        // A recommendation may come from anywhere.
        let bounded = |text: &str| printable(&shortened(text, MOST_LETTERS));
        let (provider, machine) = (bounded(&self.provider), bounded(&self.instance_type));
        let precision = self.precision.as_deref().map(bounded);
        let precision = precision.map_or_else(String::new, |format| format!(" in {format}"));
        let usd = self
            .usd_per_hour
            .filter(|usd| (0.0..MOST_USD).contains(usd));
        let usd = usd.map(|usd| dollars(Num(usd)));
        let usd = usd.map_or_else(String::new, |usd| format!(" at {usd} per hour"));
        format!("{machine} of {provider}{precision}{usd}")
    }
}

/// A model, the workload, and its layout on the devices of all machines.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedWork {
    /// The model and the workload.
    pub run: RunRequest,
    /// The layout.
    pub layout: Layout,
    /// True for a job whose requests are all known when it starts.
    pub is_offline: bool,
}

impl Recommended {
    /// Reads the request and the results of a recommendation.
    ///
    /// Each result has its position in the recommendation.
    pub(super) fn read(request: &Value, results: &[(usize, &Value)]) -> Result<Self> {
        let Some((_, first)) = results.first() else {
            return Ok(Self::default());
        };
        let mut read = Self {
            nodes: Some(nodes(first)),
            work: None,
            ..Self::default()
        };
        let devices = devices(first);
        let layout = layout(first).filter(|layout| Some(product(layout)) == devices);
        if let (Some(layout), Some(fields)) = (layout, request.as_object()) {
            let mut fields: Map<String, Value> = fields.clone();
            let generates = fields.get("generate").and_then(Value::as_f64) != Some(0.0);
            fields.retain(|field, value| {
                RunRequest::has_option(field) && has_effect(field, value, generates)
            });
            for field in DECIDED {
                if let Some(value) = first.get(field) {
                    fields.insert(field.to_owned(), value.clone());
                }
            }
            let run = run_from_json(fields)?;
            let is_offline = request["basis"] == Basis::Job.word()
                && run.concurrency.is_none()
                && run.request_rate.is_none();
            read.work = Some(PlannedWork {
                run,
                layout,
                is_offline,
            });
        }
        read.decided = DECIDED.map(|field| first.get(field).cloned());
        let of_layout = results.iter().filter(|(_, result)| read.has(result));
        let machines = of_layout.filter_map(|(place, result)| {
            let machine = RecommendedMachine::read(result)?;
            Some(((machine.provider, machine.instance_type), *place))
        });
        (read.machines, read.places) = machines.unzip();
        Ok(read)
    }

    /// Returns true if a result has the same number of machines and the same layout as the first.
    pub(super) fn has(&self, result: &Value) -> bool {
        let is_same = |work: &PlannedWork| Some(work.layout) == layout(result);
        let decided = DECIDED.map(|field| result.get(field).cloned());
        self.nodes == Some(nodes(result))
            && self.work.as_ref().is_none_or(is_same)
            && self.decided == decided
    }

    /// Moves the recommended machines to the front. For several machines, only these are kept, because only
    /// they are known to be joined by a network.
    pub(super) fn lead(&self, catalog: &Catalog<'_>, plan: &mut Plan, found: Plan, limit: usize) {
        let place = |candidate: &Candidate| {
            let offer = catalog.offer(candidate.found.offer);
            let (provider, id) = (catalog.provider_id(offer.provider), catalog.str(offer.id));
            let mut machines = self.machines.iter();
            machines.position(|(of, machine)| of == provider && machine == id)
        };
        let mut first: Vec<(usize, Candidate)> = found
            .candidates
            .into_iter()
            .filter_map(|candidate| Some((place(&candidate)?, candidate)))
            .collect();
        first.sort_by_key(|(place, candidate)| (candidate.fails(), *place));
        let is_cluster = self.nodes.is_some_and(|nodes| nodes > 1);
        plan.candidates
            .retain(|candidate| !is_cluster && place(candidate).is_none());
        let first = first.into_iter().map(|(_, candidate)| candidate);
        plan.candidates.splice(0..0, first);
        plan.candidates.truncate(limit);
    }
}

/// Returns whether a field of an echo changes the work. Echoes also have the defaults of options that the work does not
/// use, which a request must not name.
fn has_effect(field: &str, value: &Value, generates: bool) -> bool {
    match field {
        "attention" => *value != Attention::Flash.word(),
        "kv_precision" | "sampling" => generates,
        _ => true,
    }
}

impl Recommended {
    /// Returns the position of a machine in the recommendation, from 0; `None` if it is not in it.
    pub(super) fn place_of(&self, provider: &str, machine: &str) -> Option<usize> {
        let mut machines = self.machines.iter();
        let at = machines.position(|(of, id)| of == provider && id == machine)?;
        self.places.get(at).copied()
    }

    /// The note if the first recommended machine is not the first candidate, because the target or the options exclude
    /// it.
    pub(super) fn passed_over(
        &self,
        catalog: &Catalog<'_>,
        plan: &Plan,
        target: Option<Target>,
    ) -> Option<Note> {
        let best = self.first.as_ref()?;
        let first = plan.candidates.first()?;
        let offer = catalog.offer(first.found.offer);
        let (provider, machine) = (catalog.provider_id(offer.provider), catalog.str(offer.id));
        if (provider, machine) == (&best.provider, &best.instance_type) {
            return None;
        }
        let best = best.words();
        let why = match target {
            Some(target) => format!("{} cannot start the recommended {best}", target.name()),
            None => format!("the recommended {best} is not available with these options"),
        };
        // Some targets rent their own machines.
        if target.is_some_and(|target| reached(catalog, target).is_empty()) {
            let devices = number(first.found.count.decimal());
            let accelerator = catalog.accelerator_id(first.found.accelerator);
            let message = format!("{why}: the plan requests {devices} × {accelerator}");
            return Some(Note::new("not-recommended", message));
        }
        let nodes = f64::from(self.nodes.unwrap_or(1));
        let usd = first.quote.map(|quote| quote.likely.usd.decimal() * nodes);
        let instead = RecommendedMachine {
            provider: provider.to_owned(),
            instance_type: machine.to_owned(),
            usd_per_hour: usd,
            precision: self.decided[0]
                .as_ref()
                .and_then(Value::as_str)
                .map(str::to_owned),
        };
        let instead = instead.words();
        let place = match self.place_of(provider, machine) {
            Some(place) => format!("number {} of the recommendation", place + 1),
            None => {
                "which is not in the recommendation but has the devices of a recommended machine"
                    .to_owned()
            }
        };
        let message = format!("{why}: the plan begins with {instead}, {place}");
        Some(Note::new("not-recommended", message))
    }
}

fn nodes(result: &Value) -> u32 {
    let nodes = result["nodes"].as_u64().unwrap_or(1);
    u32::try_from(nodes).unwrap_or(u32::MAX).max(1)
}

/// The devices of all machines of a result, within the limit of the sizing model.
fn devices(result: &Value) -> Option<u64> {
    let devices_per_machine = result["offer"]["count"].as_f64()?;
    let devices = devices_per_machine.max(1.0) * f64::from(nodes(result));
    (devices <= f64::from(MAX_DEVICES)).then_some(devices as u64)
}

/// The devices of a layout, which is untrusted.
fn product(layout: &Layout) -> u64 {
    let axes = [layout.tensor, layout.pipeline, layout.data, layout.context];
    let axes = axes.map(u64::from);
    let shards_fit = layout.data.is_multiple_of(layout.shard_groups);
    let experts_fit =
        u64::from(layout.expert) <= axes.iter().fold(1, |n, axis| n.saturating_mul(*axis));
    if shards_fit && experts_fit {
        axes.into_iter().fold(1, u64::saturating_mul)
    } else {
        0
    }
}

/// The layout of a result; `None` without a model.
fn layout(result: &Value) -> Option<Layout> {
    let parallelism = result["fit"]["parallelism"].as_object()?;
    let ranks = |axis: &str| {
        let ranks = parallelism.get(axis).and_then(Value::as_u64).unwrap_or(1);
        u32::try_from(ranks).unwrap_or(u32::MAX).max(1)
    };
    let zero_stage = parallelism.get("zero_stage").and_then(Value::as_u64);
    Some(Layout {
        tensor: ranks("tensor"),
        pipeline: ranks("pipeline"),
        data: ranks("data"),
        context: ranks("context"),
        expert: ranks("expert"),
        zero_stage: zero_stage.unwrap_or(0).min(3) as u8,
        shard_groups: ranks("shard_groups"),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_plan_has_the_settings_of_its_machine() {
        let row = |sequences: Option<u32>| {
            let mut row = json!({
                "offer": {"provider": "aws", "instance_type": "p5.4xlarge", "count": 1},
                "fit": {"parallelism": {}},
            });
            if let Some(sequences) = sequences {
                row["max_num_seqs"] = sequences.into();
            }
            row
        };
        let request = json!({ "model": "Gemma-3-27B", "gpu_memory_utilization": 0.9 });
        let (first, other) = (row(Some(64)), row(None));
        let read = Recommended::read(&request, &[(0, &first), (1, &other)]).unwrap();
        let run = &read.work.as_ref().unwrap().run;
        assert_eq!(run.max_num_seqs.map(|most| most as u32), Some(64));
        assert!(read.has(&first) && !read.has(&other));
    }

    #[test]
    fn texts_of_a_recommendation_are_bounded() {
        let machine = RecommendedMachine::read(&json!({
            "usd_per_hour": 1e300,
            "precision": "\u{1b}[31mfp8",
            "offer": {"provider": "x\u{7}", "instance_type": "a".repeat(5000)},
        }));
        let words = machine.unwrap().words();
        assert!(words.len() < 200, "{words}");
        assert!(!words.contains(char::is_control), "{words}");
        assert!(!words.contains('$'), "{words}");
    }
}
