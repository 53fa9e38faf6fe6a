//! The hardware that models are listed for, and its price.

use serde::Serialize;
use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{AcceleratorId, Catalog, OfferId};
use sky_accel_core::money::{Count, Usd};
use sky_accel_core::note::Note;
use sky_accel_core::resolve::{Request, matches};
use sky_accel_core::sizing::{Device, GIB};
use sky_accel_core::spec::CountRange;
use sky_accel_detect::Report;

use super::ModelsRequest;
use crate::code::ErrorCode;
use crate::contract::{self, Num, PriceOut};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::filter::OfferFilter;
use crate::fit::{HostSpec, SizedHardware, hardware, one_kind};
use crate::sizing::{ModelRun, Sizer, usual_host};
use crate::specs::read_spec;
use crate::too_old::NewestPrice;

/// The word for the hardware of this machine.
pub const THIS_MACHINE: &str = "detect";
/// The name of a host without accelerators in answers.
pub const NO_DEVICE: &str = "cpu";
/// The numbers of devices of a machine that a budget may pay for.
const COUNTS: [u32; 4] = [8, 4, 2, 1];

/// The hardware that models are sized for.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OnHardwareOut<'c> {
    /// The accelerator; `cpu` for a host without accelerators.
    pub accelerator: &'c str,
    /// The number of devices.
    pub count: u32,
    /// The memory of each device, in GiB. Missing if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_gib: Option<Num>,
    /// The lowest price per hour of a machine with it: the likely price of today, or the stated price if the request
    /// says so. Missing if unknown, and for this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_per_hour: Option<Num>,
    /// The provider with that price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<&'c str>,
    /// The name of that provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_name: Option<&'c str>,
    /// That price as its source states it, with its age, kind and doubts. Missing where `usd_per_hour` is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<Box<PriceOut<'c>>>,
}

/// A machine with the hardware, and its price.
struct PricedMachine<'c> {
    offer: OfferId,
    likely: Usd,
    price: PriceOut<'c>,
}

/// The devices that models are sized for, or a host without any.
#[derive(Clone, Copy)]
enum DevicesOrHost {
    Devices(SizedHardware),
    Host(HostSpec),
}

/// The hardware of a request.
pub(super) struct OnHardware<'c> {
    /// The canonical spec.
    pub spec: String,
    place: DevicesOrHost,
    /// Bytes of memory of a device.
    pub memory: Option<f64>,
    /// The machine to try first.
    machine: Option<PricedMachine<'c>>,
    budget: Option<Usd>,
}

impl<'c> OnHardware<'c> {
    /// Reads the hardware of a request. Without a number of devices, a budget buys as many as it can.
    ///
    /// # Errors
    ///
    /// An invalid spec, several kinds of hardware, or an invalid budget.
    pub fn read(
        engine: &Engine<'c>,
        request: &ModelsRequest,
        reports: Option<&[Report]>,
        notes: &mut Vec<Note>,
    ) -> Result<Self> {
        let catalog = &engine.catalog();
        let spec = match (reports, request.on.as_deref()) {
            (Some(reports), _) => one_kind(catalog, reports)?.0,
            (None, Some(spec)) => spec.to_owned(),
            (None, None) => String::new(),
        };
        let budget = budget(request)?;
        let constraints = request.prices.filter().request(catalog, engine.today())?;
        if let Some(host) = HostSpec::read(&spec)? {
            notes.extend(host.size_note());
            notes.push(usual_host(catalog));
            return Ok(Self {
                spec: host.spec(),
                place: DevicesOrHost::Host(host),
                memory: Some(host.usable(catalog)),
                machine: None,
                budget,
            });
        }
        let choices = read_spec(catalog, &spec)?;
        let [choice] = &choices[..] else {
            let message = format!("`on` takes one kind of hardware, not several as in {spec}");
            return Err(Error::new(ErrorCode::BadValue, message));
        };
        notes.extend(choice.notes.iter().cloned());
        let mut sized = hardware(catalog, choice, notes)?;
        let mut spec = choice.spec.clone();
        let mut machine = None;
        if reports.is_none() {
            let counted = |count: u32| {
                let count = CountRange::exactly(Count::whole(count));
                BoundChoice::accelerator(catalog, sized.accelerator, Some(count))
            };
            let is_open = sized.part.is_none() && !choice.count_given;
            if let Some(budget) = budget.filter(|_| is_open) {
                let most = catalog.accelerator(sized.accelerator).max_per_node;
                let counts = COUNTS.into_iter();
                let counts =
                    counts.filter(|count| most.is_none_or(|most| f64::from(*count) <= most));
                let affordable = counts.into_iter().find_map(|count| {
                    let choice = counted(count);
                    let found = cheapest(catalog, &choice, &constraints)?;
                    (found.likely <= budget).then_some((count, choice.spec, found))
                });
                if let Some((count, counted_spec, found)) = affordable {
                    sized.count = count;
                    spec = counted_spec;
                    machine = Some(found);
                }
            }
            let own = if sized.part.is_some() {
                choice.clone()
            } else {
                counted(sized.count)
            };
            machine = machine.or_else(|| cheapest(catalog, &own, &constraints));
            if machine.is_none()
                && let Some(newest) = NewestPrice::of(catalog, &[own], &constraints)
            {
                let error = newest.error(false);
                // Without a budget, the price is a remark on the answer.
                if budget.is_some() {
                    return Err(error);
                }
                notes.push(Note::new("old-price", format!("{spec}: {error}")));
            }
        }
        let device = catalog.accelerator(sized.accelerator);
        let memory = match &sized.part {
            Some(part) => part.memory,
            None => Device::memory_of(catalog, &device),
        };
        Ok(Self {
            spec,
            place: DevicesOrHost::Devices(sized),
            memory,
            machine,
            budget,
        })
    }

