//! Offers and prices as CSV: one row for an offer in a region, with its prices there.
//!
//! A file has the columns of this project, of gpuhunt or of SkyPilot. Each row becomes an `[[offer]]` entry and
//! `[[price]]` entries.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use csv::{ReaderBuilder, StringRecord};

use crate::bounds::MAX_ERRORS;
use crate::schema::{FileContent, HourlyAmount, OfferEntry, PriceEntry, Spanned, SpannedText};

/// The meaning of a column that is not a plain column of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Id,
    Provider,
    Accelerator,
    MemoryGb,
    Count,
    MaxCount,
    Vcpu,
    HostMemoryGib,
    Status,
    Region,
    /// `on-demand` or `spot`.
    CapacityType,
    /// True if the price is a spot price, as `True` or `False`.
    IsSpot,
    UsdPerHour,
    UsdPerAcceleratorHour,
    SpotUsdPerHour,
    Tier,
    Kind,
    /// The zones of a region have separate rows; the lowest price counts.
    Zone,
    Source,
    AsOf,
}

/// The maximum number of bytes of the first line.
const MAX_HEADER: usize = 1 << 14;

const FIELDS: usize = Field::AsOf as usize + 1;

/// The columns of this project, apart from the plain columns of an offer.
const COLUMNS: [(&str, Field); 19] = [
    ("id", Field::Id),
    ("provider", Field::Provider),
    ("accelerator", Field::Accelerator),
    ("memory_gb", Field::MemoryGb),
    ("count", Field::Count),
    ("max_count", Field::MaxCount),
    ("vcpu", Field::Vcpu),
    ("host_memory_gib", Field::HostMemoryGib),
    ("status", Field::Status),
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

/// Reads a plain column by its kind.
macro_rules! read_column {
    ($row:ident, $index:expr, Text) => {
        $row.text($index)
    };
    ($row:ident, $index:expr, Figure) => {
        $row.number($index)?
    };
}

macro_rules! define_plain_columns {
    ($($(#[$doc:meta])* $name:ident: $kind:ident $(($bounds:ident))?;)+) => {
        /// The plain columns of an offer.
        #[derive(Clone, Copy)]
        enum PlainColumn {
            $($name,)+
        }

        /// The names of the plain columns, by [`PlainColumn`].
        const PLAIN_COLUMNS: &[&str] = &[$(stringify!($name)),+];

        impl CsvRow<'_> {
            /// Copies the plain columns to an entry.
            fn plain_columns(&self, offer: &mut OfferEntry) -> Result<(), CsvError> {
                $(offer.$name = read_column!(self, PlainColumn::$name, $kind);)+
                Ok(())
            }
        }
    };
}

sky_accel_core::offer_columns!(define_plain_columns);

impl From<Field> for usize {
    fn from(field: Field) -> Self {
        field as Self
    }
}

impl From<PlainColumn> for usize {
    /// Plain columns come after the other fields.
    fn from(column: PlainColumn) -> Self {
        FIELDS + column as Self
    }
}

/// The columns of gpuhunt's catalogs that describe offers.
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

/// The columns of SkyPilot's catalogs that describe offers.
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

/// An error message, and the bytes of the text that it is about.
pub(crate) type CsvError = (Range<usize>, String);

/// The columns of a file.
pub(crate) struct Columns<'s> {
    len: usize,
    /// The index in a row of each field, then of each plain column.
    indexes: [Option<usize>; FIELDS + PLAIN_COLUMNS.len()],
    /// The tool whose columns and words the file has; `None` for the columns of this project.
    pub(crate) dialect: Option<&'static str>,
    /// The provider of rows without a provider.
    provider: String,
    /// The date of rows without a date.
    day: &'s str,
}

/// Reads the first line of a file. Returns its columns, and where the rows begin.
///
/// `file` names the provider and `day` is the date of rows that state none.
pub(crate) fn columns<'s>(
    file: &str,
    text: &str,
    day: &'s str,
) -> Result<(Columns<'s>, usize), CsvError> {
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
    let index = |name: &&str| -> Option<usize> {
        let field = known.iter().find(|(word, _)| word == name);
        // Other projects name no plain column.
        let plain = || PLAIN_COLUMNS.iter().position(|word| word == name);
        let plain = || plain().filter(|_| dialect.is_none());
        field
            .map(|(_, field)| usize::from(*field))
            .or_else(|| Some(FIELDS + plain()?))
    };
    let fields: Vec<Option<usize>> = names.iter().map(index).collect();
    let unknown = names.iter().zip(&fields).find(|(_, field)| field.is_none());
    if let Some((name, _)) = unknown.filter(|_| dialect.is_none()) {
        let words = known.iter().map(|(word, _)| *word);
        let words: Vec<&str> = words.chain(PLAIN_COLUMNS.iter().copied()).collect();
        let start = text.find(name).unwrap_or_default();
        let message = format!(
            "unknown column '{name}': the columns are {}",
            words.join(", ")
        );
        return Err((start..start + name.len(), message));
    }
    let mut indexes = [None; FIELDS + PLAIN_COLUMNS.len()];
    for (at, field) in fields.iter().enumerate() {
        if let Some(field) = field {
            indexes[*field].get_or_insert(at);
        }
    }
    for (word, required) in [
        ("the id of an offer", Field::Id),
        ("an accelerator", Field::Accelerator),
    ] {
        if indexes[usize::from(required)].is_none() {
            return Err((0..line.len(), format!("no column has {word}")));
        }
    }
    let columns = Columns {
        len: fields.len(),
        indexes,
        dialect,
        provider: provider_of(file),
        day,
    };
    Ok((columns, end))
}

