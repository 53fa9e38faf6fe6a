use sky_accel_engine::{Engine, Error, ModelSource, PlanRequest, RecommendRequest, RunRequest};
use sky_accel_engine::{OfferFilter, Target};

#[allow(clippy::print_stdout, reason = "an example prints its answer")]
fn main() -> Result<(), Error> {
    let engine = Engine::embedded();
    let request = RecommendRequest {
        run: RunRequest {
            model: Some(ModelSource::Name("Llama-3.1-8B".to_owned())),
            ..RunRequest::default()
        },
        // Only machines that the plan target below supports.
        offers: OfferFilter {
            providers: ["aws", "gcp"].map(str::to_owned).to_vec(),
            ..OfferFilter::default()
        },
        ..RecommendRequest::default()
    };
    let found = engine.recommend(&request, None)?;
    let Some(best) = found.envelope.results.first() else {
        println!("no machine runs it");
        return Ok(());
    };
    println!("{}", best.why.join(", "));

    let mut plan = PlanRequest::new(best.spec.clone());
    plan.offers = OfferFilter {
        providers: vec![best.offer.provider.to_owned()],
        ..OfferFilter::default()
    };
    plan.target = Some(Target::SkyPilot);
    if let Some((_, rendered)) = engine.plan(&plan)?.rendered {
        println!("{}", rendered.files[0].text);
    }
    Ok(())
}
