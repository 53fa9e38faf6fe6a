//! Performance of a model on the offers.

use std::cell::RefCell;
use std::collections::HashMap;

use sky_accel_core::text::number;
use sky_accel_engine::contract::{FitOut, FitVerdict, Num, OfferOut, RecommendOut};
use sky_accel_engine::{
    Engine, FitHardware, FitRequest, ModelSource, Nodes, OfferFilter, RecommendRequest, Result,
    RunRequest, TierOrder,
};

use super::listing::RowKey;
use crate::present::precision::precision;

/// Figures of a model on a machine, as computed by `recommend`.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    pub usd_per_million_tokens: Option<f64>,
    /// Output tokens per second of all users together.
    pub tokens_per_s: Option<f64>,
    /// The precision, if it differs from the precision of the request.
    precision: Option<String>,
    /// Free share of the usable memory, from 0 to 1.
    free: Option<f64>,
    /// The figures as a sentence.
    sentence: String,
}

/// A model on every machine that meets the limits.
pub struct SizedModel<'e> {
    engine: Engine<'e>,
    run: RunRequest,
    /// Returns the model as typed.
    name: String,
    /// Short description of the workload.
    pub heading: String,
    of: HashMap<RowKey, Figures>,
    /// Whether the model fits on the remaining machines, by spec.
    verdicts: RefCell<HashMap<String, Verdict>>,
}

/// Whether a model fits on a machine that does not meet the limits.
#[derive(Clone, Debug)]
struct Verdict {
    word: &'static str,
    sentence: String,
}

impl<'e> SizedModel<'e> {
    /// Sizes a model on the machines of every provider that passes the filter.
    ///
    /// # Errors
    ///
    /// Same as [`Engine::recommend`].
    pub fn size(
        engine: &Engine<'e>,
        run: &RunRequest,
        word: &str,
        offers: &OfferFilter,
    ) -> Result<Self> {
        let run = RunRequest {
            model: Some(ModelSource::read(word)),
            model_size: None,
            ..run.clone()
        };
        let request = RecommendRequest {
            run: run.clone(),
            nodes: Nodes::parse("1"),
            tier_order: TierOrder::Any,
            every_machine: true,
            offers: OfferFilter {
                limit: Some(u32::MAX),
                max_price: None,
                ..offers.clone()
            },
            ..RecommendRequest::default()
        };
        let answer = engine.recommend(&request, None)?;
        let rows = answer.envelope.results.iter();
        let of = rows.map(|row| {
            let number = |figure: Option<Num>| figure.map(|figure| figure.0);
            let figures = Figures {
                usd_per_million_tokens: number(row.usd_per_million_tokens),
                tokens_per_s: number(row.tokens_per_s),
                precision: precision(row),
                free: row.fit.as_ref().and_then(free),
                sentence: sentence(row),
            };
            (RowKey::of(&row.offer), figures)
        });
        Ok(Self {
            engine: *engine,
            of: of.collect(),
            heading: answer
                .summary
                .unwrap_or_else(|| format!("{word}: no machine meets the limits")),
            verdicts: RefCell::default(),
            name: word.to_owned(),
            run,
        })
    }

    /// The model as typed.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the figures on a machine that meets the limits.
    pub fn figures(&self, offer: &OfferOut<'_>) -> Option<&Figures> {
        self.of.get(&RowKey::of(offer))
    }

    /// Describes how the model runs on a machine, or why it does not.
    pub fn sentence(&self, offer: &OfferOut<'_>) -> String {
        let sentence = match self.figures(offer) {
            Some(figures) => figures.sentence.clone(),
            None => self.verdict(offer).sentence,
        };
        format!("{}: {sentence}", self.name)
    }

    /// Returns whether the model fits on a machine that does not meet the limits.
    fn verdict(&self, offer: &OfferOut<'_>) -> Verdict {
        let spec = offer.exact_spec();
        let mut verdicts = self.verdicts.borrow_mut();
        let verdict = verdicts.entry(spec.clone()).or_insert_with(|| {
            let request = FitRequest {
                hardware: FitHardware::Spec(spec),
                nodes: 1,
                run: self.run.clone(),
                prices: None,
            };
            match self.engine.fit(&request, None) {
                Ok(answer) => verdict_of(answer.envelope.results.first()),
                Err(error) => Verdict {
                    word: "no",
                    sentence: error.to_string(),
                },
            }
        });
        verdict.clone()
    }

    /// Returns the cells of a row: fit, speed, price per million tokens.
    pub fn cells(&self, offer: &OfferOut<'_>) -> [String; 3] {
        let Some(figures) = self.figures(offer) else {
            return [
                self.verdict(offer).word.to_owned(),
                String::new(),
                String::new(),
            ];
        };
        let free = figures
            .free
            .map(|free| format!("{}%", (free * 100.0).floor()));
        // Narrow cells show only the first word.
        let fits = match (free, &figures.precision) {
            (Some(free), Some(precision)) => format!("{free} {precision}"),
            (Some(free), None) => format!("{free} free"),
            (None, Some(precision)) => format!("yes {precision}"),
            (None, None) => "yes".to_owned(),
        };
        [
            fits,
            figures.tokens_per_s.map(number).unwrap_or_default(),
            figures
                .usd_per_million_tokens
                .map(|usd| format!("{usd:.3}"))
                .unwrap_or_default(),
        ]
    }
}

/// The figures of a machine as a sentence, with the precision in which it runs the model.
fn sentence(row: &RecommendOut<'_>) -> String {
    let precision = precision(row).map(|precision| format!("in {precision}"));
    let parts = precision.iter().chain(&row.why).map(String::as_str);
    parts.collect::<Vec<_>>().join("; ")
}

fn verdict_of(fit: Option<&FitOut>) -> Verdict {
    let Some(fit) = fit else {
        return Verdict {
            word: "?",
            sentence: "the memory of this machine is unknown".to_owned(),
        };
    };
    let (high, usable) = (fit.per_device_gib.high, fit.per_device_gib.usable);
    let needs = |usable: Num| {
        let (high, usable) = (number(high.0), number(usable.0));
        format!("needs up to {high} of {usable} usable GiB per device")
    };
    match (fit.fits, usable) {
        (Some(true), _) => Verdict {
            word: "fits",
            sentence: "fits, but `recommend` excludes this machine: too slow, too full, or no recent price"
                .to_owned(),
        },
        (Some(false), _) if fit.refused.is_some() => Verdict {
            word: "no",
            sentence: fit.refused.clone().unwrap_or_default(),
        },
        (Some(false), Some(usable)) => {
            let word = match fit.verdict {
                Some(FitVerdict::Tight) => "tight",
                _ => "no",
            };
            let remedy = fit.would_fit.first();
            let remedy = remedy.map(|remedy| format!("; would fit: {}", remedy.message));
            Verdict {
                word,
                sentence: format!("{}{}", needs(usable), remedy.unwrap_or_default()),
            }
        }
        _ => Verdict {
            word: "?",
            sentence: "the memory of the device is unknown".to_owned(),
        },
    }
}

/// Returns the free share of the usable memory, from 0 to 1.
fn free(fit: &FitOut) -> Option<f64> {
    let usable = fit.per_device_gib.usable?.0;
    Some(1.0 - fit.per_device_gib.high.0 / usable)
}
