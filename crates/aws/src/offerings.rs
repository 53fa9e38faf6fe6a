//! The instance types that a region sells.

use aws_sdk_ec2::types::{Filter, LocationType};
use sky_accel_providers::{Answered, Context, ProviderError};

use crate::account::Aws;
use crate::error::explain;
use crate::pages::pages;

/// The maximum number of values per filter.
const MAX_VALUES: usize = 200;
/// An upper bound on the number of types, well above today's.
const MAX_TYPES: usize = 5_000;
const ACTION: &str = "ec2:DescribeInstanceTypeOfferings";

/// Returns the types that a region sells, by exact name.
pub(crate) async fn offered(
    aws: &Aws,
    context: &Context<'_>,
    region: &str,
    types: &[String],
) -> Result<Answered<Vec<String>>, ProviderError> {
    let (mut offered, mut problems) = (Vec::new(), Vec::new());
    for chunk in types.chunks(MAX_VALUES) {
        let names = Filter::builder()
            .name("instance-type")
            .set_values(Some(chunk.to_vec()))
            .build();
        let stream = aws
            .ec2(region)
            .describe_instance_type_offerings()
            .location_type(LocationType::Region)
            .filters(names)
            .into_paginator()
            .send();
        let operation = format!("listing instance types sold in {region}");
        let pages = pages(context, &operation, MAX_TYPES, stream, |page| {
            let rows = page.instance_type_offerings.unwrap_or_default();
            (rows, page.next_token)
        });
        let pages = pages
            .await
            .map_err(|error| explain(ACTION, &aws.secrets, &error))?;
        let (ids, cut) = pages.answered(ACTION, |rows| {
            let ids = rows.into_iter();
            let ids = ids.filter_map(|row| Some(row.instance_type()?.as_str().to_owned()));
            ids.collect::<Vec<String>>()
        });
        offered.extend(ids);
        problems.extend(cut);
    }
    offered.retain(|id| types.contains(id));
    offered.sort_unstable();
    offered.dedup();
    Ok((offered, problems))
}
