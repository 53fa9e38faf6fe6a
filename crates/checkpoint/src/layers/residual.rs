//! Contributions of layers to the residual stream in addition to attention and MLP: per-layer embeddings, several
//! streams, low-rank paths.

use sky_accel_core::catalog::Family;
use sky_accel_core::sizing::Architecture;

use crate::fields::{Fields, MOST_WIDE, Result, flag, number};
use crate::widths::width_remainder;

/// The maximum number of residual streams.
const MOST_STREAMS: u64 = 64;

/// Adds the parameters of these contributions.
pub(super) fn residual(config: &Fields, family: &Family, shape: &mut Architecture) -> Result<()> {
    let (hidden, layers) = (f64::from(shape.hidden), f64::from(shape.layers));
    let (mut matrices, mut others) = (0.0, 0.0);
    if let Some(width) = number(config, &["hidden_size_per_layer_input"], MOST_WIDE)?
        .filter(|n| *n > 0)
        .map(f64::from)
    {
        let names = ["vocab_size_per_layer_input"];
        let vocab = number(config, &names, MOST_WIDE)?.unwrap_or(shape.vocab);
        // Each layer looks up a row of an embedding and projects it.
        others += f64::from(vocab) * layers * width + layers * hidden + width;
        matrices += 3.0 * layers * hidden * width;
    }
    if let Some(rank) = number(config, &["laurel_rank"], MOST_WIDE)?.map(f64::from) {
        matrices += 2.0 * layers * hidden * rank;
        others += layers * hidden;
    }
    if let Some(streams) = number(config, &["altup_num_inputs"], MOST_STREAMS)?
        .filter(|n| *n > 0)
        .map(f64::from)
    {
        // Predictions and corrections of streams, and a router with a norm and a scale.
        let layer = streams.powi(3) + streams.powi(2) + (streams + 2.0) * hidden;
        others += layers * layer;
        matrices += 2.0 * (streams - 1.0) * hidden * hidden;
    }
    if let Some(streams) = number(config, &["hc_mult"], MOST_STREAMS)?
        .filter(|n| *n > 0)
        .map(f64::from)
    {
        // Hyper-connections around attention and MLP, and a connection to the head.
        let weights = (streams + 2.0) * streams;
        let connection = weights * (streams * hidden + 1.0) + 3.0;
        others += 2.0 * layers * connection + streams * (streams * hidden + 1.0) + 1.0;
    }
    if flag(config, &["enable_moe_block"]) == Some(true)
        && let Some(experts) = shape.experts
    {
        // The dense MLP and the experts have separate norms, and routers scale their input.
        shape.norms_per_layer += 3;
        others += layers * (hidden + f64::from(experts.count));
    }
    if shape.experts.is_none() {
        let gate = if shape.gated { 3.0 } else { 2.0 };
        matrices += (width_remainder(config)? * layers).round() * gate * hidden;
    }
    if family.layer_scales {
        others += layers;
    }
    shape.other_matrices = shape.other_matrices.saturating_add(matrices as i64);
    shape.extra_parameters = shape.extra_parameters.saturating_add(others as i64);
    Ok(())
}
