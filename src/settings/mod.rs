//! Settings: the command line overrides `SKY_ACCEL_*` variables, which override config files, which
//! override defaults.

mod folders;
mod project;

use std::env;
use std::io;
use std::num::NonZeroU32;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::{ColorChoice, ValueEnum};
use jiff::civil::Date;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use sky_accel_catalog::Diagnostic;
use sky_accel_core::resolve::CapacityFilter;
use sky_accel_core::word::Word as _;
use sky_accel_engine::asking::providers_needing_consent;
use sky_accel_engine::catalog::overlay_files;
use sky_accel_engine::{Error, ErrorCode};
use sky_accel_files::input::{MAX_CONFIG, read_bounded, read_text};
use sky_accel_files::inputs::Inputs;
use sky_accel_files::private::{fault_of_folder, open_owned};
use toml::Spanned;

use crate::cli::{ChoiceFormat, Detail, GlobalArgs, Output, OutputFormat, is_capacity_type};
use crate::env_vars;

pub use folders::{cache_folder, compiled_folder, overlay_folder, project_file};
use folders::{user_file, user_overlays};
pub use project::{ProjectCatalogs, revoke};

/// Settings that apply to every command.
#[derive(Debug, Default)]
pub struct Settings {
    pub output: OutputFormat,
    pub color: ColorChoice,
    /// Whether names end with NUL instead of a line feed.
    pub null: bool,
    pub quiet: bool,
    pub verbose: bool,
    pub explain: bool,
    /// Whether the network is forbidden.
    pub offline: bool,
    /// Whether keys may be sent over unencrypted connections.
    pub insecure: bool,
    /// Overlay catalogs; later ones override earlier ones.
    pub overlays: Vec<PathBuf>,
    /// Table width in columns, if set.
    pub width: Option<usize>,
    /// Day from which ages are computed, if set.
    pub today: Option<Date>,
    /// Defaults of the offer options.
    pub offers: OfferDefaults,
    /// Providers that the user allows to be queried without a key although their terms are unclear.
    pub public: Vec<String>,
    /// Catalogs that the project file names.
    pub project_catalogs: Option<ProjectCatalogs>,
    /// Config files that were read.
    config_files: Vec<PathBuf>,
    /// Reason why the project file is ignored.
    pub ignored_project: Option<String>,
    /// Folders whose files may be quoted in errors: folders of config files, and overlays that the
    /// command line or the environment names. Quoting others could disclose files that the user did not name.
    quotable: Vec<PathBuf>,
    /// Origin of each setting that is not a default; the last entry of a name wins.
    origins: Vec<(&'static str, String)>,
}

/// Defaults of offer options from config files or the environment.
#[derive(Clone, Debug, Default)]
pub struct OfferDefaults {
    pub provider: Vec<String>,
    pub region: Vec<String>,
    pub capacity_type: Option<CapacityFilter>,
    pub max_price: Option<f64>,
    pub limit: Option<u32>,
}

/// Owner of a config file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileKind {
    User,
    /// A file in the working directory, which anyone may have put there.
    Project,
}

/// Parts of a config file that are not preferences.
struct ReadFile {
    text: String,
    /// Catalogs that the file names.
    catalogs: Vec<PathBuf>,
}

/// Syntax of a config file.
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

/// Syntax of the `[live]` table.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct LiveTable {
    #[serde(default)]
    public: Vec<Spanned<String>>,
}

fn names<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    read_as(
        from,
        "expected a list of strings, as in [\"first\", \"second\"]",
    )
}

fn dollars<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    read_as(from, "expected a price in USD per hour, such as 2.5")
}

fn count<'de, D: Deserializer<'de>>(from: D) -> Result<Option<NonZeroU32>, D::Error> {
    read_as(from, "expected a whole number of results, from 1")
}

