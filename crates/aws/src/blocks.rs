//! Capacity blocks: machines that are reserved for some days and paid upfront.

use aws_sdk_ec2::primitives::DateTimeFormat;
use aws_sdk_ec2::types::CapacityBlockOffering;
use sky_accel_providers::{Answered, CapacityBlock, Context, ProviderError};

use crate::account::Aws;
use crate::error::explain;
use crate::pages::pages;

const ACTION: &str = "ec2:DescribeCapacityBlockOfferings";
/// The maximum number of blocks per type and region.
const MOST: usize = 1_000;

/// The maximum number of machines in a block.
const MOST_MACHINES: u32 = 64;

/// Returns the reason why AWS sells no block with this many machines.
pub(crate) fn remark(machines: u32) -> Option<String> {
    (machines > MOST_MACHINES).then(|| {
        format!("no capacity blocks: a block has at most {MOST_MACHINES} machines, not {machines}")
    })
}

/// Returns the blocks with this many machines of a type in a region.
pub(crate) async fn blocks(
    aws: &Aws,
    context: &Context<'_>,
    region: &str,
    id: &str,
    hours: u32,
    machines: u32,
) -> Result<Answered<Vec<CapacityBlock>>, ProviderError> {
    let stream = aws
        .ec2(region)
        .describe_capacity_block_offerings()
        .instance_type(id)
        .instance_count(i32::try_from(machines).unwrap_or(i32::MAX))
        .capacity_duration_hours(i32::try_from(hours).unwrap_or(i32::MAX))
        .into_paginator()
        .send();
    let operation = format!("requesting capacity blocks of {id} in {region}");
    let pages = pages(context, &operation, MOST, stream, |page| {
        let rows = page.capacity_block_offerings.unwrap_or_default();
        (rows, page.next_token)
    });
    let pages = pages
        .await
        .map_err(|error| explain(ACTION, &aws.secrets, &error))?;
    let block = |row: CapacityBlockOffering| {
        let is_usd = row
            .currency_code()
            .is_none_or(|code| code.eq_ignore_ascii_case("usd"));
        let fee = row.upfront_fee()?.parse::<f64>().ok();
        Some(CapacityBlock {
            region: region.to_owned(),
            zone: row.availability_zone().map(str::to_owned),
            starts_at: row
                .start_date()
                .and_then(|date| date.fmt(DateTimeFormat::DateTime).ok()),
            hours: row
                .capacity_block_duration_hours()
                .and_then(|h| u32::try_from(h).ok())
                .unwrap_or(hours),
            machines: row
                .instance_count()
                .and_then(|n| u32::try_from(n).ok())
                .unwrap_or(1),
            upfront_usd: fee.filter(|fee| is_usd && fee.is_finite() && *fee > 0.0)?,
            // The caller knows the time of the request.
            as_of: 0,
        })
    };
    // A truncated list is not a problem: the first blocks are enough for a choice.
    let blocks = pages.rows.into_iter().filter_map(block);
    Ok((blocks.collect(), Vec::new()))
}
