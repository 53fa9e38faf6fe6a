//! Models whose layers differ from each other.
//!
//! A [`plan`](plan::plan) lists the modules of each layer: attention, a recurrence, a dense MLP or a mixture. From it
//! follow the figures of an [`Architecture`] that depend on single layers: the number of attention layers, the state of
//! recurrent layers, and parameters beyond the usual rules.

mod attention;
pub(crate) mod blocks;
mod plan;
pub(crate) mod recurrence;
mod residual;
mod selection;
#[cfg(test)]
mod tests;

use sky_accel_core::catalog::{Arrangement, Family};
use sky_accel_core::sizing::Architecture;

use plan::{LayerModules, Mlp, Reach};
pub(crate) use plan::{for_each_layer, listed_layers};

use crate::fields::{Fields, Result, flag};

/// Completes the shape of a model whose layers differ.
pub(crate) fn differing_layers(
    config: &Fields,
    family: &Family,
    shape: &mut Architecture,
) -> Result<()> {
    residual::residual(config, family, shape)?;
    blocks::blocks(config, shape)?;
    selection::selection(config, shape)?;
    let Some(plan) = plan::plan(config, family, shape.layers)? else {
        return Ok(());
    };
    recurrent_layers(config, family, &plan, shape)?;
    if shape.compressed.is_none() {
        attention::differing_heads(config, family, &plan, shape)?;
    }
    Ok(())
}

/// Counts layers by their modules, and adds the state and the parameters of recurrent layers.
fn recurrent_layers(
    config: &Fields,
    family: &Family,
    plan: &[LayerModules],
    shape: &mut Architecture,
) -> Result<()> {
    let Some(recurrent) = recurrence::recurrence(config, family, shape.hidden)? else {
        return Ok(());
    };
    let count =
        |is: &dyn Fn(&LayerModules) -> bool| plan.iter().filter(|layer| is(layer)).count() as u32;
    let attending = count(&|layer| layer.attention.is_some());
    let recurring = f64::from(count(&|layer| layer.has_recurrence));
    if family.arrangement != Arrangement::BothWithMlp {
        shape.attention_layers = Some(attending);
    }
    if let Some(window) = &mut shape.window {
        let global = count(&|layer| layer.attention == Some(Reach::Everything));
        window.global_layers = global;
    }
    if matches!(
        family.arrangement,
        Arrangement::OnePart | Arrangement::RecurrenceOnly
    ) {
        let dense = count(&|layer| layer.mlp == Mlp::Dense);
        shape.mlp_layers = Some(dense + count(&|layer| layer.mlp == Mlp::Experts));
        if let Some(experts) = &mut shape.experts {
            experts.dense_first = dense;
            experts.every = 1;
        }
    }
    // Queries come with a gate for the output of attention.
    let has_gates = family.recurrence == Some(sky_accel_core::catalog::Recurrence::GatedDelta)
        && flag(config, &["attn_output_gate"]).unwrap_or(true);
    let gates = if has_gates {
        f64::from(attending) * f64::from(shape.hidden) * shape.query_width()
    } else {
        0.0
    };
    shape.state_values = (recurring * recurrent.state) as u64;
    let matrices = recurring * recurrent.parameters + gates;
    shape.other_matrices = shape.other_matrices.saturating_add(matrices as i64);
    Ok(())
}
