//! The parts of each layer.
//!
//! Configurations tell it by a list of words, by a pattern of letters, by the numbers of the layers
//! with attention, or by an interval.

use serde_json::Value;
use sky_accel_core::catalog::{Arrangement, Family};

use crate::fields::{ConfigError, Fields, MOST_LAYERS, Result, list, needed, number, object};

/// The longest word of a layer that an error repeats.
const MAX_WORD: usize = 40;

/// How far attention sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Every token before.
    Everything,
    /// The nearest tokens.
    Window,
}

/// The MLP of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mlp {
    /// None: the layer only mixes tokens.
    Absent,
    /// A dense one.
    Dense,
    /// A mixture of experts.
    Experts,
    /// One of these two: other fields say which.
    Either,
}

/// The parts of one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layer {
    pub attention: Option<Reach>,
    pub has_recurrence: bool,
    pub mlp: Mlp,
}

impl Layer {
    const fn attending(reach: Reach) -> Self {
        Self {
            attention: Some(reach),
            has_recurrence: false,
            mlp: Mlp::Either,
        }
    }

    const RECURRENT: Self = Self {
        attention: None,
        has_recurrence: true,
        mlp: Mlp::Either,
    };

    const fn only(mlp: Mlp) -> Self {
        Self {
            attention: None,
            has_recurrence: false,
            mlp,
        }
    }

    /// A layer that is nothing but its mixer.
    const fn alone(self) -> Self {
        Self {
            mlp: Mlp::Absent,
            ..self
        }
    }

    /// The layer that a word stands for.
    fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "attention" | "full_attention" => Self::attending(Reach::Everything),
            "sliding_attention" | "chunked_attention" => Self::attending(Reach::Window),
            "mamba" | "mamba2" | "conv" | "linear_attention" => Self::RECURRENT,
            "mlp" => Self::only(Mlp::Dense),
            "moe" => Self::only(Mlp::Experts),
            _ => return None,
        })
    }

    /// The layer that a letter of a pattern stands for.
    fn from_letter(letter: char) -> Option<Self> {
        Some(match letter {
            'M' => Self::RECURRENT,
            '*' => Self::attending(Reach::Everything),
            '-' => Self::only(Mlp::Dense),
            'E' => Self::only(Mlp::Experts),
            _ => return None,
        })
    }
}

/// Lists of a word for each layer.
const WORD_LISTS: [&str; 2] = ["layer_types", "layers_block_type"];
const PATTERN: &str = "hybrid_override_pattern";

/// The number of layers of a model whose configuration tells each of them, and no number.
pub(crate) fn listed_layers(config: &Fields) -> Option<u32> {
    let words = WORD_LISTS.iter().find_map(|name| list(config, name));
    let pattern = config.get(PATTERN).and_then(Value::as_str);
    let listed = words
        .map(<[Value]>::len)
        .or_else(|| pattern.map(|pattern| pattern.chars().count()));
    u32::try_from(listed?).ok()
}

/// Each layer of a model, first to last; `None` where the configuration tells them apart by counts
/// alone.
pub(crate) fn plan(config: &Fields, family: &Family, layers: u32) -> Result<Option<Vec<Layer>>> {
    let all = |layer: Layer| Some(vec![layer; layers as usize]);
    Ok(match (family.recurrence, family.arrangement) {
        (_, Arrangement::RecurrenceOnly) => all(Layer::RECURRENT.alone()),
        (_, Arrangement::BothWithMlp) => all(Layer {
            has_recurrence: true,
            ..Layer::attending(Reach::Everything)
        }),
        (_, Arrangement::OnePart) => {
            let told = told_apart(config, layers)?.ok_or(ConfigError::Missing(PATTERN))?;
            let one_part = |layer: Layer| match layer.mlp {
                Mlp::Either => layer.alone(),
                _ => layer,
            };
            Some(told.into_iter().map(one_part).collect())
        }
        (Some(_), Arrangement::EitherWithMlp) => match told_apart(config, layers)? {
            Some(told) => Some(told),
            None => Some(at_intervals(config, layers)?),
        },
        (None, Arrangement::EitherWithMlp) => windowed(config, layers),
    })
}

