//! Existing MIG instances: as `3g.40gb@4`, as the table of `nvidia-smi mig -lgi`, or as JSON.

use std::collections::BTreeMap;

use serde_json::Value;
use sky_accel_core::mig::{
    self, Chip, Instance, MAX_SLICES, OccupiedError, ProfileRef, find_profile, nearest_profiles,
    parse_profile,
};
use sky_accel_core::text::list_and;

use super::refusal::why;
use crate::code::ErrorCode;
use crate::document;
use crate::error::{Error, Result};

/// The maximum index of a GPU.
const MAX_INDEX: u32 = MAX_SLICES;

/// The instances of each GPU, as listed.
type Listed = BTreeMap<u32, Vec<ListedInstance>>;

/// An instance, with its other listed properties: the same profile name exists on several kinds of GPUs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ListedInstance {
    /// `3g.40gb@4`.
    text: String,
    id: Option<u16>,
    size: Option<u8>,
}

impl From<String> for ListedInstance {
    fn from(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }
}

/// Why a listing cannot be read.
#[derive(Debug, thiserror::Error)]
enum ListingError {
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    #[error("it is for an unknown GPU, {0}")]
    UnknownGpu(String),
    #[error("it is for {other}, not {gpu}")]
    OtherGpu { other: String, gpu: String },
    #[error("neither JSON nor the table of `nvidia-smi mig -lgi`, or without instances")]
    NoInstance,
    #[error("'{place}' is not start:size, in: {line}")]
    NoPlace { place: String, line: String },
    #[error("it has no results")]
    NoResult,
    #[error("not a list of GPUs")]
    NoGpus,
    #[error("GPU {0}: not a list of instances")]
    NoInstances(u32),
    #[error("{item}: the GPU is unknown because `gpu` is missing")]
    GpuMissing { item: String },
    #[error("{item}: `{field}` is missing")]
    FieldMissing { item: String, field: &'static str },
    #[error("{0} is not the index of a GPU")]
    NoIndex(String),
}

type ListingResult<T> = std::result::Result<T, ListingError>;

fn wrong(message: String) -> Error {
    Error::new(ErrorCode::MigOccupied, message)
}

/// The instances of one GPU, given as `3g.40gb@4`.
pub(super) fn occupied(chip: &Chip<'_>, gpu: &str, texts: &[String]) -> Result<Vec<Instance>> {
    let instances = texts.iter().map(|text| instance(chip, gpu, text));
    let instances = instances.collect::<Result<Vec<_>>>()?;
    let name = |at: usize| &texts[at];
    mig::occupy(chip, &instances).map_err(|error| {
        wrong(match error {
            OccupiedError::NoSuchStart { at, starts } if starts.is_empty() => {
                format!("{}: the starts of {gpu} are not published", name(at))
            }
            OccupiedError::NoSuchStart { at, starts } => {
                let starts: Vec<String> = starts.iter().map(ToString::to_string).collect();
                let profile = chip.kinds[instances[at].kind].name;
                let starts = starts.join(", ");
                format!("{}: {profile} starts at {starts} on {gpu}", name(at))
            }
            OccupiedError::Overlap { at, with } => {
                let (with, at) = (name(with), name(at));
                format!("{with} and {at} overlap, which is impossible")
            }
            OccupiedError::Impossible(refusal) => {
                format!("impossible on {gpu}: {}", why(chip, refusal, &[]))
            }
        })
    })?;
    Ok(instances)
}

fn instance(chip: &Chip<'_>, gpu: &str, text: &str) -> Result<Instance> {
    let form = || {
        let message = format!("'{text}' is not a profile with its start, such as 3g.40gb@4");
        wrong(message)
    };
    let (name, start) = text.split_once('@').ok_or_else(form)?;
    let start: u8 = start.trim().parse().map_err(|_| form())?;
    let reference = match name.trim().parse() {
        Ok(id) => ProfileRef::Id(id),
        Err(_) => ProfileRef::Name(parse_profile(name).ok_or_else(form)?),
    };
    let found = find_profile(&chip.catalog, &chip.geometry, reference);
    let Some(kind) = found.and_then(|(profile, _)| chip.kind_of(&profile)) else {
        let profiles: Vec<&str> = chip.kinds.iter().map(|kind| kind.name).collect();
        let message = format!(
            "{gpu} has no profile {name}; it has {}",
            list_and(&profiles)
        );
        return Err(wrong(message).hint(nearest_profiles(&profiles, reference)));
    };
    Ok(Instance {
        kind,
        start: Some(start),
    })
}

/// The instances in a listing, by GPU index; `name` is the name of the file.
pub(super) fn existing(
    chip: &Chip<'_>,
    gpu: &str,
    name: &str,
    text: &str,
) -> Result<Vec<(u32, Vec<Instance>)>> {
    let text = text.trim_start_matches('\u{feff}');
    let listed = listed(chip, gpu, text).map_err(|error| wrong(format!("{name}: {error}")))?;
    let gpus = listed.into_iter().map(|(index, listed)| {
        let texts: Vec<String> = listed
            .iter()
            .map(|instance| instance.text.clone())
            .collect();
        let mut error = match occupied(chip, gpu, &texts) {
            Ok(instances) => {
                let mut gpus = listed.iter().zip(&instances);
                match gpus.find_map(|(listed, instance)| differs(chip, gpu, listed, instance)) {
                    None => return Ok((index, instances)),
                    Some(message) => wrong(message),
                }
            }
            Err(error) => error,
        };
        for problem in &mut error.problems {
            problem.message = format!("{name}: GPU {index}: {}", problem.message);
        }
        Err(error)
    });
    gpus.collect()
}

fn listed(chip: &Chip<'_>, gpu: &str, text: &str) -> ListingResult<Listed> {
    if !text.trim_start().starts_with(['{', '[']) {
        return from_listing(text);
    }
    let value = document::parse(text)?;
    check_gpu(chip, gpu, &value)?;
    from_json(&value)
}

/// Checks that an answer of `mig fit` or `mig pack` is for this kind of GPU.
fn check_gpu(chip: &Chip<'_>, gpu: &str, value: &Value) -> ListingResult<()> {
    let Some(other) = value.pointer("/results/0/gpu").and_then(Value::as_str) else {
        return Ok(());
    };
    let catalog = &chip.catalog;
    let other_id = catalog
        .accelerator_ids()
        .find(|id| catalog.accelerator_id(*id) == other);
    let other_id = other_id.ok_or_else(|| ListingError::UnknownGpu(other.to_owned()))?;
    let geometry = catalog.geometry(&catalog.accelerator(other_id));
    if geometry.is_some_and(|geometry| geometry.id == chip.geometry.id) {
        Ok(())
    } else {
        let (other, gpu) = (other.to_owned(), gpu.to_owned());
        Err(ListingError::OtherGpu { other, gpu })
    }
}

/// The difference between a listed instance and the profile with its name.
fn differs(
    chip: &Chip<'_>,
    gpu: &str,
    listed: &ListedInstance,
    instance: &Instance,
) -> Option<String> {
    let kind = &chip.kinds[instance.kind];
    let other = |what: &str, listed: u16, known: u16| {
        let name = kind.name;
        format!(
            "{name} has {what} {listed} in the listing and {known} on {gpu}: the listing is of another GPU"
        )
    };
    let id = listed.id.zip(kind.profile.id).filter(|(a, b)| a != b);
    let size = listed.size.zip(kind.size()).filter(|(a, b)| a != b);
    let id = id.map(|(listed, known)| other("id", listed, known));
    id.or_else(|| size.map(|(listed, known)| other("size", listed.into(), known.into())))
}

/// Parses the table of `nvidia-smi mig -lgi`: GPU, `MIG`, name, profile id, instance id, start:size.
fn from_listing(text: &str) -> ListingResult<Listed> {
    let mut listed = Listed::new();
    for line in text.lines() {
        let words: Vec<&str> = line
            .split(['|', ' ', '\t'])
            .filter(|w| !w.is_empty())
            .collect();
        let [gpu, "MIG", name, id, _, place] = words[..] else {
            continue;
        };
        let gpu = index(&Value::from(gpu))?;
        let (start, size) = place.split_once(':').ok_or_else(|| ListingError::NoPlace {
            place: place.to_owned(),
            line: line.trim().to_owned(),
        })?;
        listed.entry(gpu).or_default().push(ListedInstance {
            text: format!("{name}@{start}"),
            id: id.parse().ok(),
            size: size.parse().ok(),
        });
    }
    if listed.is_empty() {
        return Err(ListingError::NoInstance);
    }
    Ok(listed)
}

/// Parses GPUs with instances, instances with a GPU, or the output of `mig fit` and `mig pack`.
fn from_json(value: &Value) -> ListingResult<Listed> {
    let mut listed = Listed::new();
    match value {
        Value::Object(fields) if fields.contains_key("results") => {
            let result = value.pointer("/results/0").ok_or(ListingError::NoResult)?;
            for list in ["existing", "placements"] {
                for item in result[list].as_array().into_iter().flatten() {
                    add(&mut listed, item, None)?;
                }
            }
        }
        Value::Object(fields) if fields.contains_key("gpus") => return from_json(&fields["gpus"]),
        Value::Object(fields) => {
            for (gpu, instances) in fields {
                gpu_with(&mut listed, &Value::from(gpu.as_str()), instances)?;
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                match first(item, &["instances", "gpu_instances"]) {
                    Some(instances) => {
                        let position = Value::from(at);
                        let gpu = first(item, GPU).unwrap_or(&position);
                        gpu_with(&mut listed, gpu, instances)?;
                    }
                    None => add(&mut listed, item, None)?,
                }
            }
        }
        _ => return Err(ListingError::NoGpus),
    }
    Ok(listed)
}

/// The fields that may contain the index of a GPU.
const GPU: &[&str] = &["gpu_index", "gpu", "index"];

fn first<'v>(item: &'v Value, names: &[&str]) -> Option<&'v Value> {
    names.iter().find_map(|name| item.get(name))
}

