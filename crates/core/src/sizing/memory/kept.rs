//! The tensors that a layer keeps for the backward pass, per token.
//!
//! The bytes of trainers that run the modelling code of transformers follow from the tensors that autograd saves
//! (`torch.autograd.graph.saved_tensors_hooks`), which agree with the peaks measured on a device.

use super::super::architecture::Architecture;
use super::super::calibration::Calibration;
use super::super::run::{Layout, Run};
use super::super::words::{Attention, Float, Logits, LoraTargets};
use super::weights::active_ffn;

/// Bytes of a value of the input that the adapters of several matrices share.
const SHARED_INPUT_BYTES: f64 = 2.0;
/// Bytes that a trained norm keeps per value: its input in 32 bits and its result.
const NORM_BYTES: f64 = 6.0;
/// The norms of a layer that the coefficients are for.
const USUAL_NORMS: f64 = 2.0;
/// Bytes per value of queries and keys that their norms keep only for the gradient of their weights.
const FROZEN_QK_NORM_BYTES: f64 = 2.0;
/// Additional bytes of the inner values of an MLP in 32 bits: the gate before and after its activation, and the other
/// factor.
const WIDE_FFN_BYTES: f64 = 6.0;
/// Additional bytes of the hidden state if products read 16-bit copies of it: 32-bit sums and norms.
const WIDE_HIDDEN_BYTES: f64 = 10.0;

/// The copies in 16 bits that products read of 32-bit parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Casting {
    /// Products read the parameters.
    None,
    /// Embedding, norms and head are frozen in 32 bits, and the matrices between them are quantized
    /// (`prepare_model_for_kbit_training` of PEFT).
    Frozen,
    /// All parameters are trained in 32 bits, with automatic mixed precision.
    Parameters,
}

impl Casting {
    /// Whether embedding, norms and head are kept in 32 bits while the other weights are quantized.
    pub fn is_upcast(run: &Run, layout: &Layout, calibration: &Calibration) -> bool {
        let is_whole = layout.shards(3) <= 1.0;
        is_whole && run.adapters && run.quantizes_on_load && calibration.upcast_bytes > 0.5
    }

    pub fn of(run: &Run, layout: &Layout, calibration: &Calibration) -> Self {
        // Sharded parameters have one format, and are cast when they are gathered.
        if layout.shards(3) > 1.0 {
            return Self::None;
        }
        if run.adapters {
            // Kernels with a loss in chunks compute in 16 bits.
            let is_cast = run.logits != Logits::Chunked;
            return if is_cast && Self::is_upcast(run, layout, calibration) {
                Self::Frozen
            } else {
                Self::None
            };
        }
        let is_half = run.weights.bits < 32.0 && run.parameters == Float::Fp32;
        if is_half && calibration.autocast > 0.5 {
            Self::Parameters
        } else {
            Self::None
        }
    }
}

/// Bytes per token that a layer keeps for the backward pass, without copies of its parameters.
pub(super) fn kept_by_layer(
    model: &Architecture,
    run: &Run,
    casting: Casting,
    calibration: &Calibration,
) -> f64 {
    let hidden = f64::from(model.hidden);
    let ffn = active_ffn(model);
    let attention = model.query_width() + model.key_width();
    let full_precision = run.weights.bits >= 32.0;
    let norms = f64::from(model.norms_per_layer).max(USUAL_NORMS);
    let mut hidden_bytes = if model.biases.norm {
        calibration.train_hidden_fused_bytes
    } else {
        calibration.train_hidden_bytes + (norms - USUAL_NORMS) * NORM_BYTES
    } * hidden;
    let mut ffn_bytes = if model.gated {
        calibration.train_gated_ffn_bytes
    } else {
        calibration.train_plain_ffn_bytes
    } * ffn;
    let mut qk_norm_bytes = calibration.qk_norm_bytes;
    if run.adapters {
        // Frozen norms and matrices have no weight gradient, so their inputs are not kept for one.
        hidden_bytes -= calibration.frozen_norm_bytes / USUAL_NORMS * norms * hidden;
        qk_norm_bytes -= FROZEN_QK_NORM_BYTES;
        if run.lora_targets != LoraTargets::AllLinear {
            hidden_bytes -= calibration.frozen_matrix_bytes * hidden;
            ffn_bytes -= calibration.frozen_matrix_bytes * ffn;
        }
    }
    match casting {
        Casting::None => {}
        Casting::Frozen => ffn_bytes += WIDE_FFN_BYTES * ffn,
        Casting::Parameters => hidden_bytes += WIDE_HIDDEN_BYTES * hidden,
    }
    let mut bytes = hidden_bytes + calibration.train_attention_bytes * attention + ffn_bytes;
    if run.adapters {
        bytes += kept_by_adapters(model, run, calibration);
    }
    if model.qk_norm.is_some() {
        bytes += qk_norm_bytes * attention;
    }
    if run.attention == Attention::Eager {
        let scores = run.sequence() * f64::from(model.heads);
        bytes += scores * calibration.eager_score_bytes * calibration.eager_kept_share;
    }
    if full_precision {
        bytes *= calibration.fp32_activation_factor;
    }
    if run.compile {
        bytes *= calibration.compiled_activation_factor;
    } else if run.weights.is_quantized() && run.adapters && casting == Casting::None {
        bytes *= calibration.quantized_activation_factor;
    }
    bytes
}

