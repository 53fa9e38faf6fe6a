//! What a recommendation hands over to a plan: its machines, how many of them, and the work.

use serde_json::{Map, Value};
use sky_accel_core::catalog::Catalog;
use sky_accel_core::note::Note;
use sky_accel_core::plan::{Candidate, Plan};
use sky_accel_core::sizing::Layout;
use sky_accel_targets::launch::Command;

use crate::error::Result;
use crate::launch::launch;
use crate::sizing::{self, RunRequest, run_from_json};

/// The schema of recommendations.
pub(super) const RECOMMENDATION: &str = "sky-accel.recommend.v1";
/// The most machines of a recommendation that count.
const MOST: usize = 1000;
/// The fields of a recommendation's request that are not about the run.
const OF_THE_SEARCH: [&str; 17] = [
    "basis",
    "budget_usd",
    "capacity_type",
    "currency",
    "deadline_hours",
    "kind_of_work",
    "limit",
    "limits",
    "max_price",
    "nodes",
    "objective",
    "on",
    "price_tier",
    "providers",
    "regions",
    "tier",
    "tokens",
];

/// The machines of a recommendation that have the layout of its first one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recommended {
    /// The ids of provider and machine, the best first.
    pub machines: Vec<(String, String)>,
    /// The number of machines that work together; `None` where nothing was recommended.
    pub nodes: Option<u32>,
    /// The work, and how it is spread; `None` where no model was given.
    pub work: Option<PlannedWork>,
    /// Machines with another layout.
    pub(super) left_out: usize,
}

/// A model, the work, and its layout on the devices of all machines.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedWork {
    /// The model and the work.
    pub run: RunRequest,
    /// The layout.
    pub layout: Layout,
}

impl Recommended {
    /// Reads the request and the results of a recommendation.
    pub(super) fn read(request: &Value, results: &[Value]) -> Result<Self> {
        let Some(first) = results.first() else {
            return Ok(Self::default());
        };
        let mut read = Self {
            nodes: Some(nodes(first)),
            work: None,
            ..Self::default()
        };
        if let (Some(layout), Some(fields)) = (layout(first), request.as_object()) {
            let mut fields: Map<String, Value> = fields.clone();
            fields.retain(|field, _| !OF_THE_SEARCH.contains(&field.as_str()));
            let run = run_from_json(fields)?;
            read.work = Some(PlannedWork { run, layout });
        }
        for result in results.iter().take(MOST) {
            let text = |field: &str| result["offer"][field].as_str().map(str::to_owned);
            if !read.has(result) {
                read.left_out += 1;
            } else if let Some(machine) = text("provider").zip(text("instance_type")) {
                read.machines.push(machine);
            }
        }
        Ok(read)
    }

    /// Whether a result has the number of machines and the layout of the first one.
    pub(super) fn has(&self, result: &Value) -> bool {
        let wanted = self.work.as_ref().map(|work| work.layout);
        self.nodes == Some(nodes(result)) && wanted == layout(result)
    }

    /// Puts the machines that were recommended in front. Several have to be joined by a network, which is known
    /// of those alone.
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

/// The command that starts the work on the machines of a candidate, or a note on why there is none.
pub(super) fn start(
    catalog: &Catalog<'_>,
    work: &PlannedWork,
    first: &Candidate,
    nodes: u32,
) -> std::result::Result<Option<Command>, Note> {
    let read = sizing::read(catalog, &work.run, None).map_err(|error| {
        let message = format!("the command is left to you: {error}");
        Note::new("no-command", message)
    })?;
    Ok(launch(
        catalog,
        &read,
        first.found.accelerator,
        &work.layout,
        nodes,
    ))
}

fn nodes(result: &Value) -> u32 {
    let nodes = result["nodes"].as_u64().unwrap_or(1);
    u32::try_from(nodes).unwrap_or(u32::MAX).max(1)
}

/// The layout of a result; `None` where no model was given.
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
