//! Reads the quantization of a checkpoint: `quantization_config` in config.json, and hf_quant_config.json of NVIDIA
//! ModelOpt.
//!
//! The files name methods and algorithms; the catalog maps these words to formats.

mod modules;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::iter::repeat;

use serde_json::Value;
use sky_accel_core::catalog::{Catalog, NamedFormat};
use sky_accel_core::sizing::{Architecture, CacheFormat, WeightFormat};
use sky_accel_core::word::Word as _;

use crate::fields::{Fields, Result, list, number, object, out_of_bounds};
use modules::{FormatRule, ModuleKind, WHOLE};

/// The method of hf_quant_config.json.
const MODELOPT: &str = "modelopt";
/// ModelOpt's words for no quantization, and for a separate format per layer.
const NO_QUANT: &str = "NO_QUANT";
const MIXED: &str = "MIXED_PRECISION";
/// The maximum length of a word in an error or a note, in characters.
const MAX_WORD: usize = 60;

/// The quantization of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Quantization<'a> {
    /// The catalog's name of the format.
    pub stored_as: Option<&'a str>,
    /// The exact bits, if they differ from the catalog's format.
    pub format: Option<WeightFormat>,
    /// The width of the blocks of weights that share a scale in FP8 files.
    pub fp8_block: Option<u32>,
    /// The recommended format of the KV cache.
    pub kv_cache: Option<CacheFormat>,
    /// The words for a quantization that is not in the catalog.
    pub unknown: Option<String>,
}

/// The maximum bits of a weight.
const MOST_BITS: u64 = 32;

/// Checks the numbers of bits in a configuration.
///
/// # Errors
///
/// [`ConfigError::OutOfBounds`](crate::ConfigError::OutOfBounds) for bits that no weight has.
pub(crate) fn check(config: &Fields) -> Result<()> {
    let Some(fields) = quantization_of(config) else {
        return Ok(());
    };
    let groups = object(fields, "config_groups").into_iter().flatten();
    let weights = groups.filter_map(|(_, group)| group.get("weights")?.as_object());
    for (fields, name) in std::iter::once((fields, "bits")).chain(weights.zip(repeat("num_bits"))) {
        if number(fields, &[name], MOST_BITS)? == Some(0) {
            return Err(out_of_bounds(name, &Value::from(0), MOST_BITS));
        }
    }
    Ok(())
}

fn quantization_of(config: &Fields) -> Option<&Fields> {
    let mut names = ["quantization_config", "compression_config"].iter();
    names.find_map(|name| config.get(*name)?.as_object())
}

/// Reads the quantization of a model. `config` takes precedence over `beside`, the fields of hf_quant_config.json.
pub(crate) fn read<'a>(
    catalog: &Catalog<'a>,
    config: &Fields,
    beside: Option<&Fields>,
    shape: &Architecture,
) -> Quantization<'a> {
    let within = quantization_of(config);
    let beside = beside.map(|fields| {
        let inner = fields.get("quantization").and_then(Value::as_object);
        inner.unwrap_or(fields)
    });
    let mut found = within.map_or_else(Quantization::default, |fields| {
        one(catalog, config, fields, "", shape)
    });
    if found.stored_as.is_some() {
        // Some checkpoints state the cache format only in hf_quant_config.json.
        found.kv_cache = found.kv_cache.or_else(|| cache_format(beside?));
        return found;
    }
    match beside {
        Some(fields) => one(catalog, config, fields, MODELOPT, shape),
        None => found,
    }
}

fn text<'f>(fields: &'f Fields, name: &str) -> Option<&'f str> {
    fields.get(name).and_then(Value::as_str)
}

