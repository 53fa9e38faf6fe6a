//! Reads the metadata and the tensor list of a GGUF file.

mod types;

use std::collections::HashMap;
use std::io::{self, Read};

use sky_accel_core::catalog::{Catalog, NamedFormat};
use sky_accel_core::sizing::{Architecture, Biases, Experts, Mla, QkNorm, WeightFormat, Window};
use thiserror::Error;

use self::types::bits_of;

/// An error in a GGUF file. Its texts may contain any characters of the file.
#[derive(Debug, Error)]
pub enum GgufError {
    /// The file cannot be read.
    #[error("{0}")]
    Io(io::Error),
    /// The file is not GGUF.
    #[error("not a GGUF file: it does not begin with `GGUF`")]
    Magic,
    /// The version is neither 2 nor 3.
    #[error("unsupported version {0}")]
    Version(u32),
    /// The file ends within its metadata or tensor list.
    #[error("the file is truncated")]
    Truncated,
    /// The metadata and the tensor list exceed the limit.
    #[error("metadata and tensor list are too large (the limit is {MAX_HEAD} bytes)")]
    TooLong,
    /// A number or a length exceeds its limit.
    #[error("{what} is too large: {n} (the limit is {most})")]
    TooMany {
        /// The part of the file.
        what: &'static str,
        /// The number in the file.
        n: u64,
        /// The limit.
        most: u64,
    },
    /// A metadata value or a tensor has an unknown type.
    #[error("a value has the unknown type {0}")]
    Type(u32),
    /// A required metadata entry is missing.
    #[error("`{0}` is missing")]
    Missing(String),
    /// The figures cannot be the shape of a model.
    #[error("{0}")]
    Shape(&'static str),
}

impl From<io::Error> for GgufError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// A model as described by its file.
#[derive(Clone, Debug, PartialEq)]
pub struct GgufModel {
    /// `general.name`. It may contain any characters.
    pub name: Option<String>,
    /// `general.architecture`. It may contain any characters.
    pub architecture: String,
    /// `general.file_type`: the `llama_ftype` of llama.cpp of most tensors.
    pub file_type: Option<u32>,
    /// The shape of its layers.
    pub shape: Architecture,
    /// Bytes of all tensors.
    pub bytes: f64,
    /// Average bits per value of the layers; 0 without layers.
    pub layer_bits: f64,
    /// Average bits per value of the embedding; 0 without one.
    pub embedding_bits: f64,
    /// Average bits per value of the head; 0 if it is tied.
    pub head_bits: f64,
}

impl GgufModel {
    /// Returns the catalog's format for the file type. If the file type is missing or unknown, it is the GGUF format
    /// with the nearest number of bits. `None` if the catalog has no GGUF formats.
    pub fn format(&self, catalog: &Catalog<'_>) -> Option<NamedFormat> {
        let by_type = self
            .file_type
            .and_then(|number| catalog.format_of_file_type(number));
        by_type.or_else(|| {
            let formats = catalog.weight_formats.iter();
            let distance = |row: &NamedFormat| (row.format.bits - self.layer_bits).abs();
            formats
                .filter(|row| row.file_type.is_some())
                .min_by(|a, b| distance(a).total_cmp(&distance(b)))
        })
    }

