//! SkyPilot's catalogs: a CSV file for each cloud.

use serde_json::Value;

use super::query::FeedResult;
use crate::reply::{Content, Problem, Reply};
use crate::shop::SkyPilotShop;
use crate::state::Recorded;

pub(super) fn answer(shop: &SkyPilotShop, request: &Recorded) -> FeedResult {
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
