//! `catalog update --from litellm` and `--from genai-prices`: prices of tokens, as one file of the overlay.

use sky_accel_core::text::counted;
use sky_accel_engine::asking::{Session, TokenFeed};
use sky_accel_engine::catalog::{TokenUpdate, Update, sentences};
use sky_accel_engine::contract::{
    DifferenceOut, Envelope, NoteOut, UpdateFrom, UpdateOut, UpdateRequest, UpdateStatus,
};
use sky_accel_engine::{Error, ErrorCode};

use super::super::live::with_progress;
use super::options::UpdateOptions;
use super::own_folder::{access, write_file};
use super::update_report::{CSV, SHOWN, page};
use crate::context::Result;
use crate::exit_code::ExitCode;
use crate::render::{Report, print};
use crate::settings::{Settings, overlay_folder};
use crate::ui::Ui;

/// Returns the lists of prices of tokens among the sources; `None` for other sources.
///
/// # Errors
///
/// Lists and other sources together.
pub(super) fn feeds(from: &[UpdateFrom]) -> std::result::Result<Option<Vec<TokenFeed>>, Error> {
    let feeds: Vec<TokenFeed> = from.iter().filter_map(|from| feed(*from)).collect();
    if feeds.is_empty() {
        return Ok(None);
    }
    if feeds.len() < from.len() {
        let others = from.iter().find(|from| feed(**from).is_none());
        let message = format!(
            "`from` {} has prices of tokens and {} has offers: update them one after another",
            feeds[0].name(),
            others.map_or("another source", |other| other.word())
        );
        return Err(Error::new(ErrorCode::Usage, message));
    }
    Ok(Some(feeds))
}

fn feed(from: UpdateFrom) -> Option<TokenFeed> {
    match from {
        UpdateFrom::Litellm => Some(TokenFeed::LiteLlm),
        UpdateFrom::GenaiPrices => Some(TokenFeed::GenaiPrices),
        UpdateFrom::Providers
        | UpdateFrom::Gpuhunt
        | UpdateFrom::Skypilot
        | UpdateFrom::Published => None,
    }
}

fn source(feed: TokenFeed) -> UpdateFrom {
    match feed {
        TokenFeed::LiteLlm => UpdateFrom::Litellm,
        TokenFeed::GenaiPrices => UpdateFrom::GenaiPrices,
    }
}

/// Reads the lists, writes the file, and prints the outcome.
pub(super) fn run(
    update: &Update,
    feeds: &[TokenFeed],
    (args, settings): (&UpdateOptions, &Settings),
    ui: &mut Ui,
) -> Result<ExitCode> {
    let session = Session::new().allowing_plain_http(settings.insecure);
    let day = settings.today().to_string();
    let mut lists = Vec::new();
    let mut failures: Vec<(TokenFeed, Error)> = Vec::new();
    for feed in feeds {
        let read = with_progress(ui, |progress| {
            session.token_prices(*feed, &day, args.timeout, progress)
        });
        match read.map_err(Error::from) {
            Ok(prices) => lists.push((*feed, prices)),
            Err(error) if feeds.len() == 1 => return Err(error.into()),
            Err(error) => failures.push((*feed, error)),
        }
    }
    if lists.is_empty()
        && let Some((_, error)) = failures.pop()
    {
        return Err(error.into());
    }
    let found = update
        .token_file(lists, settings.today())
        .map_err(|error| settings.without_quotes(error))?;
    let mut path = None;
    if let Some((file, text)) = found.file.as_ref().filter(|_| !args.dry_run) {
        write_file(file, text, access(args.into.is_none()))?;
        path = Some(super::paths::shown(file));
    }
    let mut lines: Vec<String> = sentences(&found.changes);
    let mut footer = footer(lines.len(), found.file.is_some(), args.dry_run);
    lines.truncate(SHOWN);
    let mut changes = found.changes.iter().map(DifferenceOut::from).collect();
    let notes: Vec<_> = found
        .updates
        .iter()
        .flat_map(|update| update.notes.clone())
        .collect();
    let mut results: Vec<UpdateOut> = found
        .updates
        .iter()
        .map(|update| row(update, path.as_ref(), std::mem::take(&mut changes)))
        .collect();
    results.extend(failures.iter().map(|(feed, error)| failed(*feed, error)));
    let exit_code = exit_code(&results);
    if !settings.output.is_document() {
        let of_notes = notes.iter().map(|note| note.message.clone());
        footer.extend(of_notes);
        let of_results = results.iter().flat_map(|row| &row.errors);
        footer.extend(of_results.map(|error| error.message.clone()));
    }
    let folder = args
        .into
        .clone()
        .or_else(overlay_folder)
        .unwrap_or_default();
    let catalog = update.catalog();
    let request = UpdateRequest {
        from: feeds.iter().map(|feed| source(*feed)).collect(),
        published: None,
        providers: Vec::new(),
        into: super::paths::shown(&folder),
        dry_run: args.dry_run,
    };
    let envelope = Envelope::new("sky-accel.catalog-update.v1", &catalog, request, results);
    let report = Report {
        envelope: envelope.with_notes(if settings.output.is_document() {
            notes
        } else {
            Vec::new()
        }),
        csv: CSV,
        names: Vec::new(),
        page: Box::new(move |results: &[UpdateOut], _| page(results, lines)),
        footer: footer.into(),
        exit_code,
    };
    Ok(print(ui, settings.output, report)?)
}

/// The outcome of a list that was read. The first list has all changes.
fn row(update: &TokenUpdate, path: Option<&String>, changes: Vec<DifferenceOut>) -> UpdateOut {
    let status = match update.failure {
        Some(_) => UpdateStatus::Failed,
        None => UpdateStatus::Updated,
    };
    let errors = update.failure.iter().map(|why| NoteOut {
        code: "provider.protocol".to_owned(),
        message: format!("{}: {why}", update.feed.name()),
        quoted: None,
        is_detail: false,
    });
    UpdateOut {
        provider: update.feed.name().to_owned(),
        from: source(update.feed),
        status,
        path: path.cloned().filter(|_| update.failure.is_none()),
        types: update.models,
        prices: update.prices,
        kept: update.kept,
        superseded: None,
        errors: errors.collect(),
        changes,
    }
}

/// The outcome of a list that was not read.
fn failed(feed: TokenFeed, error: &Error) -> UpdateOut {
    let errors = error.problems.iter().map(|problem| NoteOut {
        code: problem.code.as_str().to_owned(),
        message: problem.message.clone(),
        quoted: problem.quoted.clone(),
        is_detail: false,
    });
    UpdateOut {
        provider: feed.name().to_owned(),
        from: source(feed),
        status: UpdateStatus::Failed,
        path: None,
        types: 0,
        prices: 0,
        kept: 0,
        superseded: None,
        errors: errors.collect(),
        changes: Vec::new(),
    }
}

fn exit_code(results: &[UpdateOut]) -> ExitCode {
    let failed = results
        .iter()
        .filter(|row| row.status == UpdateStatus::Failed)
        .count();
    match failed {
        0 => ExitCode::Found,
        all if all == results.len() => ExitCode::Provider,
        _ => ExitCode::Partial,
    }
}

fn footer(changes: usize, has_file: bool, dry_run: bool) -> Vec<String> {
    let mut footer = Vec::new();
    if changes > SHOWN {
        footer.push(format!(
            "{}: `sky-accel catalog diff` lists them all",
            counted(changes - SHOWN, "more change")
        ));
    } else if changes == 0 && has_file {
        footer.push("only dates changed".to_owned());
    }
    if dry_run || !has_file {
        footer.push("nothing was written".to_owned());
    }
    footer
}