fn gpu_with(listed: &mut Listed, gpu: &Value, instances: &Value) -> ListingResult<()> {
    let gpu = index(gpu)?;
    listed.entry(gpu).or_default();
    let list = instances.as_array().ok_or(ListingError::NoInstances(gpu))?;
    list.iter()
        .try_for_each(|item| add(listed, item, Some(gpu)))
}

/// Parses an instance: `3g.40gb@4`, or an object with a profile and a start.
fn add(listed: &mut Listed, item: &Value, gpu: Option<u32>) -> ListingResult<()> {
    let missing = |field| ListingError::FieldMissing {
        item: quoted(item),
        field,
    };
    let gpu = match (gpu, first(item, GPU)) {
        (Some(gpu), _) => gpu,
        (None, Some(gpu)) => index(gpu)?,
        (None, None) => {
            let item = quoted(item);
            return Err(ListingError::GpuMissing { item });
        }
    };
    if let Some(text) = item.as_str() {
        listed.entry(gpu).or_default().push(text.to_owned().into());
        return Ok(());
    }
    // A GPU without instances.
    if let Some(fields) = item.as_object()
        && fields.keys().all(|key| GPU.contains(&key.as_str()))
    {
        listed.entry(gpu).or_default();
        return Ok(());
    }
    let profile = match first(item, &["profile", "name", "profile_id"]) {
        Some(Value::String(name)) => name.clone(),
        Some(Value::Number(id)) => id.to_string(),
        _ => return Err(missing("profile")),
    };
    let place = first(item, &["start", "placement"]);
    let start = place.map(|place| match place {
        Value::Object(fields) => fields.get("start").unwrap_or(&Value::Null),
        other => other,
    });
    let start = match start {
        Some(Value::Number(start)) => start.to_string(),
        // In the format of the table: start:size.
        Some(Value::String(place)) => place.split(':').next().unwrap_or_default().to_owned(),
        _ => return Err(missing("start")),
    };
    let size = match place {
        Some(Value::Object(fields)) => fields.get("size").and_then(Value::as_u64),
        Some(Value::String(place)) => place.split(':').nth(1).and_then(|size| size.parse().ok()),
        _ => item.get("size").and_then(Value::as_u64),
    };
    let id = item.get("profile_id").and_then(Value::as_u64);
    listed.entry(gpu).or_default().push(ListedInstance {
        text: format!("{profile}@{start}"),
        id: id.and_then(|id| id.try_into().ok()),
        size: size.and_then(|size| size.try_into().ok()),
    });
    Ok(())
}