/// Deserializes a value; the error describes the expected value instead of a Rust type.
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
            // Lowest precedence first.
            if let Some(folder) = user_overlays() {
                project::check_owner(&folder)?;
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
                // A file that the user names may be a pipe, such as `<(command)`.
                let read = if has_given_file { given } else { own };
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

    /// Returns the extent of the facts beside the results. Readers of a page cannot ask again with `--verbose`.
    pub fn detail(&self) -> Detail {
        if self.output.is_html() {
            Detail::Page
        } else if self.verbose {
            Detail::Full
        } else {
            Detail::Brief
        }
    }

    /// Returns the files that every command reads: config files, catalogs and standard input. No output replaces them.
    pub fn inputs(&self) -> Inputs {
        let mut inputs = Inputs::default();
        inputs.add_stdin();
        for file in &self.config_files {
            inputs.add(file);
        }
        add_catalogs(&mut inputs, &self.overlays);
        inputs
    }

    /// Returns the day from which ages are computed: today, unless the environment sets it.
    pub fn today(&self) -> Date {
        self.today.unwrap_or_else(sky_accel_engine::age::today)
    }

    fn record_origin(&mut self, key: &'static str, from: &impl ToString) {
        self.origins.push((key, from.to_string()));
    }

    /// Returns the providers that may be queried without a key although their terms are unclear: all of
    /// them, or the ones in the config file.
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

    /// Returns the origin of a setting; `None` for a default.
    pub fn origin(&self, key: &str) -> Option<&str> {
        let mut latest = self.origins.iter().rev();
        latest
            .find(|(setting, _)| *setting == key)
            .map(|(_, from)| &from[..])
    }

    /// Applies the preferences of the project file, and its catalogs if the user trusts them.
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
            self.lay_over_file(&file, FileKind::Project, project::read)?;
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
    /// Same as [`ProjectCatalogs::check`].
    pub fn check_catalogs(&self) -> Result<(), Error> {
        let catalogs = self.project_catalogs.as_ref();
        catalogs.map_or(Ok(()), ProjectCatalogs::check)
    }

    /// Redacts a catalog error that would quote a file outside [`Self::quotable`]: a project may have
    /// tricked the user into naming a private file.
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
            "not a valid catalog".clone_into(&mut problem.message);
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

    /// Applies the preferences of a config file.
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
        self.config_files.push(file.to_owned());
        let config: ConfigFile = toml::from_str(&text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            Error::files(
                ErrorCode::ConfigInvalid,
                &[Diagnostic::new(&name, &text, span, error.message().trim())],
            )
        })?;
        let invalid = |key: &str, value: &Spanned<String>, known: String| {
            let message = format!(
                "unknown {key} '{}': expected one of {known}",
                value.get_ref()
            );
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
            let accepted = CapacityFilter::ALL
                .iter()
                .filter(|(_, filter)| is_capacity_type(*filter));
            let word = capacity_type.get_ref().to_ascii_lowercase();
            let capacity_type = CapacityFilter::from_word(&word)
                .filter(|filter| is_capacity_type(*filter))
                .ok_or_else(|| {
                    let words: Vec<&str> = accepted.map(|(word, _)| *word).collect();
                    invalid("capacity_type", capacity_type, words.join(", "))
                })?;
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

    /// Applies the `[live]` table. The error has the faulty bytes and the reason.
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
                format!("{name} is '{value}': expected {right}"),
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

/// Adds the files of overlay catalogs to inputs.
pub fn add_catalogs(inputs: &mut Inputs, overlays: &[PathBuf]) {
    // A catalog that cannot be read is the error of its reader.
    let files = overlays.iter().flat_map(|path| overlay_files(path));
    for file in files.flatten() {
        inputs.add(&file);
    }
}

/// Returns a variable that is set and not empty. Invalid UTF-8 becomes replacement characters, so that it
/// is reported as a wrong value.
fn variable(name: &str) -> Option<String> {
    let value = env::var_os(name).filter(|value| !value.is_empty())?;
    Some(value.to_string_lossy().into_owned())
}

/// Reads a config file that the user names, which may be a pipe.
fn given(file: &Path) -> io::Result<String> {
    read_text(file, MAX_CONFIG)
}

/// Reads the user's own config file, which no other user may have written.
fn own(file: &Path) -> io::Result<String> {
    let text = read_bounded(open_owned(file, true)?, MAX_CONFIG)?;
    match file.parent().and_then(fault_of_folder) {
        None => Ok(text),
        Some(why) => Err(io::Error::other(format!("{why} (its folder)"))),
    }
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
        .filter_map(ValueEnum::to_possible_value)
        .filter(|value| !value.is_hide_set());
    values
        .map(|value| value.get_name().to_owned())
        .collect::<Vec<_>>()
        .join(", ")
}
