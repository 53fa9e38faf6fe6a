//! The regions to ask.

use std::collections::BTreeSet;

use sky_accel_providers::{Context, ErrorKind, Places, ProviderError};

use crate::account::Aws;
use crate::error::explain;
use crate::listing::traced;

/// The regions asked for by their names; else all enabled ones that match.
pub(crate) async fn regions(
    aws: &Aws,
    context: &Context<'_>,
    places: Option<&Places>,
) -> Result<Vec<String>, ProviderError> {
    // Names that are known to exist need not be looked up.
    let is_known =
        |places: &Places, name: &String| places.countries.iter().any(|(id, _)| id == name);
    if let Some(places) = places
        && places.patterns.iter().all(|name| is_known(places, name))
    {
        let names: BTreeSet<String> = places.patterns.iter().cloned().collect();
        return Ok(names.into_iter().collect());
    }
    let call = aws.ec2(&aws.home).describe_regions().send();
    let answer = traced(context, "listing regions", call).await;
    let answer = answer.map_err(|error| explain("ec2:DescribeRegions", &aws.secrets, &error))?;
    let names = answer
        .regions()
        .iter()
        .filter_map(|region| region.region_name());
    // A region is part of a host name: what is no name of a region is not asked.
    let all: Vec<String> = names
        .filter(|name| is_region(name))
        .map(str::to_owned)
        .collect();
    if all.is_empty() {
        let message = "the answer has no list of regions (ec2:DescribeRegions)";
        return Err(ProviderError::new(crate::ID, ErrorKind::Protocol, message));
    }
    let mut wanted: Vec<String> = all
        .into_iter()
        .filter(|name| places.is_none_or(|places| places.include(name, None)))
        .collect();
    wanted.sort_unstable();
    Ok(wanted)
}

/// Whether a text is the name of a region: `us-gov-west-1`.
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
    fn names_of_regions_are_known_by_their_form() {
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
