//! The MIG rules of one kind of GPU.

use crate::catalog::{Catalog, Engines, Geometry, Profile};

use super::names::{Attribute, ProfileName, parse_profile};

/// The MIG rules of one kind of GPU.
#[derive(Clone, Debug)]
pub struct Chip<'a> {
    /// The catalog that the rules come from.
    pub catalog: Catalog<'a>,
    /// The geometry of the GPU.
    pub geometry: Geometry,
    /// The profiles, ordered as in the geometry.
    pub kinds: Vec<ChipProfile<'a>>,
    /// The placement units of one GPU; `None` when they are not published.
    pub units: Option<u8>,
    /// The compute slices of the whole GPU.
    pub compute: u8,
    /// The engines of the whole GPU; `None` when unknown.
    engines: Option<Engines>,
}

/// A profile with the facts needed to place it.
#[derive(Clone, Debug)]
pub struct ChipProfile<'a> {
    /// The row of the catalog.
    pub profile: Profile,
    /// The name, such as `3g.40gb`.
    pub name: &'a str,
    /// The parts of the name; `None` when it cannot be read.
    pub parsed: Option<ProfileName>,
    /// Each start in placement units, with a bit mask of the units that an instance takes there;
    /// empty when they are not published.
    pub starts: Vec<(u8, u16)>,
}

impl ChipProfile<'_> {
    /// Returns whether the profile has media engines beyond its share.
    fn has_extra_media(&self) -> bool {
        self.is(Attribute::Media) || self.is(Attribute::AllMedia)
    }

    fn is(&self, attribute: Attribute) -> bool {
        self.parsed.is_some_and(|name| name.attribute == attribute)
    }

    /// Returns the placement units of one instance; `None` when they are not published.
    pub fn size(&self) -> Option<u8> {
        self.profile.size
    }
}

/// The number of instances of each kind, by the index in [`Chip::kinds`].
pub type Counts = Vec<u32>;

/// The reason why slices do not fit on one GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// More than one slice with extra media engines.
    MediaTwice,
    /// There are more instances of a profile than fit.
    TooMany {
        /// The index of the profile in [`Chip::kinds`].
        kind: usize,
        /// The maximum number of instances on one GPU.
        max: u8,
    },
    /// The slices have more compute slices than the GPU.
    Compute {
        /// The compute slices of all instances.
        wanted: u32,
        /// The compute slices of the GPU.
        has: u32,
    },
    /// The slices take more placement units than the GPU has.
    Memory {
        /// The placement units of all instances.
        wanted: u32,
        /// The placement units of the GPU.
        has: u32,
    },
    /// The slices have more fixed-function engines of one kind than the GPU.
    Engines {
        /// The kind of engine in the plural, such as `decoders`.
        what: &'static str,
        /// The engines of all instances.
        wanted: u32,
        /// The engines of the GPU.
        has: u32,
    },
    /// One slice has all media engines, and another one needs some.
    AllMedia,
    /// There are too many instances with graphics, or without.
    Graphics {
        /// True for instances with graphics, false for instances without.
        with: bool,
        /// The maximum number of these instances on one GPU.
        max: u8,
    },
    /// The sums are within the limits, but existing instances block every placement.
    Blocked,
}

impl Refusal {
    /// Returns the stable name, such as `compute-slices`.
    pub fn code(self) -> &'static str {
        match self {
            Self::MediaTwice => "one-media-slice",
            Self::TooMany { .. } => "too-many-of-a-profile",
            Self::Compute { .. } => "compute-slices",
            Self::Memory { .. } => "memory-slices",
            Self::Engines { .. } | Self::AllMedia => "media-engines",
            Self::Graphics { .. } => "graphics-instances",
            Self::Blocked => "blocked",
        }
    }
}

