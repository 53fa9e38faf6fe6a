//! Widths of MLPs that differ between layers.

use crate::fields::{
    Fields, MOST_LAYERS, MOST_WIDE, Result, flag, list, needed, number, out_of_bounds,
};

/// The difference of the mean width of the MLPs from the integer that represents all of them.
pub(crate) fn width_remainder(config: &Fields) -> Result<f64> {
    let mean = mean_width(config)?;
    Ok(mean.map_or(0.0, |mean| mean - mean.round()))
}

/// The mean width of MLPs, if widths are listed, or doubled in some layers.
pub(crate) fn mean_width(config: &Fields) -> Result<Option<f64>> {
    const FIELD: &str = "intermediate_size";
    let Some(widths) = list(config, FIELD).filter(|widths| !widths.is_empty()) else {
        if flag(config, &["use_double_wide_mlp"]) != Some(true) {
            return Ok(None);
        }
        // Layers that use the cache of other layers have MLPs of double width.
        let names = ["num_kv_shared_layers"];
        let sharing = number(config, &names, MOST_LAYERS)?.unwrap_or(0);
        let width = needed(config, &[FIELD], MOST_WIDE)?;
        let layers = needed(config, &["num_hidden_layers"], MOST_LAYERS)?;
        let share = f64::from(sharing.min(layers)) / f64::from(layers);
        return Ok(Some(f64::from(width) * (1.0 + share)));
    };
    let mut sum = 0.0;
    for value in widths {
        let width = value.as_u64().filter(|width| *width <= MOST_WIDE);
        sum += width.ok_or_else(|| out_of_bounds(FIELD, value, MOST_WIDE))? as f64;
    }
    Ok(Some(sum / widths.len() as f64))
}
