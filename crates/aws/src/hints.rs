//! Facts about getting machines: spot placement scores, capacity blocks and quotas.

use std::collections::BTreeMap;
use std::future::Future;
use std::time::Duration;

use futures_util::future::LocalBoxFuture;
use sky_accel_providers::{
    Answered, CapacityType, Context, Fetched, ProviderError, Query, QuotaCode, now,
};
use tokio::time::Instant;

use crate::account::Aws;
use crate::calls::{CallKind, CallOutcome, TypeDetail, answered, in_time, part_of};
use crate::instance_types::InstanceType;
use crate::spot_scores::{MOST_REGIONS, ScoreSets};
use crate::{blocks, quotas, spot_scores};

/// The time for which scores stay fresh. AWS limits the number of different requests per day.
const KEEP_SCORES: Duration = Duration::from_mins(15);

impl Aws {
    /// Returns the calls for the requested facts about the requested types.
    pub(crate) fn hints<'c>(
        &'c self,
        query: &'c Query<'_>,
        context: &'c Context<'_>,
        regions: &'c [&str],
        wanted: &'c BTreeMap<&'c str, &'c InstanceType>,
        until: Instant,
    ) -> Vec<LocalBoxFuture<'c, CallOutcome>> {
        let mut calls: Vec<LocalBoxFuture<'c, CallOutcome>> = Vec::new();
        if query.spot_scores {
            for ids in ScoreSets::of(wanted.values().copied()).scored {
                for names in regions.chunks(MOST_REGIONS) {
                    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
                    calls.push(Box::pin(self.scores(
                        context,
                        ids.clone(),
                        query.machines,
                        names,
                        until,
                    )));
                }
            }
        }
        let hours = query.capacity_block_hours;
        if let Some(hours) = hours.filter(|_| blocks::remark(query.machines).is_none()) {
            for id in wanted.values().filter(|info| info.capacity_block) {
                for region in regions {
                    calls.push(Box::pin(async move {
                        let id = id.id.as_str();
                        let blocks =
                            blocks::blocks(self, context, region, id, hours, query.machines);
                        let answer = fresh(until, "capacity blocks", Box::pin(blocks)).await;
                        answered(Some(region), CallKind::Hints, answer, |mut blocks, at| {
                            for block in &mut blocks {
                                block.as_of = at;
                            }
                            TypeDetail::Blocks(id.to_owned(), blocks)
                        })
                    }));
                }
            }
        }
        if let Some(quota) = query.quota {
            let ids: Vec<&str> = wanted.keys().copied().collect();
            let pools = pools(query, quota, &ids);
            let report_until = part_of(context, 0.85);
            for region in regions.iter().filter(|_| !pools.is_empty()) {
                let pools = pools.clone();
                calls.push(Box::pin(async move {
                    let quotas = quotas::quotas(self, context, region, &pools, report_until);
                    let answer = fresh(until, "quotas", Box::pin(quotas)).await;
                    answered(Some(region), CallKind::Hints, answer, |quotas, _| {
                        TypeDetail::Quotas(quotas)
                    })
                }));
            }
        }
        calls
    }

    /// Returns the scores of a set of types in some regions.
    async fn scores(
        &self,
        context: &Context<'_>,
        ids: Vec<String>,
        machines: u32,
        names: Vec<String>,
        until: Instant,
    ) -> CallOutcome {
        let key = self.key("spot scores", &names.join(", "), &(&ids, machines));
        let fetch = || Box::pin(spot_scores::scores(self, context, &ids, machines, &names));
        let answer = self.kept(context, key, KEEP_SCORES, until, fetch).await;
        answered(None, CallKind::Hints, answer, |mut scores, at| {
            for score in &mut scores {
                score.as_of = at;
            }
            TypeDetail::Scores(scores)
        })
    }
}

/// Returns the reasons why some requested facts are missing.
pub(crate) fn remarks(query: &Query<'_>, wanted: &BTreeMap<&str, &InstanceType>) -> Vec<String> {
    let scores = query
        .spot_scores
        .then(|| ScoreSets::of(wanted.values().copied()).remark());
    let blocks = query
        .capacity_block_hours
        .map(|_| blocks::remark(query.machines));
    [scores, blocks].into_iter().flatten().flatten().collect()
}

/// Fetches an answer that is never cached.
async fn fresh<T>(
    until: Instant,
    operation: &str,
    answer: impl Future<Output = Result<Answered<T>, ProviderError>>,
) -> Result<Fetched<T>, ProviderError> {
    let (value, problems) = in_time(until, operation, answer).await?;
    Ok(Fetched {
        value,
        at: now(),
        cached: false,
        problems,
    })
}

/// Returns the quota pools of the types, for the requested capacity types.
fn pools(query: &Query<'_>, quota: &QuotaCode<'_>, ids: &[&str]) -> Vec<(String, CapacityType)> {
    let mut pools = Vec::new();
    let capacities = [
        (query.on_demand, CapacityType::OnDemand),
        (query.spot, CapacityType::Spot),
    ];
    for (_, capacity) in capacities.into_iter().filter(|(requested, _)| *requested) {
        for code in ids.iter().filter_map(|id| quota(id, capacity)) {
            let pool = (code, capacity);
            if !pools.contains(&pool) {
                pools.push(pool);
            }
        }
    }
    pools
}
