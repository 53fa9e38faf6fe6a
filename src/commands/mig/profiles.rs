//! `mig profiles`: what a GPU can be cut into.

use serde::Serialize;
use sky_accel_core::catalog::Geometry;
use sky_accel_core::mig::Chip;
use sky_accel_core::mig::targets::{self, ProfileNames};

use super::super::{Context, Result, read_accelerators};
use super::disputed;
use crate::cli::MigProfilesArgs;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::output::{Envelope, ProfileOut, profile};
use crate::render::{Column, Page, Report, RowStyle, Table, print};

/// What was asked.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProfilesRequest {
    pub gpu: String,
}

/// A profile of a GPU.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProfileRow<'a> {
    /// The set of GPUs that it is of.
    pub gpu: &'a str,
    /// The first driver that can cut them.
    pub driver_min: Option<&'a str>,
    #[serde(flatten)]
    pub profile: ProfileOut<'a>,
    /// What other drivers call it.
    pub aliases: Vec<&'a str>,
    /// What other tools call it.
    pub names: ProfileNamesOut,
}

/// What other tools call a profile; `null` where one has no word for it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProfileNamesOut {
    /// The Kubernetes resource with the device plugin's strategy `mixed`.
    pub kubernetes_mixed: String,
    /// The one with the strategy `single`.
    pub kubernetes_single: &'static str,
    /// The GPU operator's configuration that cuts every GPU of a node like that.
    pub gpu_operator: String,
    /// The partition size of a GKE node pool.
    pub gke: Option<String>,
    /// The GPU instance profile of an AKS node pool.
    pub aks: Option<String>,
    /// The GPU and the partition of the Flyte SDK.
    pub flyte: Option<[String; 2]>,
}

impl From<ProfileNames<'_>> for ProfileNamesOut {
    fn from(names: ProfileNames<'_>) -> Self {
        Self {
            kubernetes_mixed: names.kubernetes,
            kubernetes_single: "nvidia.com/gpu",
            gpu_operator: names.gpu_operator,
            gke: names.gke.map(str::to_owned),
            aks: names.aks,
            flyte: names
                .flyte
                .map(|(gpu, partition)| [gpu.to_owned(), partition.to_owned()]),
        }
    }
}

const CSV: &[&str] = &[
    "gpu",
    "profile",
    "profile_id",
    "max_instances",
    "memory_mib",
    "compute_slices",
    "memory_slices",
    "size",
    "starts",
    "sm",
    "source",
];

pub fn run(context: &mut Context<'_>, args: &MigProfilesArgs) -> Result<ExitCode> {
    let catalog = context.catalog;
    let (ids, mut notes) = read_accelerators(&catalog, &args.gpu)?;
    let mut geometries: Vec<&Geometry> = Vec::new();
    for id in &ids {
        let geometry = catalog.geometry(catalog.accelerator(*id));
        geometries.extend(geometry.filter(|own| geometries.iter().all(|g| g.id != own.id)));
    }
    if geometries.is_empty() {
        let claims = ids
            .iter()
            .any(|id| catalog.accelerator(*id).mig == Some(true));
        let message = if claims {
            format!("the MIG profiles of {} are not published", args.gpu)
        } else {
            format!("{} has no MIG: it cannot be cut into slices", args.gpu)
        };
        return Err(CliError::usage("spec.no-mig", message).into());
    }
    let rows: Vec<ProfileRow<'_>> = geometries
        .iter()
        .flat_map(|geometry| {
            catalog.profiles(geometry).iter().map(|row| ProfileRow {
                gpu: catalog.str(geometry.title),
                driver_min: catalog
                    .text(row.driver_min)
                    .or_else(|| catalog.text(geometry.driver_min)),
                aliases: catalog.strings(row.aliases).collect(),
                profile: profile(&catalog, geometry, row),
                names: targets::names(&catalog, geometry, row).into(),
            })
        })
        .collect();
    notes.extend(
        geometries
            .iter()
            .filter_map(|own| disputed(&Chip::new(&catalog, own))),
    );
    let names = rows
        .iter()
        .map(|row| row.profile.profile.to_owned())
        .collect();
    let request = ProfilesRequest {
        gpu: args.gpu.clone(),
    };
    let footer = geometries
        .iter()
        .map(|geometry| {
            let driver = catalog.text(geometry.driver_min).unwrap_or("?");
            let later = catalog.profiles(geometry).iter().filter_map(|row| {
                let driver = catalog.text(row.driver_min)?;
                Some(format!("{} {driver}", catalog.str(row.name)))
            });
            let later: Vec<String> = later.collect();
            let later = match &later[..] {
                [] => String::new(),
                later => format!(" ({})", later.join(", ")),
            };
            format!(
                "{}: driver {driver} or newer{later}; {}",
                catalog.str(geometry.title),
                catalog.str(geometry.source)
            )
        })
        .collect();
    let report = Report {
        envelope: Envelope::new("sky-accel.mig-profiles.v1", &catalog, request, rows)
            .with_notes(notes),
        csv: CSV,
        names,
        page: Box::new(|rows, _| Page::table(table(rows))),
        footer,
        exit_code: ExitCode::Found,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

fn table(rows: &[ProfileRow<'_>]) -> Table {
    let mut table = Table::new([
        Column::left("GPU", 0),
        Column::left("PROFILE", 0),
        Column::right("ID", 1),
        Column::right("MAX", 0),
        Column::right("MEM MIB", 0),
        Column::right("SM", 2),
        Column::right("COMPUTE", 1),
        Column::right("SIZE", 0),
        Column::left("STARTS", 0),
        Column::left("ENGINES", 3),
    ]);
    let or_unknown = |figure: Option<String>| figure.unwrap_or_else(|| "?".to_owned());
    for row in rows {
        let own = &row.profile;
        let starts: Vec<String> = own.starts.iter().map(ToString::to_string).collect();
        table.row(
            RowStyle::Plain,
            [
                row.gpu.to_owned(),
                own.profile.to_owned(),
                or_unknown(own.profile_id.map(|id| id.to_string())),
                own.max_instances.to_string(),
                or_unknown(own.memory_mib.map(|mib| mib.to_string())),
                or_unknown(own.sm.map(|sm| sm.to_string())),
                own.compute_slices.to_string(),
                or_unknown(own.size.map(|size| size.to_string())),
                if starts.is_empty() {
                    "?".to_owned()
                } else {
                    starts.join(" ")
                },
                own.engines.as_ref().map_or_else(|| "?".to_owned(), engines),
            ],
        );
    }
    table
}

/// `1 copy, 2 decode`: what there is.
fn engines(engines: &crate::output::EnginesOut) -> String {
    let all = [
        ("copy", engines.copy),
        ("decode", engines.decode),
        ("encode", engines.encode),
        ("jpeg", engines.jpeg),
        ("ofa", engines.optical_flow),
    ];
    let there = all.into_iter().filter(|(_, n)| *n != Some(0));
    let words = there.map(|(name, n)| match n {
        Some(n) => format!("{n} {name}"),
        None => format!("? {name}"),
    });
    words.collect::<Vec<_>>().join(", ")
}
