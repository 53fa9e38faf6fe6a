//! `resolve`: specs in, each provider's own names and prices out.

use std::io::BufRead;

use sky_accel_core::bind::{Wanted, interpret};
use sky_accel_core::catalog::RegionId;
use sky_accel_core::note::Note;
use sky_accel_core::resolve::{Match, Request, Sort, resolve};

use super::offers::{self, OfferTable};
use super::{Context, Result, live, map, mig, unless_one};
use crate::cli::{OutputFormat, ResolveArgs, SortArg, word_of};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::live::Live;
use crate::output::{self, Envelope, ResolveRequest};
use crate::render::{Column, Page, Report, RowStyle, Table, print};
use crate::wants_json;

/// The most specs of one run, and the longest line of standard input that is read.
const MAX_SPECS: usize = 100_000;
const MAX_LINE: u64 = 4096;

pub fn run(context: &mut Context<'_>, args: &ResolveArgs) -> Result<ExitCode> {
    let specs = read(&context.catalog, &args.specs)?;
    let live = if args.live.live {
        Some(live::ask(
            &context.catalog,
            context.settings,
            context.ui,
            &args.live,
            &args.offers,
            live::Machines {
                at_least: args.at_least,
                disk_gb: args.disk,
            },
            &specs,
        )?)
    } else {
        None
    };
    // From here on, what the providers say is the catalog.
    let catalog = live
        .as_ref()
        .map_or(context.catalog, |live| live.tables.catalog());
    let (request, echo) = offers::request(&catalog, context.settings, &args.offers)?;
    let sort = args.sort.unwrap_or(SortArg::Price);
    let request = Request {
        at_least: args.at_least,
        sort: core_sort(sort),
        explain: context.settings.explain,
        ..request
    };

    let canonical: Vec<String> = specs.iter().map(|wanted| spec_text(wanted)).collect();
    let echo = ResolveRequest {
        specs: canonical.clone(),
        offers: echo,
        at_least: args.at_least,
        sort: word_of(sort),
        live: live.is_some(),
        disk_gb: live.as_ref().map(|_| args.disk),
        max_age_s: args.live.max_age.map(|age| age.as_secs()),
    };
    let mut envelope = Envelope::new("sky-accel.resolve.v1", &catalog, echo, Vec::new());
    let mut matches: Vec<Match> = Vec::new();
    let mut notes: Vec<Note> = Vec::new();
    if let Some(live) = &live {
        envelope.live = live::answers(&catalog, live);
        notes.extend(live.notes.iter().cloned());
    }
    let mut verdicts = Vec::new();
    let mut left_off = 0;
    // What is said of the specs that nothing matches, and of those without a known price.
    let (mut unmatched, mut footer) = (Vec::new(), Vec::new());
    for (wanted, spec) in specs.iter().zip(&canonical) {
        let answer = resolve(&catalog, wanted, &request);
        let is_asked = |region: RegionId| request.regions.as_ref().is_none_or(|f| f.allows(region));
        let nearest: Vec<_> = answer
            .nearest
            .iter()
            .map(|near| output::nearest(&catalog, wanted, near))
            .collect();
        let prices = offers::nearest_prices(&nearest, request.buying);
        let ages = offers::ages(&catalog, context.settings, prices);
        if answer.matches.is_empty() {
            unmatched.extend(offers::nothing_lines(
                spec,
                &answer,
                &nearest,
                request.buying,
                ages,
            ));
        } else if !nearest.is_empty() {
            let heading = format!("no price is known for {spec}; nearest:");
            footer.extend(offers::nearest_lines(&heading, &nearest, request.buying));
            footer.extend(ages);
        }
        envelope.results.extend(answer.matches.iter().map(|found| {
            let choice = &wanted[found.choice];
            let slices = choice.mig.is_some();
            let mut offer = output::offer(&catalog, &choice.spec, found, is_asked, slices);
            if let Some(own) = &mut offer.mig {
                own.placements =
                    mig::placements(&catalog, found.accelerator, choice, own.gpus_needed);
            }
            if args.map {
                offer.region_prices = map::prices(&catalog, found, &request);
            }
            if let Some(live) = &live {
                offer.availability = output::availability(found.availability(request.buying));
                live::add_extras(live, &catalog, found, &mut offer);
            }
            offer
        }));
        envelope.nearest.extend(nearest);
        envelope.funnel.extend(output::funnel(wanted, &answer));
        verdicts.extend(output::explain(&catalog, wanted, &answer));
        notes.extend(wanted.iter().flat_map(|w| w.notes.iter().cloned()));
        notes.extend(mig_note(&catalog, wanted, &request));
        left_off += answer.left_off;
        matches.extend(answer.matches);
    }

    let names = offers::names(&envelope.results);
    let nothing = envelope.results.is_empty();
    let mut exit_code = ExitCode::Found;
    if nothing {
        exit_code = ExitCode::NothingMatches;
    } else if names.is_empty() {
        let message = if live.is_some() {
            "nothing that matches can be rented now"
        } else {
            "everything that matches is retired: none of it can be rented any more"
        };
        if context.settings.output == OutputFormat::Names {
            exit_code = ExitCode::NothingMatches;
            unmatched.push(message.to_owned());
        } else {
            notes.push(Note::new(
                if live.is_some() {
                    "out-of-stock"
                } else {
                    "retired"
                },
                message,
            ));
        }
    }
    let mut envelope = envelope.with_notes(notes);
    envelope.left_off = request.limit.map(|_| left_off);
    let explain = context.settings.explain;
    envelope.explain = explain.then_some(verdicts);

    if let Some(partial) = live.as_ref().and_then(Live::partial) {
        context
            .ui
            .error(&partial, wants_json(Some(context.settings.output)))?;
        exit_code = partial.exit_code;
    }
    let speaks = !matches!(
        context.settings.output,
        OutputFormat::Json | OutputFormat::Yaml
    );
    for line in unmatched.iter().filter(|_| speaks) {
        context.ui.always(line)?;
    }
    if let Some(verdicts) = envelope.explain.as_ref().filter(|_| speaks) {
        print_verdicts(context, verdicts)?;
    }
    if !nothing || live.is_some() {
        footer.extend(offers::footer(
            &catalog,
            context.settings,
            &matches,
            request.buying,
            live.as_ref().map(|live| live::summary(&catalog, live)),
        ));
    }
    if let Some(max_age) = args.live.max_age.filter(|_| live.is_none()) {
        let oldest = offers::oldest(&catalog, context.settings, &matches, request.buying);
        if let Some((days, what)) =
            oldest.filter(|(days, _)| *days as u64 * 86_400 > max_age.as_secs())
        {
            let message = format!("{what} is {days} days old, more than --max-age allows");
            let error = CliError::new(ExitCode::TooOld, "data.too-old", message)
                .advise("ask the providers with --live");
            context
                .ui
                .error(&error, wants_json(Some(context.settings.output)))?;
            exit_code = error.exit_code;
        }
    }
    let several = specs.iter().map(Vec::len).sum::<usize>() > 1;
    let width = context.ui.width();
    let report = Report {
        envelope,
        csv: offers::OFFER_CSV,
        names,
        page: Box::new(|offers, wide| {
            let lead = several.then(|| {
                (
                    "SPEC",
                    offers.iter().map(|offer| offer.spec.clone()).collect(),
                )
            });
            let table = OfferTable {
                lead,
                offers: offers.iter().collect(),
                buying: request.buying,
                wide,
            };
            if offers.is_empty() {
                Page::default()
            } else if args.map {
                map::page(offers, width)
            } else {
                Page::table(table.build())
            }
        }),
        footer,
        exit_code,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

/// The canonical form of all choices.
fn spec_text(wanted: &[Wanted]) -> String {
    let choices: Vec<&str> = wanted.iter().map(|w| w.spec.as_str()).collect();
    choices.join("|")
}

/// The specs of the arguments; `-` is standard input, one spec a line, `#` begins a comment.
fn read(
    catalog: &sky_accel_core::catalog::Catalog<'_>,
    arguments: &[String],
) -> std::result::Result<Vec<Vec<Wanted>>, CliError> {
    let mut specs = Vec::new();
    let mut problems = Vec::new();
    let mut read_one = |text: &str, line: Option<usize>| match interpret(catalog, text) {
        Ok(wanted) => specs.push(wanted),
        Err(errors) => problems.extend(CliError::spec(text, &errors, line).problems),
    };
    for argument in arguments {
        if argument != "-" {
            read_one(argument, None);
            continue;
        }
        let mut input = std::io::stdin().lock();
        for number in 1.. {
            let mut line = Vec::new();
            let mut limited = std::io::Read::take(&mut input, MAX_LINE);
            let len = limited.read_until(b'\n', &mut line).map_err(|error| {
                CliError::usage(
                    "usage.stdin",
                    format!("cannot read standard input: {error}"),
                )
            })?;
            if len == 0 {
                break;
            }
            let text = String::from_utf8_lossy(&line);
            let text = text.split('#').next().unwrap_or_default().trim();
            if number > MAX_SPECS || len as u64 == MAX_LINE {
                let message = format!(
                    "line {number}: at most {MAX_SPECS} lines of {MAX_LINE} bytes are read"
                );
                return Err(CliError::usage("usage.stdin", message));
            }
            if !text.is_empty() {
                read_one(text, Some(number));
            }
        }
    }
    if !problems.is_empty() {
        let error = CliError {
            exit_code: ExitCode::Usage,
            problems,
        };
        return Err(unless_one(catalog, arguments, error));
    }
    if specs.is_empty() {
        return Err(CliError::usage(
            "spec.empty",
            "there is no spec on standard input",
        ));
    }
    Ok(specs)
}

/// Providers that would have matched if they let a tenant cut a GPU.
fn mig_note(
    catalog: &sky_accel_core::catalog::Catalog<'_>,
    wanted: &[Wanted],
    request: &Request,
) -> Option<Note> {
    let cut: Vec<&Wanted> = wanted.iter().filter(|w| w.mig.is_some()).collect();
    let sells_it = |provider: u16| {
        cut.iter().flat_map(|w| &w.candidates).any(|candidate| {
            catalog.offers_of(candidate.accelerator).any(|offer| {
                let offer = catalog.offer(offer);
                offer.provider.0 == provider && offer.mig_profile.len == 0
            })
        })
    };
    let barred: Vec<String> = catalog
        .providers
        .iter()
        .enumerate()
        .filter(|(at, provider)| {
            let id = sky_accel_core::catalog::ProviderId(*at as u16);
            provider.tenant_mig == Some(false)
                && (request.providers.is_empty() || request.providers.contains(&id))
                && sells_it(id.0)
        })
        .map(|(_, provider)| {
            let name = catalog.str(provider.name);
            match catalog.text(provider.tenant_mig_note) {
                Some(why) => format!("{name} ({why})"),
                None => name.to_owned(),
            }
        })
        .collect();
    (!barred.is_empty()).then(|| {
        let names = barred.join(", ");
        let message = format!("whole GPUs are left out where no tenant may switch MIG on: {names}");
        Note::new("mig-not-permitted", message)
    })
}

fn print_verdicts(
    context: &mut Context<'_>,
    verdicts: &[output::ExplainOut<'_>],
) -> std::io::Result<()> {
    let mut table = Table::new([
        Column::left("VERDICT", 0),
        Column::left("PROVIDER", 0),
        Column::left("INSTANCE TYPE", 0),
        Column::left("ACCELERATOR", 1),
        Column::right("COUNT", 1),
        Column::left("WHY", 0),
    ]);
    for verdict in verdicts {
        table.row(
            RowStyle::Plain,
            [
                if verdict.kept { "kept" } else { "dropped" }.to_owned(),
                verdict.provider.to_owned(),
                verdict.instance_type.to_owned(),
                verdict.accelerator.to_owned(),
                verdict
                    .count
                    .map(|count| sky_accel_core::text::number(count.0))
                    .unwrap_or_default(),
                format!("{}: {}", verdict.code, verdict.message),
            ],
        );
    }
    for line in table.lines() {
        context.ui.always(&line)?;
    }
    Ok(())
}

fn core_sort(sort: SortArg) -> Sort {
    match sort {
        SortArg::Price => Sort::Price,
        SortArg::PricePerGpu => Sort::PricePerGpu,
        SortArg::PricePerGb => Sort::PricePerGb,
        SortArg::PricePerTflop => Sort::PricePerTflop,
    }
}
