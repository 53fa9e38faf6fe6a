//! Lium's public feed of nodes.

use serde_json::json;

use super::query::{FeedResult, no_such_path};
use crate::reply::Reply;
use crate::shop::LiumShop;
use crate::state::Recorded;

pub(super) fn answer(shop: &LiumShop, request: &Recorded) -> FeedResult {
    if request.path_only() != "/api/public/v1/nodes" {
        return no_such_path();
    }
    let body = json!({
        "generated_at": shop.generated_at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        "count": shop.nodes.len(),
        "nodes": shop.nodes,
    });
    Ok(Reply::json(200, body).modified(shop.generated_at))
}
