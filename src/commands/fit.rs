//! `fit`: whether a model fits on some hardware, term by term.

use std::io::BufRead;

use anstyle::{AnsiColor, Style};
use serde_json::{Map, Value};
use sky_accel_core::bind::Wanted;
use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::mig::{Chip, Demand};
use sky_accel_core::note::Note;
use sky_accel_core::sizing::Indivisible;
use sky_accel_core::text::number;

use super::{Context, Result, detect, read_spec};
use crate::cli::{FitArgs, OutputFormat, RunArgs};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::live::HubReader;
use crate::output::{Envelope, Num};
use crate::render::{Block, Column, Line, Page, Report, RowStyle, Table, print, write_json_line};
#[cfg(feature = "schema")]
pub use crate::sizing::FitOut as ModelFitOut;
use crate::sizing::RequestOut;
use crate::sizing::{self, Asked, FitOut, MemoryOut, Part};
use crate::ui::DIM;

/// The longest line of standard input that is read.
const MAX_LINE: u64 = 1 << 20;
/// Columns of the bar.
const BAR: usize = 56;

const CSV: &[&str] = &[
    "spec",
    "accelerator",
    "count",
    "fits",
    "per_device_gib.weights",
    "per_device_gib.kv_cache",
    "per_device_gib.activations",
    "per_device_gib.logits",
    "per_device_gib.gradients",
    "per_device_gib.optimizer",
    "per_device_gib.adapters",
    "per_device_gib.framework",
    "per_device_gib.steady",
    "per_device_gib.allocated",
    "per_device_gib.reserved",
    "per_device_gib.device",
    "per_device_gib.low",
    "per_device_gib.high",
    "per_device_gib.usable",
    "throughput.prefill_tokens_per_s",
    "throughput.decode_tokens_per_s",
    "throughput.train_tokens_per_s_per_device",
];