/// Returns the provider in the path of a file: `aws.csv`, or `aws/vms.csv` in SkyPilot's catalog.
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

/// The bytes of a value of a row that begins at `start`.
pub(crate) fn value_span(record: &StringRecord, start: usize, index: usize) -> Range<usize> {
    let before = record.range(index).unwrap_or_default();
    // Each value but the first follows a comma.
    let start = start + before.start + index;
    start..start + before.len()
}

/// One row.
struct CsvRow<'r> {
    columns: &'r Columns<'r>,
    record: &'r StringRecord,
    /// The first byte of the row in the part.
    start: usize,
}

impl Columns<'_> {
    /// Reads the rows of a part. Returns the entries of the rows that can be read, and the first error of each other
    /// row.
    pub(crate) fn read(&self, text: &str) -> (FileContent, Vec<CsvError>) {
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes());
        let mut content = FileContent::default();
        let mut errors = Vec::new();
        let mut record = StringRecord::new();
        while errors.len() < MAX_ERRORS {
            let start = reader.position().byte() as usize;
            match reader.read_record(&mut record) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    errors.push((start..start, error.to_string()));
                    break;
                }
            }
            if record.len() != self.len {
                let message = format!(
                    "this row has {} values, and the header has {}",
                    record.len(),
                    self.len
                );
                errors.push((start..start, message));
                continue;
            }
            let row = CsvRow {
                columns: self,
                record: &record,
                start,
            };
            // Other projects list machines without accelerators too.
            if row.get(Field::Accelerator).is_some() || self.dialect.is_none() {
                errors.extend(row.add_to(&mut content).err());
            }
        }
        (content, errors)
    }
}

