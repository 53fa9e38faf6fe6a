//! DigitalOcean's API: sizes and the account.

use serde_json::json;

use super::keyed::{check_bearer, page};
use crate::reply::{Problem, ProblemCodes, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path};
use crate::shop::DigitalOceanShop;

const KEY: &str = "dop_v1_standin0digitalocean0123456789";

impl Service {
    /// DigitalOcean's API.
    pub const DIGITALOCEAN: Self = Self(&ServiceDeclaration {
        credentials: &[("DIGITALOCEAN_ACCESS_TOKEN", KEY)],
        method: Some("GET"),
        ..ServiceDeclaration::api(
            "digitalocean",
            "SKY_ACCEL_URL_DIGITALOCEAN",
            |state, request, _| answer(&state.shop.digitalocean, request),
            problem,
        )
    });
}

const CODES: ProblemCodes = Problem::lower_case("server_error");

fn problem(problem: Problem, message: &str) -> Reply {
    let (status, id) = problem.of(&CODES);
    Reply::json(status, json!({ "id": id, "message": message }))
}

fn answer(shop: &DigitalOceanShop, request: &Recorded) -> ServiceAnswer {
    check_bearer(request, KEY)?;
    let body = match request.path_only() {
        "/v2/sizes" => {
            let most = shop.page_size;
            let (rows, next) = page(request, &shop.sizes, ("per_page", 20), most)?;
            let pages = match next {
                Some(next) => json!({ "next": request.link(&["page"], &[("page", next)]) }),
                None => json!({}),
            };
            let links = json!({ "pages": pages });
            json!({ "sizes": rows, "links": links, "meta": { "total": shop.sizes.len() } })
        }
        "/v2/account" => json!({ "account": shop.account }),
        _ => return no_such_path(),
    };
    Ok(Reply::json(200, body))
}
