//! How a model runs on the offers.

use std::cell::RefCell;
use std::collections::HashMap;

use sky_accel_core::text::number;
use sky_accel_engine::contract::{FitOut, Num, OfferOut};
use sky_accel_engine::{
    Engine, FitHardware, FitRequest, ModelSource, Nodes, OfferFilter, RecommendRequest, Result,
    RunRequest, TierOrder,
};

use super::listing::Key;

/// The figures of a model on a machine, as `recommend` has them.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    pub usd_per_million_tokens: Option<f64>,
    /// Of all users together.
    pub tokens_per_s: Option<f64>,
    /// The share of the usable memory that stays free.
    free: Option<f64>,
    /// The same in words.
    sentence: String,
}

/// A model on every machine that does the work.
pub struct Model<'e> {
    engine: Engine<'e>,
    run: RunRequest,
    /// The model, as it was asked for.
    name: String,
    /// The work in a few words.
    pub heading: String,
    of: HashMap<Key, Figures>,
    /// Of the other machines, whether the model fits, by their specs.
    verdicts: RefCell<HashMap<String, Verdict>>,
}

/// Whether a model fits on a machine that does not do the work.
#[derive(Clone, Debug)]
struct Verdict {
    word: &'static str,
    sentence: String,
}

impl<'e> Model<'e> {
    /// Sizes a model on the machines of every provider that the filter leaves.
    ///
    /// # Errors
    ///
    /// As [`Engine::recommend`].
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
                free: row.fit.as_ref().and_then(free),
                sentence: row.why.join("; "),
            };
            (Key::of(&row.offer), figures)
        });
        Ok(Self {
            engine: *engine,
            of: of.collect(),
            heading: answer
                .summary
                .unwrap_or_else(|| format!("{word}: no machine does this work")),
            verdicts: RefCell::default(),
            name: word.to_owned(),
            run,
        })
    }

    /// The model, as it was asked for.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The figures on a machine that does the work.
    pub fn figures(&self, offer: &OfferOut<'_>) -> Option<&Figures> {
        self.of.get(&Key::of(offer))
    }

    /// How the model runs on a machine, or what is in the way.
    pub fn sentence(&self, offer: &OfferOut<'_>) -> String {
        let sentence = match self.figures(offer) {
            Some(figures) => figures.sentence.clone(),
            None => self.verdict(offer).sentence,
        };
        format!("{}: {sentence}", self.name)
    }

    /// Whether the model fits on any other machine.
    fn verdict(&self, offer: &OfferOut<'_>) -> Verdict {
        let spec = offer.exact_spec();
        let mut verdicts = self.verdicts.borrow_mut();
        let verdict = verdicts.entry(spec.clone()).or_insert_with(|| {
            let request = FitRequest {
                hardware: FitHardware::Spec(spec),
                nodes: 1,
                run: self.run.clone(),
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

    /// The cells of a row: whether it fits, its speed, its price per million tokens.
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
            .map(|free| format!("{}% free", (free * 100.0).floor()));
        [
            free.unwrap_or_else(|| "yes".to_owned()),
            figures.tokens_per_s.map(number).unwrap_or_default(),
            figures
                .usd_per_million_tokens
                .map(|usd| format!("{usd:.3}"))
                .unwrap_or_default(),
        ]
    }
}

fn verdict_of(fit: Option<&FitOut>) -> Verdict {
    let Some(fit) = fit else {
        return Verdict {
            word: "?",
            sentence: "the memory of this machine is not known".to_owned(),
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
            sentence: "fits, but `recommend` leaves this machine out: too slow, too full, or not sold at a recent price"
                .to_owned(),
        },
        (Some(false), _) if fit.refused.is_some() => Verdict {
            word: "no",
            sentence: fit.refused.clone().unwrap_or_default(),
        },
        (Some(false), Some(usable)) => {
            let remedy = fit.would_fit.first();
            let remedy = remedy.map(|remedy| format!("; would fit: {}", remedy.message));
            Verdict {
                word: "no",
                sentence: format!("{}{}", needs(usable), remedy.unwrap_or_default()),
            }
        }
        _ => Verdict {
            word: "?",
            sentence: "the memory of the device is not known".to_owned(),
        },
    }
}

/// The share of the usable memory that stays free.
fn free(fit: &FitOut) -> Option<f64> {
    let usable = fit.per_device_gib.usable?.0;
    Some(1.0 - fit.per_device_gib.high.0 / usable)
}
