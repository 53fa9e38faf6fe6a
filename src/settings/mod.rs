//! Settings: command line over `SKY_ACCEL_*` over config file over default, in one plain struct.

mod project;

use std::env;
use std::io;
use std::num::NonZeroU32;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::{ColorChoice, ValueEnum};
use etcetera::BaseStrategy;
use jiff::civil::Date;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use sky_accel_catalog::Diagnostic;
use sky_accel_engine::asking::providers_needing_consent;
use sky_accel_engine::catalog::{has_files, read_regular, read_text};
use sky_accel_engine::{Error, ErrorCode};
use toml::Spanned;

use crate::cli::{CapacityArg, ChoiceFormat, GlobalArgs, Output, OutputFormat};
use crate::env_vars;

pub use project::{ProjectCatalogs, revoke};

/// Name of the folder in the user's config folder, and of the config file in a project.
const APP: &str = "sky-accel";

/// The settings of every command.
#[derive(Debug, Default)]
pub struct Settings {
    pub output: OutputFormat,
    pub color: ColorChoice,
    /// Whether names end with NUL.
    pub null: bool,
    pub quiet: bool,
    pub verbose: bool,
    pub explain: bool,
    /// Whether the network may not be used.
    pub offline: bool,
    /// Whether keys may be sent without encryption.
    pub insecure: bool,
    /// Overlay catalogs, the last one wins.
    pub overlays: Vec<PathBuf>,
    /// Columns to lay out for, where they are given.
    pub width: Option<usize>,
    /// The day that ages are counted from, where it is given.
    pub today: Option<Date>,
    /// Defaults of offer options.
    pub offers: OfferDefaults,
    /// Providers that may be asked without a key although their terms are unclear about it.
    pub public: Vec<String>,
    /// The catalogs that the project file names.
    pub project_catalogs: Option<ProjectCatalogs>,
    /// Why the project file is ignored.
    pub ignored_project: Option<String>,
    /// Folders whose files an error may quote: those of config files, and overlays that the command
    /// line or the environment names.
    quotable: Vec<PathBuf>,
    /// Where what is not a default came from, by the name of the setting; the last one counts.
    origins: Vec<(&'static str, String)>,
}

/// Defaults of offer options from config files or the environment.
#[derive(Clone, Debug, Default)]
pub struct OfferDefaults {
    pub provider: Vec<String>,
    pub region: Vec<String>,
    pub capacity_type: Option<CapacityArg>,
    pub max_price: Option<f64>,
    pub limit: Option<u32>,
}

/// Whose config file it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileKind {
    User,
    /// Anybody may have put it into the folder that one works in.
    Project,
}

/// The parts of a config file that are not preferences.
struct ReadFile {
    text: String,
    /// The catalogs that it names.
    catalogs: Vec<PathBuf>,
}

/// A config file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ConfigFile {
    output: Option<Spanned<String>>,
    color: Option<Spanned<String>>,
    #[serde(default, deserialize_with = "names")]
    catalog: Vec<PathBuf>,
    #[serde(default, deserialize_with = "names")]
    provider: Vec<String>,
    #[serde(default, deserialize_with = "names")]
    region: Vec<String>,
    capacity_type: Option<Spanned<String>>,
    #[serde(default, deserialize_with = "dollars")]
    max_price: Option<f64>,
    #[serde(default, deserialize_with = "count")]
    limit: Option<NonZeroU32>,
    live: Option<Spanned<LiveTable>>,
}

/// The part of a config file on live answers.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct LiveTable {
    #[serde(default)]
    public: Vec<Spanned<String>>,
}

fn names<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    read_as(
        from,
        "this is a list of strings, as in [\"first\", \"second\"]",
    )
}

fn dollars<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    read_as(from, "this is a price in USD per hour, such as 2.5")
}

fn count<'de, D: Deserializer<'de>>(from: D) -> Result<Option<NonZeroU32>, D::Error> {
    read_as(from, "this is a whole number of results, from 1")
}

/// A value, or an error in words that whoever wrote the file knows.
fn read_as<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
    right: &str,
) -> Result<T, D::Error> {
    T::deserialize(from).map_err(|_| D::Error::custom(right))
}

