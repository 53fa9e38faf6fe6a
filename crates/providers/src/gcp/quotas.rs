//! Quotas of accelerators: those of regions, with their use, and those of Cloud Quotas, which tells
//! only limits.

use serde::{Deserialize, Serialize};
use sky_accel_core::catalog::CapacityType;

use crate::json::{LongText, Maybe, MaybeList, MaybeMap, MaybeObject};
use crate::offer::{Quota, QuotaUnit};

/// The quota of all accelerators of a project together.
const ALL_REGIONS: &str = "GPUS_ALL_REGIONS";
/// The quota that Cloud Quotas divides by the family of the accelerator.
const BY_FAMILY: &str = "GPUS-PER-GPU-FAMILY-per-project-region";
/// The start of the names of quotas of spot machines.
const SPOT_METRIC: &str = "PREEMPTIBLE_";
const SPOT_ID: &str = "PREEMPTIBLE-";
/// The value for "unlimited".
const UNLIMITED: f64 = -1.0;

/// A project or a region with its quotas.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct QuotaHolder {
    quotas: MaybeList<MaybeObject<MetricRow>>,
    quota_status_warning: MaybeObject<StatusWarning>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct MetricRow {
    metric: Maybe<String>,
    limit: Maybe<f64>,
    usage: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct StatusWarning {}

/// A quota of a project or a region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct MetricQuota {
    metric: String,
    limit: f64,
    used: Option<f64>,
}

