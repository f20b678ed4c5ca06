//! Random requests to every route of a server with sample data: none may end in a server error or a panic, and the server
//! never needs more memory than it was told that it may use.
//!
//! Routes, methods and parameters come from the server's OpenAPI document, so a new route is part of it. Each request is a
//! valid one in which something was changed. What the server answers with 5xx is printed and kept in a file.

mod mutation;
mod seeds;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Args;
use rand::SeedableRng;
use rand::rngs::StdRng;

use self::seeds::Seeds;
use crate::Outcome;
use crate::client::Connection;
use crate::process_memory::ProcessMemory;
use crate::server_process::{ServerProcess, cantata};
use crate::threads::run_threads;

/// How many requests with a server error are kept.
const MAX_KEPT: usize = 50;

/// How to send random requests.
#[derive(Args)]
pub(crate) struct FuzzArguments {
    /// How many requests are sent.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    requests: u64,
    /// How many connections send them.
    #[arg(long, value_name = "N", default_value_t = 8)]
    connections: usize,
    /// The beginning of the random numbers.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The memory that the server may use (`MEMORY_LIMIT`), in megabytes of 1,000,000 bytes.
    #[arg(long, value_name = "MB", default_value_t = 2_000)]
    memory_limit: u32,
}

/// What came of the requests.
#[derive(Default)]
struct Tally {
    statuses: BTreeMap<u16, u64>,
    /// How often the server closed the connection instead of an answer, or sent none in time.
    closed: u64,
    /// Requests with a server error, and its status.
    failures: Vec<(u16, Vec<u8>)>,
}

/// Sends the requests; succeeds if there was no server error and no panic, and the memory stayed within its limit.
pub(crate) fn run(arguments: &FuzzArguments) -> Outcome<ExitCode> {
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("server.log");
    let mut command = cantata(&folder.path().join("data"))?;
    let memory_limit = u64::from(arguments.memory_limit) * 1_000_000;
    command.env("SERVER_PORT", "0").env("MEMORY_LIMIT", memory_limit.to_string());
    command.arg("demo").stderr(fs_err::File::create(&log)?.into_file());
    let server = ServerProcess::start(command)?;
    let seeds = Seeds::collect(&mut server.connect()?)?;
    let before = server.memory_parts()?;
    let (sent, tally) = (AtomicU64::new(0), Mutex::new(Tally::default()));
    run_threads(arguments.connections, |thread| {
        let mut random = StdRng::seed_from_u64(arguments.seed.wrapping_mul(1_000).wrapping_add(thread as u64));
        let mut connection = server.connect()?;
        while sent.fetch_add(1, Ordering::Relaxed) < arguments.requests {
            let request = seeds.choose(&mut random).mutated(&mut random).to_bytes();
            let status = connection.status(&request);
            let mut tally = tally.lock().map_err(|_| "a thread panicked")?;
            match status {
                Ok(status) => {
                    *tally.statuses.entry(status).or_default() += 1;
                    if status >= 500 && tally.failures.len() < MAX_KEPT {
                        tally.failures.push((status, request));
                    }
                }
                Err(_) => {
                    tally.closed += 1;
                    drop(tally);
                    connection = Connection::open(server.address)?;
                }
            }
        }
        Ok(())
    })?;
    let after = server.memory_parts()?;
    server.stop()?;
    let tally = tally.into_inner().map_err(|_| "a thread panicked")?;
    let panics = fs_err::read_to_string(&log)?.lines().filter(|line| line.contains("panic")).count();
    report(&tally, panics, before, after, arguments.memory_limit)
}

/// Returns whether a process ever had more than so many megabytes in RAM.
fn is_over(memory: ProcessMemory, limit: u32) -> bool {
    memory.peak > f64::from(limit)
}

fn report(
    tally: &Tally,
    panics: usize,
    before: ProcessMemory,
    after: ProcessMemory,
    memory_limit: u32,
) -> Outcome<ExitCode> {
    use std::io::Write;

    let mut out = std::io::stdout().lock();
    for (status, count) in &tally.statuses {
        writeln!(out, "{status}: {count}")?;
    }
    writeln!(out, "closed: {}", tally.closed)?;
    writeln!(out, "panics: {panics}")?;
    writeln!(out, "memory: {:.0} MB before, {:.0} MB after, {:.0} MB at most", before.all, after.all, after.peak)?;
    let is_over = is_over(after, memory_limit);
    if is_over {
        writeln!(out, "memory: more than the {memory_limit} MB that the server may use (MEMORY_LIMIT)")?;
    }
    if tally.failures.is_empty() && panics == 0 && !is_over {
        return Ok(ExitCode::SUCCESS);
    }
    for (number, (status, request)) in tally.failures.iter().enumerate() {
        let path = std::env::temp_dir().join(format!("cantata-fuzz-{number}.http"));
        fs_err::write(&path, request)?;
        let line =
            String::from_utf8_lossy(request).lines().next().unwrap_or_default().chars().take(120).collect::<String>();
        writeln!(out, "{status} {} {line}", path.display())?;
    }
    Ok(ExitCode::FAILURE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_above_the_limit_fails_the_run_even_if_the_memory_was_given_back() {
        let peak = |peak: f64| ProcessMemory { all: 100.0, peak, ..ProcessMemory::default() };
        assert!(!is_over(peak(2_000.0), 2_000));
        assert!(is_over(peak(2_000.1), 2_000));
    }
}
