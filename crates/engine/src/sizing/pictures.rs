//! The images or videos of a run, and their speed.

use sky_accel_core::sizing::{Diffusion, Picture, PictureTime};
use sky_accel_core::text::counted;

use crate::text::grouped;

/// The pictures of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pictures {
    /// The model.
    pub model: Diffusion,
    /// The settings of each picture.
    pub picture: Picture,
    /// The number of pictures of a job; `None` without a job.
    pub total: Option<f64>,
    /// True if each device generates its own pictures, which costs the least; false if all devices of a machine
    /// generate a picture together, which takes the shortest time.
    pub is_apart: bool,
}

impl Pictures {
    /// One picture: `image` or `video`.
    pub fn noun(&self) -> &'static str {
        if self.model.frames > 1 {
            "video"
        } else {
            "image"
        }
    }

    /// The pictures of a run: `an image of 1024 × 1024`, `10,000 images of 1024 × 1024`.
    pub fn in_words(&self, unit: &str) -> String {
        let noun = self.noun();
        match self.total {
            None => unit.to_owned(),
            Some(total) => {
                let number = counted(grouped(total), noun);
                let each = unit.strip_prefix("an image of ").unwrap_or(unit);
                format!("{number} of {each}")
            }
        }
    }
}

/// The time of pictures on devices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureSpeed {
    /// Seconds per picture of all devices together.
    pub seconds_per_item: f64,
    /// The time of a batch of one group of devices.
    pub batch: PictureTime,
    /// The ends of the band, relative to the computed time.
    pub band: (f64, f64),
}
