//! Names of MIG profiles and lists of them.

use std::fmt;

use crate::catalog::{Catalog, Geometry, Profile};

/// The maximum number of slices in a list.
pub const MAX_SLICES: u32 = 100_000;

/// The attribute of a profile, in addition to compute and memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Attribute {
    /// No attribute.
    #[default]
    None,
    /// `+me`: media engines.
    Media,
    /// `+me.all`: all media engines of the GPU.
    AllMedia,
    /// `+gfx`: graphics.
    Graphics,
    /// `-me`: no media engines.
    NoMedia,
}

impl Attribute {
    /// Longest first. Kubernetes writes `.` for `+`.
    const SPELLINGS: [(&'static str, Self); 7] = [
        ("+me.all", Self::AllMedia),
        (".me.all", Self::AllMedia),
        ("+me", Self::Media),
        (".me", Self::Media),
        ("+gfx", Self::Graphics),
        (".gfx", Self::Graphics),
        ("-me", Self::NoMedia),
    ];

    fn spelling(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Media => "+me",
            Self::AllMedia => "+me.all",
            Self::Graphics => "+gfx",
            Self::NoMedia => "-me",
        }
    }
}

/// The parts of a profile's name: `1c.3g.40gb+me`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProfileName {
    /// The compute slices of a compute instance; `None` for the whole GPU instance.
    pub compute: Option<u8>,
    /// The compute slices of the GPU instance: the number before `g`.
    pub slices: u8,
    /// The memory in GB, as the name states it.
    pub gb: u16,
    /// The attribute.
    pub attribute: Attribute,
}

impl ProfileName {
    /// Returns the name of the GPU instance, without the compute instance in it.
    #[must_use]
    pub fn gpu_instance(self) -> Self {
        Self {
            compute: None,
            ..self
        }
    }
}

impl fmt::Display for ProfileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(compute) = self.compute {
            write!(f, "{compute}c.")?;
        }
        write!(
            f,
            "{}g.{}gb{}",
            self.slices,
            self.gb,
            self.attribute.spelling()
        )
    }
}

/// A reference to a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileRef {
    /// A name, such as `3g.40gb`.
    Name(ProfileName),
    /// The driver's id of a profile, on a known GPU.
    Id(u16),
}

/// A number of slices of one profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceRequest {
    /// The profile.
    pub profile: ProfileRef,
    /// The number of slices.
    pub count: u32,
    /// The place of the profile in the spec, in bytes.
    pub span: std::ops::Range<usize>,
}

/// The requested slices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SliceList {
    /// The profiles with their numbers, ordered as in the text.
    pub slices: Vec<SliceRequest>,
}

/// The error of a list with too many slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{total} slices are too many; the limit is {MAX_SLICES}")]
pub(crate) struct TooManySlices {
    total: u64,
}

impl SliceList {
    /// Returns whether any profile is given by its id.
    pub fn has_ids(&self) -> bool {
        let is_id = |slice: &SliceRequest| matches!(slice.profile, ProfileRef::Id(_));
        self.slices.iter().any(is_id)
    }

    /// Checks that the list has at most [`MAX_SLICES`] slices.
    pub(crate) fn check_size(&self) -> Result<(), TooManySlices> {
        let total: u64 = self.slices.iter().map(|s| u64::from(s.count)).sum();
        if total <= u64::from(MAX_SLICES) {
            return Ok(());
        }
        Err(TooManySlices { total })
    }

    /// Returns the list with equal profiles added up, ordered by first mention.
    #[must_use]
    pub fn merged(&self) -> Self {
        let mut merged: Vec<SliceRequest> = Vec::new();
        for slice in &self.slices {
            match merged.iter_mut().find(|m| m.profile == slice.profile) {
                Some(same) => same.count = same.count.saturating_add(slice.count),
                None => merged.push(slice.clone()),
            }
        }
        Self { slices: merged }
    }
}

impl fmt::Display for SliceList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, slice) in self.merged().slices.iter().enumerate() {
            if at > 0 {
                f.write_str("+")?;
            }
            match slice.profile {
                ProfileRef::Name(name) => write!(f, "{name}")?,
                ProfileRef::Id(id) => write!(f, "{id}")?,
            }
            if slice.count > 1 {
                write!(f, "*{}", slice.count)?;
            }
        }
        Ok(())
    }
}

/// Returns whether a part is a list of profiles without a leading `mig=`.
pub fn looks_like_profile(text: &str) -> bool {
    let text = strip_prefix(text);
    profile_name(text).is_some_and(|(_, rest)| rest.is_empty() || rest.starts_with(['+', '*', ',']))
}