fn one<'a>(
    catalog: &Catalog<'a>,
    config: &Fields,
    fields: &Fields,
    default_method: &str,
    shape: &Architecture,
) -> Quantization<'a> {
    let method = text(fields, "quant_method").unwrap_or(default_method);
    // Some checkpoints append the algorithm to the method: `modelopt_fp4`.
    let method = if method.starts_with(MODELOPT) {
        MODELOPT
    } else {
        method
    };
    let details = details(fields);
    let is_plain = details.iter().any(|detail| detail == NO_QUANT)
        || (method == MODELOPT && details.is_empty())
        || (method.is_empty() && !fields.contains_key("bits"));
    if is_plain {
        return Quantization::default();
    }
    let rules = rules(catalog, config, fields, method);
    let by_method = || {
        let row = catalog.format_quantized_as(method)?;
        // A format is only valid for its number of bits. In a mixture, the bits may belong to other modules.
        let numbers = details.iter().filter_map(|detail| detail.parse().ok());
        let own = row.format.bits.floor();
        let mut others = numbers.filter(|bits: &f64| (*bits - own).abs() >= 1.0);
        (!rules.is_empty() || others.next().is_none()).then_some(row)
    };
    let named = details
        .iter()
        .find_map(|detail| catalog.format_quantized_as(&format!("{method}:{detail}")))
        .or_else(by_method);
    // The format with the most parameters names the checkpoint.
    let main = [ModuleKind::Experts, ModuleKind::Mlp, ModuleKind::Attention]
        .into_iter()
        .find_map(|kind| rules.iter().find(|rule| rule.kind == kind));
    let Some(row) = main.map(|rule| rule.row).or(named) else {
        let words = std::iter::once(method).chain(details.first().map(String::as_str));
        let words: Vec<&str> = words.collect();
        return Quantization {
            unknown: Some(words.join(" ").chars().take(MAX_WORD).collect()),
            ..Quantization::default()
        };
    };
    let rest = if rules.is_empty() {
        None
    } else {
        Some(match named {
            // A method other than the mixture applies to all other modules.
            Some(named) if method != MODELOPT && !list_of_groups(fields) => bits_of(&named, fields),
            _ => WIDE_BITS,
        })
    };
    let format = with_parts(&row, fields, &rules, rest, shape);
    Quantization {
        stored_as: Some(catalog.str(row.name)),
        format,
        fp8_block: fp8_block(fields).filter(|_| row.format.bits >= FP8_BITS),
        kv_cache: cache_format(fields),
        unknown: None,
    }
}

/// The minimum bits per weight of formats in FP8.
const FP8_BITS: f64 = 8.0;
/// Plausible widths of blocks; others are ignored.
const BLOCK_WIDTHS: std::ops::RangeInclusive<u64> = 8..=4096;

/// The width of the blocks of weights that share a scale: `weight_block_size` of files in FP8, `block_structure` of
/// compressed-tensors.
fn fp8_block(fields: &Fields) -> Option<u32> {
    let groups = object(fields, "config_groups").into_iter().flatten();
    let mut structures =
        groups.filter_map(|(_, group)| group.get("weights")?.get("block_structure"));
    let sides = fields
        .get("weight_block_size")
        .or_else(|| structures.next())?
        .as_array()?;
    let width = sides.iter().filter_map(Value::as_u64).max()?;
    let width = Some(width).filter(|width| BLOCK_WIDTHS.contains(width))?;
    u32::try_from(width).ok()
}

/// Bits of modules that are not quantized.
const WIDE_BITS: f64 = 16.0;
/// Plausible numbers of weights per scale; others are ignored.
const GROUP_SIZES: std::ops::RangeInclusive<f64> = 8.0..=65_536.0;
/// The minimum difference in bits for which a separate format is reported.
const SMALL_DIFFERENCE: f64 = 0.01;

/// Whether the fields assign formats to groups of modules.
fn list_of_groups(fields: &Fields) -> bool {
    object(fields, "config_groups").is_some_and(|groups| groups.len() > 1)
}

