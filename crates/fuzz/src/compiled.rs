//! Compiled catalogs.

use std::sync::LazyLock;

use sky_accel_core::catalog::Catalog;
use sky_accel_embedded::CATALOG;
use sky_accel_engine::contract::{MigFitRequest, ProfilesRequest};
use sky_accel_engine::{
    Engine, IsRequest, ListRequest, NamesRequest, PlanRequest, ResolveRequest, Target, WorkRequest,
};

static EMBEDDED: LazyLock<Vec<u8>> = LazyLock::new(|| CATALOG.to_bytes());

/// The length of a change: an offset and a byte.
const CHANGE: usize = 5;

/// Opens a catalog file, or the file of the embedded catalog with changes, and runs a request on
/// it.
pub(crate) fn compiled(bytes: &[u8]) {
    let mut file = EMBEDDED.clone();
    if bytes.starts_with(&file[..8]) {
        file = bytes.to_vec();
    } else {
        for change in bytes.chunks_exact(CHANGE) {
            let [a, b, c, d, byte] = *change else { return };
            let place = u32::from_le_bytes([a, b, c, d]) as usize % file.len();
            file[place] = byte;
        }
    }
    if let Ok(catalog) = Catalog::open(&file) {
        let engine = Engine::new(catalog, Engine::embedded().today());
        ask(&engine, bytes.first().copied().unwrap_or_default());
    }
}

/// Runs one of nine requests. Errors are fine.
fn ask(engine: &Engine<'_>, question: u8) {
    match question % 9 {
        0 => resolve(engine, "any:24GB"),
        1 => resolve(engine, "A100:x8|H100:mig=3g.40gb"),
        2 => {
            let _ = engine.list(&ListRequest::default());
        }
        3 => {
            let names = ["H100", "p5.48xlarge", "NVIDIA RTX A6000"].map(str::to_owned);
            let names = names.to_vec();
            let _ = engine.show(&NamesRequest {
                names,
                ..NamesRequest::default()
            });
        }
        4 => {
            let mut request = PlanRequest::new("A100:x8");
            request.target = Some(Target::SkyPilot);
            let _ = engine.plan(&request);
        }
        5 => {
            let _ = engine.mig_fit(&MigFitRequest {
                gpu: "H100".to_owned(),
                profiles: "3g.40gb 1g.10gb*2".to_owned(),
                occupied: Vec::new(),
            });
            let gpu = "A100".to_owned();
            let _ = engine.mig_profiles(&ProfilesRequest { gpu });
        }
        6 => {
            let _ = engine.fit_json(br#"{"hardware":"A100","model":"Llama-3.1-8B"}"#);
        }
        7 => {
            let _ = engine.recommend_for_work(&WorkRequest {
                work: "training".to_owned(),
                ..WorkRequest::default()
            });
            let _ = engine.guide();
        }
        _ => {
            let _ = engine.is(&IsRequest {
                kind: "gpu".to_owned(),
                name: "H100".to_owned(),
            });
        }
    }
}

fn resolve(engine: &Engine<'_>, spec: &str) {
    let _ = engine.resolve(&ResolveRequest {
        specs: vec![spec.into()],
        explain: true,
        map: true,
        ..ResolveRequest::default()
    });
}