    /// The exact bits of the tensors, by module.
    pub fn weight_format(&self) -> WeightFormat {
        WeightFormat {
            bits: self.layer_bits,
            attention_bits: self.layer_bits,
            mlp_bits: self.layer_bits,
            embedding_bits: self.embedding_bits,
            head_bits: self.head_bits,
            // The average of the layers includes small tensors.
            small_bits: self.layer_bits,
            unties: false,
            dequantizes: false,
            compute_bits: 16.0,
        }
    }
}

/// The maximum size of the metadata and the tensor list, in bytes. A vocabulary of 260,000 tokens with its merges takes
/// about 16 MB.
const MAX_HEAD: u64 = 64 << 20;
/// The maximum number of metadata entries.
const MAX_ENTRIES: u64 = 1 << 16;
/// The maximum number of tensors.
const MAX_TENSORS: u64 = 1 << 20;
/// The maximum length of a text, in bytes. Chat templates are the longest.
const MAX_TEXT: u64 = 1 << 20;
/// The maximum length of a key, in bytes, according to the GGUF specification.
const MAX_KEY: u64 = 65_535;
/// The maximum number of values of an array. Vocabularies are the largest.
const MAX_ARRAY: u64 = 1 << 26;
/// The maximum number of dimensions of a tensor.
const MAX_SIDES: u32 = 8;
/// The maximum size of keys and texts that are kept, in bytes.
const MAX_KEPT: u64 = 4 << 20;
/// Keys whose texts are kept; other texts are skipped.
const KEPT_TEXTS: [&str; 2] = ["general.architecture", "general.name"];

/// A metadata value.
#[derive(Clone, Debug)]
enum MetadataValue {
    Number(f64),
    Text(String),
    /// A text that was skipped.
    Skipped,
    /// The length of an array and its first number.
    List(u64, Option<f64>),
}

struct GgufReader<R> {
    file: io::Take<R>,
}

impl<R: Read> GgufReader<R> {
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], GgufError> {
        let mut bytes = [0; N];
        match self.file.read_exact(&mut bytes) {
            Ok(()) => Ok(bytes),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(self.end()),
            Err(error) => Err(GgufError::Io(error)),
        }
    }

    /// The error at the end of the file or of the limit.
    fn end(&self) -> GgufError {
        if self.file.limit() == 0 {
            GgufError::TooLong
        } else {
            GgufError::Truncated
        }
    }

    fn u32(&mut self) -> Result<u32, GgufError> {
        Ok(u32::from_le_bytes(self.bytes()?))
    }

    fn u64(&mut self) -> Result<u64, GgufError> {
        Ok(u64::from_le_bytes(self.bytes()?))
    }

    /// Reads the length of a text and checks its limit.
    fn length(&mut self, what: &'static str, most: u64) -> Result<u64, GgufError> {
        let n = self.u64()?;
        if n > most {
            return Err(GgufError::TooMany { what, n, most });
        }
        Ok(n)
    }

