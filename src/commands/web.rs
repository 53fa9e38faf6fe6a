//! `web`: writes a page that answers command lines offline, in a browser, from the user's catalog.

use std::borrow::Cow;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use sky_accel_core::text::printable;
use sky_accel_engine::catalog::hand_over;
use sky_accel_engine::contract::Envelope;
use sky_accel_engine::{Error, ErrorCode};
use sky_accel_files::input::read_bytes;

use crate::cli::WebArgs;
use crate::context::{Context, Result};
use crate::exit_code::ExitCode;
use crate::files::OutputFile;
use crate::html;
use crate::render::{Block, Page, Report, print};
use crate::settings::compiled_folder;
use crate::shell::{self, PageData};

/// The module, compressed with gzip; empty if the program was built without one.
const MODULE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/module.wasm.gz"));
/// The script that starts the module.
const ENGINE: &str = include_str!("../../web/engine.js");
/// The maximum size of a module. Those of this version have less than 10 MB.
const MAX_MODULE: u64 = 100_000_000;
/// The first bytes of a module.
const MAGIC: &[u8] = b"\0asm";
/// The first bytes of a compressed file.
const GZIP: &[u8] = &[0x1f, 0x8b];

/// Normalized request; the page has the rest.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WebRequest {
    pub file: String,
}

/// Result: the written page.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WebOut {
    pub file: String,
    pub bytes: usize,
}

pub fn run(context: &mut Context<'_>, args: &WebArgs) -> Result<ExitCode> {
    let module = module(args.module.as_deref())?;
    let output = if args.out == Path::new("-") {
        None
    } else {
        let mut inputs = context.settings.inputs();
        if let Some(module) = &args.module {
            inputs.add(module);
        }
        Some(OutputFile::open(&args.out, &inputs)?)
    };
    let catalog = hand_over(&context.settings.overlays, compiled_folder().as_deref())
        .map_err(|error| context.settings.without_quotes(error))?;
    let html = shell::document(&PageData {
        module: &module,
        catalog: &packed(&catalog)?,
        engine: ENGINE,
        style: html::STYLE,
        components: html::SCRIPT,
    });
    let Some(output) = output else {
        context.ui.stdout().write_all(html.as_bytes())?;
        context.ui.flush()?;
        return Ok(ExitCode::Found);
    };
    output.write(html.as_bytes())?;
    if args.open {
        open(&args.out)?;
    }
    let file = printable(&args.out.display().to_string());
    let result = WebOut {
        file: file.clone(),
        bytes: html.len(),
    };
    let request = WebRequest { file: file.clone() };
    let catalog = context.engine.catalog();
    let report = Report {
        envelope: Envelope::new("sky-accel.web.v1", &catalog, request, vec![result]),
        csv: &["file", "bytes"],
        names: vec![file],
        page: Box::new(|rows: &[WebOut], _| Page {
            blocks: rows
                .iter()
                .map(|row| Block::Text(format!("{}: {} kB", row.file, row.bytes / 1000)))
                .collect(),
        }),
        footer: vec!["The page needs no server and no network: open it in a browser.".to_owned()]
            .into(),
        exit_code: ExitCode::Found,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

/// Returns the compressed module of a file, or of the program.
fn module(file: Option<&Path>) -> std::result::Result<Cow<'static, [u8]>, Error> {
    let Some(path) = file else {
        if MODULE.is_empty() {
            let message = "this program was built without the WebAssembly module of the page";
            return Err(Error::new(ErrorCode::Usage, message).advise(
                "in a clone of the repository, `cargo xtask web` builds it; then give --module target/web/module.wasm.gz",
            ));
        }
        return Ok(MODULE.into());
    };
    let wrong = |why: &str| {
        let message = format!("--module {}: {why}", path.display());
        Error::new(ErrorCode::BadValue, message)
    };
    let bytes = read_bytes(path, MAX_MODULE).map_err(|error| wrong(&error.to_string()))?;
    if bytes.starts_with(GZIP) {
        Ok(bytes.into())
    } else if bytes.starts_with(MAGIC) {
        let packed = packed(&bytes).map_err(|error| wrong(&error.to_string()))?;
        Ok(packed.into())
    } else {
        Err(wrong("it is not a WebAssembly module, compressed or not"))
    }
}

/// Compresses bytes with gzip.
fn packed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Opens a file with the program that the user has for it, without waiting for that program.
fn open(file: &Path) -> std::result::Result<(), Error> {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    // An absolute path cannot be taken for an option.
    let file = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let started = Command::new(program)
        .arg(&file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    started.map(drop).map_err(|error| {
        let message = format!("the page is written, but {program} cannot open it: {error}");
        Error::new(ErrorCode::Output, message)
    })
}
