//! Modules by their names: which part of a model they are, and how much of it.

use std::collections::BTreeMap;

use sky_accel_core::catalog::NamedFormat;
use sky_accel_core::sizing::Architecture;

/// All of a part.
pub(super) const WHOLE: f64 = 1.0;

/// A part of a model that may have a format of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// Matrices of attention.
    Attention,
    /// Recurrent layers, and indexes of attention.
    Recurrence,
    /// Dense MLPs and shared experts.
    Mlp,
    /// Routed experts.
    Experts,
    /// The head.
    Head,
}

/// The format of the modules with a name.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub module: String,
    pub part: Part,
    pub row: NamedFormat,
}

impl Rule {
    /// `None` for modules that no part has.
    pub fn new(module: &str, row: NamedFormat) -> Option<Self> {
        let part = part(module)?;
        Some(Self {
            module: module.to_owned(),
            part,
            row,
        })
    }
}

/// Words in names of modules, and the part that they are of: the first that a name has counts.
const WORDS: [(&str, Option<Part>); 25] = [
    ("mtp", None),
    ("vis", None),
    ("projector", None),
    ("router", None),
    ("e_score", None),
    ("norm", None),
    ("conv1d", None),
    ("shared_expert_gate", None),
    ("shared_expert", Some(Part::Mlp)),
    ("experts", Some(Part::Experts)),
    ("index", Some(Part::Recurrence)),
    ("linear_attn", Some(Part::Recurrence)),
    ("mamba", Some(Part::Recurrence)),
    ("conv.", Some(Part::Recurrence)),
    ("mixer.in_proj", Some(Part::Recurrence)),
    ("mixer.out_proj", Some(Part::Recurrence)),
    ("mixer.gate", None),
    ("mixer", Some(Part::Attention)),
    ("attn", Some(Part::Attention)),
    ("attention", Some(Part::Attention)),
    ("moe.gate", None),
    ("mlp", Some(Part::Mlp)),
    ("ffn", Some(Part::Mlp)),
    ("feed_forward", Some(Part::Mlp)),
    ("head", Some(Part::Head)),
];

/// Matrices of MLPs and of recurrent layers, and the share of the part that they are.
const MATRICES: [(&str, f64); 14] = [
    ("gate_proj", 1.0 / 3.0),
    ("up_proj", 1.0 / 3.0),
    ("down_proj", 1.0 / 3.0),
    ("gate_up_proj", 2.0 / 3.0),
    ("w1", 1.0 / 3.0),
    ("w2", 1.0 / 3.0),
    ("w3", 1.0 / 3.0),
    ("in_proj", 2.0 / 3.0),
    ("in_proj_qkvz", 2.0 / 3.0),
    ("in_proj_qkv", 1.0 / 2.0),
    ("in_proj_z", 1.0 / 6.0),
    ("out_proj", 1.0 / 3.0),
    ("index_q_proj", 3.0 / 4.0),
    ("index_k_proj", 1.0 / 4.0),
];

/// The part that a module is of.
fn part(module: &str) -> Option<Part> {
    if module.rsplit('.').next() == Some("gate") {
        return None;
    }
    let found = WORDS.iter().find(|(word, _)| module.contains(word));
    found.and_then(|(_, part)| *part)
}

/// The layer that a module is in, where it is in one.
fn layer(module: &str) -> Option<u32> {
    let mut words = module.split(['.', '*']);
    words.find_map(|word| word.parse::<u32>().ok())
}

/// Whether a name stands for all of a layer: nothing follows its number.
fn is_whole_layer(module: &str) -> bool {
    let rest = module.trim_end_matches(['.', '*', '$']);
    rest.rsplit('.')
        .next()
        .is_some_and(|last| last.parse::<u32>().is_ok())
        && !rest.contains("mtp")
}

/// How much of each part has been named.
#[derive(Debug)]
pub(super) struct Shares<'s> {
    shape: &'s Architecture,
    everywhere: BTreeMap<Part, f64>,
    layers: BTreeMap<(Part, u32), f64>,
}

impl<'s> Shares<'s> {
    pub fn new(shape: &'s Architecture) -> Self {
        Self {
            shape,
            everywhere: BTreeMap::new(),
            layers: BTreeMap::new(),
        }
    }

    /// Adds the modules with a name.
    pub fn add(&mut self, module: &str) {
        let parts = if is_whole_layer(module) {
            vec![Part::Attention, Part::Recurrence, Part::Mlp]
        } else {
            part(module).into_iter().collect()
        };
        for part in parts {
            let share = share(module, part, self.shape);
            // What the rules of attention do not count is inside of it, unless other layers have it.
            let has_index = self.shape.attention_layers.is_none() || self.shape.mla.is_some();
            if part == Part::Attention && share >= WHOLE && has_index {
                self.name(module, Part::Recurrence, WHOLE);
            }
            self.name(module, part, share);
        }
    }

