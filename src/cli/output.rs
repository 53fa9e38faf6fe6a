//! Output formats.

use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::{EnumValueParser, PathBufValueParser, TypedValueParser};

/// Output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// A table that fits the terminal
    #[default]
    Table,
    /// A table with all columns
    Wide,
    /// One JSON object
    Json,
    /// One JSON object per line, one line per result
    Jsonl,
    /// Comma-separated values with a header
    Csv,
    /// Ids only, one per line; `provider/id` if the answer has several providers
    Names,
    /// YAML
    Yaml,
    /// A page for browsers, with pictures, all columns and all notes
    Html,
    /// The sections of a page, for a page that shows several answers
    #[value(hide = true)]
    Fragment,
}

impl OutputFormat {
    /// Whether errors are printed as JSON too.
    pub fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::Jsonl)
    }

    /// Whether the output is one document that includes notes, funnel and reasons.
    pub fn is_document(self) -> bool {
        matches!(self, Self::Json | Self::Yaml)
    }

    /// Whether the output contains the notes.
    pub fn has_notes(self) -> bool {
        self.is_document() || self.is_html()
    }

    /// Whether the format is for people.
    pub fn is_page(self) -> bool {
        matches!(self, Self::Table | Self::Wide) || self.is_html()
    }

    /// Whether the output is for a browser.
    pub fn is_html(self) -> bool {
        matches!(self, Self::Html | Self::Fragment)
    }
}

/// How much an answer tells beside its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// What fits in a line.
    Brief,
    /// The sources and ages of all prices.
    Full,
    /// Both, for a page that stays.
    Page,
}

impl Detail {
    /// Whether the sources and ages of all prices are told.
    pub fn is_full(self) -> bool {
        self != Self::Brief
    }
}

/// Output format of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ChoiceFormat {
    /// The id of the machine; `provider/id` if the choices have several providers
    Names,
    /// The JSON document of `resolve`
    Json,
    /// A spec, such as H100-80GB-SXM:x8
    Spec,
}
/// Value of `--output`: an output format, the file of `catalog compile`, or the format of a choice in `browse`.
#[derive(Clone, Debug)]
pub enum Output {
    Format(OutputFormat),
    File(PathBuf),
    Choice(ChoiceFormat),
}

impl Output {
    pub fn format() -> impl TypedValueParser<Value = Self> {
        EnumValueParser::<OutputFormat>::new().map(Self::Format)
    }

    pub fn choice() -> impl TypedValueParser<Value = Self> {
        EnumValueParser::<ChoiceFormat>::new().map(Self::Choice)
    }

    pub fn file() -> impl TypedValueParser<Value = Self> {
        PathBufValueParser::new().map(Self::File)
    }
}

/// Returns the spelling of a value on the command line.
pub fn word_of(value: impl ValueEnum + Copy) -> String {
    value
        .to_possible_value()
        .map_or_else(String::new, |word| word.get_name().to_owned())
}