pub fn run(context: &mut Context<'_>, args: &FitArgs) -> Result<ExitCode> {
    if args.spec.as_deref() == Some("-") {
        return batch(context, args);
    }
    let catalog = context.catalog;
    let told = match &args.spec {
        Some(_) => Vec::new(),
        None => detect::ask(args.from.as_deref())?,
    };
    if args.spec.is_some() && args.from.is_some() {
        let message = "--from is a machine, and goes with --on-this-machine in the place of a spec";
        return Err(CliError::usage("usage.bad-value", message).into());
    }
    let here = match &args.spec {
        Some(_) => None,
        None => Some(this_machine(&catalog, &told)?),
    };
    let spec = here.as_ref().map(|(spec, _)| spec).or(args.spec.as_ref());
    let spec = spec.cloned().unwrap_or_default();
    let offline = context.settings.offline;
    let hub = args.live.then(|| HubReader::new(context.ui, offline));
    let mut answer = answer(&catalog, &spec, &args.run, hub.as_ref())?;
    for problem in told.iter().flat_map(|own| &own.problems) {
        answer
            .notes
            .push(Note::new("source-failed", problem.clone()));
    }
    for group in detect::groups(&catalog, &told) {
        answer.notes.extend(detect::remarks(&catalog, &group));
    }
    drop(hub);
    if let Some((_, Some(free))) = here {
        answer.notes.extend(in_use(&answer.results, free));
    }
    let request = answer.asked.echo(&args.run, Some(&spec));
    let exit_code = answer.exit_code();
    let leads = answer.results.iter().find(|own| own.fits == Some(false));
    let leads = leads
        .filter(|_| exit_code != ExitCode::Found)
        .map(|own| out_of_memory(own, &args.run));
    let names = answer.results.iter().filter(|own| own.fits == Some(true));
    let names = names.filter_map(|own| own.spec.clone()).collect();
    let report = Report {
        names,
        envelope: Envelope::new("sky-accel.fit.v1", &catalog, request, answer.results)
            .with_notes(answer.notes),
        csv: CSV,
        page: Box::new(|results, _| page(results)),
        footer: leads
            .into_iter()
            .chain([accuracy(&catalog, answer.asked.run.workload)])
            .collect(),
        exit_code,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

/// The one kind of accelerator that this machine has, and the memory that is free on each in GiB.
fn this_machine(
    catalog: &Catalog<'_>,
    told: &[sky_accel_detect::Report],
) -> std::result::Result<(String, Option<f64>), CliError> {
    let groups = detect::groups(catalog, told);
    let usable: Vec<&detect::Group<'_>> = groups.iter().filter(|own| own.is_usable()).collect();
    let specs: Vec<String> = usable.iter().filter_map(|own| own.spec(catalog)).collect();
    match (&specs[..], &usable[..]) {
        ([spec], [group]) => Ok((spec.clone(), group.free_mib().map(|mib| mib / 1024.0))),
        ([], _) => {
            let message = "this machine has no accelerator that a model can be put on as a whole";
            let mut error = CliError::new(ExitCode::NothingMatches, "detect.nothing", message);
            let why = told.iter().flat_map(|own| own.problems.iter().cloned());
            let remarks = groups.iter().flat_map(|own| detect::remarks(catalog, own));
            let why: Vec<String> = why.chain(remarks.map(|note| note.message)).collect();
            if let Some(problem) = error.problems.first_mut() {
                problem.advice = Some(if why.is_empty() {
                    "`sky-accel detect` tells what was found".to_owned()
                } else {
                    why.join("; ")
                });
            }
            Err(error)
        }
        _ => {
            let message =
                "this machine has several kinds of accelerators: name the one that is meant";
            Err(CliError::usage("detect.several", message).hint(specs))
        }
    }
}

/// What takes the most, and where those go on whose memory runs out.
fn out_of_memory(own: &FitOut, run: &RunArgs) -> String {
    let terms = terms(&own.per_device_gib);
    let largest = terms.iter().max_by(|a, b| a.1.0.total_cmp(&b.1.0));
    let (name, size) = largest.map_or(("", 0.0), |(name, size, _)| (*name, size.0));
    let model = match &run.model_size {
        Some(size) => format!("--model-size {size}"),
        None => format!("--model {}", own.model.name),
    };
    format!(
        "most of it: {name}, {size:.1} GiB; what it fits on: sky-accel recommend {model}; what makes it smaller: sky-accel help out-of-memory"
    )
}

/// Other programs may have what the model needs.
fn in_use(results: &[FitOut], free: f64) -> Option<Note> {
    let needed = results.iter().filter(|own| own.fits == Some(true));
    let needed = needed
        .map(|own| own.per_device_gib.high.0)
        .fold(f64::NAN, f64::max);
    (needed > free).then(|| {
        let message = format!(
            "only {free:.1} GiB are free on a device now, and up to {needed:.1} are needed: other programs hold the rest"
        );
        Note::new("memory-in-use", message)
    })
}

/// What one request comes to.
struct Answer {
    asked: Asked,
    results: Vec<FitOut>,
    notes: Vec<Note>,
}

impl Answer {
    fn exit_code(&self) -> ExitCode {
        if self.results.iter().any(|own| own.fits == Some(true)) {
            ExitCode::Found
        } else {
            ExitCode::NothingMatches
        }
    }
}

fn answer(
    catalog: &Catalog<'_>,
    spec: &str,
    args: &RunArgs,
    hub: Option<&HubReader<'_>>,
) -> std::result::Result<Answer, CliError> {
    let asked = sizing::read(catalog, args, hub)?;
    let mut notes = asked.notes.clone();
    let mut results = Vec::new();
    for wanted in read_spec(catalog, spec)? {
        let own = hardware(catalog, &wanted, &mut notes)?;
        let mut result = sizing::fit(
            catalog,
            own.accelerator,
            own.count,
            own.part.as_ref(),
            &asked,
        )
        .map_err(|why| cannot(&asked, own.count, why))?;
        if let Some(why) = sizing::unsupported(catalog, own.accelerator, &asked.run) {
            let message = format!("{}: {why}", result.accelerator);
            notes.push(Note::new("unsupported", message));
        }
        if result.fits.is_none() {
            let message = format!("the memory of {} is not known", result.accelerator);
            notes.push(Note::new("unknown-memory", message));
        }
        result.spec = Some(wanted.spec.clone());
        results.push(result);
        notes.extend(wanted.notes);
    }
    Ok(Answer {
        asked,
        results,
        notes,
    })
}

/// What a choice is computed for.
struct Hardware {
    accelerator: AcceleratorId,
    count: u32,
    /// Where each is a part of a device.
    part: Option<Part>,
}

/// The accelerator that a choice is computed for, and how many of it.
fn hardware(
    catalog: &Catalog<'_>,
    wanted: &Wanted,
    notes: &mut Vec<Note>,
) -> std::result::Result<Hardware, CliError> {
    let Some(first) = wanted.candidates.first() else {
        return Err(CliError::usage("usage.count", "no accelerator is meant"));
    };
    if let Some(list) = &wanted.mig {
        let geometry = catalog.geometry(catalog.accelerator(first.accelerator));
        let demand = geometry.and_then(|geometry| {
            let chip = Chip::new(catalog, geometry);
            let demand = Demand::new(&chip, list)?;
            Some((chip, demand))
        });
        let Some((chip, demand)) = demand else {
            let message = format!("the slices of {} are not known", wanted.name);
            return Err(CliError::usage("usage.mig", message));
        };
        let mut kinds = (0..chip.kinds.len()).filter(|kind| demand.counts[*kind] > 0);
        let (Some(kind), None, true) = (kinds.next(), kinds.next(), demand.cuts.is_empty()) else {
            let message = "a model is spread over equal slices: ask for slices of one kind";
            return Err(CliError::usage("usage.mig", message));
        };
        return Ok(Hardware {
            accelerator: first.accelerator,
            count: demand.counts[kind],
            part: Some(Part::slice(&chip, kind)),
        });
    }
    let devices = wanted.count.min;
    if !devices.is_whole() {
        let share = f64::from(devices.0) / 1000.0;
        if share > 1.0 {
            let message = format!("{} is no whole number of devices", wanted.spec);
            return Err(CliError::usage("usage.count", message));
        }
        let sold = catalog
            .offers_of(first.accelerator)
            .map(|id| catalog.offer(id));
        let mut sold = sold.filter(|offer| offer.count == Some(devices));
        let mib = sold.find_map(|offer| offer.memory_mib);
        return Ok(Hardware {
            accelerator: first.accelerator,
            count: 1,
            part: Some(Part::fraction(catalog, first.accelerator, share, mib)),
        });
    }
    let memory = |id: AcceleratorId| {
        let own = catalog.accelerator(id);
        (own.memory_gb.unwrap_or(0.0) * 10.0) as u64
    };
    let other = wanted
        .candidates
        .iter()
        .find(|own| memory(own.accelerator) != memory(first.accelerator));
    if let Some(other) = other {
        let [own, other] = [first, other].map(|own| catalog.accelerator_id(own.accelerator));
        let message = format!("computed for {own}; {other} has another size of memory");
        notes.push(Note::new("several-sizes", message));
    }
    Ok(Hardware {
        accelerator: first.accelerator,
        count: devices.0 / 1000,
        part: None,
    })
}

/// Why a model can't be spread like that.
fn cannot(asked: &Asked, count: u32, why: Indivisible) -> CliError {
    let name = &asked.model.name;
    let message = match why {
        Indivisible::Heads { heads, tensor } => {
            format!("the {heads} heads of {name} cannot be shared out to {tensor} devices")
        }
        Indivisible::Layers { layers, pipeline } => {
            format!("the {layers} layers of {name} cannot be shared out to {pipeline} stages")
        }
        Indivisible::Experts { experts, expert } => {
            format!(
                "the {experts} experts of {name} cannot be shared out to {expert} of {count} devices"
            )
        }
        Indivisible::Devices { needed, .. } => {
            format!(
                "tensor, pipeline, data and context parallel take {needed} devices, and there are {count}"
            )
        }
    };
    CliError::usage("usage.layout", message)
}

/// Requests from standard input, one JSON object a line; answers in the same order.
fn batch(context: &mut Context<'_>, args: &FitArgs) -> Result<ExitCode> {
    if args.run != RunArgs::default() || args.live {
        let message = "with `-` the model and the work are in each line, not in flags";
        return Err(CliError::usage("usage.two-models", message).into());
    }
    if !matches!(
        context.settings.output,
        OutputFormat::Table | OutputFormat::Json | OutputFormat::Jsonl
    ) {
        let message = "with `-` the answer to each line is a line of JSON (-o jsonl)";
        return Err(CliError::usage("usage.output", message).into());
    }
    let catalog = context.catalog;
    let mut exit_code = ExitCode::Found;
    let mut input = std::io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = std::io::Read::take(&mut input, MAX_LINE).read_until(b'\n', &mut line)?;
        if read == 0 {
            break;
        }
        let whole = line.ends_with(b"\n") || (read as u64) < MAX_LINE;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let (code, out) = if whole {
            answer_line(&catalog, &line)?
        } else {
            skip_line(&mut input)?;
            error_line(&CliError::usage("usage.line", "the line is too long"))?
        };
        exit_code = match (exit_code, code) {
            (ExitCode::Usage, _) | (_, ExitCode::Usage) => ExitCode::Usage,
            (ExitCode::Found, code) => code,
            (own, _) => own,
        };
        write_json_line(context.ui.stdout(), &out)?;
    }
    context.ui.flush()?;
    Ok(exit_code)
}

/// The answer to one line of a batch.
pub fn answer_line(
    catalog: &Catalog<'_>,
    line: &[u8],
) -> std::io::Result<(ExitCode, Map<String, Value>)> {
    let (request, answer) = match one(catalog, line) {
        Ok(answer) => answer,
        Err(error) => return error_line(&error),
    };
    let mut out = Map::new();
    out.insert("schema".to_owned(), Value::from("sky-accel.fit.v1"));
    out.insert("request".to_owned(), to_value(&request)?);
    let mut results = answer.results.iter();
    if let Some(Value::Object(fields)) = results.next().map(to_value).transpose()? {
        out.extend(fields);
    }
    let others = results.map(to_value).collect::<std::io::Result<Vec<_>>>()?;
    if !others.is_empty() {
        out.insert("other_choices".to_owned(), Value::from(others));
    }
    let exit_code = answer.exit_code();
    let envelope = Envelope::<(), ()>::new("", catalog, (), Vec::new()).with_notes(answer.notes);
    if !envelope.notes.is_empty() {
        out.insert("notes".to_owned(), to_value(&envelope.notes)?);
    }
    Ok((exit_code, out))
}

fn error_line(error: &CliError) -> std::io::Result<(ExitCode, Map<String, Value>)> {
    let mut out = Map::new();
    out.insert("schema".to_owned(), Value::from("sky-accel.error.v1"));
    out.insert("error".to_owned(), to_value(&crate::ui::error_out(error))?);
    Ok((error.exit_code, out))
}

fn to_value(value: &impl serde::Serialize) -> std::io::Result<Value> {
    Ok(serde_json::to_value(value)?)
}

fn skip_line(input: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let n = end.map_or(buffer.len(), |at| at + 1);
        input.consume(n);
        if end.is_some() {
            return Ok(());
        }
    }
}

