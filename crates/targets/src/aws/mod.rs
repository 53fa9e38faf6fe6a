//! EC2: what its launch templates and requests have in common.

pub(crate) mod cli;
pub(crate) mod cloudformation;
pub(crate) mod fleet;
pub(crate) mod terraform;

use serde_json::{Map, Value, json};
use sky_accel_core::money::Count;
use sky_accel_core::plan::{Candidate, Interconnect};

use crate::job::{Capacity, Handover, is_spot};
use crate::{CannotSay, LossCode, Rendered};

pub(crate) const PROVIDER: &str = "aws";
/// The root volume of Ubuntu's images; Amazon Linux has /dev/xvda.
pub(crate) const ROOT_DEVICE: &str = "/dev/sda1";
/// Characters of the value of a tag.
const TAG_LEN: usize = 256;

/// Candidates of one region.
pub(crate) struct Group<'g> {
    pub first: &'g Candidate,
    pub region: &'g str,
    /// The first one among them.
    pub candidates: Vec<&'g Candidate>,
}

/// The candidates that are machines of EC2 in a known region. Beside what can simply be launched,
/// what is sold in blocks alone is left out: all share one launch template.
pub(crate) fn launchable<'g>(
    handover: &'g Handover<'_, '_>,
    out: &mut Rendered,
) -> Vec<&'g Candidate> {
    let ours = |candidate: &&Candidate| {
        handover.provider(candidate) == PROVIDER && candidate.region.is_some()
    };
    let mut candidates: Vec<&Candidate> = handover.candidates.iter().filter(ours).collect();
    if candidates.len() < handover.candidates.len() {
        out.lose(
            LossCode::Fallback,
            "candidates that are no EC2 machines in a known region are left out",
        );
    }
    let first = candidates
        .first()
        .and_then(|first| handover.capacity(first));
    let before = candidates.len();
    candidates.retain(|candidate| handover.capacity(candidate) == first);
    if candidates.len() < before {
        out.lose(
            LossCode::Fallback,
            "machines that are bought in another way are left out: capacity blocks, or all but these",
        );
    }
    candidates
}

/// The candidates of the first one's region; the others are told as lost.
pub(crate) fn in_first_region<'g, 'a: 'g>(
    handover: &'g Handover<'_, 'a>,
    out: &mut Rendered,
    why: &str,
) -> Result<Group<'g>, CannotSay> {
    let ours = launchable(handover, out);
    let (first, region) = ours
        .iter()
        .copied()
        .find_map(|candidate| Some((candidate, handover.region(candidate)?)))
        .ok_or_else(|| CannotSay("no candidate is an EC2 machine in a known region".to_owned()))?;
    let before = ours.len();
    let here = |candidate: &&Candidate| handover.region(candidate) == Some(region);
    let candidates: Vec<&Candidate> = ours.into_iter().filter(here).collect();
    if candidates.len() < before {
        out.lose(
            LossCode::Fallback,
            format!("{why}: candidates outside {region} are left out"),
        );
    }
    Ok(Group {
        first,
        region,
        candidates,
    })
}

/// Elastic Fabric Adapters that are wanted and there.
pub(crate) fn adapters(handover: &Handover<'_, '_>, candidate: &Candidate) -> u32 {
    match handover.job.interconnect {
        Some(Interconnect::Efa | Interconnect::Any) => {
            handover.offer(candidate).efa_interfaces.unwrap_or(0.0) as u32
        }
        _ => 0,
    }
}

/// One adapter for each network card: the first has an address, the others carry fabric traffic
/// alone and need none.
fn interface_type(card: u32) -> &'static str {
    if card == 0 { "efa" } else { "efa-only" }
}

/// Device indexes: 0 is the primary interface, of every other card it is the first one.
fn device_index(card: u32) -> u32 {
    u32::from(card > 0)
}

/// The data of a launch template, as the API and CloudFormation take it.
fn template_data(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    image: &Value,
    subnet: &Value,
    group: &Value,
    root_device: &Value,
    capacity: Option<&Capacity>,
) -> Map<String, Value> {
    let mut data = Map::from_iter([("ImageId".to_owned(), image.clone())]);
    if let Some(disk) = handover.job.disk_gb {
        data.insert(
            "BlockDeviceMappings".to_owned(),
            json!([{
                "DeviceName": root_device,
                "Ebs": { "VolumeSize": disk, "VolumeType": "gp3", "DeleteOnTermination": true },
            }]),
        );
    }
    let cards = adapters(handover, candidate);
    if cards > 0 {
        let interfaces: Vec<Value> = (0..cards)
            .map(|card| {
                json!({
                    "NetworkCardIndex": card,
                    "DeviceIndex": device_index(card),
                    "InterfaceType": interface_type(card),
                    "SubnetId": subnet,
                    "Groups": [group],
                })
            })
            .collect();
        data.insert("NetworkInterfaces".to_owned(), interfaces.into());
    }
    match capacity {
        None => {}
        Some(Capacity::Reservation(id)) => {
            data.insert("CapacityReservationSpecification".to_owned(), target(id));
        }
        // A block is launched into by its own market type; a reservation must not have one.
        Some(Capacity::Block(id)) => {
            data.insert(
                "InstanceMarketOptions".to_owned(),
                json!({ "MarketType": "capacity-block" }),
            );
            data.insert("CapacityReservationSpecification".to_owned(), target(id));
        }
    }
    data.insert(
        "MetadataOptions".to_owned(),
        json!({ "HttpTokens": "required" }),
    );
    data.insert(
        "TagSpecifications".to_owned(),
        json!([{
            "ResourceType": "instance",
            "Tags": [{ "Key": "Name", "Value": tag(handover) }],
        }]),
    );
    data
}

