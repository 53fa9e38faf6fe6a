//! The catalogs that gpuhunt publishes: a version and a zipped CSV for each provider.

use serde_json::Value;

use super::storage;
use crate::reply::{Content, Problem, Reply};
use crate::service::{Recorded, Service, ServiceAnswer, ServiceDeclaration, no_such_path};
use crate::shop::GpuHuntShop;

impl Service {
    /// gpuhunt's catalogs.
    pub const GPUHUNT: Self = Self(&ServiceDeclaration {
        base: "/v3",
        ..ServiceDeclaration::list(
            "gpuhunt",
            "SKY_ACCEL_URL_GPUHUNT",
            |state, request, _| answer(&state.shop.gpuhunt, request),
            storage::problem,
        )
    });
}

fn answer(shop: &GpuHuntShop, request: &Recorded) -> ServiceAnswer {
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
