//! Spot placement scores by region.

use std::collections::BTreeMap;

use sky_accel_providers::{Answered, Context, ProviderError, SpotScore};

use crate::account::Aws;
use crate::error::explain;
use crate::instance_types::InstanceType;
use crate::trace::traced;

const ACTION: &str = "ec2:GetSpotPlacementScores";
/// With fewer types, the score is always low, whatever the capacity is.
const LEAST_TYPES: usize = 3;
/// The maximum number of regions in a request.
pub(crate) const MOST_REGIONS: usize = 10;

/// Instance types with equal accelerators that are sold as spot capacity.
#[derive(Default)]
pub(crate) struct ScoreSets {
    /// Sets that are large enough for a score.
    pub scored: Vec<Vec<String>>,
    /// Types in sets that are too small.
    pub too_few: Vec<String>,
}

impl ScoreSets {
    pub(crate) fn of<'t>(types: impl Iterator<Item = &'t InstanceType>) -> Self {
        let mut by_devices: BTreeMap<(&str, u64), Vec<String>> = BTreeMap::new();
        for info in types.filter(|info| info.spot) {
            // A score for machines of other sizes would answer another question.
            let count = info.count.unwrap_or_default().to_bits();
            let name = info.hardware.as_ref().map_or("", |device| &device.name);
            by_devices
                .entry((name, count))
                .or_default()
                .push(info.id.clone());
        }
        let mut sets = Self::default();
        for (_, ids) in by_devices {
            if ids.len() < LEAST_TYPES {
                sets.too_few.extend(ids);
            } else {
                sets.scored.push(ids);
            }
        }
        sets
    }

    /// Returns the reason why some types have no score.
    pub(crate) fn remark(&self) -> Option<String> {
        (!self.too_few.is_empty()).then(|| {
            format!(
                "no spot placement score for {}: AWS needs at least {LEAST_TYPES} instance types \
                 with the same number of the same accelerators",
                self.too_few.join(", ")
            )
        })
    }
}

/// Returns scores from 1 to 10 for all machines in each region, where each machine may have any of the
/// types.
pub(crate) async fn scores(
    aws: &Aws,
    context: &Context<'_>,
    ids: &[String],
    machines: u32,
    regions: &[String],
) -> Result<Answered<Vec<SpotScore>>, ProviderError> {
    let call = aws
        .ec2(&aws.home)
        .get_spot_placement_scores()
        .set_instance_types(Some(ids.to_vec()))
        .target_capacity(i32::try_from(machines).unwrap_or(i32::MAX))
        .set_region_names(Some(regions.to_vec()))
        .send();
    let operation = format!("requesting spot placement scores of {}", ids.join(", "));
    let answer = traced(context, &operation, call).await;
    let answer = answer.map_err(|error| explain(ACTION, &aws.secrets, &error))?;
    let scores = answer.spot_placement_scores().iter().filter_map(|score| {
        Some(SpotScore {
            region: score.region()?.to_owned(),
            score: score.score().filter(|score| (1..=10).contains(score))? as u8,
            instance_types: ids.to_vec(),
            machines,
            // A cached answer is older: the caller knows the time of the request.
            as_of: 0,
        })
    });
    Ok((scores.collect(), Vec::new()))
}

#[cfg(test)]
mod tests {
    use sky_accel_providers::Hardware;

    use super::*;

    fn info(id: &str, device: &str, count: f64, spot: bool) -> InstanceType {
        InstanceType {
            id: id.to_owned(),
            hardware: Some(Hardware {
                name: device.to_owned(),
                ..Hardware::default()
            }),
            count: Some(count),
            vcpu: None,
            host_memory_gib: None,
            host_arch: None,
            on_demand: true,
            spot,
            capacity_block: false,
        }
    }

    #[test]
    fn scores_need_three_types_with_equal_accelerators() {
        let types = [
            info("g5.2xlarge", "A10G", 1.0, true),
            info("g5.4xlarge", "A10G", 1.0, true),
            info("g5.xlarge", "A10G", 1.0, true),
            info("g5.12xlarge", "A10G", 4.0, true),
            info("g5.24xlarge", "A10G", 4.0, true),
            info("p5.48xlarge", "H100", 8.0, true),
            info("p5en.48xlarge", "H200", 8.0, false),
        ];
        let sets = ScoreSets::of(types.iter());
        assert_eq!(sets.scored, [["g5.2xlarge", "g5.4xlarge", "g5.xlarge"]]);
        assert_eq!(sets.too_few, ["g5.12xlarge", "g5.24xlarge", "p5.48xlarge"]);
        let remark = sets.remark().unwrap();
        assert!(
            remark.contains("p5.48xlarge: AWS needs at least 3"),
            "{remark}"
        );
        assert_eq!(ScoreSets::of(types[..3].iter()).remark(), None);
    }
}
