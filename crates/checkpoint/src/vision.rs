//! Vision towers in addition to a decoder.

use serde_json::Value;
use sky_accel_core::sizing::Vision;

use crate::fields::{Fields, number};

/// Names of the width of a tower.
const WIDTHS: &[&str] = &["hidden_size", "embed_dim", "width", "vt_hidden_size"];
/// Names of the number of its layers.
const LAYERS: &[&str] = &[
    "num_hidden_layers",
    "depth",
    "layers",
    "vt_num_hidden_layers",
];
/// The side of a usual image in pixels.
const USUAL_SIDE: u32 = 1024;
/// Colors of a pixel.
const COLORS: u32 = 3;
/// Patches of a side that become one token, where the configuration does not state it.
const USUAL_MERGE: u32 = 2;

/// A figure that is not 0; `None` if it is missing or out of bounds.
fn positive(fields: &Fields, names: &[&str]) -> Option<u32> {
    let figure = number(fields, names, 1 << 20).ok().flatten();
    figure.filter(|n| *n > 0)
}

/// The shape of a vision tower with some parameters, in the configuration `config`; `None` if a figure is missing.
///
/// Some models read each image as a fixed number of tokens. The others merge neighboring patches, and an image has as
/// many tokens as its pixels give.
pub(crate) fn tower(vision: &Fields, config: &Fields, parameters: i64) -> Option<Vision> {
    let parameters = u64::try_from(parameters).ok().filter(|n| *n > 0)?;
    // Some configurations state the width of the decoder as the hidden size of the tower.
    let hidden = positive(vision, &["embed_dim"]).or_else(|| positive(vision, WIDTHS))?;
    let layers = positive(vision, LAYERS)?.min(4096);
    let patch = positive(vision, &["patch_size", "spatial_patch_size"])?.min(USUAL_SIDE);
    let side = positive(vision, &["image_size"]);
    let fixed = positive(config, &["mm_tokens_per_image", "image_seq_length"]).zip(side);
    let (patches, tokens) = if let Some((tokens, side)) = fixed {
        let all = (side / patch).saturating_pow(2);
        ((all / tokens).max(1), tokens)
    } else {
        let merge = positive(vision, &["spatial_merge_size"])
            .or_else(|| positive(config, &["spatial_merge_size"]))
            .unwrap_or(USUAL_MERGE)
            .min(64);
        let tokens = USUAL_SIDE.div_ceil(patch.saturating_mul(merge)).pow(2);
        (merge.pow(2), tokens)
    };
    let frames = positive(vision, &["temporal_patch_size"]).map_or(1, |n| n.min(64));
    // The other layers attend within windows.
    let listed = vision
        .get("fullatt_block_indexes")
        .and_then(Value::as_array);
    let global_layers = listed.map_or(layers, |listed| {
        u32::try_from(listed.len()).map_or(layers, |listed| listed.min(layers))
    });
    Some(Vision {
        parameters,
        hidden,
        layers,
        global_layers,
        patches,
        values: patch
            .saturating_pow(2)
            .saturating_mul(COLORS)
            .saturating_mul(frames),
        tokens,
    })
}

/// Estimates the parameters of a vision tower with its projection. An estimate is enough, because towers are small.
pub(crate) fn vision_parameters(vision: &Fields, hidden: u32) -> i64 {
    let get = |names: &[&str]| positive(vision, names).map(f64::from);
    let Some(width) = get(WIDTHS) else {
        return 0;
    };
    let layers = get(LAYERS).unwrap_or(24.0).min(4096.0);
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
    use sky_accel_core::sizing::Vision;

    use super::{tower, vision_parameters};
    use crate::testing::fields;

    #[test]
    fn the_tokens_of_an_image_are_fixed_or_follow_from_its_patches() {
        let read = |vision: serde_json::Value, config: serde_json::Value| {
            tower(&fields(&vision), &fields(&config), 7)
        };
        let qwen = json!({
            "hidden_size": 1280, "depth": 32, "patch_size": 14, "spatial_merge_size": 2,
            "temporal_patch_size": 2, "fullatt_block_indexes": [7, 15, 23, 31],
        });
        let expected = Vision {
            parameters: 7,
            hidden: 1280,
            layers: 32,
            global_layers: 4,
            patches: 4,
            values: 1176,
            tokens: 37 * 37,
        };
        assert_eq!(read(qwen, json!({})), Some(expected));
        let gemma = json!({
            "hidden_size": 1152, "num_hidden_layers": 27, "patch_size": 14, "image_size": 896,
        });
        let fixed = read(gemma.clone(), json!({ "mm_tokens_per_image": 256 })).unwrap();
        assert_eq!(
            (fixed.patches, fixed.tokens, fixed.global_layers),
            (16, 256, 27)
        );
        assert_eq!(tower(&fields(&gemma), &fields(&json!({})), 0), None);
        assert_eq!(read(json!({ "hidden_size": 8 }), json!({})), None);
    }

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
