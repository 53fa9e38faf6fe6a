//! EC2: the parts that launch templates and requests of all AWS targets share.

use serde_json::{Map, Value, json};
use sky_accel_core::money::Count;
use sky_accel_core::plan::{Candidate, Interconnect};

use crate::job::{Capacity, Handover, is_spot};
use crate::{LossCode, Rendered, Unsupported};

pub(crate) const PROVIDER: &str = "aws";
/// The root volume of Ubuntu's images; Amazon Linux uses /dev/xvda.
pub(crate) const ROOT_DEVICE: &str = "/dev/sda1";
/// The description of the security group of machines with a fast interconnect.
pub(crate) const SECURITY_GROUP: &str =
    "a security group that lets all traffic between its members through";
/// The error of a plan that has nothing for EC2 to launch.
pub(super) const NO_MACHINE: Unsupported = Unsupported::Machine("an EC2 machine in a known region");
/// The maximum length of a tag's value, in characters.
const TAG_LEN: usize = 256;

/// The candidates of one region.
pub(crate) struct RegionCandidates<'g> {
    /// The first candidate.
    pub first: &'g Candidate,
    /// The id of the region.
    pub region: &'g str,
    /// All candidates of the region, including the first.
    pub candidates: Vec<&'g Candidate>,
}

/// Returns the candidates that are EC2 machines in a known region and are bought like the first of
/// them. All share a launch template, which is either for a capacity block or not.
pub(crate) fn launchable<'g>(
    handover: &'g Handover<'_, '_>,
    out: &mut Rendered,
) -> Vec<&'g Candidate> {
    let is_ec2 = |candidate: &&Candidate| {
        handover.provider(candidate) == PROVIDER && candidate.region.is_some()
    };
    let mut candidates: Vec<&Candidate> = handover.candidates.iter().filter(is_ec2).collect();
    if candidates.len() < handover.candidates.len() {
        out.lose(
            LossCode::Fallback,
            "only EC2 machines in a known region are included",
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
            "only candidates that are bought like the first are included: all in capacity blocks, or none",
        );
    }
    candidates
}

/// Returns the candidates in the region of the first. Other regions are a loss, for the reason `why`.
pub(crate) fn in_first_region<'g, 'a: 'g>(
    handover: &'g Handover<'_, 'a>,
    out: &mut Rendered,
    why: &str,
) -> Result<RegionCandidates<'g>, Unsupported> {
    let launchable = launchable(handover, out);
    let (first, region) = launchable
        .iter()
        .copied()
        .find_map(|candidate| Some((candidate, handover.region(candidate)?)))
        .ok_or(NO_MACHINE)?;
    let before = launchable.len();
    let is_in_region = |candidate: &&Candidate| handover.region(candidate) == Some(region);
    let candidates: Vec<&Candidate> = launchable.into_iter().filter(is_in_region).collect();
    if candidates.len() < before {
        out.lose(
            LossCode::Fallback,
            format!("{why}: only candidates in {region} are included"),
        );
    }
    Ok(RegionCandidates {
        first,
        region,
        candidates,
    })
}

/// Returns the number of Elastic Fabric Adapters to attach: all of the machine if the job needs a fast
/// interconnect, otherwise 0.
pub(crate) fn adapters(handover: &Handover<'_, '_>, candidate: &Candidate) -> u32 {
    match handover.job.interconnect {
        Some(Interconnect::Efa | Interconnect::Any) => {
            handover.offer(candidate).efa_interfaces.unwrap_or(0.0) as u32
        }
        _ => 0,
    }
}

/// Returns the interface type of the adapter on a network card. Only the first adapter has an IP
/// address: adapters without one do not take addresses of the subnet.
pub(crate) fn interface_type(card: u32) -> &'static str {
    if card == 0 { "efa" } else { "efa-only" }
}

/// Returns the device index of the adapter on a network card. EC2 reserves index 0 of card 0 for the
/// primary interface and requires index 1 on the other cards.
pub(crate) fn device_index(card: u32) -> u32 {
    u32::from(card > 0)
}

