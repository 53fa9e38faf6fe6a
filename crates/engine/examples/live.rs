use sky_accel_engine::asking::{LiveRequest, Session};
use sky_accel_engine::{Engine, Error, OfferFilter, ResolveRequest};

#[allow(clippy::print_stdout, reason = "the program prints its answer")]
fn main() -> Result<(), Error> {
    let offline = Engine::embedded();
    let request = ResolveRequest {
        specs: vec!["H100".to_owned()],
        offers: OfferFilter {
            providers: vec!["verda".to_owned()],
            ..OfferFilter::default()
        },
        ..ResolveRequest::default()
    };
    let specs = offline.read_specs(&["H100".into()])?;
    let session = Session::new();
    let options = LiveRequest::default();
    let live = offline.ask(&session, &specs, &request.offers, &options, &|_| {})?;
    let answer = offline.with_live(&live).resolve(&request)?;
    for offer in &answer.envelope.results {
        println!("{}: {:?}", offer.instance_type, offer.availability);
    }
    Ok(())
}
