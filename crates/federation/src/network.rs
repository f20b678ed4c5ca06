//! The network of a catalogue: which fields its nodes have together, and asking all of them at once.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use cantata_catalogue::{AggregationKind, NetworkConfig, NetworkField, NodeTarget};
use cantata_graphql::{NetworkAnswer, NetworkError, NetworkFacet, NetworkQuestion};
use cantata_sqon::Sqon;
use futures_util::future::join_all;
use serde_json::{Map, Value, json};
use tokio::time::timeout;

use crate::discovery;
use crate::error::NodeError;
use crate::local::{LocalCatalogue, LocalCatalogues};
use crate::merge::{merge_facet, suppress};
use crate::node::{Node, RemoteState};
use crate::node_answer::NodeAnswer;
use crate::node_query::{FieldMembers, NodeField, QueryOptions, node_query};

/// A header of the client that may be passed on.
#[derive(Clone)]
pub struct ForwardedHeader {
    /// The name, in lower case.
    pub name: String,
    /// The value.
    pub value: Vec<u8>,
}

/// The network of a catalogue.
pub struct Network {
    nodes: Vec<Node>,
    deadline: Duration,
    /// The fields of all remote nodes, sorted by name.
    remote_fields: ArcSwap<Vec<NetworkField>>,
    /// Held while the fields are collected, so that an older list never replaces a newer one.
    publishing: Mutex<()>,
}

/// The state of a node, for operators.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeReport {
    /// The name that people read.
    pub name: String,
    /// The id in `nodesFilter`.
    pub id: Option<String>,
    /// Whether it is on another server.
    pub is_remote: bool,
    /// Why it is not asked at present; `None` if it is.
    pub error: Option<String>,
    /// The number of fields that are known of a remote node.
    pub fields: usize,
    /// The version of a Cantata server.
    pub version: Option<String>,
    /// How often it was asked.
    pub asked: u64,
    /// How often it gave no usable answer.
    pub failed: u64,
    /// How many milliseconds its answers took together.
    pub answer_millis: u64,
}

/// What came of asking a node.
enum NodeOutcome {
    /// The request left it out.
    Excluded,
    Answered {
        answer: NodeAnswer,
        version: Option<String>,
        suppressed_below: Option<u64>,
        millis: u64,
    },
    Failed {
        error: NodeError,
        millis: u64,
    },
}

/// A node that is a catalogue of this server.
struct LocalNode {
    catalogue: LocalCatalogue,
    /// Its fields, by their names in the network.
    fields: Vec<NodeField>,
}

/// An answer with what its server says of itself.
struct Answer {
    answer: NodeAnswer,
    version: Option<String>,
    suppressed_below: Option<u64>,
}

impl Network {
    /// Starts the discovery of the nodes, which goes on for as long as the network is in use.
    pub fn start(config: &NetworkConfig) -> Arc<Self> {
        let network = Arc::new(Self {
            nodes: Node::all(config),
            deadline: config.deadline,
            remote_fields: ArcSwap::default(),
            publishing: Mutex::new(()),
        });
        for index in 0..network.nodes.len() {
            discovery::start(&network, index);
        }
        network
    }

    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns what each node is.
    pub fn targets(&self) -> impl Iterator<Item = &NodeTarget> {
        self.nodes.iter().map(|node| &node.config.target)
    }

    /// Returns the names of the headers that some node gets, in lower case.
    pub fn header_names(&self) -> impl Iterator<Item = &str> {
        let remotes = self.targets().filter_map(|target| match target {
            NodeTarget::Remote(remote) => Some(remote),
            NodeTarget::OwnRecords | NodeTarget::Catalogue(_) => None,
        });
        remotes.flat_map(|remote| remote.headers.iter().map(String::as_str))
    }

    /// Returns the fields of all nodes, sorted by name. A field that is no number at one node is none in the network.
    pub fn fields(&self, locals: &dyn LocalCatalogues) -> Arc<Vec<NetworkField>> {
        let of_remotes = self.remote_fields.load_full();
        if self.nodes.iter().all(|node| node.remote.is_some()) {
            return of_remotes;
        }
        let of_locals = self.local_nodes(locals).into_iter().flatten().flat_map(|local| local.fields);
        let of_locals = of_locals.map(|field| NetworkField { name: field.network, kind: field.kind });
        Arc::new(union(of_remotes.iter().cloned().chain(of_locals).collect()))
    }

