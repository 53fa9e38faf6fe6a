//! Recurrent layers, which keep a state instead of a cache: their parameters and the size of the state.
//!
//! All parameters of a layer are counted, including small ones, as the modelling code of transformers creates them.

use sky_accel_core::catalog::{Family, Recurrence};

use crate::fields::{Fields, MOST_WIDE, Result, flag, needed, number, object, product};

/// The maximum width of a convolution kernel.
const MOST_KERNEL: u64 = 64;
/// The maximum number of heads, of groups, and of values of a head.
const MOST_SMALL: u64 = 1 << 16;

/// A recurrent layer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Recurrent {
    pub parameters: f64,
    /// Values of the state of a sequence.
    pub state: f64,
    /// Inner width.
    pub inner: f64,
    /// Width of a head; `None` without heads.
    pub head_width: Option<u32>,
}

/// Reads the recurrent layer of a family; `None` for families without one.
pub(crate) fn recurrence(
    config: &Fields,
    family: &Family,
    hidden: u32,
) -> Result<Option<Recurrent>> {
    let Some(kind) = family.recurrence else {
        return Ok(None);
    };
    let read = match kind {
        Recurrence::Mamba => mamba(config, family, hidden),
        Recurrence::Mamba2 => mamba2(config, family, hidden),
        Recurrence::ShortConvolution => short_convolution(config, hidden),
        Recurrence::GatedDelta => gated_delta(config, hidden),
        Recurrence::KimiDelta => kimi_delta(config, hidden),
        Recurrence::Lightning => lightning(config, hidden),
    };
    read.map(Some)
}

fn kernel(config: &Fields) -> Result<u32> {
    let names = [
        "mamba_d_conv",
        "conv_kernel",
        "linear_conv_kernel_dim",
        "conv_L_cache",
        "short_conv_kernel_size",
    ];
    needed(config, &names, MOST_KERNEL)
}

fn has_conv_bias(config: &Fields) -> bool {
    flag(config, &["mamba_conv_bias", "use_conv_bias"]).unwrap_or(true)
}

fn has_projection_bias(config: &Fields) -> bool {
    flag(config, &["mamba_proj_bias", "use_bias"]).unwrap_or(false)
}

fn expanded(config: &Fields, hidden: u32) -> Result<u32> {
    let factor = number(config, &["mamba_expand", "expand"], 64)?.unwrap_or(2);
    Ok(hidden.saturating_mul(factor))
}

fn mamba(config: &Fields, family: &Family, hidden: u32) -> Result<Recurrent> {
    let width = f64::from(hidden);
    let inner = f64::from(expanded(config, hidden)?);
    let state = f64::from(needed(
        config,
        &["mamba_d_state", "state_size"],
        MOST_SMALL,
    )?);
    let names = ["mamba_dt_rank", "time_step_rank"];
    let rank = number(config, &names, MOST_WIDE)?.filter(|n| *n > 0);
    let rank = f64::from(rank.unwrap_or_else(|| hidden.div_ceil(16)));
    let kernel = f64::from(kernel(config)?);
    let mut parameters = width * 2.0 * inner
        + inner * kernel
        + inner * (rank + 2.0 * state)
        + rank * inner
        + inner
        + inner * state
        + inner
        + inner * width;
    if has_conv_bias(config) {
        parameters += inner;
    }
    if has_projection_bias(config) {
        parameters += 2.0 * inner + width;
    }
    if family.recurrence_norm {
        parameters += rank + 2.0 * state;
    }
    Ok(Recurrent {
        parameters,
        state: inner * state + inner * (kernel - 1.0),
        inner,
        head_width: None,
    })
}