impl Settings {
    /// Reads the environment and the config files.
    pub fn load(args: &GlobalArgs) -> Result<Self, Error> {
        let mut settings = Self {
            null: args.null.unwrap_or_default(),
            quiet: args.quiet.unwrap_or_default(),
            verbose: args.verbose.unwrap_or_default(),
            explain: args.explain.unwrap_or_default(),
            offline: args.offline.unwrap_or_default(),
            insecure: args.insecure.unwrap_or_default(),
            ..Self::default()
        };
        if !args.no_config.unwrap_or_default() {
            // Lowest first.
            if let Some(folder) = user_overlays() {
                settings.record_origin("catalog", &folder.display());
                settings.quotable.push(folder.clone());
                settings.overlays.push(folder);
            }
            let files = match args.config.clone().or_else(config_variable) {
                Some(file) => vec![file],
                None => user_file().into_iter().collect(),
            };
            let has_given_file = args.config.is_some() || config_variable().is_some();
            for file in files {
                // A file that is named may be a pipe: the user opened it.
                let read = if has_given_file {
                    read_text
                } else {
                    read_regular
                };
                let catalogs = settings
                    .lay_over_file(&file, FileKind::User, read)?
                    .catalogs;
                settings.overlays.extend(catalogs);
            }
            if !has_given_file {
                settings.lay_over_project()?;
            }
            settings.lay_over_environment()?;
        }
        settings.overlays.extend(args.catalog.iter().cloned());
        settings.quotable.extend(args.catalog.iter().cloned());
        match args.output {
            Some(Output::Format(format)) => settings.output = format,
            Some(Output::Choice(ChoiceFormat::Json)) => settings.output = OutputFormat::Json,
            Some(Output::Choice(_)) => settings.output = OutputFormat::Names,
            Some(Output::File(_)) | None => {}
        }
        settings.color = args.color.unwrap_or(settings.color);
        for (key, flag, is_given) in [
            ("catalog", "--catalog", !args.catalog.is_empty()),
            ("output", "--output", args.output.is_some()),
            ("color", "--color", args.color.is_some()),
            ("offline", "--offline", args.offline.unwrap_or_default()),
        ] {
            if is_given {
                settings.record_origin(key, &flag);
            }
        }
        Ok(settings)
    }

    /// The day that ages are counted from: today, or the one that the environment sets.
    pub fn today(&self) -> Date {
        self.today.unwrap_or_else(sky_accel_engine::age::today)
    }

    fn record_origin(&mut self, key: &'static str, from: &impl ToString) {
        self.origins.push((key, from.to_string()));
    }

    /// The providers that may be asked without a key: those of the config file, or all of them.
    pub fn public(&self, is_all: bool) -> Vec<String> {
        if is_all {
            providers_needing_consent()
                .into_iter()
                .map(str::to_owned)
                .collect()
        } else {
            self.public.clone()
        }
    }

    /// Where a setting came from; `None` is the default.
    pub fn origin(&self, key: &str) -> Option<&str> {
        let mut latest = self.origins.iter().rev();
        latest
            .find(|(setting, _)| *setting == key)
            .map(|(_, from)| &from[..])
    }

    /// The preferences of the project file, and its catalogs where the user trusts them.
    fn lay_over_project(&mut self) -> Result<(), Error> {
        let file = project_file();
        if !file.exists() && !file.is_symlink() {
            return Ok(());
        }
        if let Some(why) = project::fault(&file) {
            self.ignored_project = Some(format!("{} is ignored: {why}", file.display()));
            return Ok(());
        }
        let ReadFile { text, catalogs } =
            self.lay_over_file(&file, FileKind::Project, read_regular)?;
        if catalogs.is_empty() {
            return Ok(());
        }
        let catalogs = ProjectCatalogs::read(&file, text, catalogs)?;
        if catalogs.check().is_ok() {
            self.overlays.extend(catalogs.overlays.iter().cloned());
        }
        self.project_catalogs = Some(catalogs);
        Ok(())
    }

    /// Checks that the user trusts the catalogs of the project.
    ///
    /// # Errors
    ///
    /// As [`ProjectCatalogs::check`].
    pub fn check_catalogs(&self) -> Result<(), Error> {
        let catalogs = self.project_catalogs.as_ref();
        catalogs.map_or(Ok(()), ProjectCatalogs::check)
    }

    /// An error of catalogs, less what a file says that no error may quote: the user may have been
    /// made to name it.
    pub fn without_quotes(&self, mut error: Error) -> Error {
        for problem in &mut error.problems {
            let Some(place) = &mut problem.place else {
                continue;
            };
            let file = place.file.as_deref().unwrap_or_default();
            // `file:line:column`
            let file = file.rsplitn(3, ':').nth(2).unwrap_or_default();
            if self.may_quote(Path::new(file)) {
                continue;
            }
            place.text.clear();
            place.span = 0..0;
            "this is no valid catalog".clone_into(&mut problem.message);
            problem.hints.clear();
        }
        error
    }

