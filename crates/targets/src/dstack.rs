//! dstack tasks. dstack takes the cheapest offer that satisfies the request.

use std::fmt;

use serde_json::{Map, Value, json};
use sky_accel_core::catalog::{AcceleratorId, CapacityType, Catalog};
use sky_accel_core::plan::{Candidate, Interconnect};
use sky_accel_core::text::number;

use crate::job::{Capacity, Handover, is_spot};
use crate::serving::{MODEL_TOKEN, Rendezvous, Serving};
use crate::target::{Descriptor, Fallback, Validation};
use crate::{LossCode, Rendered, Unsupported, write};

const TOOL: &str = "dstack";

/// The memory of one device in dstack's offers: for EC2 the size that the EC2 API reports, in GiB, and
/// for all others the marketed size. The range covers both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OfferMemory {
    min: f64,
    max: f64,
}

impl OfferMemory {
    /// Returns the memory of an accelerator; `None` if its size is unknown.
    pub fn of(catalog: &Catalog<'_>, accelerator: AcceleratorId) -> Option<Self> {
        let row = catalog.accelerator(accelerator);
        let marketed = row.memory_gb?;
        let reported = row.memory_mib_ec2.map_or(marketed, |mib| mib / 1024.0);
        let (min, max) = (marketed.min(reported), marketed.max(reported));
        // dstack compares with fractional sizes of EC2, so different sizes become a range of whole GB.
        let is_same = max - min < 1e-6;
        Some(Self {
            min: if is_same { min } else { min.floor() },
            max: if is_same { min } else { max.ceil() },
        })
    }

    /// Returns the smallest range that includes both.
    pub fn and(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// Returns whether a size in GB is in the range.
    pub fn contains(self, gb: f64) -> bool {
        self.min <= gb && gb <= self.max
    }
}

/// Formats as `80GB` or `44GB..48GB`.
impl fmt::Display for OfferMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}GB", number(self.min))?;
        if self.max > self.min {
            write!(f, "..{}GB", number(self.max))?;
        }
        Ok(())
    }
}

/// A dstack task in YAML.
pub(crate) const TARGET: Descriptor = Descriptor {
    tool: Some(TOOL),
    rendezvous: Some(Rendezvous {
        rank: "\"$DSTACK_NODE_RANK\"",
        address: Some("\"$DSTACK_MASTER_NODE_IP\""),
    }),
    serving: Some(Serving::Machines),
    fallback: Fallback::External,
    takes_cheapest: true,
    validation: Validation::OnRequest,
    ..Descriptor::new(TOOL, "a dstack task", render)
};

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), Unsupported> {
    let job = handover.job;
    let request = TaskRequest::new(handover, out)?;
    let mut task = Map::new();
    let mut set = |key: &str, value: Value| {
        task.insert(key.to_owned(), value);
    };
    // A service has no server on several machines, which is a task with the same command.
    let server = job.server.as_ref().filter(|server| server.machines == 1);
    let kind = if server.is_some() { "service" } else { "task" };
    set("type", kind.into());
    set("name", handover.name(40, out).into());
    if let Some(server) = server {
        set("port", server.endpoint.port.into());
        set("replicas", server.replicas.into());
        let probe = json!({ "type": "http", "url": server.endpoint.health });
        set("probes", json!([probe]));
        // `dstack apply --env HF_TOKEN` sets it.
        set("env", json!([format!("{MODEL_TOKEN}=")]));
    } else if job.nodes > 1 {
        set("nodes", job.nodes.into());
    }
    if let Some(image) = handover.container_image() {
        set("image", image.into());
    }
    let command = handover.command(request.first);
    set("commands", json!([write::dstack(&command)]));
    let mut resources = Map::from_iter([("gpu".to_owned(), Value::from(&request.gpu[..]))]);
    if let Some(disk) = job.disk_gb {
        resources.insert("disk".to_owned(), format!("{disk}GB..").into());
    }
    let (vcpu, memory) = job.host.unwrap_or_default().rounded();
    if let Some(vcpu) = vcpu {
        resources.insert("cpu".to_owned(), format!("{vcpu}..").into());
    }
    if let Some(gib) = memory {
        resources.insert("memory".to_owned(), format!("{gib}GB..").into());
    }
    set("resources", resources.into());
    set("backends", request.backends().into());
    // dstack applies `regions` and `instance_types` to all backends, so each is written only if every
    // candidate has one.
    let regions = request.regions();
    let is_regional = request
        .tried
        .iter()
        .all(|candidate| candidate.region.is_some());
    if is_regional && !regions.is_empty() {
        set("regions", regions.into());
    } else if handover.regions.is_some() || !regions.is_empty() {
        out.lose(
            LossCode::Region,
            "dstack applies regions to all backends, and some candidates have no known region",
        );
    }
    let types = request.instance_types();
    if let Some(types) = &types {
        set("instance_types", types.clone().into());
    }
    set("spot_policy", request.spot_policy().into());
    if let Some(max) = job.max_price {
        set("max_price", max.decimal().into());
    }
    if let Some(Capacity::Reservation(id) | Capacity::Block(id)) = &job.capacity {
        set("reservation", id.as_str().into());
    }
    lost(handover, types.is_some(), out);
    out.file("task.dstack.yml", write::yaml(&Value::Object(task)));
    Ok(())
}

/// A request to dstack, and the candidates that it covers.
struct TaskRequest<'r, 'h, 'a> {
    handover: &'r Handover<'h, 'a>,
    first: &'r Candidate,
    gpu: String,
    tried: Vec<&'r Candidate>,
}

