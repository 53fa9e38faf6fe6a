//! The account's limits, in vCPUs for each pool of instance types.

use sky_accel_providers::{Capacity, Context, ProviderError, Quota};

use crate::account::Aws;
use crate::error::explain;
use crate::listing::traced;

const ACTION: &str = "servicequotas:GetServiceQuota";

/// Pools as the quota service numbers them: the families in one, its on-demand and its spot code.
const POOLS: [(&[&str], &str, &str); 6] = [
    (&["p5", "p6"], "L-417A185B", "L-C4BD4855"),
    (&["p"], "L-417A185B", "L-7212CCBC"),
    (&["g", "gr", "vt"], "L-DB2E81BA", "L-3819A6DF"),
    (&["inf"], "L-1945791B", "L-B5D1601B"),
    (&["trn"], "L-2C3B7624", "L-6B0D517C"),
    (&["dl"], "L-6E869C2A", "L-85EED4F7"),
];

/// The code of the pool that a type counts against.
pub(crate) fn code(id: &str, capacity: Capacity) -> Option<&'static str> {
    let family = id.split('.').next()?;
    let letters = family.split(|c: char| !c.is_ascii_alphabetic()).next()?;
    // `p5en` and `p6-b200` are of the pools `p5` and `p6`, `p4d` of `p`.
    let generation: String = family.chars().take(letters.len() + 1).collect();
    let pool = POOLS.iter().find(|(families, _, _)| {
        families.contains(&generation.as_str()) || families.contains(&letters)
    });
    pool.map(|(_, on_demand, spot)| match capacity {
        Capacity::OnDemand => *on_demand,
        Capacity::Spot => *spot,
    })
}

/// The account's limit for a pool in a region.
pub(crate) async fn quota(
    aws: &Aws,
    context: &Context<'_>,
    region: &str,
    code: &str,
    capacity: Capacity,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_count_against_their_pool() {
        let spot = |id| code(id, Capacity::Spot);
        assert_eq!(spot("p5en.48xlarge"), Some("L-C4BD4855"));
        assert_eq!(spot("p6-b200.48xlarge"), Some("L-C4BD4855"));
        assert_eq!(spot("p4d.24xlarge"), Some("L-7212CCBC"));
        assert_eq!(code("p4d.24xlarge", Capacity::OnDemand), Some("L-417A185B"));
        assert_eq!(spot("gr6f.4xlarge"), Some("L-3819A6DF"));
        assert_eq!(spot("g6e.xlarge"), Some("L-3819A6DF"));
        assert_eq!(spot("trn2u.48xlarge"), Some("L-6B0D517C"));
        assert_eq!(spot("inf2.48xlarge"), Some("L-B5D1601B"));
        assert_eq!(spot("dl2q.24xlarge"), Some("L-85EED4F7"));
        assert_eq!(spot("m7i.large"), None);
    }
}
