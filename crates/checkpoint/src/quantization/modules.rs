//! Classifies modules by their names, and measures their share of the parameters.

use std::collections::BTreeMap;

use sky_accel_core::catalog::NamedFormat;
use sky_accel_core::sizing::Architecture;

/// The whole of a kind of module, as a share.
pub(super) const WHOLE: f64 = 1.0;

/// A kind of module that may have a separate format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ModuleKind {
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

/// The format of modules with a name.
#[derive(Clone, Debug)]
pub(super) struct FormatRule {
    pub module: String,
    pub kind: ModuleKind,
    pub row: NamedFormat,
}

impl FormatRule {
    /// `None` for modules that no kind includes.
    pub fn new(module: &str, row: NamedFormat) -> Option<Self> {
        let kind = kind(module)?;
        Some(Self {
            module: module.to_owned(),
            kind,
            row,
        })
    }
}

/// Words in names of modules, with their kind. The first word that a name contains decides.
const WORDS: [(&str, Option<ModuleKind>); 25] = [
    ("mtp", None),
    ("vis", None),
    ("projector", None),
    ("router", None),
    ("e_score", None),
    ("norm", None),
    ("conv1d", None),
    ("shared_expert_gate", None),
    ("shared_expert", Some(ModuleKind::Mlp)),
    ("experts", Some(ModuleKind::Experts)),
    ("index", Some(ModuleKind::Recurrence)),
    ("linear_attn", Some(ModuleKind::Recurrence)),
    ("mamba", Some(ModuleKind::Recurrence)),
    ("conv.", Some(ModuleKind::Recurrence)),
    ("mixer.in_proj", Some(ModuleKind::Recurrence)),
    ("mixer.out_proj", Some(ModuleKind::Recurrence)),
    ("mixer.gate", None),
    ("mixer", Some(ModuleKind::Attention)),
    ("attn", Some(ModuleKind::Attention)),
    ("attention", Some(ModuleKind::Attention)),
    ("moe.gate", None),
    ("mlp", Some(ModuleKind::Mlp)),
    ("ffn", Some(ModuleKind::Mlp)),
    ("feed_forward", Some(ModuleKind::Mlp)),
    ("head", Some(ModuleKind::Head)),
];

/// Matrices of MLPs and of recurrent layers, with their share of the parameters of a module.
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

/// The kind of a module.
fn kind(module: &str) -> Option<ModuleKind> {
    if module.rsplit('.').next() == Some("gate") {
        return None;
    }
    let found = WORDS.iter().find(|(word, _)| module.contains(word));
    found.and_then(|(_, kind)| *kind)
}

/// The layer of a module, if its name has one.
fn layer(module: &str) -> Option<u32> {
    let mut words = module.split(['.', '*']);
    words.find_map(|word| word.parse::<u32>().ok())
}

/// Whether a name means a whole layer, because nothing follows the number.
fn is_whole_layer(module: &str) -> bool {
    let rest = module.trim_end_matches(['.', '*', '$']);
    rest.rsplit('.')
        .next()
        .is_some_and(|last| last.parse::<u32>().is_ok())
        && !rest.contains("mtp")
}

/// The named share of each kind of module.
#[derive(Debug)]
pub(super) struct NamedShares<'s> {
    shape: &'s Architecture,
    everywhere: BTreeMap<ModuleKind, f64>,
    layers: BTreeMap<(ModuleKind, u32), f64>,
}

impl<'s> NamedShares<'s> {
    pub fn new(shape: &'s Architecture) -> Self {
        Self {
            shape,
            everywhere: BTreeMap::new(),
            layers: BTreeMap::new(),
        }
    }