    /// The accelerator; `None` for a host without accelerators.
    pub fn accelerator(&self) -> Option<AcceleratorId> {
        match &self.place {
            DevicesOrHost::Devices(sized) => Some(sized.accelerator),
            DevicesOrHost::Host(_) => None,
        }
    }

    pub fn count(&self) -> u32 {
        match &self.place {
            DevicesOrHost::Devices(sized) => sized.count,
            DevicesOrHost::Host(_) => 1,
        }
    }

    /// True if the hardware costs at most the budget.
    pub fn is_within_budget(&self) -> bool {
        let likely = self.machine.as_ref().map(|machine| machine.likely);
        self.budget
            .is_none_or(|budget| likely.is_some_and(|likely| likely <= budget))
    }

    pub fn sizer(&self, catalog: &Catalog<'_>, work: &ModelRun) -> Sizer {
        match &self.place {
            DevicesOrHost::Devices(hardware) => {
                let sizer = Sizer::new(catalog, hardware.accelerator, work);
                match &hardware.part {
                    Some(part) => sizer.part(part),
                    None => sizer,
                }
            }
            DevicesOrHost::Host(host) => host.sizer(catalog, work),
        }
    }

    pub fn out(self, catalog: &Catalog<'c>) -> OnHardwareOut<'c> {
        let seller = self.machine.as_ref().map(|machine| {
            let provider = catalog.offer(machine.offer).provider;
            (catalog.provider_id(provider), catalog.provider(provider))
        });
        OnHardwareOut {
            accelerator: self
                .accelerator()
                .map_or(NO_DEVICE, |id| catalog.accelerator_id(id)),
            count: self.count(),
            memory_gib: self
                .memory
                .map(|bytes| Num((bytes / GIB * 10.0).round() / 10.0)),
            usd_per_hour: self
                .machine
                .as_ref()
                .map(|machine| Num(machine.likely.decimal())),
            provider: seller.map(|(id, _)| id),
            provider_name: seller.map(|(_, provider)| catalog.str(provider.name)),
            price: self.machine.map(|machine| Box::new(machine.price)),
        }
    }
}

/// The budget of a request per hour.
fn budget(request: &ModelsRequest) -> Result<Option<Usd>> {
    let filter = OfferFilter {
        max_price: request.budget_usd_per_hour,
        ..OfferFilter::default()
    };
    filter.max_price_usd()
}

/// The machine to try first, with a price.
fn cheapest<'c>(
    catalog: &Catalog<'c>,
    choice: &BoundChoice,
    request: &Request,
) -> Option<PricedMachine<'c>> {
    let found = matches(catalog, std::slice::from_ref(choice), request);
    found.iter().find_map(|machine| {
        let quote = machine.ranking_quote(request.capacity_filter)?;
        Some(PricedMachine {
            offer: machine.offer,
            likely: quote.likely.usd,
            price: contract::price(catalog, request.likely.as_ref(), machine, quote),
        })
    })
}