    fn text(&mut self, what: &'static str, most: u64) -> Result<String, GgufError> {
        let n = self.length(what, most)?;
        let mut bytes = Vec::new();
        (&mut self.file).take(n).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != n {
            return Err(self.end());
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn skip_text(&mut self) -> Result<(), GgufError> {
        let n = self.length("the length of a text", MAX_TEXT)?;
        self.skip(n)
    }

    fn skip(&mut self, n: u64) -> Result<(), GgufError> {
        let skipped = io::copy(&mut (&mut self.file).take(n), &mut io::sink())?;
        if skipped == n {
            Ok(())
        } else {
            Err(self.end())
        }
    }

    fn value(&mut self, kind: u32, keeps_text: bool) -> Result<MetadataValue, GgufError> {
        Ok(match kind {
            0 | 7 => MetadataValue::Number(f64::from(self.bytes::<1>()?[0])),
            1 => MetadataValue::Number(f64::from(i8::from_le_bytes(self.bytes()?))),
            2 => MetadataValue::Number(f64::from(u16::from_le_bytes(self.bytes()?))),
            3 => MetadataValue::Number(f64::from(i16::from_le_bytes(self.bytes()?))),
            4 => MetadataValue::Number(f64::from(self.u32()?)),
            5 => MetadataValue::Number(f64::from(i32::from_le_bytes(self.bytes()?))),
            6 => MetadataValue::Number(f64::from(f32::from_le_bytes(self.bytes()?))),
            8 if keeps_text => MetadataValue::Text(self.text("the length of a text", MAX_TEXT)?),
            8 => {
                self.skip_text()?;
                MetadataValue::Skipped
            }
            9 => self.array()?,
            10 => MetadataValue::Number(self.u64()? as f64),
            11 => MetadataValue::Number(i64::from_le_bytes(self.bytes()?) as f64),
            12 => MetadataValue::Number(f64::from_le_bytes(self.bytes()?)),
            other => return Err(GgufError::Type(other)),
        })
    }

    fn array(&mut self) -> Result<MetadataValue, GgufError> {
        let kind = self.u32()?;
        let n = self.u64()?;
        if n > MAX_ARRAY {
            return Err(GgufError::TooMany {
                what: "the length of an array",
                n,
                most: MAX_ARRAY,
            });
        }
        let size = match kind {
            0 | 1 | 7 => 1,
            2 | 3 => 2,
            4..=6 => 4,
            10..=12 => 8,
            8 => {
                for _ in 0..n {
                    self.skip_text()?;
                }
                return Ok(MetadataValue::List(n, None));
            }
            other => return Err(GgufError::Type(other)),
        };
        if n == 0 {
            return Ok(MetadataValue::List(0, None));
        }
        let MetadataValue::Number(first) = self.value(kind, false)? else {
            return Err(GgufError::Type(kind));
        };
        self.skip((n - 1) * size)?;
        Ok(MetadataValue::List(n, Some(first)))
    }
}

/// Reads the metadata and the tensor list of a GGUF file of version 2 or 3, but no tensors. It keeps a few MiB at most,
/// however large the file is.
///
/// # Errors
///
/// [`GgufError`] if the file cannot be read or is truncated, if a number exceeds its limit, or if metadata and tensors
/// do not describe a language model.
pub fn read_gguf(file: impl Read) -> Result<GgufModel, GgufError> {
    let mut reader = GgufReader {
        file: file.take(MAX_HEAD),
    };
    if &reader.bytes::<4>()? != b"GGUF" {
        return Err(GgufError::Magic);
    }
    let version = reader.u32()?;
    if !(2..=3).contains(&version) {
        return Err(GgufError::Version(version));
    }
    let tensors = reader.u64()?;
    let entries = reader.u64()?;
    for (what, n, most) in [
        ("the number of tensors", tensors, MAX_TENSORS),
        ("the number of metadata entries", entries, MAX_ENTRIES),
    ] {
        if n > most {
            return Err(GgufError::TooMany { what, n, most });
        }
    }
    let meta = metadata(&mut reader, entries)?;
    let mut sums = TensorSums::default();
    for _ in 0..tensors {
        sums.add(&mut reader)?;
    }
    model(&meta, &sums)
}

/// Reads the metadata that a shape needs.
fn metadata(
    reader: &mut GgufReader<impl Read>,
    entries: u64,
) -> Result<HashMap<String, MetadataValue>, GgufError> {
    let mut meta: HashMap<String, MetadataValue> = HashMap::new();
    let mut kept: u64 = 0;
    for _ in 0..entries {
        let key = reader.text("the length of a key", MAX_KEY)?;
        let kind = reader.u32()?;
        let keeps_text = KEPT_TEXTS.contains(&key.as_str());
        let value = reader.value(kind, keeps_text)?;
        kept += match &value {
            MetadataValue::Skipped => continue,
            MetadataValue::Text(text) => text.len() as u64,
            MetadataValue::Number(_) | MetadataValue::List(..) => 0,
        };
        kept += key.len() as u64;
        if kept > MAX_KEPT {
            return Err(GgufError::TooMany {
                what: "the kept metadata",
                n: kept,
                most: MAX_KEPT,
            });
        }
        meta.insert(key, value);
    }
    Ok(meta)
}

/// Sums over the tensor list: values and bits, by module.
#[derive(Default)]
struct TensorSums {
    total: (f64, f64),
    embedding: (f64, f64),
    head: (f64, f64),
    vocab: f64,
    has_qkv_bias: bool,
    has_qk_norm: bool,
    norms: u32,
    /// One more than the highest number of a layer.
    blocks: u32,
}

impl TensorSums {
    fn add(&mut self, reader: &mut GgufReader<impl Read>) -> Result<(), GgufError> {
        let name = reader.text("the length of a tensor name", MAX_KEY)?;
        let sides = reader.u32()?;
        if sides > MAX_SIDES {
            return Err(GgufError::TooMany {
                what: "the number of dimensions",
                n: u64::from(sides),
                most: u64::from(MAX_SIDES),
            });
        }
        let mut values = 1.0;
        let mut last = 1.0;
        for _ in 0..sides {
            last = reader.u64()? as f64;
            values *= last;
        }
        let kind = reader.u32()?;
        let bits = bits_of(kind).ok_or(GgufError::Type(kind))?;
        reader.u64()?;
        let into = match name.as_str() {
            "token_embd.weight" => {
                self.vocab = last;
                Some(&mut self.embedding)
            }
            "output.weight" => Some(&mut self.head),
            _ => None,
        };
        if let Some(into) = into {
            *into = (values, values * bits);
        }
        let block = name
            .strip_prefix("blk.")
            .and_then(|rest| rest.split('.').next());
        if let Some(block) = block.and_then(|n| n.parse::<u32>().ok()) {
            self.blocks = self.blocks.max(block.saturating_add(1));
        }
        self.has_qkv_bias |= name.ends_with("attn_q.bias") || name.ends_with("attn_qkv.bias");
        self.has_qk_norm |= name.ends_with("attn_q_norm.weight");
        if name.starts_with("blk.0.")
            && name.ends_with("norm.weight")
            && !name.contains("_q_norm")
            && !name.contains("_k_norm")
            && !name.contains("_a_norm")
        {
            self.norms += 1;
        }
        self.total.0 += values;
        self.total.1 += values * bits;
        Ok(())
    }
}

/// The metadata of a file.
struct Metadata<'m> {
    entries: &'m HashMap<String, MetadataValue>,
    /// The prefix of keys that describe the shape.
    architecture: String,
}

impl<'m> Metadata<'m> {
    fn of(entries: &'m HashMap<String, MetadataValue>) -> Result<Self, GgufError> {
        let key = "general.architecture";
        match entries.get(key) {
            Some(MetadataValue::Text(architecture)) => Ok(Self {
                entries,
                architecture: architecture.clone(),
            }),
            _ => Err(GgufError::Missing(key.to_owned())),
        }
    }

