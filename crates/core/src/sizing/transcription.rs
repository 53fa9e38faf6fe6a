//! The time of writing down speech: a roofline of the encoder, of the tokens of the text, and of the host.
//!
//! An encoder reads frames of sound. The decoder of a Whisper model then reads all frames of the window again for each
//! token. Models without such a decoder (CTC, transducers) take their text from the frames. `docs/sizing.md` has the
//! formulas.

use super::device::Device;
use super::speed::Bound;
use crate::catalog::{Accelerator, Catalog};

/// Bytes of a number of the weights and of the cache.
const BYTES: f64 = 2.0;
/// Seconds of a segment of speech, if the encoder has no window: longer recordings are split.
const SEGMENT_S: f64 = 30.0;
/// The seconds of an hour.
const HOUR_S: f64 = 3600.0;

crate::rows! {
    /// A model that writes down speech.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Transcriber {
        /// Parameters of the encoder, which each frame passes.
        pub encoder_parameters: f64,
        /// Frames of the encoder per second of speech.
        pub frames_per_s: f64,
        /// Seconds of the window that shorter speech is padded to; 0 without padding.
        pub window_s: u32,
        /// The width of the hidden state.
        pub hidden: u32,
        /// The layers of the encoder.
        pub layers: u32,
        /// Parameters of the decoder, which each token passes; 0 without a decoder that attends to the frames.
        pub decoder_parameters: f64,
        /// The layers of that decoder.
        pub decoder_layers: u32,
    }
}

impl Transcriber {
    /// The seconds of a segment.
    pub fn segment_s(&self) -> f64 {
        match self.window_s {
            0 => SEGMENT_S,
            seconds => seconds.into(),
        }
    }

    /// The frames of a segment.
    fn frames(&self) -> f64 {
        self.frames_per_s * self.segment_s()
    }

    /// Bytes of the keys and values of all frames of a segment, which the decoder keeps and reads for each token.
    pub fn cache_of_segment(&self) -> f64 {
        2.0 * self.frames() * f64::from(self.hidden) * f64::from(self.decoder_layers) * BYTES
    }

    /// Operations of the encoder per second of speech: its matrices, attention among the frames of a segment, and the
    /// keys and values for the decoder.
    fn encoder_operations(&self) -> f64 {
        let (hidden, layers) = (f64::from(self.hidden), f64::from(self.layers));
        let matrices = 2.0 * self.encoder_parameters;
        let attention = 4.0 * self.frames() * hidden * layers;
        let cache = 4.0 * hidden * hidden * f64::from(self.decoder_layers);
        self.frames_per_s * (matrices + attention + cache)
    }
}

/// The measured efficiencies of servers that write down speech.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TranscriptionShares {
    /// The share of the 16-bit peak.
    compute: f64,
    /// The share of the memory bandwidth.
    bandwidth: f64,
    /// Seconds of the host per second of speech.
    host: f64,
    /// Seconds to start the kernels of a layer of the decoder.
    layer: f64,
    /// Tokens of text per second of speech.
    tokens_per_s: f64,
    /// The most segments of a batch.
    batch: f64,
    /// The ends of the band of times, relative to the computed time.
    pub band: (f64, f64),
}

impl TranscriptionShares {
    /// The efficiencies on an accelerator; `None` if a coefficient is unknown.
    pub fn of(catalog: &Catalog<'_>, accelerator: &Accelerator) -> Option<Self> {
        let architecture = catalog.str(accelerator.architecture);
        let coefficient = |name: &str| {
            catalog.coefficient_among(&format!("speech-{name}"), &[architecture], None)
        };
        let of_band = format!("speech on {architecture}");
        let end = |name: &str| catalog.coefficient_among(name, &[&of_band, "speech"], None);
        Some(Self {
            compute: coefficient("compute-share")?,
            bandwidth: coefficient("bandwidth-share")?,
            host: coefficient("host-us-per-s")? * 1e-6,
            layer: coefficient("launch-us-per-layer")? * 1e-6,
            tokens_per_s: coefficient("tokens-per-s")?,
            batch: coefficient("batch")?,
            band: (end("speed-low")?, end("speed-high")?),
        })
    }

    /// The segments of a batch for whose caches the memory is enough; `None` if it is too small for one.
    pub fn batch(&self, model: &Transcriber, free_bytes: f64) -> Option<f64> {
        let each = model.cache_of_segment();
        let held = if each > 0.0 {
            (free_bytes / each).floor()
        } else {
            self.batch
        };
        (held >= 1.0).then_some(held.min(self.batch))
    }
}

/// The time of an hour of speech on one device, and its parts in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TranscriptionTime {
    /// The whole hour.
    pub seconds: f64,
    /// Products of the encoder and of the decoder.
    pub computing: f64,
    /// Reads of weights and caches by the decoder.
    pub reading: f64,
    /// Starts of kernels, and work of the host.
    pub launching: f64,
}

