//! Portal pages from all sides.

use std::cell::Cell;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use super::node::Node;
use super::recorder::Recorder;
use crate::Outcome;
use crate::client::Connection;
use crate::latency::Latencies;
use crate::load::drive;
use crate::report::{self, Figure, Limit};
use crate::search::filters::{Filter, filters};
use crate::search::graphql::ask;
use crate::search::portal::{page_request, variant};
use crate::search::{SearchBench, search_server};
use crate::server_process::ServerProcess;

/// How many clients there are where there are several.
const CLIENTS: usize = 8;

/// How many pages are compared as a whole.
const COMPARED_PAGES: usize = 8;

/// How many pages OpenSearch answers before it is measured, so that its code is compiled.
const WARM_UP: usize = 12;

/// How many pages of a filter are asked for through the server and directly, at least.
const MIN_PAIRS: usize = 60;

/// The filter that leaves the fewest records.
const FEWEST: &str = "0.1 %";

/// How many different pages of one filter there are for each client.
const PAGES: usize = 2_000;

/// All servers.
pub(super) struct Sides<'b> {
    pub(super) embedded: ServerProcess,
    remote: ServerProcess,
    /// The server whose searches are caught.
    pub(super) recorded: ServerProcess,
    recorder: Recorder,
    pub(super) node: &'b Node,
    /// How many pages were asked for: their orders take turns.
    made: Cell<usize>,
    _folders: Vec<TempDir>,
}

impl<'b> Sides<'b> {
    pub(super) fn start(bench: &SearchBench, node: &'b Node) -> Outcome<Self> {
        let (configs, embedded) = search_server::start_server(bench, &bench.data_folder())?;
        let recorder = Recorder::start(node.address)?;
        let (data, other_data) = (bench.workspace.new_folder()?, bench.workspace.new_folder()?);
        let over = |folder: &TempDir, node: SocketAddr| {
            let (configs, host) = (configs.path(), format!("http://{node}"));
            ServerProcess::with_settings(
                folder.path(),
                &[("CONFIGS_PATH", &configs), ("SEARCH_ENGINE", &"opensearch"), ("ES_HOST", &host)],
            )
        };
        let (remote, recorded) = (over(&data, node.address)?, over(&other_data, recorder.address)?);
        ask(&mut recorded.connect()?, &page(&filters(), 0))?;
        recorder.begin();
        let folders = vec![configs, data, other_data];
        Ok(Self { embedded, remote, recorded, recorder, node, made: Cell::new(0), _folders: folders })
    }

    pub(super) fn stop(self) -> Outcome<()> {
        self.embedded.stop()?;
        self.remote.stop()?;
        self.recorded.stop()
    }

    /// Returns a request for a page that nobody has asked for; the filters take turns.
    fn fresh(&self, filters: &[Filter]) -> Vec<u8> {
        page(filters, self.next())
    }

    /// Returns the number of the next page.
    fn next(&self) -> usize {
        self.made.replace(self.made.get() + 1)
    }

    /// Returns what the server asks OpenSearch for a page.
    pub(super) fn direct(&self, connection: &mut Connection, page: &[u8]) -> Outcome<Vec<u8>> {
        connection.exchange(page)?;
        self.recorder.search()
    }
}

/// Returns a request for the page of a number, with a filter that nobody has sent.
fn page(filters: &[Filter], number: usize) -> Vec<u8> {
    let (order, offset) = variant(number / filters.len());
    page_request(&filters[number % filters.len()].never_sent(), order, offset)
}

pub(super) fn measure(bench: &SearchBench, sides: &Sides<'_>) -> Outcome<Vec<Figure>> {
    let filters = filters();
    let mut figures = vec![unseen(bench, sides, &filters, "all filters in turn")?, throughput(bench, sides, &filters)?];
    for filter in &filters {
        let name = if filter.clauses.is_empty() { "nearly all" } else { filter.name };
        let only = std::slice::from_ref(filter);
        compare(sides, only)?;
        report::progress(&format!("pages, {name}: both sides answer the same"));
        figures.push(unseen(bench, sides, only, name)?);
        figures.push(repeated(bench, sides, only, name)?);
        figures.push(over(bench, sides, only, name)?);
    }
    Ok(figures)
}

/// Fails if the pages of the two sides differ.
fn compare(sides: &Sides<'_>, filters: &[Filter]) -> Outcome<()> {
    let (mut embedded, mut remote) = (sides.embedded.connect()?, sides.remote.connect()?);
    for _ in 0..COMPARED_PAGES {
        let page = sides.fresh(filters);
        let (ours, theirs): (Value, Value) = (ask(&mut embedded, &page)?, ask(&mut remote, &page)?);
        if ours != theirs {
            return Err(format!("the engines differ: embedded {ours}\nOpenSearch {theirs}").into());
        }
    }
    Ok(())
}