impl<'r, 'h, 'a> TaskRequest<'r, 'h, 'a> {
    /// Builds the request for the first candidate and all others with the same `gpu` value: a task has
    /// a single value.
    fn new(handover: &'r Handover<'h, 'a>, out: &mut Rendered) -> Result<Self, Unsupported> {
        let mut choices = handover
            .candidates
            .iter()
            .filter(|candidate| {
                handover.keeps_fraction(candidate) && has_market(handover, candidate)
            })
            .filter_map(|candidate| Some((candidate, gpu(handover, candidate)?)));
        let (first, gpu) = choices.next().ok_or_else(|| handover.no_word(TOOL))?;
        let mut tried = vec![first];
        tried.extend(
            choices
                .filter(|(_, other)| *other == gpu)
                .map(|(candidate, _)| candidate),
        );
        let memory = OfferMemory::of(&handover.catalog, first.found.accelerator);
        handover.lose_covered(TOOL, first, out, |id| {
            let memory_gb = handover.catalog.accelerator(id).memory_gb;
            match (memory, memory_gb) {
                (Some(memory), Some(gb)) => memory.contains(gb),
                (memory, gb) => memory.is_none() && gb.is_none(),
            }
        });
        if tried.len() < handover.candidates.len() {
            out.lose(
                LossCode::Fallback,
                "a dstack task requests one kind of machine, so other candidates are left out",
            );
        } else if tried.len() > 1 {
            out.lose(
                LossCode::Order,
                "dstack tries the cheapest offer first, regardless of the order here",
            );
        }
        Ok(Self {
            handover,
            first,
            gpu,
            tried,
        })
    }

    fn backends(&self) -> Vec<&'a str> {
        let backends = self
            .tried
            .iter()
            .filter_map(|candidate| self.handover.provider_word(TOOL, candidate));
        distinct(backends)
    }

    /// Returns the known regions of the candidates.
    fn regions(&self) -> Vec<&'a str> {
        let candidates = self.tried.iter();
        distinct(candidates.filter_map(|candidate| self.handover.region(candidate)))
    }

    /// Returns the instance types; `None` unless dstack takes the type of every candidate.
    fn instance_types(&self) -> Option<Vec<&'a str>> {
        let is_type = |candidate: &&Candidate| self.handover.names_type(TOOL, candidate);
        let candidates = self.tried.iter();
        let types = candidates.map(|candidate| self.handover.instance_type(candidate));
        self.tried.iter().all(is_type).then(|| distinct(types))
    }

    fn spot_policy(&self) -> &'static str {
        let has = |capacity| {
            let mut candidates = self.tried.iter();
            candidates.any(|candidate| candidate.capacity == capacity)
        };
        match (has(CapacityType::Spot), has(CapacityType::OnDemand)) {
            (true, true) => "auto",
            (true, false) => "spot",
            _ => "on-demand",
        }
    }
}

/// Removes repeated names, keeping the first occurrence.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut distinct = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    distinct
}

/// Adds the losses: settings that dstack cannot express.
fn lost(handover: &Handover<'_, '_>, has_types: bool, out: &mut Rendered) {
    if handover.layout.is_some() {
        out.lose(
            LossCode::Mig,
            "dstack rents whole GPUs: run mig.sh on the machine to partition them",
        );
    }
    if let Some(cuda) = &handover.job.cuda {
        out.lose(
            LossCode::CudaMin,
            format!("dstack cannot require a driver for CUDA {cuda}"),
        );
    }
    if handover.machine_image().is_some() {
        out.lose(
            LossCode::Image,
            "dstack starts containers, not machine images",
        );
    }
    match handover.job.interconnect {
        Some(Interconnect::Efa | Interconnect::Infiniband | Interconnect::Any) => out.lose(
            LossCode::Interconnect,
            "dstack links machines in a fleet with `placement: cluster`, not in a task",
        ),
        Some(Interconnect::Nvlink) if !has_types => out.lose(
            LossCode::Interconnect,
            "dstack cannot request an interconnect, and without instance types the interconnect is open",
        ),
        Some(Interconnect::Nvlink) | None => {}
    }
}

/// Returns whether dstack supports the capacity type of a candidate at its provider.
fn has_market(handover: &Handover<'_, '_>, candidate: &Candidate) -> bool {
    let provider = handover.offer(candidate).provider;
    let mut tool = handover.catalog.tool(TOOL).into_iter();
    !is_spot(candidate) || tool.any(|tool| handover.catalog.tool_can(&tool, provider, "spot"))
}

/// Returns the `gpu` value for a candidate, such as `nvidia:H100:80GB:8`; `None` if dstack does not
/// support it.
fn gpu(handover: &Handover<'_, '_>, candidate: &Candidate) -> Option<String> {
    handover.provider_word(TOOL, candidate)?;
    // dstack counts whole devices.
    if !candidate.found.count.is_whole() {
        return None;
    }
    let word = handover.word_alone(TOOL, candidate)?;
    if let Some(slice) = handover.pod_slice(candidate) {
        return Some(format!("google:{}", handover.catalog.str(slice.name)));
    }
    let memory = OfferMemory::of(&handover.catalog, candidate.found.accelerator);
    let memory = memory.map(|memory| format!(":{memory}"));
    let vendor = word.vendor.map(|vendor| format!("{vendor}:"));
    Some(format!(
        "{}{}{}:{}",
        vendor.unwrap_or_default(),
        word.text,
        memory.unwrap_or_default(),
        candidate.found.count
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_a_range_only_for_different_sizes() {
        let range = |min, max| OfferMemory { min, max };
        assert_eq!(range(80.0, 80.0).to_string(), "80GB");
        let wide = range(44.0, 48.0);
        assert_eq!(wide.to_string(), "44GB..48GB");
        assert!(wide.contains(44.7) && wide.contains(48.0) && !wide.contains(40.0));
        assert_eq!(wide.and(range(80.0, 80.0)), range(44.0, 80.0));
    }
}
