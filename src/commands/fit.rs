//! `fit`: the memory of a model on some hardware, term by term.

use serde::Serialize;
use serde_json::{Map, Value};
use sky_accel_core::catalog::{Catalog, PriceKind};
use sky_accel_core::sizing::{CacheFormat, Offload, Workload};
use sky_accel_core::text::{counted, number};
use sky_accel_engine::contract::{
    FitOut, FitPriceOut, FitVerdict, LoadOut, Num, OptimizerStepOut, RemedyOut, RunOut,
};
use sky_accel_engine::text::{dollars, figure, grouped};
use sky_accel_engine::{
    Error, ErrorCode, FitAnswer, FitHardware, FitRequest, ModelSource, RemedyKind, json,
};

use super::input::Lines;
use super::live;
use crate::cli::{FitArgs, OutputFormat, RunArgs};
use crate::context::{Context, Result, found};
use crate::exit_code::ExitCode;
use crate::present::items::{item_nouns, item_speed};
use crate::present::memory;
use crate::present::offers::doubts_about;
use crate::present::prices::{ESTIMATED, age_of};
use crate::present::start;
use crate::present::terms::terms;
use crate::render::{Block, Column, Footer, Page, Report, RowStyle, Table, error_line, print};
use crate::requests;

/// The maximum length of a line of standard input.
const MAX_LINE: u64 = 1 << 20;
const CSV: &[&str] = &[
    "spec",
    "accelerator",
    "count",
    "nodes",
    "fits",
    "verdict",
    "refused",
    "per_device_gib.weights",
    "per_device_gib.frozen",
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
    "host_gib",
    "throughput.prefill_tokens_per_s",
    "throughput.decode_tokens_per_s",
    "throughput.train_tokens_per_s_per_device",
    "step.seconds",
    "throughput.output_tokens_per_s",
    "throughput.serves",
    "throughput.concurrency",
    "throughput.ttft_s",
    "throughput.tpot_ms",
    "throughput.max_concurrency",
    "throughput.duration_s",
    "seconds_per_item",
    "energy.watts_per_device",
    "energy.wh_per_million_tokens",
    "energy.wh_per_item",
    "price.usd_per_hour",
    "price.likely_usd_per_hour",
    "price.provider",
    "price.instance_type",
    "price.age_days",
];

