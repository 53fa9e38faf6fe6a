use sky_accel_engine::{Engine, Error, OfferFilter, ResolveRequest};

#[allow(clippy::print_stdout, reason = "an example prints its answer")]
fn main() -> Result<(), Error> {
    let engine = Engine::embedded();
    let answer = engine.resolve(&ResolveRequest {
        specs: vec!["A100:80GB:x8".into()],
        offers: OfferFilter {
            providers: vec!["aws".to_owned()],
            ..OfferFilter::default()
        },
        ..ResolveRequest::default()
    })?;
    for offer in &answer.envelope.results {
        let price = offer.on_demand.as_ref().map(|price| price.usd_per_hour.0);
        println!("{} {} {price:?} USD/h", offer.provider, offer.instance_type);
    }
    Ok(())
}
