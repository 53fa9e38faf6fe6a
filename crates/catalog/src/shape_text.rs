//! Writes an architecture as the fields of a `[[model]]`.

use std::fmt::Write as _;

use sky_accel_core::sizing::{Architecture, Biases, QkNorm, Vision};

/// Returns the lines of a shape. Fields with their default values are left out.
pub fn shape_lines(shape: &Architecture) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name} = {value}");
    };
    for (name, value) in [
        ("layers", shape.layers),
        ("hidden", shape.hidden),
        ("heads", shape.heads),
    ] {
        line(name, value.to_string());
    }
    if shape.kv_heads != shape.heads {
        line("kv_heads", shape.kv_heads.to_string());
    }
    for (name, value) in [
        ("head_dim", shape.head_dim),
        ("ffn", shape.ffn),
        ("vocab", shape.vocab),
    ] {
        line(name, value.to_string());
    }
    if shape.tied {
        line("tied", "true".to_owned());
    }
    if !shape.gated {
        line("gated", "false".to_owned());
    }
    let biases = bias_words(shape.biases);
    if !biases.is_empty() {
        line("biases", format!("[{}]", biases.join(", ")));
    }
    if let Some(norm) = shape.qk_norm {
        let word = match norm {
            QkNorm::Head => "head",
            QkNorm::Full => "full",
            QkNorm::Joint => "joint",
        };
        line("qk_norm", format!("\"{word}\""));
    }
    if shape.norms_per_layer != 2 {
        line("norms_per_layer", shape.norms_per_layer.to_string());
    }
    if shape.positions > 0 {
        line("positions", shape.positions.to_string());
    }
    for (name, table) in shape_tables(shape) {
        if let Some(table) = table {
            line(name, table);
        }
    }
    for (name, value) in [
        ("cache_width", shape.cache_width),
        ("mlp_layers", shape.mlp_layers),
        ("attention_layers", shape.attention_layers),
    ] {
        if let Some(value) = value {
            line(name, value.to_string());
        }
    }
    if shape.state_values > 0 {
        line("state_values", shape.state_values.to_string());
    }
    for (name, value) in [
        ("other_matrices", shape.other_matrices),
        ("extra_parameters", shape.extra_parameters),
    ] {
        if value != 0 {
            line(name, value.to_string());
        }
    }
    if shape.image_parameters > 0 {
        line("image_parameters", shape.image_parameters.to_string());
    }
    if let Some(vision) = &shape.vision {
        line("vision", tower(vision, shape.image_parameters));
    }
    if let Some(context) = shape.context {
        line("context", context.to_string());
    }
    if let Some(yarn) = shape.yarn {
        let fields = [
            ("native_context", Some(yarn.native_context)),
            ("original_context", Some(yarn.original_context)),
            ("rope_theta", Some(yarn.rope_theta)),
        ];
        line("yarn", inline(&fields));
    }
    text
}

fn bias_words(biases: Biases) -> Vec<&'static str> {
    let parts = [
        (biases.qkv, "\"qkv\""),
        (biases.out, "\"out\""),
        (biases.mlp, "\"mlp\""),
        (biases.norm, "\"norm\""),
        (biases.head, "\"head\""),
    ];
    let parts = parts.into_iter().filter(|(is_set, _)| *is_set);
    parts.map(|(_, word)| word).collect()
}

