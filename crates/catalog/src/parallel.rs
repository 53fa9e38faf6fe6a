//! Work on several cores. If no thread can be started, the calling thread does all of it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The maximum number of threads.
const MAX_THREADS: usize = 8;

/// Returns the number of threads for a number of pieces of work.
pub(crate) fn threads(pieces: usize) -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    cores.min(MAX_THREADS).min(pieces)
}

/// Returns the results of a function for each item, in order.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let run = || -> Vec<(usize, R)> {
        let claimed = std::iter::from_fn(|| {
            let at = next.fetch_add(1, Ordering::Relaxed);
            items.get(at).map(|item| (at, item))
        });
        claimed.map(|(at, item)| (at, work(item))).collect()
    };
    let mut done = thread::scope(|scope| {
        let others = (1..threads(items.len())).filter_map(|_| {
            let thread = thread::Builder::new();
            thread.spawn_scoped(scope, run).ok()
        });
        let others: Vec<_> = others.collect();
        let mut done = run();
        for other in others {
            match other.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Returns the results of two functions, which run in parallel.
pub(crate) fn join<A: Send, B>(one: impl Fn() -> A + Sync, other: impl FnOnce() -> B) -> (A, B) {
    thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, &one);
        let other = other();
        let one = match thread.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(one)) => one,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => one(),
        };
        (one, other)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_results_in_order() {
        let items: Vec<u32> = (0..1000).collect();
        let squares: Vec<u32> = items.iter().map(|n| n * n).collect();
        assert_eq!(map(&items, |n| n * n), squares);
        assert!(map(&[] as &[u32], |n| n * n).is_empty());
        assert_eq!(join(|| 1, || "other"), (1, "other"));
    }
}
