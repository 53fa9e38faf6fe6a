//! The catalogs that gpuhunt publishes: a version and a zipped CSV for each provider.

use serde_json::Value;

use super::query::{FeedResult, no_such_path};
use crate::reply::{Content, Problem, Reply};
use crate::shop::GpuHuntShop;
use crate::state::Recorded;

pub(super) fn answer(shop: &GpuHuntShop, request: &Recorded) -> FeedResult {
    let Some(path) = request.path_only().strip_prefix("/v3/") else {
        return no_such_path();
    };
    let parts: Vec<&str> = path.split('/').collect();
    // S3 reports missing files as forbidden to clients that may not list the bucket.
    let denied = || Err((Problem::Forbidden, "Access Denied".into()));
    let catalog = |provider: &str| {
        shop.catalogs
            .iter()
            .find(|catalog| catalog.provider == provider)
    };
    match parts.as_slice() {
        [provider, "version"] => match catalog(provider) {
            Some(catalog) => Ok(
                Reply::text(200, "binary/octet-stream", catalog.version.clone())
                    .modified(catalog.published),
            ),
            None => denied(),
        },
        [provider, version, "catalog.zip"] => match catalog(provider) {
            Some(catalog) if catalog.version == *version || *version == "latest" => {
                let name = format!("{provider}.csv");
                let rows = Value::from(catalog.rows.clone());
                let content = Content::ZippedCsv(name, rows);
                Ok(Reply::new(200, "binary/octet-stream", content).modified(catalog.published))
            }
            _ => denied(),
        },
        _ => denied(),
    }
}