/// A volume under another name than the root's is a second one.
pub(crate) fn ask_root_device(out: &mut Rendered) {
    out.ask(
        ROOT_DEVICE,
        "the root volume of the machine image: /dev/xvda on Amazon Linux",
    );
}

/// The name as the value of a tag, which has an end.
fn tag(handover: &Handover<'_, '_>) -> String {
    handover.job.name.chars().take(TAG_LEN).collect()
}

fn target(id: &str) -> Value {
    json!({ "CapacityReservationTarget": { "CapacityReservationId": id } })
}

/// A request for a fleet from a launch template: candidates of one region and one capacity type, in
/// their order.
fn fleet_request(
    handover: &Handover<'_, '_>,
    template: &Value,
    candidates: &[&Candidate],
    capacity: Option<&Capacity>,
    out: &mut Rendered,
) -> Value {
    let job = handover.job;
    let spot = candidates.first().is_some_and(|first| is_spot(first));
    // The template has the adapters of the first one.
    let alike = |candidate: &&&Candidate| {
        candidates
            .first()
            .is_some_and(|first| adapters(handover, first) == adapters(handover, candidate))
    };
    if !candidates.iter().all(|candidate| alike(&candidate)) {
        out.lose(
            LossCode::Fallback,
            "types with other adapters than the first one's are left out: all share one launch template",
        );
    }
    let mut types: Vec<&str> = Vec::new();
    for candidate in candidates.iter().filter(alike) {
        let name = handover.instance_type(candidate);
        if !types.contains(&name) {
            types.push(name);
        }
    }
    let overrides: Vec<Value> = types
        .iter()
        .zip(0_u32..)
        .map(|(name, at)| json!({ "InstanceType": name, "Priority": f64::from(at) }))
        .collect();
    // All or nothing, and alike: half a cluster is of no use.
    let mut options = Map::from_iter([("MinTargetCapacity".to_owned(), job.nodes.into())]);
    options.insert("SingleInstanceType".to_owned(), true.into());
    if let Some(max) = job.max_price {
        let total = max.times(Count::whole(job.nodes)).decimal();
        options.insert("MaxTotalPrice".to_owned(), total.to_string().into());
    }
    let block = matches!(capacity, Some(Capacity::Block(_)));
    out.lose_given(
        LossCode::MaxPrice,
        block && job.max_price.is_some(),
        "a capacity block is paid for already: its fleet has no price limit",
    );
    let mut request = json!({
        "Type": "instant",
        "LaunchTemplateConfigs": [{ "LaunchTemplateSpecification": template, "Overrides": overrides }],
        "TargetCapacitySpecification": {
            "TotalTargetCapacity": job.nodes,
            "DefaultTargetCapacityType": match (block, spot) {
                (true, _) => "capacity-block",
                (_, true) => "spot",
                _ => "on-demand",
            },
        },
    });
    let (key, strategy) = if spot {
        ("SpotOptions", "capacity-optimized-prioritized")
    } else {
        ("OnDemandOptions", "prioritized")
    };
    if !block {
        options.insert("AllocationStrategy".to_owned(), strategy.into());
        request[key] = options.into();
    }
    request
}

/// Adds the losses: wishes that EC2 has no words for.
fn lost(handover: &Handover<'_, '_>, out: &mut Rendered) {
    if handover.job.name.chars().count() > TAG_LEN {
        out.lose(
            LossCode::Name,
            format!("a tag has at most {TAG_LEN} characters: the name is cut off"),
        );
    }
    if handover.layout.is_some() {
        out.lose(
            LossCode::Mig,
            "EC2 rents whole GPUs: mig.sh cuts them once they run",
        );
    }
    if handover.container_image().is_some() {
        out.lose(
            LossCode::Image,
            "EC2 starts machine images: --to docker runs the container on it",
        );
    }
    if handover.job.command.is_some() {
        out.lose(
            LossCode::Command,
            "a machine is started, nothing is run on it",
        );
    }
    if let Some(cuda) = &handover.job.cuda {
        out.lose(
            LossCode::CudaMin,
            format!("the driver for CUDA {cuda} is that of the machine image"),
        );
    }
    if handover.job.interconnect == Some(Interconnect::Infiniband) {
        out.lose(LossCode::Interconnect, "EC2 has no InfiniBand");
    }
}

/// The image id, or a name that the user replaces.
fn image_id(handover: &Handover<'_, '_>, out: &mut Rendered) -> String {
    handover.machine_image().map_or_else(
        || {
            out.ask(
                "IMAGE_ID",
                "the machine image: an AMI id of the region, or resolve:ssm:PARAMETER",
            );
            "IMAGE_ID".to_owned()
        },
        str::to_owned,
    )
}
