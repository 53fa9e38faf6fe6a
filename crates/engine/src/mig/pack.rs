//! `mig pack`: packs slices onto a minimum number of GPUs.

use sky_accel_core::catalog::{AcceleratorId, Catalog, Offer};
use sky_accel_core::mig::{Chip, Fleet};
use sky_accel_core::note::Note;
use sky_accel_core::resolve::{LikelyPrices, cheapest_to_cut, is_to_cut};
use sky_accel_core::text::counted;

use super::compare;
use super::demand::{SliceDemand, is_any, read, read_sized};
use super::layout::MigLayout;
use super::listing::existing;
use super::packing::{PackAnswer, Packed, Packing, pack_out};
use super::sizes::{by_size, sizes};
use crate::code::ErrorCode;
use crate::contract::{Envelope, PackRequest};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::too_old::no_price_left;

impl<'c> Engine<'c> {
    /// Packs slices onto a minimum number of GPUs, with a proof if possible.
    ///
    /// # Errors
    ///
    /// An unknown GPU, profile or size, a slice that does not fit on any such GPU, an invalid listing of
    /// existing GPUs, or a limit lower than the number of existing GPUs.
    pub fn mig_pack(&self, request: &PackRequest) -> Result<PackAnswer<'c>> {
        if is_any(&request.gpu) {
            return compare::run(self, request);
        }
        let catalog = self.catalog();
        let SliceDemand {
            accelerators,
            chip,
            list,
            demand,
            mut notes,
        } = if request.sizes.is_empty() {
            read(&catalog, &request.gpu, &request.slices)?
        } else {
            let sizes = sizes(&request.sizes)?;
            read_sized(&catalog, &request.gpu, &request.sizes, |chip| {
                by_size(chip, &sizes)
            })?
        };
        let gpu = catalog.accelerator_id(accelerators[0]);
        let fleet = fleet(request, &chip, gpu)?;
        let likely = request.prices.likely_prices(self.today());
        let Some(packed) = pack_out(&catalog, &likely, accelerators[0], &chip, &demand, &fleet)
        else {
            let message = format!("{gpu} cannot hold one of {list}");
            return Err(Error::new(ErrorCode::MigImpossible, message));
        };
        let Packed {
            mut result,
            groups,
            gpus,
        } = packed;
        if result.gpus_new > Some(0) && result.cheapest.is_none() {
            notes.extend(old_price_note(&catalog, &likely, accelerators[0]));
        }
        if request.onto.is_none() {
            result.gpus_new = None;
        }
        let slices = if demand.cuts.is_empty() {
            result.slices.clone()
        } else {
            format!("{list}, as {},", result.slices)
        };
        let understood = PackRequest {
            slices: list,
            existing: None,
            ..request.clone()
        };
        let envelope = Envelope::new("sky-accel.mig-pack.v1", &catalog, understood, vec![result]);
        Ok(PackAnswer {
            envelope: envelope.with_notes(notes),
            packing: Some(Packing {
                layout: MigLayout {
                    chip,
                    accelerators,
                    gpus,
                },
                groups,
                existing: fleet.there.iter().map(|(index, _)| *index).collect(),
                slices,
            }),
        })
    }
}

/// The note on a packing without a price, if machines have older prices than the limit allows.
fn old_price_note(
    catalog: &Catalog<'_>,
    likely: &LikelyPrices,
    accelerator: AcceleratorId,
) -> Option<Note> {
    cheapest_to_cut(catalog, accelerator, 1, None).filter(|_| likely.has_max_age())?;
    let counts = |offer: &Offer| is_to_cut(catalog, offer);
    let error = no_price_left(catalog, likely, [accelerator], counts);
    Some(Note::new("old-price", error.to_string()))
}

