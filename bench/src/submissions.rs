//! Submitting for a while and measuring it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde::Deserialize;

use crate::Outcome;
use crate::client::{Connection, get};
use crate::load::{Load, Rate, drive, observe};
use crate::payloads::{STUDY, study_request, submit_requests};
use crate::server_process::ServerProcess;

/// More payloads are made than the warm-up lets expect, so that they do not run out.
const RESERVE_FACTOR: f64 = 1.5;

/// Returns about as many submissions as any server could take in a warm-up.
pub(crate) fn warm_up_count(files: usize) -> usize {
    if files == 1 { 15_000 } else { 1_000 }
}

/// Returns how many submissions to make ready for a measurement, going by what a warm-up got done.
pub(crate) fn measured_count(warm_up: &Load, duration: Duration) -> usize {
    (warm_up.per_second() * duration.as_secs_f64() * RESERVE_FACTOR) as usize + 100
}

/// Submits until the time is over or all are sent.
pub(crate) fn submit_all(
    server: &ServerProcess,
    clients: usize,
    requests: &[Vec<u8>],
    duration: Duration,
) -> Outcome<Load> {
    let taken = AtomicUsize::new(0);
    drive(server.address, clients, duration, |_, _| {
        requests.get(taken.fetch_add(1, Ordering::Relaxed)).map(Vec::as_slice)
    })
}

/// Warms the server up and measures how it takes submissions.
pub(crate) fn measure(
    server: &ServerProcess,
    clients: usize,
    files: usize,
    warm_up: Duration,
    duration: Duration,
) -> Outcome<Rate> {
    let warmed = submit_all(server, clients, &submit_requests(warm_up_count(files), files)?, warm_up)?;
    let requests = submit_requests(measured_count(&warmed, duration), files)?;
    observe(server, || submit_all(server, clients, &requests, duration))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Submitted {
    analysis_id: String,
}

/// Makes the study, submits one analysis and returns its document as it is stored.
pub(crate) fn first_document(server: &ServerProcess, files: usize) -> Outcome<String> {
    let mut connection = server.connect()?;
    connection.send(&study_request())?;
    let analysis_id = submit(&mut connection, &submit_requests(1, files)?.concat())?;
    let document = connection.exchange(&get(&format!("/studies/{STUDY}/analysis/{analysis_id}")))?;
    Ok(String::from_utf8(document.to_vec())?)
}

/// Submits an analysis and returns its id.
pub(crate) fn submit(connection: &mut Connection, request: &[u8]) -> Outcome<String> {
    connection.fetch(request).map(|submitted: Submitted| submitted.analysis_id)
}
