//! The same work in several threads at once.

use crate::Outcome;

/// Runs this many threads, each of which is given its number, and returns their results in the order of the numbers.
pub(crate) fn run_threads<T: Send>(count: usize, work: impl Fn(usize) -> Outcome<T> + Sync) -> Outcome<Vec<T>> {
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|number| scope.spawn(move || work(number))).collect();
        threads.into_iter().map(|thread| thread.join().map_err(|_| "a thread panicked")?).collect()
    })
}

/// Runs this many threads beside the work of this one, which must tell them when to end.
pub(crate) fn run_beside<T: Send, F>(
    count: usize,
    background: impl Fn(usize) -> Outcome<T> + Sync,
    foreground: impl FnOnce() -> Outcome<F>,
) -> Outcome<(F, Vec<T>)> {
    let background = &background;
    std::thread::scope(|scope| {
        let threads = scope.spawn(move || run_threads(count, background));
        let done = foreground();
        let results = threads.join().map_err(|_| "a thread panicked")?;
        Ok((done?, results?))
    })
}