    /// Returns the nodes that are catalogues of this server and can be served.
    fn local_nodes(&self, locals: &dyn LocalCatalogues) -> Vec<Option<LocalNode>> {
        let local = |(index, node): (usize, &Node)| {
            let catalogue = node.remote.is_none().then(|| locals.catalogue(index)).flatten()?;
            Some(LocalNode { fields: node_fields(node, &catalogue), catalogue })
        };
        self.nodes.iter().enumerate().map(local).collect()
    }

    /// Returns what can be asked of a field of the network.
    fn kind(&self, name: &str, local_nodes: &[Option<LocalNode>]) -> AggregationKind {
        let remote_fields = self.remote_fields.load();
        let of_remotes = remote_fields.binary_search_by(|field| field.name.as_str().cmp(name)).ok();
        let of_remotes = of_remotes.map(|position| remote_fields[position].kind);
        let of_locals = local_nodes.iter().flatten().flat_map(|local| &local.fields);
        let of_locals = of_locals.filter(|field| field.network == name).map(|field| field.kind);
        // `Plain` if it is that at one node.
        let kinds = of_remotes.into_iter().chain(of_locals);
        kinds.min_by_key(|kind| *kind == AggregationKind::Numeric).unwrap_or(AggregationKind::Plain)
    }

    /// Collects the fields of the remote nodes.
    pub(crate) fn publish_fields(&self) {
        let _guard = self.publishing.lock().unwrap_or_else(PoisonError::into_inner);
        let schemas: Vec<_> =
            self.nodes.iter().filter_map(|node| node.remote.as_ref()).filter_map(RemoteState::schema).collect();
        let fields = schemas.iter().flat_map(|schema| &schema.fields);
        let fields = fields.map(|field| NetworkField { name: field.network.clone(), kind: field.kind });
        self.remote_fields.store(Arc::new(union(fields.collect())));
    }

    /// Returns the state of each node, in the order of the configuration.
    pub fn reports(&self) -> Vec<NodeReport> {
        let report = |node: &Node| {
            let schema = node.remote.as_ref().and_then(RemoteState::schema);
            let error = node.remote.as_ref().and_then(|remote| remote.ready().err());
            NodeReport {
                name: node.config.name.clone(),
                id: node.config.id.clone(),
                is_remote: node.remote.is_some(),
                error: error.map(|error| error.to_string()),
                fields: schema.as_ref().map_or(0, |schema| schema.fields.len()),
                version: schema.and_then(|schema| schema.version.clone()),
                asked: node.asked.load(Ordering::Relaxed),
                failed: node.failed.load(Ordering::Relaxed),
                answer_millis: node.answer_millis.load(Ordering::Relaxed),
            }
        };
        self.nodes.iter().map(report).collect()
    }

    /// Asks the nodes and merges their answers, within the deadline of the network.
    ///
    /// # Errors
    ///
    /// If the filter is not allowed below the suppression threshold of a node.
    pub async fn ask(
        &self,
        question: &NetworkQuestion,
        locals: &dyn LocalCatalogues,
        headers: &[ForwardedHeader],
    ) -> NetworkAnswer {
        let local_nodes = self.local_nodes(locals);
        let threshold = self.suppression_threshold(question, &local_nodes);
        if threshold.is_some() && !question.has_plain_filter {
            return Err(NetworkError::Filter);
        }
        let options = QueryOptions { question, counts_only: threshold.is_some() };
        let nodes = local_nodes.iter().enumerate();
        let outcomes = nodes.map(|(index, local)| self.ask_node(index, local.as_ref(), options, locals, headers));
        let outcomes = join_all(outcomes).await;
        // A node may apply a higher threshold to this client than to the discovery.
        let reported = outcomes.iter().filter_map(|outcome| match outcome {
            NodeOutcome::Answered { suppressed_below, .. } => *suppressed_below,
            NodeOutcome::Excluded | NodeOutcome::Failed { .. } => None,
        });
        let threshold = reported.chain(threshold).max();
        let kinds: Vec<AggregationKind> =
            question.facets.iter().map(|facet| self.kind(&facet.field, &local_nodes)).collect();
        Ok(self.merge(question, &kinds, outcomes, threshold))
    }

