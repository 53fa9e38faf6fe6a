//! Images and videos of diffusion transformers: the settings of a request, and seconds.

use sky_accel_core::sizing::{
    Diffusion, Indivisible, Layout, ModelKind, Picture, PictureTime, picture_time,
};

use sky_accel_core::text::counted;

use super::bounds::{MAX_BATCH, integer, wrong};
use super::model_facts::{Media, ModelFacts};
use super::options::RunRequest;
use super::run::ModelRun;
use super::sizer::Sizer;
use crate::error::Result;
use crate::text::grouped;

/// The maximum number of pictures of a job.
const MOST_PICTURES: f64 = 1e12;
/// The maximum number of denoising steps.
const MOST_STEPS: f64 = 1000.0;
/// The sides of a picture in pixels.
const LEAST_SIDE: f64 = 64.0;
const MOST_SIDE: f64 = 16_384.0;
/// The maximum number of frames.
const MOST_FRAMES: f64 = 10_000.0;
/// The bits of operands that the measured pipelines multiply.
const MEASURED_BITS: f64 = 16.0;

/// The pictures of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pictures {
    /// The model.
    pub model: Diffusion,
    /// The settings of each picture.
    pub picture: Picture,
    /// The number of pictures of a job; `None` without a job.
    pub total: Option<f64>,
    /// True if each device generates its own pictures, which costs the least; false if all devices of a machine generate
    /// a picture together, which takes the shortest time.
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

/// Reads the settings of pictures, and adapts the unit and the activations of the model to them.
///
/// # Errors
///
/// A setting that the model does not have, or that is out of its bounds.
pub(super) fn read(request: &RunRequest, model: &mut ModelFacts) -> Result<Option<Pictures>> {
    let given = [
        ("images", request.images),
        ("steps", request.steps),
        ("height", request.height),
        ("width", request.width),
        ("frames", request.frames),
    ];
    let first = given.iter().find(|(_, value)| value.is_some());
    let (name, kind) = (&model.name, model.kind);
    let Some(media) = model.media.as_mut() else {
        return match first {
            None => Ok(None),
            Some((field, _)) => Err(wrong(format!(
                "`{field}` applies to models of images and videos, and {name} is not one of them: leave it out"
            ))),
        };
    };
    let Some(diffusion) = media.diffusion else {
        return match first {
            None => Ok(None),
            Some((field, _)) => Err(wrong(format!(
                "`{field}` needs the shape of the denoising model, which the catalog lacks for {name}: leave it out"
            ))),
        };
    };
    if kind == ModelKind::Image && request.frames.is_some_and(|frames| frames > 1.0) {
        return Err(wrong(format!(
            "`frames` applies to models of videos, and {name} generates images: leave it out"
        )));
    }
    let total = integer("images", request.images, MOST_PICTURES)?;
    let usual = diffusion.picture();
    let picture = Picture {
        steps: integer("steps", request.steps, MOST_STEPS)?.unwrap_or(usual.steps),
        height: side("height", request.height)?.unwrap_or(usual.height),
        width: side("width", request.width)?.unwrap_or(usual.width),
        frames: integer("frames", request.frames, MOST_FRAMES)?.unwrap_or(usual.frames),
    };
    integer("batch", request.batch, MAX_BATCH)?;
    adapt(media, kind, &picture, &usual);
    Ok(Some(Pictures {
        model: diffusion,
        picture,
        total,
        is_apart: total.is_some(),
    }))
}

/// Reads a side of a picture.
fn side(field: &str, value: Option<f64>) -> Result<Option<f64>> {
    let value = integer(field, value, MOST_SIDE)?;
    if let Some(pixels) = value.filter(|pixels| *pixels < LEAST_SIDE) {
        return Err(wrong(format!(
            "`{field}` must be between {LEAST_SIDE} and {MOST_SIDE}, not {pixels}"
        )));
    }
    Ok(value)
}

/// Changes the unit and the activations of a model to other settings. Its decoder, which has the peak, keeps tensors for
/// all pixels.
fn adapt(media: &mut Media, kind: ModelKind, picture: &Picture, usual: &Picture) {
    let is_usual = Picture {
        steps: usual.steps,
        ..*picture
    } == *usual;
    if is_usual {
        return;
    }
    media.activations *= picture.megapixels() / usual.megapixels();
    let Picture {
        height,
        width,
        frames,
        ..
    } = picture;
    media.unit = if kind == ModelKind::Video {
        format!("{} frames of {width} × {height}", grouped(*frames))
    } else {
        format!("an image of {width} × {height}")
    };
}

/// The layout of a model whose parts each device holds in full.
///
/// # Errors
///
/// [`Indivisible`] if the given degrees do not fit the number of devices.
pub(super) fn layout(
    work: &ModelRun,
    sizer: &Sizer,
    devices: u32,
) -> std::result::Result<Layout, Indivisible> {
    let Some(pictures) = &work.pictures else {
        return Ok(Layout {
            data: devices,
            ..Layout::default()
        });
    };
    let per_machine = (sizer.device.per_machine as u32).max(1).min(devices);
    let context = match (work.given.context, work.given.data) {
        (Some(context), _) => context,
        (None, Some(data)) if devices.is_multiple_of(data) => devices / data,
        (None, Some(data)) => {
            return Err(Indivisible::Devices {
                needed: data,
                devices,
            });
        }
        (None, None) if pictures.is_apart || sizer.is_part => 1,
        (None, None) if devices.is_multiple_of(per_machine) => per_machine,
        (None, None) => 1,
    };
    let data = work.given.data.unwrap_or(devices / context.max(1));
    let needed = context.saturating_mul(data);
    if needed != devices {
        return Err(Indivisible::Devices { needed, devices });
    }
    Ok(Layout {
        context,
        data,
        ..Layout::default()
    })
}

/// The speed of the pictures of a run with a layout; `None` if it is not measured, or a figure of the device is unknown.
pub(super) fn speed(work: &ModelRun, sizer: &Sizer, layout: &Layout) -> Option<PictureSpeed> {
    let pictures = work.pictures.as_ref()?;
    let shares = sizer.diffusion.as_ref()?;
    if work.run.weights.compute_bits > MEASURED_BITS {
        return None;
    }
    let batch = picture_time(
        &pictures.model,
        &pictures.picture,
        work.run.batch,
        layout.context,
        &sizer.device,
        shares,
    )?;
    let at_once = work.run.batch * f64::from(layout.data);
    Some(PictureSpeed {
        seconds_per_item: batch.seconds / at_once,
        batch,
        band: shares.band,
    })
}
