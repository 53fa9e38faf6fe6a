//! dstack tasks. dstack takes the cheapest offer that fulfils all wishes.

use std::fmt;

use serde_json::{Map, Value, json};
use sky_accel_core::catalog::{AcceleratorId, CapacityType, Catalog};
use sky_accel_core::plan::{Candidate, Interconnect};
use sky_accel_core::text::number;

use crate::job::{Capacity, Handover, is_spot};
use crate::{CannotSay, LossCode, Rendered, write};

const TOOL: &str = "dstack";

/// The memory of one device as dstack's offers have it: EC2's offers carry what the EC2 API
/// reports, in GiB, all others the marketed size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct OfferMemory {
    min: f64,
    max: f64,
}

impl OfferMemory {
    /// The memory of an accelerator, where its size is known.
    pub fn of(catalog: &Catalog<'_>, accelerator: AcceleratorId) -> Option<Self> {
        let row = catalog.accelerator(accelerator);
        let marketed = row.memory_gb?;
        let reported = row.memory_mib_ec2.map_or(marketed, |mib| mib / 1024.0);
        let (min, max) = (marketed.min(reported), marketed.max(reported));
        // A size that both say is written as it is, any other between whole ones.
        let is_same = max - min < 1e-6;
        Some(Self {
            min: if is_same { min } else { min.floor() },
            max: if is_same { min } else { max.ceil() },
        })
    }

    /// The range that both are in.
    pub fn and(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// Whether a size in GB is in the range.
    pub fn contains(self, gb: f64) -> bool {
        self.min <= gb && gb <= self.max
    }
}

/// `80GB`, `44GB..48GB`.
impl fmt::Display for OfferMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}GB", number(self.min))?;
        if self.max > self.min {
            write!(f, "..{}GB", number(self.max))?;
        }
        Ok(())
    }
}

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), CannotSay> {
    let job = handover.job;
    let request = Request::new(handover, out)?;
    let mut task = Map::new();
    let mut say = |key: &str, value: Value| {
        task.insert(key.to_owned(), value);
    };
    say("type", "task".into());
    say("name", handover.name(40, out).into());
    if job.nodes > 1 {
        say("nodes", job.nodes.into());
    }
    if let Some(image) = handover.container_image() {
        say("image", image.into());
    }
    let command = handover.command(request.first);
    say("commands", json!([write::dstack(&command)]));
    let mut resources = Map::from_iter([("gpu".to_owned(), Value::from(&request.gpu[..]))]);
    if let Some(disk) = job.disk_gb {
        resources.insert("disk".to_owned(), format!("{disk}GB..").into());
    }
    say("resources", resources.into());
    say("backends", request.backends().into());
    // Regions and types hold for all backends: they are said where all candidates have them.
    let regions = request.regions();
    let is_regional = request.tried.iter().all(|one| one.region.is_some());
    if is_regional && !regions.is_empty() {
        say("regions", regions.into());
    } else if handover.regions.is_some() || !regions.is_empty() {
        out.lose(
            LossCode::Region,
            "`regions` of dstack hold for all backends, and some candidates have no known region",
        );
    }
    let types = request.instance_types();
    if let Some(types) = &types {
        say("instance_types", types.clone().into());
    }
    say("spot_policy", request.spot_policy().into());
    if let Some(max) = job.max_price {
        say("max_price", max.decimal().into());
    }
    if let Some(Capacity::Reservation(id) | Capacity::Block(id)) = &job.capacity {
        say("reservation", id.as_str().into());
    }
    lost(handover, types.is_some(), out);
    out.file("task.dstack.yml", write::yaml(&Value::Object(task)));
    Ok(())
}

/// A request to dstack, and the candidates that it stands for.
struct Request<'r, 'h, 'a> {
    handover: &'r Handover<'h, 'a>,
    first: &'r Candidate,
    gpu: String,
    tried: Vec<&'r Candidate>,
}

impl<'r, 'h, 'a> Request<'r, 'h, 'a> {
    /// One request has one kind of machine: candidates of another are not tried.
    fn new(handover: &'r Handover<'h, 'a>, out: &mut Rendered) -> Result<Self, CannotSay> {
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
                "a dstack task asks for one kind of machine: other candidates are left out",
            );
        } else if tried.len() > 1 {
            out.lose(
                LossCode::Order,
                "dstack tries the cheapest offer first, whatever their order is here",
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

    /// The regions of those candidates that have one.
    fn regions(&self) -> Vec<&'a str> {
        let candidates = self.tried.iter();
        distinct(candidates.filter_map(|candidate| self.handover.region(candidate)))
    }

    /// The instance types, where every candidate is of one.
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

/// Each of them once, in their order.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut distinct = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    distinct
}

fn lost(handover: &Handover<'_, '_>, says_types: bool, out: &mut Rendered) {
    if handover.layout.is_some() {
        out.lose(LossCode::Mig, "dstack rents whole GPUs: mig.sh cuts them");
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
            "dstack joins machines in a fleet with `placement: cluster`, not in a task",
        ),
        Some(Interconnect::Nvlink) if !says_types => out.lose(
            LossCode::Interconnect,
            "dstack has no word for how GPUs are joined, and no instance types tell it here",
        ),
        Some(Interconnect::Nvlink) | None => {}
    }
}

/// Whether dstack finds spot at the provider of a candidate that is spot.
fn has_market(handover: &Handover<'_, '_>, candidate: &Candidate) -> bool {
    let provider = handover.offer(candidate).provider;
    let mut tool = handover.catalog.tool(TOOL).into_iter();
    !is_spot(candidate) || tool.any(|tool| handover.catalog.tool_can(&tool, provider, "spot"))
}

/// `nvidia:H100:80GB:8`.
fn gpu(handover: &Handover<'_, '_>, candidate: &Candidate) -> Option<String> {
    handover.provider_word(TOOL, candidate)?;
    // It counts whole devices.
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
    fn a_range_is_written_only_where_sizes_differ() {
        let range = |min, max| OfferMemory { min, max };
        assert_eq!(range(80.0, 80.0).to_string(), "80GB");
        let wide = range(44.0, 48.0);
        assert_eq!(wide.to_string(), "44GB..48GB");
        assert!(wide.contains(44.7) && wide.contains(48.0) && !wide.contains(40.0));
        assert_eq!(wide.and(range(80.0, 80.0)), range(44.0, 80.0));
    }
}
