//! The networks between machines of one type.

use super::{Catalog, Offer, ProviderId, Str};

crate::words! {
    /// A network that joins machines of one type into a cluster.
    pub enum Fabric {
        /// Elastic Fabric Adapters of AWS.
        Efa = "efa",
        /// InfiniBand.
        Infiniband = "infiniband",
        /// RDMA over Ethernet.
        Roce = "roce",
        /// GPUDirect-TCPX or -TCPXO of Google Cloud.
        Tcpx = "gpudirect-tcpx",
    }
}

crate::rows! {
    /// The network between machines of one type.
    #[derive(Clone, Copy, Debug)]
    pub struct Network {
        /// The provider.
        pub provider: ProviderId,
        /// The provider's id of the machine.
        pub instance_type: Str,
        /// The kind of network.
        pub fabric: Fabric,
        /// The rate of a whole machine in Gbit/s, in one direction.
        pub gbit_per_s: f64,
        /// The source of the facts.
        pub source: Str,
        /// The date of the facts: a day, a month or a year.
        pub as_of: Str,
    }
}

impl Network {
    /// Returns the bytes per second of one of `devices` devices of a machine, in one direction.
    pub fn bytes_per_device(&self, devices: u32) -> f64 {
        self.gbit_per_s * 1e9 / 8.0 / f64::from(devices.max(1))
    }
}

impl Catalog<'_> {
    /// Returns the network that joins machines of an offer; `None` if unknown.
    pub fn network(&self, offer: &Offer) -> Option<Network> {
        // Most providers have no networks, so check the provider first.
        self.networks
            .find(|row| row.provider.cmp(&offer.provider))?;
        let id = self.pool.bytes_of(offer.id);
        let place = |row: &Network| {
            let by_type = || self.pool.bytes_of(row.instance_type).cmp(id);
            row.provider.cmp(&offer.provider).then_with(by_type)
        };
        self.networks.find(place)
    }
}
