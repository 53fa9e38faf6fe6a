//! Vision towers in addition to a decoder.

use serde_json::Value;

use crate::fields::{Fields, number};

/// Estimates the parameters of a vision tower with its projection. An estimate is enough, because towers are small.
pub(crate) fn vision_parameters(vision: &Fields, hidden: u32) -> i64 {
    let get = |names: &[&str]| {
        let figure = number(vision, names, 1 << 20).ok().flatten();
        figure.filter(|n| *n > 0).map(f64::from)
    };
    let Some(width) = get(&["hidden_size", "embed_dim", "width", "vt_hidden_size"]) else {
        return 0;
    };
    let layers = get(&[
        "num_hidden_layers",
        "depth",
        "layers",
        "vt_num_hidden_layers",
    ])
    .unwrap_or(24.0)
    .min(4096.0);
    let inner = get(&["intermediate_size", "vt_intermediate_size"])
        .unwrap_or(width * get(&["mlp_ratio"]).unwrap_or(4.0));
    let patch = get(&["patch_size"]).unwrap_or(14.0);
    let block = 4.0 * width * width + 2.0 * width * inner + 9.0 * width + inner;
    let patches = get(&["image_size"]).map_or(0.0, |side| (side / patch).powi(2) * width);
    // Some towers merge neighboring patches before the projection, and also project inner layers.
    let merged = get(&["spatial_merge_size"]).unwrap_or(1.0).powi(2) * width;
    let out = get(&["out_hidden_size"]).unwrap_or(f64::from(hidden));
    let inner_layers = vision
        .get("deepstack_visual_indexes")
        .and_then(Value::as_array);
    let projections = 1.0 + inner_layers.map_or(0.0, |layers| layers.len() as f64);
    let joint = if merged > width { merged * merged } else { 0.0 };
    let projection = projections * (joint + merged * out);
    (layers * block + 3.0 * patch * patch * width + patches + projection) as i64
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::vision_parameters;
    use crate::testing::fields;

    #[test]
    fn a_tower_is_its_blocks_patches_and_projections() {
        let base = json!({
            "hidden_size": 8, "num_hidden_layers": 2, "intermediate_size": 16, "patch_size": 2
        });
        let count = |more: serde_json::Value| {
            let mut config = fields(&base);
            config.extend(fields(&more));
            vision_parameters(&config, 10)
        };
        // A block has four matrices of attention, two of the MLP, and biases and norms.
        let block = 4 * 64 + 2 * 128 + 9 * 8 + 16;
        let tower = 2 * block + 3 * 4 * 8 + 8 * 10;
        assert_eq!(count(json!({})), tower);
        assert_eq!(count(json!({ "image_size": 6 })), tower + 9 * 8);
        assert_eq!(count(json!({ "out_hidden_size": 20 })), tower + 8 * 10);
        // Four patches of width 8 are merged by a matrix, and then projected.
        let merged = tower - 80 + 32 * 32 + 320;
        assert_eq!(count(json!({ "spatial_merge_size": 2 })), merged);
        let deep = json!({ "spatial_merge_size": 2, "deepstack_visual_indexes": [0, 1] });
        assert_eq!(count(deep), merged + 2 * (32 * 32 + 320));
        assert_eq!(vision_parameters(&fields(&json!({ "depth": 3 })), 10), 0);
    }
}
