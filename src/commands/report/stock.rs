//! Stock and quotas of a document of offers. Confidential answers stay out of pages.

use serde::Deserialize;

/// An answer on whether an offer can be had.
#[derive(Deserialize)]
pub(super) struct DocumentStock {
    place: DocumentPlace,
    capacity_type: String,
    state_for_request: String,
    quota: Option<DocumentQuota>,
    fetched_at: String,
    #[serde(default)]
    confidential: bool,
}

#[derive(Deserialize)]
struct DocumentPlace {
    region: Option<String>,
}

#[derive(Deserialize)]
struct DocumentQuota {
    machines: Option<u32>,
}

/// The states that a page shows, best first.
const STATES: [&str; 7] = [
    "available",
    "limited",
    "offered",
    "unknown",
    "unavailable",
    "blocked",
    "not-offered",
];

/// Returns the stock at the place of a price: the best state, the quota and the time; `None` if the document has no answer
/// that may be shown.
pub(super) fn text(
    answers: &[DocumentStock],
    is_spot: bool,
    region: Option<&str>,
) -> Option<String> {
    let order = |answer: &&DocumentStock| {
        let mut states = STATES.iter();
        states.position(|state| *state == answer.state_for_request)
    };
    let shown = answers.iter().filter(|answer| {
        let of = answer.place.region.as_deref();
        let is_there = of.is_none() || region.is_none() || of == region;
        !answer.confidential && is_there && (answer.capacity_type == "spot") == is_spot
    });
    let best = shown
        .filter(|answer| order(answer).is_some())
        .min_by_key(order)?;
    let quota = best.quota.as_ref().and_then(|quota| quota.machines);
    let quota = quota.map(|machines| format!("quota for {machines}, "));
    Some(format!(
        "{}: {}{}",
        best.state_for_request,
        quota.unwrap_or_default(),
        best.fetched_at
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(state: &str, region: &str, confidential: bool) -> DocumentStock {
        let document = serde_json::json!({
            "place": { "region": region },
            "capacity_type": "on-demand",
            "state_for_request": state,
            "quota": { "machines": 3 },
            "fetched_at": "2026-11-27T12:03:00Z",
            "confidential": confidential,
        });
        serde_json::from_value(document).unwrap()
    }

    #[test]
    fn the_best_answer_of_the_place_is_shown_unless_it_is_confidential() {
        let answers = [
            answer("unavailable", "a", false),
            answer("limited", "a", false),
            answer("available", "a", true),
            answer("available", "b", false),
        ];
        let shown = text(&answers, false, Some("a")).unwrap();
        assert_eq!(shown, "limited: quota for 3, 2026-11-27T12:03:00Z");
        let anywhere = text(&answers, false, None).unwrap();
        assert!(anywhere.starts_with("available: "));
        assert!(text(&answers, true, Some("a")).is_none());
        assert!(text(&answers[2..3], false, Some("a")).is_none());
    }
}