    fn may_quote(&self, file: &Path) -> bool {
        let Ok(file) = file.canonicalize() else {
            return false;
        };
        let is_within = |folder: &PathBuf| {
            let folder = folder.canonicalize();
            folder.is_ok_and(|folder| file.starts_with(folder))
        };
        let is_catalog = file
            .extension()
            .is_some_and(|end| end == "toml" || end == "csv");
        is_catalog && self.quotable.iter().any(is_within)
    }

    /// Lays the preferences of a config file over the settings.
    fn lay_over_file(
        &mut self,
        file: &Path,
        kind: FileKind,
        read: fn(&Path) -> io::Result<String>,
    ) -> Result<ReadFile, Error> {
        let name = file.display().to_string();
        let text = read(file).map_err(|error| {
            Error::new(
                ErrorCode::ConfigUnreadable,
                format!("cannot read the config file {name}: {error}"),
            )
        })?;
        let config: ConfigFile = toml::from_str(&text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            Error::files(
                ErrorCode::ConfigInvalid,
                &[Diagnostic::new(&name, &text, span, error.message().trim())],
            )
        })?;
        let invalid = |key: &str, value: &Spanned<String>, known: String| {
            let message = format!("unknown {key} '{}': it is one of {known}", value.get_ref());
            Error::files(
                ErrorCode::ConfigInvalid,
                &[Diagnostic::new(&name, &text, value.span(), message)],
            )
        };
        if let Some(output) = &config.output {
            self.output = word(output.get_ref())
                .ok_or_else(|| invalid("output", output, words::<OutputFormat>()))?;
        }
        if let Some(color) = &config.color {
            self.color = word(color.get_ref())
                .ok_or_else(|| invalid("color", color, words::<ColorChoice>()))?;
        }
        if let Some(capacity_type) = &config.capacity_type {
            let capacity_type = word(capacity_type.get_ref())
                .ok_or_else(|| invalid("capacity_type", capacity_type, words::<CapacityArg>()))?;
            self.offers.capacity_type = Some(capacity_type);
        }
        if let Some(live) = config.live {
            self.lay_over_live(live, kind).map_err(|(span, message)| {
                let diagnostic = Diagnostic::new(&name, &text, span, message);
                Error::files(ErrorCode::ConfigInvalid, &[diagnostic])
            })?;
            self.record_origin("live.public", &name);
        }
        for (key, is_given) in [
            ("output", config.output.is_some()),
            ("color", config.color.is_some()),
            ("catalog", !config.catalog.is_empty()),
            ("provider", !config.provider.is_empty()),
            ("region", !config.region.is_empty()),
            ("capacity_type", config.capacity_type.is_some()),
            ("max_price", config.max_price.is_some()),
            ("limit", config.limit.is_some()),
        ] {
            if is_given {
                self.record_origin(key, &name);
            }
        }
        // A path in a config file is relative to the file.
        let folder = file.parent().unwrap_or(Path::new(""));
        self.quotable.push(Path::new(".").join(folder));
        let catalogs = config.catalog.iter();
        let catalogs = catalogs.map(|path| folder.join(path)).collect();
        let offers = &mut self.offers;
        if !config.provider.is_empty() {
            offers.provider = config.provider;
        }
        if !config.region.is_empty() {
            offers.region = config.region;
        }
        offers.max_price = config.max_price.or(offers.max_price);
        offers.limit = config.limit.map(NonZeroU32::get).or(offers.limit);
        Ok(ReadFile { text, catalogs })
    }

    /// The user's word on providers whose terms are unclear; the bytes that are wrong, and why.
    fn lay_over_live(
        &mut self,
        live: Spanned<LiveTable>,
        kind: FileKind,
    ) -> Result<(), (Range<usize>, String)> {
        if kind == FileKind::Project {
            let message = "`[live]` is allowed only in your own config file";
            return Err((live.span(), message.to_owned()));
        }
        let providers = live.into_inner().public;
        let ids = providers_needing_consent();
        let is_unknown = |id: &&Spanned<String>| !ids.contains(&id.get_ref().as_str());
        if let Some(unknown) = providers.iter().find(is_unknown) {
            let known = ids.join(", ");
            let message = format!("expected one of {known}: no other provider needs this");
            return Err((unknown.span(), message));
        }
        self.public = providers.into_iter().map(Spanned::into_inner).collect();
        Ok(())
    }

    fn lay_over_environment(&mut self) -> Result<(), Error> {
        let wrong = |name: &str, value: &str, right: &str| {
            Error::new(
                ErrorCode::Environment,
                format!("{name} is '{value}': it is {right}"),
            )
        };
        let invalid =
            |name: &str, value: &str, known: String| wrong(name, value, &format!("one of {known}"));
        if let Some(value) = variable(env_vars::WIDTH) {
            let columns = value
                .parse()
                .map_err(|_| wrong(env_vars::WIDTH, &value, "a number of columns"))?;
            self.width = Some(columns);
            self.record_origin("width", &env_vars::WIDTH);
        }
        if let Some(value) = variable(env_vars::TODAY) {
            let day = value
                .parse()
                .map_err(|_| wrong(env_vars::TODAY, &value, "a day such as 2026-07-20"))?;
            self.today = Some(day);
            self.record_origin("today", &env_vars::TODAY);
        }
        if let Some(value) = variable(env_vars::OUTPUT) {
            self.output = word(&value)
                .ok_or_else(|| invalid(env_vars::OUTPUT, &value, words::<OutputFormat>()))?;
            self.record_origin("output", &env_vars::OUTPUT);
        }
        if let Some(value) = variable(env_vars::COLOR) {
            self.color = word(&value)
                .ok_or_else(|| invalid(env_vars::COLOR, &value, words::<ColorChoice>()))?;
            self.record_origin("color", &env_vars::COLOR);
        }
        if let Some(list) = variable(env_vars::PROVIDER) {
            self.offers.provider = list.split(',').map(|item| item.trim().to_owned()).collect();
            self.record_origin("provider", &env_vars::PROVIDER);
        }
        if let Some(list) = variable(env_vars::REGION) {
            self.offers.region = list.split(',').map(|item| item.trim().to_owned()).collect();
            self.record_origin("region", &env_vars::REGION);
        }
        if let Some(paths) = env::var_os(env_vars::CATALOG) {
            self.record_origin("catalog", &env_vars::CATALOG);
            let paths = env::split_paths(&paths).filter(|path| !path.as_os_str().is_empty());
            let paths: Vec<PathBuf> = paths.collect();
            self.quotable.extend(paths.iter().cloned());
            self.overlays.extend(paths);
        }
        Ok(())
    }
}

