//! `plan`: ranks machines to try, and writes files for a plan target.

mod diff;
mod handover;
mod page;
mod stream;

use std::path::Path;

use sky_accel_engine::asking::{DEFAULT_DISK_GB, LiveRequest};
use sky_accel_engine::catalog::digest;
use sky_accel_engine::contract::{CandidateOut, PriceOut};
use sky_accel_engine::{
    Engine, Error, ErrorCode, Money, PlanAnswer, PlanInput, PlanLock, PlanRequest,
};
use sky_accel_files::input::{MAX_TEXT, read_text};

use self::handover::hand_over;
use self::page::{BILLED_CSV, CSV, advice, money, nothing, rejection, rejections, table};
use super::{input, live};
use crate::cli::{OutputFormat, PlanArgs, PlanCommand};
use crate::context::{Context, Result, found};
use crate::exit_code::ExitCode;
use crate::files::{Folder, OutputFile};
use crate::flags::translate_render;
use crate::present::ages::{ages, footer, nearest_prices};
use crate::present::bill::{self, BilledMachine};
use crate::present::nearest::nearest_lines;
use crate::present::offers::{doubt_note, qualified};
use crate::present::{commitments, prices, stock};
use crate::render::{Footer, Page, Report, StreamedRows, overlays, print};
use crate::requests;
use crate::settings::Settings;
use crate::ui::Ui;

pub fn run(context: &mut Context<'_>, args: &PlanArgs) -> Result<ExitCode> {
    if let Some(PlanCommand::Diff(args)) = &args.command {
        return diff::run(context, args);
    }
    let request = requests::plan(args, context.settings);
    check_format(context.settings.output, &request)?;
    if args.spec.as_deref() == Some("-") && StreamedRows::are_of(context.settings.output) {
        // Input that begins with a brace is an answer of another command, and yields one plan.
        let start = input::start_of_stdin(context.ui)?;
        if !start.is_object {
            return stream::run(context, args, request, start);
        }
    }
    // Report unreadable or unwritable files before querying providers.
    let files = PlanFiles::open(args, context.settings)?;
    let mut input = read(context.ui, args.spec.as_deref().unwrap_or("-"))?;
    let others = std::mem::take(&mut input.others);
    let inputs = || std::iter::once(&input).chain(&others);
    let requests = inputs().map(|input| request.clone().with_input(input.clone(), args.nodes));
    let mut requests: Vec<PlanRequest> = requests.collect();
    let request = &requests[0];
    let specs = requests.iter().map(|request| request.spec.clone());
    let specs = context.engine.bind(&specs.collect::<Vec<_>>())?;
    let live = if args.live.live {
        let disk_gb = args.disk.unwrap_or(DEFAULT_DISK_GB);
        let catalog = context.engine.catalog();
        let options = LiveRequest {
            machines: request.nodes,
            // Locks and files of targets are shared.
            confidential: context.ui.is_terminal() && args.hand_over.is_terminal_only(),
            required: request.offers.providers_by_name(&catalog),
            ..requests::live(
                &args.live,
                args.offers.max_age,
                context.settings,
                !args.exact,
                disk_gb,
            )
        };
        let offers = request.live_offers(&catalog);
        Some(live::ask(context, &specs, &offers, &options)?)
    } else {
        None
    };
    let engine = context.engine.with(live.as_ref());
    for (request, choices) in requests.iter_mut().zip(specs) {
        request.spec = choices.into();
    }
    let (at, mut answer) = engine.plan_first(&requests[0], &requests[1..])?;
    let input = inputs()
        .nth(at)
        .filter(|_| !answer.envelope.results.is_empty());
    let note = input.and_then(|input| input.note.clone());
    answer.envelope = answer.envelope.with_notes(note);
    let written = files.keep(context, &answer)?;
    show(context, &engine, answer, &written)
}

/// Rejects formats that cannot contain the files of a target.
fn check_format(output: OutputFormat, request: &PlanRequest) -> std::result::Result<(), Error> {
    match (request.target, output) {
        (
            Some(target),
            OutputFormat::Csv
            | OutputFormat::Names
            | OutputFormat::Jsonl
            | OutputFormat::Html
            | OutputFormat::Fragment,
        ) => {
            let message = format!(
                "--to {} prints a document; use -o json or -o yaml to get it in `render`",
                target.name()
            );
            Err(Error::new(ErrorCode::Format, message))
        }
        _ => Ok(()),
    }
}

