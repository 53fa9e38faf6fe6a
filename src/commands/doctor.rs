//! `live doctor`: which credentials are found, and what they lack.

use sky_accel_core::text::list_and;
use sky_accel_engine::contract::{CredentialState, CredentialsOut};
use sky_accel_engine::{DoctorRequest, OfferFilter};

use super::live::with_progress;
use crate::cli::DoctorArgs;
use crate::context::{Context, Result};
use crate::exit_code::ExitCode;
use crate::render::{Block, Column, Page, Report, RowStyle, Table, print};

/// CSV columns of credentials.
const CREDENTIALS_CSV: &[&str] = &[
    "provider",
    "state",
    "sources",
    "faults",
    "warnings",
    "overrides",
    "variables",
    "files",
    "rights",
    "without_key",
    "terms",
    "only_with_key",
    "check.outcome",
    "check.errors",
];

pub fn run(context: &mut Context<'_>, args: &DoctorArgs) -> Result<ExitCode> {
    let given = OfferFilter {
        providers: args.provider.clone(),
        ..OfferFilter::default()
    };
    let defaults = OfferFilter::from(&context.settings.offers);
    let request = DoctorRequest {
        offers: OfferFilter {
            providers: given.or(&defaults).providers,
            ..OfferFilter::default()
        },
        check: args.check.then_some(args.timeout),
    };
    let (engine, session) = (context.engine, context.session);
    let answer = with_progress(context.ui, |progress| {
        engine.doctor(session, &request, progress)
    })?;
    let ready = answer.envelope.results.iter();
    let ready = ready.filter(|row| can_be_queried(row.state));
    let footer = if args.check {
        Vec::new()
    } else {
        vec!["no request was sent: --check asks whether credentials are accepted".to_owned()]
    };
    let report = Report {
        exit_code: answer.fault.map_or(ExitCode::Found, ExitCode::from),
        csv: CREDENTIALS_CSV,
        names: ready.map(|row| row.provider.to_owned()).collect(),
        footer: footer.into(),
        envelope: answer.envelope,
        page: Box::new(page),
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

/// Whether queries of a provider have the credentials that they need.
fn can_be_queried(state: CredentialState) -> bool {
    matches!(state, CredentialState::Ready | CredentialState::NotNeeded)
}

fn page(rows: &[CredentialsOut], wide: bool) -> Page {
    let mut table = Table::new([
        Column::left("PROVIDER", 0),
        Column::left("KEY", 0),
        Column::left("CHECK", 0),
        Column::left("FROM", 1),
        Column::left("WITHOUT A KEY", 2),
        Column::left("ONLY WITH A KEY", 3),
        Column::left("RIGHTS", 2),
    ]);
    for row in rows {
        let check = row.check.as_ref();
        let without = match (row.without_key, row.terms) {
            (None, _) => "nothing".to_owned(),
            (Some(data), Some(_)) => format!("with --public: {data}"),
            (Some(data), None) => data.to_owned(),
        };
        let cells = [
            row.provider.to_owned(),
            row.state.word().to_owned(),
            check.map_or("", |check| check.outcome.word()).to_owned(),
            sources(row),
            without,
            row.only_with_key.unwrap_or_default().to_owned(),
            row.rights.unwrap_or_default().to_owned(),
        ];
        table.row(RowStyle::Plain, cells);
    }
    let mut blocks = vec![Block::Table(table)];
    let remarks: Vec<(String, String)> = rows.iter().flat_map(remarks).collect();
    if !remarks.is_empty() {
        blocks.push(Block::Heading("Remarks".to_owned()));
        blocks.push(Block::Items(remarks));
    }
    let missing = rows
        .iter()
        .filter(|row| row.state == CredentialState::Missing);
    let missing: Vec<(String, String)> = missing
        .map(|row| (row.provider.to_owned(), how_to(row, wide)))
        .collect();
    if !missing.is_empty() {
        blocks.push(Block::Heading("To add a key".to_owned()));
        blocks.push(Block::Items(missing));
    }
    Page { blocks }
}

/// The places of the credentials.
fn sources(row: &CredentialsOut) -> String {
    let names: Vec<&str> = row.sources.iter().map(|source| source.name).collect();
    list_and(&names)
}

fn remarks(row: &CredentialsOut) -> Vec<(String, String)> {
    let errors = row
        .check
        .iter()
        .flat_map(|check| check.errors.iter().cloned());
    let overrides = row.overrides.iter();
    let overrides = overrides.map(|name| format!("{name} replaces its servers"));
    let texts = row.faults.iter().chain(&row.warnings).cloned();
    let texts = texts.chain(overrides).chain(errors);
    texts.map(|text| (row.provider.to_owned(), text)).collect()
}

/// How to add the credentials of a provider; on a wide page with the place where it issues them.
fn how_to(row: &CredentialsOut, wide: bool) -> String {
    let variables = list_and(&row.variables);
    match (row.hint.filter(|_| wide), row.files.first()) {
        (None, _) => format!("set {variables}"),
        (Some(hint), Some(file)) => format!("set {variables}, or write {file}: {hint}"),
        (Some(hint), None) => format!("set {variables}: {hint}"),
    }
}
