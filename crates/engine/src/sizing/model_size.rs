//! Sizes of unnamed models.

use crate::code::ErrorCode;
use crate::error::{Error, Result};
use crate::text::billions;

/// The minimum number of parameters of a language model that can be sized.
const MIN_PARAMETERS: f64 = 1e6;

/// The size of an unnamed model, such as `13B`.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelSize {
    /// The text that was read.
    text: String,
    /// The number of parameters.
    parameters: f64,
}

impl ModelSize {
    /// Reads `13B`, `350M` or `1.5T`.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::BadModelSize`] when the text is not a size, or the size is below a million parameters.
    pub fn parse(text: &str) -> Result<Self> {
        let Some(billions) = billions(text) else {
            let message = format!("'{text}' is not a model size such as 13B, 1.5B or 350M");
            return Err(Error::new(ErrorCode::BadModelSize, message));
        };
        let parameters = billions * 1e9;
        if parameters < MIN_PARAMETERS {
            let message = format!("'{text}' is too small for a language model");
            return Err(Error::new(ErrorCode::BadModelSize, message));
        }
        Ok(Self {
            text: text.to_owned(),
            parameters,
        })
    }

    /// The text that was read.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The number of parameters.
    pub fn parameters(&self) -> f64 {
        self.parameters
    }
}
