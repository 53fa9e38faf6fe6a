//! Reads the settings of images, videos and speech.

use sky_accel_core::sizing::{ModelKind, Picture, Transcriber};

use super::bounds::{MAX_BATCH, integer, number, wrong};
use super::media_items::{ItemWork, MediaItems};
use super::model_facts::{Media, ModelFacts};
use super::options::RunRequest;
use crate::error::Result;
use crate::text::grouped;

/// The maximum number of items of a job.
const MOST_ITEMS: f64 = 1e12;
/// The minimum number of hours of speech.
const LEAST_HOURS: f64 = 0.01;
/// The maximum number of denoising steps.
const MOST_STEPS: f64 = 1000.0;
/// The sides of a picture in pixels.
const LEAST_SIDE: f64 = 64.0;
const MOST_SIDE: f64 = 16_384.0;
/// The maximum number of frames.
const MOST_FRAMES: f64 = 10_000.0;

/// Reads the settings of items, and adapts the unit and the activations of the model to them.
///
/// # Errors
///
/// A setting that the model does not have, or that is out of its bounds.
pub(super) fn read(request: &RunRequest, model: &mut ModelFacts) -> Result<Option<MediaItems>> {
    let given = [
        ("images", request.images),
        ("steps", request.steps),
        ("height", request.height),
        ("width", request.width),
        ("frames", request.frames),
    ];
    let first = given.iter().find(|(_, value)| value.is_some());
    let (name, kind) = (&model.name, model.kind);
    let transcriber = model.media.as_ref().and_then(|media| media.transcriber);
    let speech = speech(request.audio_hours, name, transcriber)?;
    if speech.is_some() && first.is_none() {
        return Ok(speech);
    }
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
    let total = integer("images", request.images, MOST_ITEMS)?;
    let usual = diffusion.picture();
    let picture = Picture {
        steps: integer("steps", request.steps, MOST_STEPS)?.unwrap_or(usual.steps),
        height: side("height", request.height)?.unwrap_or(usual.height),
        width: side("width", request.width)?.unwrap_or(usual.width),
        frames: integer("frames", request.frames, MOST_FRAMES)?.unwrap_or(usual.frames),
    };
    integer("batch", request.batch, MAX_BATCH)?;
    adapt(media, kind, &picture, &usual);
    Ok(Some(MediaItems {
        work: ItemWork::Picture {
            model: diffusion,
            picture,
        },
        total,
        is_apart: total.is_some(),
    }))
}

/// Reads the hours of speech.
fn speech(
    hours: Option<f64>,
    name: &str,
    transcriber: Option<Transcriber>,
) -> Result<Option<MediaItems>> {
    let total = number("audio_hours", hours, LEAST_HOURS..=MOST_ITEMS)?;
    match (transcriber, total) {
        (None, Some(_)) => Err(wrong(format!(
            "`audio_hours` needs a model that writes down speech, such as Whisper-large-v3, whose shape the catalog has, and {name} is not one of them: leave it out"
        ))),
        (None, None) => Ok(None),
        (Some(model), total) => Ok(Some(MediaItems {
            work: ItemWork::Speech(model),
            total,
            is_apart: true,
        })),
    }
}

/// Reads a side of a picture.
fn side(field: &str, value: Option<f64>) -> Result<Option<f64>> {
    let is_possible =
        |pixels: f64| pixels.fract() == 0.0 && (LEAST_SIDE..=MOST_SIDE).contains(&pixels);
    match value {
        Some(pixels) if !is_possible(pixels) => Err(wrong(format!(
            "`{field}` must be an integer between {LEAST_SIDE} and {MOST_SIDE}, not {pixels}"
        ))),
        value => Ok(value),
    }
}

/// Changes the unit and the activations of a model to other settings. Its decoder, which has the peak, keeps tensors
/// for all pixels.
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