    /// Reads an integer by its full key.
    fn whole(&self, key: &str) -> Option<u32> {
        let value = match self.entries.get(key)? {
            MetadataValue::Number(number) => *number,
            // A list has a value per layer; the first represents all.
            MetadataValue::List(_, first) => (*first)?,
            MetadataValue::Text(_) | MetadataValue::Skipped => return None,
        };
        (value >= 0.0 && value < f64::from(u32::MAX)).then_some(value as u32)
    }

    /// Reads an integer by its key without the prefix.
    fn number(&self, key: &str) -> Option<u32> {
        self.whole(&format!("{}.{key}", self.architecture))
    }

    fn positive(&self, key: &str) -> Option<u32> {
        self.number(key).filter(|n| *n > 0)
    }

    fn needed(&self, key: &str) -> Result<u32, GgufError> {
        self.positive(key)
            .ok_or_else(|| GgufError::Missing(format!("{}.{key}", self.architecture)))
    }

    fn experts(&self, ffn: u32) -> Option<Experts> {
        let count = self.number("expert_count").filter(|n| *n > 1)?;
        let width = self.number("expert_feed_forward_length").unwrap_or(ffn);
        let shared = self.number("expert_shared_count").unwrap_or(0);
        Some(Experts {
            count,
            active: self.number("expert_used_count").unwrap_or(1),
            width,
            shared_width: self
                .number("expert_shared_feed_forward_length")
                .unwrap_or(shared.saturating_mul(width)),
            dense_first: self.number("leading_dense_block_count").unwrap_or(0),
            every: self.positive("interleave_moe_layer_step").unwrap_or(1),
            latent_width: 0,
            image_width: 0,
        })
    }

    fn mla(&self) -> Option<Mla> {
        let kv_rank = self.positive("attention.kv_lora_rank")?;
        let rope = self.number("rope.dimension_count").unwrap_or(0);
        let either = |first: &str, second: &str| self.number(first).or_else(|| self.number(second));
        let key = either("attention.key_length_mla", "attention.key_length").unwrap_or(192);
        let value = either("attention.value_length_mla", "attention.value_length");
        Some(Mla {
            kv_rank,
            q_rank: self.number("attention.q_lora_rank").unwrap_or(0),
            nope_dim: key.saturating_sub(rope),
            rope_dim: rope,
            value_dim: value.unwrap_or(128),
        })
    }

