//! Spreading the parts of one request over the processors.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many processors there are; asking the system takes longer than many a facet.
static PROCESSORS: LazyLock<usize> = LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from));

/// Does so many pieces of work, each by its number, and returns what comes of them, in order. The calling thread does
/// its part, and others help it.
pub(super) fn spread<T: Send>(pieces: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let helpers = PROCESSORS.min(pieces).saturating_sub(1);
    if helpers == 0 {
        return (0..pieces).map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let take = || {
        let numbers =
            std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&number| number < pieces));
        numbers.map(|number| (number, work(number))).collect::<Vec<_>>()
    };
    let mut done = std::thread::scope(|scope| {
        let helpers: Vec<_> = (0..helpers).map(|_| scope.spawn(take)).collect();
        let mut done = take();
        for helper in helpers {
            // A panic goes on where the request is handled.
            done.extend(helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn every_piece_is_done_once_and_in_its_place() {
        for pieces in [0, 1, 2, 100] {
            assert_eq!(spread(pieces, |number| number * 2), (0..pieces).map(|number| number * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    #[should_panic(expected = "of the seventh")]
    fn a_panic_is_not_swallowed() {
        spread(20, |number| assert_ne!(number, 7, "of the seventh"));
    }
}
