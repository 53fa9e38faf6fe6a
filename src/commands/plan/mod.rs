//! `plan`: where to try, in which order, and the plan for the engine that applies it.

mod diff;
mod files;
mod input;
mod lock;
mod request;

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};
use sky_accel_core::bind::Wanted;
use sky_accel_core::catalog::{CapacityType, Catalog, OfferId, PriceKind, RegionId};
use sky_accel_core::mig::targets::Layout;
use sky_accel_core::mig::{self, Chip, Gpu};
use sky_accel_core::note::Note;
use sky_accel_core::plan::{Candidate, Plan, Reject, Request, World, plan};
use sky_accel_core::resolve::{Buying, Match, resolve};
use sky_accel_core::text::number;
use sky_accel_providers::Capacity as LiveCapacity;
use sky_accel_targets::{Handover, Rendered, Target};

use self::request::Asked;
use super::{Context, Result, age, live, offers};
use crate::cli::{OutputFormat, PlanArgs, PlanCommand};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::live::Live;
use crate::output::{self, CandidateOut, Envelope, PlanParts, StepOut};
use crate::render::{Column, Page, Report, RowStyle, Table, print};
use crate::settings::Settings;
use crate::wants_json;

#[cfg(feature = "schema")]
pub use self::diff::{ChangeOut, DiffRequest};

const CSV: &[&str] = &[
    "rank",
    "spec",
    "provider",
    "instance_type",
    "accelerator",
    "count",
    "nodes",
    "capacity_type",
    "region",
    "fit",
    "usd_per_hour",
    "usd_total",
    "price.usd_per_hour",
    "price.kind",
    "price.as_of",
    "price.source",
    "warnings",
];