/// A variable that is set. What is no UTF-8 in it is a wrong value like any other, which is told.
fn variable(name: &str) -> Option<String> {
    let value = env::var_os(name).filter(|value| !value.is_empty())?;
    Some(value.to_string_lossy().into_owned())
}

fn config_variable() -> Option<PathBuf> {
    let path = env::var_os(env_vars::CONFIG).filter(|path| !path.is_empty())?;
    Some(path.into())
}

fn word<T: ValueEnum>(text: &str) -> Option<T> {
    T::from_str(text, true).ok()
}

fn words<T: ValueEnum>() -> String {
    let values = T::value_variants()
        .iter()
        .filter_map(ValueEnum::to_possible_value);
    values
        .map(|value| value.get_name().to_owned())
        .collect::<Vec<_>>()
        .join(", ")
}

/// The user's folder: `$XDG_CONFIG_HOME/sky-accel`, or where the platform puts such things.
fn user_folder() -> Option<PathBuf> {
    etcetera::choose_base_strategy()
        .ok()
        .map(|base| base.config_dir().join(APP))
}

/// Where live answers are kept: `$XDG_CACHE_HOME/sky-accel`, or where the platform puts such things.
pub fn cache_folder() -> Option<PathBuf> {
    etcetera::choose_base_strategy()
        .ok()
        .map(|base| base.cache_dir().join(APP))
}

/// Where compiled overlays are kept.
pub fn compiled_folder() -> Option<PathBuf> {
    Some(cache_folder()?.join("catalogs"))
}

/// The project file, whether there is one or not.
pub fn project_file() -> PathBuf {
    PathBuf::from(format!("{APP}.toml"))
}

/// The user's config file, where there is one.
fn user_file() -> Option<PathBuf> {
    let file = user_folder()?.join("config.toml");
    file.is_file().then_some(file)
}

/// Where lists are kept that the user does not write: `$XDG_DATA_HOME/sky-accel`, or where the
/// platform puts such things.
fn data_folder() -> Option<PathBuf> {
    etcetera::choose_base_strategy()
        .ok()
        .map(|base| base.data_dir().join(APP))
}

/// Where the user's overlays are, or would be.
pub fn overlay_folder() -> Option<PathBuf> {
    Some(user_folder()?.join("catalog"))
}

fn user_overlays() -> Option<PathBuf> {
    let folder = overlay_folder()?;
    // A folder without catalog files is no overlay, and no mistake.
    has_files(&folder).then_some(folder)
}
