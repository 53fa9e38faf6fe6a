//! Spot placement scores by region.

use sky_accel_providers::{Context, ProviderError, SpotScore};

use crate::account::Aws;
use crate::error::explain;
use crate::trace::traced;

const ACTION: &str = "ec2:GetSpotPlacementScores";

/// Returns scores from 1 to 10 for one machine of a type in each region.
pub(crate) async fn scores(
    aws: &Aws,
    context: &Context<'_>,
    id: &str,
    regions: &[String],
) -> Result<Vec<SpotScore>, ProviderError> {
    let call = aws
        .ec2(&aws.home)
        .get_spot_placement_scores()
        .instance_types(id)
        .target_capacity(1)
        .set_region_names(Some(regions.to_vec()))
        .send();
    let answer = traced(
        context,
        &format!("requesting spot placement scores of {id}"),
        call,
    )
    .await;
    let answer = answer.map_err(|error| explain(ACTION, &aws.secrets, &error))?;
    let scores = answer.spot_placement_scores().iter().filter_map(|score| {
        Some(SpotScore {
            region: score.region()?.to_owned(),
            score: score.score().filter(|score| (1..=10).contains(score))? as u8,
        })
    });
    let mut scores: Vec<SpotScore> = scores.collect();
    scores.sort_by(|a, b| b.score.cmp(&a.score).then_with(|| a.region.cmp(&b.region)));
    Ok(scores)
}