/// Reads the specs to plan for; `-` is standard input.
fn read(ui: &mut Ui, argument: &str) -> std::result::Result<PlanInput, Error> {
    if argument != "-" {
        return Ok(PlanInput {
            spec: argument.to_owned(),
            ..PlanInput::default()
        });
    }
    PlanInput::parse(&input::text_of_stdin(ui)?)
}

/// The output folder and the lock file of a plan.
struct PlanFiles<'a> {
    folder: Option<Folder>,
    lock: Option<Lock<'a>>,
}

enum Lock<'a> {
    /// The lock to compare the plan with.
    Held(PlanLock),
    /// The file of the new lock.
    New(OutputFile<'a>),
}

impl<'a> PlanFiles<'a> {
    fn open(args: &'a PlanArgs, settings: &Settings) -> std::result::Result<Self, Error> {
        let hand_over = &args.hand_over;
        if hand_over.out.is_none() && hand_over.lock.is_none() {
            return Ok(Self {
                folder: None,
                lock: None,
            });
        }
        let mut inputs = settings.inputs();
        let lock = match (&hand_over.lock, hand_over.locked) {
            (Some(path), true) => {
                inputs.add(path);
                Some(Lock::Held(read_lock(path)?))
            }
            (Some(path), false) => Some(Lock::New(OutputFile::open(path, &inputs)?)),
            (None, _) => None,
        };
        let folder = hand_over.out.as_deref();
        let folder = folder
            .map(|folder| Folder::open(folder, inputs))
            .transpose()?;
        Ok(Self { folder, lock })
    }

    /// Compares the plan with its lock or writes the lock, and writes the files of the target. Returns
    /// their paths.
    fn keep(
        &self,
        context: &Context<'_>,
        answer: &PlanAnswer<'_>,
    ) -> std::result::Result<Vec<String>, Error> {
        if answer.envelope.results.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(lock) = &self.lock {
            let sha256 = digest(&context.settings.overlays)?;
            match lock {
                Lock::Held(lock) => lock.hold(answer, &sha256)?,
                Lock::New(file) => file.write(answer.lock(&sha256).as_bytes())?,
            }
        }
        match (&self.folder, &answer.rendered) {
            (Some(folder), Some((_, rendered))) => folder.write(&rendered.files),
            _ => Ok(Vec::new()),
        }
    }
}

fn read_lock(path: &Path) -> std::result::Result<PlanLock, Error> {
    let name = path.display().to_string();
    let text = read_text(path, MAX_TEXT).map_err(|error| {
        let message = format!("cannot read the lock file {name}: {error}");
        Error::new(ErrorCode::LockUnreadable, message)
    })?;
    PlanLock::parse(&name, &text)
}