pub fn run(context: &mut Context<'_>, args: &PlanArgs) -> Result<ExitCode> {
    if let Some(PlanCommand::Diff(args)) = &args.command {
        return diff::run(context, args);
    }
    let target = request::target(context.settings, args)?;
    // What cannot be written to, or read, is known before any work is done.
    let folder = args
        .hand_over
        .out
        .as_deref()
        .map(files::Folder::open)
        .transpose()?;
    let lock = match (&args.hand_over.lock, args.hand_over.locked) {
        (Some(path), true) => Some(lock::read(path)?),
        (Some(path), false) => {
            files::probe(path)?;
            None
        }
        (None, _) => None,
    };
    let (wanted, mut notes) = input::read(&context.catalog, args.spec.as_deref().unwrap_or("-"))?;
    let live = if args.live.live {
        let asked = request::live_offers(context.settings, args);
        Some(live::ask(
            &context.catalog,
            context.settings,
            context.ui,
            &args.live,
            &asked,
            !args.exact,
            args.disk.unwrap_or(10),
            std::slice::from_ref(&wanted),
        )?)
    } else {
        None
    };
    let catalog = live
        .as_ref()
        .map_or(context.catalog, |live| live.tables.catalog());
    let Asked { request, echo, job } =
        request::read(&catalog, context.settings, args, target, &wanted)?;
    let world = Now {
        catalog: &catalog,
        settings: context.settings,
        live: live.as_ref(),
        nodes: request.nodes,
        max_age_s: args
            .live
            .max_age
            .filter(|_| live.is_none())
            .map(|age| age.as_secs()),
    };
    let plan = plan(&catalog, &wanted, &request, &world);
    notes.extend(wanted.iter().flat_map(|own| own.notes.iter().cloned()));
    notes.extend(mixed(&catalog, &plan));
    if let Some(live) = &live {
        notes.extend(live.notes.iter().cloned());
    }
    if plan.candidates.is_empty() {
        return nothing(
            context,
            &catalog,
            &wanted,
            &request,
            &plan,
            echo,
            notes,
            live.as_ref(),
        );
    }
    let results: Vec<CandidateOut<'_>> = (1_u32..)
        .zip(&plan.candidates)
        .map(|(rank, own)| candidate(&catalog, &wanted, own, rank, request.nodes))
        .collect();
    let cut = Cut::of(&catalog, &wanted, &plan.candidates[0]);
    let rendered = match target {
        None => None,
        Some(target) => {
            let handover = Handover {
                catalog,
                wanted: &wanted,
                candidates: &plan.candidates,
                job: &job,
                layout: cut.as_ref().map(Cut::layout),
                regions: request.offers.regions.as_ref(),
            };
            let rendered = sky_accel_targets::render(&handover, target)
                .map_err(|why| CliError::usage("plan.cannot-say", why.to_string()))?;
            Some((target, rendered))
        }
    };
    if args.hand_over.strict
        && let Some((target, rendered)) = &rendered
        && !rendered.lossy.is_empty()
    {
        return Err(lossy_error(*target, rendered).into());
    }
    let parts = PlanParts {
        id: id(&echo, &results),
        rejected: plan
            .rejected
            .iter()
            .map(|own| output::rejected(&catalog, &wanted, own))
            .collect(),
        totals: output::totals(&plan.candidates),
        steps: steps(
            cut.as_ref(),
            target,
            rendered.as_ref().map(|(_, rendered)| rendered),
        ),
        render: rendered
            .as_ref()
            .map(|(target, rendered)| output::render(*target, rendered)),
    };
    if let Some(lock) = &lock {
        let now = lock::Now {
            catalog: &catalog,
            overlays: &context.settings.overlays,
            request: &echo,
            results: &results,
        };
        lock::hold(lock, &now)?;
    }
    let mut envelope =
        Envelope::new("sky-accel.plan.v1", &catalog, echo, results).with_notes(notes);
    envelope.left_off = (plan.left_off > 0).then_some(plan.left_off);
    if let Some(live) = &live {
        envelope.live = live::answers(&catalog, live);
    }
    let mut exit_code = ExitCode::Found;
    if let Some(partial) = live.as_ref().and_then(Live::partial) {
        context
            .ui
            .error(&partial, wants_json(Some(context.settings.output)))?;
        exit_code = partial.exit_code;
    }
    if let (Some(path), None) = (&args.hand_over.lock, &lock) {
        let now = lock::Now {
            catalog: &catalog,
            overlays: &context.settings.overlays,
            request: &envelope.request,
            results: &envelope.results,
        };
        lock::write(path, &now)?;
    }
    let written = match (&folder, &rendered) {
        (Some(folder), Some((_, rendered))) => folder.write(&rendered.files)?,
        _ => Vec::new(),
    };
    let prints_document = matches!(
        context.settings.output,
        OutputFormat::Table | OutputFormat::Wide
    );
    if let Some((target, rendered)) = &rendered
        && prints_document
    {
        hand_over(context, *target, rendered, &written)?;
        context.ui.notes(&envelope.notes)?;
        return Ok(exit_code);
    }
    let matches: Vec<Match> = plan.candidates.iter().map(output::priced).collect();
    let mut footer = offers::footer(
        &catalog,
        context.settings,
        &matches,
        Buying::Any,
        live.as_ref().map(|live| live::summary(&catalog, live)),
    );
    footer.extend(rejections(&plan));
    let mut names: Vec<String> = Vec::new();
    for own in &envelope.results {
        if !names.iter().any(|name| name == own.instance_type) {
            names.push(own.instance_type.to_owned());
        }
    }
    let nodes = request.nodes;
    let report = Report {
        envelope: envelope.with_more(parts),
        csv: CSV,
        names,
        page: Box::new(move |results, wide| Page::table(table(results, nodes, wide))),
        footer,
        exit_code,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

/// What is known now.
struct Now<'n, 'a> {
    catalog: &'n Catalog<'a>,
    settings: &'n Settings,
    live: Option<&'n Live>,
    nodes: u32,
    max_age_s: Option<u64>,
}

impl World for Now<'_, '_> {
    fn is_stale(&self, as_of: Option<&str>) -> bool {
        let Some(max) = self.max_age_s else {
            return false;
        };
        let Some(as_of) = as_of else {
            return true;
        };
        let days = age::days(self.settings, as_of).and_then(|days| u64::try_from(days).ok());
        days.is_some_and(|days| days * 86_400 > max)
    }

    fn quota_allows(
        &self,
        offer: OfferId,
        region: Option<RegionId>,
        capacity: CapacityType,
    ) -> Option<bool> {
        let row = self.catalog.offer(offer);
        let id = self.catalog.str(row.id).to_owned();
        let extras = self.live?.extras.get(&(row.provider, id))?;
        let region = self.catalog.region_id(region?);
        let capacity = match capacity {
            CapacityType::OnDemand => LiveCapacity::OnDemand,
            CapacityType::Spot => LiveCapacity::Spot,
        };
        let mut all = extras.quotas.iter();
        let quota = all.find(|quota| quota.region == region && quota.capacity == capacity)?;
        Some(row.vcpu? * f64::from(self.nodes) <= quota.limit)
    }
}

/// How the GPUs of a candidate are cut.
struct Cut<'a> {
    chip: Chip<'a>,
    accelerators: Vec<sky_accel_core::catalog::AcceleratorId>,
    gpus: Vec<Gpu>,
}

impl<'a> Cut<'a> {
    fn of(catalog: &Catalog<'a>, wanted: &[Wanted], candidate: &Candidate) -> Option<Self> {
        let choice = &wanted[candidate.found.choice];
        // What is sold as a slice is cut already.
        if catalog.offer(candidate.found.offer).mig_profile.len > 0 {
            return None;
        }
        let accelerator = candidate.found.accelerator;
        let chip = Chip::new(catalog, catalog.geometry(catalog.accelerator(accelerator))?);
        let each = choice.count_given.then_some(candidate.found.gpus_needed);
        let gpus = mig::cut_gpus(&chip, choice.mig.as_ref()?, each)?;
        Some(Self {
            chip,
            accelerators: vec![accelerator],
            gpus,
        })
    }

    fn layout(&self) -> Layout<'_, 'a> {
        Layout {
            chip: &self.chip,
            accelerators: &self.accelerators,
            gpus: &self.gpus,
        }
    }
}

fn candidate<'a>(
    catalog: &Catalog<'a>,
    wanted: &[Wanted],
    own: &Candidate,
    rank: u32,
    nodes: u32,
) -> CandidateOut<'a> {
    let mut out = output::candidate(catalog, wanted, own, rank, nodes);
    if let Some(cut) = Cut::of(catalog, wanted, own) {
        out.mig = Some(output::MigOut {
            gpus_needed: cut.gpus.len() as u32,
            placements: output::placements(&cut.chip, &cut.gpus),
        });
    }
    out
}