/// A value for a message, shortened.
fn quoted(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn index(value: &Value) -> ListingResult<u32> {
    let number = match value {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    let index = number.and_then(|number| u32::try_from(number).ok());
    index
        .filter(|index| *index <= MAX_INDEX)
        .ok_or_else(|| ListingError::NoIndex(quoted(value)))
}

#[cfg(test)]
mod tests {
    use super::{Listed, from_json, from_listing};

    type Texts = Vec<(u32, Vec<String>)>;

    fn listed(gpus: &[(u32, &[&str])]) -> Texts {
        let owned = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
        gpus.iter()
            .map(|(gpu, texts)| (*gpu, owned(texts)))
            .collect()
    }

    fn texts(listed: Listed) -> Texts {
        let gpus = listed.into_iter();
        gpus.map(|(gpu, instances)| {
            (
                gpu,
                instances
                    .into_iter()
                    .map(|instance| instance.text)
                    .collect(),
            )
        })
        .collect()
    }

    #[test]
    fn parses_the_table_of_nvidia_smi() {
        let listing = "\
+-------------------------------------------------------+
| GPU instances:                                        |
| GPU   Name             Profile  Instance   Placement  |
|                          ID       ID       Start:Size |
|=======================================================|
|   0  MIG 1g.10gb         19        9          2:1     |
+-------------------------------------------------------+
|   0  MIG 3g.40gb          9        2          4:4     |
+-------------------------------------------------------+
|   3  MIG 1g.10gb+me      20       13          6:1     |
+-------------------------------------------------------+
";
        let expected = listed(&[(0, &["1g.10gb@2", "3g.40gb@4"]), (3, &["1g.10gb+me@6"])]);
        assert_eq!(from_listing(listing).map(texts).unwrap(), expected);
        assert!(from_listing("No GPU instances found: Not Found").is_err());
    }

    #[test]
    fn parses_every_form_of_json() {
        let expected = listed(&[(0, &["3g.40gb@4"]), (2, &["19@6"])]);
        for text in [
            r#"{"0": ["3g.40gb@4"], "2": ["19@6"]}"#,
            r#"[{"gpu": 0, "instances": ["3g.40gb@4"]}, {"gpu": 2, "instances": [{"profile_id": 19, "placement": {"start": 6, "size": 1}}]}]"#,
            r#"{"gpus": [{"index": 0, "gpu_instances": [{"name": "3g.40gb", "placement": "4:4"}]}, {"index": 2, "gpu_instances": [{"profile": "19", "start": 6}]}]}"#,
            r#"[{"gpu": 0, "profile": "3g.40gb", "start": 4}, {"gpu": 2, "profile_id": 19, "start": 6}]"#,
            r#"{"results": [{"placements": [{"gpu_index": 0, "profile": "3g.40gb", "start": 4}], "existing": [{"gpu_index": 2, "profile": "19", "start": 6}]}]}"#,
        ] {
            let value = serde_json::from_str(text).unwrap_or_default();
            assert_eq!(from_json(&value).map(texts).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn names_missing_fields() {
        for (text, words) in [
            (
                r#"[{"profile": "3g.40gb", "start": 4}]"#,
                "the GPU is unknown",
            ),
            (r#"[{"gpu": 0, "start": 4}]"#, "`profile` is missing"),
            (
                r#"[{"gpu": 0, "profile": "3g.40gb"}]"#,
                "`start` is missing",
            ),
            (r#"{"x": []}"#, "not the index of a GPU"),
            (r#"{"0": 7}"#, "not a list of instances"),
            (r#"{"results": []}"#, "no result"),
            (
                r#"[{"gpu": -1, "instances": []}]"#,
                "not the index of a GPU",
            ),
            ("7", "not a list of GPUs"),
        ] {
            let value = serde_json::from_str(text).unwrap_or_default();
            let message = from_json(&value).unwrap_err().to_string();
            assert!(message.contains(words), "{text}: {message}");
        }
    }
}
