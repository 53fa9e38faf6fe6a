//! Offers and prices as CSV: one row for an offer in a region, with its prices there.
//!
//! A row says in the columns of this project, of gpuhunt or of SkyPilot what `[[offer]]` and
//! `[[price]]` say.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use csv::{ReaderBuilder, StringRecord};

use crate::Source;
use crate::schema::{Amount, Content, Offer, Price, Spanned, Text};

/// The meaning of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Id,
    Provider,
    DisplayName,
    Accelerator,
    MemoryGb,
    MemoryMib,
    Count,
    MaxCount,
    MigProfile,
    Vcpu,
    HostMemoryGib,
    HostArch,
    Status,
    Note,
    Region,
    /// `on-demand` or `spot`.
    CapacityType,
    /// Whether the price is a spot price, as `True` or `False`.
    IsSpot,
    UsdPerHour,
    UsdPerAcceleratorHour,
    SpotUsdPerHour,
    Tier,
    Kind,
    /// Several zones of a region have rows of their own; the lowest price counts.
    Zone,
    Source,
    AsOf,
}

/// The most bytes of the first line.
const MAX_HEADER: usize = 1 << 14;

const FIELDS: usize = Field::AsOf as usize + 1;

/// The columns of this project.
const COLUMNS: [(&str, Field); 24] = [
    ("id", Field::Id),
    ("provider", Field::Provider),
    ("display_name", Field::DisplayName),
    ("accelerator", Field::Accelerator),
    ("memory_gb", Field::MemoryGb),
    ("memory_mib", Field::MemoryMib),
    ("count", Field::Count),
    ("max_count", Field::MaxCount),
    ("mig_profile", Field::MigProfile),
    ("vcpu", Field::Vcpu),
    ("host_memory_gib", Field::HostMemoryGib),
    ("host_arch", Field::HostArch),
    ("status", Field::Status),
    ("note", Field::Note),
    ("region", Field::Region),
    ("zone", Field::Zone),
    ("capacity_type", Field::CapacityType),
    ("usd_per_hour", Field::UsdPerHour),
    ("usd_per_accelerator_hour", Field::UsdPerAcceleratorHour),
    ("spot_usd_per_hour", Field::SpotUsdPerHour),
    ("tier", Field::Tier),
    ("kind", Field::Kind),
    ("source", Field::Source),
    ("as_of", Field::AsOf),
];

/// The columns of gpuhunt's catalogs that say something about offers.
const GPUHUNT: [(&str, Field); 9] = [
    ("instance_name", Field::Id),
    ("location", Field::Region),
    ("price", Field::UsdPerHour),
    ("cpu", Field::Vcpu),
    ("memory", Field::HostMemoryGib),
    ("gpu_count", Field::Count),
    ("gpu_name", Field::Accelerator),
    ("gpu_memory", Field::MemoryGb),
    ("spot", Field::IsSpot),
];

/// The columns of SkyPilot's catalogs that say something about offers.
const SKYPILOT: [(&str, Field); 9] = [
    ("InstanceType", Field::Id),
    ("vCPUs", Field::Vcpu),
    ("MemoryGiB", Field::HostMemoryGib),
    ("AcceleratorName", Field::Accelerator),
    ("AcceleratorCount", Field::Count),
    ("Price", Field::UsdPerHour),
    ("SpotPrice", Field::SpotUsdPerHour),
    ("Region", Field::Region),
    ("AvailabilityZone", Field::Zone),
];

/// An error, and the bytes of the text that it is about.
type Fault = (Range<usize>, String);

/// The columns of a file.
pub(crate) struct Columns<'s> {
    len: usize,
    /// The index of the column of each field.
    places: [Option<usize>; FIELDS],
    /// The tool whose columns and words they are; `None` for this project's.
    pub(crate) dialect: Option<&'static str>,
    /// The provider and the date of rows that say none.
    provider: String,
    day: &'s str,
}

