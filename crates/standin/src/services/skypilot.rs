//! SkyPilot's catalogs: a CSV file for each cloud.

use serde_json::Value;

use crate::reply::{Content, Problem, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration};
use crate::shop::SkyPilotShop;

impl Service {
    /// SkyPilot's catalogs.
    pub const SKYPILOT: Self = Self(&ServiceDeclaration {
        base: "/catalogs/v8",
        ..ServiceDeclaration::list(
            "skypilot",
            "SKY_ACCEL_URL_SKYPILOT",
            |state, request, _| answer(&state.shop.skypilot, request),
            problem,
        )
    });
}

fn problem(problem: Problem, message: &str) -> Reply {
    Reply::text(problem.status(), "text/plain; charset=utf-8", message)
}

fn answer(shop: &SkyPilotShop, request: &Recorded) -> ServiceAnswer {
    let cloud = request
        .path_only()
        .strip_prefix("/catalogs/v8/")
        .and_then(|rest| rest.strip_suffix("/vms.csv"));
    let catalog = shop
        .catalogs
        .iter()
        .find(|catalog| Some(catalog.cloud.as_str()) == cloud)
        .ok_or((Problem::NotFound, "404: Not Found".to_owned()))?;
    let content = Content::Csv(Value::from(catalog.rows.clone()));
    let reply = Reply::new(200, "text/plain; charset=utf-8", content);
    Ok(match shop.modified {
        Some(at) => reply.modified(at),
        None => reply,
    })
}
