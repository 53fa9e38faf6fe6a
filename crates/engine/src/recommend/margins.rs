//! Text for the margins that the ranking adds to the cost.

use std::fmt::Write as _;

use sky_accel_core::text::number;

use super::search::{SearchInput, SizedMachine};
use crate::contract::Num;
use crate::money::Money;
use crate::recommend_words::Basis;
use crate::text::figure;

/// The margins of the ranking over the cost, as ` plus 15% for each doubling of the devices`; empty without any.
pub(super) fn margins(
    input: &SearchInput<'_>,
    choices: &[SizedMachine],
    basis: Basis,
    is_billed: bool,
    money: &Money<'_>,
) -> String {
    let requirements = input.requirements;
    let percent = |margin: f64| figure(margin * 100.0);
    if requirements.devices_margin > 0.0 {
        let margin = requirements.devices_margin;
        let mut text = format!(
            " plus {}% for each doubling of the devices",
            percent(margin)
        );
        let shares_slowly = |choice: &SizedMachine| choice.model.slowly_linked > 1;
        if input.work.run.workload.is_training() && choices.iter().any(shares_slowly) {
            let slow = percent(margin + requirements.slow_link_margin);
            let _ = write!(
                text,
                ", or {slow}% if they share weights without a fast link,"
            );
        }
        let usual = requirements.usual_hours;
        let is_slow = |choice: &SizedMachine| choice.hours.is_some_and(|hours| hours.taken > usual);
        if choices.iter().any(is_slow) {
            // `job_factor` counts each doubling of the time twice.
            let time = format!("{}% for each doubling of the time", percent(2.0 * margin));
            let _ = write!(text, " and {time} above {} hours", number(usual));
        }
        return text.trim_end_matches(',').to_owned();
    }
    let usd = requirements.usd_per_further_machine;
    if basis == Basis::Hour && usd > 0.0 && choices.iter().any(|choice| choice.nodes > 1) {
        let usd = money.text(Num(usd));
        let hour = if is_billed { " and hour" } else { "" };
        return format!(" plus {usd} for each further machine{hour}");
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use sky_accel_core::sizing::Workload;

    use crate::{Engine, ModelSource, RecommendRequest, RunRequest};

    #[test]
    fn training_has_a_margin_for_shared_weights_and_a_service_has_none() {
        let heading = |workload: Workload, users: Option<f64>| {
            let request = RecommendRequest {
                run: RunRequest {
                    model: Some(ModelSource::Name("Llama-3.1-8B".to_owned())),
                    workload: Some(workload.into()),
                    concurrency: users,
                    ..RunRequest::default()
                },
                ..RecommendRequest::default()
            };
            let answer = Engine::embedded().recommend(&request, None).unwrap();
            answer.summary.unwrap()
        };
        let training = heading(Workload::Qlora, None);
        let expected = "a million tokens plus 15% for each doubling of the devices, or 40% if they \
            share weights without a fast link";
        assert!(training.contains(expected), "{training}");
        let service = heading(Workload::Inference, Some(4.0));
        assert!(
            service.ends_with("ranked by the price of an hour"),
            "{service}"
        );
    }
}
