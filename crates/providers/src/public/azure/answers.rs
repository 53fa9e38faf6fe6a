//! Parses the answers of Azure Resource Manager. No I/O.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Deserialize;

use crate::clock::timestamp;
use crate::error::{ErrorKind, ProviderError};
use crate::json::{LongText, Maybe, MaybeList, MaybeObject};

/// The id of Azure in the catalog.
pub(super) const ID: &str = "azure";

/// Returns the error of an answer without its documented list.
pub(super) fn unreadable(list: &str) -> ProviderError {
    let message = format!("the answer has no readable list of {list}");
    ProviderError::new(ID, ErrorKind::Protocol, message)
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct TokenData {
    access_token: Maybe<LongText>,
}

/// Returns the token of a login.
pub(super) fn token(body: &[u8]) -> Option<String> {
    let data: MaybeObject<TokenData> = serde_json::from_slice(body).ok()?;
    data.0?.access_token.0.map(|token| token.0)
}

/// Returns a name in the form in which names are compared: Azure writes families and regions with
/// different cases and blanks.
pub(super) fn normalized(name: &str) -> String {
    let letters = name.chars().filter(|c| !c.is_whitespace());
    letters.flat_map(char::to_lowercase).collect()
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct SkuPage {
    value: MaybeList<MaybeObject<SkuData>>,
    next_link: Maybe<LongText>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct SkuData {
    resource_type: Maybe<String>,
    name: Maybe<String>,
    family: Maybe<String>,
    capabilities: MaybeList<MaybeObject<SkuCapability>>,
    restrictions: MaybeList<MaybeObject<SkuRestriction>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SkuCapability {
    name: Maybe<String>,
    value: Maybe<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct SkuRestriction {
    #[serde(rename = "type")]
    kind: Maybe<String>,
    restriction_info: MaybeObject<RestrictionInfo>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RestrictionInfo {
    zones: MaybeList<Maybe<String>>,
}

/// A size that is sold in a region.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct AzureSku {
    pub family: Option<String>,
    pub vcpus: Option<f64>,
    /// True if the subscription may not use it in the region.
    pub is_blocked: bool,
    /// The zones in which the subscription may not use it.
    pub blocked_zones: BTreeSet<String>,
    /// True unless it is not sold as spot.
    pub sells_spot: bool,
}

/// The sizes of a region by their name in lower case.
pub(super) type SkusByName = HashMap<String, AzureSku>;

/// Returns the sizes on a page of a region, and the address of the next page.
pub(super) fn skus(body: &[u8]) -> Result<(SkusByName, Option<String>), ProviderError> {
    const LIST: &str = "sizes";
    let page: SkuPage = serde_json::from_slice(body).map_err(|_| unreadable(LIST))?;
    let rows = page.value.0.ok_or_else(|| unreadable(LIST))?;
    let listed = rows.len();
    let mut unread = 0;
    let mut skus = SkusByName::new();
    for row in rows {
        let Some((name, sku)) = row.0.and_then(sku) else {
            unread += 1;
            continue;
        };
        if let Some(sku) = sku {
            skus.insert(normalized(&name), sku);
        }
    }
    if listed > 0 && unread == listed {
        return Err(unreadable(LIST));
    }
    Ok((skus, page.next_link.0.map(|link| link.0)))
}

/// Reads a row: a name with `None` if it is not a size of machines.
fn sku(row: SkuData) -> Option<(String, Option<AzureSku>)> {
    let (kind, name) = (row.resource_type.0?, row.name.0?);
    if !kind.eq_ignore_ascii_case("virtualMachines") {
        return Some((name, None));
    }
    let mut sku = AzureSku {
        family: row.family.0,
        sells_spot: true,
        ..AzureSku::default()
    };
    let capabilities = row.capabilities.items().into_iter();
    for capability in capabilities.filter_map(|row| row.0) {
        let (name, value) = (capability.name.0, capability.value.0.unwrap_or_default());
        match name.as_deref() {
            Some("vCPUs") => sku.vcpus = value.parse().ok().filter(|vcpus| *vcpus > 0.0),
            Some("LowPriorityCapable") => sku.sells_spot = !value.eq_ignore_ascii_case("false"),
            _ => {}
        }
    }
    for restriction in row.restrictions.items().into_iter().filter_map(|row| row.0) {
        // The list is of one region, so a restricted location is this one.
        match restriction.kind.0.as_deref() {
            Some("Zone") => {
                let zones = restriction.restriction_info.0.unwrap_or_default().zones;
                let zones = zones.items().into_iter().filter_map(|zone| zone.0);
                sku.blocked_zones.extend(zones);
            }
            Some("Location") => sku.is_blocked = true,
            _ => {}
        }
    }
    Some((name, Some(sku)))
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct UsagePage {
    value: MaybeList<MaybeObject<UsageData>>,
    next_link: Maybe<LongText>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct UsageData {
    name: MaybeObject<UsageName>,
    current_value: Maybe<f64>,
    limit: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct UsageName {
    value: Maybe<String>,
    localized_value: Maybe<String>,
}

/// The use of a pool of vCPUs in a region.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AzureUsage {
    pub code: String,
    pub name: Option<String>,
    pub limit: f64,
    pub used: Option<f64>,
}

impl AzureUsage {
    /// Returns true if a number of vCPUs fits; `None` if the use is unknown.
    pub(super) fn has_room(&self, vcpus: f64) -> Option<bool> {
        let left = self.limit - self.used?;
        Some(vcpus <= left)
    }
}

/// The pools of a region by their normalized code.
pub(super) type UsagesByCode = BTreeMap<String, AzureUsage>;

/// Returns the pools on a page, and the address of the next page.
pub(super) fn usages(body: &[u8]) -> Result<(UsagesByCode, Option<String>), ProviderError> {
    const LIST: &str = "usages";
    let page: UsagePage = serde_json::from_slice(body).map_err(|_| unreadable(LIST))?;
    let rows = page.value.0.ok_or_else(|| unreadable(LIST))?;
    let listed = rows.len();
    let read: UsagesByCode = rows.into_iter().filter_map(usage).collect();
    if listed > 0 && read.is_empty() {
        return Err(unreadable(LIST));
    }
    Ok((read, page.next_link.0.map(|link| link.0)))
}

fn usage(row: MaybeObject<UsageData>) -> Option<(String, AzureUsage)> {
    let row = row.0?;
    let name = row.name.0?;
    let code = name.value.0?;
    let is_amount = |amount: &f64| *amount >= 0.0;
    let usage = AzureUsage {
        name: name.localized_value.0,
        limit: row.limit.0.filter(is_amount)?,
        used: row.current_value.0.filter(is_amount),
        code,
    };
    Some((normalized(&usage.code), usage))
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct MixData {
    valid_until: Maybe<String>,
    placement_choices: MaybeList<MaybeObject<PlacementChoice>>,
    capacity_limits: MaybeList<MaybeObject<CapacityLimit>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PlacementChoice {
    score: Maybe<f64>,
    sku_split: MaybeList<MaybeObject<SplitPart>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SplitPart {
    name: Maybe<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CapacityLimit {
    name: Maybe<String>,
    priority: Maybe<String>,
    zone: Maybe<String>,
    limit: Maybe<f64>,
    reason: Maybe<String>,
}

/// The reason why fewer machines than requested can be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LimitReason {
    None,
    Capacity,
    Quota,
    NotSold,
    Unknown,
}

/// The number of machines of a size that can be had now, at most the requested number.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MixLimit {
    pub machines: Option<u32>,
    pub reason: LimitReason,
    /// The score from 0 to 9 of a placement with this size only.
    pub score: Option<u8>,
    pub valid_until: Option<i64>,
}

/// The limits of a region by the normalized name of the size.
pub(super) type LimitsByName = HashMap<String, MixLimit>;

/// Returns the limits of on-demand machines in a region.
pub(super) fn mix(body: &[u8]) -> Result<LimitsByName, ProviderError> {
    const LIST: &str = "capacity limits";
    let data: MixData = serde_json::from_slice(body).map_err(|_| unreadable(LIST))?;
    let rows = data.capacity_limits.0.ok_or_else(|| unreadable(LIST))?;
    let mut scores: HashMap<String, u8> = HashMap::new();
    for choice in data.placement_choices.items() {
        let Some((name, score)) = choice.0.and_then(single_choice) else {
            continue;
        };
        let best = scores.entry(name).or_insert(score);
        *best = score.max(*best);
    }
    let valid_until = data.valid_until.0.as_deref().and_then(timestamp);
    let (listed, mut limits) = (rows.len(), LimitsByName::new());
    for row in rows.into_iter().filter_map(|row| row.0) {
        let is_meant = row.priority.0.is_none_or(|priority| priority == "Regular");
        let Some(name) = row.name.0.filter(|_| is_meant && row.zone.0.is_none()) else {
            continue;
        };
        let name = normalized(&name);
        let limit = MixLimit {
            machines: row.limit.0.and_then(whole),
            reason: match row.reason.0.as_deref() {
                Some("None") => LimitReason::None,
                Some("InsufficientCapacity") => LimitReason::Capacity,
                Some("InsufficientQuota") => LimitReason::Quota,
                Some("SkuNotAvailable") => LimitReason::NotSold,
                _ => LimitReason::Unknown,
            },
            score: scores.get(&name).copied(),
            valid_until,
        };
        limits.insert(name, limit);
    }
    if listed > 0 && limits.is_empty() {
        return Err(unreadable(LIST));
    }
    Ok(limits)
}

/// Returns the size and the score of a placement with one size.
fn single_choice(choice: PlacementChoice) -> Option<(String, u8)> {
    let parts = choice.sku_split.items().into_iter();
    let names: Option<BTreeSet<String>> = parts
        .map(|part| part.0?.name.0.as_deref().map(normalized))
        .collect();
    let mut names = names?.into_iter();
    let only = names.next().filter(|_| names.next().is_none())?;
    let score = choice.score.0.filter(|score| (0.0..=9.0).contains(score))?;
    Some((only, score as u8))
}

/// Returns a number of machines.
fn whole(number: f64) -> Option<u32> {
    let is_count = (0.0..=f64::from(u32::MAX)).contains(&number) && number.fract() == 0.0;
    is_count.then_some(number as u32)
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ScoreData {
    placement_scores: MaybeList<MaybeObject<ScoreRow>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ScoreRow {
    sku: Maybe<String>,
    region: Maybe<String>,
    availability_zone: Maybe<String>,
    score: Maybe<String>,
    is_quota_available: Maybe<bool>,
}

/// The likelihood of getting spot machines of a size in a region.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AzureSpotScore {
    pub score: Option<String>,
    pub has_quota: Option<bool>,
}

/// Scores by the normalized region and the normalized name of the size.
pub(super) type ScoresByPlace = HashMap<(String, String), AzureSpotScore>;

/// Returns the spot placement scores of regions.
pub(super) fn scores(body: &[u8]) -> Result<ScoresByPlace, ProviderError> {
    const LIST: &str = "spot placement scores";
    let data: ScoreData = serde_json::from_slice(body).map_err(|_| unreadable(LIST))?;
    let rows = data.placement_scores.0.ok_or_else(|| unreadable(LIST))?;
    let listed = rows.len();
    let of_region = |row: MaybeObject<ScoreRow>| {
        let row = row.0.filter(|row| row.availability_zone.0.is_none())?;
        let place = (normalized(&row.region.0?), normalized(&row.sku.0?));
        let score = AzureSpotScore {
            score: row.score.0,
            has_quota: row.is_quota_available.0,
        };
        Some((place, score))
    };
    let read: ScoresByPlace = rows.into_iter().filter_map(of_region).collect();
    if listed > 0 && read.is_empty() {
        return Err(unreadable(LIST));
    }
    Ok(read)
}

/// Parses a body as each of the answers.
pub(super) fn parse(body: &[u8]) {
    let _ = token(body);
    let _ = skus(body);
    let _ = usages(body);
    let _ = mix(body);
    let _ = scores(body);
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn bytes(value: &Value) -> Vec<u8> {
        value.to_string().into_bytes()
    }

    #[test]
    fn reads_sizes_with_their_restrictions() {
        let page = json!({"value": [
            {"resourceType": "disks", "name": "Premium_LRS"},
            {"resourceType": "virtualMachines", "name": "Standard_ND96isr_H100_v5", "family": "standardNDSH100v5Family",
             "capabilities": [{"name": "vCPUs", "value": "96"}, {"name": "LowPriorityCapable", "value": "False"}],
             "restrictions": [{"type": "Zone", "restrictionInfo": {"locations": ["eastus"], "zones": ["1", "3"]},
                               "reasonCode": "NotAvailableForSubscription"}]},
            {"resourceType": "virtualMachines", "name": "Standard_NC40ads_H100_v5",
             "restrictions": [{"type": "Location", "restrictionInfo": {"locations": ["eastus"]}, "reasonCode": "QuotaId"}]},
            {"name": 3},
        ], "nextLink": "https://management.azure.com/next"});
        let (skus, next) = skus(&bytes(&page)).unwrap();
        assert_eq!(next.as_deref(), Some("https://management.azure.com/next"));
        assert_eq!(skus.len(), 2);
        let nd = &skus["standard_nd96isr_h100_v5"];
        assert_eq!(
            (nd.vcpus, nd.is_blocked, nd.sells_spot),
            (Some(96.0), false, false)
        );
        assert_eq!(
            nd.blocked_zones,
            BTreeSet::from(["1".to_owned(), "3".to_owned()])
        );
        assert!(skus["standard_nc40ads_h100_v5"].is_blocked);
    }

    #[test]
    fn answers_without_their_list_are_errors() {
        for body in [
            "{}",
            "[]",
            "<html>",
            "",
            r#"{"value":null}"#,
            r#"{"value":[7]}"#,
        ] {
            let body = body.as_bytes();
            assert!(skus(body).is_err() && usages(body).is_err());
            assert!(mix(body).is_err() && scores(body).is_err());
            assert_eq!(token(body), None);
        }
        let empty = br#"{"value":[],"capacityLimits":[],"placementScores":[]}"#;
        assert!(skus(empty).is_ok() && usages(empty).is_ok());
        assert!(mix(empty).is_ok() && scores(empty).is_ok());
    }

    #[test]
    fn pools_are_found_without_case_and_blanks() {
        let page = json!({"value": [
            {"name": {"value": "Standard NDS H100 v5 Family", "localizedValue": "NDS H100"}, "currentValue": 96, "limit": 192},
            {"name": {"value": "cores"}, "currentValue": "10", "limit": 100},
            {"name": {"value": "unlimited"}, "limit": -1},
        ]});
        let (usages, _) = usages(&bytes(&page)).unwrap();
        let family = &usages[&normalized("standardNDSH100v5Family")];
        assert_eq!(family.has_room(96.0), Some(true));
        assert_eq!(family.has_room(97.0), Some(false));
        assert_eq!(usages.len(), 2);
    }

    #[test]
    fn limits_are_of_regions_and_on_demand_machines() {
        let answer = json!({"validUntil": "2026-11-27T00:20:00Z", "placementChoices": [
            {"score": 7, "skuSplit": [{"name": "Standard_A", "capacity": 4}]},
            {"score": 9, "skuSplit": [{"name": "Standard_A"}, {"name": "Standard_B"}]},
            {"score": 12, "skuSplit": [{"name": "Standard_B"}]},
        ], "capacityLimits": [
            {"name": "Standard_A", "priority": "Regular", "limit": 4, "reason": "None"},
            {"name": "Standard_A", "priority": "Regular", "zone": "1", "limit": 1, "reason": "InsufficientCapacity"},
            {"name": "Standard_B", "priority": "Regular", "zone": "", "limit": 0, "reason": "InsufficientQuota"},
            {"name": "Standard_B", "priority": "Spot", "limit": 4, "reason": "None"},
            {"name": "Standard_C", "priority": "Regular", "limit": 1.5, "reason": "New"},
        ]});
        let limits = mix(&bytes(&answer)).unwrap();
        let of = |name: &str| {
            let limit = &limits[name];
            (limit.machines, limit.reason, limit.score)
        };
        assert_eq!(of("standard_a"), (Some(4), LimitReason::None, Some(7)));
        assert_eq!(of("standard_b"), (Some(0), LimitReason::Quota, None));
        assert_eq!(of("standard_c"), (None, LimitReason::Unknown, None));
        assert_eq!(limits["standard_a"].valid_until, Some(1_795_738_800));
    }

    #[test]
    fn scores_are_of_regions() {
        let answer = json!({"placementScores": [
            {"sku": "Standard_A", "region": "East US", "score": "High", "isQuotaAvailable": true},
            {"sku": "Standard_A", "region": "eastus", "availabilityZone": "1", "score": "Low", "isQuotaAvailable": true},
        ]});
        let scores = scores(&bytes(&answer)).unwrap();
        let place = ("eastus".to_owned(), "standard_a".to_owned());
        assert_eq!(scores[&place].score.as_deref(), Some("High"));
        assert_eq!(scores.len(), 1);
    }
}
