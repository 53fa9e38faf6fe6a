//! The modules of each layer.
//!
//! Configurations give them as a list of words, a pattern of letters, the numbers of the layers with attention, or an
//! interval.

use serde_json::Value;
use sky_accel_core::catalog::{Arrangement, Family};

use crate::config::LOCAL_ATTENTION;
use crate::fields::{ConfigError, Fields, MOST_LAYERS, Result, list, needed, number, object};

/// The maximum length of a word in an error, in characters.
const MAX_WORD: usize = 40;

/// The range of attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// All previous tokens.
    Everything,
    /// The tokens of a window.
    Window,
}

/// The MLP of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mlp {
    /// No MLP: the layer only mixes tokens.
    Absent,
    /// A dense MLP.
    Dense,
    /// A mixture of experts.
    Experts,
    /// A dense MLP or a mixture, which other fields decide.
    Either,
}

/// The modules of one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LayerModules {
    pub attention: Option<Reach>,
    pub has_recurrence: bool,
    pub mlp: Mlp,
}

impl LayerModules {
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

    /// The layer without its MLP.
    const fn alone(self) -> Self {
        Self {
            mlp: Mlp::Absent,
            ..self
        }
    }

    /// The layer for a word of a list.
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

    /// The layer for a letter of a pattern.
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

/// Fields that list a word for each layer.
const WORD_LISTS: [&str; 2] = ["layer_types", "layers_block_type"];
const PATTERN: &str = "hybrid_override_pattern";

/// The number of layers of a model whose configuration lists each layer instead of their number.
pub(crate) fn listed_layers(config: &Fields) -> Option<u32> {
    let words = WORD_LISTS.iter().find_map(|name| list(config, name));
    let pattern = config.get(PATTERN).and_then(Value::as_str);
    let listed = words
        .map(<[Value]>::len)
        .or_else(|| pattern.map(|pattern| pattern.chars().count()));
    u32::try_from(listed?).ok()
}

/// Lists the layers of a model from first to last; `None` if the configuration only has counts of layers.
pub(crate) fn plan(
    config: &Fields,
    family: &Family,
    layers: u32,
) -> Result<Option<Vec<LayerModules>>> {
    let all = |layer: LayerModules| Some(vec![layer; layers as usize]);
    Ok(match (family.recurrence, family.arrangement) {
        (_, Arrangement::RecurrenceOnly) => all(LayerModules::RECURRENT.alone()),
        (_, Arrangement::BothWithMlp) => all(LayerModules {
            has_recurrence: true,
            ..LayerModules::attending(Reach::Everything)
        }),
        (_, Arrangement::OnePart) => {
            let modules = listed_modules(config, layers)?.ok_or(ConfigError::Missing(PATTERN))?;
            let one_part = |layer: LayerModules| match layer.mlp {
                Mlp::Either => layer.alone(),
                _ => layer,
            };
            Some(modules.into_iter().map(one_part).collect())
        }
        (Some(_), Arrangement::EitherWithMlp) => match listed_modules(config, layers)? {
            Some(told) => Some(told),
            None => Some(at_intervals(config, layers)?),
        },
        (None, Arrangement::EitherWithMlp) => windowed(config, layers),
    })
}

/// The items of a list that describe layers of the decoder. Some lists continue with layers of multi-token prediction.
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

/// Reads layers from words, letters, or the numbers of attention layers.
fn listed_modules(config: &Fields, layers: u32) -> Result<Option<Vec<LayerModules>>> {
    for field in WORD_LISTS {
        let Some(words) = list(config, field) else {
            continue;
        };
        let words = for_each_layer(words, field, layers)?.iter();
        let read = words.map(|word| {
            let word = word.as_str().unwrap_or_default();
            LayerModules::from_word(word).ok_or_else(|| unknown(field, word))
        });
        return read.collect::<Result<_>>().map(Some);
    }
    if let Some(pattern) = config.get(PATTERN).and_then(Value::as_str) {
        let max_letters = layers as usize + 1;
        let letters: Vec<char> = pattern.chars().take(max_letters).collect();
        if letters.len() != layers as usize {
            return Err(ConfigError::LayerCount {
                field: PATTERN,
                listed: pattern.chars().count(),
                layers,
            });
        }
        let read = letters.into_iter().map(|letter| {
            LayerModules::from_letter(letter).ok_or_else(|| unknown(PATTERN, &letter.to_string()))
        });
        return read.collect::<Result<_>>().map(Some);
    }
    // A flag per layer, which is 1 for global attention.
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

fn attending(layers: u32, attends: impl Fn(usize) -> bool) -> Vec<LayerModules> {
    let layer = |at| {
        if attends(at) {
            LayerModules::attending(Reach::Everything)
        } else {
            LayerModules::RECURRENT
        }
    };
    (0..layers as usize).map(layer).collect()
}

/// Reads models with attention at regular intervals.
fn at_intervals(config: &Fields, layers: u32) -> Result<Vec<LayerModules>> {
    let names = ["attn_layer_period", "full_attention_interval"];
    let period = needed(config, &names, MOST_LAYERS)?;
    let offset = number(config, &["attn_layer_offset"], MOST_LAYERS)?;
    let offset = offset.unwrap_or(period - 1) % period;
    let attends = |at: usize| at as u32 % period == offset;
    Ok(attending(layers, attends))
}

/// Reads models with attention in every layer, and windows in some.
fn windowed(config: &Fields, layers: u32) -> Option<Vec<LayerModules>> {
    let is_local = |at: usize| {
        if let Some(words) = list(config, "layer_types") {
            let word = words.get(at).and_then(Value::as_str);
            word.is_some_and(|word| LOCAL_ATTENTION.contains(&word))
        } else {
            let flags = list(config, "hybrid_layer_pattern").unwrap_or_default();
            flags.get(at).and_then(Value::as_u64) == Some(1)
        }
    };
    let tells = ["layer_types", "hybrid_layer_pattern"];
    tells.iter().find_map(|name| list(config, name))?;
    let layer = |at| {
        LayerModules::attending(if is_local(at) {
            Reach::Window
        } else {
            Reach::Everything
        })
    };
    Some((0..layers as usize).map(layer).collect())
}
