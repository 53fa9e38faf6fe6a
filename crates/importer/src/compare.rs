//! Differences between a configuration and the catalog, field by field.

use std::fmt::Debug;

use sky_accel_catalog::shape_tables;
use sky_accel_core::sizing::Architecture;

/// The relative difference between numbers of parameters that corrections of an entry may cause.
const SAME_SIZE: f64 = 0.01;

/// A field with two values.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    pub field: &'static str,
    pub ours: String,
    pub theirs: String,
}

/// Compares two shapes. The parameters of modules without own fields are compared as a part of all parameters.
pub fn shapes(ours: &Architecture, theirs: &Architecture) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut compare = |field: &'static str, ours: &dyn Debug, theirs: &dyn Debug| {
        let (ours, theirs) = (format!("{ours:?}"), format!("{theirs:?}"));
        if ours != theirs {
            found.push(Difference {
                field,
                ours,
                theirs,
            });
        }
    };
    compare("layers", &ours.layers, &theirs.layers);
    compare("hidden", &ours.hidden, &theirs.hidden);
    compare("heads", &ours.heads, &theirs.heads);
    // Latent attention has no key heads, and its parts have their own widths.
    if ours.mla.is_none() || theirs.mla.is_none() {
        compare("kv_heads", &ours.kv_heads, &theirs.kv_heads);
        compare("head_dim", &ours.head_dim, &theirs.head_dim);
    }
    // Without dense layers, nothing has this width.
    if [ours, theirs]
        .iter()
        .any(|shape| shape.expert_layers() < shape.layers)
    {
        compare("ffn", &ours.ffn, &theirs.ffn);
    }
    compare("vocab", &ours.vocab, &theirs.vocab);
    compare("tied", &ours.tied, &theirs.tied);
    compare("gated", &ours.gated, &theirs.gated);
    compare("positions", &ours.positions, &theirs.positions);
    for ((field, ours), (_, theirs)) in shape_tables(ours).into_iter().zip(shape_tables(theirs)) {
        compare(field, &Shown(ours), &Shown(theirs));
    }
    compare("cache_width", &ours.cache_width, &theirs.cache_width);
    compare("mlp_layers", &ours.mlp_layers, &theirs.mlp_layers);
    let layers = |shape: &Architecture| shape.attention_layers.unwrap_or(shape.layers);
    compare("attention_layers", &layers(ours), &layers(theirs));
    compare("state_values", &ours.state_values, &theirs.state_values);
    // A context that needs YaRN is the catalog's: the file states the context without it.
    let native = ours.yarn.map(|yarn| yarn.native_context);
    if theirs.context.is_some() && native != theirs.context {
        compare("context", &Shown(ours.context), &Shown(theirs.context));
    }
    // Entries of the catalog may leave out towers for images, which texts do not pass through.
    let sizes =
        [ours, theirs].map(|shape| shape.parameters().total() - shape.extra_parameters as f64);
    if (sizes[0] / sizes[1] - 1.0).abs() > SAME_SIZE {
        compare("parameters", &sizes[0], &sizes[1]);
    }
    found
}

/// An optional value without `Some`.
struct Shown<T>(Option<T>);

impl<T: std::fmt::Display> Debug for Shown<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Some(value) => write!(f, "{value}"),
            None => write!(f, "nothing"),
        }
    }
}