fn mamba2(config: &Fields, family: &Family, hidden: u32) -> Result<Recurrent> {
    let width = f64::from(hidden);
    let names = ["mamba_num_heads", "mamba_n_heads", "num_heads"];
    let heads = needed(config, &names, MOST_SMALL)?;
    let names = ["mamba_head_dim", "mamba_d_head"];
    let named_width = number(config, &names, MOST_SMALL)?;
    // In models that also have attention, `head_dim` is the width of attention heads.
    let named_width = match named_width {
        None if family.arrangement == sky_accel_core::catalog::Arrangement::RecurrenceOnly => {
            number(config, &["head_dim"], MOST_SMALL)?
        }
        named_width => named_width,
    };
    let head_width = match named_width.filter(|n| *n > 0) {
        Some(head_width) => head_width,
        None => expanded(config, hidden)? / heads,
    };
    let inner = product(heads, head_width);
    let names = ["mamba_n_groups", "n_groups"];
    let groups = number(config, &names, MOST_SMALL)?.unwrap_or(1);
    let names = ["mamba_d_state", "ssm_state_size", "state_size"];
    let state = needed(config, &names, MOST_SMALL)?;
    let kernel = f64::from(kernel(config)?);
    let convolved = inner + 2.0 * product(groups, state);
    let projected = inner + convolved + f64::from(heads);
    let mut parameters =
        width * projected + convolved * kernel + 3.0 * f64::from(heads) + inner * width;
    if has_conv_bias(config) {
        parameters += convolved;
    }
    if has_projection_bias(config) {
        parameters += projected + width;
    }
    if flag(config, &["mamba_rms_norm"]).unwrap_or(family.recurrence_norm) {
        parameters += inner;
    }
    Ok(Recurrent {
        parameters,
        state: inner * f64::from(state) + convolved * (kernel - 1.0),
        inner,
        head_width: Some(head_width),
    })
}

fn short_convolution(config: &Fields, hidden: u32) -> Result<Recurrent> {
    let width = f64::from(hidden);
    let kernel = f64::from(kernel(config)?);
    let mut parameters = 4.0 * width * width + width * kernel;
    if flag(config, &["conv_bias"]) == Some(true) {
        parameters += 5.0 * width;
    }
    Ok(Recurrent {
        parameters,
        state: width * kernel,
        inner: width,
        head_width: None,
    })
}

fn gated_delta(config: &Fields, hidden: u32) -> Result<Recurrent> {
    let hidden = f64::from(hidden);
    let value_heads = needed(config, &["linear_num_value_heads"], MOST_SMALL)?;
    let keys = needed(config, &["linear_num_key_heads"], MOST_SMALL)?;
    let key_dim = needed(config, &["linear_key_head_dim"], MOST_SMALL)?;
    let value_dim = needed(config, &["linear_value_head_dim"], MOST_SMALL)?;
    let kernel = kernel(config)?;
    let (key, value) = (product(keys, key_dim), product(value_heads, value_dim));
    let convolved = 2.0 * key + value;
    let parameters = hidden * (2.0 * key + 2.0 * value)
        + 2.0 * hidden * f64::from(value_heads)
        + convolved * f64::from(kernel)
        + 2.0 * f64::from(value_heads)
        + f64::from(value_dim)
        + value * hidden;
    let kept = f64::from(kernel.saturating_sub(1));
    Ok(Recurrent {
        parameters,
        state: product(value_heads, key_dim) * f64::from(value_dim) + convolved * kept,
        inner: value,
        head_width: Some(value_dim),
    })
}

fn kimi_delta(config: &Fields, hidden: u32) -> Result<Recurrent> {
    let fields = object(config, "linear_attn_config");
    let fields = fields.ok_or(crate::fields::ConfigError::Missing("linear_attn_config"))?;
    let hidden = f64::from(hidden);
    let heads = needed(fields, &["num_heads"], MOST_SMALL)?;
    let head_width = needed(fields, &["head_dim"], MOST_SMALL)?;
    let kernel = f64::from(kernel(fields)?);
    let inner = product(heads, head_width);
    let head = f64::from(head_width);
    // The gate consists of two narrow matrices, like the decay, or of a single full one.
    let low_rank = hidden * head + head * inner;
    let gate = if flag(fields, &["use_full_rank_gate"]) == Some(true) {
        hidden * inner
    } else {
        low_rank
    };
    let parameters = 4.0 * hidden * inner
        + 3.0 * inner * kernel
        + low_rank
        + gate
        + inner
        + f64::from(heads) * (hidden + 1.0)
        + head;
    Ok(Recurrent {
        parameters,
        state: inner * head + 3.0 * inner * (kernel - 1.0),
        inner,
        head_width: Some(head_width),
    })
}

fn lightning(config: &Fields, hidden: u32) -> Result<Recurrent> {
    let heads = needed(config, &["num_attention_heads"], MOST_SMALL)?;
    let head_width = number(config, &["head_dim"], MOST_SMALL)?.filter(|n| *n > 0);
    let head_width = head_width.unwrap_or(hidden / heads);
    let inner = product(heads, head_width);
    Ok(Recurrent {
        parameters: 5.0 * f64::from(hidden) * inner + inner,
        state: inner * f64::from(head_width),
        inner,
        head_width: Some(head_width),
    })
}