/// Reads the formats of single modules: listed layers, groups, and experts.
fn rules(catalog: &Catalog<'_>, config: &Fields, fields: &Fields, method: &str) -> Vec<FormatRule> {
    let mut rules = Vec::new();
    for (module, details) in object(fields, "quantized_layers").into_iter().flatten() {
        let algorithm = details.get("quant_algo").and_then(Value::as_str);
        let row = algorithm
            .and_then(|algorithm| catalog.format_quantized_as(&format!("{MODELOPT}:{algorithm}")));
        rules.extend(row.and_then(|row| FormatRule::new(module, row)));
    }
    if !rules.is_empty() {
        return rules;
    }
    if list_of_groups(fields) {
        for group in object(fields, "config_groups")
            .into_iter()
            .flat_map(Fields::values)
        {
            let row = group_words(group)
                .into_iter()
                .find_map(|word| catalog.format_quantized_as(&format!("{method}:{word}")));
            let targets = group.get("targets").and_then(Value::as_array);
            let targets = targets.into_iter().flatten().filter_map(Value::as_str);
            rules.extend(row.into_iter().flat_map(|row| {
                targets
                    .clone()
                    .filter_map(move |target| FormatRule::new(target, row))
            }));
        }
    }
    let experts = text(config, "expert_dtype")
        .and_then(|word| catalog.format_quantized_as(&format!("expert_dtype:{word}")));
    rules.extend(experts.and_then(|row| FormatRule::new("experts", row)));
    rules
}

/// The words for the format of a group of modules: its format, or its type and bits, or its bits.
fn group_words(group: &Value) -> Vec<String> {
    let format = group.get("format").and_then(Value::as_str);
    let bits = group.pointer("/weights/num_bits").and_then(Value::as_u64);
    let kind = group.pointer("/weights/type").and_then(Value::as_str);
    let mut words: Vec<String> = format.map(str::to_owned).into_iter().collect();
    words.extend(
        format
            .zip(bits)
            .map(|(format, bits)| format!("{format}-{bits}")),
    );
    if let (Some(bits), Some(kind)) = (bits, kind) {
        words.push(format!("{kind}{bits}"));
    }
    words.extend(bits.map(|bits| bits.to_string()));
    words
}

/// Reads the number of weights per scale.
fn stored_group_size(fields: &Fields) -> Option<f64> {
    let groups = object(fields, "config_groups");
    let sizes = groups.into_iter().flat_map(Fields::values);
    let mut sizes = sizes.filter_map(|group| group.pointer("/weights/group_size"));
    let size = fields.get("group_size").or_else(|| sizes.next())?.as_f64();
    size.filter(|size| GROUP_SIZES.contains(size))
}

/// Bits per weight of the layers, including the scales of groups.
fn bits_of(row: &NamedFormat, fields: &Fields) -> f64 {
    let group = row.group.map_or(0.0, |(bits, size)| {
        bits / stored_group_size(fields).unwrap_or(size)
    });
    row.format.bits + group
}

/// Computes the bits of each kind of module; `None` if they do not differ from the catalog's format. `rest` is the bits
/// of modules without a rule; without it, they have the format of `row`.
fn with_parts(
    row: &NamedFormat,
    fields: &Fields,
    rules: &[FormatRule],
    rest: Option<f64>,
    shape: &Architecture,
) -> Option<WeightFormat> {
    let usual = bits_of(row, fields);
    let kept = ["exclude_modules", "ignore", "modules_to_not_convert"]
        .iter()
        .filter_map(|name| list(fields, name))
        .flatten()
        .filter_map(Value::as_str);
    let mut kept_shares = modules::NamedShares::new(shape);
    kept.for_each(|module| kept_shares.add(module));
    let bits = |kind: ModuleKind, usual: f64| {
        let mut of_rules = modules::NamedShares::new(shape);
        let (mut sum, mut weights) = (0.0, 0.0);
        for rule in rules.iter().filter(|rule| rule.kind == kind) {
            of_rules.add(&rule.module);
            sum += bits_of(&rule.row, fields);
            weights += WHOLE;
        }
        let Some(rest) = rest else {
            let wide = kept_shares.of(kind);
            return wide * usual.max(WIDE_BITS) + (WHOLE - wide) * usual;
        };
        // Modules without a rule have the format of the rest.
        let named = of_rules.of(kind);
        let mean = if weights > 0.0 { sum / weights } else { rest };
        named * mean + (WHOLE - named) * rest
    };
    let attention = if row.group.is_some() || row.format.attention_bits >= WIDE_BITS {
        row.format.attention_bits.max(usual)
    } else {
        row.format.attention_bits
    };
    let counted = shape.parameters();
    let heads = f64::from(shape.attention_layers.unwrap_or(shape.layers));
    let heads = (heads * shape.attention_parameters()).min(counted.attention);
    let others = (counted.attention - heads).max(0.0);
    let of_heads = bits(ModuleKind::Attention, attention);
    let of_others = bits(ModuleKind::Recurrence, attention);
    let format = WeightFormat {
        bits: if shape.experts.is_some() {
            bits(ModuleKind::Experts, usual)
        } else {
            bits(ModuleKind::Mlp, usual)
        },
        attention_bits: (heads * of_heads + others * of_others) / (heads + others).max(1.0),
        mlp_bits: bits(ModuleKind::Mlp, usual),
        head_bits: rules
            .iter()
            .find(|rule| rule.kind == ModuleKind::Head)
            .map_or(row.format.head_bits, |rule| bits_of(&rule.row, fields)),
        ..row.format
    };
    // The catalog's format has the default group size.
    let by_default = bits_of(row, &Fields::new());
    let differs = [
        (format.bits, by_default),
        (format.mlp_bits, by_default),
        (format.attention_bits, attention),
        (format.head_bits, row.format.head_bits),
    ];
    let differs = differs
        .iter()
        .any(|(bits, usual)| (bits - usual).abs() > SMALL_DIFFERENCE);
    differs.then_some(format)
}