/// Writes the data of a launch template in the form of the API and CloudFormation.
pub(super) fn template_data(
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
            data.insert(
                "CapacityReservationSpecification".to_owned(),
                reservation_target(id),
            );
        }
        // A capacity block needs its own market type; for a reservation, EC2 rejects a market type.
        Some(Capacity::Block(id)) => {
            data.insert(
                "InstanceMarketOptions".to_owned(),
                json!({ "MarketType": "capacity-block" }),
            );
            data.insert(
                "CapacityReservationSpecification".to_owned(),
                reservation_target(id),
            );
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

/// Asks for the root device: a volume with another device name would be attached as a second volume.
pub(crate) fn ask_root_device(out: &mut Rendered) {
    out.ask(
        ROOT_DEVICE,
        "the root volume of the machine image: /dev/xvda on Amazon Linux",
    );
}

/// Returns the name of the job, truncated to the length of a tag.
pub(crate) fn tag(handover: &Handover<'_, '_>) -> String {
    handover.job.name.chars().take(TAG_LEN).collect()
}

fn reservation_target(id: &str) -> Value {
    json!({ "CapacityReservationTarget": { "CapacityReservationId": id } })
}

/// Writes the request for a fleet from a launch template, for candidates of one region and one
/// capacity type in their order.
pub(super) fn fleet_request(
    handover: &Handover<'_, '_>,
    template: &Value,
    candidates: &[&Candidate],
    capacity: Option<&Capacity>,
    out: &mut Rendered,
) -> Value {
    let job = handover.job;
    let spot = candidates.first().is_some_and(|first| is_spot(first));
    // The launch template lists the adapters of the first type.
    let has_same_adapters = |candidate: &&&Candidate| {
        candidates
            .first()
            .is_some_and(|first| adapters(handover, first) == adapters(handover, candidate))
    };
    if !candidates
        .iter()
        .all(|candidate| has_same_adapters(&candidate))
    {
        out.lose(
            LossCode::Fallback,
            "only types with as many adapters as the first are included: all share a launch template",
        );
    }
    let mut types: Vec<&str> = Vec::new();
    for candidate in candidates.iter().filter(has_same_adapters) {
        let name = handover.instance_type(candidate);
        if !types.contains(&name) {
            types.push(name);
        }
    }
    let overrides: Vec<Value> = types
        .iter()
        .zip(0_u32..)
        .map(|(name, rank)| json!({ "InstanceType": name, "Priority": f64::from(rank) }))
        .collect();
    // Half a cluster or a mixed cluster cannot run the job, so the fleet is all or nothing.
    let mut options = Map::from_iter([("MinTargetCapacity".to_owned(), job.nodes.into())]);
    options.insert("SingleInstanceType".to_owned(), true.into());
    if let Some(max) = job.max_price {
        let total = max.times(Count::whole(job.nodes)).decimal();
        options.insert("MaxTotalPrice".to_owned(), total.to_string().into());
    }
    let block = matches!(capacity, Some(Capacity::Block(_)));
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

/// Adds the losses: settings that EC2 cannot express.
pub(crate) fn lost(handover: &Handover<'_, '_>, out: &mut Rendered) {
    if handover.job.name.chars().count() > TAG_LEN {
        out.lose(
            LossCode::Name,
            format!("a tag has at most {TAG_LEN} characters: the name is truncated"),
        );
    }
    if handover.layout.is_some() {
        out.lose(
            LossCode::Mig,
            "EC2 rents whole GPUs: run mig.sh on the machines to partition them",
        );
    }
    if handover.container_image().is_some() {
        out.lose(
            LossCode::Image,
            "EC2 starts machine images: use the target docker to run the container on the machine",
        );
    }
    if handover.job.command.is_some() {
        out.lose(
            LossCode::Command,
            "the machine is started without a command",
        );
    }
    if let Some(cuda) = &handover.job.cuda {
        out.lose(
            LossCode::CudaMin,
            format!("the machine image decides the driver, which must support CUDA {cuda}"),
        );
    }
    if handover.job.interconnect == Some(Interconnect::Infiniband) {
        out.lose(LossCode::Interconnect, "EC2 has no InfiniBand");
    }
}

/// Returns the image id or a placeholder.
pub(super) fn image_id(handover: &Handover<'_, '_>, out: &mut Rendered) -> String {
    handover.machine_image().map_or_else(
        || {
            out.ask(
                "IMAGE_ID",
                "the machine image: an AMI id of the region, or resolve:ssm:PARAMETER",
            );
            "IMAGE_ID".to_owned()
        },
        |image| image.to_string(),
    )
}
