use sky_accel_engine::asking::{LiveRequest, Session};
use sky_accel_engine::{Engine, Error, OfferFilter, ResolveRequest};

#[allow(clippy::print_stdout, reason = "an example prints its answer")]
fn main() -> Result<(), Error> {
    let offline = Engine::embedded();
    let request = ResolveRequest {
        specs: vec!["H100".into()],
        offers: OfferFilter {
            providers: vec!["verda".to_owned()],
            ..OfferFilter::default()
        },
        ..ResolveRequest::default()
    };
    let specs = offline.bind(&request.specs)?;
    let session = Session::new();
    let options = LiveRequest::default();
    let live = offline.ask(&session, &specs, &request.offers, &options, &|_| {})?;
    let answer = offline.with_live(&live).resolve(&request)?;
    for offer in &answer.envelope.results {
        println!("{}: {:?}", offer.instance_type, offer.availability);
    }
    Ok(())
}
