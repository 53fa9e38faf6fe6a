//! The precision that a request asks for, and the remark on a cheaper one.

use sky_accel_core::catalog::Catalog;
use sky_accel_core::text::number;

use super::RecommendRequest;
use super::precisions::{all, cheaper, nearest};
use super::requirements::{self, Requirements};
use super::search::{Rejected, SearchInput, SizedMachine, spec_of};
use super::sentences::estimate_mark;
use crate::code::ErrorCode;
use crate::contract::{CheaperPrecisionOut, Num, QualityLossOut};
use crate::error::{Error, Result};
use crate::money::Money;
use crate::sizing::{
    ANY, ModelHub, ModelRun, Precision, RunRequest, WeightSource, losses, weight_source,
};

/// A word that means every precision elsewhere.
const ALL: &str = "all";

/// The precision that a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WantedPrecision {
    /// The precision of the model's files.
    Own,
    /// The precision that the request names.
    Given,
    /// The precision that meets the requirements for the least money.
    Any,
}

impl WantedPrecision {
    pub fn of(request: &RecommendRequest) -> Self {
        match request.run.precision.as_deref() {
            None => Self::Own,
            Some(ANY) => Self::Any,
            Some(_) => Self::Given,
        }
    }

    /// The word for the precision in the heading.
    pub fn word(self, work: &ModelRun) -> &str {
        match self {
            Self::Any => "any precision",
            Self::Own | Self::Given => &work.precision,
        }
    }

    /// Reads the model, the work and the requirements of a request; any precision begins with the format of the files.
    ///
    /// # Errors
    ///
    /// Same as [`requirements::read`], and for training in any precision.
    pub fn read(
        self,
        catalog: &Catalog<'_>,
        request: &RecommendRequest,
        hub: Option<&ModelHub<'_>>,
    ) -> Result<(ModelRun, Requirements)> {
        if request.run.precision.as_deref() == Some(ALL) {
            let error = Error::new(ErrorCode::BadValue, format!("unknown `precision` '{ALL}'"));
            return Err(error.hint([ANY.to_owned()]));
        }
        if self != Self::Any {
            return requirements::read(catalog, request, hub);
        }
        if request.run.trains() {
            let message = format!(
                "`precision` {ANY} applies only to inference: training has one format, and `workload` qlora another"
            );
            return Err(Error::new(ErrorCode::BadValue, message));
        }
        let run = RunRequest {
            precision: None,
            ..request.run.clone()
        };
        let own = RecommendRequest {
            run,
            ..request.clone()
        };
        requirements::read(catalog, &own, hub)
    }

    /// The other precisions to search.
    pub fn others<'c>(
        self,
        catalog: &Catalog<'c>,
        request: &RecommendRequest,
        work: &ModelRun,
    ) -> Vec<Precision<'c>> {
        match self {
            Self::Any => all(catalog, work, request.run.kv_precision.is_none()),
            Self::Own | Self::Given => Vec::new(),
        }
    }
}

/// The remark on a format that meets the requirements for much less money; `choices` are ranked.
pub(super) fn cheaper_precision(
    catalog: &Catalog<'_>,
    input: &SearchInput<'_>,
    choices: &[SizedMachine],
    others: (&[SizedMachine], &[Rejected]),
    money: &Money<'_>,
) -> Option<CheaperPrecisionOut> {
    let nearest = nearest(catalog, input.work)?;
    let input = SearchInput {
        others: std::slice::from_ref(&nearest),
        ..*input
    };
    let (choice, saving) = cheaper(catalog, &input, choices, others)?;
    let machine = &choice.machine;
    let offer = catalog.offer(machine.offer);
    let work = &nearest.work;
    let checkpoint = match weight_source(catalog, work, Some(machine.accelerator))? {
        WeightSource::Checkpoint(id) => Some(id.to_owned()),
        WeightSource::Files | WeightSource::OnLoad => None,
    };
    let losses = losses(catalog, work, input.work);
    let percent = (saving * 100.0).floor();
    let price = choice.hourly_price();
    let spec = spec_of(catalog, machine);
    let nodes = (choice.nodes > 1).then_some(choice.nodes);
    let machines = nodes.map_or_else(String::new, |nodes| format!("{nodes} × "));
    let precision = &work.precision;
    let source = checkpoint.as_deref().unwrap_or("quantized on load");
    let seller = catalog.str(catalog.provider(offer.provider).name);
    // The saving is without disk and traffic, which cost the same.
    let of = match choices.first().and_then(|choice| choice.bill) {
        Some(_) => " for the machine",
        None => "",
    };
    let message = format!(
        "{precision} ({source}): {}% less{of} on {machines}{spec} of {seller}, {}{} per hour; {}",
        number(percent),
        estimate_mark(&input, &choice),
        money.text(price.usd_per_hour),
        loss_in_words(&losses),
    );
    Some(CheaperPrecisionOut {
        precision: precision.clone(),
        checkpoint,
        saving_percent: Num(percent),
        spec,
        nodes,
        provider: catalog.provider_id(offer.provider).to_owned(),
        instance_type: catalog.str(offer.id).to_owned(),
        price,
        quality_losses: losses,
        message,
    })
}

/// `expected loss 0 to 1.2% of benchmark scores (arXiv 2411.02355)`.
fn loss_in_words(losses: &[QualityLossOut]) -> String {
    let words: Vec<String> = losses.iter().map(QualityLossOut::words).collect();
    format!("expected loss {}", words.join(", and "))
}