/// The first items of a list, one for each layer: some lists go on with layers that predict more
/// tokens.
pub(crate) fn for_each_layer<'l, T>(
    items: &'l [T],
    field: &'static str,
    layers: u32,
) -> Result<&'l [T]> {
    items.get(..layers as usize).ok_or(ConfigError::LayerCount {
        field,
        listed: items.len(),
        layers,
    })
}

fn unknown(field: &'static str, word: &str) -> ConfigError {
    let word = word.chars().take(MAX_WORD).collect();
    ConfigError::UnknownLayer { field, word }
}

/// Layers by words, letters, or the numbers of those with attention.
fn told_apart(config: &Fields, layers: u32) -> Result<Option<Vec<Layer>>> {
    for field in WORD_LISTS {
        let Some(words) = list(config, field) else {
            continue;
        };
        let words = for_each_layer(words, field, layers)?.iter();
        let read = words.map(|word| {
            let word = word.as_str().unwrap_or_default();
            Layer::from_word(word).ok_or_else(|| unknown(field, word))
        });
        return read.collect::<Result<_>>().map(Some);
    }
    if let Some(pattern) = config.get(PATTERN).and_then(Value::as_str) {
        let most = layers as usize + 1;
        let letters: Vec<char> = pattern.chars().take(most).collect();
        if letters.len() != layers as usize {
            return Err(ConfigError::LayerCount {
                field: PATTERN,
                listed: pattern.chars().count(),
                layers,
            });
        }
        let read = letters.into_iter().map(|letter| {
            Layer::from_letter(letter).ok_or_else(|| unknown(PATTERN, &letter.to_string()))
        });
        return read.collect::<Result<_>>().map(Some);
    }
    // A flag for each layer: 1 for attention to everything.
    if let Some(flags) = list(config, "attn_type_list") {
        let flags = for_each_layer(flags, "attn_type_list", layers)?;
        let attends = |at: usize| flags.get(at).and_then(Value::as_u64) == Some(1);
        return Ok(Some(attending(layers, attends)));
    }
    let linear = object(config, "linear_attn_config");
    let numbers = linear
        .and_then(|fields| list(fields, "full_attn_layers"))
        .map(|numbers| (numbers, 1))
        .or_else(|| list(config, "full_attn_idxs").map(|numbers| (numbers, 0)))
        .or_else(|| list(config, "attn_layer_indices").map(|numbers| (numbers, 0)));
    let Some((numbers, first)) = numbers else {
        return Ok(None);
    };
    let mut attends = vec![false; layers as usize];
    for number in numbers {
        let at = number.as_u64().and_then(|n| n.checked_sub(first));
        if let Some(flag) = at.and_then(|at| attends.get_mut(usize::try_from(at).ok()?)) {
            *flag = true;
        }
    }
    Ok(Some(attending(layers, |at| attends.get(at) == Some(&true))))
}

fn attending(layers: u32, attends: impl Fn(usize) -> bool) -> Vec<Layer> {
    let layer = |at| {
        if attends(at) {
            Layer::attending(Reach::Everything)
        } else {
            Layer::RECURRENT
        }
    };
    (0..layers as usize).map(layer).collect()
}

/// Attention in one layer of so many.
fn at_intervals(config: &Fields, layers: u32) -> Result<Vec<Layer>> {
    let names = ["attn_layer_period", "full_attention_interval"];
    let period = needed(config, &names, MOST_LAYERS)?;
    let offset = number(config, &["attn_layer_offset"], MOST_LAYERS)?;
    let offset = offset.unwrap_or(period - 1) % period;
    let attends = |at: usize| at as u32 % period == offset;
    Ok(attending(layers, attends))
}

/// Layers with attention, of which some have a window.
fn windowed(config: &Fields, layers: u32) -> Option<Vec<Layer>> {
    let is_local = |at: usize| {
        if let Some(words) = list(config, "layer_types") {
            words.get(at).and_then(Value::as_str) == Some("sliding_attention")
        } else {
            let flags = list(config, "hybrid_layer_pattern").unwrap_or_default();
            flags.get(at).and_then(Value::as_u64) == Some(1)
        }
    };
    let tells = ["layer_types", "hybrid_layer_pattern"];
    tells.iter().find_map(|name| list(config, name))?;
    let layer = |at| {
        Layer::attending(if is_local(at) {
            Reach::Window
        } else {
            Reach::Everything
        })
    };
    Some((0..layers as usize).map(layer).collect())
}
