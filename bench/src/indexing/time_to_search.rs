//! How soon what is published is found, under a steady load, against how long publishing itself takes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::CLIENTS;
use super::catalogue::{IndexedServer, is_found, publish};
use super::pace::Pace;
use crate::Outcome;
use crate::latency::Latencies;
use crate::part_bench::PartBench;
use crate::payloads::submit_requests;
use crate::submissions::submit;
use crate::threads::{run_beside, run_threads};

/// How many clients search for what they have published.
const SEARCHERS: usize = 2;

/// How many analyses are made ready for each of them.
const SEARCHES: usize = 4_000;

/// How long these wait between two analyses.
const SEARCHER_PAUSE: Duration = Duration::from_millis(5);

/// Returns after how many milliseconds all but one in a hundred analyses are found, and are published.
pub(super) fn measure(bench: &PartBench, served: &IndexedServer, files: usize, per_second: f64) -> Outcome<(f64, f64)> {
    let expected = (per_second * bench.size.duration.as_secs_f64()) as usize;
    let requests = submit_requests(expected + SEARCHERS * SEARCHES, files)?;
    let (steady, searched_for) = requests.split_at(expected);
    let pace = Pace::begin(per_second, steady.len());
    let is_over = AtomicBool::new(false);
    let publish_steadily = || -> Outcome<Vec<Duration>> {
        let (mut connection, mut times) = (served.server.connect()?, Vec::new());
        while let Some(nth) = pace.next() {
            let analysis_id = submit(&mut connection, &steady[nth])?;
            let begun = Instant::now();
            publish(&mut connection, &analysis_id)?;
            times.push(begun.elapsed());
        }
        Ok(times)
    };
    let search = |requests: &[Vec<u8>]| -> Outcome<Vec<Duration>> {
        let (mut connection, mut times) = (served.server.connect()?, Vec::new());
        for request in requests {
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
        Ok(times)
    };
    let (published, found) = run_beside(
        SEARCHERS,
        |number| search(&searched_for[number * SEARCHES..(number + 1) * SEARCHES]),
        || {
            let published = run_threads(CLIENTS, |_| publish_steadily());
            is_over.store(true, Ordering::Relaxed);
            published
        },
    )?;
    let p99 = |times: Vec<Vec<Duration>>| Latencies::of(times.concat()).p99();
    Ok((p99(found), p99(published)))
}
