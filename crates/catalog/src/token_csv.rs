//! Prices of tokens as CSV: one row for a model at a seller.

use std::ops::Range;

use csv::{ReaderBuilder, StringRecord, WriterBuilder};

use crate::csv::{CsvError, value_span};
use crate::schema::{FileContent, Spanned, SpannedText, TokenPriceEntry};

/// A column. The variants are ordered like [`COLUMNS`].
#[derive(Clone, Copy)]
enum Field {
    Model,
    Seller,
    ModelId,
    Variant,
    Precision,
    Unit,
    Input,
    Output,
    Cached,
    Context,
    Since,
    AsOf,
    Retires,
    Source,
}

/// The names of the columns. They are the fields of `[[token_price]]`.
const COLUMNS: [&str; Field::Source as usize + 1] = [
    "model",
    "seller",
    "model_id",
    "variant",
    "precision",
    "unit",
    "input_usd",
    "output_usd",
    "cached_usd",
    "context",
    "since",
    "as_of",
    "retires",
    "source",
];

/// The columns that have a value in each row.
const REQUIRED: [Field; 5] = [
    Field::Model,
    Field::Seller,
    Field::ModelId,
    Field::AsOf,
    Field::Source,
];

/// A row as texts; an empty text is a value that is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(
    missing_docs,
    reason = "the fields are the columns that the reference of the catalog describes"
)]
pub struct Row {
    pub model: String,
    pub seller: String,
    pub model_id: String,
    pub variant: String,
    pub precision: String,
    pub unit: String,
    pub input_usd: String,
    pub output_usd: String,
    pub cached_usd: String,
    pub context: String,
    pub since: String,
    pub as_of: String,
    pub retires: String,
    pub source: String,
}

/// Writes a file with these rows.
pub fn written(rows: &[Row]) -> String {
    let mut writer = WriterBuilder::new()
        .terminator(csv::Terminator::Any(b'\n'))
        .from_writer(Vec::new());
    // Writing to memory cannot fail.
    let _ = writer.write_record(COLUMNS);
    for row in rows {
        let _ = writer.write_record([
            &row.model,
            &row.seller,
            &row.model_id,
            &row.variant,
            &row.precision,
            &row.unit,
            &row.input_usd,
            &row.output_usd,
            &row.cached_usd,
            &row.context,
            &row.since,
            &row.as_of,
            &row.retires,
            &row.source,
        ]);
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

/// The maximum number of rows of a file.
const MAX_ROWS: usize = 100_000;

/// The names in the first line of a text.
fn header(text: &str) -> impl Iterator<Item = &str> {
    let line = text.lines().next().unwrap_or_default();
    let names = line.trim_start_matches('\u{feff}').split(',');
    names.map(|name| name.trim().trim_matches('"'))
}

/// Returns whether a CSV file has prices of tokens, and not offers.
pub(crate) fn has_token_prices(text: &str) -> bool {
    header(text).any(|name| name == COLUMNS[Field::ModelId as usize])
}

/// One row.
struct TokenRow<'r> {
    /// The index in a row of each column.
    indexes: &'r [Option<usize>; COLUMNS.len()],
    record: &'r StringRecord,
    /// The first byte of the row in the text.
    start: usize,
}

impl TokenRow<'_> {
    fn get(&self, field: Field) -> Option<(Range<usize>, &str)> {
        let index = self.indexes[field as usize]?;
        let value = self.record.get(index)?.trim();
        (!value.is_empty()).then(|| (value_span(self.record, self.start, index), value))
    }

    fn text(&self, field: Field) -> Option<SpannedText> {
        let (at, value) = self.get(field)?;
        Some(Spanned::new(at, value.to_owned()))
    }

    fn required(&self, field: Field) -> Result<SpannedText, CsvError> {
        self.text(field).ok_or_else(|| {
            let at = value_span(self.record, self.start, 0);
            (at, format!("this row has no `{}`", COLUMNS[field as usize]))
        })
    }

    fn number(&self, field: Field) -> Result<Option<Spanned<f64>>, CsvError> {
        let Some((at, value)) = self.get(field) else {
            return Ok(None);
        };
        match value.parse::<f64>() {
            Ok(number) => Ok(Some(Spanned::new(at, number))),
            Err(_) => Err((at, format!("'{value}' is not a number"))),
        }
    }

    fn entry(&self) -> Result<TokenPriceEntry, CsvError> {
        Ok(TokenPriceEntry {
            model: self.required(Field::Model)?,
            seller: self.required(Field::Seller)?,
            model_id: self.required(Field::ModelId)?,
            variant: self.text(Field::Variant),
            precision: self.text(Field::Precision),
            unit: self.text(Field::Unit),
            input_usd: self.number(Field::Input)?,
            output_usd: self.number(Field::Output)?,
            cached_usd: self.number(Field::Cached)?,
            context: self.number(Field::Context)?,
            since: self.text(Field::Since),
            as_of: self.required(Field::AsOf)?,
            retires: self.text(Field::Retires),
            source: self.required(Field::Source)?,
        })
    }
}

