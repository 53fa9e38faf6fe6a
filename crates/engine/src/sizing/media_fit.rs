//! Sizes models of images, video and speech on devices.

use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::sizing::{
    DiffusionShares, GIB, Indivisible, Layout, Memory, Speed, Transcriber, TranscriptionShares,
    picture_time, transcription_time,
};

use super::fitted::Fitted;
use super::media_items::{BatchTime, ItemSpeed, ItemWork};
use super::model_facts::Media;
use super::run::ModelRun;
use super::sizer::Sizer;

/// The bits of operands that the measured pipelines multiply.
const MEASURED_BITS: f64 = 16.0;

/// The efficiencies of a device for work without tokens; `None` for other work, or if they are unknown.
#[derive(Clone, Copy, Default)]
pub(super) struct MediaShares {
    /// Diffusion transformers.
    diffusion: Option<DiffusionShares>,
    /// Servers that write down speech.
    transcription: Option<TranscriptionShares>,
}

impl MediaShares {
    /// Returns the efficiencies of an accelerator for the work of a run.
    pub fn of(catalog: &Catalog<'_>, accelerator: AcceleratorId, work: &ModelRun) -> Self {
        let Some(items) = &work.items else {
            return Self::default();
        };
        let accelerator = catalog.accelerator(accelerator);
        match &items.work {
            ItemWork::Picture { .. } => Self {
                diffusion: DiffusionShares::of(catalog, &accelerator),
                ..Self::default()
            },
            ItemWork::Speech(_) => Self {
                transcription: TranscriptionShares::of(catalog, &accelerator),
                ..Self::default()
            },
        }
    }
}

/// Sizes a model that each device holds in full.
///
/// # Errors
///
/// [`Indivisible`] if the given layout does not fit the number of devices.
pub(super) fn fitted(
    work: &ModelRun,
    media: &Media,
    sizer: &Sizer,
    devices: u32,
) -> Result<Fitted, Indivisible> {
    let usable = sizer.usable(&work.run, &Memory::default());
    let layout = layout(work, sizer, devices)?;
    // Devices that share pictures each decode some of them, or a part.
    let items = work.items.and_then(|items| items.picture().copied());
    let at_once = items.map_or(1.0, |_| work.run.batch);
    let activations = media.activations * at_once / f64::from(layout.context);
    let coefficients = &work.measured.coefficients;
    let weights = media.parameters * work.run.weights.bits / 8.0;
    let allocated = weights + activations;
    let framework = (coefficients.context_gib + coefficients.workspace_gib) * GIB;
    let device = allocated + framework;
    let free = usable.map(|usable| usable - device);
    let speed = speed(work, sizer, &layout, free);
    Ok(Fitted {
        layout,
        low: allocated * (1.0 - work.model.size_band),
        high: device * (1.0 + work.model.size_band),
        usable,
        memory: Memory {
            weights,
            activations,
            framework,
            steady: weights,
            allocated,
            reserved: allocated,
            device,
            ..Memory::default()
        },
        speed: Speed {
            bound: speed.map(|speed| speed.batch.bound()),
            ..Speed::default()
        },
        served: None,
        step: None,
        items: speed,
    })
}

/// The layout of a model whose parts each device holds in full.
///
/// # Errors
///
/// [`Indivisible`] if the given degrees do not fit the number of devices.
fn layout(work: &ModelRun, sizer: &Sizer, devices: u32) -> Result<Layout, Indivisible> {
    let Some(items) = work.items.filter(|items| items.picture().is_some()) else {
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
        (None, None) if items.is_apart || sizer.is_part => 1,
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

/// The speed of the items of a run with a layout; `None` if it is not measured, or a figure of the device is unknown.
/// `free` are the bytes that the weights and one run leave.
fn speed(work: &ModelRun, sizer: &Sizer, layout: &Layout, free: Option<f64>) -> Option<ItemSpeed> {
    let items = work.items.as_ref()?;
    if work.run.weights.compute_bits > MEASURED_BITS {
        return None;
    }
    let (model, picture) = match &items.work {
        ItemWork::Picture { model, picture } => (model, picture),
        ItemWork::Speech(model) => return of_speech(model, sizer, layout, free?),
    };
    let shares = sizer.media.diffusion.as_ref()?;
    let batch = picture_time(
        model,
        picture,
        work.run.batch,
        layout.context,
        &sizer.device,
        shares,
    )?;
    let at_once = work.run.batch * f64::from(layout.data);
    Some(ItemSpeed {
        seconds_per_item: batch.seconds / at_once,
        batch: BatchTime::Pictures(batch),
        band: shares.band,
    })
}

/// The speed of writing down speech, in batches of segments that the memory holds.
fn of_speech(model: &Transcriber, sizer: &Sizer, layout: &Layout, free: f64) -> Option<ItemSpeed> {
    let shares = sizer.media.transcription.as_ref()?;
    // The memory of one run has one segment.
    let segments = shares.batch(model, free + model.cache_of_segment())?;
    let hour = transcription_time(model, segments, &sizer.device, shares)?;
    Some(ItemSpeed {
        seconds_per_item: hour.seconds / f64::from(layout.data),
        batch: BatchTime::Speech {
            hour,
            speech_s: segments * model.segment_s(),
        },
        band: shares.band,
    })
}
