//! Submitting, publishing and finding, against submitting alone.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::catalogue::{IndexedServer, publish};
use super::{CLIENTS, time_to_search};
use crate::Outcome;
use crate::client::Connection;
use crate::load::drive_steps;
use crate::part_bench::PartBench;
use crate::payloads::{publish_requests, submit_requests};
use crate::report::{self, Figure, Limit, measure_each, plural};
use crate::server_process::ServerProcess;
use crate::submissions::{self, first_document, measured_count, submit, submit_all, warm_up_count};

/// How many files a submission has, in turn.
const FILE_COUNTS: [usize; 2] = [1, 10];

pub(super) fn measure(bench: &PartBench) -> Outcome<Vec<Figure>> {
    measure_each(FILE_COUNTS, |files| measure_with(bench, files))
}

fn measure_with(bench: &PartBench, files: usize) -> Outcome<Vec<Figure>> {
    let of_files = format!("{files} {}", plural(files, "file"));
    let rate = format!("Submit, publish with another request and find, {of_files}, {CLIENTS} clients");
    let mut rate = Figure::compared(rate, "analyses/s");
    let at_once = format!("Submit with publish=true and find, {of_files}, {CLIENTS} clients");
    let mut at_once = Figure::compared(at_once, "analyses/s");
    let sooner = format!("From publish to found, p99, {of_files}, at half that rate");
    let mut sooner = Figure::compared(sooner, "ms").required(Limit::AtMost(5.0));
    if files == 1 {
        at_once = at_once.required(Limit::AtLeast(0.4));
        rate = rate.required(Limit::AtLeast(0.4));
    }
    for round in 1..=bench.size.rounds {
        let alone = submitting_alone(bench, files)?;
        let served = IndexedServer::start(bench)?;
        let whole = whole_loop(bench, &served, files, submit_requests, publish_new)?;
        report::progress(&format!(
            "whole loop, {of_files}, round {round}: {whole:.0}/s, submitting alone {alone:.0}/s"
        ));
        rate.add_compared(whole, alone);
        let (found, published) = time_to_search::measure(bench, &served, files, whole / 2.0)?;
        report::progress(&format!("  found after {found:.1} ms, published after {published:.1} ms"));
        sooner.add_compared(found, published);
        served.server.stop()?;
        let served = IndexedServer::start(bench)?;
        let whole = whole_loop(bench, &served, files, publish_requests, publish_at_once)?;
        report::progress(&format!("  with publish=true {whole:.0}/s"));
        at_once.add_compared(whole, alone);
        served.server.stop()?;
    }
    Ok(vec![at_once, rate, sooner])
}

/// Returns how many submissions a server takes in a second that does nothing else.
fn submitting_alone(bench: &PartBench, files: usize) -> Outcome<f64> {
    let folder = bench.workspace.new_folder()?;
    let server = ServerProcess::cantata(folder.path())?;
    first_document(&server, files)?;
    let rate = submissions::measure(&server, CLIENTS, files, bench.size.warm_up, bench.size.duration)?;
    server.stop()?;
    Ok(rate.per_second)
}

/// Returns how many analyses are submitted, published and found in a second.
fn whole_loop(
    bench: &PartBench,
    served: &IndexedServer,
    files: usize,
    make: impl Fn(usize, usize) -> Outcome<Vec<Vec<u8>>>,
    publish: impl Fn(&mut Connection, &[u8]) -> Outcome<()> + Sync,
) -> Outcome<f64> {
    let requests = submit_requests(warm_up_count(files), files)?;
    let warmed = submit_all(&served.server, CLIENTS, &requests, bench.size.warm_up)?;
    let requests = make(measured_count(&warmed, bench.size.duration), files)?;
    let begun = Instant::now();
    let taken = AtomicUsize::new(0);
    let load = drive_steps(served.server.address, CLIENTS, bench.size.duration, |connection, _, _| {
        let Some(request) = requests.get(taken.fetch_add(1, Ordering::Relaxed)) else { return Ok(false) };
        publish(connection, request).map(|()| true)
    })?;
    let published = load.requests;
    served.until_found(published * files as u64)?;
    Ok(published as f64 / begun.elapsed().as_secs_f64())
}

/// Submits an analysis, and publishes it with another request.
fn publish_new(connection: &mut Connection, request: &[u8]) -> Outcome<()> {
    let analysis_id = submit(connection, request)?;
    publish(connection, &analysis_id)
}

/// Submits and publishes an analysis with one request.
fn publish_at_once(connection: &mut Connection, request: &[u8]) -> Outcome<()> {
    connection.send(request)
}
