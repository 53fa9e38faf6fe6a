//! Stock and quotas of a document of offers. Confidential answers stay out of pages.

use serde::Deserialize;

use crate::render::{Column, RowStyle, Table};

/// An answer on whether an offer can be had.
#[derive(Deserialize)]
pub(super) struct DocumentStock {
    place: DocumentPlace,
    capacity_type: String,
    state_for_request: String,
    count: Option<DocumentCount>,
    likelihood: Option<DocumentLikelihood>,
    risk: Option<DocumentRisk>,
    #[serde(default)]
    windows: Vec<DocumentWindow>,
    quota: Option<DocumentQuota>,
    #[serde(default)]
    source: String,
    measured_at: Option<String>,
    fetched_at: String,
    #[serde(default)]
    confidential: bool,
}

#[derive(Deserialize)]
struct DocumentPlace {
    region: Option<String>,
    zone: Option<String>,
    site: Option<String>,
}

#[derive(Deserialize)]
struct DocumentCount {
    value: u32,
    qualifier: String,
    unit: String,
}

#[derive(Deserialize)]
struct DocumentLikelihood {
    value: String,
    scale: String,
}

#[derive(Deserialize)]
struct DocumentRisk {
    rate: String,
    window_days: u32,
}

#[derive(Deserialize)]
struct DocumentWindow {
    starts_at: String,
}

#[derive(Deserialize)]
struct DocumentQuota {
    machines: Option<u32>,
    #[serde(default)]
    unlimited: bool,
    used: Option<f64>,
}

/// The most answers that a page lists.
const MOST_ANSWERS: usize = 500;

/// Returns the table of all answers about some offers, each given by its provider and type; `None` if no answer may
/// be shown.
pub(super) fn table<'d>(
    offers: impl Iterator<Item = (&'d str, &'d str, &'d [DocumentStock])>,
) -> Option<Table> {
    let answers = offers.flat_map(|(provider, name, answers)| {
        let shown = answers.iter().filter(|answer| !answer.confidential);
        shown.map(move |answer| (provider, name, answer))
    });
    let mut table = Table::new([
        Column::left("PROVIDER", 0),
        Column::left("INSTANCE TYPE", 0),
        Column::left("PLACE", 0),
        Column::left("CAPACITY", 1),
        Column::left("STOCK", 0),
        Column::right("IN STOCK", 1),
        Column::left("LIKELIHOOD", 2),
        Column::left("INTERRUPTED", 2),
        Column::left("FIRST START", 2),
        Column::right("QUOTA FOR", 1),
        Column::left("REPORT", 3),
        Column::left("AS OF", 2),
    ]);
    let mut is_empty = true;
    for (provider, name, answer) in answers.take(MOST_ANSWERS) {
        is_empty = false;
        let [place, capacity, state] = [
            answer.place(),
            &answer.capacity_type,
            &answer.state_for_request,
        ];
        let text = |text: Option<String>| text.unwrap_or_default();
        let cells = [
            provider.to_owned(),
            name.to_owned(),
            place.to_owned(),
            capacity.to_owned(),
            state.to_owned(),
            text(answer.count.as_ref().map(DocumentCount::words)),
            text(
                answer
                    .likelihood
                    .as_ref()
                    .map(|of| format!("{} ({})", of.value, of.scale)),
            ),
            text(
                answer
                    .risk
                    .as_ref()
                    .map(|of| format!("{} in {} days", of.rate, of.window_days)),
            ),
            text(
                answer
                    .windows
                    .first()
                    .map(|window| window.starts_at.clone()),
            ),
            text(answer.quota.as_ref().and_then(DocumentQuota::words)),
            answer.source.clone(),
            answer
                .measured_at
                .as_ref()
                .unwrap_or(&answer.fetched_at)
                .clone(),
        ];
        table.row(RowStyle::Plain, cells);
    }
    (!is_empty).then_some(table)
}

impl DocumentStock {
    /// The most exact name of the place.
    fn place(&self) -> &str {
        let names = [&self.place.site, &self.place.zone, &self.place.region];
        let known = names.into_iter().flatten().next();
        known.map_or("all regions", String::as_str)
    }
}

impl DocumentCount {
    fn words(&self) -> String {
        let unit = if self.unit == "accelerators" {
            " GPUs"
        } else {
            ""
        };
        match self.qualifier.as_str() {
            "exact" => format!("{}{unit}", self.value),
            "at-most" => format!("up to {}{unit}", self.value),
            _ => format!("{}+{unit}", self.value),
        }
    }
}

impl DocumentQuota {
    /// The number of machines that the quota admits.
    fn words(&self) -> Option<String> {
        if self.unlimited {
            return Some("no limit".to_owned());
        }
        let machines = self.machines?;
        // Without the use, fewer may be left.
        Some(match self.used {
            None if machines > 0 => format!("up to {machines}"),
            _ => machines.to_string(),
        })
    }
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

/// Returns the stock at the place of a price: the best state, the quota and the time; `None` if the document has no
/// answer that may be shown.
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
    use crate::render::{HtmlAnswer, Page};

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

    #[test]
    fn every_answer_has_a_row_unless_it_is_confidential() {
        let full = serde_json::json!({
            "place": { "region": "a", "zone": "a-1", "site": null },
            "capacity_type": "spot",
            "state_for_request": "limited",
            "count": { "value": 3, "qualifier": "at-most", "unit": "accelerators" },
            "likelihood": { "value": "7", "scale": "aws-score-1-10" },
            "risk": { "rate": "5-10%", "window_days": 30 },
            "windows": [{ "starts_at": "2026-12-01T00:00:00Z" }],
            "quota": { "machines": 4, "used": null },
            "source": "scores",
            "measured_at": "2026-11-27T12:00:00Z",
            "fetched_at": "2026-11-27T12:03:00Z",
        });
        let answers = [
            answer("available", "a", true),
            serde_json::from_value(full).unwrap(),
            answer("unavailable", "b", false),
        ];
        let table = table([("aws", "p5.48xlarge", &answers[..])].into_iter()).unwrap();
        let page = Page::table(table);
        let page = HtmlAnswer::of_page(page, String::new(), Vec::new()).document("2026-11-27");
        assert_eq!(page.matches("<tr>").count(), 3, "{page}");
        for cell in [
            "a-1",
            "limited",
            "up to 3 GPUs",
            "7 (aws-score-1-10)",
            "5-10% in 30 days",
            "2026-12-01T00:00:00Z",
            "up to 4",
            "scores",
            "2026-11-27T12:00:00Z",
            "unavailable",
            "up to 3",
        ] {
            assert!(page.contains(&format!(">{cell}</td>")), "{cell}: {page}");
        }
        assert!(!page.contains(">available</td>"));
        assert!(super::table([("aws", "x", &answers[..1])].into_iter()).is_none());
    }
}