impl<'a> Chip<'a> {
    /// Reads the rules of a geometry from the catalog.
    pub fn new(catalog: &Catalog<'a>, geometry: Geometry) -> Self {
        let profiles = catalog.profiles(&geometry);
        let kinds: Vec<ChipProfile<'a>> = profiles
            .iter()
            .map(|profile| {
                let name = catalog.str(profile.name);
                let units = |start: u8| {
                    let size = profile.size?;
                    // The mask has 16 bits. A slice may take all of them, so the shift needs 32
                    // bits.
                    let end = start.checked_add(size).filter(|end| *end <= 16)?;
                    let mask = ((1_u32 << end) - (1_u32 << start)) as u16;
                    Some((start, mask))
                };
                ChipProfile {
                    profile,
                    name,
                    parsed: parse_profile(name),
                    starts: catalog.starts(&profile).iter().filter_map(units).collect(),
                }
            })
            .collect();
        let largest = profiles.iter().max_by_key(|profile| profile.compute_slices);
        Self {
            catalog: *catalog,
            geometry,
            kinds,
            units: geometry.units,
            compute: largest.map_or(0, |profile| profile.compute_slices),
            engines: largest.and_then(|profile| profile.engines),
        }
    }

    /// Returns the index of a profile in [`Chip::kinds`]; `None` when it is of another geometry.
    pub fn kind_of(&self, profile: &Profile) -> Option<usize> {
        self.kinds.iter().position(|kind| kind.profile == *profile)
    }

    /// Returns a count of zero for each kind.
    pub fn none(&self) -> Counts {
        vec![0; self.kinds.len()]
    }

    /// Checks that the sums of the instances fit on one GPU, regardless of their placement.
    ///
    /// # Errors
    ///
    /// Fails with the [`Refusal`] of the first sum that is exceeded.
    pub fn admits(&self, counts: &[u32]) -> Result<(), Refusal> {
        let present = || {
            self.kinds
                .iter()
                .zip(counts.iter().copied())
                .filter(|(_, n)| *n > 0)
        };
        let media: u32 = present()
            .filter(|(kind, _)| kind.has_extra_media())
            .map(|(_, n)| n)
            .sum();
        if media > 1 {
            return Err(Refusal::MediaTwice);
        }
        let wanted: u32 = present()
            .map(|(kind, n)| n * u32::from(kind.profile.compute_slices))
            .sum();
        let has = u32::from(self.compute);
        if wanted > has {
            return Err(Refusal::Compute { wanted, has });
        }
        if let Some(units) = self.units {
            let wanted = present()
                .map(|(kind, n)| n * u32::from(kind.size().unwrap_or(0)))
                .sum();
            let has = u32::from(units);
            if wanted > has {
                return Err(Refusal::Memory { wanted, has });
            }
        }
        for (kind, (slice, n)) in self.kinds.iter().zip(counts).enumerate() {
            if *n > u32::from(slice.profile.max) {
                let max = slice.profile.max;
                return Err(Refusal::TooMany { kind, max });
            }
        }
        let sum = |is_meant: &dyn Fn(&ChipProfile<'_>) -> bool| -> u32 {
            present()
                .filter(|(kind, _)| is_meant(kind))
                .map(|(_, n)| n)
                .sum()
        };
        if sum(&|kind| kind.is(Attribute::AllMedia)) > 0
            && sum(&|kind| !kind.is(Attribute::AllMedia) && !kind.is(Attribute::NoMedia)) > 0
        {
            return Err(Refusal::AllMedia);
        }
        for (with, max) in [
            (true, self.geometry.max_graphics),
            (false, self.geometry.max_compute),
        ] {
            let wanted = sum(&|kind| kind.is(Attribute::Graphics) == with);
            if let Some(max) = max.filter(|max| wanted > u32::from(*max)) {
                return Err(Refusal::Graphics { with, max });
            }
        }
        if let Some(whole) = self.engines {
            for (what, of) in Engines::SHARED {
                let Some(has) = of(&whole).map(u32::from) else {
                    continue;
                };
                // Unpublished figures count as zero, so they never reject a layout.
                let wanted = present().map(|(kind, n)| {
                    n * kind
                        .profile
                        .engines
                        .as_ref()
                        .and_then(of)
                        .map_or(0, u32::from)
                });
                let wanted: u32 = wanted.sum();
                if wanted > has {
                    return Err(Refusal::Engines { what, wanted, has });
                }
            }
        }
        Ok(())
    }
}
