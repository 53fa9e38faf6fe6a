//! Finds the best of many offers without judging each: the index from accelerators to offers holds
//! a lower bound for every offer.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// Every offer is judged up to this number of offers, so that an answer accounts for all of them.
pub(crate) const MANY: usize = 4096;

/// The number of offers that the first round judges. Most searches end within it.
const FIRST: usize = if cfg!(test) { 4 } else { 1024 };

/// The best results by key. Of results with the same subject, only the best counts.
pub(crate) struct Leaders<K, S> {
    limit: usize,
    keys: BTreeSet<(K, S)>,
    subjects: BTreeMap<S, K>,
}

impl<K: Ord + Copy, S: Ord + Copy> Leaders<K, S> {
    /// Makes a list of at most `limit` results.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            keys: BTreeSet::new(),
            subjects: BTreeMap::new(),
        }
    }

    /// Adds a result.
    pub fn add(&mut self, key: K, subject: S) {
        if let Some(known) = self.subjects.get(&subject) {
            if *known <= key {
                return;
            }
            self.keys.remove(&(*known, subject));
        }
        self.subjects.insert(subject, key);
        self.keys.insert((key, subject));
        if self.keys.len() > self.limit {
            self.keys.pop_last();
        }
    }

    /// Returns whether no result with this key or a later key can be among the best.
    pub fn precede(&self, key: K) -> bool {
        self.limit == 0 || self.last().is_some_and(|last| last < key)
    }

    /// Returns the last key of a full list; `None` while there is room.
    fn last(&self) -> Option<K> {
        let last = self.keys.last().filter(|_| self.keys.len() >= self.limit);
        last.map(|(last, _)| *last)
    }
}

/// The growth factor of the number of items from round to round.
const GROWTH: usize = 64;

/// Looks at items until no other item can be among the leaders. The key of an item is a lower bound
/// of the keys of its results.
pub(crate) fn best_first<K: Ord + Copy, S: Ord + Copy, I: Ord + Copy, T>(
    items: impl Fn() -> T,
    leaders: &mut Leaders<K, S>,
    mut look: impl FnMut(I, &mut Leaders<K, S>),
) where
    T: Iterator<Item = (K, I)>,
{
    // A few items are usually enough, and another pass over all items is cheaper than sorting them.
    let (mut at_once, mut done) = (FIRST, None);
    loop {
        let mut next = BinaryHeap::new();
        let last = leaders.last();
        let may_lead = items().filter(|(key, _)| last.is_none_or(|last| *key <= last));
        let remaining = may_lead.filter(|item| done.is_none_or(|done| *item > done));
        // Internal iteration is twice as fast as a `for` loop over these chained iterators.
        remaining.for_each(|item| {
            if next.len() < at_once {
                next.push(item);
            } else if let Some(mut last) = next.peek_mut()
                && item < *last
            {
                *last = item;
            }
        });
        let next = next.into_sorted_vec();
        for (key, item) in &next {
            if leaders.precede(*key) {
                return;
            }
            look(*item, leaders);
        }
        done = next.last().copied();
        if next.len() < at_once {
            return;
        }
        at_once *= GROWTH;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn finds_the_leaders_with_few_evaluations(
            items in prop::collection::vec((0_u32..50, 0_u32..20, 0_u32..12), 0..60),
            limit in 0_usize..8,
        ) {
            // An item is a bound, a distance from the bound, and a subject.
            let key = |at: usize| items[at].0 + items[at].1;
            let mut first: BTreeMap<u32, u32> = BTreeMap::new();
            for (at, (.., subject)) in items.iter().enumerate() {
                let best_key = first.entry(*subject).or_insert(u32::MAX);
                *best_key = (*best_key).min(key(at));
            }
            let mut wanted: Vec<u32> = first.into_values().collect();
            wanted.sort_unstable();
            wanted.truncate(limit);

            let mut leaders = Leaders::new(limit);
            let mut looked_at = BTreeSet::new();
            let bounds = || items.iter().enumerate().map(|(at, item)| (item.0, at));
            best_first(bounds, &mut leaders, |at, leaders| {
                assert!(looked_at.insert(at));
                leaders.add(key(at), items[at].2);
            });
            let found: Vec<u32> = leaders.keys.iter().map(|(key, _)| *key).collect();
            prop_assert_eq!(&found, &wanted);
            // No item beyond the last leader is looked at.
            if let Some(last) = wanted.last().filter(|_| wanted.len() == limit) {
                let needed = items.iter().filter(|item| item.0 <= *last).count();
                prop_assert!(looked_at.len() <= needed);
            }
        }
    }
}