pub fn run(context: &mut Context<'_>, args: &FitArgs) -> Result<ExitCode> {
    if args.spec.as_deref() == Some("-") {
        return batch(context, args);
    }
    let (spec, model) = spec_and_model(args)?;
    let machine;
    let hardware = if let Some(spec) = spec {
        if args.from.is_some() {
            let message = "--from needs --on-this-machine instead of a spec";
            return Err(Error::new(ErrorCode::BadValue, message).into());
        }
        FitHardware::Spec(spec.to_owned())
    } else {
        machine = context.engine.read_machine(args.from.as_deref())?;
        FitHardware::Machine(&machine)
    };
    let mut run = requests::run(&args.run);
    if let Some(word) = model {
        run.model = Some(ModelSource::read(word));
    }
    let request = FitRequest {
        hardware,
        nodes: args.nodes.unwrap_or(1),
        run,
        prices: requests::fit_prices(args),
    };
    let engine = context.engine;
    let answer = live::with_hub(context, args.live, |hub| engine.fit(&request, hub))?;
    let exit_code = exit_code(&answer, args);
    let envelope = answer.envelope;
    let misfit = envelope
        .results
        .iter()
        .find(|result| result.fits == Some(false));
    let advice = misfit.filter(|_| !answer.fits).map(|result| {
        if result.refused.is_some() {
            not_run(result, args)
        } else if result.verdict == Some(FitVerdict::Tight) {
            tight(args)
        } else {
            out_of_memory(result, args)
        }
    });
    let offload = envelope.request.run.offload;
    let is_offloaded = offload.is_some_and(|offload| offload != Offload::None);
    let accuracy = if is_offloaded {
        UNMEASURED.to_owned()
    } else {
        let workload = envelope.request.run.workload;
        accuracy(&engine.catalog(), workload, answer.measured_as)
    };
    let fitting = envelope
        .results
        .iter()
        .filter(|result| result.fits == Some(true));
    let understood = envelope.request.run.clone();
    let is_full = context.settings.detail().is_full();
    let shows = Shows {
        measures: is_full,
        energy: args.run.energy == Some(true),
        prices: envelope.request.price.is_some(),
        is_html: context.settings.output.is_html(),
    };
    let footer = Footer {
        advice: advice.into_iter().collect(),
        parts: is_full.then_some(accuracy).into_iter().collect(),
        has_details: true,
        ..Footer::default()
    };
    let report = Report {
        names: fitting.filter_map(|result| result.spec.clone()).collect(),
        envelope,
        csv: CSV,
        page: Box::new(move |results, _| page(&understood, results, shows)),
        footer,
        exit_code,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

/// The exit code of an answer: 0 if the model fits, and with `--accept-tight` also if it may fit.
fn exit_code(answer: &FitAnswer<'_>, args: &FitArgs) -> ExitCode {
    found(answer.fits || (args.accept_tight && answer.may_fit))
}

/// The spec and the model among the words of the command line. With `--on-this-machine`, the only word is the model.
fn spec_and_model(args: &FitArgs) -> std::result::Result<(Option<&str>, Option<&str>), Error> {
    let (spec, model) = (args.spec.as_deref(), args.model_word.as_deref());
    if !args.on_this_machine {
        return Ok((spec, model));
    }
    match (spec, model) {
        (Some(spec), Some(_)) => {
            let message =
                format!("--on-this-machine replaces the spec '{spec}': leave out one of them");
            Err(Error::new(ErrorCode::BadValue, message))
        }
        (Some(_), None) if args.run.model.is_some() || args.run.model_size.is_some() => {
            let message = "--on-this-machine replaces the spec, so the argument is a model, but --model names another";
            Err(Error::new(ErrorCode::BadValue, message))
        }
        (word, _) => Ok((None, word)),
    }
}

/// The advice for a model that does not fit.
fn out_of_memory(result: &FitOut, args: &FitArgs) -> String {
    let terms = terms(&result.per_device_gib);
    let largest = terms.iter().max_by(|a, b| a.1.0.total_cmp(&b.1.0));
    let (name, size) = largest.map_or(("", 0.0), |(name, size)| (*name, size.0));
    let recommend = recommend(args);
    format!(
        "largest term: {name}, {size:.1} GiB; to find machines that fit: {recommend}; to reduce memory: sky-accel help out-of-memory"
    )
}

/// The advice for a model that may run or fail.
fn tight(args: &FitArgs) -> String {
    let accept = if args.accept_tight {
        "--accept-tight accepts it"
    } else {
        "to exit with 0 for a tight fit: --accept-tight"
    };
    format!(
        "tight: the model may run or run out of memory; to be safe, use a change above, or a machine of {}; {accept}",
        recommend(args)
    )
}

/// The advice for work that the engine does not run on the device.
fn not_run(result: &FitOut, args: &FitArgs) -> String {
    let none = if result.would_fit.is_empty() {
        "no engine and format in the catalog runs it in the memory of this device; "
    } else {
        ""
    };
    format!("{none}to find machines that run it: {}", recommend(args))
}

/// The `recommend` command for the same work.
fn recommend(args: &FitArgs) -> String {
    let word = if args.on_this_machine {
        args.spec.as_ref()
    } else {
        args.model_word.as_ref()
    };
    let model = word.map_or_else(String::new, |word| {
        // A NUL byte cannot be in an argument.
        format!(" {}", shlex::try_quote(word).unwrap_or_default())
    });
    let live = if args.live { " --live" } else { "" };
    format!("sky-accel recommend{model}{}{live}", args.run.flags())
}

/// Answers requests from standard input, one JSON object a line, in the same order.
fn batch(context: &mut Context<'_>, args: &FitArgs) -> Result<ExitCode> {
    let is_priced = requests::fit_prices(args).is_some();
    let is_given = args.model_word.is_some() || args.live || args.nodes.is_some() || is_priced;
    if *args.run != RunArgs::default() || is_given {
        let message = "with `-`, give the model and the work in each line instead of flags";
        return Err(Error::new(ErrorCode::BatchFlags, message).into());
    }
    let format = context.settings.output;
    if !format.is_json() && format != OutputFormat::Table {
        let message = "with `-`, the only output format is JSON lines (-o jsonl)";
        return Err(Error::new(ErrorCode::BatchOutput, message).into());
    }
    let mut exit_code = ExitCode::Found;
    for line in Lines::of_stdin(context.ui, MAX_LINE) {
        let answer = match line {
            Ok(line) if line.bytes.trim_ascii().is_empty() => continue,
            Ok(line) => context.engine.fit_json(&line.bytes),
            Err(error) => Err(error),
        };
        let (code, out) = answer_line(answer, args)?;
        exit_code = match (exit_code, code) {
            (ExitCode::Usage, _) | (_, ExitCode::Usage) => ExitCode::Usage,
            (ExitCode::Found, code) => code,
            (first, _) => first,
        };
        json::write_line(context.ui.stdout(), &out)?;
        context.ui.flush()?;
    }
    Ok(exit_code)
}

/// The answer to one line of a batch. The fields of the first choice of its spec are at the top level.
fn answer_line(
    answer: std::result::Result<FitAnswer<'_>, Error>,
    args: &FitArgs,
) -> std::io::Result<(ExitCode, Map<String, Value>)> {
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => return Ok((error.kind.into(), error_line(&error)?)),
    };
    let mut out = Map::new();
    let exit_code = exit_code(&answer, args);
    let envelope = answer.envelope;
    out.insert("schema".to_owned(), Value::from(envelope.schema));
    out.insert("request".to_owned(), to_value(&envelope.request)?);
    let mut results = envelope.results.iter();
    if let Some(Value::Object(fields)) = results.next().map(to_value).transpose()? {
        out.extend(fields);
    }
    let others = results.map(to_value).collect::<std::io::Result<Vec<_>>>()?;
    if !others.is_empty() {
        out.insert("other_choices".to_owned(), Value::from(others));
    }
    if !envelope.notes.is_empty() {
        out.insert("notes".to_owned(), to_value(&envelope.notes)?);
    }
    Ok((exit_code, out))
}

fn to_value(value: &impl Serialize) -> std::io::Result<Value> {
    Ok(serde_json::to_value(value)?)
}

/// The note on accuracy for offloading.
const UNMEASURED: &str = "no published measurement covers offloading: low and high come from runs without it (docs/sizing.md)";

/// The note on accuracy, from published measurements.
fn accuracy(catalog: &Catalog<'_>, workload: Workload, measured_as: Workload) -> String {
    let word = measured_as.word();
    let unmeasured = if workload == measured_as {
        String::new()
    } else {
        format!("; no measurement of {workload} was published")
    };
    let error = |name: &str| catalog.coefficient(name, word).unwrap_or_default();
    format!(
        "prediction error of memory peaks: {}% in the median and at most {}% in 90% of measurements of {word}{unmeasured} (docs/accuracy.md)",
        number(error("median-error-percent")),
        number(error("p90-error-percent"))
    )
}

/// The optional parts of the page.
#[derive(Clone, Copy)]
struct Shows {
    /// All measures of a peak.
    measures: bool,
    /// The power and the energy.
    energy: bool,
    /// The price of the hardware.
    prices: bool,
    /// A drawing instead of letters.
    is_html: bool,
}

/// The page: for each result the answer, then its memory term by term.
fn page(request: &RunOut, results: &[FitOut], shows: Shows) -> Page {
    let mut blocks = Vec::new();
    for result in results {
        blocks.push(Block::Heading(heading(result)));
        blocks.push(Block::Text(assumed(request, result)));
        if shows.prices {
            blocks.push(Block::Text(price(result)));
        }
        blocks.extend(work(request, result, shows.energy));
        blocks.extend(memory::blocks(result, shows.measures, shows.is_html));
    }
    Page { blocks }
}

/// The price of the hardware, in a sentence.
fn price(result: &FitOut) -> String {
    let Some(price) = &result.price else {
        return "price: no provider in the catalog has a price on demand for this hardware"
            .to_owned();
    };
    let FitPriceOut {
        usd_per_hour: stated,
        likely_usd_per_hour: likely,
        provider,
        instance_type,
        ..
    } = price;
    let age = age_of(price.kind, price.tier.as_deref(), price.age_days);
    let (likely, stated) = (dollars(*likely), dollars(*stated));
    let usd = if likely == stated {
        let about = if price.kind == PriceKind::Estimate {
            ESTIMATED
        } else {
            ""
        };
        format!("{about}{stated} per hour ({age})")
    } else {
        format!("~{likely} per hour today ({stated} stated, {age})")
    };
    let machine = match result.nodes {
        Some(nodes) => format!("{nodes} × {instance_type}"),
        None => instance_type.clone(),
    };
    let whole = if price.of_whole_devices {
        " with whole devices"
    } else {
        ""
    };
    let doubts: Vec<String> = doubts_about(&price.doubts, price.sells, price.count).collect();
    let doubts = if doubts.is_empty() {
        String::new()
    } else {
        format!("; ! {}", doubts.join(", "))
    };
    format!("price: {usd}, {machine}{whole} on {provider}{doubts}")
}

/// The speed and the start command of a model that fits, or the changes that make it fit.
fn work(request: &RunOut, result: &FitOut, shows_energy: bool) -> Vec<Block> {
    let mut blocks = Vec::new();
    if result.refused.is_none() {
        if result.verdict != Some(FitVerdict::DoesNotFit) {
            blocks.push(Block::Text(speed(request, result)));
            if shows_energy {
                blocks.push(Block::Text(energy(result)));
            }
        }
        let capacity = capacity(result);
        if !capacity.is_empty() && result.would_fit.is_empty() {
            blocks.push(Block::Text(capacity));
        }
    }
    blocks.extend(formats(result).map(Block::Table));
    let launch = result.launch.as_ref();
    let command = launch.map(|launch| start::command("start command", launch));
    let why_not = || start::none(request.workload, result.model.kind);
    let has_result = result.refused.is_none() && result.fits == Some(true);
    blocks.extend(command.or_else(|| has_result.then(why_not).flatten()));
    let remedies = result.would_fit.iter();
    let remedies = remedies.filter(|remedy| !is_in_table(remedy, result));
    let remedies: Vec<(String, String)> = remedies
        .map(|remedy| (remedy.flags.clone(), remedy.message.clone()))
        .collect();
    if !remedies.is_empty() {
        let lead = match result.verdict {
            _ if result.refused.is_some() => "changes with which it runs:",
            Some(FitVerdict::Tight) => "changes that make it safe:",
            _ => "changes that make it fit:",
        };
        blocks.push(Block::Text(lead.to_owned()));
        blocks.push(Block::Items(remedies));
    }
    blocks
}

/// The table of the formats: a row for each format of weights, and columns for each format of the KV cache.
fn formats(result: &FitOut) -> Option<Table> {
    result.formats.first()?.fits?;
    let mut caches: Vec<CacheFormat> = Vec::new();
    let mut weights: Vec<&str> = Vec::new();
    for format in &result.formats {
        if !caches.contains(&format.kv_precision) {
            caches.push(format.kv_precision);
        }
        if !weights.contains(&format.precision.as_str()) {
            weights.push(&format.precision);
        }
    }
    let mut columns = vec![Column::left("WEIGHTS", 0)];
    for cache in &caches {
        columns.extend([
            Column::right(format!("KV {cache}, GIB"), 0),
            Column::right("TOK/S", 0),
        ]);
    }
    let mut table = Table::new(columns);
    for name in weights {
        let mut cells = vec![name.to_owned()];
        let mut fits = false;
        for cache in &caches {
            let mut formats = result.formats.iter();
            let format =
                formats.find(|format| format.precision == name && format.kv_precision == *cache);
            let (gib, speed) = format.map_or_else(Default::default, |format| {
                fits |= format.fits == Some(true);
                let is_own = result
                    .formats
                    .first()
                    .is_some_and(|own| std::ptr::eq(own, format));
                let is_tight = is_own && result.verdict == Some(FitVerdict::Tight);
                let speed = match (format.fits, format.tokens_per_s) {
                    (Some(false), _) if is_tight => "tight".to_owned(),
                    (Some(false), _) => "no fit".to_owned(),
                    (_, Some(speed)) => number(speed.0),
                    (_, None) => "?".to_owned(),
                };
                (format!("{:.1}", format.high_gib.0), speed)
            });
            cells.extend([gib, speed]);
        }
        let style = if fits { RowStyle::Plain } else { RowStyle::Dim };
        table.row(style, cells);
    }
    Some(table)
}

/// True if the table of formats shows a change.
fn is_in_table(remedy: &RemedyOut, result: &FitOut) -> bool {
    let mut formats = result.formats.iter();
    remedy.change == RemedyKind::KvPrecision
        && formats.any(|format| remedy.flags == format!("--kv-precision {}", format.kv_precision))
}

/// A summary of the request and its defaults: `bf16 · 4,096 + 512 tokens · 1 sequence · vLLM · tensor 4`.
fn assumed(request: &RunOut, result: &FitOut) -> String {
    let precision = result.precision.as_ref().unwrap_or(&request.precision);
    let mut parts = vec![precision.clone()];
    if let Some(cache) = request
        .kv_precision
        .filter(|cache| *cache != CacheFormat::Bf16)
    {
        parts.push(format!("KV cache in {cache}"));
    }
    if let Some(unit) = &result.model.unit {
        parts.push(unit.clone());
        let steps = request.steps;
        parts.extend(steps.map(|steps| counted(number(steps.0), "step")));
        let batch = request.batch.filter(|batch| batch.0 > 1.0);
        parts.extend(batch.map(|batch| format!("a batch of {}", number(batch.0))));
        let layout = result.parallelism.words();
        parts.extend((!layout.is_empty()).then_some(layout));
        return parts.join(" · ");
    }
    let context = grouped(request.context.0);
    if let Some((images, tokens)) = request.images_per_request.zip(request.image_tokens) {
        let images = counted(number(images.0), "image");
        let tokens = counted(grouped(tokens.0), "token");
        parts.push(format!("{images} of {tokens} in each prompt"));
    }
    parts.push(match request.generate.filter(|generate| generate.0 > 0.0) {
        Some(generate) => format!("{context} + {}", counted(grouped(generate.0), "token")),
        None => counted(context, "token"),
    });
    if let Some(users) = request.concurrency {
        parts.push(counted(grouped(users.0), "user"));
        parts.extend(
            request
                .requests
                .map(|requests| format!("{} in total", counted(grouped(requests.0), "request"))),
        );
    } else if let Some(rate) = request.request_rate {
        parts.push(format!("{} requests/s", number(rate.0)));
    } else if let Some(batch) = request.batch {
        parts.push(counted(grouped(batch.0), "sequence"));
    }
    let engine = result.engine.unwrap_or(request.engine);
    parts.push(engine.name().to_owned());
    let trained = request.optimizer.zip(request.parameter_precision);
    if let Some((optimizer, parameters)) = trained {
        parts.push(match request.lora_rank {
            Some(_) => optimizer.to_string(),
            // Optimizer state has the format of the trained parameters.
            None => format!("{optimizer} on {parameters} parameters"),
        });
        let checkpointing = request.checkpointing;
        parts.extend(checkpointing.map(|layers| format!("checkpointing {layers}")));
        let rank = request.lora_rank;
        parts.extend(rank.map(|rank| format!("rank {}", number(rank.0))));
        let offload = request.offload.filter(|offload| *offload != Offload::None);
        parts.extend(offload.map(|offload| format!("offload {offload}")));
    }
    parts.extend(
        request
            .gpu_layers
            .map(|n| format!("{} on the GPU", counted(n, "layer"))),
    );
    let experts = request.n_cpu_moe.map(|n| counted(n, "layer"));
    parts.extend(experts.map(|layers| format!("experts of {layers} on the host")));
    let layout = result.parallelism.words();
    parts.extend((!layout.is_empty()).then_some(layout));
    parts.join(" · ")
}

fn heading(result: &FitOut) -> String {
    let devices = match (result.count, result.nodes) {
        (1, _) => result.accelerator.clone(),
        (count, None) => format!("{count} × {}", result.accelerator),
        (count, Some(nodes)) => format!(
            "{nodes} machines with {} × {}",
            count / nodes,
            result.accelerator
        ),
    };
    let name = &result.model.name;
    let memory = &result.per_device_gib;
    let band = format!("{:.1} to {:.1} GiB", memory.low.0, memory.high.0);
    let each = if result.count == 1 { "" } else { " on each" };
    if let Some(why) = &result.refused {
        return format!("{name} does not run on {devices}: {why}");
    }
    let (Some(verdict), Some(usable)) = (result.verdict, memory.usable) else {
        return format!("{name} takes {band}{each} of {devices}");
    };
    let usable = usable.0;
    match verdict {
        FitVerdict::Fits => {
            let load = result.throughput.load.as_ref();
            let is_short = load.is_some_and(|load| !load.serves);
            let load = if is_short {
                ", but does not serve the load"
            } else {
                ""
            };
            format!("{name} fits on {devices}{load}: {band}{each} of {usable:.1} usable")
        }
        FitVerdict::Tight => {
            format!("{name} is a tight fit on {devices}: {band}{each}, and {usable:.1} are usable")
        }
        FitVerdict::DoesNotFit => {
            format!("{name} does not fit on {devices}: {band}{each}, but {usable:.1} are usable")
        }
    }
}

fn speed(request: &RunOut, result: &FitOut) -> String {
    let speed = &result.throughput;
    let rate = |n: Num| grouped(n.0);
    let mut parts = Vec::new();
    if let Some(load) = &speed.load {
        return serving(request, result, load);
    }
    if let Some(prefill) = speed.prefill_tokens_per_s {
        let items = result.seconds_per_item.map_or_else(String::new, |seconds| {
            let per_s = grouped((1.0 / seconds.0).round());
            format!(" ({per_s} texts or pairs of texts)")
        });
        parts.push(format!("prefills about {} tokens/s{items}", rate(prefill)));
    }
    if let Some(decode) = speed.decode_tokens_per_s {
        parts.push(format!("decodes about {} tokens/s in total", rate(decode)));
    }
    if let Some(first) = speed.time_to_first_token_s {
        parts.push(format!("time to first token {} s", rate(first)));
    }
    if let Some(train) = speed.train_tokens_per_s_per_device {
        parts.push(format!(
            "trains at about {} tokens/s per device",
            rate(train)
        ));
    }
    if result.model.unit.is_some() {
        return item_speed(request, result);
    }
    if parts.is_empty() {
        return "speed: unknown, since the catalog lacks figures for this device".to_owned();
    }
    if let Some(step) = &result.step {
        parts.push(optimizer_step(step));
    }
    if let Some(bound) = speed.bound {
        parts.push(format!("bound by {bound}"));
    }
    parts.join(", ")
}

/// The power of the devices and the energy of the work.
fn energy(result: &FitOut) -> String {
    let Some(energy) = &result.energy else {
        return "energy: not measured for this work, or the power of the device is unknown"
            .to_owned();
    };
    let watts = format!("{} W per device", figure(energy.watts_per_device.0));
    let tokens = energy
        .wh_per_million_tokens
        .map(|wh| format!(", {} Wh per million tokens", grouped(wh.0)));
    let item = energy.wh_per_item.map(|wh| {
        let noun = item_nouns(result.model.kind).0;
        format!(", {} Wh per {noun}", figure(wh.0))
    });
    let unit = tokens.or(item).unwrap_or_default();
    format!("energy: {watts}{unit}, without the host")
}

/// The time of a training step and, if there are several, of its phases.
fn optimizer_step(step: &OptimizerStepOut) -> String {
    let phases: Vec<String> = step
        .phases
        .iter()
        .map(|phase| format!("{} {} s", phase.phase, number(phase.seconds.0)))
        .collect();
    let separate = step.rollout_devices.map_or_else(String::new, |devices| {
        let verb = if devices == 1 {
            "generates"
        } else {
            "generate"
        };
        format!(
            "; {} {verb} while the others train",
            counted(devices, "device")
        )
    });
    let phases = if phases.is_empty() {
        String::new()
    } else {
        format!(" ({}{separate})", phases.join(", "))
    };
    let sequences = counted(grouped(step.sequences.0), "sequence");
    let seconds = number(step.seconds.0);
    format!("a step of {sequences} takes {seconds} s{phases}")
}

/// The figures of a server under load.
fn serving(request: &RunOut, result: &FitOut, load: &LoadOut) -> String {
    let rate = |n: Num| grouped(n.0);
    let total = result.throughput.output_tokens_per_s.unwrap_or(Num(0.0));
    let (low, high) = (&result.throughput.low, &result.throughput.high);
    let band = low
        .output_tokens_per_s
        .zip(high.output_tokens_per_s)
        .map_or_else(String::new, |(low, high)| {
            format!(" (low {}, high {})", rate(low), rate(high))
        });
    let bound = result
        .throughput
        .bound
        .map_or_else(String::new, |bound| format!(", bound by {bound}"));
    let end = load.duration_s.map_or_else(String::new, |seconds| {
        format!("; the last answer arrives after {} s", rate(seconds))
    });
    let users = counted(rate(load.max_concurrency), "user");
    let is_limited = request.max_ttft.is_some() || request.max_tpot.is_some();
    let within = if is_limited {
        " within the limits"
    } else {
        ", without a limit on the speed"
    };
    let in_flight = counted(rate(load.concurrency), "request");
    let (Some(tpot_ms), Some(per_user)) = (load.tpot_ms, load.tokens_per_s_per_user) else {
        let most = if is_limited {
            format!("{users} or ")
        } else {
            String::new()
        };
        return format!(
            "{in_flight} in flight: each answer after {} s; {} texts or pairs of texts/s, {} tokens/s{bound}{end}; up to {most}{} requests/s{within}",
            rate(load.ttft_s),
            rate(load.requests_per_s),
            rate(load.total_tokens_per_s),
            rate(load.goodput_per_s)
        );
    };
    format!(
        "{in_flight} in flight: time to first token {} s, then {} ms per token ({} tokens/s each); {} tokens/s in total{band}, {} including prompts{bound}{end}; up to {users} or {} requests/s{within}",
        rate(load.ttft_s),
        rate(tpot_ms),
        rate(per_user),
        rate(total),
        rate(load.total_tokens_per_s),
        rate(load.goodput_per_s)
    )
}

/// The capacity that remains: KV cache, context and batch.
fn capacity(result: &FitOut) -> String {
    let count = |n: Num| grouped(n.0);
    let mut parts = Vec::new();
    if let Some(cache) = &result.kv_cache
        && let (Some(tokens), Some(sequences)) = (cache.max_tokens, cache.max_sequences)
        && tokens.0 > 0.0
    {
        parts.push(format!(
            "the KV cache holds {}, enough for {}",
            counted(count(tokens), "token"),
            counted(count(sequences), "such sequence")
        ));
    }
    let some = |n: Option<Num>| n.filter(|n| n.0 > 0.0);
    if let Some(context) = some(result.largest.context) {
        parts.push(format!(
            "the model still fits with a context of up to {} tokens",
            count(context)
        ));
    }
    if let Some(batch) = some(result.largest.batch) {
        parts.push(format!("or a batch of up to {}", count(batch)));
    }
    let is_searched = result.largest.context.is_some();
    if parts.is_empty() && is_searched {
        "smaller contexts and batches do not fit either: use fewer bits, or more or larger devices"
            .to_owned()
    } else {
        parts.join("; ")
    }
}