/// One line of a batch.
fn one(catalog: &Catalog<'_>, line: &[u8]) -> std::result::Result<(RequestOut, Answer), CliError> {
    let wrong = |message: String| CliError::usage("usage.request", message);
    let mut fields: Map<String, Value> =
        serde_json::from_slice(line).map_err(|error| wrong(format!("no JSON object: {error}")))?;
    let spec = match fields.remove("spec") {
        Some(Value::String(spec)) => spec,
        Some(_) => return Err(wrong("spec is a string such as A100:80GB:x2".to_owned())),
        None => return Err(wrong("spec is missing".to_owned())),
    };
    let args: RunArgs =
        serde_json::from_value(Value::Object(fields)).map_err(|error| wrong(error.to_string()))?;
    let answer = answer(catalog, &spec, &args, None)?;
    Ok((answer.asked.echo(&args, Some(&spec)), answer))
}

/// How good the figures are.
fn accuracy(catalog: &Catalog<'_>, workload: sky_accel_core::sizing::Workload) -> String {
    let word = sky_accel_core::sizing::Word::word(workload);
    let error = |name: &str| catalog.coefficient(name, word).unwrap_or_default();
    format!(
        "weights and cache are arithmetic; peaks of {word} were off by {}% in the median and {}% in nine of ten measurements (docs/accuracy.md)",
        number(error("median-error-percent")),
        number(error("p90-error-percent"))
    )
}