/// Measures pages that nobody asked for before.
fn unseen(bench: &SearchBench, sides: &Sides<'_>, filters: &[Filter], name: &str) -> Outcome<Figure> {
    let mut figure = Figure::compared(format!("Portal page, {name}, not asked before, p50"), "ms");
    // A fiftieth of what OpenSearch takes for so few records is what a page costs before anything is counted.
    if name != FEWEST {
        figure = figure.required(Limit::AtMost(0.02));
    }
    let (mut recorded, mut node) = (sides.recorded.connect()?, sides.node.connect()?);
    for _ in 0..WARM_UP {
        let request = sides.direct(&mut recorded, &sides.fresh(filters))?;
        node.exchange(&request)?;
    }
    for _ in 0..bench.rounds {
        let direct = |_| sides.direct(&mut recorded, &sides.fresh(filters));
        let theirs = Latencies::of_requests(bench.duration, &mut node, direct)?;
        // A connection that nobody uses for long is closed by the server.
        let mut embedded = sides.embedded.connect()?;
        let ours = Latencies::of_requests(bench.duration, &mut embedded, |_| Ok(sides.fresh(filters)))?;
        report::progress(&format!("  {name}: {:.2} ms, OpenSearch {:.2} ms", ours.p50(), theirs.p50()));
        figure.add_compared(ours.p50(), theirs.p50());
    }
    Ok(figure)
}

/// Measures a page that is asked again and again.
fn repeated(bench: &SearchBench, sides: &Sides<'_>, filters: &[Filter], name: &str) -> Outcome<Figure> {
    let mut figure = Figure::compared(format!("Portal page, {name}, repeated, p50"), "ms").required(Limit::AtMost(0.2));
    let mut node = sides.node.connect()?;
    for _ in 0..bench.rounds {
        let page = sides.fresh(filters);
        let request = sides.direct(&mut sides.recorded.connect()?, &page)?;
        node.exchange(&request)?;
        let theirs = Latencies::of_requests(bench.duration, &mut node, |_| Ok(request.clone()))?;
        let mut embedded = sides.embedded.connect()?;
        embedded.exchange(&page)?;
        let ours = Latencies::of_requests(bench.duration, &mut embedded, |_| Ok(page.clone()))?;
        report::progress(&format!("  repeated: {:.2} ms, OpenSearch {:.2} ms", ours.p50(), theirs.p50()));
        figure.add_compared(ours.p50(), theirs.p50());
    }
    Ok(figure)
}

/// Measures how many pages that nobody asked for before several clients get.
fn throughput(bench: &SearchBench, sides: &Sides<'_>, filters: &[Filter]) -> Outcome<Figure> {
    let name = format!("Portal page, all filters in turn, not asked before, {CLIENTS} clients");
    let mut figure = Figure::compared(name, "pages/s").required(Limit::AtLeast(50.0));
    for _ in 0..bench.rounds {
        // OpenSearch gets through far fewer.
        let mut recorded = sides.recorded.connect()?;
        let requests = (0..PAGES / 10).map(|_| sides.direct(&mut recorded, &sides.fresh(filters)));
        let requests: Vec<Vec<u8>> = requests.collect::<Outcome<_>>()?;
        let theirs = drive(sides.node.address, CLIENTS, bench.duration, |client, sent| {
            requests.get(sent as usize * CLIENTS + client).map(Vec::as_slice)
        })?;
        let pages: Vec<Vec<u8>> = (0..PAGES * CLIENTS).map(|_| sides.fresh(filters)).collect();
        let ours = drive(sides.embedded.address, CLIENTS, bench.duration, |client, sent| {
            pages.get(sent as usize * CLIENTS + client).map(Vec::as_slice)
        })?;
        let (ours, theirs) = (ours.per_second(), theirs.per_second());
        report::progress(&format!("  {CLIENTS} clients: {ours:.1} pages/s, OpenSearch {theirs:.1} pages/s"));
        figure.add_compared(ours, theirs);
    }
    Ok(figure)
}

/// Measures what the server adds to OpenSearch. The two take turns with each page, and in being first; each pair of
/// answers is compared, because one page takes longer than another.
fn over(bench: &SearchBench, sides: &Sides<'_>, filters: &[Filter], name: &str) -> Outcome<Figure> {
    let mut figure = Figure::compared(format!("Portal page, {name}, server over OpenSearch, p50"), "ms")
        .required(Limit::AtMost(1.1));
    let (mut remote, mut node) = (sides.remote.connect()?, sides.node.connect()?);
    let mut recorded = sides.recorded.connect()?;
    let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
    let end = Instant::now() + bench.duration * 3 * bench.rounds as u32;
    let mut pairs = 0;
    while pairs < MIN_PAIRS || Instant::now() < end {
        // Both get a filter that nobody has sent, but the same order and the same offset in it.
        let number = sides.next();
        let (direct, through) = (sides.direct(&mut recorded, &page(filters, number))?, page(filters, number));
        let (ours, theirs) = if pairs % 2 == 0 {
            let theirs = node.time(&direct)?;
            (remote.time(&through)?, theirs)
        } else {
            (remote.time(&through)?, node.time(&direct)?)
        };
        figure.add_compared(milliseconds(ours), milliseconds(theirs));
        pairs += 1;
    }
    report::progress(&format!("  over OpenSearch: {pairs} pairs"));
    Ok(figure)
}
