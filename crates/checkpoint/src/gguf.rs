//! The metadata and the tensor list of a GGUF file.

use std::collections::HashMap;
use std::io::{self, Read};

use sky_accel_core::sizing::{Architecture, Biases, Experts, Mla, QkNorm, Window};
use thiserror::Error;

/// What is wrong with a file.
#[derive(Debug, Error)]
pub enum GgufError {
    #[error("{0}")]
    Io(io::Error),
    #[error("it does not begin with GGUF")]
    Magic,
    #[error("version {0} is not known")]
    Version(u32),
    #[error("it is cut off")]
    Truncated,
    #[error("{what} claims to be {n}: more than any has")]
    TooMany { what: &'static str, n: u64 },
    #[error("a value has the unknown type {0}")]
    Type(u32),
    #[error("`{0}` is missing")]
    Missing(String),
    #[error("{0}")]
    Shape(&'static str),
}

impl From<io::Error> for GgufError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::UnexpectedEof {
            Self::Truncated
        } else {
            Self::Io(error)
        }
    }
}

/// A model as its file has it.
#[derive(Clone, Debug, PartialEq)]
pub struct GgufModel {
    pub name: Option<String>,
    pub architecture: String,
    pub shape: Architecture,
    /// Of all tensors.
    pub bytes: f64,
    /// Average bits of layers, embedding and head; 0 where there is no such tensor.
    pub layer_bits: f64,
    pub embedding_bits: f64,
    pub head_bits: f64,
}

/// Bounds of what a file may claim: every one is beyond what exists.
const MAX_ENTRIES: u64 = 1 << 20;
const MAX_TEXT: u64 = 1 << 20;
const MAX_ARRAY: u64 = 1 << 26;

/// A metadata value that matters here.
#[derive(Clone, Debug)]
enum Meta {
    Number(f64),
    Text(String),
    /// Of the array's numbers: its length, and the first one.
    List(u64, Option<f64>),
}

struct Reader<R> {
    file: R,
}

impl<R: Read> Reader<R> {
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], GgufError> {
        let mut all = [0; N];
        self.file.read_exact(&mut all)?;
        Ok(all)
    }

    fn u32(&mut self) -> Result<u32, GgufError> {
        Ok(u32::from_le_bytes(self.bytes()?))
    }

    fn u64(&mut self) -> Result<u64, GgufError> {
        Ok(u64::from_le_bytes(self.bytes()?))
    }

    fn text(&mut self) -> Result<String, GgufError> {
        let n = self.u64()?;
        if n > MAX_TEXT {
            return Err(GgufError::TooMany { what: "a text", n });
        }
        let mut all = Vec::new();
        (&mut self.file).take(n).read_to_end(&mut all)?;
        if all.len() as u64 != n {
            return Err(GgufError::Truncated);
        }
        Ok(String::from_utf8_lossy(&all).into_owned())
    }

    fn skip(&mut self, n: u64) -> Result<(), GgufError> {
        let skipped = io::copy(&mut (&mut self.file).take(n), &mut io::sink())?;
        if skipped == n {
            Ok(())
        } else {
            Err(GgufError::Truncated)
        }
    }

    fn value(&mut self, kind: u32) -> Result<Meta, GgufError> {
        Ok(match kind {
            0 | 7 => Meta::Number(f64::from(self.bytes::<1>()?[0])),
            1 => Meta::Number(f64::from(i8::from_le_bytes(self.bytes()?))),
            2 => Meta::Number(f64::from(u16::from_le_bytes(self.bytes()?))),
            3 => Meta::Number(f64::from(i16::from_le_bytes(self.bytes()?))),
            4 => Meta::Number(f64::from(self.u32()?)),
            5 => Meta::Number(f64::from(i32::from_le_bytes(self.bytes()?))),
            6 => Meta::Number(f64::from(f32::from_le_bytes(self.bytes()?))),
            8 => Meta::Text(self.text()?),
            9 => self.array()?,
            10 => Meta::Number(self.u64()? as f64),
            11 => Meta::Number(i64::from_le_bytes(self.bytes()?) as f64),
            12 => Meta::Number(f64::from_le_bytes(self.bytes()?)),
            other => return Err(GgufError::Type(other)),
        })
    }

    fn array(&mut self) -> Result<Meta, GgufError> {
        let kind = self.u32()?;
        let n = self.u64()?;
        if n > MAX_ARRAY {
            return Err(GgufError::TooMany {
                what: "an array",
                n,
            });
        }
        let size = match kind {
            0 | 1 | 7 => 1,
            2 | 3 => 2,
            4..=6 => 4,
            10..=12 => 8,
            8 => {
                for _ in 0..n {
                    let length = self.u64()?;
                    if length > MAX_TEXT {
                        return Err(GgufError::TooMany {
                            what: "a text",
                            n: length,
                        });
                    }
                    self.skip(length)?;
                }
                return Ok(Meta::List(n, None));
            }
            other => return Err(GgufError::Type(other)),
        };
        if n == 0 {
            return Ok(Meta::List(0, None));
        }
        let Meta::Number(first) = self.value(kind)? else {
            return Err(GgufError::Type(kind));
        };
        self.skip((n - 1) * size)?;
        Ok(Meta::List(n, Some(first)))
    }
}

