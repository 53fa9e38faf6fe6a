//! Which types a region sells.

use aws_sdk_ec2::types::{Filter, InstanceTypeOffering, LocationType};
use sky_accel_providers::{Context, ProviderError};

use crate::account::Aws;
use crate::error::explain;
use crate::listing::{at_most, traced};

/// Values that one filter takes at most.
const MAX_VALUES: usize = 200;

/// Those of the types that a region sells, by exact name.
pub(crate) async fn offered(
    aws: &Aws,
    context: &Context<'_>,
    region: &str,
    types: &[String],
) -> Result<Vec<String>, ProviderError> {
    let mut offered = Vec::new();
    for some in types.chunks(MAX_VALUES) {
        let names = Filter::builder()
            .name("instance-type")
            .set_values(Some(some.to_vec()))
            .build();
        let pages = aws
            .ec2(region)
            .describe_instance_type_offerings()
            .location_type(LocationType::Region)
            .filters(names)
            .into_paginator();
        let call = at_most(5_000, pages.items().send());
        let found: Result<Vec<InstanceTypeOffering>, _> =
            traced(context, &format!("asking what {region} sells"), call).await;
        let found = found
            .map_err(|error| explain("ec2:DescribeInstanceTypeOfferings", &aws.secrets, &error))?;
        offered.extend(
            found
                .iter()
                .filter_map(|row| Some(row.instance_type()?.as_str().to_owned())),
        );
    }
    offered.retain(|id| types.contains(id));
    offered.sort_unstable();
    offered.dedup();
    Ok(offered)
}
