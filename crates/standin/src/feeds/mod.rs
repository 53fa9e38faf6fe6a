//! Public price lists and catalogs. They need no credential, and ignore a credential that a client
//! sends.

mod awsfeed;
mod azure;
mod cloudrift;
mod gpuhunt;
mod linode;
mod lium;
mod oci;
mod odata;
mod ovhcloud;
mod problem;
mod query;
mod scaleway;
mod skypilot;
mod vultr;

pub(crate) use problem::problem;

use crate::Service;
use crate::reply::{Problem, Reply};
use crate::state::{Recorded, State};

pub(crate) fn answer(state: &State, request: &Recorded) -> Reply {
    // CloudRift's list is a POST request.
    let reads = match request.service {
        Service::CloudRift => "POST",
        _ => "GET",
    };
    if request.method != reads {
        state.count_write();
        let message = "nothing is for rent here";
        return problem(request.service, Problem::Forbidden, message);
    }
    let shop = &state.shop;
    let answer = match request.service {
        Service::AwsFeed => awsfeed::answer(&shop.awsfeed, request),
        Service::Azure => azure::answer(&shop.azure, request),
        Service::CloudRift => cloudrift::answer(&shop.cloudrift, request),
        Service::GpuHunt => gpuhunt::answer(&shop.gpuhunt, request),
        Service::Linode => linode::answer(&shop.linode, request),
        Service::Lium => lium::answer(&shop.lium, request),
        Service::Oci => oci::answer(&shop.oci, request),
        Service::OvhCloud => ovhcloud::answer(&shop.ovhcloud, request),
        Service::Scaleway => scaleway::answer(&shop.scaleway, request),
        Service::SkyPilot => skypilot::answer(&shop.skypilot, request),
        Service::Vultr => vultr::answer(&shop.vultr, request),
        _ => Err((Problem::NotFound, "no such path".into())),
    };
    answer.unwrap_or_else(|(kind, message)| problem(request.service, kind, &message))
}
