//! `is`: whether an accelerator is of a kind. The exit code is the answer.

use serde::Serialize;
use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::suggest;
use sky_accel_core::text::same_name;

use super::{Context, Result, read_accelerators};
use crate::cli::IsArgs;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::output::Envelope;
use crate::render::{Block, Page, Report, print};

/// The question as it was understood.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IsRequest {
    pub kind: String,
    pub name: String,
}

/// The answer.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IsOut {
    pub kind: String,
    pub name: String,
    /// All that the name may mean.
    pub accelerators: Vec<String>,
    /// Whether every one of them is of the kind.
    pub is: bool,
}

/// Kinds that are no word of the catalog.
const GPU: &str = "gpu";
const MIG: &str = "mig";

pub fn run(context: &mut Context<'_>, args: &IsArgs) -> Result<ExitCode> {
    let catalog = context.catalog;
    if !catalog
        .accelerator_ids()
        .any(|id| is_of_kind(&catalog, id, &args.kind))
    {
        let words = catalog.accelerators.iter().flat_map(|row| {
            [row.vendor, row.line, row.class, row.architecture, row.sdk]
                .map(|word| catalog.str(word))
        });
        let near = suggest::closest(
            &args.kind,
            words.filter(|word| !word.is_empty()).chain([GPU, MIG]),
        );
        let error = CliError::usage(
            "usage.unknown-kind",
            format!("nothing is of the kind '{}'", args.kind),
        );
        return Err(error
            .hint(near.iter().map(|word| word.to_lowercase()))
            .into());
    }
    let (ids, notes) = read_accelerators(&catalog, &args.name)?;
    let is = ids.iter().all(|id| is_of_kind(&catalog, *id, &args.kind));
    let result = IsOut {
        kind: args.kind.clone(),
        name: args.name.clone(),
        accelerators: ids
            .iter()
            .map(|id| catalog.accelerator_id(*id).to_owned())
            .collect(),
        is,
    };
    let names = if is {
        result.accelerators.clone()
    } else {
        Vec::new()
    };
    let request = IsRequest {
        kind: args.kind.clone(),
        name: args.name.clone(),
    };
    let report = Report {
        envelope: Envelope::new("sky-accel.is.v1", &catalog, request, vec![result])
            .with_notes(notes),
        csv: &["kind", "name", "accelerators", "is"],
        names,
        page: Box::new(move |_, _| Page {
            blocks: vec![Block::Text(if is { "yes" } else { "no" }.to_owned())],
        }),
        footer: Vec::new(),
        exit_code: if is {
            ExitCode::Found
        } else {
            ExitCode::NothingMatches
        },
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

fn is_of_kind(catalog: &Catalog<'_>, id: AcceleratorId, kind: &str) -> bool {
    let row = catalog.accelerator(id);
    let class = catalog.str(row.class);
    match kind.to_ascii_lowercase().as_str() {
        GPU => return !matches!(class, "asic" | "media"),
        MIG => return row.mig == Some(true),
        _ => {}
    }
    let architecture = catalog.str(row.architecture);
    let words = [
        catalog.str(row.line),
        class,
        architecture,
        catalog.str(row.sdk),
        catalog.str(row.family),
    ];
    catalog
        .vendor(kind)
        .is_some_and(|vendor| catalog.str(vendor.name) == catalog.str(row.vendor))
        || words
            .iter()
            .any(|word| !word.is_empty() && same_name(word, kind))
        || architecture
            .split(' ')
            .next()
            .is_some_and(|first| !first.is_empty() && same_name(first, kind))
}