/// Parses the name of one profile; `None` for any other text.
pub fn parse_profile(text: &str) -> Option<ProfileName> {
    profile_name(strip_prefix(text.trim()))
        .filter(|(_, rest)| rest.is_empty())
        .map(|(name, _)| name)
}

/// Strips the prefix that drivers (`MIG 3g.40gb`) and Kubernetes (`mig-3g.40gb`) write.
pub(crate) fn strip_prefix(text: &str) -> &str {
    text.get(..3)
        .filter(|head| head.eq_ignore_ascii_case("mig"))
        .and_then(|_| text[3..].strip_prefix([' ', '-']))
        .map_or(text, str::trim_start)
}

/// Parses a profile at the start of a text; also returns the rest of the text.
pub(crate) fn profile_name(text: &str) -> Option<(ProfileName, &str)> {
    let (first, rest) = leading_number(text)?;
    let (compute, slices, rest) = match rest.strip_prefix(['c', 'C']) {
        Some(rest) => {
            let (slices, rest) = leading_number(strip_dot(rest)?)?;
            (Some(u8::try_from(first).ok()?), slices, rest)
        }
        None => (None, first, rest),
    };
    let (gb, rest) = leading_number(strip_dot(rest.strip_prefix(['g', 'G'])?)?)?;
    let unit = rest
        .get(..2)
        .filter(|unit| unit.eq_ignore_ascii_case("gb"))?;
    let mut rest = &rest[unit.len()..];
    let mut attribute = Attribute::None;
    for (spelling, value) in Attribute::SPELLINGS {
        let head = rest.get(..spelling.len());
        if head.is_some_and(|head| head.eq_ignore_ascii_case(spelling)) {
            attribute = value;
            rest = &rest[spelling.len()..];
            break;
        }
    }
    // A compute instance as large as its GPU instance is the default, so it is not stated.
    let compute = compute.filter(|c| u16::from(*c) != slices);
    let name = ProfileName {
        compute,
        slices: u8::try_from(slices).ok()?,
        gb,
        attribute,
    };
    Some((name, rest))
}

/// Flyte writes `_` for the dot.
fn strip_dot(text: &str) -> Option<&str> {
    text.strip_prefix(['.', '_'])
}

fn leading_number(text: &str) -> Option<(u16, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    Some((text[..digits].parse().ok()?, &text[digits..]))
}

/// Finds the profile of a geometry that a reference means. The flag is true when the name is an
/// alias of another driver version.
pub fn find_profile(
    catalog: &Catalog<'_>,
    geometry: &Geometry,
    reference: ProfileRef,
) -> Option<(Profile, bool)> {
    let profiles = catalog.profiles(geometry);
    match reference {
        ProfileRef::Id(id) => Some((profiles.iter().find(|p| p.id == Some(id))?, false)),
        ProfileRef::Name(name) => {
            let wanted = name.gpu_instance();
            let named = |wanted: ProfileName| {
                // Comparing the number first avoids parsing most names; the checks of the catalog
                // guarantee that name and number agree.
                let may_be = |p: &Profile| p.compute_slices == wanted.slices;
                let is_named = |p: &Profile| parse_profile(catalog.str(p.name)) == Some(wanted);
                profiles.iter().filter(may_be).find(is_named)
            };
            // An alias of a plain profile also applies to its variants, such as `+me`.
            let plain = ProfileName {
                attribute: Attribute::None,
                ..wanted
            };
            let mut aliases = profiles.iter().filter_map(|p| {
                let mut spellings = catalog.strings(p.aliases).filter_map(parse_profile);
                let name = spellings
                    .find(|name| *name == plain)
                    .and(parse_profile(catalog.str(p.name)))?;
                named(ProfileName {
                    attribute: wanted.attribute,
                    ..name
                })
            });
            let alias = || Some((aliases.next()?, true));
            named(wanted).map(|p| (p, false)).or_else(alias)
        }
    }
}

/// Returns the profiles with the same number of compute slices, ordered by attribute and nearest
/// memory; empty for an id.
pub fn nearest_profiles(profiles: &[&str], reference: ProfileRef) -> Vec<String> {
    let ProfileRef::Name(wanted) = reference else {
        return Vec::new();
    };
    let parsed = profiles.iter().filter_map(|name| parse_profile(name));
    let mut matching: Vec<ProfileName> =
        parsed.filter(|name| name.slices == wanted.slices).collect();
    matching.sort_by_key(|name| {
        let distance = name.gb.abs_diff(wanted.gb);
        (name.attribute != wanted.attribute, distance)
    });
    matching.iter().map(ToString::to_string).collect()
}
