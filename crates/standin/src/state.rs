//! The state of a running server that its answers depend on: its market, tokens and cached answers.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

use bytes::Bytes;

use crate::shop::Shop;

pub(crate) struct State {
    pub shop: Shop,
    tokens: Mutex<Tokens>,
    writes: AtomicUsize,
    /// The reports that were requested before.
    reports: Mutex<HashSet<String>>,
    /// Cached responses that are slow to compute, by request. The market does not change.
    answers: Mutex<HashMap<String, Bytes>>,
}

impl State {
    pub fn new(shop: Shop) -> Self {
        Self {
            shop,
            tokens: Mutex::default(),
            writes: AtomicUsize::new(0),
            reports: Mutex::default(),
            answers: Mutex::default(),
        }
    }

    pub fn tokens(&self) -> MutexGuard<'_, Tokens> {
        self.tokens.lock().expect("the tokens' lock")
    }

    pub fn answers(&self) -> MutexGuard<'_, HashMap<String, Bytes>> {
        self.answers.lock().expect("the answers' lock")
    }

    /// Returns true if a report is requested for the first time: then it is not ready.
    pub fn is_first_request(&self, report: &str) -> bool {
        let mut reports = self.reports.lock().expect("the reports' lock");
        reports.insert(report.to_owned())
    }

    pub fn count_write(&self) {
        self.writes.fetch_add(1, Ordering::Relaxed);
    }

    pub fn attempted_writes(&self) -> usize {
        self.writes.load(Ordering::Relaxed)
    }
}

/// The issued tokens, each with its number of uses.
#[derive(Default)]
pub(crate) struct Tokens(Vec<u32>);

impl Tokens {
    pub fn mint(&mut self) -> String {
        self.0.push(0);
        // The length of a real signed token.
        format!("standin-token-{}-{}", self.0.len(), "x".repeat(1000))
    }

    pub fn minted(&self) -> usize {
        self.0.len()
    }

    /// Returns whether a token is valid. With `first_expires`, the first token is valid for a single use.
    pub fn accept(&mut self, token: &str, first_expires: bool) -> bool {
        let ordinal = token
            .strip_prefix("standin-token-")
            .and_then(|rest| rest.split('-').next()?.parse::<usize>().ok());
        let Some(uses) = ordinal
            .and_then(|ordinal| ordinal.checked_sub(1))
            .and_then(|index| self.0.get_mut(index))
        else {
            return false;
        };
        *uses += 1;
        !(first_expires && ordinal == Some(1) && *uses > 1)
    }
}
