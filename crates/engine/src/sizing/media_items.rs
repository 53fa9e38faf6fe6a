//! The images, videos or hours of speech of a run, and their speed.

use sky_accel_core::sizing::{
    Bound, Diffusion, Picture, PictureTime, Transcriber, TranscriptionTime,
};

use crate::text::grouped;

/// The items that a model makes: images, videos, or texts of an hour of speech each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MediaItems {
    /// The work of one item.
    pub work: ItemWork,
    /// The number of items of a job; `None` without a job.
    pub total: Option<f64>,
    /// True if each device makes its own items, which costs the least; false if all devices of a machine make an item
    /// together, which takes the shortest time.
    pub is_apart: bool,
}

/// The work of one item.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ItemWork {
    /// An image or a video.
    Picture {
        /// The model.
        model: Diffusion,
        /// The settings of each picture.
        picture: Picture,
    },
    /// An hour of speech.
    Speech(Transcriber),
}

impl MediaItems {
    /// The settings of images and videos; `None` for speech.
    pub fn picture(&self) -> Option<&Picture> {
        match &self.work {
            ItemWork::Picture { picture, .. } => Some(picture),
            ItemWork::Speech(_) => None,
        }
    }

    /// One item: `image`, `video` or `hour of speech`.
    pub fn noun(&self) -> &'static str {
        self.nouns().0
    }

    /// One item, and several.
    fn nouns(&self) -> (&'static str, &'static str) {
        match &self.work {
            ItemWork::Picture { model, .. } if model.frames > 1 => ("video", "videos"),
            ItemWork::Picture { .. } => ("image", "images"),
            ItemWork::Speech(_) => ("hour of speech", "hours of speech"),
        }
    }

    /// The items of a run: `an image of 1024 × 1024`, `10,000 images of 1024 × 1024`, `100 hours of speech`.
    pub fn in_words(&self, unit: &str) -> String {
        let Some(total) = self.total else {
            return unit.to_owned();
        };
        let number = grouped(total);
        let (one, several) = self.nouns();
        let noun = if number == "1" { one } else { several };
        match self.work {
            ItemWork::Picture { .. } => {
                let each = unit.strip_prefix("an image of ").unwrap_or(unit);
                format!("{number} {noun} of {each}")
            }
            ItemWork::Speech(_) => format!("{number} {noun}"),
        }
    }
}

/// The time of a batch of items on one group of devices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BatchTime {
    /// A batch of images or videos.
    Pictures(PictureTime),
    /// A batch of segments of speech; the parts are those of an hour.
    Speech {
        /// The time of an hour of speech.
        hour: TranscriptionTime,
        /// The seconds of speech in a batch.
        speech_s: f64,
    },
}

impl BatchTime {
    /// The seconds of the batch.
    pub fn seconds(&self) -> f64 {
        match self {
            Self::Pictures(time) => time.seconds,
            Self::Speech { hour, speech_s } => hour.seconds * speech_s / 3600.0,
        }
    }

    /// The part that takes most of the time.
    pub fn bound(&self) -> Bound {
        match self {
            Self::Pictures(time) => time.bound(),
            Self::Speech { hour, .. } => hour.bound(),
        }
    }
}

/// The time of items on devices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ItemSpeed {
    /// Seconds per item of all devices together.
    pub seconds_per_item: f64,
    /// The time of a batch of one group of devices.
    pub batch: BatchTime,
    /// The ends of the band, relative to the computed time.
    pub band: (f64, f64),
}

impl ItemSpeed {
    /// Seconds of speech that are written down in a second; `None` for pictures.
    pub fn real_time_factor(&self) -> Option<f64> {
        match self.batch {
            BatchTime::Pictures(_) => None,
            BatchTime::Speech { .. } => Some(3600.0 / self.seconds_per_item),
        }
    }
}
