//! Random requests to every route of a server with sample data: none may end in a server error or a panic, and the server
//! never needs more memory than its limit allows.
//!
//! Routes, methods and parameters come from the server's OpenAPI document, so a new route is part of it. Each request is a
//! valid one in which something was changed. What the server answers with 5xx is printed and kept in a file.

mod mutation;
mod seeds;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use clap::Args;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use self::seeds::Seeds;
use crate::Outcome;
use crate::client::{Connection, get};
use crate::server_process::{ServerProcess, cantata};
use crate::threads::run_threads;

/// After this many requests a new server begins: what they have submitted makes lists long, and so requests slow.
const REQUESTS_PER_SERVER: u64 = 20_000;

/// How many requests with a server error are kept.
const MAX_KEPT: usize = 50;

const READY_ATTEMPTS: usize = 300;

const READY_INTERVAL: Duration = Duration::from_millis(100);

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
    /// Requests with a server error, its status, and the body of the answer.
    failures: Vec<(u16, Vec<u8>, Vec<u8>)>,
    panics: usize,
    /// The most memory that a server ever had, in megabytes.
    peak: f64,
}

impl Tally {
    fn has_passed(&self, memory_limit: u32) -> bool {
        self.failures.is_empty() && self.panics == 0 && self.peak <= f64::from(memory_limit)
    }
}

/// Sends the requests; succeeds if there was no server error and no panic, and the memory stayed within its limit.
pub(crate) fn run(arguments: &FuzzArguments) -> Outcome<ExitCode> {
    let mut tally = Tally::default();
    let mut random = StdRng::seed_from_u64(arguments.seed);
    let mut left = arguments.requests;
    while left > 0 {
        let requests = left.min(REQUESTS_PER_SERVER);
        run_on_one_server(arguments, requests, random.random(), &mut tally)?;
        left -= requests;
    }
    report(&tally, arguments.memory_limit)
}

fn run_on_one_server(arguments: &FuzzArguments, requests: u64, seed: u64, all: &mut Tally) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let log = std::env::temp_dir().join("cantata-fuzz.log");
    let mut command = cantata(&folder.path().join("data"))?;
    let memory_limit = u64::from(arguments.memory_limit) * 1_000_000;
    command.env("SERVER_PORT", "0").env("MEMORY_LIMIT", memory_limit.to_string());
    command.arg("demo").stderr(fs_err::File::create(&log)?.into_file());
    let server = ServerProcess::start(command)?;
    wait_until_ready(&mut server.connect()?)?;
    let seeds = Seeds::collect(&mut server.connect()?)?;
    let (sent, tally) = (AtomicU64::new(0), Mutex::new(all));
    run_threads(arguments.connections, |thread| {
        let mut random = StdRng::seed_from_u64(seed.wrapping_add(thread as u64));
        let mut connection = server.connect()?;
        while sent.fetch_add(1, Ordering::Relaxed) < requests {
            let request = seeds.choose(&mut random).mutated(&mut random).to_bytes();
            let status = connection.status(&request);
            let mut tally = tally.lock().map_err(|_| "a thread panicked")?;
            match status {
                Ok(status) => {
                    *tally.statuses.entry(status).or_default() += 1;
                    if status >= 500 && tally.failures.len() < MAX_KEPT {
                        tally.failures.push((status, request, connection.body().to_vec()));
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
    let peak = server.memory_parts()?.peak;
    server.stop()?;
    let all = tally.into_inner().map_err(|_| "a thread panicked")?;
    all.peak = all.peak.max(peak);
    all.panics += fs_err::read_to_string(&log)?.lines().filter(|line| line.contains("panic")).count();
    Ok(())
}

/// Waits until the catalogues of the sample data are served; until then the server says that it is not ready.
fn wait_until_ready(connection: &mut Connection) -> Outcome<()> {
    for _ in 0..READY_ATTEMPTS {
        if connection.status(&get("/ready"))? == 200 {
            return Ok(());
        }
        std::thread::sleep(READY_INTERVAL);
    }
    Err("the server does not become ready".into())
}

fn report(tally: &Tally, memory_limit: u32) -> Outcome<ExitCode> {
    use std::io::Write;

    let mut out = std::io::stdout().lock();
    for (status, count) in &tally.statuses {
        writeln!(out, "{status}: {count}")?;
    }
    writeln!(out, "closed: {}", tally.closed)?;
    writeln!(out, "panics: {}", tally.panics)?;
    writeln!(out, "memory: {:.0} MB at most, of {memory_limit} MB", tally.peak)?;
    if tally.has_passed(memory_limit) {
        return Ok(ExitCode::SUCCESS);
    }
    for (number, (status, request, body)) in tally.failures.iter().enumerate() {
        let path = std::env::temp_dir().join(format!("cantata-fuzz-{number}.http"));
        fs_err::write(&path, request)?;
        let begin = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            text.lines().next().unwrap_or_default().chars().take(120).collect::<String>()
        };
        writeln!(out, "{status} {} {}\n    {}", path.display(), begin(request), begin(body))?;
    }
    Ok(ExitCode::FAILURE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_above_the_limit_fails_the_run() {
        let tally = |peak: f64| Tally { peak, ..Tally::default() };
        assert!(tally(2_000.0).has_passed(2_000));
        assert!(!tally(2_000.1).has_passed(2_000));
    }
}
