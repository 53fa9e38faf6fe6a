//! Many equal requests for different places: a few at a time, and no more after the account is refused.

use std::cell::Cell;
use std::future::Future;

use futures_util::StreamExt as _;
use futures_util::stream::iter;
use serde::{Deserialize, Serialize};

use crate::cache::Answered;
use crate::error::{ErrorKind, ProviderError};

/// The maximum number of concurrent requests of one kind.
const CONCURRENT: usize = 4;
/// The maximum number of requests of one kind in a run.
pub(super) const MAX_CALLS: usize = 96;
/// The number of places that an error names.
const NAMED: usize = 2;

/// A machine type in a region, or in a zone of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct TypePlace {
    pub region: String,
    pub zone: Option<String>,
    /// The machine type; empty for all types.
    pub type_id: String,
}

/// The answers for many places.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Batch<T> {
    pub answers: Vec<(TypePlace, T)>,
    /// The places for which Google has no answer, such as types that are not sold as spot.
    pub absent: Vec<TypePlace>,
}

impl TypePlace {
    fn words(&self) -> String {
        let place = self.zone.as_ref().unwrap_or(&self.region);
        if self.type_id.is_empty() {
            place.clone()
        } else {
            format!("{} in {place}", self.type_id)
        }
    }
}

impl<T> Default for Batch<T> {
    fn default() -> Self {
        Self {
            answers: Vec::new(),
            absent: Vec::new(),
        }
    }
}

/// Sends a request for each place. After an error that all further requests would meet too, sends no
/// more.
///
/// # Errors
///
/// Fails with the first error if nothing was answered.
pub(super) async fn batch<T, F>(
    places: &[TypePlace],
    ask: impl Fn(TypePlace) -> F,
) -> Result<Answered<Batch<T>>, ProviderError>
where
    F: Future<Output = Result<T, ProviderError>>,
{
    let is_stopped = Cell::new(false);
    let calls = places.iter().map(async |place| {
        if is_stopped.get() {
            return (place.clone(), None);
        }
        let answer = ask(place.clone()).await;
        let stops = |error: &ProviderError| error.kind != ErrorKind::Protocol;
        if answer.as_ref().is_err_and(stops) {
            is_stopped.set(true);
        }
        (place.clone(), Some(answer))
    });
    let mut answers: Vec<_> = iter(calls).buffer_unordered(CONCURRENT).collect().await;
    answers.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut done = Batch::default();
    let mut failed: Vec<(ProviderError, Vec<TypePlace>)> = Vec::new();
    let mut left = Vec::new();
    for (place, answer) in answers {
        match answer {
            Some(Ok(answer)) => done.answers.push((place, answer)),
            Some(Err(error)) if error.is_absent => done.absent.push(place),
            Some(Err(error)) => {
                let mut known = failed.iter_mut();
                match known.find(|(known, _)| known.message == error.message) {
                    Some((_, places)) => places.push(place),
                    None => failed.push((error, vec![place])),
                }
            }
            None => left.push(place),
        }
    }
    if let Some((_, places)) = failed.last_mut() {
        places.append(&mut left);
    }
    let problems: Vec<ProviderError> = failed.into_iter().map(with_places).collect();
    if done.answers.is_empty()
        && done.absent.is_empty()
        && let Some(error) = problems.first()
    {
        return Err(error.clone());
    }
    Ok((done, problems))
}

/// Returns an error that names some of its places.
fn with_places((mut error, places): (ProviderError, Vec<TypePlace>)) -> ProviderError {
    let mut words: Vec<String> = places.iter().take(NAMED).map(TypePlace::words).collect();
    if places.len() > NAMED {
        words.push(format!("{} more", places.len() - NAMED));
    }
    error.message = format!("{}: {}", error.message, words.join(", "));
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(number: usize) -> Vec<TypePlace> {
        let place = |at| TypePlace {
            region: format!("r{at:02}"),
            zone: None,
            type_id: "t".to_owned(),
        };
        (0..number).map(place).collect()
    }

    fn error(kind: ErrorKind) -> ProviderError {
        ProviderError::new("gcp", kind, "no")
    }

    fn run<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread();
        { runtime }.build().unwrap().block_on(future)
    }

    #[test]
    fn a_missing_permission_ends_a_batch() {
        let asked = Cell::new(0);
        let answer = run(batch::<(), _>(&places(40), async |_| {
            asked.set(asked.get() + 1);
            tokio::task::yield_now().await;
            Err(error(ErrorKind::Permission))
        }));
        let error = answer.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Permission);
        assert_eq!(error.message, "no: t in r00, t in r01, 38 more");
        assert!(asked.get() <= CONCURRENT, "{}", asked.get());
    }

    #[test]
    fn places_without_an_answer_are_not_errors() {
        let answer = run(batch(&places(3), async |place| {
            let mut error = error(ErrorKind::Protocol);
            error.is_absent = place.region == "r00";
            if place.region == "r02" {
                Ok(7)
            } else {
                Err(error)
            }
        }));
        let (done, problems) = answer.unwrap();
        assert_eq!(done.answers, [(places(3)[2].clone(), 7)]);
        assert_eq!(done.absent, places(1));
        assert_eq!(problems[0].message, "no: t in r01");
    }
}