/// The fields that are tables.
pub fn shape_tables(shape: &Architecture) -> [(&'static str, Option<String>); 5] {
    let window = shape.window.map(|window| {
        inline(&[
            ("tokens", Some(window.tokens)),
            ("global_layers", nonzero(window.global_layers)),
            ("global_cache_width", window.global_cache_width),
            ("global_kv_heads", window.global_kv_heads),
            ("kv_heads", window.kv_heads),
        ])
    });
    let experts = shape.experts.map(|experts| {
        inline(&[
            ("count", Some(experts.count)),
            ("active", Some(experts.active)),
            ("width", Some(experts.width)),
            ("shared_width", nonzero(experts.shared_width)),
            ("dense_first", nonzero(experts.dense_first)),
            ("every", Some(experts.every).filter(|every| *every != 1)),
            ("latent_width", nonzero(experts.latent_width)),
            ("image_width", nonzero(experts.image_width)),
        ])
    });
    let mla = shape.mla.map(|mla| {
        inline(&[
            ("kv_rank", Some(mla.kv_rank)),
            ("q_rank", nonzero(mla.q_rank)),
            ("nope_dim", Some(mla.nope_dim)),
            ("rope_dim", Some(mla.rope_dim)),
            ("value_dim", Some(mla.value_dim)),
        ])
    });
    let sparse = shape.sparse.map(|sparse| {
        let layers = Some(sparse.layers).filter(|layers| *layers != shape.layers);
        let index_layers = Some(sparse.index_layers).filter(|layers| *layers != sparse.layers);
        inline(&[
            ("top_k", Some(sparse.top_k)),
            ("layers", layers),
            ("index_layers", index_layers),
            ("index_heads", Some(sparse.index_heads)),
            ("index_width", Some(sparse.index_width)),
        ])
    });
    let compressed = shape.compressed.map(|compressed| {
        inline(&[
            ("sparse_layers", Some(compressed.sparse_layers)),
            ("sparse_ratio", Some(compressed.sparse_ratio)),
            ("heavy_layers", Some(compressed.heavy_layers)),
            ("heavy_ratio", Some(compressed.heavy_ratio)),
        ])
    });
    [
        ("window", window),
        ("experts", experts),
        ("mla", mla),
        ("sparse", sparse),
        ("compressed", compressed),
    ]
}

/// The tower for images of a model with `image_parameters`.
fn tower(vision: &Vision, image_parameters: u64) -> String {
    let layers = vision.layers;
    let global_layers = Some(vision.global_layers).filter(|global| *global != layers);
    let shape = inline(&[
        ("hidden", Some(vision.hidden)),
        ("layers", Some(layers)),
        ("global_layers", global_layers),
        ("patches", Some(vision.patches)),
        ("values", Some(vision.values)),
        ("tokens", Some(vision.tokens)),
    ]);
    if vision.parameters == image_parameters {
        return shape;
    }
    let shape = shape.trim_start_matches("{ ");
    format!("{{ parameters = {}, {shape}", vision.parameters)
}

fn nonzero(value: u32) -> Option<u32> {
    Some(value).filter(|value| *value > 0)
}

fn inline(fields: &[(&str, Option<u32>)]) -> String {
    let fields = fields.iter();
    let given = fields.filter_map(|(name, value)| value.map(|value| format!("{name} = {value}")));
    format!("{{ {} }}", given.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use sky_accel_core::sizing::{Compressed, Experts, Mla, Sparse, Vision, Window, Yarn};

    use super::*;
    use crate::{Layer, Source, compile};

    /// A shape with every field.
    fn full() -> Architecture {
        Architecture {
            hidden: 4096,
            layers: 32,
            heads: 32,
            kv_heads: 8,
            head_dim: 128,
            ffn: 14336,
            vocab: 128_256,
            tied: true,
            gated: false,
            biases: Biases {
                qkv: true,
                out: true,
                mlp: true,
                norm: true,
                head: true,
            },
            qk_norm: Some(QkNorm::Joint),
            norms_per_layer: 4,
            positions: 2050,
            window: Some(Window {
                tokens: 512,
                global_layers: 0,
                global_cache_width: Some(1024),
                global_kv_heads: Some(4),
                kv_heads: Some(16),
            }),
            experts: Some(Experts {
                count: 8,
                active: 2,
                width: 1024,
                shared_width: 512,
                dense_first: 1,
                every: 2,
                latent_width: 256,
                image_width: 32,
            }),
            mla: Some(Mla {
                kv_rank: 512,
                q_rank: 0,
                nope_dim: 128,
                rope_dim: 64,
                value_dim: 128,
            }),
            sparse: Some(Sparse {
                top_k: 2048,
                layers: 32,
                index_layers: 16,
                index_heads: 64,
                index_width: 128,
            }),
            compressed: Some(Compressed {
                sparse_layers: 8,
                sparse_ratio: 4,
                heavy_layers: 8,
                heavy_ratio: 128,
            }),
            cache_width: Some(0),
            mlp_layers: Some(30),
            attention_layers: Some(16),
            state_values: 1_000_000,
            other_matrices: -5,
            extra_parameters: 7,
            image_parameters: 9,
            vision: Some(Vision {
                parameters: 8,
                hidden: 1152,
                layers: 27,
                global_layers: 4,
                patches: 4,
                values: 1536,
                tokens: 1024,
            }),
            context: Some(131_072),
            yarn: Some(Yarn {
                native_context: 32_768,
                original_context: 16_384,
                rope_theta: 10_000,
            }),
        }
    }

    #[test]
    fn a_written_shape_is_read_back_as_it_was() {
        let plain = Architecture {
            hidden: 64,
            layers: 2,
            heads: 4,
            kv_heads: 4,
            head_dim: 16,
            vocab: 100,
            gated: true,
            norms_per_layer: 2,
            ..Architecture::default()
        };
        for shape in [full(), plain] {
            let text = format!(
                "[[model]]\nid = \"M-1\"\n{}source = \"a test\"\n",
                shape_lines(&shape)
            );
            let tables =
                compile(&[Source::toml(Layer::overlay(0), "models.toml", text.clone())]).unwrap();
            let found = tables.catalog().model("M-1").map(|row| row.shape);
            assert_eq!(found, Some(shape), "{text}");
        }
    }
}
