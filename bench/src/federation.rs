//! What asking a network costs over asking its nodes: five servers that share out the documents, and one that asks them.
//!
//! All of them share one machine, so five nodes of equal size are slower together than one alone. There are therefore
//! two cases: one node has most of the documents, and the network is compared with the answer of that node; or all have
//! as many, and the network is compared with the last answer of five that are asked directly, all at once.
//!
//! No request is sent twice, so that nothing is answered from a cache.

mod nodes;
mod question;

use std::ops::Range;
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

/// How often the asking server reads the statistics of its nodes, by a search that is not of a page.
const STATISTICS_INTERVAL: u64 = 60;

/// How to measure networks.
#[derive(Args)]
pub(crate) struct FederationArguments {
    /// How many documents the nodes have together. With fewer than a million no figure is required, and the results
    /// are kept only where --out says.
    #[arg(long, value_name = "N", default_value_t = DOCUMENTS)]
    documents: u64,
    #[command(flatten)]
    paths: RunPaths,
}

/// How the documents are shared out.
#[derive(Clone, Copy)]
enum Case {
    /// The first node has four fifths of them.
    OneLarge,
    Even,
}

impl Case {
    /// Returns which documents a node has.
    fn share(self, node: u64, documents: u64) -> Range<u64> {
        let bound = |node: u64| match self {
            Self::OneLarge if node == 0 => 0,
            Self::OneLarge => documents * (15 + node) / 20,
            Self::Even => documents * node / NODES as u64,
        };
        bound(node)..bound(node + 1)
    }
}

struct FederationBench {
    documents: u64,
    duration: Duration,
    warm_up: Duration,
    rounds: usize,
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
        workspace: Workspace::new(&arguments.paths)?,
    };
    let figures = measure_each([Case::OneLarge, Case::Even], |case| bench.measure(case))?;
    let extent = Extent::new(is_trial, true);
    Report::new(SECTION, bench.workspace.machine, figures).publish(&arguments.paths, extent)
}

impl FederationBench {
    fn measure(&self, case: Case) -> Outcome<Vec<Figure>> {
        let mut nodes = Vec::with_capacity(NODES);
        for node in 0..NODES as u64 {
            let share = case.share(node, self.documents);
            report::progress(&format!("node {}: importing {} documents", node + 1, share.end - share.start));
            nodes.push(NodeServer::start(&self.workspace, &share, None)?);
        }
        // Its own index has one document, and is no node.
        let asker = NodeServer::start(&self.workspace, &(0..1), Some(&nodes::network(&nodes)))?;
        let mut network = asker.server.connect()?;
        wait_for_nodes(&mut network)?;
        check(&mut network, &nodes)?;
        let asked: Vec<&NodeServer> = match case {
            Case::OneLarge => nodes.iter().take(1).collect(),
            Case::Even => nodes.iter().collect(),
        };
        let mut direct = DirectClients::connect(&asked)?;
        let name = match case {
            Case::OneLarge => "Network of one large and four small nodes",
            Case::Even => "Network of five equal nodes",
        };
        let mut p50 = Figure::compared(format!("{name}, p50"), "ms").required(Limit::AtMost(LIMIT));
        let mut p99 = Figure::compared(format!("{name}, p99"), "ms");
        let begun = Instant::now();
        let before = searches(&nodes)?;
        let mut pages = 0_u64;
        let mut asked_directly = 0_u64;
        for round in 1..=self.rounds {
            let mut ask_nodes = |_: usize| {
                asked_directly += 1;
                direct.ask(&Question::new().to_node())
            };
            Latencies::measure(self.warm_up, &mut ask_nodes)?;
            let theirs = Latencies::measure(self.duration, &mut ask_nodes)?;
            let mut page = |_: usize| {
                pages += 1;
                Ok(Question::new().to_network())
            };
            Latencies::of_requests(self.warm_up, &mut network, &mut page)?;
            let ours = Latencies::of_requests(self.duration, &mut network, &mut page)?;
            report::progress(&format!("  round {round}: {:.2} ms, nodes {:.2} ms", ours.p50(), theirs.p50()));
            p50.add_compared(ours.p50(), theirs.p50());
            p99.add_compared(ours.p99(), theirs.p99());
        }
        let mut requests = Figure::alone(format!("{name}, requests to a node for a page"), "requests");
        for (index, (after, before)) in searches(&nodes)?.into_iter().zip(before).enumerate() {
            let own = if index < asked.len() { asked_directly } else { 0 };
            let sent = after - before - own;
            let others = begun.elapsed().as_secs() / STATISTICS_INTERVAL + 1;
            if !(pages..=pages + others).contains(&sent) {
                return Err(format!("node {} got {sent} requests for {pages} pages", index + 1).into());
            }
            requests.add((sent / pages) as f64);
        }
        Ok(vec![p50, p99, requests.required(Limit::AtMost(1.0))])
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

/// Clients of several nodes, each a thread with a connection of its own, that ask all at once.
struct DirectClients {
    requests: Vec<Sender<Vec<u8>>>,
    answered: Receiver<Outcome<()>>,
}

impl DirectClients {
    fn connect(nodes: &[&NodeServer]) -> Outcome<Self> {
        let (done, answered) = channel();
        let mut requests = Vec::with_capacity(nodes.len());
        for node in nodes {
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
        Ok(Self { requests, answered })
    }

    /// Sends a request to every node, and returns once the last one has answered.
    fn ask(&mut self, request: &[u8]) -> Outcome<()> {
        for sender in &self.requests {
            sender.send(request.to_vec())?;
        }
        for _ in &self.requests {
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
        for case in [Case::OneLarge, Case::Even] {
            let shares: Vec<Range<u64>> = (0..5).map(|node| case.share(node, 1_000)).collect();
            assert_eq!((shares[0].start, shares[4].end), (0, 1_000));
            assert!(shares.windows(2).all(|pair| pair[0].end == pair[1].start && !pair[1].is_empty()), "{shares:?}");
        }
        assert_eq!(Case::OneLarge.share(0, 1_000), 0..800);
        assert_eq!(Case::Even.share(0, 1_000), 0..200);
    }
}