    /// Adds the modules with a name.
    pub fn add(&mut self, module: &str) {
        let kinds = if is_whole_layer(module) {
            vec![
                ModuleKind::Attention,
                ModuleKind::Recurrence,
                ModuleKind::Mlp,
            ]
        } else {
            kind(module).into_iter().collect()
        };
        for kind in kinds {
            let share = share(module, kind, self.shape);
            // An index is inside attention, so naming all of attention also names its index.
            let has_index = self.shape.attention_layers.is_none() || self.shape.mla.is_some();
            if kind == ModuleKind::Attention && share >= WHOLE && has_index {
                self.name(module, ModuleKind::Recurrence, WHOLE);
            }
            self.name(module, kind, share);
        }
    }

    fn name(&mut self, module: &str, kind: ModuleKind, share: f64) {
        match layer(module) {
            // Layers beyond the last one belong to multi-token prediction.
            Some(layer) if layer >= self.shape.layers => {}
            Some(layer) => *self.layers.entry((kind, layer)).or_default() += share,
            None => *self.everywhere.entry(kind).or_default() += share,
        }
    }

    /// The named share of a kind of module, between 0 and 1.
    pub fn of(&self, kind: ModuleKind) -> f64 {
        let everywhere = self.everywhere.get(&kind).copied().unwrap_or_default();
        let named = self.layers.iter().filter(|((of, _), _)| *of == kind);
        let named: f64 = named.map(|(_, share)| share.min(WHOLE)).sum();
        (everywhere + named / self.layers_of(kind).max(1.0)).min(WHOLE)
    }

    /// The number of layers that have a kind of module.
    fn layers_of(&self, kind: ModuleKind) -> f64 {
        let shape = self.shape;
        let attention = shape.attention_layers.unwrap_or(shape.layers);
        f64::from(match kind {
            ModuleKind::Attention => attention,
            ModuleKind::Recurrence => {
                let mixers = shape.layers - shape.mlp_layers.unwrap_or(0).min(shape.layers);
                let recurrent = mixers.saturating_sub(shape.attention_layers.unwrap_or(0));
                let indexes = shape.sparse.filter(|_| shape.attention_layers.is_none());
                indexes.map_or(recurrent, |sparse| sparse.index_layers)
            }
            ModuleKind::Mlp => shape.mlp_layers.unwrap_or(shape.layers),
            ModuleKind::Experts => shape.expert_layers(),
            ModuleKind::Head => 1,
        })
    }
}

/// The share of the parameters of its kind that a module has.
fn share(module: &str, kind: ModuleKind, shape: &Architecture) -> f64 {
    let name = module.trim_end_matches(['.', '*', '$']);
    let name = name.rsplit(['.', '*']).next().unwrap_or_default();
    // A pattern of several matrices counts as the whole module.
    let is_whole = !name.ends_with("proj") && !name.starts_with('w') || name.contains('(');
    // An MLP without a gate has two matrices instead of three.
    let of_all = if kind != ModuleKind::Recurrence && !shape.gated {
        1.5
    } else {
        WHOLE
    };
    match kind {
        _ if is_whole_layer(module) => WHOLE,
        ModuleKind::Attention => attention_share(name, shape),
        ModuleKind::Experts if is_single_expert(module) => {
            let matrix = MATRICES.iter().find(|(known, _)| *known == name);
            let of_expert = matrix.map_or(WHOLE, |(_, share)| of_all * share);
            let count = shape.experts.map_or(1, |experts| experts.count);
            of_expert / f64::from(count.max(1))
        }
        ModuleKind::Head | ModuleKind::Experts => WHOLE,
        ModuleKind::Mlp | ModuleKind::Recurrence => {
            let matrix = MATRICES.iter().find(|(known, _)| *known == name);
            matrix.map_or(if is_whole { WHOLE } else { 0.0 }, |(_, share)| {
                of_all * share
            })
        }
    }
}

/// Whether a module is a single expert or a matrix of one: `experts.7.up_proj`.
fn is_single_expert(module: &str) -> bool {
    let after = module.split_once("experts.").map(|(_, after)| after);
    after.is_some_and(|after| after.starts_with(|first: char| first.is_ascii_digit()))
}

/// The share of the parameters of attention that a matrix has.
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
