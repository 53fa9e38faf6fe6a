//! `[[leaderboard]]`: the quality of models.

use sky_accel_core::catalog::ModelScore;
use sky_accel_core::text::same_name;

use super::Compiler;
use crate::bounds;
use crate::schema::SpannedText;

impl Compiler<'_> {
    /// Compiles the scores of the leaderboard. A later layer changes scores of the leaderboard with the same name, and
    /// replaces another leaderboard, because scores of two leaderboards cannot be compared.
    pub(super) fn model_scores(&mut self) {
        let boards = self.layered(
            |document| &document.content.leaderboard,
            |_, item| (String::new(), &item.name),
            |under, over| {
                let before = std::mem::replace(under, over.clone());
                if before.name.get_ref() == under.name.get_ref() {
                    let is_kept = |model: &SpannedText| {
                        let mut given = over.scores.keys();
                        !given.any(|other| same_name(other.get_ref(), model.get_ref()))
                    };
                    let kept = before.scores.into_iter();
                    under
                        .scores
                        .extend(kept.filter(|(model, _)| is_kept(model)));
                }
            },
        );
        let mut rows: Vec<ModelScore> = Vec::new();
        for (document, board) in &boards {
            let leaderboard = self.text(document, Some(&board.name));
            let source = self.text(document, Some(&board.source));
            let as_of = self.date(document, &board.as_of);
            for (name, score) in &board.scores {
                let Some(named) = self.tables.catalog().model_name(name.get_ref()) else {
                    self.fail(document, name, "no model has this name");
                    continue;
                };
                self.within(document, score, *score.get_ref(), &bounds::SCORE);
                rows.push(ModelScore {
                    model: named.model,
                    score: *score.get_ref(),
                    leaderboard,
                    source,
                    as_of,
                });
            }
        }
        rows.sort_by_key(|row| row.model);
        // Two names of a model may have a score each.
        rows.dedup_by_key(|row| row.model);
        self.tables.model_scores = rows.into_iter().collect();
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::{compiled, errors, tiny_model};

    const MODELS: &str = concat!(
        tiny_model!(),
        r#"
[[model_release]]
id = "Tiny-2-1B"
like = "Tiny-1B"
source = "config.json of acme/Tiny-2-1B"
"#
    );

    fn board(name: &str, scores: &str) -> String {
        format!(
            "[[leaderboard]]\nname = \"{name}\"\nsource = \"a page\"\nas_of = \"2026-08-22\"\n[leaderboard.scores]\n{scores}"
        )
    }

    fn scores(texts: &[&str]) -> Vec<(String, f64)> {
        let tables = compiled(texts).unwrap();
        let catalog = tables.catalog();
        let rows = catalog.model_scores.iter();
        let rows = rows.map(|row| {
            let model = catalog.models.get(row.model.into()).unwrap();
            (catalog.str(model.id).to_owned(), row.score)
        });
        rows.collect()
    }

    #[test]
    fn later_layers_change_scores_of_one_leaderboard() {
        let first = board("Arena", "\"acme/Tiny-1B\" = 1200\n\"Tiny-2-1B\" = 1250.5");
        let named = |scores: &[(&str, f64)]| -> Vec<(String, f64)> {
            let scores = scores.iter();
            scores
                .map(|(name, score)| ((*name).to_owned(), *score))
                .collect()
        };
        let both = named(&[("Tiny-1B", 1200.0), ("Tiny-2-1B", 1250.5)]);
        assert_eq!(scores(&[MODELS, &first]), both);
        let changed = board("Arena", "\"Tiny-2-1B\" = 1300");
        let both = named(&[("Tiny-1B", 1200.0), ("Tiny-2-1B", 1300.0)]);
        assert_eq!(scores(&[MODELS, &first, &changed]), both);
        let other = board("Own", "\"Tiny-2-1B\" = 7");
        let other_only = named(&[("Tiny-2-1B", 7.0)]);
        assert_eq!(scores(&[MODELS, &first, &other]), other_only);
    }

    #[test]
    fn wrong_scores_are_errors() {
        let unknown = board("Arena", "\"Tiny-9B\" = 1200");
        assert_eq!(errors(&[MODELS, &unknown]), ["no model has this name"]);
        let huge = board("Arena", "\"Tiny-1B\" = -1");
        assert_eq!(errors(&[MODELS, &huge]).len(), 1);
    }
}
