//! The rows of a recommendation.

use sky_accel_core::catalog::{Catalog, RegionId};
use sky_accel_core::resolve::Match;

use super::replicas::{NO_NETWORK, layout_of_one};
use super::search::{SearchInput, SizedMachine, devices, spec_of};
use super::sentences::why;
use crate::contract::{self, FitOut, InterconnectOut, Num, RecommendOut};
use crate::launch::launch;
use crate::recommend_words::Basis;
use crate::sizing::{self, ModelRun, Sizer, WeightSource, losses, rate, weight_source};

/// Returns the row of a machine: its offer, its prices, and the fit of the model on it.
pub(super) fn row<'c>(
    catalog: &Catalog<'c>,
    input: &SearchInput<'_>,
    rank: usize,
    choice: &SizedMachine,
    is_pareto: Option<bool>,
) -> RecommendOut<'c> {
    let work = &*input.work_of(choice);
    let machine = &choice.machine;
    let is_asked = |region| {
        let filter = input.offers.regions.as_ref();
        filter.is_none_or(|filter| filter.allows(region))
    };
    let spec = spec_of(catalog, machine);
    let model = &choice.model;
    let nodes = (choice.nodes > 1).then_some(choice.nodes);
    let rounded = |usd: f64| Num((usd * 1e4).round() / 1e4);
    let is_searched = !input.others.is_empty();
    let source = is_searched.then(|| weight_source(catalog, work, Some(machine.accelerator)));
    let price = choice.hourly_price();
    RecommendOut {
        rank,
        precision: is_searched.then(|| work.precision.clone()),
        kv_precision: is_searched.then_some(work.run.cache),
        max_num_seqs: model.settings.map(|settings| Num(settings.max_sequences)),
        max_batched_tokens: model
            .settings
            .map(|settings| Num(settings.max_batched_tokens)),
        gpu_memory_utilization: model.settings.map(|settings| Num(settings.memory_share)),
        checkpoint: match source.flatten() {
            Some(WeightSource::Checkpoint(id)) => Some(id.to_owned()),
            Some(WeightSource::Files | WeightSource::OnLoad) | None => None,
        },
        quality_losses: losses(catalog, work, input.work),
        offer: contract::offer(
            catalog,
            input.offers.likely.as_ref(),
            &spec,
            machine,
            is_asked,
            false,
        ),
        spec,
        nodes,
        interconnect: choice.interconnect.as_ref().map(|joined| InterconnectOut {
            kind: joined.fabric,
            gb_per_s_per_accelerator: Num(joined.bytes_per_s / 1e9),
            source: joined.source.clone(),
        }),
        tier: Some(choice.tier),
        usd_per_hour: Some(price.usd_per_hour),
        ranking_cost: ranking_cost(input, choice),
        low: Some(price.low),
        high: Some(price.high),
        usd_per_million_tokens: choice
            .usd_per_million()
            .map(|usd| Num((usd * 1e6).round() / 1e6)),
        usd_per_item: choice.usd_per_item().map(significant),
        seconds_per_item: model.items_per_s.map(|per_s| rate(1.0 / per_s)),
        tokens_per_s: model.tokens_per_s.map(rate),
        tokens_per_s_per_user: model.speed.map(rate),
        ttft_s: model.first_token_s.map(rate),
        max_users: model
            .served
            .filter(|_| !work.is_batch_job)
            .map(|served| Num(served.most_users.floor())),
        hours: choice.hours.map(|hours| rounded(hours.taken)),
        billed_hours: choice.hours.map(|hours| rounded(hours.billed)),
        usd_total: choice.usd_total().map(|usd| rounded(usd.decimal())),
        pareto: is_pareto,
        fit: Some(fit_of(catalog, input, choice, work)),
        why: why(catalog, work, input.requirements, choice),
        bill: None,
    }
}