/// Prints a plan: the candidates, or the target's document.
fn show(
    context: &mut Context<'_>,
    engine: &Engine<'_>,
    mut answer: PlanAnswer<'_>,
    written: &[String],
) -> Result<ExitCode> {
    let format = context.settings.output;
    if let Some(render) = &mut answer.envelope.more.render {
        translate_render(render);
    }
    let mut exit_code = found(!answer.envelope.results.is_empty());
    if let Some(error) = &answer.too_old {
        exit_code = live::tell(context, error)?;
    } else if exit_code == ExitCode::NothingMatches && !format.is_document() {
        for line in nothing(engine, &answer)? {
            context.ui.stderr_line(&line)?;
        }
        if let Some(advice) = advice(engine, &answer) {
            context.ui.advice(&advice)?;
        }
    }
    if let Some(partial) = live::tell_failures(context, engine)? {
        exit_code = partial;
    }
    let is_found = !answer.envelope.results.is_empty();
    if is_found && context.settings.explain && !format.is_document() {
        for rejected in &answer.envelope.more.rejected {
            context.ui.stderr_line(&rejection(rejected))?;
        }
    }
    if let Some((target, rendered)) = answer.rendered.as_ref().filter(|_| format.is_page()) {
        hand_over(context, *target, rendered, written)?;
        context.ui.notes(&answer.envelope.notes)?;
        if let Some(line) = overlays(&answer.envelope.catalog) {
            context.ui.footer(&line)?;
        }
        if let Some(more) = answer.envelope.left_off {
            let message = format!("{more} more candidates: raise --limit");
            context.ui.footer(&message)?;
        }
        return Ok(exit_code);
    }
    let money = money(engine, &answer)?;
    let footer = if is_found {
        plan_footer(context, engine, &answer, &money)
    } else {
        Footer::default()
    };
    let mut ids: Vec<(&str, &str)> = Vec::new();
    for candidate in &answer.envelope.results {
        let id = (candidate.provider, candidate.instance_type);
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    let request = &answer.envelope.request;
    let scope = (request.nodes, request.hours);
    let catalog = engine.catalog();
    let is_billed = answer.envelope.results.iter().any(|row| row.bill.is_some());
    let report = Report {
        names: qualified(&ids),
        envelope: answer.envelope,
        csv: if is_billed { &BILLED_CSV } else { CSV },
        page: Box::new(move |results: &[CandidateOut<'_>], wide| {
            if results.is_empty() {
                Page::default()
            } else {
                let candidates = table(results, scope, &money, &catalog, wide);
                let mut page = Page::table(if wide {
                    candidates.with_link_column()
                } else {
                    candidates
                });
                let bills = bill::blocks(&billed(results), &money, wide);
                page.blocks.extend(bills);
                page
            }
        }),
        footer,
        exit_code,
    };
    Ok(print(context.ui, format, report)?)
}

/// The candidates that have a whole bill.
fn billed<'o, 'a>(results: &'o [CandidateOut<'a>]) -> Vec<BilledMachine<'o, 'a>> {
    let billed = results.iter().filter_map(|row| {
        Some(BilledMachine {
            rank: row.rank as usize,
            provider: row.provider,
            instance_type: row.instance_type,
            region: row.region,
            bill: row.bill.as_deref()?,
        })
    });
    billed.collect()
}

/// Alternatives if no price is known, the source and the age of prices, and rejected offers.
fn plan_footer(
    context: &Context<'_>,
    engine: &Engine<'_>,
    answer: &PlanAnswer<'_>,
    money: &Money<'_>,
) -> Footer {
    let envelope = &answer.envelope;
    let capacity_filter = envelope.request.capacity_type.filter();
    let prices: Vec<(&str, &PriceOut<'_>)> = envelope
        .results
        .iter()
        .filter_map(|candidate| Some((candidate.provider, candidate.price.as_ref()?)))
        .collect();
    let mut lines = Vec::new();
    if !envelope.nearest.is_empty() {
        let heading = format!("no price is known for {}; nearest:", envelope.request.spec);
        lines.extend(nearest_lines(
            &heading,
            &envelope.nearest,
            capacity_filter,
            money,
        ));
        lines.extend(ages(
            engine,
            &nearest_prices(&envelope.nearest, capacity_filter),
        ));
    }
    let committed = envelope.results.iter();
    let committed = committed.map(|row| (row.provider, &row.commitments[..]));
    lines.extend(commitments::summary_lines(committed));
    let mut footer = footer(engine, &prices, context.settings.detail());
    let answers = envelope.results.iter();
    let answers = answers.flat_map(|candidate| &candidate.obtainability);
    footer.parts.extend(stock::as_of(answers));
    footer
        .marks
        .extend(doubt_note(page::doubts(&envelope.results)));
    let prices = prices.iter().map(|(_, price)| *price);
    footer.marks.extend(prices::estimate_note(prices));
    let total = prices::total_note(envelope.request.hours, capacity_filter);
    footer.parts.splice(0..0, total);
    footer.parts.extend(money.rate());
    let bills = envelope.results.iter();
    footer
        .parts
        .extend(bill::more_note(bills.filter_map(|row| row.bill.as_deref())));
    footer.hints.extend(rejections(
        &envelope.more.rejected,
        context.settings.explain,
        context.settings.detail().is_full(),
    ));
    footer.lines = lines;
    footer
}
