//! The account's quotas, in vCPUs per pool of instance types. The catalog has their codes.

use sky_accel_providers::{CapacityType, Context, ProviderError, Quota};

use crate::account::Aws;
use crate::error::explain;
use crate::trace::traced;

const ACTION: &str = "servicequotas:GetServiceQuota";

/// Returns the account's quota for a pool in a region.
pub(crate) async fn quota(
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
    let answer = answer.map_err(|error| explain(ACTION, &aws.secrets, &error))?;
    let quota = answer.quota().and_then(|quota| {
        Some(Quota {
            region: region.to_owned(),
            capacity,
            code: code.to_owned(),
            name: quota.quota_name().map(str::to_owned),
            limit: quota
                .value()
                .filter(|value| value.is_finite() && *value >= 0.0)?,
        })
    });
    Ok(quota)
}
