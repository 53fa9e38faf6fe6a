//! The time of images and videos from diffusion transformers: a roofline of each denoising step.
//!
//! A step multiplies matrices, compares all tokens with each other, and reads and writes the hidden state in separate
//! kernels. Devices that share a picture exchange heads, or pass keys and values around a ring. `docs/sizing.md` has
//! the formulas.

use super::device::Device;
use super::speed::Bound;
use crate::catalog::{Accelerator, Catalog};

/// Bytes of a number of the hidden state.
const HIDDEN_BYTES: f64 = 2.0;
/// The widths of heads that attention kernels are compiled for. Other heads are padded.
const HEAD_WIDTHS: [f64; 5] = [32.0, 64.0, 96.0, 128.0, 256.0];
/// The width of heads that the scalar operations of attention are stated for.
const STATED_HEAD_WIDTH: f64 = 128.0;
/// The exponent of a sum of times that partly hide each other.
const OVERLAP: f64 = 3.0;

crate::words! {
    /// The kind of the decoder that turns latents into pixels.
    #[derive(Default)]
    pub enum DecoderKind {
        /// A convolutional decoder of images, with 8 pixels per latent.
        #[default]
        Image = "image",
        /// A decoder of images with 32 pixels per latent.
        Deep = "deep",
        /// A decoder of videos, which works in tiles.
        Video = "video",
    }
}

crate::rows! {
    /// A diffusion transformer, with its default settings.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Diffusion {
        /// The width of the hidden state.
        pub hidden: u32,
        /// The number of attention layers.
        pub layers: u32,
        /// The width of a head.
        pub head_dim: u32,
        /// The parameters of the matrices that a token of the picture passes in a step.
        pub token_parameters: f64,
        /// Pixels per token in each direction.
        pub patch: u32,
        /// Frames per latent frame; 1 for images.
        pub frame_stride: u32,
        /// Latent frames per token.
        pub frame_patch: u32,
        /// Tokens of the prompt.
        pub prompt_tokens: u32,
        /// True if the tokens of the prompt pass the layers together with those of the picture.
        pub is_joint: bool,
        /// Parameters of the text encoders.
        pub encoder_parameters: f64,
        /// Pictures of the same size that are read with the prompt, such as the picture to edit.
        pub references: u32,
        /// Passes of a step: 2 with classifier-free guidance.
        pub passes: u32,
        /// True if the cost of attention is linear in the number of tokens.
        pub is_linear: bool,
        /// The kind of decoder.
        pub decoder: DecoderKind,
        /// The default number of steps.
        pub steps: u32,
        /// The default height in pixels.
        pub height: u32,
        /// The default width in pixels.
        pub width: u32,
        /// The default number of frames; 1 for images.
        pub frames: u32,
    }
}

/// The settings of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picture {
    /// The number of denoising steps.
    pub steps: f64,
    /// The height in pixels.
    pub height: f64,
    /// The width in pixels.
    pub width: f64,
    /// The number of frames; 1 for images.
    pub frames: f64,
}

impl Picture {
    /// Millions of pixels of all frames.
    pub fn megapixels(&self) -> f64 {
        self.height * self.width * self.frames / 1e6
    }
}

impl Diffusion {
    /// The default settings.
    pub fn picture(&self) -> Picture {
        Picture {
            steps: self.steps.into(),
            height: self.height.into(),
            width: self.width.into(),
            frames: self.frames.into(),
        }
    }

    /// The number of heads.
    pub fn heads(&self) -> u32 {
        self.hidden / self.head_dim.max(1)
    }

    /// The tokens of a picture and of the pictures that are read with it.
    fn picture_tokens(&self, picture: &Picture) -> f64 {
        let patch = f64::from(self.patch.max(1));
        let side = |pixels: f64| (pixels / patch).ceil();
        let stride = f64::from(self.frame_stride.max(1));
        let latent = ((picture.frames - 1.0) / stride).floor() + 1.0;
        let frames = (latent / f64::from(self.frame_patch.max(1))).ceil();
        let pictures = 1.0 + f64::from(self.references);
        pictures * frames * side(picture.height) * side(picture.width)
    }