/// Terms in the order in which they are stacked.
fn terms(own: &MemoryOut) -> [(&'static str, Num, AnsiColor); 8] {
    [
        ("weights", own.weights, AnsiColor::Cyan),
        ("KV cache", own.kv_cache, AnsiColor::Green),
        ("gradients", own.gradients, AnsiColor::Blue),
        ("optimizer", own.optimizer, AnsiColor::Magenta),
        ("adapters", own.adapters, AnsiColor::Blue),
        ("activations", own.activations, AnsiColor::Yellow),
        ("logits", own.logits, AnsiColor::White),
        ("framework", own.framework, AnsiColor::BrightBlack),
    ]
}

fn page(results: &[FitOut]) -> Page {
    let mut blocks = Vec::new();
    for own in results {
        blocks.push(Block::Heading(heading(own)));
        let memory = &own.per_device_gib;
        if let Some(usable) = memory.usable {
            blocks.push(Block::Picture(bar(memory, usable.0)));
        }
        let mut table = Table::new([
            Column::left("GIB PER DEVICE", 0),
            Column::right("", 0),
            Column::left("", 0),
        ]);
        let gib = |n: Num| format!("{:.2}", n.0);
        for (letter, (name, size, _)) in ('a'..).zip(terms(memory)) {
            if size.0 > 0.0 {
                let remark = format!("{letter} in the bar");
                table.row(RowStyle::Plain, [name.to_owned(), gib(size), remark]);
            }
        }
        for (name, size, remark) in [
            ("steady", memory.steady, "stays after a step"),
            (
                "peak, in use",
                memory.allocated,
                "what the allocator counts; not all of the above at once",
            ),
            ("peak, held", memory.reserved, "with the allocator's slack"),
            ("peak, device", memory.device, "what the driver shows"),
            ("low", memory.low, "one of ten measurements was lower"),
            (
                "high",
                memory.high,
                "one of ten was higher; this has to fit",
            ),
        ] {
            table.row(
                RowStyle::Dim,
                [name.to_owned(), gib(size), remark.to_owned()],
            );
        }
        if let Some(usable) = memory.usable {
            table.row(
                RowStyle::Plain,
                ["usable".to_owned(), gib(usable), String::new()],
            );
        }
        blocks.push(Block::Table(table));
        blocks.push(Block::Text(speed(own)));
        blocks.push(Block::Text(room(own)));
    }
    Page { blocks }
}

fn heading(own: &FitOut) -> String {
    let devices = if own.count == 1 {
        own.accelerator.clone()
    } else {
        format!("{} x {}", own.count, own.accelerator)
    };
    let name = &own.model.name;
    let memory = &own.per_device_gib;
    let band = format!("{:.1} to {:.1} GiB", memory.low.0, memory.high.0);
    let each = if own.count == 1 { "" } else { " on each" };
    match (own.fits, memory.usable) {
        (Some(true), Some(usable)) => {
            format!(
                "{name} fits on {devices}: {band}{each} of {:.1} usable",
                usable.0
            )
        }
        (Some(false), Some(usable)) => {
            format!(
                "{name} does not fit on {devices}: {band}{each}, and {:.1} are usable",
                usable.0
            )
        }
        _ => format!("{name} takes {band}{each} of {devices}"),
    }
}

/// The terms stacked against what is usable.
fn bar(memory: &MemoryOut, usable: f64) -> Vec<Line> {
    let sum: f64 = terms(memory).iter().map(|(_, size, _)| size.0).sum();
    let whole = usable.max(sum).max(memory.high.0);
    let cells = |gib: f64| (gib / whole * BAR as f64).round() as usize;
    let mut line: Line = vec![(Style::new(), "|".to_owned())];
    let mut drawn = 0;
    let mut upto = 0.0;
    for (letter, (_, size, colour)) in ('a'..).zip(terms(memory)) {
        upto += size.0;
        let end = cells(upto).min(BAR);
        if end > drawn {
            let text: String = std::iter::repeat_n(letter, end - drawn).collect();
            line.push((AnsiColor::Black.on(colour), text));
            drawn = end;
        }
    }
    line.push((DIM, "-".repeat(BAR - drawn)));
    line.push((Style::new(), "|".to_owned()));
    // The first column is the bar's end.
    let place = 1 + cells(usable).min(BAR);
    let mark = if place > 8 {
        format!("{:>place$}", "usable ^")
    } else {
        format!("{:>place$} usable", "^")
    };
    vec![line, vec![(DIM, mark)]]
}

fn speed(own: &FitOut) -> String {
    let speed = &own.throughput;
    let rate = |n: Num| number(n.0);
    let mut parts = Vec::new();
    if let Some(prefill) = speed.prefill_tokens_per_s {
        parts.push(format!("reads about {} tokens/s", rate(prefill)));
    }
    if let Some(decode) = speed.decode_tokens_per_s {
        parts.push(format!("writes about {} tokens/s", rate(decode)));
    }
    if let Some(first) = speed.time_to_first_token_s {
        parts.push(format!("first token after {} s", rate(first)));
    }
    if let Some(train) = speed.train_tokens_per_s_per_device {
        parts.push(format!(
            "trains on about {} tokens/s per device",
            rate(train)
        ));
    }
    if parts.is_empty() {
        return "how fast it is, the figures of this device do not tell".to_owned();
    }
    if let Some(bound) = speed.bound {
        parts.push(format!("bound by {bound}"));
    }
    parts.join(", ")
}

fn room(own: &FitOut) -> String {
    let count = |n: Num| number(n.0);
    let mut parts = Vec::new();
    if let Some(cache) = &own.kv_cache
        && let (Some(tokens), Some(sequences)) = (cache.max_tokens, cache.max_sequences)
    {
        parts.push(format!(
            "the cache holds {} tokens, {} such sequences at once",
            count(tokens),
            count(sequences)
        ));
    }
    let some = |n: Option<Num>| n.filter(|n| n.0 > 0.0);
    if let Some(context) = some(own.largest.context) {
        parts.push(format!("safe with a context up to {}", count(context)));
    }
    if let Some(batch) = some(own.largest.batch) {
        parts.push(format!("or a batch up to {}", count(batch)));
    }
    if parts.is_empty() {
        "nothing smaller fits either: fewer bits, more devices, or other devices".to_owned()
    } else {
        parts.join("; ")
    }
}
