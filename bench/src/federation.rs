//! What asking a network costs over asking its nodes: five servers that share out the documents, and one that asks them.
//!
//! All of them share one machine, so five nodes of equal size are slower together than one alone. There are therefore
//! several cases: one node has most of the documents, and the network is compared with the answer of that node, and with
//! the last answer of five that are asked directly, all at once; or all have as many, and the network is compared with the
//! last answer; or all have as many, one is the slowest because it is on OpenSearch, and the network is compared with it.
//!
//! No request is sent twice, so that nothing is answered from a cache.

mod nodes;
mod question;

use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::Value;

use self::nodes::NodeServer;
use self::question::Question;
use crate::Outcome;
use crate::client::Connection;
use crate::latency::Latencies;
use crate::report::{self, Extent, Figure, Limit, Report, RunPaths, measure_each};
use crate::workspace::Workspace;

/// The default number of documents, and the minimum for figures to be judged.
const DOCUMENTS: u64 = 1_000_000;

/// What the results are named after.
const SECTION: &str = "federation";

/// How many nodes there are.
const NODES: usize = 5;

/// How much longer than the slowest node the network may take.
const LIMIT: f64 = 1.2;

/// How often it is looked whether all nodes are asked.
const POLLS: usize = 600;

const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// How long OpenSearch is asked before it is measured, so that its code is compiled.
const COMPILE_TIME: Duration = Duration::from_secs(15);

/// How often the asking server reads the statistics of its nodes, by a search that is not of a page.
const STATISTICS_INTERVAL: u64 = 60;

/// How to measure networks.
#[derive(Args)]
pub(crate) struct FederationArguments {
    /// How many documents the nodes have together. With fewer than a million no figure is required, and the results
    /// are kept only where --out says.
    #[arg(long, value_name = "N", default_value_t = DOCUMENTS)]
    documents: u64,
    /// Leaves out the network with a node on OpenSearch, and keeps the results only where --out says.
    #[arg(long)]
    without_opensearch: bool,
    /// The folder of the scripts that start and stop engines.
    #[arg(long, value_name = "FOLDER", default_value = "engines")]
    engines: PathBuf,
    #[command(flatten)]
    paths: RunPaths,
}

/// How the documents are shared out.
#[derive(Clone, Copy)]
enum Case {
    /// The first node has four fifths of them.
    OneLarge,
    Even,
    /// As many at each node, and the first one is on OpenSearch.
    OneOnOpenSearch,
}

impl Case {
    /// Returns which documents a node has.
    fn share(self, node: u64, documents: u64) -> Range<u64> {
        let bound = |node: u64| match self {
            Self::OneLarge if node == 0 => 0,
            Self::OneLarge => documents * (15 + node) / 20,
            Self::Even | Self::OneOnOpenSearch => documents * node / NODES as u64,
        };
        bound(node)..bound(node + 1)
    }

    fn name(self) -> &'static str {
        match self {
            Self::OneLarge => "Network of one large and four small nodes",
            Self::Even => "Network of five equal nodes",
            Self::OneOnOpenSearch => "Network of five nodes, one on OpenSearch",
        }
    }

    /// Returns what the network is compared with: how many of the nodes are asked directly, and whether a figure of that is
    /// required.
    fn comparisons(self) -> &'static [(usize, bool)] {
        match self {
            Self::OneLarge => &[(1, true), (NODES, false)],
            Self::Even => &[(NODES, true)],
            Self::OneOnOpenSearch => &[(1, true)],
        }
    }
}

/// Nodes that are asked directly, and what the network takes compared with them.
struct Comparison {
    nodes: usize,
    clients: DirectClients,
    asked: u64,
    p50: Figure,
    p99: Figure,
}

impl Comparison {
    fn new(case: Case, nodes: &[NodeServer], is_required: bool) -> Outcome<Self> {
        let name = match is_required {
            true => case.name().to_owned(),
            false => format!("{}, against {} asked directly at once", case.name(), nodes.len()),
        };
        let p50 = Figure::compared(format!("{name}, p50"), "ms");
        Ok(Self {
            nodes: nodes.len(),
            clients: DirectClients::connect(nodes)?,
            asked: 0,
            p50: if is_required { p50.required(Limit::AtMost(LIMIT)) } else { p50 },
            p99: Figure::compared(format!("{name}, p99"), "ms"),
        })
    }