    /// Returns the highest threshold of the client's view and of all nodes, whether they are asked or not.
    fn suppression_threshold(&self, question: &NetworkQuestion, local_nodes: &[Option<LocalNode>]) -> Option<u64> {
        let of_nodes = self.nodes.iter().zip(local_nodes).flat_map(|(node, local)| {
            let own = match &node.remote {
                Some(remote) => remote.schema().and_then(|schema| schema.suppressed_below),
                None => local.as_ref().and_then(|local| local.catalogue.suppression_threshold),
            };
            [own, node.config.suppressed_below]
        });
        of_nodes.chain([question.suppression_threshold]).flatten().max()
    }

    async fn ask_node(
        &self,
        index: usize,
        local: Option<&LocalNode>,
        options: QueryOptions<'_>,
        locals: &dyn LocalCatalogues,
        headers: &[ForwardedHeader],
    ) -> NodeOutcome {
        let node = &self.nodes[index];
        let is_asked = |ids: &Vec<String>| node.config.id.as_ref().is_some_and(|id| ids.contains(id));
        if !options.question.nodes.as_ref().is_none_or(is_asked) {
            return NodeOutcome::Excluded;
        }
        if let Some(known) = known_outcome(node, options, headers) {
            return known;
        }
        let started = Instant::now();
        let result = match &node.remote {
            Some(remote) => self.ask_remote(node, remote, options, headers).await,
            None => self.ask_local(index, local, options, locals).await,
        };
        let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        node.count(result.is_ok(), millis);
        match result {
            Ok(Answer { answer, version, suppressed_below }) => {
                NodeOutcome::Answered { answer, version, suppressed_below, millis }
            }
            Err(error) => {
                if let NodeError::Invalid(reason) = error {
                    tracing::warn!(node = node.config.name, reason, "the answer of a node cannot be used");
                }
                NodeOutcome::Failed { error, millis }
            }
        }
    }

    async fn ask_remote(
        &self,
        node: &Node,
        remote: &RemoteState,
        options: QueryOptions<'_>,
        headers: &[ForwardedHeader],
    ) -> Result<Answer, NodeError> {
        let NodeTarget::Remote(target) = &node.config.target else { return Err(NodeError::Settings) };
        let (client, schema) = remote.ready()?;
        let question = options.question;
        let document_type = &target.document_type;
        // Cantata rejects a filter over a field that it does not have. Other servers answer as if no record had it.
        let checked = schema.version.is_none().then_some(&schema.fields[..]);
        node.check_filter(question.filter.as_ref(), checked)?;
        node.check_filter(question.visible.as_ref(), checked)?;
        let query = node_query(options, question.visible.as_ref(), document_type, &schema.fields, &node.names);
        let response = client.post(&query.request, headers, self.deadline).await;
        let answer = response.and_then(|response| {
            let answer = NodeAnswer::parse(&response.body, document_type, question, &query, &node.names)?;
            let version = response.version.or_else(|| schema.version.clone());
            Ok(Answer { answer, version, suppressed_below: response.suppressed_below })
        });
        match &answer {
            Ok(_) => remote.succeeded(),
            Err(error) => remote.question_failed(error),
        }
        answer
    }

    async fn ask_local(
        &self,
        index: usize,
        local: Option<&LocalNode>,
        options: QueryOptions<'_>,
        locals: &dyn LocalCatalogues,
    ) -> Result<Answer, NodeError> {
        let LocalNode { catalogue, fields } = local.ok_or(NodeError::Unreachable)?;
        let (node, question) = (&self.nodes[index], options.question);
        // A catalogue applies its own rules to its own records.
        let rules = match node.config.target {
            NodeTarget::OwnRecords => None,
            NodeTarget::Catalogue(_) | NodeTarget::Remote(_) => question.visible.as_ref(),
        };
        node.check_filter(question.filter.as_ref(), None)?;
        node.check_filter(rules, None)?;
        let query = node_query(options, rules, &catalogue.document_type, fields, &node.names);
        let body = timeout(self.deadline, locals.query(index, query.request.clone())).await;
        let body = body.map_err(|_| NodeError::TimedOut)?;
        let answer = NodeAnswer::parse(&body, &catalogue.document_type, question, &query, &node.names)?;
        let version = Some(env!("CARGO_PKG_VERSION").to_owned());
        Ok(Answer { answer, version, suppressed_below: catalogue.suppression_threshold })
    }