/// Types of values: the number of each in the format, and the bits that a value takes.
const TYPES: &[(u32, f64)] = &[
    // F32
    (0, 32.0),
    // F16
    (1, 16.0),
    // Q4_0
    (2, 4.5),
    // Q4_1
    (3, 5.0),
    // Q5_0
    (6, 5.5),
    // Q5_1
    (7, 6.0),
    // Q8_0
    (8, 8.5),
    // Q8_1
    (9, 9.0),
    // Q2_K
    (10, 2.625),
    // Q3_K
    (11, 3.4375),
    // Q4_K
    (12, 4.5),
    // Q5_K
    (13, 5.5),
    // Q6_K
    (14, 6.5625),
    // Q8_K
    (15, 9.125),
    // IQ2_XXS
    (16, 2.0625),
    // IQ2_XS
    (17, 2.3125),
    // IQ3_XXS
    (18, 3.0625),
    // IQ1_S
    (19, 1.5625),
    // IQ4_NL
    (20, 4.5),
    // IQ3_S
    (21, 3.4375),
    // IQ2_S
    (22, 2.5625),
    // IQ4_XS
    (23, 4.25),
    // I8
    (24, 8.0),
    // I16
    (25, 16.0),
    // I32
    (26, 32.0),
    // I64
    (27, 64.0),
    // F64
    (28, 64.0),
    // IQ1_M
    (29, 1.75),
    // BF16
    (30, 16.0),
    // TQ1_0
    (34, 1.6875),
    // TQ2_0
    (35, 2.0625),
    // MXFP4
    (39, 4.25),
];

fn bits(kind: u32) -> Option<f64> {
    let found = TYPES.iter().find(|(known, _)| *known == kind);
    found.map(|(_, bits)| *bits)
}

/// Reads metadata and tensor list, and no tensor.
pub fn read_gguf(file: impl Read) -> Result<GgufModel, GgufError> {
    let mut reader = Reader { file };
    if &reader.bytes::<4>()? != b"GGUF" {
        return Err(GgufError::Magic);
    }
    let version = reader.u32()?;
    if !(2..=3).contains(&version) {
        return Err(GgufError::Version(version));
    }
    let tensors = reader.u64()?;
    let entries = reader.u64()?;
    for (what, n) in [("the tensors", tensors), ("the metadata", entries)] {
        if n > MAX_ENTRIES {
            return Err(GgufError::TooMany { what, n });
        }
    }
    let mut meta: HashMap<String, Meta> = HashMap::new();
    for _ in 0..entries {
        let key = reader.text()?;
        let kind = reader.u32()?;
        let value = reader.value(kind)?;
        meta.insert(key, value);
    }
    let mut sums = Sums::default();
    for _ in 0..tensors {
        sums.add(&mut reader)?;
    }
    model(&meta, &sums)
}

/// What the tensor list adds up to: values and bits, by where they are.
#[derive(Default)]
struct Sums {
    all: (f64, f64),
    embedding: (f64, f64),
    head: (f64, f64),
    vocab: f64,
    has_qkv_bias: bool,
    has_qk_norm: bool,
    norms: u32,
    /// One more than the highest layer.
    blocks: u32,
}

impl Sums {
    fn add(&mut self, reader: &mut Reader<impl Read>) -> Result<(), GgufError> {
        let name = reader.text()?;
        let sides = reader.u32()?;
        if sides > 8 {
            return Err(GgufError::TooMany {
                what: "the sides of a tensor",
                n: u64::from(sides),
            });
        }
        let mut values = 1.0;
        let mut last = 1.0;
        for _ in 0..sides {
            last = reader.u64()? as f64;
            values *= last;
        }
        let kind = reader.u32()?;
        let bits = bits(kind).ok_or(GgufError::Type(kind))?;
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
        self.all.0 += values;
        self.all.1 += values * bits;
        Ok(())
    }
}