    /// The tokens that pass all layers.
    fn tokens(&self, picture: &Picture) -> f64 {
        let prompt = if self.is_joint {
            f64::from(self.prompt_tokens)
        } else {
            0.0
        };
        self.picture_tokens(picture) + prompt
    }

    /// The devices of `devices` that exchange heads; the others form rings.
    fn exchanging(&self, devices: u32) -> u32 {
        let heads = self.heads();
        let divides = |n: &u32| devices.is_multiple_of(*n) && heads.is_multiple_of(*n);
        (1..=devices).rev().find(divides).unwrap_or(1)
    }
}

/// The measured efficiencies of diffusion transformers on a device.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DiffusionShares {
    /// The share of the 16-bit peak in matrices.
    matrices: f64,
    /// The share of the 16-bit peak in the products of attention.
    attention: f64,
    /// Scalar operations per score of attention, with heads of the stated width.
    scalar_operations: f64,
    /// Scalar operations per second, as a multiple of the 16-bit peak.
    scalar_rate: f64,
    /// Reads and writes of the hidden state in a layer.
    hidden_transfers: f64,
    /// Seconds to start the kernels of a layer.
    layer: f64,
    /// Seconds of a layer for the exchange of heads, and the share of the link that it reaches.
    exchange: (f64, f64),
    /// The same for each pass of keys and values around a ring.
    ring: (f64, f64),
    /// Operations per pixel of decoders: `image`, `deep`, `video`.
    decoders: [f64; 3],
    /// Seconds of a batch beside all of this.
    start: f64,
    /// The ends of the band of times, relative to the computed time.
    pub band: (f64, f64),
}

impl DiffusionShares {
    /// The efficiencies on an accelerator; `None` if a rate of the accelerator or a coefficient is unknown.
    pub fn of(catalog: &Catalog<'_>, accelerator: &Accelerator) -> Option<Self> {
        let architecture = catalog.str(accelerator.architecture);
        let capability = format!(
            "compute capability {}",
            catalog.str(accelerator.compute_capability)
        );
        let scopes = [capability.as_str(), architecture];
        let coefficient =
            |name: &str| catalog.coefficient_among(&format!("diffusion-{name}"), &scopes, None);
        let micro = |name: &str| coefficient(name).map(|us| us * 1e-6);
        let of_band = format!("item on {capability}");
        let end = |name: &str| catalog.coefficient_among(name, &[&of_band, "item"], None);
        let decoder = |kind: DecoderKind| {
            let mega = catalog.coefficient("diffusion-decoder-mega-operations", kind.word());
            mega.map(|mega| mega * 1e6)
        };
        Some(Self {
            matrices: coefficient("compute-share")?,
            attention: coefficient("attention-compute-share")?,
            scalar_operations: coefficient("attention-scalar-operations")?,
            scalar_rate: accelerator.fp32_tflops? / accelerator.headline_tflops()?,
            hidden_transfers: coefficient("hidden-transfers")?,
            layer: micro("launch-us-per-layer")?,
            exchange: (micro("exchange-us")?, coefficient("exchange-link-share")?),
            ring: (micro("ring-us")?, coefficient("ring-link-share")?),
            decoders: [
                decoder(DecoderKind::Image)?,
                decoder(DecoderKind::Deep)?,
                decoder(DecoderKind::Video)?,
            ],
            start: coefficient("start-s")?,
            band: (end("speed-low")?, end("speed-high")?),
        })
    }
}

/// The time of a batch of pictures, and its parts in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PictureTime {
    /// The whole batch.
    pub seconds: f64,
    /// Products: matrices, attention, decoder and text encoder.
    pub computing: f64,
    /// Reads and writes of the hidden state.
    pub reading: f64,
    /// Exchanges between devices.
    pub exchanging: f64,
    /// Starts of kernels and of the batch that nothing hides.
    pub launching: f64,
}

impl PictureTime {
    /// The part that takes most of the time.
    pub fn bound(&self) -> Bound {
        let largest = Bound::of_largest([
            (self.computing, Bound::Compute),
            (self.reading, Bound::Memory),
            (self.exchanging, Bound::Network),
            (self.launching, Bound::Launch),
        ]);
        largest.unwrap_or(Bound::Compute)
    }
}