/// The same for equal plans.
fn id(request: &output::PlanRequest, results: &[CandidateOut<'_>]) -> String {
    let text = serde_json::to_vec(&(request, results)).unwrap_or_default();
    let digest = Sha256::digest(&text);
    let hex: String = digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("pl_{hex}")
}

/// Prices of this minute beside those of a catalog do not compare.
fn mixed(catalog: &Catalog<'_>, plan: &Plan) -> Option<Note> {
    let is_live = |own: &Candidate| {
        let quote = own.quote?;
        Some(catalog.prices[quote.price as usize].kind == PriceKind::Live)
    };
    let has = |live| plan.candidates.iter().any(|own| is_live(own) == Some(live));
    (has(true) && has(false)).then(|| {
        Note::new(
            "mixed-provenance",
            "prices of this minute are ranked beside those of the catalog",
        )
    })
}

fn steps(
    cut: Option<&Cut<'_>>,
    target: Option<Target>,
    rendered: Option<&Rendered>,
) -> Vec<StepOut> {
    use Target as T;
    const PROVISION: [Target; 13] = [
        T::SkyPilot,
        T::Dstack,
        T::Karpenter,
        T::Terraform,
        T::CloudFormation,
        T::Ec2Fleet,
        T::AwsCli,
        T::RunPod,
        T::VastAi,
        T::Verda,
        T::Ray,
        T::Modal,
        T::Skyward,
    ];
    const PARTITION: [Target; 2] = [T::NvidiaSmi, T::MigParted];
    const SCHEDULE: [Target; 6] = [
        T::Kubernetes,
        T::Dra,
        T::Flyte,
        T::Slurm,
        T::Compose,
        T::Docker,
    ];
    let files = |targets: &[Target]| -> Vec<String> {
        let own = target.is_some_and(|target| targets.contains(&target));
        let mine = |name: &str| (name == "mig.sh") == (targets == PARTITION);
        let all = rendered.into_iter().flat_map(|rendered| &rendered.files);
        let cuts = targets == PARTITION;
        all.map(|file| file.name.clone())
            .filter(|name| {
                if cuts {
                    name == "mig.sh" || own
                } else {
                    own && mine(name)
                }
            })
            .collect()
    };
    let names = |targets: &[Target]| targets.iter().map(|target| target.name()).collect();
    let mut steps = vec![StepOut {
        id: "provision",
        after: None,
        what: "rent the first candidate that can be had, in their order".to_owned(),
        targets: names(&PROVISION),
        commands: Vec::new(),
        files: files(&PROVISION),
    }];
    if let Some(cut) = cut {
        steps.push(StepOut {
            id: "partition",
            after: Some("provision"),
            what: "cut the GPUs of each machine".to_owned(),
            targets: names(&PARTITION),
            commands: cut
                .layout()
                .nvidia_smi()
                .lines()
                .map(str::to_owned)
                .collect(),
            files: files(&PARTITION),
        });
    }
    steps.push(StepOut {
        id: "schedule",
        after: Some(if cut.is_some() {
            "partition"
        } else {
            "provision"
        }),
        what: "run the work on it".to_owned(),
        targets: names(&SCHEDULE),
        commands: Vec::new(),
        files: files(&SCHEDULE),
    });
    steps
}

/// Prints the document, or says where the files are; what is lost and what is to be filled in goes
/// to standard error.
fn hand_over(
    context: &mut Context<'_>,
    target: Target,
    rendered: &Rendered,
    written: &[String],
) -> Result<()> {
    if written.is_empty() {
        if let Some(file) = rendered.files.first() {
            std::io::Write::write_all(context.ui.stdout(), file.text.as_bytes())?;
        }
    } else {
        for path in written {
            context.ui.line(path)?;
        }
    }
    context.ui.flush()?;
    for loss in &rendered.lossy {
        context
            .ui
            .always(&format!("lost: {}: {}", loss.code, loss.message))?;
    }
    for placeholder in &rendered.placeholders {
        context.ui.footer(&format!(
            "fill in {}: {}",
            placeholder.name, placeholder.meaning
        ))?;
    }
    if let [_, others @ ..] = &rendered.files[..]
        && written.is_empty()
        && !others.is_empty()
    {
        let names: Vec<&str> = others.iter().map(|file| file.name.as_str()).collect();
        context.ui.footer(&format!(
            "{} has more files: {} (--out DIR writes them all)",
            target.name(),
            names.join(", ")
        ))?;
    }
    Ok(())
}

fn lossy_error(target: Target, rendered: &Rendered) -> CliError {
    let mut problems = rendered.lossy.iter().map(|loss| {
        let message = format!(
            "{} cannot say it: {}: {}",
            target.name(),
            loss.code,
            loss.message
        );
        CliError::usage("plan.lossy", message).problems
    });
    let mut error = CliError::usage("plan.lossy", "the target cannot say all that is asked");
    if let Some(first) = problems.next() {
        error.problems = first;
        error.problems.extend(problems.flatten());
    }
    error
}

/// `left out: 12 count, 3 over-budget`.
fn rejections(plan: &Plan) -> Option<String> {
    let mut counts: BTreeMap<Reject, usize> = BTreeMap::new();
    for own in &plan.rejected {
        *counts.entry(own.reason).or_default() += 1;
    }
    let parts: Vec<String> = counts
        .iter()
        .map(|(reason, n)| format!("{n} {}", reason.code()))
        .collect();
    (!parts.is_empty()).then(|| format!("left out: {} (-o json tells why)", parts.join(", ")))
}

/// When there is no candidate: what was left out, the funnel, and what is near.
#[expect(clippy::too_many_arguments, reason = "all that an answer is made of")]
fn nothing(
    context: &mut Context<'_>,
    catalog: &Catalog<'_>,
    wanted: &[Wanted],
    request: &Request,
    plan: &Plan,
    echo: output::PlanRequest,
    notes: Vec<Note>,
    live: Option<&Live>,
) -> Result<ExitCode> {
    let answer = resolve(catalog, wanted, &request.offers);
    let spec = echo.spec.clone();
    let nearest: Vec<_> = answer
        .nearest
        .iter()
        .map(|near| output::nearest(catalog, wanted, near))
        .collect();
    let only_stale = !plan.rejected.is_empty()
        && plan.rejected.iter().any(|own| own.reason == Reject::Stale)
        && plan
            .rejected
            .iter()
            .filter(|own| own.capacity.is_some())
            .all(|own| own.reason == Reject::Stale);
    let mut exit_code = ExitCode::NothingMatches;
    if only_stale {
        let message = "every price is older than --max-age allows";
        let error = CliError::new(ExitCode::TooOld, "data.too-old", message)
            .advise("ask the providers with --live");
        context
            .ui
            .error(&error, wants_json(Some(context.settings.output)))?;
        exit_code = error.exit_code;
    } else if !matches!(
        context.settings.output,
        OutputFormat::Json | OutputFormat::Yaml
    ) {
        if answer.matches.is_empty() {
            for line in offers::nothing_lines(&spec, &answer, &nearest, request.offers.buying) {
                context.ui.always(&line)?;
            }
        } else {
            context
                .ui
                .always(&format!("nothing that matches {spec} can be used"))?;
            for own in plan.rejected.iter().filter(|own| own.capacity.is_some()) {
                let own = output::rejected(catalog, wanted, own);
                context.ui.always(&format!(
                    "  {} {} {}: {}: {}",
                    own.provider,
                    own.instance_type,
                    own.capacity_type.unwrap_or_default(),
                    own.reason,
                    own.detail
                ))?;
            }
        }
    }
    let mut envelope = Envelope::new(
        "sky-accel.plan.v1",
        catalog,
        echo,
        Vec::<CandidateOut<'_>>::new(),
    )
    .with_notes(notes);
    envelope.funnel = output::funnel(wanted, &answer);
    envelope.nearest = nearest;
    if let Some(live) = live {
        envelope.live = live::answers(catalog, live);
        if let Some(partial) = live.partial() {
            context
                .ui
                .error(&partial, wants_json(Some(context.settings.output)))?;
            exit_code = partial.exit_code;
        }
    }
    let parts = PlanParts {
        id: id(&envelope.request, &[]),
        rejected: plan
            .rejected
            .iter()
            .map(|own| output::rejected(catalog, wanted, own))
            .collect(),
        totals: output::totals(&[]),
        steps: Vec::new(),
        render: None,
    };
    let report = Report {
        envelope: envelope.with_more(parts),
        csv: CSV,
        names: Vec::new(),
        page: Box::new(|_, _| Page::default()),
        footer: Vec::new(),
        exit_code,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

fn table(results: &[CandidateOut<'_>], nodes: u32, wide: bool) -> Table {
    let has_total = results.iter().any(|own| own.usd_total.is_some());
    let mut columns = vec![
        Column::right("#", 3),
        Column::left("PROVIDER", 0),
        Column::left("INSTANCE TYPE", 0),
        Column::left("ACCELERATOR", 3),
        Column::right("COUNT", 2),
        Column::left("CAPACITY", 0),
        Column::left("REGION", 1),
        Column::right("USD/H", if nodes > 1 { 2 } else { 0 }),
    ];
    if nodes > 1 {
        columns.push(Column::right("NODES", 1));
        columns.push(Column::right("ALL USD/H", 0));
    }
    if has_total {
        columns.push(Column::right("USD TOTAL", 1));
    }
    columns.extend([
        Column::left("FIT", 4),
        Column::left("KIND", 5),
        Column::left("AS OF", 5),
        Column::left("REMARK", 6),
    ]);
    if wide {
        columns.extend([
            Column::right("VCPU", 7),
            Column::right("RAM GIB", 7),
            Column::left("CHECKS", 7),
            Column::left("SOURCE", 7),
        ]);
    }
    let mut table = Table::new(columns);
    let usd = |amount: Option<output::Num>| {
        amount.map_or_else(|| "?".to_owned(), |usd| format!("{:.2}", usd.0))
    };
    for own in results {
        let price = own.price.as_ref();
        let mut cells = vec![
            own.rank.to_string(),
            own.provider.to_owned(),
            own.instance_type.to_owned(),
            own.accelerator.to_owned(),
            number(own.count.0),
            own.capacity_type.to_owned(),
            own.region.unwrap_or("?").to_owned(),
            usd(price.map(|price| price.usd_per_hour)),
        ];
        if nodes > 1 {
            cells.push(own.nodes.to_string());
            cells.push(usd(own.usd_per_hour));
        }
        if has_total {
            cells.push(usd(own.usd_total));
        }
        let mut remarks: Vec<String> = own.warnings.iter().map(|&code| code.to_owned()).collect();
        let failed = own.checks.iter().filter(|check| check.state == "fail");
        remarks.extend(failed.map(|check| format!("{} check failed", check.id)));
        cells.extend([
            own.fit.to_owned(),
            price.map(|price| price.kind.to_owned()).unwrap_or_default(),
            price
                .map(|price| price.as_of.to_owned())
                .unwrap_or_default(),
            remarks.join(", "),
        ]);
        if wide {
            let figure = |figure: Option<output::Num>| {
                figure.map_or("?".to_owned(), |figure| number(figure.0))
            };
            let checks: Vec<String> = own
                .checks
                .iter()
                .map(|check| format!("{} {}", check.id, check.state))
                .collect();
            cells.extend([
                figure(own.vcpu),
                figure(own.host_memory_gib),
                checks.join(", "),
                price
                    .map(|price| price.source.to_owned())
                    .unwrap_or_default(),
            ]);
        }
        let style = if own.rank == 1 {
            RowStyle::Best
        } else {
            RowStyle::Plain
        };
        table.row(style, cells);
    }
    table
}