fn model(meta: &HashMap<String, Meta>, sums: &Sums) -> Result<GgufModel, GgufError> {
    let text = |key: &str| match meta.get(key) {
        Some(Meta::Text(text)) => Some(text.clone()),
        _ => None,
    };
    let architecture = text("general.architecture")
        .ok_or_else(|| GgufError::Missing("general.architecture".to_owned()))?;
    let number = |key: &str| -> Option<u32> {
        let value = match meta.get(&format!("{architecture}.{key}"))? {
            Meta::Number(number) => *number,
            // One for each layer: the first one stands for all.
            Meta::List(_, first) => (*first)?,
            Meta::Text(_) => return None,
        };
        (value >= 0.0 && value < f64::from(u32::MAX)).then_some(value as u32)
    };
    let needed = |key: &str| {
        number(key)
            .filter(|n| *n > 0)
            .ok_or_else(|| GgufError::Missing(format!("{architecture}.{key}")))
    };
    let hidden = needed("embedding_length")?;
    let heads = needed("attention.head_count")?;
    let layers = needed("block_count")?;
    let ffn = number("feed_forward_length").unwrap_or(0);
    let vocab = number("vocab_size").unwrap_or(match meta.get("tokenizer.ggml.tokens") {
        Some(Meta::List(n, _)) => *n as u32,
        _ => sums.vocab as u32,
    });
    let experts = number("expert_count").filter(|n| *n > 1).map(|count| {
        let width = number("expert_feed_forward_length").unwrap_or(ffn);
        Experts {
            count,
            active: number("expert_used_count").unwrap_or(1),
            width,
            shared_width: number("expert_shared_feed_forward_length").unwrap_or(
                number("expert_shared_count")
                    .unwrap_or(0)
                    .saturating_mul(width),
            ),
            dense_first: number("leading_dense_block_count").unwrap_or(0),
            every: number("interleave_moe_layer_step")
                .filter(|n| *n > 0)
                .unwrap_or(1),
        }
    });
    let rope = number("rope.dimension_count").unwrap_or(0);
    let mla = number("attention.kv_lora_rank")
        .filter(|n| *n > 0)
        .map(|kv_rank| {
            let key = number("attention.key_length_mla")
                .or_else(|| number("attention.key_length"))
                .unwrap_or(192);
            Mla {
                kv_rank,
                q_rank: number("attention.q_lora_rank").unwrap_or(0),
                nope_dim: key.saturating_sub(rope),
                rope_dim: rope,
                value_dim: number("attention.value_length_mla")
                    .or_else(|| number("attention.value_length"))
                    .unwrap_or(128),
            }
        });
    let kv_heads = number("attention.head_count_kv")
        .filter(|n| *n > 0)
        .unwrap_or(heads);
    let mut shape = Architecture {
        hidden,
        layers,
        heads,
        kv_heads: if mla.is_some() { heads } else { kv_heads },
        head_dim: number("attention.key_length").unwrap_or(hidden / heads),
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
        window: number("attention.sliding_window")
            .filter(|n| *n > 0)
            .map(|tokens| Window {
                tokens,
                global_layers: match number("attention.sliding_window_pattern") {
                    None | Some(0 | 1) => 0,
                    Some(every) => layers / every,
                },
                global_cache_width: None,
            }),
        experts,
        mla,
        context: number("context_length").filter(|n| *n > 0),
        ..Architecture::default()
    };
    shape.check().map_err(GgufError::Shape)?;
    // What the metadata does not tell, such as a gate, shows in the number of values.
    let counted = shape.parameters().total();
    if sums.blocks < layers || sums.embedding.0 == 0.0 {
        return Err(GgufError::Shape("it has no tensors for every layer"));
    }
    {
        let plain = Architecture {
            gated: false,
            ..shape
        };
        let distance = |own: f64| (own - sums.all.0).abs();
        if distance(plain.parameters().total()) < distance(counted) {
            shape = plain;
        }
        shape.extra_parameters = (sums.all.0 - shape.parameters().total()) as i64;
        shape.check().map_err(GgufError::Shape)?;
    }
    let average = |(values, bits): (f64, f64)| if values > 0.0 { bits / values } else { 0.0 };
    let rest = (
        sums.all.0 - sums.embedding.0 - sums.head.0,
        sums.all.1 - sums.embedding.1 - sums.head.1,
    );
    Ok(GgufModel {
        name: text("general.name"),
        architecture,
        shape,
        bytes: sums.all.1 / 8.0,
        layer_bits: average(rest),
        embedding_bits: average(sums.embedding),
        head_bits: average(sums.head),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{GgufError, read_gguf};

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

    /// A model of one layer, with a gate, in `Q4_K` with an embedding in `Q6_K`.
    fn small() -> Vec<u8> {
        let mut out = b"GGUF".to_vec();
        out.extend(3_u32.to_le_bytes());
        out.extend(11_u64.to_le_bytes());
        out.extend(7_u64.to_le_bytes());
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
    fn what_is_cut_off_or_lies_is_refused() {
        let whole = small();
        for cut in 0..whole.len() {
            assert!(read_gguf(&whole[..cut]).is_err(), "{cut}");
        }
        let mut lying = whole.clone();
        lying[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(matches!(
            read_gguf(&lying[..]),
            Err(GgufError::TooMany { .. })
        ));
        // The length of the first key.
        let mut lying = whole;
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