/// Adds times that partly hide each other.
fn overlapped(a: f64, b: f64) -> f64 {
    (a.powf(OVERLAP) + b.powf(OVERLAP)).powf(1.0 / OVERLAP)
}

/// The time of `batch` pictures that `devices` devices generate together; `None` if a rate of the device is unknown.
pub fn picture_time(
    model: &Diffusion,
    picture: &Picture,
    batch: f64,
    devices: u32,
    device: &Device,
    shares: &DiffusionShares,
) -> Option<PictureTime> {
    let (peak, bandwidth) = (device.peak.bits_16?, device.bandwidth?);
    let share = f64::from(devices.max(1));
    let sequences = batch * f64::from(model.passes.max(1));
    let (hidden, layers) = (f64::from(model.hidden), f64::from(model.layers));
    let tokens = model.tokens(picture);
    let rate = peak * shares.matrices;
    let matrices = 2.0 * model.token_parameters * tokens * sequences / (share * rate);
    let products = attention_time(model, tokens, peak, shares) * sequences / share;
    // Convolutions instead of attention read and write the hidden state twice as often.
    let transfers = shares.hidden_transfers * if model.is_linear { 2.0 } else { 1.0 };
    let hidden_bytes = hidden * HIDDEN_BYTES * tokens * sequences;
    let reading = transfers * hidden_bytes * layers / (share * bandwidth);

    let exchanging_devices = model.exchanging(devices.max(1));
    let rings = devices.max(1) / exchanging_devices;
    let link = device.links.among(share);
    let mut exchange = 0.0;
    if exchanging_devices > 1 {
        let others = 1.0 - 1.0 / f64::from(exchanging_devices);
        // Queries, keys, values and results.
        let bytes = 4.0 * hidden_bytes / share * others;
        exchange += layers * (shares.exchange.0 + bytes / (shares.exchange.1 * link));
    }
    let mut passed = 0.0;
    if rings > 1 {
        let others = 1.0 - 1.0 / f64::from(rings);
        // Keys and values of all other devices of the ring.
        let bytes = 2.0 * hidden_bytes * others / f64::from(exchanging_devices);
        passed = layers * bytes / (shares.ring.1 * link);
        exchange += layers * f64::from(rings - 1) * shares.ring.0;
    }
    // Attention to the keys at hand hides the passing of others.
    let attention = overlapped(products, passed);
    let busy = matrices + attention + reading;
    let step = overlapped(busy, layers * shares.layer);
    let decoder = shares.decoders[model.decoder as usize];
    let decoding = decoder * picture.megapixels() * 1e6 * batch / rate;
    let encoded = f64::from(model.prompt_tokens) * sequences;
    let encoding = 2.0 * model.encoder_parameters * encoded / rate;
    Some(PictureTime {
        seconds: picture.steps * (step + exchange) + decoding + encoding + shares.start,
        computing: picture.steps * (matrices + products) + decoding + encoding,
        reading: picture.steps * reading,
        exchanging: picture.steps * (exchange + attention - products),
        launching: picture.steps * (step - busy) + shares.start,
    })
}