    /// Asks the nodes over and over for so long.
    fn ask(&mut self, duration: Duration) -> Outcome<Latencies> {
        let question = |_: usize| Ok(Question::new().to_node());
        Latencies::measure_prepared(duration, question, |request| {
            self.asked += 1;
            self.clients.ask(&request)
        })
    }
}

struct FederationBench {
    documents: u64,
    duration: Duration,
    warm_up: Duration,
    rounds: usize,
    compile_time: Duration,
    engines: PathBuf,
    workspace: Workspace,
}

/// Measures networks; the exit code says whether every required figure was reached.
pub(crate) fn run(arguments: &FederationArguments) -> Outcome<ExitCode> {
    let is_trial = arguments.documents < DOCUMENTS;
    let (duration, warm_up) = if is_trial { (500, 100) } else { (3_000, 700) };
    let bench = FederationBench {
        documents: arguments.documents,
        duration: Duration::from_millis(duration),
        warm_up: Duration::from_millis(warm_up),
        rounds: if is_trial { 1 } else { 5 },
        compile_time: if is_trial { Duration::from_millis(warm_up) } else { COMPILE_TIME },
        engines: arguments.engines.clone(),
        workspace: Workspace::new(&arguments.paths)?,
    };
    let mut cases = vec![Case::OneLarge, Case::Even];
    cases.extend((!arguments.without_opensearch).then_some(Case::OneOnOpenSearch));
    let figures = measure_each(cases, |case| bench.measure(case))?;
    let extent = Extent::new(is_trial, !arguments.without_opensearch);
    Report::new(SECTION, bench.workspace.machine, figures).publish(&arguments.paths, extent)
}

impl FederationBench {
    fn measure(&self, case: Case) -> Outcome<Vec<Figure>> {
        let mut nodes = Vec::with_capacity(NODES);
        for node in 0..NODES as u64 {
            let share = case.share(node, self.documents);
            report::progress(&format!("node {}: importing {} documents", node + 1, share.end - share.start));
            nodes.push(match (case, node) {
                (Case::OneOnOpenSearch, 0) => NodeServer::start_on_opensearch(&self.workspace, &share, &self.engines)?,
                _ => NodeServer::start(&self.workspace, &share, None)?,
            });
        }
        // Its own index has one document, and is no node.
        let gateway = NodeServer::start(&self.workspace, &(0..1), Some(&nodes::network(&nodes)))?;
        let mut network = gateway.server.connect()?;
        wait_for_nodes(&mut network)?;
        check(&mut network, &nodes)?;
        let mut comparisons = Vec::new();
        for &(asked, is_required) in case.comparisons() {
            comparisons.push(Comparison::new(case, &nodes[..asked], is_required)?);
        }
        let begun = Instant::now();
        let before = searches(&nodes)?;
        let mut pages = 0_u64;
        if matches!(case, Case::OneOnOpenSearch) {
            comparisons[0].ask(self.compile_time)?;
        }
        for round in 1..=self.rounds {
            let mut theirs = Vec::with_capacity(comparisons.len());
            for comparison in &mut comparisons {
                comparison.ask(self.warm_up)?;
                theirs.push(comparison.ask(self.duration)?);
            }
            let mut page = |_: usize| {
                pages += 1;
                Ok(Question::new().to_network())
            };
            Latencies::of_requests(self.warm_up, &mut network, &mut page)?;
            let ours = Latencies::of_requests(self.duration, &mut network, &mut page)?;
            for (comparison, theirs) in comparisons.iter_mut().zip(&theirs) {
                let (asked, ours_p50) = (comparison.nodes, ours.p50());
                report::progress(&format!("  round {round}: {ours_p50:.2} ms, {asked} nodes {:.2} ms", theirs.p50()));
                comparison.p50.add_compared(ours_p50, theirs.p50());
                comparison.p99.add_compared(ours.p99(), theirs.p99());
            }
        }
        let mut requests = Figure::alone(format!("{}, requests to a node for a page", case.name()), "requests");
        for (index, (after, before)) in searches(&nodes)?.into_iter().zip(before).enumerate() {
            let own = comparisons.iter().filter(|comparison| index < comparison.nodes);
            let sent = after - before - own.map(|comparison| comparison.asked).sum::<u64>();
            let others = begun.elapsed().as_secs() / STATISTICS_INTERVAL + 1;
            if !(pages..=pages + others).contains(&sent) {
                return Err(format!("node {} got {sent} requests for {pages} pages", index + 1).into());
            }
            requests.add((sent / pages) as f64);
        }
        let figures = comparisons.into_iter().flat_map(|comparison| [comparison.p50, comparison.p99]);
        let mut figures: Vec<Figure> = figures.collect();
        figures.push(requests.required(Limit::AtMost(1.0)));
        Ok(figures)
    }
}