/// Words that distinguish the algorithms of a method, the most specific first.
fn details(fields: &Fields) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    match text(fields, "quant_algo") {
        Some(MIXED) => words.extend(most_common_algorithm(fields)),
        algorithm => words.extend(algorithm.map(str::to_owned)),
    }
    let groups = fields.get("config_groups").and_then(Value::as_object);
    let groups = || groups.into_iter().flat_map(|groups| groups.values());
    let format = text(fields, "format");
    words.extend(format.map(str::to_owned));
    let formats = groups().filter_map(|group| group.get("format")?.as_str());
    words.extend(formats.map(str::to_owned));
    // Weights are packed where activations keep 16 bits, whatever the number of bits.
    let packed = groups().filter_map(|group| {
        let format = group.get("format").and_then(Value::as_str).or(format)?;
        let bits = group.pointer("/weights/num_bits")?.as_u64()?;
        Some(format!("{format}-{bits}"))
    });
    words.extend(packed);
    let bits = groups().filter_map(|group| group.pointer("/weights/num_bits")?.as_u64());
    words.extend(bits.map(|bits| bits.to_string()));
    let bits = fields.get("bits").and_then(Value::as_u64);
    words.extend(bits.map(|bits| bits.to_string()));
    let is_set = |name: &str| fields.get(name).and_then(Value::as_bool) == Some(true);
    if is_set("load_in_8bit") {
        words.push("8".to_owned());
    } else if is_set("bnb_4bit_use_double_quant") {
        words.push("double-quant".to_owned());
    }
    words
}

/// The algorithm of most layers, if each layer has a separate one.
fn most_common_algorithm(fields: &Fields) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for layer in object(fields, "quantized_layers")?.values() {
        if let Some(algorithm) = layer.get("quant_algo").and_then(Value::as_str) {
            *counts.entry(algorithm).or_default() += 1;
        }
    }
    let most_common = counts.into_iter().max_by_key(|(_, count)| *count);
    most_common.map(|(algorithm, _)| algorithm.to_owned())
}

/// Reads the format of the KV cache: a word such as `FP8`, or a number of bits and a type.
fn cache_format(fields: &Fields) -> Option<CacheFormat> {
    if let Some(word) = text(fields, "kv_cache_quant_algo") {
        return CacheFormat::from_word(&word.to_ascii_lowercase());
    }
    let scheme = fields.get("kv_cache_scheme")?.as_object()?;
    let bits = scheme.get("num_bits")?.as_u64()?;
    let kind = match text(scheme, "type") {
        Some("float") => "fp",
        _ => "int",
    };
    CacheFormat::from_word(&format!("{kind}{bits}"))
}
