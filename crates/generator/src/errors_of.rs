//! The errors of one kind of measurement, and quantiles of them.

/// The errors of one kind.
#[derive(Clone, Debug, Default)]
pub struct Errors {
    /// Predicted over measured, less one, in percent.
    pub percent: Vec<f64>,
    /// Measurements of a peak, and those of them within the band.
    pub banded: usize,
    pub inside: usize,
}

impl Errors {
    /// The absolute error that a share of the measurements is within.
    pub fn within(&self, share: f64) -> f64 {
        let mut errors: Vec<f64> = self.percent.iter().map(|error| error.abs()).collect();
        errors.sort_by(f64::total_cmp);
        quantile(&errors, share)
    }

    pub fn bias(&self) -> f64 {
        let mut errors = self.percent.clone();
        errors.sort_by(f64::total_cmp);
        quantile(&errors, 0.5)
    }
}

/// The value that a share of sorted values is below; 0 where there are none.
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
