//! The offers of a list in which a row is a machine, or a machine in a place.

use std::collections::{HashMap, HashSet};

use sky_accel_core::catalog::CapacityType;

use crate::error::{ErrorKind, ProviderError};
use crate::obtainability::StockPlace;
use crate::offer::{DroppedBecause, Offer, Tally};
use crate::query::{Interest, Query};

/// The part of an offer that is listed once for each place.
#[derive(PartialEq, Eq, Hash)]
enum OfferPart {
    Region,
    Price { is_spot: bool },
    Stock { is_spot: bool },
}

/// A part of an offer, given by its index, in a place.
type PlaceKey = (usize, OfferPart, StockPlace);

/// Collects the rows of a list. Rows with the same id are one offer in several places.
#[derive(Default)]
pub(crate) struct OfferList {
    offers: Vec<Offer>,
    index_of: HashMap<String, usize>,
    places: HashSet<PlaceKey>,
    listed: usize,
    unreadable: usize,
    dropped: Tally,
    /// True if the list has no prices, so a row without a price is kept.
    is_unpriced: bool,
}

impl OfferList {
    /// Creates a list without prices.
    pub(crate) fn unpriced() -> Self {
        Self {
            is_unpriced: true,
            ..Self::default()
        }
    }

    /// Adds a row; `None` for a row that cannot be read. Rows without devices are left out.
    pub(crate) fn add(&mut self, query: &Query<'_>, row: Option<Offer>) {
        self.listed += 1;
        let Some(mut offer) = row else {
            self.add_unreadable();
            return;
        };
        if offer.count.is_some_and(|count| count <= 0.0) {
            return;
        }
        let hardware = offer.hardware.as_ref();
        match (query.interest)(&offer.id, hardware) {
            Interest::NotRequested => {
                self.dropped.add_unrequested(hardware);
                return;
            }
            // Without a known id and without a name, the device cannot be identified.
            Interest::Unknown if hardware.is_none_or(|device| device.name.is_empty()) => {
                self.add_unreadable();
                return;
            }
            Interest::Requested | Interest::Unknown => {}
        }
        if offer.prices.is_empty() && !self.is_unpriced {
            self.dropped.add(DroppedBecause::NoPrice);
        }
        let known = self.index_of.get(&offer.id).copied();
        let at = known.unwrap_or(self.offers.len());
        self.keep_new_parts(at, &mut offer);
        let Some(known) = known else {
            self.index_of.insert(offer.id.clone(), at);
            self.offers.push(offer);
            return;
        };
        if offer.prices.is_empty() && offer.obtainability.is_empty() {
            self.dropped.add(DroppedBecause::Repeated);
            return;
        }
        let first = &mut self.offers[known];
        first.regions.append(&mut offer.regions);
        first.prices.append(&mut offer.prices);
        first.obtainability.append(&mut offer.obtainability);
    }

    /// Removes the parts of a row that another row with the same id has.
    fn keep_new_parts(&mut self, at: usize, offer: &mut Offer) {
        let places = &mut self.places;
        let is_spot = |capacity| capacity == CapacityType::Spot;
        let mut is_new = |part, place| places.insert((at, part, place));
        offer.regions.retain(|region| {
            let place = StockPlace {
                region: Some(region.id.clone()),
                ..StockPlace::default()
            };
            is_new(OfferPart::Region, place)
        });
        offer.prices.retain(|price| {
            let part = OfferPart::Price {
                is_spot: is_spot(price.capacity),
            };
            let place = StockPlace {
                region: price.region.clone(),
                zone: price.zone.clone(),
                site: None,
            };
            is_new(part, place)
        });
        offer.obtainability.retain(|record| {
            let part = OfferPart::Stock {
                is_spot: is_spot(record.capacity),
            };
            is_new(part, record.place.clone())
        });
    }

    fn add_unreadable(&mut self) {
        self.unreadable += 1;
        self.dropped.add(DroppedBecause::Unreadable);
    }

    /// Returns the offers and the numbers of dropped rows.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Protocol`] if nothing is listed or no row can be read. These
    /// providers list machines that are sold out too, so an empty list does not mean that there are
    /// none.
    pub(crate) fn done(self, provider: &'static str) -> Result<(Vec<Offer>, Tally), ProviderError> {
        if self.listed == 0 {
            let message = "the answer lists nothing";
            return Err(ProviderError::new(provider, ErrorKind::Protocol, message));
        }
        if self.unreadable == self.listed {
            return Err(ProviderError::unreadable(provider, self.listed));
        }
        Ok((self.offers, self.dropped))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offer::{Hardware, Price, Region};
    use crate::query::Counts;

    fn query() -> Query<'static> {
        Query::everything(Counts {
            min: 1.0,
            max: None,
        })
    }

    fn row(id: &str, region: &str) -> Offer {
        Offer {
            id: id.to_owned(),
            hardware: Some(Hardware::default()),
            count: Some(1.0),
            regions: vec![Region {
                id: region.to_owned(),
                country: None,
            }],
            prices: vec![Price {
                region: Some(region.to_owned()),
                ..Price::new(CapacityType::OnDemand, 1.0)
            }],
            ..Offer::default()
        }
    }

    #[test]
    fn rows_with_one_id_are_one_offer_in_several_places() {
        let mut list = OfferList::default();
        for (id, region) in [("a", "x"), ("a", "y"), ("b", "x"), ("a", "y")] {
            list.add(&query(), Some(row(id, region)));
        }
        list.add(&query(), None);
        let (offers, dropped) = list.done("test").unwrap();
        let shapes: Vec<_> = offers
            .iter()
            .map(|offer| (&*offer.id, offer.regions.len(), offer.prices.len()))
            .collect();
        assert_eq!(shapes, [("a", 2, 2), ("b", 1, 1)]);
        assert_eq!(dropped.because(DroppedBecause::Repeated), 1);
        assert_eq!(dropped.because(DroppedBecause::Unreadable), 1);
    }

    #[test]
    fn lists_without_a_readable_row_are_errors() {
        let kind = |rows: &[Option<Offer>]| {
            let mut list = OfferList::default();
            for row in rows {
                list.add(&query(), row.clone());
            }
            list.done("test").err().map(|error| error.kind)
        };
        assert_eq!(kind(&[]), Some(ErrorKind::Protocol));
        assert_eq!(kind(&[None, None]), Some(ErrorKind::Protocol));
        assert_eq!(kind(&[None, Some(row("a", "x"))]), None);
        // A machine without devices shows that the rows can be read.
        let cpu = Offer {
            count: Some(0.0),
            ..row("cpu", "x")
        };
        assert_eq!(kind(&[None, Some(cpu)]), None);
    }
}
