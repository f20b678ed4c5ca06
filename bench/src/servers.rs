//! Several servers on one PostgreSQL: what more of them add, for submissions and for the pages of a portal.
//!
//! Clients are spread over the servers as a plain proxy would do it. All of them, the database among them, share one machine,
//! so the figures say what the servers cost and what they wait for, not what as many machines would do.

use std::ffi::OsStr;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use clap::ValueEnum;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::bare_postgres::Database;
use crate::client::{get, post_json};
use crate::load::{Load, drive_servers};
use crate::part_bench::{PartBench, RunSize, run_parts};
use crate::payloads::{publish_requests, study_request, submit_requests, unique};
use crate::report::{self, Figure, plural};
use crate::server_process::ServerProcess;
use crate::submissions::{measured_count, warm_up_count};
use crate::{Outcome, PartArguments};

/// What the results are named after.
const SECTION: &str = "servers";

/// How many servers there are, in turn.
const COUNTS: [usize; 3] = [1, 2, 3];

/// How many clients there are at once.
const CLIENTS: usize = 32;

/// How many files each analysis has whose pages are shown.
const FILES: usize = 5;

/// How often a server is asked whether it has caught up.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Longer than it takes to fill the store.
const NO_LIMIT: Duration = Duration::from_secs(24 * 3600);

/// The page of a portal: rows of the table, and the facets beside it.
const PAGE: &str = "query ($filters: JSON, $offset: Int) { file { \
    hits(filters: $filters, first: 20, offset: $offset) { total edges { node { objectId fileName fileType studyId } } } \
    aggregations(filters: $filters, aggregations_filter_themselves: false) { \
    fileType { buckets { key doc_count } } studyId { buckets { key doc_count } } \
    analysis__analysisState { buckets { key doc_count } } } } }";

/// A part of the measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ServersPart {
    /// Submissions to one, two and three servers.
    Submit,
    /// Pages of a portal from one, two and three servers, each with its own copy of the index.
    Pages,
}

/// Measures what was asked for; nothing is required of the figures.
pub(crate) fn run(arguments: &PartArguments<ServersPart>) -> Outcome<ExitCode> {
    let (duration, warm_up) = (Duration::from_secs(10), Duration::from_secs(1));
    let full = RunSize { duration, warm_up, rounds: 3, analyses: 20_000 };
    run_parts(SECTION, arguments, full, 500, |bench, part| match part {
        ServersPart::Submit => measure_submissions(bench),
        ServersPart::Pages => measure_pages(bench),
    })
}

/// The figures of one load, for each number of servers.
struct GroupFigures {
    rates: [Figure; COUNTS.len()],
    processors: [Figure; COUNTS.len()],
    /// The rate of one server in this round.
    alone: f64,
}

impl GroupFigures {
    fn new(name: &str, unit: &'static str) -> Self {
        let of_servers = |count: usize| format!("{name}, {CLIENTS} clients, {count} {}", plural(count, "server"));
        Self {
            rates: COUNTS.map(|count| Figure::compared(of_servers(count), unit)),
            processors: COUNTS.map(|count| Figure::alone(format!("{}, their use", of_servers(count)), "processors")),
            alone: f64::NAN,
        }
    }

    /// Adds what was observed with the number of servers at an index of [`COUNTS`]; the first comes first.
    fn add(&mut self, nth: usize, observed: &Observed) {
        if nth == 0 {
            self.alone = observed.per_second;
        }
        self.rates[nth].add_compared(observed.per_second, self.alone);
        self.processors[nth].add(observed.processors);
    }

    fn into_figures(self) -> Vec<Figure> {
        self.rates.into_iter().zip(self.processors).flat_map(|(rate, processors)| [rate, processors]).collect()
    }
}

fn measure_submissions(bench: &PartBench) -> Outcome<Vec<Figure>> {
    let mut figures = GroupFigures::new("Submit on one PostgreSQL, 1 file", "submissions/s");
    for round in 1..=bench.size.rounds {
        for (nth, count) in COUNTS.into_iter().enumerate() {
            let database = Database::new()?;
            let group = ServerGroup::start(bench, count, &[("DATABASE_URL", &database.address())])?;
            group.servers[0].connect()?.send(&study_request())?;
            let warmed = group.send_all(&submit_requests(warm_up_count(1), 1)?, bench.size.warm_up)?;
            let requests = submit_requests(measured_count(&warmed, bench.size.duration), 1)?;
            let observed = group.observe(|| group.send_all(&requests, bench.size.duration))?;
            observed.show("submissions", round, count);
            figures.add(nth, &observed);
            group.stop()?;
        }
    }
    Ok(figures.into_figures())
}