    fn name(&mut self, module: &str, part: Part, share: f64) {
        match layer(module) {
            // Layers beyond the last one predict more tokens.
            Some(layer) if layer >= self.shape.layers => {}
            Some(layer) => *self.layers.entry((part, layer)).or_default() += share,
            None => *self.everywhere.entry(part).or_default() += share,
        }
    }

    /// The share of a part that has been named, between 0 and 1.
    pub fn of(&self, part: Part) -> f64 {
        let everywhere = self.everywhere.get(&part).copied().unwrap_or_default();
        let named = self.layers.iter().filter(|((of, _), _)| *of == part);
        let named: f64 = named.map(|(_, share)| share.min(WHOLE)).sum();
        (everywhere + named / self.layers_of(part).max(1.0)).min(WHOLE)
    }

    /// The number of layers that have a part.
    fn layers_of(&self, part: Part) -> f64 {
        let shape = self.shape;
        let attention = shape.attention_layers.unwrap_or(shape.layers);
        f64::from(match part {
            Part::Attention => attention,
            Part::Recurrence => {
                let mixers = shape.layers - shape.mlp_layers.unwrap_or(0).min(shape.layers);
                let recurrent = mixers.saturating_sub(shape.attention_layers.unwrap_or(0));
                let indexes = shape.sparse.filter(|_| shape.attention_layers.is_none());
                indexes.map_or(recurrent, |sparse| sparse.index_layers)
            }
            Part::Mlp => shape.mlp_layers.unwrap_or(shape.layers),
            Part::Experts => shape.expert_layers(),
            Part::Head => 1,
        })
    }
}

/// The share of the parameters of a part that a module of it has.
fn share(module: &str, part: Part, shape: &Architecture) -> f64 {
    let name = module.trim_end_matches(['.', '*', '$']);
    let name = name.rsplit(['.', '*']).next().unwrap_or_default();
    // A pattern of several matrices names all of them.
    let is_whole = !name.ends_with("proj") && !name.starts_with('w') || name.contains('(');
    // Without a gate, an MLP has two matrices.
    let of_all = if part != Part::Recurrence && !shape.gated {
        1.5
    } else {
        WHOLE
    };
    match part {
        _ if is_whole_layer(module) => WHOLE,
        Part::Attention => attention_share(name, shape),
        Part::Experts if is_single_expert(module) => {
            let matrix = MATRICES.iter().find(|(known, _)| *known == name);
            let of_expert = matrix.map_or(WHOLE, |(_, share)| of_all * share);
            let count = shape.experts.map_or(1, |experts| experts.count);
            of_expert / f64::from(count.max(1))
        }
        Part::Head | Part::Experts => WHOLE,
        Part::Mlp | Part::Recurrence => {
            let matrix = MATRICES.iter().find(|(known, _)| *known == name);
            matrix.map_or(if is_whole { WHOLE } else { 0.0 }, |(_, share)| {
                of_all * share
            })
        }
    }
}

/// Whether a module is one expert of a layer, or a part of one: `experts.7.up_proj`.
fn is_single_expert(module: &str) -> bool {
    let after = module.split_once("experts.").map(|(_, after)| after);
    after.is_some_and(|after| after.starts_with(|first: char| first.is_ascii_digit()))
}

/// The share of the parameters of attention that a matrix of it has, or all of it.
fn attention_share(name: &str, shape: &Architecture) -> f64 {
    let hidden = f64::from(shape.hidden);
    let all = shape.attention_parameters().max(1.0);
    let parameters = match (shape.mla, name) {
        (_, name) if !name.ends_with("_proj") && !name.ends_with("mqa") => all,
        (Some(mla), name) => {
            let heads = f64::from(shape.heads);
            let (q_rank, kv_rank) = (f64::from(mla.q_rank), f64::from(mla.kv_rank));
            match name {
                "q_a_proj" => hidden * q_rank,
                "q_b_proj" => q_rank * shape.query_width(),
                "q_proj" => hidden * shape.query_width(),
                "kv_a_proj_with_mqa" | "kv_a_proj" => hidden * (kv_rank + f64::from(mla.rope_dim)),
                "kv_b_proj" => kv_rank * heads * f64::from(mla.nope_dim + mla.value_dim),
                "o_proj" => heads * f64::from(mla.value_dim) * hidden,
                _ => 0.0,
            }
        }
        (None, "q_proj" | "o_proj") => hidden * shape.query_width(),
        (None, "k_proj" | "v_proj") => hidden * shape.key_width(),
        (None, "qkv_proj") => hidden * (shape.query_width() + 2.0 * shape.key_width()),
        (None, _) => 0.0,
    };
    (parameters / all).min(WHOLE)
}