/// The index in a row of each column.
fn indexes(text: &str) -> Result<[Option<usize>; COLUMNS.len()], CsvError> {
    let mut indexes = [None; COLUMNS.len()];
    for (at, name) in header(text).enumerate() {
        let Some(field) = COLUMNS.iter().position(|known| *known == name) else {
            let start = text.find(name).unwrap_or_default();
            let message = format!(
                "unknown column '{name}': the columns of prices of tokens are {}",
                COLUMNS.join(", ")
            );
            return Err((start..start + name.len(), message));
        };
        indexes[field].get_or_insert(at);
    }
    for field in REQUIRED {
        if indexes[field as usize].is_none() {
            let message = format!("the column `{}` is missing", COLUMNS[field as usize]);
            return Err((0..0, message));
        }
    }
    Ok(indexes)
}

/// Reads a file.
pub(crate) fn read(text: &str) -> Result<FileContent, CsvError> {
    let indexes = indexes(text)?;
    if memchr::memchr_iter(b'\n', text.as_bytes()).count() > MAX_ROWS {
        let message = format!("a file has at most {MAX_ROWS} prices of tokens");
        return Err((0..0, message));
    }
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut content = FileContent::default();
    let mut record = StringRecord::new();
    let (mut is_header, mut width) = (true, 0);
    loop {
        let start = reader.position().byte() as usize;
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => return Ok(content),
            Err(error) => return Err((start..start, error.to_string())),
        }
        if std::mem::take(&mut is_header) {
            width = record.len();
            continue;
        }
        if record.len() != width {
            let message = format!(
                "this row has {} values, and the header has {width}",
                record.len()
            );
            return Err((start..start, message));
        }
        let row = TokenRow {
            indexes: &indexes,
            record: &record,
            start,
        };
        content.token_price.push(row.entry()?);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_rows_by_the_names_of_columns() {
        let text = "seller,model,model_id,input_usd,output_usd,as_of,source\nacme,Tiny-1B,\"acme/tiny, fast\",0.5,1,2026-11,a page\n";
        assert!(has_token_prices(text) && !has_token_prices("id,accelerator\n"));
        let content = read(text).unwrap();
        let [price] = &content.token_price[..] else {
            panic!("one row")
        };
        assert_eq!(price.model_id.get_ref(), "acme/tiny, fast");
        assert_eq!(
            price.input_usd.as_ref().map(|usd| *usd.get_ref()),
            Some(0.5)
        );
        assert!(price.cached_usd.is_none() && price.unit.is_none());
        let seller = price.seller.span();
        assert_eq!(&text[seller], "acme");
    }

    #[test]
    fn errors_point_at_the_value() {
        let header = "model,seller,model_id,input_usd,as_of,source\n";
        for (text, part, message) in [
            (
                format!("{header}a,b,c,cheap,2026,d\n"),
                "cheap",
                "not a number",
            ),
            (format!("{header}a,b,,1,2026,d\n"), "a", "no `model_id`"),
            (format!("{header}a,b\n"), "", "2 values"),
            ("model_id,price\n".to_owned(), "price", "unknown column"),
            ("model_id\n".to_owned(), "", "the column `model` is missing"),
        ] {
            let (at, found) = read(&text).map(|_| ()).unwrap_err();
            assert!(found.contains(message), "{text}: {found}");
            assert_eq!(&text[at], part, "{text}");
        }
    }
}