impl CsvRow<'_> {
    /// The bytes of a value in the part.
    fn span(&self, index: usize) -> Range<usize> {
        value_span(self.record, self.start, index)
    }

    fn get(&self, field: impl Into<usize>) -> Option<(Range<usize>, &str)> {
        let index = self.columns.indexes[field.into()]?;
        let value = self.record.get(index)?;
        let is_bare = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_graphic);
        let bytes = value.as_bytes();
        let value = if is_bare(bytes.first()) && is_bare(bytes.last()) {
            value
        } else {
            value.trim()
        };
        (!value.is_empty()).then(|| (self.span(index), value))
    }

    fn text(&self, field: impl Into<usize>) -> Option<SpannedText> {
        let (at, value) = self.get(field)?;
        Some(Spanned::new(at, value.to_owned()))
    }

    fn number(&self, field: impl Into<usize>) -> Result<Option<Spanned<f64>>, CsvError> {
        let Some((at, value)) = self.get(field) else {
            return Ok(None);
        };
        match value.parse::<f64>() {
            Ok(number) => Ok(Some(Spanned::new(at, number))),
            Err(_) => Err((at, format!("'{value}' is not a number"))),
        }
    }

    /// The text of a field, or the default of the file.
    fn text_or(&self, field: Field, default: &str) -> Option<SpannedText> {
        self.text(field).or_else(|| {
            (!default.is_empty()).then(|| Spanned::new(self.span(0), default.to_owned()))
        })
    }

    fn add_to(&self, content: &mut FileContent) -> Result<(), CsvError> {
        let Some(id) = self.text(Field::Id) else {
            return Err((self.span(0), "this row has no offer id".to_owned()));
        };
        let provider = self.text_or(Field::Provider, &self.columns.provider);
        let as_of = self.text_or(Field::AsOf, self.columns.day);
        let source = self.text_or(Field::Source, self.columns.dialect.unwrap_or_default());
        let region = self.text(Field::Region);
        let memory_gb = self.number(Field::MemoryGb)?;
        let count = self.number(Field::Count)?;
        for (capacity, field) in [
            ("on-demand", Field::UsdPerHour),
            ("spot", Field::SpotUsdPerHour),
        ] {
            let per_machine = self.amount(field, region.as_ref())?;
            let per_accelerator = match field {
                Field::UsdPerHour => self.amount(Field::UsdPerAcceleratorHour, region.as_ref())?,
                _ => None,
            };
            if per_machine.is_none() && per_accelerator.is_none() {
                continue;
            }
            let Some(as_of) = as_of.clone() else {
                return Err((
                    self.span(0),
                    "a price has a date: `as_of` is missing".to_owned(),
                ));
            };
            let is_spot = self
                .get(Field::IsSpot)
                .is_some_and(|(_, value)| value.eq_ignore_ascii_case("true"));
            let capacity_type = match self.text(Field::CapacityType) {
                Some(stated) if field == Field::UsdPerHour => stated,
                _ => Spanned::new(
                    self.span(0),
                    if is_spot { "spot" } else { capacity }.to_owned(),
                ),
            };
            let has_zone = self.get(Field::Zone).is_some() && capacity_type.get_ref() == "spot";
            content.price.push(PriceEntry {
                provider: provider.clone(),
                memory_gb: memory_gb.clone(),
                count: count.clone(),
                kind: self.text(Field::Kind),
                tier: self.text(Field::Tier),
                statistic: has_zone.then(|| Spanned::new(self.span(0), "lowest-zone".to_owned())),
                source: source.clone(),
                as_of: Some(as_of),
                usd_per_hour: per_machine,
                usd_per_accelerator_hour: per_accelerator,
                ..PriceEntry::new(id.clone(), capacity_type)
            });
        }
        let mut offer = OfferEntry {
            provider,
            accelerator: self.text(Field::Accelerator),
            memory_gb,
            count,
            max_count: self.number(Field::MaxCount)?,
            vcpu: self.number(Field::Vcpu)?,
            host_memory_gib: self.number(Field::HostMemoryGib)?,
            status: self.text(Field::Status),
            regions: region.map(|region| vec![region]),
            source,
            as_of,
            ..OfferEntry::new(id)
        };
        self.plain_columns(&mut offer)?;
        content.offer.push(offer);
        Ok(())
    }

    fn amount(
        &self,
        field: Field,
        region: Option<&SpannedText>,
    ) -> Result<Option<Spanned<HourlyAmount>>, CsvError> {
        let Some(usd) = self.number(field)? else {
            return Ok(None);
        };
        let (at, usd) = (usd.span(), *usd.get_ref());
        // In other projects' files a price of 0 is unknown, or belongs to a host without its accelerator.
        if usd <= 0.0 && self.columns.dialect.is_some() {
            return Ok(None);
        }
        let amount = match region {
            Some(region) => {
                HourlyAmount::ByRegion(BTreeMap::from([(region.get_ref().clone(), usd)]))
            }
            None => HourlyAmount::Everywhere(usd),
        };
        Ok(Some(Spanned::new(at, amount)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: &str, text: &str, day: &str) -> Result<FileContent, String> {
        let (columns, header) = columns(file, text, day).map_err(|(_, message)| message)?;
        let (content, errors) = columns.read(&text[header..]);
        let messages: Vec<String> = errors.into_iter().map(|(_, message)| message).collect();
        if messages.is_empty() {
            Ok(content)
        } else {
            Err(messages.join("; "))
        }
    }

    #[test]
    fn an_error_of_a_row_hides_no_other_row() {
        let text = "id,accelerator,vcpu,usd_per_hour\nx,H100,8,2\ny,H100,many,2\nz,H100,9\n,H100,9,2\nw,H100,9,abc\nv,H100,9,3\n";
        let (columns, header) = columns("acme.csv", text, "2026-11-01").unwrap();
        let (content, errors) = columns.read(&text[header..]);
        let messages: Vec<String> = errors.into_iter().map(|(_, message)| message).collect();
        let expected = [
            "'many' is not a number",
            "this row has 3 values, and the header has 4",
            "this row has no offer id",
            "'abc' is not a number",
        ];
        assert_eq!(messages, expected);
        let ids = content.offer.iter().map(|offer| offer.id.get_ref().clone());
        assert_eq!(ids.collect::<Vec<_>>(), ["x", "v"]);
    }

    #[test]
    fn the_path_names_the_provider() {
        for (file, provider) in [
            ("prices/AWS.csv", "aws"),
            ("aws/vms.csv", "aws"),
            ("vms.csv", "vms"),
        ] {
            assert_eq!(provider_of(file), provider, "{file}");
        }
    }

    #[test]
    fn reads_prices_of_a_row() {
        let text = "id,accelerator,region,usd_per_hour,spot_usd_per_hour,note\nx, H100 ,east,3.5,,\"a, b\"\n";
        let content = read("acme.csv", text, "2026-11-01").unwrap();
        let offer = &content.offer[0];
        let text = |text: &Option<SpannedText>| text.as_ref().map(|text| text.get_ref().clone());
        assert_eq!(text(&offer.accelerator).as_deref(), Some("H100"));
        assert_eq!(text(&offer.note).as_deref(), Some("a, b"));
        assert_eq!(text(&offer.provider).as_deref(), Some("acme"));
        let [price] = &content.price[..] else {
            panic!("an empty cell is not a price")
        };
        assert_eq!(price.capacity_type.get_ref(), "on-demand");
        assert_eq!(price.date(), "2026-11-01");
    }

    #[test]
    fn reads_columns_of_other_projects() {
        let text = "InstanceType,AcceleratorName,AcceleratorCount,Price,SpotPrice,Region,AvailabilityZone,Other\n\
                    p5,H100,8,0,9.5,east,east-a,?\nm5,,,1.0,,east,east-a,?\n";
        let content = read("aws/vms.csv", text, "2026-11-01").unwrap();
        // Machines without accelerators are skipped, and a price of 0 is unknown.
        assert_eq!((content.offer.len(), content.price.len()), (1, 1));
        assert_eq!(content.price[0].capacity_type.get_ref(), "spot");
        assert!(content.price[0].statistic.is_some());
        let text = "instance_name,gpu_name,price,spot\nx,H100,3.5,True\n";
        let content = read("aws.csv", text, "2026-11-01").unwrap();
        assert_eq!(content.price[0].capacity_type.get_ref(), "spot");
    }

    #[test]
    fn rejects_malformed_files() {
        for (text, message) in [
            ("id,accelerator,color\n", "unknown column 'color'"),
            ("accelerator\n", "no column has the id of an offer"),
            ("id\n", "no column has an accelerator"),
            (
                "id,accelerator,vcpu\nx,H100,many\n",
                "'many' is not a number",
            ),
            (
                "id,accelerator\nx,H100,9\n",
                "this row has 3 values, and the header has 2",
            ),
            ("id,accelerator\n,H100\n", "this row has no offer id"),
            (
                "id,accelerator,usd_per_hour\nx,H100,2\n",
                "a price has a date",
            ),
        ] {
            let error = read("acme.csv", text, "").map(|_| ()).unwrap_err();
            assert!(error.contains(message), "{text}: {error}");
        }
    }

    #[test]
    fn each_wrong_row_is_reported_once_and_hides_no_other() {
        let rows = "id,provider,accelerator,count,usd_per_hour\n\
                    a,acmee,G-80GB,8,16\nb,acme,G-80GB,8,many\nc,acme,H-80GB,8,16\n";
        let expected = [
            "no [[provider]] has the id 'acmee'",
            "'many' is not a number",
            "no accelerator has the id 'H-80GB'",
        ];
        let mut found = crate::fixture::errors(&[rows]);
        for message in &mut found {
            message.truncate(message.find(": did").unwrap_or(message.len()));
        }
        assert_eq!(found, expected);
    }
}
