//! A day at a portal: what many people ask at once, of a server started for it or of one that runs already.
//!
//! Nothing is known of the catalogue but what the server says of it, so an operator can measure their own.

mod catalogue;
mod clients;
mod mix;
mod target;

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use self::catalogue::Catalogue;
use self::clients::Day;
use self::mix::RequestKind;
use self::target::Target;
use super::importing::imported;
use super::search_server::write_configs;
use super::{DOCUMENTS, SearchBench};
use crate::Outcome;
use crate::process_memory::{PeakMemory, ProcessMemory};
use crate::report::{self, Extent, Figure, Limit, Report, RunPaths, plural};
use crate::server_process::ServerProcess;
use crate::workspace::Workspace;

/// What the results are named after.
const SECTION: &str = "portal-day";

/// How many people there are at once, in turn; what the last get is compared with what the second get.
const CLIENTS: [usize; 4] = [1, FEW_CLIENTS, 64, MANY_CLIENTS];
const FEW_CLIENTS: usize = 8;
const MANY_CLIENTS: usize = 256;

/// How often each number of people is measured.
const ROUNDS: usize = 5;

/// How many times as long a light request of many people may take.
const MAX_SLOWDOWN: f64 = 10.0;

/// For how long each number of people asks, in seconds.
const RUN_SECONDS: u64 = 20;

/// How to measure a day at a portal.
#[derive(Args)]
pub(crate) struct PortalDayArguments {
    /// The catalogue of a running server, such as `http://127.0.0.1:5050/files`; the results are kept only where --out
    /// says. Without it a server is started on the documents of the search benchmark.
    #[arg(long, value_name = "URL", conflicts_with = "documents")]
    url: Option<String>,
    /// The key or token for that server.
    #[arg(long, value_name = "KEY", env = "CANTATA_KEY", hide_env_values = true)]
    key: Option<String>,
    /// The process of that server, if it runs on this machine, to see its memory.
    #[arg(long, value_name = "PID", requires = "url")]
    pid: Option<u32>,
    /// For how long each number of people asks, in each of five rounds.
    #[arg(long, value_name = "N", default_value_t = RUN_SECONDS, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// How many documents there are. With fewer than a million there is one round, no figure is required, and the
    /// results are kept only where --out says.
    #[arg(long, value_name = "N", default_value_t = DOCUMENTS)]
    documents: u64,
    #[command(flatten)]
    paths: RunPaths,
}

/// The figures of a number of people.
struct Lines {
    clients: usize,
    throughput: Figure,
    /// The median and the 99th percentile of each kind.
    searches: [[Figure; 2]; RequestKind::SEARCHES.len()],
    exports: Figure,
    refused: Figure,
    memory: Option<Figure>,
}

impl Lines {
    fn new(clients: usize, has_memory: bool) -> Self {
        let alone = |what: &str, unit| Figure::alone(format!("{clients} {}, {what}", plural(clients, "client")), unit);
        let times = |kind: RequestKind| ["p50", "p99"].map(|part| alone(&format!("{}, {part}", kind.name()), "ms"));
        Self {
            clients,
            throughput: alone("everything", "requests/s"),
            searches: RequestKind::SEARCHES.map(times),
            exports: alone("exports, p50", "ms"),
            refused: alone("refused and asked again", "requests"),
            memory: has_memory.then(|| alone("most memory of the server, its own", "MB")),
        }
    }

    fn add(&mut self, day: &Day, peak: Option<PeakMemory>) {
        self.throughput.add(day.per_second());
        for (kind, [p50, p99]) in RequestKind::SEARCHES.into_iter().zip(&mut self.searches) {
            let times = day.times(&[kind]);
            p50.add(times.p50());
            p99.add(times.p99());
        }
        self.exports.add(day.times(&[RequestKind::Export]).p50());
        self.refused.add(day.refused as f64);
        if let (Some(memory), Some(peak)) = (&mut self.memory, peak) {
            memory.add(peak.own);
        }
    }

    fn into_figures(self) -> impl Iterator<Item = Figure> {
        let searches = self.searches.into_iter().flatten();
        [self.throughput].into_iter().chain(searches).chain([self.exports, self.refused]).chain(self.memory)
    }
}