    fn window(&self, layers: u32) -> Option<Window> {
        let tokens = self.positive("attention.sliding_window")?;
        Some(Window {
            tokens,
            global_layers: match self.number("attention.sliding_window_pattern") {
                None | Some(0 | 1) => 0,
                Some(every) => layers / every,
            },
            global_cache_width: None,
            global_kv_heads: None,
            kv_heads: None,
        })
    }

    /// Derives the shape from the metadata.
    fn shape(&self, sums: &TensorSums) -> Result<Architecture, GgufError> {
        let hidden = self.needed("embedding_length")?;
        let heads = self.needed("attention.head_count")?;
        let layers = self.needed("block_count")?;
        let ffn = self.number("feed_forward_length").unwrap_or(0);
        let vocab =
            self.number("vocab_size")
                .unwrap_or(match self.entries.get("tokenizer.ggml.tokens") {
                    Some(MetadataValue::List(n, _)) => *n as u32,
                    _ => sums.vocab as u32,
                });
        let mla = self.mla();
        let kv_heads = self.positive("attention.head_count_kv").unwrap_or(heads);
        let shape = Architecture {
            hidden,
            layers,
            heads,
            kv_heads: if mla.is_some() { heads } else { kv_heads },
            head_dim: self
                .number("attention.key_length")
                .unwrap_or(hidden / heads),
            ffn,
            vocab,
            tied: sums.head.0 == 0.0,
            gated: true,
            biases: Biases {
                qkv: sums.has_qkv_bias,
                ..Biases::default()
            },
            qk_norm: sums.has_qk_norm.then_some(QkNorm::Head),
            norms_per_layer: sums.norms.max(1),
            window: self.window(layers),
            experts: self.experts(ffn),
            mla,
            context: self.positive("context_length"),
            ..Architecture::default()
        };
        shape.check().map_err(GgufError::Shape)?;
        Ok(shape)
    }
}

/// Corrects a shape so that its parameters match the tensors. The metadata do not state whether MLPs have a gate; the
/// number of values shows it.
fn counted(mut shape: Architecture, sums: &TensorSums) -> Result<Architecture, GgufError> {
    if sums.blocks < shape.layers || sums.embedding.0 == 0.0 {
        return Err(GgufError::Shape("some layers have no tensors"));
    }
    let plain = Architecture {
        gated: false,
        ..shape
    };
    let distance = |shape: &Architecture| (shape.parameters().total() - sums.total.0).abs();
    if distance(&plain) < distance(&shape) {
        shape = plain;
    }
    shape.extra_parameters = (sums.total.0 - shape.parameters().total()) as i64;
    shape.check().map_err(GgufError::Shape)?;
    Ok(shape)
}

fn model(
    entries: &HashMap<String, MetadataValue>,
    sums: &TensorSums,
) -> Result<GgufModel, GgufError> {
    let metadata = Metadata::of(entries)?;
    let shape = counted(metadata.shape(sums)?, sums)?;
    let average = |(values, bits): (f64, f64)| if values > 0.0 { bits / values } else { 0.0 };
    let rest = (
        sums.total.0 - sums.embedding.0 - sums.head.0,
        sums.total.1 - sums.embedding.1 - sums.head.1,
    );
    let name = match entries.get("general.name") {
        Some(MetadataValue::Text(name)) => Some(name.clone()),
        _ => None,
    };
    Ok(GgufModel {
        name,
        file_type: metadata.whole("general.file_type"),
        architecture: metadata.architecture,
        shape,
        bytes: sums.total.1 / 8.0,
        layer_bits: average(rest),
        embedding_bits: average(sums.embedding),
        head_bits: average(sums.head),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{GgufError, read_gguf};
    use crate::testing::catalog;

    fn text(out: &mut Vec<u8>, text: &str) {
        out.extend((text.len() as u64).to_le_bytes());
        out.extend(text.as_bytes());
    }

    fn number(out: &mut Vec<u8>, key: &str, value: u32) {
        text(out, key);
        out.extend(4_u32.to_le_bytes());
        out.extend(value.to_le_bytes());
    }

    fn tensor(out: &mut Vec<u8>, name: &str, sides: &[u64], kind: u32) {
        text(out, name);
        out.extend((sides.len() as u32).to_le_bytes());
        for side in sides {
            out.extend(side.to_le_bytes());
        }
        out.extend(kind.to_le_bytes());
        out.extend(0_u64.to_le_bytes());
    }

    /// A model with one layer, a gate, layers in `Q4_K`, and an embedding in `Q6_K`.
    fn small() -> Vec<u8> {
        with_metadata(&[])
    }

    /// The same model with more metadata.
    fn with_metadata(more: &[(&str, u32)]) -> Vec<u8> {
        let mut out = b"GGUF".to_vec();
        out.extend(3_u32.to_le_bytes());
        out.extend(11_u64.to_le_bytes());
        out.extend((7 + more.len() as u64).to_le_bytes());
        for (key, value) in more {
            number(&mut out, key, *value);
        }
        text(&mut out, "general.architecture");
        out.extend(8_u32.to_le_bytes());
        text(&mut out, "llama");
        for (key, value) in [
            ("llama.embedding_length", 256),
            ("llama.block_count", 1),
            ("llama.attention.head_count", 4),
            ("llama.attention.head_count_kv", 2),
            ("llama.feed_forward_length", 512),
            ("llama.context_length", 4096),
        ] {
            number(&mut out, key, value);
        }
        tensor(&mut out, "token_embd.weight", &[256, 1024], 14);
        tensor(&mut out, "output_norm.weight", &[256], 0);
        for (name, sides) in [
            ("attn_q", [256, 256]),
            ("attn_k", [256, 128]),
            ("attn_v", [256, 128]),
            ("attn_output", [256, 256]),
            ("ffn_gate", [256, 512]),
            ("ffn_up", [256, 512]),
            ("ffn_down", [512, 256]),
        ] {
            tensor(&mut out, &format!("blk.0.{name}.weight"), &sides, 12);
        }
        tensor(&mut out, "blk.0.attn_norm.weight", &[256], 0);
        tensor(&mut out, "blk.0.ffn_norm.weight", &[256], 0);
        out
    }

    #[test]
    fn metadata_and_tensors_make_a_shape() -> Result<(), GgufError> {
        let model = read_gguf(&small()[..])?;
        assert_eq!((model.shape.vocab, model.shape.kv_heads), (1024, 2));
        assert!(model.shape.tied && model.shape.gated);
        assert_eq!(model.shape.extra_parameters, 0);
        assert!((model.embedding_bits - 6.5625).abs() < 1e-9);
        let expected = (262_144.0 * 6.5625 + 589_824.0 * 4.5 + 768.0 * 32.0) / 8.0;
        assert!((model.bytes - expected).abs() < 0.5);
        Ok(())
    }

    #[test]
    fn experts_latent_attention_and_windows_are_read() -> Result<(), GgufError> {
        let mixture = [
            ("llama.expert_count", 8),
            ("llama.expert_used_count", 2),
            ("llama.expert_feed_forward_length", 32),
            ("llama.expert_shared_count", 3),
            ("llama.leading_dense_block_count", 1),
            ("llama.interleave_moe_layer_step", 4),
            ("llama.attention.sliding_window", 1024),
        ];
        let model = read_gguf(&with_metadata(&mixture)[..])?;
        let experts = model.shape.experts.unwrap();
        assert_eq!((experts.count, experts.active), (8, 2));
        assert_eq!((experts.width, experts.shared_width), (32, 96));
        assert_eq!((experts.dense_first, experts.every), (1, 4));
        let window = model.shape.window.unwrap();
        assert_eq!((window.tokens, window.global_layers), (1024, 0));
        // With a pattern of one layer, no layer is global.
        let each = [
            ("llama.attention.sliding_window", 512),
            ("llama.attention.sliding_window_pattern", 1),
        ];
        let model = read_gguf(&with_metadata(&each)[..])?;
        assert_eq!(model.shape.window.unwrap().global_layers, 0);
        assert!(model.shape.experts.is_none() && model.shape.mla.is_none());

        let latent = [
            ("llama.attention.kv_lora_rank", 64),
            ("llama.attention.q_lora_rank", 96),
            ("llama.attention.key_length_mla", 40),
            ("llama.attention.value_length_mla", 24),
            ("llama.rope.dimension_count", 8),
        ];
        let model = read_gguf(&with_metadata(&latent)[..])?;
        let mla = model.shape.mla.unwrap();
        assert_eq!((mla.kv_rank, mla.q_rank), (64, 96));
        assert_eq!((mla.nope_dim, mla.rope_dim, mla.value_dim), (32, 8, 24));
        Ok(())
    }

    #[test]
    fn the_size_of_a_file_follows_from_its_tensors() -> Result<(), GgufError> {
        let format = read_gguf(&small()[..])?.weight_format();
        let layer = (589_824.0 * 4.5 + 768.0 * 32.0) / (589_824.0 + 768.0);
        for (found, expected) in [
            (format.bits, layer),
            (format.attention_bits, layer),
            (format.small_bits, layer),
            (format.embedding_bits, 6.5625),
            // The head is tied.
            (format.head_bits, 0.0),
            (format.compute_bits, 16.0),
        ] {
            assert!((found - expected).abs() < 1e-3, "{found} for {expected}");
        }
        assert!(!format.unties);
        Ok(())
    }

    #[test]
    fn the_file_type_decides_the_format() {
        let tables = catalog();
        let catalog = tables.catalog();
        let format = |more: &[(&str, u32)]| {
            let model = read_gguf(&with_metadata(more)[..]).unwrap();
            let format = model.format(&catalog).unwrap();
            (model.file_type, catalog.str(format.name).to_owned())
        };
        // Several formats have layers with 4.5 bits.
        for (number, name) in [
            (2, "gguf:Q4_0"),
            (14, "gguf:Q4_K_S"),
            (15, "gguf:Q4_K_M"),
            (1024 + 25, "gguf:IQ4_NL"),
            (38, "gguf:MXFP4_MOE"),
        ] {
            let found = format(&[("general.file_type", number)]);
            assert_eq!(found, (Some(number), name.to_owned()));
        }
        // A missing or removed file type means the nearest format.
        assert_eq!(format(&[]), (None, "gguf:Q4_K_S".to_owned()));
        assert_eq!(format(&[("general.file_type", 33)]).1, "gguf:Q4_K_S");
    }

    #[test]
    fn limits_the_memory_of_metadata() {
        let mut long = b"GGUF".to_vec();
        long.extend(3_u32.to_le_bytes());
        long.extend(0_u64.to_le_bytes());
        long.extend(1_000_u64.to_le_bytes());
        let short = long.clone();
        for at in 0..1_000_u32 {
            number(&mut long, &format!("{at:050000}"), 1);
        }
        let error = read_gguf(&long[..]).unwrap_err();
        assert!(error.to_string().contains("4194304"), "{error}");
        // This is longer than the maximum length of a key.
        let mut key = short;
        number(&mut key, &"k".repeat(70_000), 1);
        let error = read_gguf(&key[..]).unwrap_err();
        assert!(error.to_string().contains("65535"), "{error}");
    }

    #[test]
    fn rejects_truncated_files_and_false_lengths() {
        let intact = small();
        for cut in 0..intact.len() {
            assert!(read_gguf(&intact[..cut]).is_err(), "{cut}");
        }
        let mut lying = intact.clone();
        lying[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(matches!(
            read_gguf(&lying[..]),
            Err(GgufError::TooMany { .. })
        ));
        // This is the length of the first key.
        let mut lying = intact;
        lying[24..32].copy_from_slice(&10_000_000_000_u64.to_le_bytes());
        assert!(matches!(
            read_gguf(&lying[..]),
            Err(GgufError::TooMany { .. })
        ));
    }

    proptest! {
        #[test]
        fn nothing_panics(at in 0..600_usize, byte in any::<u8>(), cut in 0..900_usize) {
            let mut bytes = small();
            let at = at % bytes.len();
            bytes[at] = byte;
            bytes.truncate(cut.max(at));
            let _ = read_gguf(&bytes[..]);
        }
    }
}
