//! The best of very many offers, without looking at each of them: the index from accelerators to
//! offers tells what each can be at best.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// Of so many offers each is looked at, so that an answer can tell about all of them.
pub(crate) const MANY: usize = 4096;

/// So many are looked at before the others are put in order.
const FIRST: usize = if cfg!(test) { 4 } else { 1024 };

/// The results that lead, by key. Of results with the same subject only the first one counts.
pub(crate) struct Leaders<K, S> {
    limit: usize,
    keys: BTreeSet<(K, S)>,
    subjects: BTreeMap<S, K>,
}

impl<K: Ord + Copy, S: Ord + Copy> Leaders<K, S> {
    /// At most so many lead.
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

    /// Whether nothing with this key or a later one can lead.
    pub fn precede(&self, key: K) -> bool {
        self.limit == 0 || self.last().is_some_and(|last| last < key)
    }

    /// The last key that leads, once as many lead as may.
    fn last(&self) -> Option<K> {
        let last = self.keys.last().filter(|_| self.keys.len() >= self.limit);
        last.map(|(last, _)| *last)
    }
}

/// How many times as many are looked at in the next round.
const GROWTH: usize = 64;

/// Looks at items until no other can be among the first ones. Each comes with a key that its results
/// do not precede.
pub(crate) fn best_first<K: Ord + Copy, S: Ord + Copy, I: Ord + Copy, T>(
    items: impl Fn() -> T,
    leaders: &mut Leaders<K, S>,
    mut look: impl FnMut(I, &mut Leaders<K, S>),
) where
    T: Iterator<Item = (K, I)>,
{
    // Most often a few are enough: it is cheaper to go through all again than to sort all.
    let (mut at_once, mut done) = (FIRST, None);
    loop {
        let mut next = BinaryHeap::new();
        let last = leaders.last();
        let may_lead = items().filter(|(key, _)| last.is_none_or(|last| *key <= last));
        let remaining = may_lead.filter(|item| done.is_none_or(|done| *item > done));
        // From within, iterators of iterators are twice as fast.
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
        fn what_leads_is_found_without_looking_at_all(
            items in prop::collection::vec((0_u32..50, 0_u32..20, 0_u32..12), 0..60),
            limit in 0_usize..8,
        ) {
            // An item has a bound, what it is later than that, and a subject.
            let key = |at: usize| items[at].0 + items[at].1;
            let mut first: BTreeMap<u32, u32> = BTreeMap::new();
            for (at, (.., subject)) in items.iter().enumerate() {
                let known = first.entry(*subject).or_insert(u32::MAX);
                *known = (*known).min(key(at));
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
            // Nothing behind the last one is looked at.
            if let Some(last) = wanted.last().filter(|_| wanted.len() == limit) {
                let needed = items.iter().filter(|item| item.0 <= *last).count();
                prop_assert!(looked_at.len() <= needed);
            }
        }
    }
}
