//! The sources of `catalog update`.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error};
use sky_accel_engine::contract::UpdateFrom;

use super::words::words_where;

/// A source of an update.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UpdateSource {
    /// The providers, or a project that collects their prices.
    Listed(UpdateFrom),
    /// A published catalog.
    Published(PublishedCatalog),
}

/// The place of a published catalog.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PublishedCatalog {
    /// A file.
    File(PathBuf),
    /// An HTTP address.
    Address(String),
}

/// Parses a word, a path or an address. A path has a slash or a dot, which no word has.
#[derive(Clone, Copy)]
pub struct UpdateSourceParser;

fn words() -> impl TypedValueParser<Value = UpdateFrom> {
    words_where(|from| from != UpdateFrom::Published)
}

impl TypedValueParser for UpdateSourceParser {
    type Value = UpdateSource;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<UpdateSource, Error> {
        let text = value.to_string_lossy();
        if text.contains("://") {
            let place = PublishedCatalog::Address(text.into_owned());
            return Ok(UpdateSource::Published(place));
        }
        if text.contains(['/', '\\', '.']) {
            return Ok(UpdateSource::Published(PublishedCatalog::File(
                value.into(),
            )));
        }
        words()
            .parse_ref(command, arg, value)
            .map(UpdateSource::Listed)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values: Vec<PossibleValue> = words().possible_values()?.collect();
        Some(Box::new(values.into_iter()))
    }
}
