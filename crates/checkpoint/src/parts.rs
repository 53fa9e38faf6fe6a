//! Biases, norms and other small modules.

use serde_json::Value;
use sky_accel_core::catalog::Family;
use sky_accel_core::sizing::{Architecture, Biases, QkNorm};

use crate::fields::{Fields, MOST_LAYERS, flag, number};

/// Reads which modules have biases, and the norms of queries and keys.
pub(crate) fn parts(config: &Fields, family: &Family) -> (Biases, Option<QkNorm>) {
    let mut biases = family.biases;
    if let Some(has) = flag(
        config,
        &[
            "attention_bias",
            "add_qkv_bias",
            "use_qkv_bias",
            "qkv_bias",
            "attn_bias",
            "attention_in_bias",
        ],
    ) {
        biases.qkv = has && (family.attention_bias.qkv || family.biases.qkv);
        biases.out = if family.attention_bias.out {
            has
        } else {
            family.biases.out
        };
    }
    if let Some(has) = flag(config, &["mlp_bias"]) {
        biases.mlp = has;
    }
    if let Some(has) = flag(config, &["use_bias", "bias", "add_bias_linear"])
        && family.one_bias
    {
        biases.qkv = has;
        biases.out = has;
        biases.mlp = has;
    }
    if flag(config, &["no_bias"]) == Some(true) {
        biases = Biases::default();
    }
    if let Some(has) = flag(config, &["lm_head_bias"]) {
        biases.head = has;
    }
    let has_norm = flag(config, &["use_qk_norm", "qk_layernorm", "use_qk_layernorm"]);
    let qk_norm = has_norm
        .unwrap_or(family.qk_norm_by_default)
        .then(|| family.qk_norm.unwrap_or(QkNorm::Head));
    (biases, qk_norm)
}

/// Counts biases of experts and routers, attention sinks, and a norm of the embedding.
pub(crate) fn extra(config: &Fields, family: &Family, shape: &Architecture) -> i64 {
    let mut parameters: i64 = 0;
    let layers = i64::from(shape.layers);
    if family.sinks {
        parameters += layers * i64::from(shape.heads);
    }
    if family.embedding_norm {
        let norm = if shape.biases.norm { 2 } else { 1 };
        parameters += norm * i64::from(shape.hidden);
    }
    if let Some(experts) = shape.experts {
        let moe = i64::from(shape.expert_layers());
        if family.expert_biases {
            let inner = if shape.gated { 2 } else { 1 } * i64::from(experts.width);
            parameters += moe * i64::from(experts.count) * (inner + i64::from(shape.hidden) + 1);
        }
        let names = ["use_routing_bias", "use_moe_router_bias", "use_expert_bias"];
        let correction = config.get("topk_method").and_then(Value::as_str) == Some("noaux_tc")
            || flag(config, &names).unwrap_or(family.router_bias);
        if correction {
            // Layers that choose experts by a hash of the token have no correction bias.
            let hashed = number(config, &["num_hash_layers"], MOST_LAYERS)
                .ok()
                .flatten();
            let corrected = moe - i64::from(hashed.unwrap_or(0)).min(moe);
            parameters += corrected * i64::from(experts.count);
        }
        if family.shared_gate && experts.shared_width > 0 {
            parameters += moe * i64::from(shape.hidden);
        }
    }
    parameters
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::{catalog, fields};

    /// The words of the parts that have biases.
    fn words(biases: Biases) -> String {
        let parts = [
            (biases.qkv, "qkv"),
            (biases.out, "out"),
            (biases.mlp, "mlp"),
            (biases.norm, "norm"),
            (biases.head, "head"),
        ];
        let words = parts.into_iter().filter(|(has, _)| *has);
        words.map(|(_, word)| word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_configuration_overrides_the_biases_of_its_family() {
        let tables = catalog();
        let plain = tables.catalog().family_of("llama").unwrap();
        let all = Biases {
            qkv: true,
            out: true,
            mlp: true,
            norm: true,
            head: true,
        };
        let none = Biases::default();
        let family = |biases: Biases, attention_bias: Biases, one_bias: bool| Family {
            biases,
            attention_bias,
            one_bias,
            ..plain
        };
        let attends = Biases {
            mlp: false,
            norm: false,
            head: false,
            ..all
        };
        let queries = Biases {
            out: false,
            ..attends
        };
        let (usual, biased) = (family(none, attends, false), family(all, none, false));
        let (one, partial) = (family(none, none, true), family(queries, queries, false));
        for (family, config, wanted) in [
            (&usual, json!({}), ""),
            (&biased, json!({}), "qkv out mlp norm head"),
            (&usual, json!({ "attention_bias": true }), "qkv out"),
            (&usual, json!({ "add_qkv_bias": true }), "qkv out"),
            (&usual, json!({ "attention_bias": false }), ""),
            (
                &biased,
                json!({ "attention_bias": false }),
                "out mlp norm head",
            ),
            (
                &biased,
                json!({ "attention_bias": true }),
                "qkv out mlp norm head",
            ),
            (&partial, json!({ "attention_bias": true }), "qkv"),
            (&partial, json!({ "attention_bias": false }), ""),
            (&usual, json!({ "mlp_bias": true }), "mlp"),
            (&biased, json!({ "mlp_bias": false }), "qkv out norm head"),
            (&one, json!({ "use_bias": true }), "qkv out mlp"),
            (&one, json!({ "bias": true }), "qkv out mlp"),
            (&one, json!({ "add_bias_linear": false }), ""),
            (&usual, json!({ "use_bias": true }), ""),
            (&biased, json!({ "no_bias": true }), ""),
            (
                &biased,
                json!({ "no_bias": false }),
                "qkv out mlp norm head",
            ),
            (
                &biased,
                json!({ "lm_head_bias": false }),
                "qkv out mlp norm",
            ),
            (&usual, json!({ "lm_head_bias": true }), "head"),
            (
                &biased,
                json!({ "no_bias": true, "lm_head_bias": true }),
                "head",
            ),
        ] {
            let (found, _) = parts(&fields(&config), family);
            assert_eq!(words(found), wanted, "{config}");
        }
    }

    #[test]
    fn norms_of_queries_and_keys_follow_the_configuration() {
        let tables = catalog();
        let plain = tables.catalog().family_of("llama").unwrap();
        let norm = |qk_norm, qk_norm_by_default, config: Value| {
            let family = Family {
                qk_norm,
                qk_norm_by_default,
                ..plain
            };
            parts(&fields(&config), &family).1
        };
        let head = Some(QkNorm::Head);
        assert_eq!(norm(None, false, json!({})), None);
        assert_eq!(norm(None, true, json!({})), head);
        assert_eq!(norm(head, true, json!({ "use_qk_norm": false })), None);
        for field in ["use_qk_norm", "qk_layernorm", "use_qk_layernorm"] {
            assert_eq!(norm(None, false, json!({ field: true })), head, "{field}");
        }
        let whole = Some(QkNorm::Joint);
        assert_eq!(norm(whole, false, json!({ "use_qk_norm": true })), whole);
    }
}
