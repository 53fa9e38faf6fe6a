//! The links between devices: their rates, and the speed of collectives over them.

use crate::catalog::{Accelerator, Catalog};

/// The links of a device: to others of its machine, and to other machines.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Links {
    /// Bytes per second to other devices of the machine, in one direction.
    pub rate: f64,
    /// The same to devices beyond the pair that a bridge joins; `None` without a bridge.
    pub beyond_pair: Option<f64>,
    /// The measured speed of collectives among two, four, and eight or more devices.
    pub(super) sums: [Collective; 3],
    /// Devices that the fast link joins.
    pub domain: f64,
    /// Whether the link is made for collectives, such as NVLink, and not PCI Express.
    pub is_fabric: bool,
    /// Bytes per second to another machine, in one direction.
    pub network: f64,
    /// Network latency in seconds.
    pub network_latency: f64,
}

/// The speed of collectives among a number of devices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Collective {
    /// The latency of an all-reduce, in seconds.
    pub latency: f64,
    /// Bytes of the reduced tensor per second.
    pub sum: f64,
    /// Bytes per second that each device sends in an all-to-all.
    pub exchange: f64,
}

impl Links {
    pub(super) fn of(catalog: &Catalog<'_>, accelerator: &Accelerator, per_machine: f64) -> Self {
        let coefficient =
            |name: &str, scope: &str| catalog.coefficient(name, scope).unwrap_or_default();
        let giga = |rate: f64| rate * 1e9;
        let pcie = giga(coefficient("pcie-gb-s", ""));
        let rate = accelerator
            .interconnect_gb_s
            .map_or(pcie, |both| giga(both) / 2.0);
        // Machines with a fast link between devices (NVLink) also come with a fast network (InfiniBand, EFA).
        let joined = accelerator
            .interconnect_gb_s
            .is_some_and(|both| both >= coefficient("fabric-interconnect-gb-s", ""));
        let fabric = if joined { "fabric" } else { "" };
        let kind = catalog.link_kind(accelerator);
        let sums = [2, 4, 8].map(|devices| {
            let link = catalog.link(&kind, devices);
            link.map_or(Collective::default(), |link| Collective {
                latency: link.latency_us * 1e-6,
                sum: rate * link.sum_share,
                exchange: rate * link.exchange_share,
            })
        });
        Self {
            rate,
            beyond_pair: catalog.has_bridge(accelerator).then(|| pcie.min(rate)),
            sums,
            domain: accelerator.link_domain.unwrap_or(per_machine).max(1.0),
            is_fabric: joined,
            network: giga(coefficient("network-gb-s", fabric)),
            network_latency: coefficient("network-latency-us", fabric) * 1e-6,
        }
    }

    /// Bytes per second between two of `devices` devices, at the slowest link among them.
    pub fn among(&self, devices: f64) -> f64 {
        match self.beyond_pair {
            _ if devices > self.domain => self.network,
            Some(rate) if devices > 2.0 => rate,
            _ => self.rate,
        }
    }

    /// Seconds in which `ranks` of `devices` devices gather or scatter a tensor of some bytes.
    ///
    /// PCI Express is far slower with many devices than between two: they share switches, and without peer access all
    /// bytes pass host memory. An all-reduce is a scatter and a gather, so its measured speed bounds both.
    pub fn gather_s(&self, bytes: f64, ranks: f64, devices: f64) -> f64 {
        let sent = bytes * (ranks - 1.0) / ranks / self.among(devices).max(1.0);
        let is_bridge = self.beyond_pair.is_some() && devices > 2.0;
        let is_shared = (!self.is_fabric || is_bridge) && devices <= self.domain;
        let sum = self.collective(devices).sum;
        if is_shared && sum > 0.0 {
            sent.max(bytes / (2.0 * sum))
        } else {
            sent
        }
    }

    /// The speed of collectives among `devices` devices.
    pub fn collective(&self, devices: f64) -> Collective {
        if devices > self.domain {
            return Collective {
                latency: self.network_latency,
                sum: self.network / 2.0,
                exchange: self.network,
            };
        }
        let [two, four, eight] = self.sums;
        if devices <= 2.0 {
            two
        } else if devices <= 4.0 {
            four
        } else {
            eight
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(is_fabric: bool, beyond_pair: Option<f64>) -> Links {
        let collective = |sum: f64| Collective {
            sum,
            ..Collective::default()
        };
        Links {
            rate: 25e9,
            beyond_pair,
            sums: [collective(19e9), collective(2.6e9), collective(1.2e9)],
            domain: 8.0,
            is_fabric,
            network: 50e9,
            ..Links::default()
        }
    }

    fn seconds(links: &Links, devices: f64) -> f64 {
        links.gather_s(25e9, devices, devices)
    }

    #[test]
    fn shared_links_gather_at_half_the_time_of_a_measured_sum() {
        let pcie = links(false, None);
        for (devices, expected) in [(2.0, 25.0 / 38.0), (4.0, 25.0 / 5.2), (8.0, 25.0 / 2.4)] {
            let seconds = seconds(&pcie, devices);
            assert!((seconds / expected - 1.0).abs() < 1e-9, "{devices}");
        }
    }

    #[test]
    fn fabrics_and_networks_gather_at_the_rate_of_their_links() {
        let near = |links: &Links, devices: f64, expected: f64| {
            let seconds = seconds(links, devices);
            assert!((seconds - expected).abs() < 1e-9, "{devices}");
        };
        near(&links(true, None), 8.0, 7.0 / 8.0);
        near(&links(false, None), 16.0, 15.0 / 32.0);
        // A bridge joins two devices only.
        let bridged = links(true, Some(12.5e9));
        near(&bridged, 2.0, 0.5);
        near(&bridged, 4.0, 25.0 / 5.2);
    }
}
