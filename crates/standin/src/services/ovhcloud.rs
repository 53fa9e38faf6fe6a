//! The public catalog of OVHcloud's public cloud, by subsidiary.

use serde_json::json;

use crate::reply::{Problem, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path};
use crate::shop::OvhCloudShop;

impl Service {
    /// OVHcloud's catalogs.
    pub const OVHCLOUD: Self = Self(&ServiceDeclaration::list(
        "ovhcloud",
        "SKY_ACCEL_URL_OVHCLOUD",
        |state, request, _| answer(&state.shop.ovhcloud, request),
        problem,
    ));
}

fn problem(problem: Problem, message: &str) -> Reply {
    let (status, code) = problem.of(&Problem::HTTP);
    let side = if status < 500 { "Client" } else { "Server" };
    let body = json!({ "class": format!("{side}::{code}"), "message": message });
    Reply::json(status, body)
}

fn answer(shop: &OvhCloudShop, request: &Recorded) -> ServiceAnswer {
    let path = request.path_only();
    let path = path.strip_prefix("/1.0").or(path.strip_prefix("/v1"));
    if path != Some("/order/catalog/public/cloud") {
        return no_such_path();
    }
    let Some(subsidiary) = request.parameter("ovhSubsidiary") else {
        let message = "[ovhSubsidiary] Missing parameter";
        return Err((Problem::BadRequest, message.into()));
    };
    let Some((currency, addons)) = shop.catalog(&subsidiary) else {
        let message = format!("[ovhSubsidiary] Given data ({subsidiary}) is not valid for type");
        return Err((Problem::BadRequest, message));
    };
    // The tax rate in percent. Prices exclude tax.
    let tax = if currency == "EUR" { 20 } else { 0 };
    let body = json!({
        "catalogId": 1776,
        "locale": { "currencyCode": currency, "subsidiary": subsidiary, "taxRate": tax },
        "plans": [{
            "planCode": "project.2018",
            "invoiceName": "Public Cloud Project",
            "addonFamilies": [{
                "name": "instance",
                "addons": addons.iter().map(|addon| &addon["planCode"]).collect::<Vec<_>>(),
            }],
            "pricings": [],
        }],
        "products": [],
        "addons": addons,
    });
    Ok(Reply::json(200, body).modified(shop.published))
}
