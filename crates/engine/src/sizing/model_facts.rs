//! Facts about a model.

use sky_accel_core::sizing::{
    Architecture, CacheFormat, Diffusion, ModelKind, Transcriber, WeightFormat,
};

/// The facts about a model.
#[derive(Clone, Debug)]
pub struct ModelFacts {
    /// The name of the model.
    pub name: String,
    /// The kind of output.
    pub kind: ModelKind,
    /// The parts of an image, video or speech model, which has no known architecture.
    pub media: Option<Media>,
    /// The architecture: layers, heads, sizes and vocabulary.
    pub shape: Architecture,
    /// The source of the shape.
    pub source: String,
    /// The path of its files or its hub id, as a serving engine loads it; `None` if unknown.
    pub checkpoint: Option<String>,
    /// The hub id of the original files, where the request names a format of the model, such as `Llama-3.3-70B-FP8`,
    /// and no files.
    pub original: Option<String>,
    /// The name in the request, if only the shape is shared with the model `name`: other files are another model.
    pub shape_of: Option<String>,
    /// The size of the files in bytes; `None` if unknown.
    pub checkpoint_bytes: Option<f64>,
    /// The catalog's name for the format of the files; `None` if it is not stated.
    pub stored_as: Option<String>,
    /// The first version of vLLM that serves the checkpoint, or `nightly`; `None` if it is not known.
    pub min_vllm: Option<String>,
    /// The width of the blocks of weights that share a scale in its FP8 files; `None` without such blocks.
    pub fp8_block: Option<u32>,
    /// True if vLLM refuses to compute it in fp16.
    pub no_fp16: bool,
    /// The exact format of the weights, where the files differ from the usual bits of their format.
    pub format: Option<WeightFormat>,
    /// The format of the KV cache that the files prescribe, if any.
    pub kv_cache: Option<CacheFormat>,
    /// The name of an unsupported quantization in the files.
    pub unknown_quantization: Option<String>,
    /// The uncertainty of the number of parameters, as a fraction: 0 for known models.
    pub size_band: f64,
}

impl ModelFacts {
    /// The facts of a text model with a known shape and nothing else.
    pub(super) fn of_shape(name: String, shape: &Architecture, source: String) -> Self {
        Self {
            name,
            kind: ModelKind::Text,
            media: None,
            shape: *shape,
            source,
            checkpoint: None,
            original: None,
            shape_of: None,
            checkpoint_bytes: None,
            stored_as: None,
            min_vllm: None,
            fp8_block: None,
            no_fp16: false,
            format: None,
            kv_cache: None,
            unknown_quantization: None,
            size_band: 0.0,
        }
    }
}

/// A model of images, video or speech.
#[derive(Clone, Debug, PartialEq)]
pub struct Media {
    /// Parameters of all parts that are loaded.
    pub parameters: f64,
    /// Bytes of activations.
    pub activations: f64,
    /// The unit of work of `activations`: `an image of 1024 × 1024`.
    pub unit: String,
    /// The diffusion transformer; `None` for other models.
    pub diffusion: Option<Diffusion>,
    /// The shape of a model that writes down speech; `None` for other models, and if it is unknown.
    pub transcriber: Option<Transcriber>,
}
