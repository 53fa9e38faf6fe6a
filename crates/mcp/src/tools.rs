//! The tools: what each is for, and the request that a call becomes.

use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use sky_accel_core::bind::Wanted;
use sky_accel_engine::asking::{DEFAULT_DISK_GB, Live, LiveRequest};
use sky_accel_engine::contract::{DetectRequest, Num, PackRequest};
use sky_accel_engine::{
    Error, ErrorCode, FitHardware, FitRequest, Image, ModelSource, NamesRequest, Nodes,
    OfferFilter, PlanRequest, RecommendRequest, ResolveRequest, RunRequest, Spec, Work,
    read_machine, run_from_json,
};

use crate::{Desk, arguments, pages, schema};

type Object = Map<String, Value>;
type Result<T> = std::result::Result<T, Error>;

/// The introduction that agents read first.
pub const INSTRUCTIONS: &str = "Finds GPUs and other accelerators to rent, in the words and at the prices of sixty clouds. \
    Nothing is rented. For a model, start with recommend; for known hardware, with resolve; then write a plan. \
    A spec is NAME[:MEMORY][:xCOUNT], such as A100:80GB:x8, with alternatives after |. \
    Prices are USD per hour of a whole machine, and each has its date. \
    Notes say what an answer leaves out.";

/// A tool as it is listed and called.
pub struct Tool {
    pub name: &'static str,
    pub description: &'static str,
    /// Results on a page; `None` for a tool whose results are few.
    rows_of_page: Option<usize>,
    schema: fn() -> Object,
    answer: fn(&Desk<'_>, Value) -> Result<Value>,
}

/// Arguments that can be answered.
trait Ask: DeserializeOwned + JsonSchema {
    fn ask(self, desk: &Desk<'_>) -> Result<Value>;
}

struct Of<A>(PhantomData<A>);

impl<A: Ask> Of<A> {
    const fn tool(
        name: &'static str,
        rows_of_page: Option<usize>,
        description: &'static str,
    ) -> Tool {
        Tool {
            name,
            description,
            rows_of_page,
            schema: schema::of::<A>,
            answer: |desk, arguments| {
                let arguments: A = serde_json::from_value(arguments)
                    .map_err(|error| Error::new(ErrorCode::Request, error.to_string()))?;
                arguments.ask(desk)
            },
        }
    }
}

pub const TOOLS: [Tool; 8] = [
    Of::<arguments::Recommend>::tool(
        "recommend",
        Some(5),
        "What to rent for a model: machines that fit, ranked by cost for the work, with speed at the load and reasons. Give the load (concurrency or request_rate) of a server, tokens of a job.",
    ),
    Of::<arguments::Resolve>::tool(
        "resolve",
        Some(10),
        "Offers for a hardware spec at every provider: instance types, prices, regions. Without a match, why, and what is nearest.",
    ),
    Of::<arguments::Fit>::tool(
        "fit",
        Some(5),
        "Whether a model fits on given hardware, memory term by term, how fast it is, and what would make it fit. fit and recommend take more fields of a run, such as kv_precision, tensor_parallel, lora_rank, prefix_cache; an unknown one is answered with their list.",
    ),
    Of::<arguments::Plan>::tool(
        "plan",
        None,
        "Places to rent a spec in the order to try, and with `to` the files for an engine such as SkyPilot or Terraform, in render.",
    ),
    Of::<arguments::MigPack>::tool(
        "mig_pack",
        Some(5),
        "The fewest GPUs that hold MIG slices, with every placement.",
    ),
    Of::<arguments::Convert>::tool(
        "convert",
        None,
        "A spec in another tool's notation, and what that loses.",
    ),
    Of::<arguments::Show>::tool(
        "show",
        Some(1),
        "All figures, names, MIG profiles and offers of an accelerator or instance type.",
    ),
    Of::<arguments::Detect>::tool(
        "detect",
        None,
        "The accelerators of the machine that this server runs on.",
    ),
];

impl Tool {
    /// Its input schema; `live` is a field only where the server may ask the providers.
    pub fn schema(&self, is_live: bool) -> Object {
        let mut schema = (self.schema)();
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            if !is_live {
                properties.remove("live");
            }
            if self.rows_of_page.is_some() {
                let page = serde_json::json!({ "type": "integer", "minimum": 1 });
                properties.insert("page".to_owned(), page);
            }
        }
        schema
    }