/// The time of attention among all tokens of a sequence in all layers, on one device.
fn attention_time(model: &Diffusion, tokens: f64, peak: f64, shares: &DiffusionShares) -> f64 {
    if model.is_linear {
        return 0.0;
    }
    let head = f64::from(model.head_dim);
    let padded = HEAD_WIDTHS.into_iter().find(|width| head <= *width);
    let width = padded.unwrap_or(head);
    let scores = tokens * tokens * f64::from(model.heads()) * f64::from(model.layers);
    // Half of the scalar operations are for each number of a head.
    let scalar = shares.scalar_operations * f64::midpoint(1.0, width / STATED_HEAD_WIDTH);
    let product = 4.0 * width / (peak * shares.attention);
    scores * (product + scalar / (peak * shares.scalar_rate))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizing::{Links, Peak};

    const FLUX: Diffusion = Diffusion {
        hidden: 3072,
        layers: 57,
        head_dim: 128,
        token_parameters: 6.455e9,
        patch: 16,
        frame_stride: 1,
        frame_patch: 1,
        prompt_tokens: 512,
        is_joint: true,
        encoder_parameters: 4.885e9,
        references: 0,
        passes: 1,
        is_linear: false,
        decoder: DecoderKind::Image,
        steps: 28,
        height: 1024,
        width: 1024,
        frames: 1,
    };

    const SHARES: DiffusionShares = DiffusionShares {
        matrices: 0.64,
        attention: 0.7,
        scalar_operations: 46.0,
        scalar_rate: 67.0 / 989.5,
        hidden_transfers: 169.0,
        layer: 107e-6,
        exchange: (0.86e-3, 0.37),
        ring: (0.49e-3, 0.23),
        decoders: [50e6, 80e6, 160e6],
        start: 0.14,
        band: (0.8, 1.2),
    };

    fn device() -> Device {
        Device {
            bandwidth: Some(3.35e12),
            peak: Peak {
                bits_16: Some(989.5e12),
                ..Peak::default()
            },
            links: Links {
                rate: 450e9,
                domain: 8.0,
                ..Links::default()
            },
            ..Device::default()
        }
    }

    fn seconds(model: &Diffusion, picture: &Picture, batch: f64, devices: u32) -> f64 {
        let time = picture_time(model, picture, batch, devices, &device(), &SHARES);
        time.unwrap().seconds
    }

    #[test]
    fn a_picture_has_as_many_tokens_as_patches() {
        assert!((FLUX.tokens(&FLUX.picture()) - 4608.0).abs() < 1e-9);
        let video = Diffusion {
            frame_stride: 4,
            frame_patch: 2,
            is_joint: false,
            height: 768,
            width: 1360,
            frames: 81,
            ..FLUX
        };
        // 21 latent frames in pairs.
        assert!((video.tokens(&video.picture()) - 11.0 * 48.0 * 85.0).abs() < 1e-9);
        let edit = Diffusion {
            references: 1,
            ..FLUX
        };
        assert!((edit.tokens(&edit.picture()) - 8704.0).abs() < 1e-9);
    }

    #[test]
    fn a_published_run_is_near() {
        // FLUX.1-dev in 28 steps on one H100: 6.71 s with eager PyTorch (xDiT, docs/performance/flux.md).
        let time = seconds(&FLUX, &FLUX.picture(), 1.0, 1);
        assert!((5.4..8.0).contains(&time), "{time}");
    }

    #[test]
    fn time_grows_with_the_settings() {
        let picture = FLUX.picture();
        let one = seconds(&FLUX, &picture, 1.0, 1);
        let steps = Picture {
            steps: 56.0,
            ..picture
        };
        assert!(seconds(&FLUX, &steps, 1.0, 1) > 1.8 * one);
        let large = Picture {
            height: 2048.0,
            width: 2048.0,
            ..picture
        };
        // Attention grows faster than the number of pixels.
        assert!(seconds(&FLUX, &large, 1.0, 1) > 4.0 * one);
        assert!(seconds(&FLUX, &picture, 4.0, 1) > 3.0 * one);
        let guided = Diffusion { passes: 2, ..FLUX };
        assert!(seconds(&guided, &picture, 1.0, 1) > 1.8 * one);
    }

    #[test]
    fn devices_that_share_a_picture_lose_some_time() {
        let picture = FLUX.picture();
        let one = seconds(&FLUX, &picture, 1.0, 1);
        let four = seconds(&FLUX, &picture, 1.0, 4);
        assert!(four < one && four > one / 4.0, "{four} of {one}");
        // 24 heads are exchanged by 8 devices, and by 3 of 9.
        assert_eq!((FLUX.exchanging(8), FLUX.exchanging(9)), (8, 3));
    }

    #[test]
    fn parts_add_up() {
        for devices in [1, 2, 5, 8] {
            let picture = FLUX.picture();
            let time = picture_time(&FLUX, &picture, 2.0, devices, &device(), &SHARES).unwrap();
            let sum = time.computing + time.reading + time.exchanging + time.launching;
            assert!((sum / time.seconds - 1.0).abs() < 1e-9, "{time:?}");
        }
    }

    #[test]
    fn unknown_rates_give_no_time() {
        let unknown = Device::default();
        let time = picture_time(&FLUX, &FLUX.picture(), 1.0, 1, &unknown, &SHARES);
        assert_eq!(time, None);
    }
}
