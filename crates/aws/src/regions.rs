//! The regions to query.

use std::collections::BTreeSet;

use sky_accel_providers::{Context, ErrorKind, Places, ProviderError};

use crate::account::Aws;
use crate::error::explain;
use crate::trace::traced;

/// Returns the requested regions if all of them are names in the catalog: then no lookup is needed.
pub(crate) fn named(places: Option<&Places>) -> Option<Vec<String>> {
    let places = places?;
    let is_known = |name: &String| places.countries.iter().any(|(id, _)| id == name);
    let names: BTreeSet<String> = places.patterns.iter().cloned().collect();
    places
        .patterns
        .iter()
        .all(is_known)
        .then(|| names.into_iter().collect())
}

/// Returns all matching regions of the account.
pub(crate) async fn enabled(
    aws: &Aws,
    context: &Context<'_>,
    places: Option<&Places>,
) -> Result<Vec<String>, ProviderError> {
    let call = aws.ec2(&aws.home).describe_regions().send();
    let answer = traced(context, "listing regions", call).await;
    let answer = answer.map_err(|error| explain("ec2:DescribeRegions", &aws.secrets, &error))?;
    let names = answer
        .regions()
        .iter()
        .filter_map(|region| region.region_name());
    // The name becomes a part of a host name, so reject anything else.
    let enabled: Vec<String> = names
        .filter(|name| is_region(name))
        .map(str::to_owned)
        .collect();
    if enabled.is_empty() {
        let message = "the answer has no list of regions (ec2:DescribeRegions)";
        return Err(ProviderError::new(
            crate::api::ID,
            ErrorKind::Protocol,
            message,
        ));
    }
    let mut wanted: Vec<String> = enabled
        .into_iter()
        .filter(|name| places.is_none_or(|places| places.include(name, None)))
        .collect();
    wanted.sort_unstable();
    Ok(wanted)
}

/// Returns true for the form of a region name, such as `us-gov-west-1`.
fn is_region(text: &str) -> bool {
    let mut parts = text.split('-');
    let first = parts.next().unwrap_or_default();
    let last = parts.next_back().unwrap_or_default();
    let middle: Vec<&str> = parts.collect();
    let letters = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase());
    letters(first)
        && !middle.is_empty()
        && middle.into_iter().all(letters)
        && !last.is_empty()
        && last.len() <= 2
        && last.bytes().all(|b| b.is_ascii_digit())
        && text.len() <= 32
}

#[cfg(test)]
mod tests {
    use super::is_region;

    #[test]
    fn region_names_have_a_form() {
        for name in [
            "us-east-1",
            "us-gov-west-1",
            "ap-southeast-3",
            "mx-central-1",
        ] {
            assert!(is_region(name), "{name}");
        }
        for other in [
            "",
            "-1",
            "us-east",
            "us--1",
            "us-east-1a",
            "evil.example/-x-1",
            "US-EAST-1",
            "us-\u{1b}-1",
        ] {
            assert!(!is_region(other), "{other:?}");
        }
    }
}