/// Reads the first line of a file: its columns, and where the rows begin.
pub(crate) fn columns(source: &Source) -> Result<(Columns<'_>, usize), Fault> {
    let text = &source.text[..];
    let end = text.find('\n').map_or(text.len(), |at| at + 1);
    let line = text[..end].trim_end().trim_start_matches('\u{feff}');
    if line.len() > MAX_HEADER {
        let message = format!("the first line has more than {MAX_HEADER} bytes");
        return Err((0..0, message));
    }
    let names: Vec<&str> = line
        .split(',')
        .map(|name| name.trim().trim_matches('"'))
        .collect();
    let has = |name: &str| names.contains(&name);
    let (known, dialect): (&[(&str, Field)], _) = if has("instance_name") {
        (&GPUHUNT, Some("gpuhunt"))
    } else if has("InstanceType") {
        (&SKYPILOT, Some("skypilot"))
    } else {
        (&COLUMNS, None)
    };
    let field = |name: &&str| {
        known
            .iter()
            .find(|(word, _)| word == name)
            .map(|(_, field)| *field)
    };
    let fields: Vec<Option<Field>> = names.iter().map(field).collect();
    let unknown = names.iter().zip(&fields).find(|(_, field)| field.is_none());
    if let Some((name, _)) = unknown.filter(|_| dialect.is_none()) {
        let words: Vec<&str> = known.iter().map(|(word, _)| *word).collect();
        let start = text.find(name).unwrap_or_default();
        let message = format!(
            "unknown column '{name}': the columns are {}",
            words.join(", ")
        );
        return Err((start..start + name.len(), message));
    }
    let mut places = [None; FIELDS];
    for (at, field) in fields.iter().enumerate() {
        if let Some(field) = field {
            places[*field as usize].get_or_insert(at);
        }
    }
    for (word, required) in [
        ("the id of an offer", Field::Id),
        ("an accelerator", Field::Accelerator),
    ] {
        if places[required as usize].is_none() {
            return Err((0..line.len(), format!("no column has {word}")));
        }
    }
    let columns = Columns {
        len: fields.len(),
        places,
        dialect,
        provider: provider_of(&source.file),
        day: &source.day,
    };
    Ok((columns, end))
}

/// The provider that a file is named for: `aws.csv`, or `aws/vms.csv` as SkyPilot has it.
fn provider_of(file: &str) -> String {
    let path = Path::new(file);
    let stem = path.file_stem().unwrap_or_default();
    let folder = path.parent().and_then(Path::file_name);
    let name = if stem == "vms" {
        folder.unwrap_or(stem)
    } else {
        stem
    };
    name.to_string_lossy().to_lowercase()
}

/// One row.
struct Row<'r> {
    columns: &'r Columns<'r>,
    record: &'r StringRecord,
    /// The first byte of the row in the part.
    start: usize,
}

impl Columns<'_> {
    /// Reads the rows of a part.
    pub(crate) fn read(&self, text: &str) -> Result<Content, Fault> {
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes());
        let mut content = Content::default();
        let mut record = StringRecord::new();
        loop {
            let start = reader.position().byte() as usize;
            match reader.read_record(&mut record) {
                Ok(true) => {}
                Ok(false) => return Ok(content),
                Err(error) => return Err((start..start, error.to_string())),
            }
            if record.len() != self.len {
                let message = format!(
                    "this row has {} values, and the header has {}",
                    record.len(),
                    self.len
                );
                return Err((start..start, message));
            }
            let row = Row {
                columns: self,
                record: &record,
                start,
            };
            // A machine without accelerators is none of ours.
            if row.get(Field::Accelerator).is_some() || self.dialect.is_none() {
                row.add_to(&mut content)?;
            }
        }
    }
}

