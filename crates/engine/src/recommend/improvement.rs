//! How much a machine may improve in another precision: bounds, which leave out machines that need not be sized.

use sky_accel_core::sizing::Arrival;

use super::requirements::Requirements;
use super::search::SizedMachine;
use super::service::Shortfall;

/// The speed may grow by this factor more than the weights shrink, because smaller weights leave memory for more
/// sequences.
pub(super) const MORE_SEQUENCES: f64 = 1.5;
/// The accuracy of the number of sequences that fit, as a factor.
const SLACK: f64 = 1.1;
/// The accuracy of the time of a token with more sequences, as a factor.
const FASTER: f64 = 1.3;
/// A KV cache is read at a lower share of the bandwidth than weights: at most this factor longer for a byte.
const SLOWER_CACHE: f64 = 1.5;

/// True if a requirement may be met at a speed that is higher by a factor.
fn may_be_met(open: &Shortfall, gain: f64, requirements: &Requirements) -> bool {
    let rate = requirements.load.and_then(|load| match load.arrival {
        Arrival::Rate(rate) => Some(rate),
        Arrival::Users(_) => None,
    });
    match *open {
        Shortfall::Price(_) => false,
        // The hours of renting do not depend on the speed.
        Shortfall::Budget(Some(_)) if requirements.hours.is_some() => false,
        Shortfall::Speed(Some(speed)) => requirements
            .speed
            .is_none_or(|limit| speed * gain >= limit.value),
        Shortfall::FirstToken(Some(seconds)) => requirements
            .first_token_s
            .is_none_or(|limit| seconds / gain <= limit.value),
        Shortfall::Rate(Some(served)) => rate.is_none_or(|rate| served * gain >= rate),
        Shortfall::Deadline(Some(hours)) => requirements
            .deadline_hours
            .is_none_or(|limit| hours / gain <= limit),
        Shortfall::Budget(Some(usd)) => requirements
            .budget
            .is_none_or(|limit| usd.decimal() / gain <= limit.decimal()),
        Shortfall::Speed(None)
        | Shortfall::FirstToken(None)
        | Shortfall::Rate(None)
        | Shortfall::Deadline(None)
        | Shortfall::Budget(None)
        | Shortfall::SlowLinks(_)
        | Shortfall::Spare(_) => true,
    }
}

/// Like [`may_be_met`], for a machine whose weights and KV cache change their size by factors.
pub(super) fn may_be_met_by(
    open: &Shortfall,
    choice: &SizedMachine,
    (weights, cache): (f64, f64),
    gain: f64,
    requirements: &Requirements,
) -> bool {
    let is_of_speed = matches!(open, Shortfall::FirstToken(_) | Shortfall::Speed(_));
    let waits = may_end_waiting(choice, (weights, cache), requirements);
    match waits.filter(|_| is_of_speed) {
        Some(may_end) => may_end,
        None => may_be_met(open, gain, requirements),
    }
}

/// If users wait for memory on a machine, whether the memory may suffice for all of them, at the required speed, with
/// weights and a KV cache that change their size by factors. `None` if no user waits.
fn may_end_waiting(
    choice: &SizedMachine,
    (weights, cache): (f64, f64),
    requirements: &Requirements,
) -> Option<bool> {
    let Arrival::Users(users) = requirements.load?.arrival else {
        return None;
    };
    let model = &choice.model;
    let served = model.served?;
    let at_once = served.sequences * f64::from(model.fitted.layout.data);
    if at_once >= users.floor() || at_once <= 0.0 {
        return None;
    }
    let memory = &model.fitted.memory;
    let kept = memory.kv_cache.max(1.0);
    let room = (kept + memory.weights * (1.0 - weights)) / kept;
    // Every token reads the weights, and the cache of all users.
    let now = memory.weights + kept;
    let then = memory.weights * weights + kept * users / at_once / cache;
    let token_s = served.token_s * then / now;
    let is_fast = requirements
        .speed
        .is_none_or(|limit| token_s <= FASTER / limit.value);
    Some(is_fast && at_once * room * cache * SLACK >= users)
}

/// The factor that the speed of a machine grows by at most with a KV cache of half the size.
pub(super) fn small_cache_gain(choice: &SizedMachine, requirements: &Requirements) -> f64 {
    let model = &choice.model;
    let users = requirements.load.and_then(|load| match load.arrival {
        Arrival::Users(users) => Some(users),
        Arrival::Rate(_) => None,
    });
    let ranks = f64::from(model.fitted.layout.data);
    let all_at_once = users
        .zip(model.served)
        .is_some_and(|(users, served)| served.sequences * ranks >= users.floor());
    let memory = &model.fitted.memory;
    if !all_at_once || memory.weights <= 0.0 {
        return MORE_SEQUENCES;
    }
    // Every step reads the weights and the cache, so only the share of the cache shrinks.
    let cache = memory.kv_cache * SLOWER_CACHE;
    let gain = (memory.weights + cache) / (memory.weights + cache / 2.0);
    gain.min(MORE_SEQUENCES)
}