impl TranscriptionTime {
    /// The part that takes most of the time.
    pub fn bound(&self) -> Bound {
        let largest = Bound::of_largest([
            (self.computing, Bound::Compute),
            (self.reading, Bound::Memory),
            (self.launching, Bound::Launch),
        ]);
        largest.unwrap_or(Bound::Compute)
    }
}

/// The time of an hour of speech in batches of `batch` segments; `None` if a rate of the device is unknown.
pub fn transcription_time(
    model: &Transcriber,
    batch: f64,
    device: &Device,
    shares: &TranscriptionShares,
) -> Option<TranscriptionTime> {
    let peak = device.peak.bits_16? * shares.compute;
    let bandwidth = device.bandwidth? * shares.bandwidth;
    let tokens = if model.decoder_layers > 0 {
        shares.tokens_per_s
    } else {
        0.0
    };
    let operations = model.encoder_operations() + 2.0 * model.decoder_parameters * tokens;
    let weights = model.decoder_parameters * BYTES / batch;
    let read = tokens * (model.cache_of_segment() + weights);
    let launches = tokens * f64::from(model.decoder_layers) * shares.layer / batch;
    let computing = HOUR_S * operations / peak;
    let reading = HOUR_S * read / bandwidth;
    let launching = HOUR_S * (launches + shares.host);
    Some(TranscriptionTime {
        seconds: computing + reading + launching,
        computing,
        reading,
        launching,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizing::Peak;

    const WHISPER: Transcriber = Transcriber {
        encoder_parameters: 0.635e9,
        frames_per_s: 50.0,
        window_s: 30,
        hidden: 1280,
        layers: 32,
        decoder_parameters: 0.907e9,
        decoder_layers: 32,
    };

    const PARAKEET: Transcriber = Transcriber {
        encoder_parameters: 0.6e9,
        frames_per_s: 12.5,
        window_s: 0,
        hidden: 1024,
        layers: 24,
        decoder_parameters: 0.0,
        decoder_layers: 0,
    };

    const SHARES: TranscriptionShares = TranscriptionShares {
        compute: 0.6,
        bandwidth: 0.6,
        host: 130e-6,
        layer: 80e-6,
        tokens_per_s: 3.5,
        batch: 64.0,
        band: (0.8, 3.0),
    };

    fn device() -> Device {
        Device {
            bandwidth: Some(2e12),
            peak: Peak {
                bits_16: Some(312e12),
                ..Peak::default()
            },
            ..Device::default()
        }
    }

    fn hour(model: &Transcriber, batch: f64) -> TranscriptionTime {
        transcription_time(model, batch, &device(), &SHARES).unwrap()
    }

    #[test]
    fn a_decoder_keeps_all_frames_of_a_window() {
        // 1,500 frames of 1,280 numbers of 2 bytes, as keys and values of 32 layers.
        let bytes = 2.0 * 1500.0 * 1280.0 * 32.0 * 2.0;
        assert!((WHISPER.cache_of_segment() - bytes).abs() < 1.0);
        assert!(PARAKEET.cache_of_segment().abs() < 1e-9);
        assert!((PARAKEET.segment_s() - 30.0).abs() < 1e-9);
    }

    #[test]
    fn a_batch_is_as_large_as_the_memory_allows() {
        let each = WHISPER.cache_of_segment();
        assert_eq!(SHARES.batch(&WHISPER, 10.5 * each), Some(10.0));
        assert_eq!(SHARES.batch(&WHISPER, 1e12), Some(64.0));
        assert_eq!(SHARES.batch(&WHISPER, 0.9 * each), None);
        assert_eq!(SHARES.batch(&PARAKEET, 0.0), Some(64.0));
    }

    #[test]
    fn parts_add_up_and_the_largest_is_the_bound() {
        let time = hour(&WHISPER, 64.0);
        let sum = time.computing + time.reading + time.launching;
        assert!((sum / time.seconds - 1.0).abs() < 1e-12);
        assert_eq!(time.bound(), Bound::Memory);
        assert_eq!(hour(&PARAKEET, 64.0).bound(), Bound::Launch);
    }

    #[test]
    fn small_batches_take_longer_and_models_without_a_decoder_do_not() {
        assert!(hour(&WHISPER, 1.0).seconds > 3.0 * hour(&WHISPER, 64.0).seconds);
        assert_eq!(hour(&PARAKEET, 1.0), hour(&PARAKEET, 64.0));
    }

    #[test]
    fn fewer_layers_of_the_decoder_take_less_time() {
        let turbo = Transcriber {
            decoder_parameters: 0.172e9,
            decoder_layers: 4,
            ..WHISPER
        };
        let (large, small) = (hour(&WHISPER, 64.0), hour(&turbo, 64.0));
        assert!(small.reading < large.reading / 6.0);
        assert!(
            small.computing > 0.8 * large.computing,
            "the encoder is the same"
        );
    }

    #[test]
    fn unknown_rates_give_no_time() {
        let time = transcription_time(&WHISPER, 64.0, &Device::default(), &SHARES);
        assert_eq!(time, None);
    }
}