/// Waits until the network knows the fields of every node. Before that it has none to aggregate.
fn wait_for_nodes(network: &mut Connection) -> Outcome<()> {
    for _ in 0..POLLS {
        let answer: Value = network.fetch(&question::state_of_network())?;
        let fields = answer["data"]["__type"]["fields"].as_array().map(Vec::as_slice).unwrap_or_default();
        let is_known = fields.iter().any(|field| field["name"] == "aggregations");
        if is_known && answer["data"]["network"]["complete"] == true {
            return Ok(());
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    Err("not all nodes are asked".into())
}

/// Fails if the network answers anything but the sum of its nodes.
fn check(network: &mut Connection, nodes: &[NodeServer]) -> Outcome<()> {
    let question = Question::new();
    let answer: Value = network.fetch(&question.to_network())?;
    let mut expected = 0;
    for node in nodes {
        let answer: Value = node.server.connect()?.fetch(&question.to_node())?;
        expected += answer["data"]["file"]["hits"]["total"].as_u64().ok_or("a node has no hits")?;
    }
    let of_nodes = answer["data"]["network"]["nodes"].as_array().map(Vec::as_slice).unwrap_or_default();
    let found: u64 = of_nodes.iter().filter_map(|node| node["hits"].as_u64()).sum();
    if found == expected && expected > 0 {
        report::progress(&format!("{expected} records match, at the nodes and in the network"));
        Ok(())
    } else {
        Err(format!("the network has {found} records, its nodes {expected}").into())
    }
}

/// Returns how many searches each node has executed.
fn searches(nodes: &[NodeServer]) -> Outcome<Vec<u64>> {
    nodes.iter().map(NodeServer::searches).collect()
}

/// Clients of several nodes that ask all at once. That of the first node is the calling thread, which is how a network is
/// asked too; the others are threads with a connection of their own.
struct DirectClients {
    first: Connection,
    others: Vec<Sender<Vec<u8>>>,
    answered: Receiver<Outcome<()>>,
}

impl DirectClients {
    fn connect(nodes: &[NodeServer]) -> Outcome<Self> {
        let (first, others) = nodes.split_first().ok_or("there is no node to ask")?;
        let (done, answered) = channel();
        let mut requests = Vec::with_capacity(others.len());
        for node in others {
            let mut connection = node.server.connect()?;
            let (sender, receiver) = channel::<Vec<u8>>();
            let done = done.clone();
            // It ends with the sender of its requests.
            std::thread::spawn(move || {
                while let Ok(request) = receiver.recv() {
                    if done.send(connection.send(&request)).is_err() {
                        return;
                    }
                }
            });
            requests.push(sender);
        }
        Ok(Self { first: first.server.connect()?, others: requests, answered })
    }

    /// Sends a request to every node, and returns once the last one has answered.
    fn ask(&mut self, request: &[u8]) -> Outcome<()> {
        for sender in &self.others {
            sender.send(request.to_vec())?;
        }
        self.first.send(request)?;
        for _ in &self.others {
            self.answered.recv()??;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_has_one_node() {
        for case in [Case::OneLarge, Case::Even, Case::OneOnOpenSearch] {
            let shares: Vec<Range<u64>> = (0..5).map(|node| case.share(node, 1_000)).collect();
            assert_eq!((shares[0].start, shares[4].end), (0, 1_000));
            assert!(shares.windows(2).all(|pair| pair[0].end == pair[1].start && !pair[1].is_empty()), "{shares:?}");
        }
        assert_eq!(Case::OneLarge.share(0, 1_000), 0..800);
        assert_eq!(Case::Even.share(0, 1_000), 0..200);
    }
}