fn measure_pages(bench: &PartBench) -> Outcome<Vec<Figure>> {
    let (database, configs) = (Database::new()?, bench.workspace.new_folder()?);
    let base = json!({ "catalogId": "files", "documentType": "file", "esIndex": "files" });
    fs_err::write(configs.path().join("base.json"), base.to_string())?;
    let source = json!({ "source": { "document": "file-centric" } });
    fs_err::write(configs.path().join("source.json"), source.to_string())?;
    let (address, configs_path) = (database.address(), configs.path());

    let filling = ServerGroup::start(bench, 1, &[("DATABASE_URL", &address)])?;
    filling.servers[0].connect()?.send(&study_request())?;
    filling.send_all(&publish_requests(bench.size.analyses, FILES)?, NO_LIMIT)?;
    filling.stop()?;

    let mut figures = GroupFigures::new("Portal pages from copies of an index", "pages/s");
    for round in 1..=bench.size.rounds {
        for (nth, count) in COUNTS.into_iter().enumerate() {
            let group =
                ServerGroup::start(bench, count, &[("DATABASE_URL", &address), ("CONFIGS_PATH", &configs_path)])?;
            group.until_caught_up((bench.size.analyses * FILES) as u64)?;
            let warmed = group.send_all(&page_requests(1_000), bench.size.warm_up)?;
            let requests = page_requests(measured_count(&warmed, bench.size.duration));
            let observed = group.observe(|| group.send_all(&requests, bench.size.duration))?;
            observed.show("pages", round, count);
            figures.add(nth, &observed);
            group.stop()?;
        }
    }
    Ok(figures.into_figures())
}

/// Returns requests for pages that nobody has asked for before.
fn page_requests(count: usize) -> Vec<Vec<u8>> {
    let request = |number: usize| {
        let content = json!({ "fieldName": "fileName", "value": [format!("none-{:032x}", unique())] });
        let filter = json!({ "op": "and", "content": [{ "op": "not-in", "content": content }] });
        page_request(&filter, number % 5 * 20)
    };
    (0..count).map(request).collect()
}

fn page_request(filter: &Value, offset: usize) -> Vec<u8> {
    post_json("/graphql", &json!({ "query": PAGE, "variables": { "filters": filter, "offset": offset } }))
}

/// Servers on one database.
struct ServerGroup {
    servers: Vec<ServerProcess>,
    /// Their data folders, which go after them.
    _folders: Vec<TempDir>,
}

/// How a group took a load.
struct Observed {
    per_second: f64,
    /// How many processors the servers used together.
    processors: f64,
}

impl Observed {
    fn show(&self, what: &str, round: usize, count: usize) {
        let Self { per_second, processors } = self;
        report::progress(&format!(
            "{what}, round {round}, {count} server(s): {per_second:.0}/s, {processors:.2} processors"
        ));
    }
}

impl ServerGroup {
    /// Starts servers with settings, each on an empty folder.
    fn start(bench: &PartBench, count: usize, settings: &[(&str, &dyn AsRef<OsStr>)]) -> Outcome<Self> {
        let (mut servers, mut folders) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let folder = bench.workspace.new_folder()?;
            servers.push(ServerProcess::with_settings(folder.path(), settings)?);
            folders.push(folder);
        }
        Ok(Self { servers, _folders: folders })
    }

    /// Sends requests from clients that are spread over the servers, until the time is over or all are sent.
    fn send_all(&self, requests: &[Vec<u8>], duration: Duration) -> Outcome<Load> {
        let addresses: Vec<SocketAddr> = self.servers.iter().map(|server| server.address).collect();
        let taken = AtomicUsize::new(0);
        drive_servers(&addresses, CLIENTS, duration, |connection, _, _| {
            let Some(request) = requests.get(taken.fetch_add(1, Ordering::Relaxed)) else { return Ok(false) };
            connection.send(request).map(|()| true)
        })
    }

    /// Watches the servers while they are under a load.
    fn observe(&self, load: impl FnOnce() -> Outcome<Load>) -> Outcome<Observed> {
        let before = self.processor_seconds()?;
        let load = load()?;
        let used = self.processor_seconds()? - before;
        Ok(Observed { per_second: load.per_second(), processors: used / load.elapsed.as_secs_f64() })
    }

    fn processor_seconds(&self) -> Outcome<f64> {
        self.servers.iter().map(ServerProcess::processor_seconds).sum()
    }

    /// Waits until every server is ready and finds this many documents.
    fn until_caught_up(&self, documents: u64) -> Outcome<()> {
        for server in &self.servers {
            while server.connect()?.status(&get("/ready"))? != 200 {
                std::thread::sleep(POLL_INTERVAL);
            }
            let answer: Value = server.connect()?.fetch(&page_request(&Value::Null, 0))?;
            if answer["data"]["file"]["hits"]["total"] != documents {
                return Err(format!("a server that is ready does not find {documents} documents: {answer}").into());
            }
        }
        Ok(())
    }

    fn stop(self) -> Outcome<()> {
        self.servers.into_iter().try_for_each(ServerProcess::stop)
    }
}
