//! The account's quotas, in vCPUs per pool of instance types. The catalog has their codes.

use std::collections::BTreeMap;
use std::time::Duration;

use aws_sdk_servicequotas::types::ReportStatus;
use futures_util::future::join;
use sky_accel_providers::{
    Answered, CapacityType, Context, ErrorKind, ProviderError, Quota, QuotaUnit,
};
use tokio::time::{Instant, sleep, timeout_at};

use crate::account::Aws;
use crate::api::ID;
use crate::error::explain;
use crate::trace::traced;

const LIMIT: &str = "servicequotas:GetServiceQuota";
const START: &str = "servicequotas:StartQuotaUtilizationReport";
const REPORT: &str = "servicequotas:GetQuotaUtilizationReport";
/// The first and the longest time between two requests for a report.
const WAITS: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(2));
/// The maximum number of pages of a report: an account has some thousand quotas, and a page 1,000.
const MOST_PAGES: usize = 20;

/// Returns the account's quotas for pools in a region, and the use of each if AWS reports it until
/// `report_until`. A missing report is a problem of the answer, not a failure: the limits are known.
pub(crate) async fn quotas(
    aws: &Aws,
    context: &Context<'_>,
    region: &str,
    pools: &[(String, CapacityType)],
    report_until: Instant,
) -> Result<Answered<Vec<Quota>>, ProviderError> {
    let limits = async {
        let mut quotas = Vec::new();
        for (code, capacity) in pools {
            quotas.extend(limit(aws, context, region, code, *capacity).await?);
        }
        Ok::<_, ProviderError>(quotas)
    };
    let used = async {
        let report = utilization(aws, context, region);
        timeout_at(report_until, report).await.unwrap_or_else(|_| {
            let message = format!("the report of used quotas is not complete in time ({REPORT})");
            Err(ProviderError::new(ID, ErrorKind::Timeout, message))
        })
    };
    let (quotas, used) = Box::pin(join(limits, used)).await;
    let mut quotas = quotas?;
    let (used, problems) = match used {
        Ok(used) => (used, Vec::new()),
        // Older policies allow reading the limits only. These users asked for no report.
        Err(error) if error.kind == ErrorKind::Permission => (BTreeMap::new(), Vec::new()),
        Err(error) => (BTreeMap::new(), vec![error]),
    };
    for quota in &mut quotas {
        let share = used.get(&quota.code).copied();
        quota.used = share.and_then(|share| Some(quota.limit? * share));
    }
    Ok((quotas, problems))
}

/// Returns the account's quota for a pool in a region.
async fn limit(
    aws: &Aws,
    context: &Context<'_>,
    region: &str,
    code: &str,
    capacity: CapacityType,
) -> Result<Option<Quota>, ProviderError> {
    let call = aws
        .quotas(region)
        .get_service_quota()
        .service_code("ec2")
        .quota_code(code)
        .send();
    let answer = traced(context, &format!("checking quota {code} in {region}"), call).await;
    let answer = answer.map_err(|error| explain(LIMIT, &aws.secrets, &error))?;
    let quota = answer.quota().and_then(|quota| {
        Some(Quota {
            region: Some(region.to_owned()),
            capacity,
            code: code.to_owned(),
            name: quota.quota_name().map(str::to_owned),
            unit: QuotaUnit::Vcpus,
            limit: Some(
                quota
                    .value()
                    .filter(|value| value.is_finite() && *value >= 0.0)?,
            ),
            used: None,
            is_adjustable: Some(quota.adjustable()),
        })
    });
    Ok(quota)
}

/// Returns the used share of each quota of EC2 by its code, from a report that AWS first compiles.
async fn utilization(
    aws: &Aws,
    context: &Context<'_>,
    region: &str,
) -> Result<BTreeMap<String, f64>, ProviderError> {
    let client = aws.quotas(region);
    let operation = format!("starting a report of used quotas in {region}");
    let call = client.start_quota_utilization_report().send();
    let started = traced(context, &operation, call).await;
    let started = started.map_err(|error| explain(START, &aws.secrets, &error))?;
    let report = started.report_id().unwrap_or_default().to_owned();
    let operation = format!("reading the report of used quotas in {region}");
    let (mut wait, longest) = WAITS;
    let (mut used, mut token, mut pages) = (BTreeMap::new(), None, 0);
    loop {
        let call = client
            .get_quota_utilization_report()
            .report_id(&report)
            .set_next_token(token.take())
            .send();
        let page = traced(context, &operation, call).await;
        let page = page.map_err(|error| explain(REPORT, &aws.secrets, &error))?;
        match page.status() {
            Some(ReportStatus::Completed) => {}
            Some(ReportStatus::Pending | ReportStatus::InProgress) => {
                sleep(wait).await;
                wait = (wait * 2).min(longest);
                continue;
            }
            _ => {
                let message = format!("AWS cannot compile the report of used quotas ({REPORT})");
                return Err(ProviderError::new(ID, ErrorKind::Incomplete, message));
            }
        }
        for row in page.quotas() {
            let share = row.utilization().map(|percent| percent / 100.0);
            let share = share.filter(|share| share.is_finite() && *share >= 0.0);
            if let (Some("ec2"), Some(code), Some(share)) =
                (row.service_code(), row.quota_code(), share)
            {
                used.insert(code.to_owned(), share);
            }
        }
        pages += 1;
        token = page.next_token().map(str::to_owned);
        // The most used quotas come first: rows after the last page are nearly unused.
        if token.as_ref().is_none_or(String::is_empty) || pages == MOST_PAGES {
            return Ok(used);
        }
    }
}