/// A page of Cloud Quotas.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct QuotaInfoPage {
    quota_infos: MaybeList<MaybeObject<QuotaInfo>>,
    pub next_page_token: Maybe<LongText>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct QuotaInfo {
    quota_id: Maybe<String>,
    dimensions_infos: MaybeList<MaybeObject<DimensionsInfo>>,
    quota_increase_eligibility: MaybeObject<IncreaseEligibility>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct IncreaseEligibility {
    is_eligible: Maybe<bool>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct DimensionsInfo {
    dimensions: MaybeMap<Maybe<String>>,
    details: MaybeObject<QuotaDetails>,
    applicable_locations: MaybeList<Maybe<String>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct QuotaDetails {
    /// `None` if Google leaves the value out, which it does for zero.
    value: Option<Maybe<f64>>,
}

/// A limit of Cloud Quotas in some regions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct FamilyLimit {
    quota_id: String,
    /// The family, such as `NVIDIA_H100`; `None` if the id of the quota has it.
    family: Option<String>,
    /// The regions; `None` if the limit holds in every region that has no separate limit.
    regions: Option<Vec<String>>,
    /// True if the limit is for one region alone, which takes precedence.
    is_own: bool,
    /// The limit; `None` without a limit.
    limit: Option<f64>,
    is_adjustable: Option<bool>,
}

/// The quotas of a project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ProjectQuotas {
    pub project: Vec<MetricQuota>,
    pub families: Vec<FamilyLimit>,
}

/// Returns the name of an accelerator as quotas spell it: `A100_80GB` for `nvidia-a100-80gb`. `None`
/// for accelerators of other makers.
fn model_of(device: &str) -> Option<String> {
    let model = device.strip_prefix("nvidia-")?;
    let model = model.strip_prefix("tesla-").unwrap_or(model);
    Some(model.to_ascii_uppercase().replace('-', "_"))
}

/// Returns the name without the memory at its end: `H100_MEGA` for `H100_MEGA_80GB`.
fn without_memory(model: &str) -> &str {
    let is_memory = |end: &str| {
        let digits = end.strip_suffix("GB");
        digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
    };
    match model.rsplit_once('_') {
        Some((start, end)) if is_memory(end) => start,
        _ => model,
    }
}

impl QuotaHolder {
    /// Returns the quotas of accelerators; `None` if Google could not read them.
    pub(super) fn quotas(self) -> Option<Vec<MetricQuota>> {
        let rows = self.quotas.items().into_iter();
        let quotas: Vec<MetricQuota> = rows
            .filter_map(|row| {
                let row = row.0?;
                let metric = row.metric.0?;
                let is_accelerator = metric.ends_with("_GPUS") || metric == ALL_REGIONS;
                is_accelerator.then_some(MetricQuota {
                    metric,
                    limit: row.limit.0.filter(|limit| *limit >= 0.0)?,
                    used: row.usage.0.filter(|used| *used >= 0.0),
                })
            })
            .collect();
        (self.quota_status_warning.0.is_none() || !quotas.is_empty()).then_some(quotas)
    }
}

impl QuotaInfoPage {
    /// Returns the limits of accelerators.
    pub(super) fn limits(self) -> Vec<FamilyLimit> {
        let mut limits = Vec::new();
        for info in self.quota_infos.items().into_iter().filter_map(|row| row.0) {
            let Some(id) = info.quota_id.0 else { continue };
            let by_family = id.strip_prefix(SPOT_ID).unwrap_or(&id) == BY_FAMILY;
            let by_model = id.ends_with("-GPUS-per-project-region");
            if !by_family && !by_model {
                continue;
            }
            let eligibility = info.quota_increase_eligibility.0;
            let is_adjustable = eligibility.and_then(|row| row.is_eligible.0);
            let rows = info.dimensions_infos.items().into_iter();
            for row in rows.filter_map(|row| row.0) {
                let mut dimensions = row.dimensions.0.unwrap_or_default();
                let family = dimensions.remove("gpu_family").and_then(|word| word.0);
                // The limit of all families that have no separate limit names no accelerator.
                if by_family && family.is_none() {
                    continue;
                }
                let details = row.details.0.map(|details| details.value);
                let value = match details {
                    Some(None) => 0.0,
                    Some(Some(Maybe(Some(value)))) => value,
                    // Unknown, which is not zero.
                    None | Some(Some(Maybe(None))) => continue,
                };
                let own = dimensions.remove("region").and_then(|word| word.0);
                let locations = row.applicable_locations.0;
                let locations = locations.map(|rows| rows.into_iter().filter_map(|row| row.0));
                limits.push(FamilyLimit {
                    quota_id: id.clone(),
                    family,
                    is_own: own.is_some(),
                    regions: match own {
                        Some(region) => Some(vec![region]),
                        None => locations.map(Iterator::collect),
                    },
                    limit: (value > UNLIMITED).then_some(value),
                    is_adjustable,
                });
            }
        }
        limits
    }
}

/// Returns the quotas that a machine with accelerators counts against in a region. Spot machines count
/// against the quota of other machines until Google grants a quota of spot machines.
pub(super) fn quotas_of(
    device: &str,
    region: &str,
    of_region: &[MetricQuota],
    of_project: &ProjectQuotas,
    capacity: CapacityType,
) -> Vec<Quota> {
    let Some(model) = model_of(device) else {
        return Vec::new();
    };
    let quota_for = |sold_as: CapacityType| {
        let start = match sold_as {
            CapacityType::Spot => SPOT_METRIC,
            CapacityType::OnDemand => "",
        };
        let metric = format!("{start}NVIDIA_{model}_GPUS");
        let known = of_region.iter().find(|quota| quota.metric == metric);
        let known = known.map(|quota| quota.quota(Some(region), sold_as));
        let quota = known.or_else(|| of_project.limit(&model, region, sold_as))?;
        Some(Quota { capacity, ..quota })
    };
    if capacity == CapacityType::Spot {
        let granted = quota_for(CapacityType::Spot).filter(|quota| quota.limit != Some(0.0));
        let quota = granted.or_else(|| quota_for(CapacityType::OnDemand));
        return quota.into_iter().collect();
    }
    let all = of_project.project.iter();
    let all = all.filter(|quota| quota.metric == ALL_REGIONS);
    let all = all.map(|quota| quota.quota(None, capacity));
    quota_for(capacity).into_iter().chain(all).collect()
}

impl MetricQuota {
    fn quota(&self, region: Option<&str>, capacity: CapacityType) -> Quota {
        Quota {
            region: region.map(str::to_owned),
            capacity,
            code: self.metric.clone(),
            name: None,
            unit: QuotaUnit::Accelerators,
            limit: Some(self.limit),
            used: self.used,
            is_adjustable: None,
        }
    }
}

impl ProjectQuotas {
    /// Returns the limit of Cloud Quotas for a model of accelerator in a region.
    fn limit(&self, model: &str, region: &str, capacity: CapacityType) -> Option<Quota> {
        let short = without_memory(model);
        let start = match capacity {
            CapacityType::Spot => SPOT_ID,
            CapacityType::OnDemand => "",
        };
        let family = format!("NVIDIA_{short}");
        let by_family = format!("{start}{BY_FAMILY}");
        let ids = [model, short].map(|name| {
            let name = name.replace('_', "-");
            format!("{start}NVIDIA-{name}-GPUS-per-project-region")
        });
        let fits = |limit: &&FamilyLimit| {
            let is_here = limit.regions.as_ref();
            let is_here = is_here.is_none_or(|regions| regions.iter().any(|name| name == region));
            let is_of_model = match &limit.family {
                Some(of) => limit.quota_id == by_family && *of == family,
                None => ids.contains(&limit.quota_id),
            };
            is_here && is_of_model
        };
        let found = self.families.iter().filter(fits);
        let found = found.max_by_key(|limit| (limit.is_own, limit.family.is_some()))?;
        Some(Quota {
            region: Some(region.to_owned()),
            capacity,
            code: found.quota_id.clone(),
            name: found.family.clone(),
            unit: QuotaUnit::Accelerators,
            limit: found.limit,
            used: None,
            is_adjustable: found.is_adjustable,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn region_quotas(holder: serde_json::Value) -> Option<Vec<MetricQuota>> {
        serde_json::from_value::<QuotaHolder>(holder)
            .unwrap()
            .quotas()
    }

    fn limits(rows: &serde_json::Value) -> ProjectQuotas {
        let page = json!({ "quotaInfos": rows });
        ProjectQuotas {
            project: Vec::new(),
            families: serde_json::from_value::<QuotaInfoPage>(page)
                .unwrap()
                .limits(),
        }
    }

    const ON_DEMAND: CapacityType = CapacityType::OnDemand;

    #[test]
    fn quotas_of_regions_have_their_use() {
        let quotas = region_quotas(json!({"quotas": [
            {"metric": "NVIDIA_A100_GPUS", "limit": 16.0, "usage": 4.0},
            {"metric": "NVIDIA_A100_80GB_GPUS", "limit": 0.0, "usage": 0.0},
            {"metric": "PREEMPTIBLE_NVIDIA_A100_GPUS", "limit": 8.0},
            {"metric": "CPUS", "limit": 72.0, "usage": 1.0},
            {"metric": "NVIDIA_T4_GPUS"},
        ]}))
        .unwrap();
        assert_eq!(quotas.len(), 3);
        let project = ProjectQuotas {
            project: region_quotas(
                json!({"quotas": [{"metric": "GPUS_ALL_REGIONS", "limit": 32.0, "usage": 4.0}]}),
            )
            .unwrap(),
            families: Vec::new(),
        };
        let of = |device: &str, capacity| -> Vec<(String, Option<f64>, Option<f64>)> {
            let found = quotas_of(device, "us-central1", &quotas, &project, capacity);
            found
                .into_iter()
                .map(|quota| (quota.code, quota.limit, quota.used))
                .collect()
        };
        let all = ("GPUS_ALL_REGIONS".to_owned(), Some(32.0), Some(4.0));
        assert_eq!(
            of("nvidia-tesla-a100", ON_DEMAND),
            [
                ("NVIDIA_A100_GPUS".to_owned(), Some(16.0), Some(4.0)),
                all.clone()
            ]
        );
        assert_eq!(
            of("nvidia-tesla-a100", CapacityType::Spot),
            [("PREEMPTIBLE_NVIDIA_A100_GPUS".to_owned(), Some(8.0), None)]
        );
        // The quota of the smaller memory is another quota. A missing limit is unknown.
        assert_eq!(of("nvidia-a100-80gb", ON_DEMAND)[0].1, Some(0.0));
        // Without a quota of spot machines, the other quota holds for them.
        let standard = ("NVIDIA_A100_80GB_GPUS".to_owned(), Some(0.0), Some(0.0));
        assert_eq!(of("nvidia-a100-80gb", CapacityType::Spot), [standard]);
        assert_eq!(of("nvidia-tesla-t4", CapacityType::Spot), []);
        assert_eq!(of("nvidia-tesla-t4", ON_DEMAND), [all]);
        assert_eq!(of("ct5lp", ON_DEMAND), []);
    }

    #[test]
    fn quotas_that_could_not_be_read_are_unknown() {
        let warning = json!({"quotaStatusWarning": {"code": "UNREACHABLE"}});
        assert_eq!(region_quotas(warning), None);
        assert_eq!(
            region_quotas(json!({"name": "us-central1"})),
            Some(Vec::new())
        );
    }

    #[test]
    fn new_accelerators_have_limits_by_family() {
        let row = |dimensions: serde_json::Value, details: serde_json::Value| {
            json!({"dimensions": dimensions, "details": details,
                "applicableLocations": ["us-central1", "europe-west4"]})
        };
        let project = limits(&json!([
            {"quotaId": BY_FAMILY, "quotaIncreaseEligibility": {"isEligible": true}, "dimensionsInfos": [
                row(json!({"gpu_family": "NVIDIA_H100"}), json!({})),
                row(json!({"gpu_family": "NVIDIA_H100", "region": "us-central1"}), json!({"value": "8"})),
                row(json!({"gpu_family": "NVIDIA_H200"}), json!({"value": "-1"})),
                row(json!(null), json!({"value": "99"})),
                {"dimensions": {"gpu_family": "NVIDIA_B200"}, "applicableLocations": ["us-central1"]},
                row(json!({"gpu_family": "NVIDIA_L40S"}), json!({"value": {}})),
            ]},
            {"quotaId": "PREEMPTIBLE-NVIDIA-H100-GPUS-per-project-region", "dimensionsInfos": [
                row(json!(null), json!({"value": "64"})),
            ]},
            {"quotaId": "CPUS-per-project-region", "dimensionsInfos": [row(json!({}), json!({"value": "1"}))]},
        ]));
        let of = |device: &str, region: &str, capacity| {
            let found = quotas_of(device, region, &[], &project, capacity);
            found.first().map(|quota| (quota.limit, quota.used))
        };
        let h100 = "nvidia-h100-80gb";
        assert_eq!(of(h100, "us-central1", ON_DEMAND), Some((Some(8.0), None)));
        // A value that is left out is zero, and -1 means unlimited.
        assert_eq!(of(h100, "europe-west4", ON_DEMAND), Some((Some(0.0), None)));
        assert_eq!(
            of("nvidia-h200-141gb", "us-central1", ON_DEMAND),
            Some((None, None))
        );
        assert_eq!(
            of(h100, "us-central1", CapacityType::Spot),
            Some((Some(64.0), None))
        );
        // Another family, another region, and details that are missing are unknown.
        assert_eq!(of("nvidia-h100-mega-80gb", "us-central1", ON_DEMAND), None);
        assert_eq!(of(h100, "asia-east1", ON_DEMAND), None);
        assert_eq!(of("nvidia-b200", "us-central1", ON_DEMAND), None);
        assert_eq!(of("nvidia-l40s", "us-central1", ON_DEMAND), None);
        assert_eq!(
            of("nvidia-h200-141gb", "us-central1", CapacityType::Spot),
            Some((None, None))
        );
        let found = quotas_of(h100, "us-central1", &[], &project, ON_DEMAND);
        assert_eq!(found[0].is_adjustable, Some(true));
        assert_eq!(found[0].name.as_deref(), Some("NVIDIA_H100"));
    }
}