/// Returns the fit of the model on a machine, with the command that starts the servers and the emissions of the region.
fn fit_of(
    catalog: &Catalog<'_>,
    input: &SearchInput<'_>,
    choice: &SizedMachine,
    work: &ModelRun,
) -> FitOut {
    let machine = &choice.machine;
    let mut sizer = Sizer::new(catalog, machine.accelerator, work);
    if let Some(part) = &choice.part {
        sizer = sizer.part(part);
    }
    let model = &choice.model;
    let layout = &model.fitted.layout;
    let (alone, joined) = (sizer.clone(), choice.interconnect.as_ref());
    if choice.nodes > 1 {
        sizer = sizer
            .machines(choice.nodes, devices(machine))
            .network(joined.map_or(NO_NETWORK, |joined| joined.bytes_per_s));
    }
    let mut fit = sizing::out(
        catalog,
        machine.accelerator,
        choice.devices(),
        work,
        &sizer,
        &model.fitted,
    );
    fit.nodes = (choice.nodes > 1).then_some(choice.nodes);
    let id = machine.accelerator;
    // Each of several separate machines starts its own servers.
    let command = if choice.nodes > 1 && joined.is_none() {
        let layout = layout_of_one(layout, choice.nodes);
        launch(catalog, work, id, &alone, &layout, 1)
    } else {
        launch(catalog, work, id, &sizer, layout, choice.nodes)
    };
    fit.launch = command.map(Into::into);
    let region = region_of(catalog, machine, input);
    if let (Some(energy), Some(region)) = (&mut fit.energy, region) {
        let place = catalog.region(region);
        let provider = catalog.provider_id(place.provider);
        let (id, country) = (catalog.str(place.id), catalog.str(place.country));
        if let Some(grams) = sizing::grid_intensity(catalog, provider, id, country) {
            energy.add_carbon(grams);
        }
    }
    fit
}

/// Rounds a price that may be a small fraction of a cent to four digits.
fn significant(usd: f64) -> Num {
    if usd <= 0.0 {
        return Num(usd);
    }
    let scale = 10_f64.powf(3.0 - usd.log10().floor());
    Num((usd * scale).round() / scale)
}

/// The region that the row names: of the price, or else the first requested one where the offer is sold.
fn region_of(catalog: &Catalog<'_>, machine: &Match, input: &SearchInput<'_>) -> Option<RegionId> {
    let quoted = machine.ranking_quote(input.offers.capacity_filter)?.region;
    let filter = input.offers.regions.as_ref();
    quoted.or_else(|| {
        let sold = catalog.regions(catalog.offer(machine.offer).regions);
        let mut sold = sold.iter();
        sold.find(|id| filter.is_none_or(|filter| filter.allows(*id)))
    })
}
/// The cost that ranks a machine, if it differs from its own.
fn ranking_cost(input: &SearchInput<'_>, choice: &SizedMachine) -> Option<Num> {
    /// Costs that differ by less are equal but for rounding.
    const EQUAL: f64 = 1e-9;
    let share = choice.ranked_share;
    let cost = match input.requirements.basis {
        Basis::Hour => choice.usd_per_hour.decimal(),
        Basis::MillionTokens => choice.usd_per_item().or(choice.usd_per_million())?,
        Basis::Job => choice.usd_total()?.decimal(),
    };
    ((share - 1.0).abs() > EQUAL && share.is_finite()).then(|| significant(cost * share))
}

#[cfg(test)]
mod tests {
    use crate::recommend::RecommendRequest;
    use crate::recommend_words::Tier;
    use crate::sizing::{ModelSource, RunRequest};
    use crate::{Engine, OfferFilter};

    #[test]
    fn rows_of_a_job_are_sorted_by_the_cost_that_ranks_them() {
        let request = RecommendRequest {
            run: RunRequest {
                model: Some(ModelSource::read("Llama-3.1-8B")),
                ..RunRequest::default()
            },
            tokens: Some(5e6),
            offers: OfferFilter {
                limit: Some(60),
                ..OfferFilter::default()
            },
            ..RecommendRequest::default()
        };
        let answer = Engine::embedded().recommend(&request, None).unwrap();
        let rows = answer.envelope.results;
        // Doubtful prices come last at any cost.
        let sound = rows.iter().filter(|row| {
            let mut reasons = row.offer.reasons.iter();
            row.tier == Some(Tier::List) && !reasons.any(|reason| reason.is_doubt())
        });
        let costs = sound.map(|row| {
            let total = row.usd_total.unwrap().0;
            (row.ranking_cost.map_or(total, |cost| cost.0), total)
        });
        let costs: Vec<(f64, f64)> = costs.collect();
        assert!(costs.len() > 10, "{costs:?}");
        // Costs that differ by less than a percent may be equal for the ranking.
        let is_in_order = |pair: &[(f64, f64)]| pair[0].0 <= pair[1].0 * 1.01;
        assert!(costs.windows(2).all(is_in_order), "{costs:?}");
        assert!(costs.iter().any(|(ranking, total)| ranking > total));
        assert!(!costs.is_sorted_by_key(|(_, total)| *total), "{costs:?}");
    }
}