impl Row<'_> {
    fn place(&self, index: usize) -> Range<usize> {
        let before = self.record.range(index).unwrap_or_default();
        // A comma stands before each value but the first.
        let start = self.start + before.start + index;
        start..start + before.len()
    }

    fn get(&self, field: Field) -> Option<(Range<usize>, &str)> {
        let index = self.columns.places[field as usize]?;
        let value = self.record.get(index)?;
        let is_bare = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_graphic);
        let bytes = value.as_bytes();
        let value = if is_bare(bytes.first()) && is_bare(bytes.last()) {
            value
        } else {
            value.trim()
        };
        (!value.is_empty()).then(|| (self.place(index), value))
    }

    fn text(&self, field: Field) -> Option<Text> {
        let (at, value) = self.get(field)?;
        Some(Spanned::new(at, value.to_owned()))
    }

    fn number(&self, field: Field) -> Result<Option<Spanned<f64>>, Fault> {
        let Some((at, value)) = self.get(field) else {
            return Ok(None);
        };
        match value.parse::<f64>() {
            Ok(number) => Ok(Some(Spanned::new(at, number))),
            Err(_) => Err((at, format!("'{value}' is no number"))),
        }
    }

    /// A text that this project writes, or one that stands for all rows.
    fn or(&self, field: Field, other: &str) -> Option<Text> {
        self.text(field)
            .or_else(|| (!other.is_empty()).then(|| Spanned::new(self.place(0), other.to_owned())))
    }

    fn add_to(&self, content: &mut Content) -> Result<(), Fault> {
        let Some(id) = self.text(Field::Id) else {
            return Err((self.place(0), "this row names no offer".to_owned()));
        };
        let provider = self.or(Field::Provider, &self.columns.provider);
        let as_of = self.or(Field::AsOf, self.columns.day);
        let source = self.or(Field::Source, self.columns.dialect.unwrap_or_default());
        let region = self.text(Field::Region);
        let memory_gb = self.number(Field::MemoryGb)?;
        let count = self.number(Field::Count)?;
        for (capacity, field) in [
            ("on-demand", Field::UsdPerHour),
            ("spot", Field::SpotUsdPerHour),
        ] {
            let whole = self.amount(field, region.as_ref())?;
            let each = match field {
                Field::UsdPerHour => self.amount(Field::UsdPerAcceleratorHour, region.as_ref())?,
                _ => None,
            };
            if whole.is_none() && each.is_none() {
                continue;
            }
            let Some(as_of) = as_of.clone() else {
                return Err((
                    self.place(0),
                    "a price has a date: there is no `as_of`".to_owned(),
                ));
            };
            let is_spot = self
                .get(Field::IsSpot)
                .is_some_and(|(_, value)| value.eq_ignore_ascii_case("true"));
            let capacity_type = match self.text(Field::CapacityType) {
                Some(stated) if field == Field::UsdPerHour => stated,
                _ => Spanned::new(
                    self.place(0),
                    if is_spot { "spot" } else { capacity }.to_owned(),
                ),
            };
            let has_zone = self.get(Field::Zone).is_some() && capacity_type.get_ref() == "spot";
            content.price.push(Price {
                offer: Some(id.clone()),
                offers: Vec::new(),
                provider: provider.clone(),
                memory_gb: memory_gb.clone(),
                count: count.clone(),
                capacity_type,
                kind: self.text(Field::Kind),
                tier: self.text(Field::Tier),
                statistic: has_zone.then(|| Spanned::new(self.place(0), "lowest-zone".to_owned())),
                regions: None,
                source: source.clone(),
                as_of: Some(as_of),
                quality: None,
                currency: None,
                per_hour: None,
                per_accelerator_hour: None,
                usd_per_hour: whole,
                usd_per_accelerator_hour: each,
            });
        }
        content.offer.push(Offer {
            id,
            provider,
            display_name: self.text(Field::DisplayName),
            accelerator: self.text(Field::Accelerator),
            memory_gb,
            count,
            max_count: self.number(Field::MaxCount)?,
            counts: None,
            mig_profile: self.text(Field::MigProfile),
            memory_mib: self.number(Field::MemoryMib)?,
            vcpu: self.number(Field::Vcpu)?,
            host_memory_gib: self.number(Field::HostMemoryGib)?,
            host_arch: self.text(Field::HostArch),
            status: self.text(Field::Status),
            note: self.text(Field::Note),
            regions: region.map(|region| vec![region]),
            source,
            as_of,
            any_of: None,
            vcpu_per_accelerator: None,
            host_memory_gib_per_accelerator: None,
            efa_interfaces: None,
            minimum_hours: None,
            kind: None,
            hosts: None,
            topology: None,
            upstream: None,
            status_note: None,
            interruption_rate: None,
        });
        Ok(())
    }

    fn amount(
        &self,
        field: Field,
        region: Option<&Text>,
    ) -> Result<Option<Spanned<Amount>>, Fault> {
        let Some(usd) = self.number(field)? else {
            return Ok(None);
        };
        let (at, usd) = (usd.span(), *usd.get_ref());
        // What is free in another project's table is not known, or a host without its accelerator.
        if usd <= 0.0 && self.columns.dialect.is_some() {
            return Ok(None);
        }
        let amount = match region {
            Some(region) => Amount::ByRegion(BTreeMap::from([(region.get_ref().clone(), usd)])),
            None => Amount::Everywhere(usd),
        };
        Ok(Some(Spanned::new(at, amount)))
    }
}