    fn merge(
        &self,
        question: &NetworkQuestion,
        kinds: &[AggregationKind],
        mut outcomes: Vec<NodeOutcome>,
        threshold: Option<u64>,
    ) -> Value {
        let mut answers = Vec::new();
        for outcome in &mut outcomes {
            if let NodeOutcome::Answered { answer, .. } = outcome {
                if let Some(threshold) = threshold {
                    suppress(answer, threshold);
                }
                answers.push(&*answer);
            }
        }
        let merged = |answers: &[&NodeAnswer]| -> Map<String, Value> {
            let facet = |(position, (facet, kind)): (usize, (&NetworkFacet, &AggregationKind))| {
                (facet.field.clone(), merge_facet(position, facet, *kind, answers, threshold.is_some()))
            };
            question.facets.iter().zip(kinds).enumerate().map(facet).collect()
        };
        let aggregations = merged(&answers);
        let mut nodes: Vec<(&Node, &NodeOutcome)> = self.nodes.iter().zip(&outcomes).collect();
        nodes.sort_by(|(one, _), (other, _)| {
            (&one.config.name, &one.config.id).cmp(&(&other.config.name, &other.config.id))
        });
        let is_complete = outcomes.iter().all(|outcome| match outcome {
            NodeOutcome::Excluded => true,
            NodeOutcome::Answered { answer, .. } => answer.missing_fields.is_empty(),
            NodeOutcome::Failed { .. } => false,
        });
        let state = |(node, outcome): (&Node, &NodeOutcome)| {
            let mut state = node_json(node, outcome, question.filter.as_ref());
            if let (true, NodeOutcome::Answered { answer, .. }) = (question.by_node, outcome) {
                state["aggregations"] = Value::Object(merged(&[answer]));
            }
            state
        };
        let nodes: Vec<Value> = nodes.into_iter().map(state).collect();
        json!({
            "nodes": nodes, "complete": is_complete, "suppressedBelow": threshold, "aggregations": aggregations,
        })
    }
}

/// Returns what is known of a remote node, if it is an answer to the question.
fn known_outcome(node: &Node, options: QueryOptions<'_>, headers: &[ForwardedHeader]) -> Option<NodeOutcome> {
    let remote = node.remote.as_ref()?;
    let (client, schema) = remote.ready().ok()?;
    if options.counts_only || client.forwards(headers) {
        return None;
    }
    let answer = remote.statistics()?.answer(options.question, &schema.fields)?;
    Some(NodeOutcome::Answered { answer, version: schema.version.clone(), suppressed_below: None, millis: 0 })
}

/// Returns the fields of a local node by their names in the network.
fn node_fields(node: &Node, catalogue: &LocalCatalogue) -> Vec<NodeField> {
    let named = |field: &NetworkField| {
        let network = node.names.field_in_network(&field.name)?;
        Some(NodeField { network, node: field.name.clone(), kind: field.kind, members: FieldMembers::ALL })
    };
    catalogue.fields.iter().filter_map(named).collect()
}

/// Sorts fields, and makes one of those of the same name.
fn union(mut fields: Vec<NetworkField>) -> Vec<NetworkField> {
    let is_numeric = |field: &NetworkField| field.kind == AggregationKind::Numeric;
    // A field that is no number at some node comes before those of its name that are.
    fields.sort_by(|one, other| one.name.cmp(&other.name).then(is_numeric(one).cmp(&is_numeric(other))));
    fields.dedup_by(|later, earlier| later.name == earlier.name);
    fields
}

/// Returns the state of a node in the answer.
fn node_json(node: &Node, outcome: &NodeOutcome, filter: Option<&Sqon>) -> Value {
    let none: &[String] = &[];
    let (hits, error, missing_fields, millis, version) = match outcome {
        NodeOutcome::Excluded => (0, None, none, None, None),
        NodeOutcome::Answered { answer, version, millis, .. } => {
            (answer.hits, None, &answer.missing_fields[..], Some(*millis), version.as_deref())
        }
        NodeOutcome::Failed { error, millis } => (0, Some(error.to_string()), none, Some(*millis), None),
    };
    json!({
        "nodeId": node.config.id,
        "name": node.config.name,
        "hits": hits,
        "status": if error.is_some() { "ERROR" } else { "OK" },
        "errors": error.unwrap_or_default(),
        "contributed": matches!(outcome, NodeOutcome::Answered { .. }),
        "missingFields": missing_fields,
        "latencyMs": millis,
        "version": version,
        "link": node.link(filter),
    })
}
