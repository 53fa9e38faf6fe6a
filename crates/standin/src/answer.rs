//! The dispatch of requests to the services.

use crate::reply::Reply;
use crate::state::{Recorded, State};
use crate::{Fault, Service, aws, feeds, runpod, vast, verda};

pub(crate) fn answer(state: &State, request: &Recorded, fault: &Fault) -> Reply {
    match request.service {
        Service::Ec2 => aws::ec2(state, request),
        Service::Pricing => aws::pricing(state, request),
        Service::Quotas => aws::quotas(state, request),
        Service::RunPod => runpod::answer(state, request),
        Service::Vast => vast::answer(
            state,
            request,
            matches!(fault, Fault::None | Fault::Delay(_)),
        ),
        Service::Verda => verda::answer(state, request, *fault == Fault::ExpiredToken),
        _ => feeds::answer(state, request),
    }
}
