//! The rules of one kind of GPU.

use crate::catalog::{Catalog, Engines, Geometry, Profile};

use super::names::{Attribute, ProfileName, parse_profile};

/// A GPU that can be cut.
#[derive(Clone, Debug)]
pub struct Chip<'a> {
    pub catalog: Catalog<'a>,
    pub geometry: &'a Geometry,
    pub kinds: Vec<Kind<'a>>,
    /// Placement units, where they are published.
    pub units: Option<u8>,
    /// Compute slices of the whole GPU.
    pub compute: u8,
    /// Engines of the whole GPU, where they are known.
    engines: Option<Engines>,
}

/// A profile with what placing needs to know of it.
#[derive(Clone, Debug)]
pub struct Kind<'a> {
    pub profile: &'a Profile,
    pub name: &'a str,
    pub parsed: Option<ProfileName>,
    /// The units that an instance takes at each of its starts; empty where they are not published.
    pub starts: Vec<(u8, u16)>,
}

impl Kind<'_> {
    /// Whether it comes with media engines beyond its share.
    fn has_extra_media(&self) -> bool {
        self.is(Attribute::Media) || self.is(Attribute::AllMedia)
    }

    fn is(&self, attribute: Attribute) -> bool {
        self.parsed.is_some_and(|name| name.attribute == attribute)
    }

    /// Placement units of one instance.
    pub fn size(&self) -> Option<u8> {
        self.profile.size
    }
}

/// How many instances of each kind.
pub type Counts = Vec<u32>;

/// Why slices do not fit on one GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// More than one slice with extra media engines.
    MediaTwice,
    /// A profile fits only so often.
    TooMany {
        kind: usize,
        max: u8,
    },
    Compute {
        wanted: u32,
        has: u32,
    },
    Memory {
        wanted: u32,
        has: u32,
    },
    /// Decoders, encoders, JPEG engines or optical-flow units.
    Engines {
        what: &'static str,
        wanted: u32,
        has: u32,
    },
    /// One slice has all media engines, and another one wants some.
    AllMedia,
    /// Only so many instances with graphics, or without.
    Graphics {
        with: bool,
        max: u8,
    },
    /// The sums are within bounds, and what is there already is in the way.
    Blocked,
}

impl Refusal {
    /// Stable name.
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
    pub fn new(catalog: &Catalog<'a>, geometry: &'a Geometry) -> Self {
        let profiles = catalog.profiles(geometry);
        let kinds: Vec<Kind<'a>> = profiles
            .iter()
            .map(|profile| {
                let name = catalog.str(profile.name);
                let units = |start: &u8| {
                    // A slice may take all 16 units.
                    let mask = |size: u8| (((1_u32 << size) - 1) << start) as u16;
                    profile.size.map(|size| (*start, mask(size)))
                };
                Kind {
                    profile,
                    name,
                    parsed: parse_profile(name),
                    starts: catalog.starts(profile).iter().filter_map(units).collect(),
                }
            })
            .collect();
        let whole = profiles.iter().max_by_key(|profile| profile.compute_slices);
        Self {
            catalog: *catalog,
            geometry,
            kinds,
            units: geometry.units,
            compute: whole.map_or(0, |profile| profile.compute_slices),
            engines: whole.and_then(|profile| profile.engines),
        }
    }

    /// The kind of a profile of this geometry.
    pub fn kind_of(&self, profile: &Profile) -> Option<usize> {
        self.kinds
            .iter()
            .position(|kind| std::ptr::eq(kind.profile, profile))
    }

    /// Nothing of any kind.
    pub fn none(&self) -> Counts {
        vec![0; self.kinds.len()]
    }

    /// Whether the sums allow so many instances on one GPU, wherever they are.
    ///
    /// # Errors
    ///
    /// The [`Refusal`] of the first sum that they exceed.
    pub fn admits(&self, counts: &[u32]) -> Result<(), Refusal> {
        let each = || {
            self.kinds
                .iter()
                .zip(counts.iter().copied())
                .filter(|(_, n)| *n > 0)
        };
        let media: u32 = each()
            .filter(|(kind, _)| kind.has_extra_media())
            .map(|(_, n)| n)
            .sum();
        if media > 1 {
            return Err(Refusal::MediaTwice);
        }
        let wanted: u32 = each()
            .map(|(kind, n)| n * u32::from(kind.profile.compute_slices))
            .sum();
        let has = u32::from(self.compute);
        if wanted > has {
            return Err(Refusal::Compute { wanted, has });
        }
        if let Some(units) = self.units {
            let wanted = each()
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
        let sum = |is_meant: &dyn Fn(&Kind<'_>) -> bool| -> u32 {
            each()
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
                // What nobody has published is not held against a layout.
                let wanted = each().map(|(kind, n)| {
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