/// Measures a day; the exit code says whether every required figure was reached.
pub(crate) fn run(arguments: &PortalDayArguments) -> Outcome<ExitCode> {
    let workspace = Workspace::new(&arguments.paths)?;
    let duration = Duration::from_secs(arguments.seconds);
    let (machine, figures, extent) = match &arguments.url {
        Some(url) => {
            let target = Target::parse(url, arguments.key.as_deref())?;
            if let Some(process) = arguments.pid {
                // A wrong number is found before anything is measured.
                ProcessMemory::of(process)?;
            }
            (workspace.machine, measure(&target, arguments.pid, ROUNDS, duration)?, Extent::Parts)
        }
        None => {
            let is_trial = arguments.documents < DOCUMENTS;
            let is_whole = arguments.documents == DOCUMENTS && arguments.seconds == RUN_SECONDS;
            let bench = SearchBench::new(workspace, arguments.documents)?;
            let figures = measure_own(&bench, if is_trial { 1 } else { ROUNDS }, duration)?;
            (bench.workspace.machine, figures, Extent::new(is_trial, is_whole))
        }
    };
    Report::new(SECTION, machine, figures).publish(&arguments.paths, extent)
}

/// Measures a server of our own on the documents of the search benchmark.
fn measure_own(bench: &SearchBench, rounds: usize, duration: Duration) -> Outcome<Vec<Figure>> {
    let folder = imported(bench)?;
    let configs = write_configs(bench)?;
    // To the server, all clients are one, since they have one address; what one may export at once is for real ones.
    let path = configs.path();
    let server = ServerProcess::with_settings(&folder, &[("CONFIGS_PATH", &path), ("MAX_EXPORTS_PER_CLIENT", &"0")])?;
    let target = Target::parse(&format!("http://{}/files", server.address), None)?;
    let figures = measure(&target, Some(server.id()), rounds, duration)?;
    server.stop()?;
    Ok(figures)
}

fn measure(target: &Target, process: Option<u32>, rounds: usize, duration: Duration) -> Outcome<Vec<Figure>> {
    let catalogue = Catalogue::describe(target)?;
    let (records, facets, texts) = (catalogue.records, catalogue.facets.len(), catalogue.texts.len());
    report::progress(&format!("{records} records, {facets} facets with values, {texts} texts for the quick search"));
    let run = jiff::Timestamp::now().to_string();
    let mut lines = CLIENTS.map(|clients| Lines::new(clients, process.is_some()));
    let against = format!("{MANY_CLIENTS} clients against {FEW_CLIENTS}");
    let mut throughput = Figure::compared(format!("{against}, everything"), "requests/s").required(Limit::AtLeast(1.0));
    let mut slowest = RequestKind::SEARCHES.map(|kind| {
        let figure = Figure::compared(format!("{against}, {}, p99", kind.name()), "ms");
        if kind.is_light() { figure.required(Limit::AtMost(MAX_SLOWDOWN)) } else { figure }
    });
    for round in 1..=rounds {
        let mut days = Vec::new();
        for lines in &mut lines {
            let clients = lines.clients;
            let spend = || Day::spend(target, &catalogue, &run, clients, duration);
            let (day, memory) = match process {
                Some(process) => {
                    let (day, memory) = PeakMemory::during(process, spend);
                    (day?, Some(memory))
                }
                None => (spend()?, None),
            };
            let (rate, p99) = (day.per_second(), RequestKind::SEARCHES.map(|kind| day.times(&[kind]).p99()));
            report::progress(&format!(
                "round {round}, {clients} {}: {rate:.0} requests/s, p99 {p99:.1?} ms, {} refused",
                plural(clients, "client"),
                day.refused
            ));
            lines.add(&day, memory);
            days.push((rate, p99));
        }
        if let [_, few, _, many] = days[..] {
            throughput.add_compared(many.0, few.0);
            for (figure, (many, few)) in slowest.iter_mut().zip(many.1.into_iter().zip(few.1)) {
                figure.add_compared(many, few);
            }
        }
    }
    Ok(lines.into_iter().flat_map(Lines::into_figures).chain([throughput]).chain(slowest).collect())
}