/// Bytes per token that the adapters of a layer keep: each its own copy of its input, in place of the 16-bit input that
/// they would share. Attention keeps its result, the input of the output matrix, in any case.
fn kept_by_adapters(model: &Architecture, run: &Run, calibration: &Calibration) -> f64 {
    let (hidden, query) = (f64::from(model.hidden), model.query_width());
    let (copies, shared) = match run.lora_targets {
        LoraTargets::Qv => (2.0 * hidden, hidden),
        LoraTargets::Attention => (3.0 * hidden + query, hidden),
        LoraTargets::AllLinear => {
            let ffn = active_ffn(model);
            let inputs = if model.gated { 2.0 } else { 1.0 };
            ((3.0 + inputs) * hidden + query + ffn, 2.0 * hidden + ffn)
        }
    };
    (calibration.adapter_input_bytes * copies - SHARED_INPUT_BYTES * shared).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::super::super::architecture::QkNorm;
    use super::super::super::format::WeightFormat;
    use super::super::super::testing::{assert_near, tiny};
    use super::super::super::words::Workload;
    use super::*;

    fn calibration() -> Calibration {
        Calibration {
            train_hidden_bytes: 20.0,
            train_hidden_fused_bytes: 16.0,
            train_attention_bytes: 4.0,
            train_gated_ffn_bytes: 8.0,
            train_plain_ffn_bytes: 5.0,
            qk_norm_bytes: 5.0,
            frozen_norm_bytes: 6.0,
            frozen_matrix_bytes: 2.0,
            eager_score_bytes: 12.0,
            eager_kept_share: 0.25,
            fp32_activation_factor: 1.5,
            compiled_activation_factor: 0.5,
            quantized_activation_factor: 1.25,
            ..Calibration::default()
        }
    }

    /// Ten tokens.
    fn kept_as(model: &Architecture, casting: Casting, change: impl Fn(&mut Run)) -> f64 {
        let mut run = Run {
            context: 10.0,
            ..Run::new(Workload::Full, WeightFormat::plain(16.0))
        };
        change(&mut run);
        kept_by_layer(model, &run, casting, &calibration())
    }

    fn kept(model: &Architecture, change: impl Fn(&mut Run)) -> f64 {
        kept_as(model, Casting::None, change)
    }

    /// Bytes per token that a layer keeps: 20 per hidden value, 4 per value of queries and keys, 8 per inner value.
    const LAYER: f64 = 160.0 + 48.0 + 128.0;

    #[test]
    fn a_layer_keeps_bytes_per_value() {
        assert_near(kept(&tiny(), |_| ()), LAYER);
        let mut model = tiny();
        model.gated = false;
        assert_near(kept(&model, |_| ()), 160.0 + 48.0 + 80.0);
        model = tiny();
        model.biases.norm = true;
        assert_near(kept(&model, |_| ()), 128.0 + 48.0 + 128.0);
        model = tiny();
        model.qk_norm = Some(QkNorm::Head);
        assert_near(kept(&model, |_| ()), LAYER + 5.0 * 12.0);
        model = tiny();
        model.norms_per_layer = 4;
        assert_near(kept(&model, |_| ()), LAYER + 2.0 * 6.0 * 8.0);
        let eager = kept(&tiny(), |run| run.attention = Attention::Eager);
        assert_near(eager, LAYER + 10.0 * 4.0 * 12.0 * 0.25);
    }

    #[test]
    fn formats_and_compilers_scale_activations() {
        assert_near(kept(&tiny(), |run| run.compile = true), 0.5 * LAYER);
        let wide = kept(&tiny(), |run| run.weights = WeightFormat::plain(32.0));
        assert_near(wide, 1.5 * LAYER);
    }

    #[test]
    fn adapters_keep_less_for_frozen_weights() {
        let adapted = |model: &Architecture, lora_targets, bits| {
            kept(model, |run| {
                run.adapters = true;
                run.lora_targets = lora_targets;
                run.weights = WeightFormat::plain(bits);
            })
        };
        let all = LAYER - 6.0 * 8.0;
        assert_near(adapted(&tiny(), LoraTargets::AllLinear, 16.0), all);
        let some = all - 2.0 * (8.0 + 16.0);
        assert_near(adapted(&tiny(), LoraTargets::Qv, 16.0), some);
        assert_near(adapted(&tiny(), LoraTargets::AllLinear, 4.0), 1.25 * all);
        let mut model = tiny();
        model.qk_norm = Some(QkNorm::Head);
        let normed = adapted(&model, LoraTargets::AllLinear, 16.0);
        assert_near(normed, all + 3.0 * 12.0);
        model = tiny();
        model.norms_per_layer = 4;
        // A frozen norm keeps its input in 32 bits.
        let more_norms = adapted(&model, LoraTargets::AllLinear, 16.0);
        assert_near(more_norms, all + 2.0 * (6.0 - 3.0) * 8.0);
    }

    #[test]
    fn wide_values_take_more() {
        let trained = kept_as(&tiny(), Casting::Parameters, |_| ());
        assert_near(trained, LAYER + 10.0 * 8.0);
        let frozen = kept_as(&tiny(), Casting::Frozen, |run| {
            run.adapters = true;
            run.weights = WeightFormat::plain(4.0);
        });
        // The factor of quantized weights is for engines that cast nothing.
        assert_near(frozen, LAYER - 48.0 + 6.0 * 16.0);
    }
}