    /// The answer to a call: a document of the JSON contract, perhaps one page of it.
    pub fn call(&self, desk: &Desk<'_>, mut arguments: Object) -> Result<Value> {
        let schema = self.schema(desk.live.is_some());
        if arguments.get("live") == Some(&Value::Bool(false)) && desk.live.is_none() {
            arguments.remove("live");
        }
        if arguments.contains_key("live") && desk.live.is_none() {
            let message = "this server answers from its catalog: it was started without --live";
            return Err(Error::new(ErrorCode::Request, message));
        }
        schema::check(&schema, &arguments)?;
        let page = arguments.remove("page").and_then(|page| page.as_u64());
        let page = usize::try_from(page.unwrap_or(1)).unwrap_or(usize::MAX);
        // What is null is not given.
        arguments.retain(|_, value| !value.is_null());
        let mut document = (self.answer)(desk, Value::Object(arguments))?;
        pages::cut(&mut document, page, self.rows_of_page.unwrap_or(usize::MAX));
        Ok(document)
    }
}

/// A document of the contract as a value.
fn document(envelope: &impl Serialize) -> Result<Value> {
    serde_json::to_value(envelope).map_err(|error| Error::new(ErrorCode::Output, error.to_string()))
}

fn filter(offers: arguments::Offers, currency: Option<String>, desk: &Desk<'_>) -> OfferFilter {
    let given = OfferFilter {
        providers: offers.providers,
        regions: offers.regions,
        capacity_type: offers.capacity_type.map(|it| it.0).unwrap_or_default(),
        max_price: offers.max_price.map(Num),
        currency,
        ..OfferFilter::default()
    };
    given.or(&desk.offers)
}

/// Asks the providers, where the call wants it.
fn ask_live(
    desk: &Desk<'_>,
    specs: &[Vec<Wanted>],
    offers: &OfferFilter,
    (at_least, disk_gb): (bool, u32),
    required_of: &OfferFilter,
) -> Result<Live> {
    let options = LiveRequest {
        at_least,
        disk_gb: f64::from(disk_gb),
        required: required_of.providers_by_name(&desk.engine.catalog()),
        ..desk.live.clone().unwrap_or_default()
    };
    let engine = &desk.engine;
    engine.ask(desk.session, specs, offers, &options, &|_| {})
}

fn run(run: &arguments::Run) -> Result<RunRequest> {
    let Value::Object(fields) = document(run)? else {
        return Ok(RunRequest::default());
    };
    let mut request = run_from_json(fields)?;
    request.model = Some(ModelSource::read(&run.model));
    Ok(request)
}

impl Ask for arguments::Resolve {
    fn ask(self, desk: &Desk<'_>) -> Result<Value> {
        let mut request = ResolveRequest {
            offers: filter(self.offers, self.currency, desk),
            at_least: self.at_least,
            sort: self.sort.map(|it| it.0).unwrap_or_default(),
            by_figure_alone: self.sort.is_some(),
            group_by: self.group_by.map(|it| it.0),
            disk_gb: Some(DEFAULT_DISK_GB),
            max_age: desk.max_age,
            ..ResolveRequest::default()
        };
        let texts: Vec<Spec> = self.specs.into_iter().map(Spec::from).collect();
        let specs = desk.engine.bind(&texts)?;
        let live = if self.live {
            let wide = (self.at_least, DEFAULT_DISK_GB);
            Some(ask_live(
                desk,
                &specs,
                &request.offers,
                wide,
                &request.offers,
            )?)
        } else {
            None
        };
        let engine = desk.engine.with(live.as_ref());
        request.specs = specs.into_iter().map(Spec::from).collect();
        let answer = engine.resolve(&request)?;
        match answer.too_old {
            Some(error) => Err(error),
            None => document(&answer.envelope),
        }
    }
}

impl Ask for arguments::Recommend {
    fn ask(self, desk: &Desk<'_>) -> Result<Value> {
        let nodes = self.nodes.as_deref().map(|text| {
            Nodes::parse(text).ok_or_else(|| {
                let most = Nodes::MOST;
                let message =
                    format!("nodes is a number or a range from 1 to {most}, such as 1..8");
                Error::new(ErrorCode::Request, message)
            })
        });
        let request = RecommendRequest {
            run: run(&self.run)?,
            objective: self.objective.map(|it| it.0).unwrap_or_default(),
            tokens: self.tokens,
            deadline_hours: self.deadline_hours,
            budget_usd: self.budget_usd,
            on: self.on,
            nodes: nodes.transpose()?,
            tier_order: self.tier.map(|it| it.0).unwrap_or_default(),
            every_machine: false,
            offers: filter(self.offers, None, desk),
        };
        let answer = desk.with_hub(|hub| desk.engine.recommend(&request, hub))?;
        document(&answer.envelope)
    }
}

impl Ask for arguments::Fit {
    fn ask(self, desk: &Desk<'_>) -> Result<Value> {
        let request = FitRequest {
            hardware: FitHardware::Spec(self.spec),
            nodes: self.nodes.unwrap_or(1),
            run: run(&self.run)?,
        };
        let answer = desk.with_hub(|hub| desk.engine.fit(&request, hub))?;
        document(&answer.envelope)
    }
}

impl Ask for arguments::Plan {
    fn ask(self, desk: &Desk<'_>) -> Result<Value> {
        if self.spot_first && self.offers.capacity_type.is_some() {
            let message = "spot_first tries both capacity types: leave out capacity_type";
            return Err(Error::new(ErrorCode::Request, message));
        }
        let image = self.image.map(|image| image.parse::<Image>());
        let image = image
            .transpose()
            .map_err(|error| Error::new(ErrorCode::Request, error.to_string()))?;
        let mut request = PlanRequest {
            offers: filter(self.offers, None, desk),
            spot_first: self.spot_first,
            nodes: self.nodes.unwrap_or(1),
            hours: self.hours,
            budget_usd: self.budget_usd,
            interconnect: self.interconnect.map(|it| it.0),
            disk_gb: self.disk_gb,
            work: Work {
                image,
                command: self.command,
                ..Work::default()
            },
            target: self.to.map(|it| it.0),
            max_age: desk.max_age,
            ..PlanRequest::new(self.spec)
        };
        let specs = desk.engine.bind(std::slice::from_ref(&request.spec))?;
        let live = if self.live {
            let offers = request.live_offers(&desk.engine.catalog());
            let wide = (true, request.disk_gb.unwrap_or(DEFAULT_DISK_GB));
            Some(ask_live(desk, &specs, &offers, wide, &request.offers)?)
        } else {
            None
        };
        let engine = desk.engine.with(live.as_ref());
        request.spec = specs.concat().into();
        let answer = engine.plan(&request)?;
        match answer.too_old {
            Some(error) => Err(error),
            None => document(&answer.envelope),
        }
    }
}

impl Ask for arguments::MigPack {
    fn ask(self, desk: &Desk<'_>) -> Result<Value> {
        let request = PackRequest {
            gpu: self.gpu,
            slices: self.slices,
            sizes: self.sizes,
            gpus: self.gpus,
            ..PackRequest::default()
        };
        if !(request.slices.is_empty() || request.sizes.is_empty()) {
            let message = "slices are given by profile or by memory: leave out slices or sizes";
            return Err(Error::new(ErrorCode::Request, message));
        }
        document(&desk.engine.mig_pack(&request)?.envelope)
    }
}

impl Ask for arguments::Convert {
    fn ask(self, desk: &Desk<'_>) -> Result<Value> {
        document(&desk.engine.convert(&self.spec, self.to.0)?)
    }
}

impl Ask for arguments::Show {
    fn ask(self, desk: &Desk<'_>) -> Result<Value> {
        let request = NamesRequest { names: self.names };
        document(&desk.engine.show(&request)?.envelope)
    }
}

impl Ask for arguments::Detect {
    fn ask(self, desk: &Desk<'_>) -> Result<Value> {
        let request = DetectRequest {
            check: self.check,
            from: None,
        };
        // A wrong spec is told before any tool is asked.
        desk.engine.detect(&request, &[])?;
        let machine = read_machine(None)?;
        document(&desk.engine.detect(&request, &machine)?.envelope)
    }
}
