//! The errors of a kind of measurement, and their quantiles.

/// The errors of a kind of measurement.
#[derive(Clone, Debug, Default)]
pub struct Errors {
    /// Predicted over measured minus one, in percent.
    pub percent: Vec<f64>,
    /// Measurements whose prediction has a band.
    pub banded: usize,
    /// Measurements within the band.
    pub inside: usize,
}

impl Errors {
    /// The quantile of the absolute errors.
    pub fn within(&self, share: f64) -> f64 {
        let mut errors: Vec<f64> = self.percent.iter().map(|error| error.abs()).collect();
        errors.sort_by(f64::total_cmp);
        quantile(&errors, share)
    }

    /// The median error.
    pub fn bias(&self) -> f64 {
        let mut errors = self.percent.clone();
        errors.sort_by(f64::total_cmp);
        quantile(&errors, 0.5)
    }
}

/// The quantile of sorted values, interpolated linearly; 0 without values.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return 0.0;
    };
    let place = share * last as f64;
    let (low, high) = (
        sorted[place as usize],
        sorted[(place as usize + 1).min(last)],
    );
    low + (high - low) * place.fract()
}
