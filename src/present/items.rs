//! Words for images, videos and hours of speech.

use sky_accel_core::sizing::ModelKind;
use sky_accel_core::text::counted;
use sky_accel_engine::contract::{FitOut, RunOut};
use sky_accel_engine::text::{figure, grouped};

/// The words for one item of a model, and for several.
pub fn item_nouns(kind: ModelKind) -> (&'static str, &'static str) {
    match kind {
        ModelKind::Video => ("video", "videos"),
        ModelKind::Speech => ("hour of speech", "hours of speech"),
        ModelKind::Image | ModelKind::Text | ModelKind::Encoder => ("image", "images"),
    }
}

/// The speed of a model of images, video or speech.
pub fn item_speed(request: &RunOut, result: &FitOut) -> String {
    let speed = &result.throughput;
    let (Some(each), Some(batch)) = (result.seconds_per_item, speed.seconds_per_batch) else {
        return "speed: not measured for this model, or unknown for this device".to_owned();
    };
    let (noun, nouns) = item_nouns(result.model.kind);
    let (low, high) = (speed.low.seconds_per_item, speed.high.seconds_per_item);
    let band = low.zip(high).map_or_else(String::new, |(low, high)| {
        format!(" (low {}, high {})", figure(low.0), figure(high.0))
    });
    let mut parts = vec![format!("{} s per {noun}{band}", figure(each.0))];
    if let Some(rtfx) = speed.rtfx {
        parts.push(format!(
            "{} times as fast as speech",
            grouped(rtfx.0.round())
        ));
    }
    let is_batch = (batch.0 / each.0 - 1.0).abs() > 0.01;
    parts.extend(is_batch.then(|| format!("each batch takes {} s", figure(batch.0))));
    if let Some(total) = request.images.or(request.audio_hours) {
        let hours = total.0 * each.0 / 3600.0;
        let total = grouped(total.0);
        let noun = if total == "1" { noun } else { nouns };
        parts.push(format!(
            "{total} {noun} take {}",
            counted(figure(hours), "hour")
        ));
    }
    parts.extend(speed.bound.map(|bound| format!("bound by {bound}")));
    parts.join(", ")
}
