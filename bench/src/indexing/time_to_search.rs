//! How soon what is published is found, under a steady load, against how long publishing itself takes.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::catalogue::{IndexedServer, is_found, publish, submit};
use super::pace::Pace;
use super::{CLIENTS, IndexingBench};
use crate::Outcome;
use crate::latency::Latencies;
use crate::payloads::submit_requests;

/// How many clients search for what they have published.
const SEARCHERS: usize = 2;

/// How long these wait between two analyses.
const SEARCHER_PAUSE: Duration = Duration::from_millis(5);

/// Returns after how many milliseconds all but one in a hundred analyses are found, and are published.
pub(super) fn measure(
    bench: &IndexingBench,
    served: &IndexedServer,
    files: usize,
    per_second: f64,
) -> Outcome<(f64, f64)> {
    let expected = (per_second * bench.duration.as_secs_f64()) as usize;
    let requests = submit_requests(expected + SEARCHERS * 4_000, files)?;
    let (steady, searched_for) = requests.split_at(expected);
    let pace = Pace::begin(per_second, steady.len());
    let is_over = AtomicBool::new(false);
    let (published, found) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let load = || -> Outcome<()> {
        let mut connection = served.server.connect()?;
        let mut times = Vec::new();
        while let Some(nth) = pace.next() {
            let analysis_id = submit(&mut connection, &steady[nth])?;
            let begun = Instant::now();
            publish(&mut connection, &analysis_id)?;
            times.push(begun.elapsed());
        }
        published.lock().map_err(|_| "a client panicked")?.extend(times);
        Ok(())
    };
    let search = |part: &[Vec<u8>]| -> Outcome<()> {
        let (mut connection, mut times) = (served.server.connect()?, Vec::new());
        for request in part {
            if is_over.load(Ordering::Relaxed) {
                break;
            }
            let analysis_id = submit(&mut connection, request)?;
            let begun = Instant::now();
            publish(&mut connection, &analysis_id)?;
            while !is_found(&mut connection, &analysis_id)? {}
            times.push(begun.elapsed());
            std::thread::sleep(SEARCHER_PAUSE);
        }
        found.lock().map_err(|_| "a client panicked")?.extend(times);
        Ok(())
    };
    let search = &search;
    std::thread::scope(|scope| -> Outcome<()> {
        let loads: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(load)).collect();
        let searchers: Vec<_> = searched_for.chunks(4_000).map(|part| scope.spawn(move || search(part))).collect();
        let mut ended = Vec::new();
        ended.extend(loads.into_iter().map(|thread| thread.join().map_err(|_| "a client panicked")));
        is_over.store(true, Ordering::Relaxed);
        ended.extend(searchers.into_iter().map(|thread| thread.join().map_err(|_| "a client panicked")));
        ended.into_iter().try_for_each(|one| one?)
    })?;
    let p99 = |times: Mutex<Vec<Duration>>| -> Outcome<f64> {
        Ok(Latencies::of(times.into_inner().map_err(|_| "a client panicked")?).p99())
    };
    Ok((p99(found)?, p99(published)?))
}