/// The existing GPUs, and the limit on GPUs.
fn fleet(request: &PackRequest, chip: &Chip<'_>, gpu: &str) -> Result<Fleet> {
    let existing_gpus = match &request.existing {
        None => Vec::new(),
        Some(text) => {
            let name = request.onto.as_deref().unwrap_or("the listing");
            existing(chip, gpu, name, text)?
        }
    };
    if let Some(limit) = request
        .gpus
        .filter(|limit| (*limit as usize) < existing_gpus.len())
    {
        let count = counted(existing_gpus.len(), "GPU");
        let message = format!("`gpus` is {limit}, but `onto` has {count}");
        return Err(Error::new(ErrorCode::Count, message));
    }
    Ok(Fleet {
        there: existing_gpus,
        limit: request.gpus,
    })
}

#[cfg(test)]
mod tests {
    use sky_accel_core::catalog::OfferKind;
    use sky_accel_core::resolve::PriceBasis;

    use super::*;

    fn pack(change: impl FnOnce(&mut PackRequest)) -> Result<PackAnswer<'static>> {
        let mut request = PackRequest {
            gpu: "H100-80GB-SXM".to_owned(),
            slices: "3g.40gb*3".to_owned(),
            ..PackRequest::default()
        };
        change(&mut request);
        Engine::embedded().mig_pack(&request)
    }

    fn code(answer: Result<PackAnswer<'_>>) -> Option<ErrorCode> {
        answer.err().map(|error| error.problems[0].code)
    }

    #[test]
    fn packs_onto_the_minimum_number_of_gpus() {
        let answer = pack(|_| {}).unwrap();
        let result = &answer.envelope.results[0];
        assert_eq!((result.gpus_needed, result.proved), (2, true));
        assert_eq!(result.placements.len(), 3);
        assert_eq!(result.gpus_new, None, "no existing GPUs are given");
    }

    #[test]
    fn a_count_of_slices_after_a_colon_is_explained() {
        for (slices, right) in [
            ("1g.10gb:4", "1g.10gb=4"),
            ("3g.40gb 1g.10gb:x4", "1g.10gb=4"),
        ] {
            let error = pack(|request| request.slices = slices.to_owned())
                .err()
                .unwrap();
            let problem = &error.problems[0];
            assert_eq!(problem.code, ErrorCode::Count);
            assert_eq!(problem.hints, [right], "{error}");
            assert!(!error.to_string().contains("remove the count"), "{error}");
        }
    }

    #[test]
    fn the_cost_has_the_likely_price_with_its_band() {
        let answer = pack(|_| {}).unwrap();
        let cost = answer.envelope.results[0].cheapest.as_ref().unwrap();
        assert_eq!(cost.usd_per_hour, cost.stated_usd_per_hour);
        assert!(cost.low <= cost.likely_usd_per_hour && cost.likely_usd_per_hour <= cost.high);
        assert!(cost.low < cost.high && cost.sources > 0, "{cost:?}");
    }

    /// Packs a slice, with prices of at most some days.
    fn within(days: u64, gpu: &str) -> Result<PackAnswer<'static>> {
        pack(|request| {
            request.gpu = gpu.to_owned();
            request.slices = "1g.10gb".to_owned();
            request.prices.max_age_s = Some(days * 86_400);
        })
    }

    #[test]
    fn old_prices_do_not_count() {
        let answer = within(1, "H100-80GB-SXM").unwrap();
        assert!(answer.envelope.results[0].cheapest.is_none());
        let mut notes = answer.envelope.notes.iter();
        let note = notes.find(|note| note.code == "old-price").unwrap();
        let start = "every price is older than `max_age` allows: the newest, of ";
        assert!(note.message.starts_with(start), "{note:?}");
        let answer = within(100_000, "H100-80GB-SXM").unwrap();
        assert!(answer.envelope.results[0].cheapest.is_some());
        let notes = answer.envelope.notes;
        assert!(
            notes.iter().all(|note| note.code != "old-price"),
            "{notes:?}"
        );
    }

    #[test]
    fn gpus_with_old_prices_are_not_compared() {
        let all = within(100_000, "any").unwrap().envelope.results;
        let ages = all
            .iter()
            .map(|result| result.cheapest.as_ref().unwrap().age_days.unwrap());
        let newest = u64::try_from(ages.min().unwrap()).unwrap();
        let young = within(newest, "any").unwrap().envelope.results;
        assert!(!young.is_empty() && young.len() < all.len());
        for result in young {
            let age = result.cheapest.unwrap().age_days.unwrap();
            assert!(
                u64::try_from(age).unwrap() <= newest,
                "{}: {age}",
                result.gpu
            );
        }
        assert_eq!(code(within(1, "any")), Some(ErrorCode::DataTooOld));
    }

    #[test]
    fn the_stated_price_ranks_if_the_request_says_so() {
        let cost = |basis| {
            let answer = pack(|request| request.prices.basis = basis).unwrap();
            answer
                .envelope
                .results
                .into_iter()
                .next()
                .unwrap()
                .cheapest
                .unwrap()
        };
        let stated = cost(PriceBasis::Stated);
        assert_eq!(stated.usd_per_hour, stated.likely_usd_per_hour);
        let likely = cost(PriceBasis::Likely);
        assert_ne!(likely.usd_per_hour, likely.likely_usd_per_hour);
        let slices = likely.likely_usd_per_hour.0 / likely.usd_per_slice_hour.0;
        assert!((slices - 3.0).abs() < 1e-9, "{likely:?}");
    }

    #[test]
    fn a_limit_leaves_slices_unplaced() {
        let answer = pack(|request| request.gpus = Some(1)).unwrap();
        let result = &answer.envelope.results[0];
        assert!(!result.fits);
        assert_eq!((result.left[0].count, result.gpus), (1, 1));
    }

    #[test]
    fn existing_instances_are_used_first() {
        let answer = pack(|request| {
            request.onto = Some("gpus.json".to_owned());
            request.existing = Some(r#"[{"gpu": 0, "instances": ["3g.40gb@4"]}]"#.to_owned());
        });
        let result = &answer.unwrap().envelope.results[0];
        assert_eq!((result.gpus_needed, result.gpus_new), (2, Some(1)));
        assert_eq!(result.existing.len(), 1);
    }

    #[test]
    fn rejects_contradictory_limits() {
        let limited = pack(|request| {
            request.gpus = Some(1);
            request.onto = Some("gpus.json".to_owned());
            request.existing = Some(r#"[{"gpu": 0}, {"gpu": 1}]"#.to_owned());
        });
        assert!(limited.is_err());
        let any = pack(|request| {
            request.gpu = "any".to_owned();
            request.gpus = Some(1);
        });
        assert_eq!(code(any), Some(ErrorCode::OneGpu));
    }

    #[test]
    fn only_machines_whose_tenants_partition_gpus_are_named() {
        let engine = Engine::embedded();
        let catalog = engine.catalog();
        let answer = pack(|request| {
            request.gpu = "any".to_owned();
            request.slices = "1g.10gb".to_owned();
        });
        let results = answer.unwrap().envelope.results;
        let costs = results.iter().filter_map(|result| result.cheapest.as_ref());
        for cost in costs.clone() {
            let provider = catalog.provider_named(&cost.provider).unwrap();
            let allows = catalog.provider(provider).tenant_mig == Some(true);
            for id in catalog.offers_with_id(provider, &cost.instance_type) {
                let is_machine = match catalog.offer(id).kind {
                    OfferKind::Endpoint | OfferKind::Share => false,
                    OfferKind::Container => allows,
                    _ => true,
                };
                assert!(is_machine, "{} {}", cost.provider, cost.instance_type);
            }
        }
        assert!(costs.count() > 2);
    }

    #[test]
    fn any_compares_gpus_by_price() {
        let answer = pack(|request| request.gpu = "any".to_owned()).unwrap();
        let prices = answer.envelope.results.iter();
        let prices = prices.filter_map(|result| result.cheapest.as_ref());
        let prices = prices.map(|cost| (!cost.doubts.is_empty(), cost.usd_per_slice_hour.0));
        let prices: Vec<(bool, f64)> = prices.collect();
        let confirmed = prices.iter().filter(|(is_doubtful, _)| !is_doubtful);
        assert!(confirmed.clone().count() > 1 && confirmed.is_sorted());
        assert!(
            prices
                .iter()
                .map(|(is_doubtful, _)| is_doubtful)
                .is_sorted()
        );
    }
}
