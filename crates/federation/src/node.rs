//! One node of a network: its client, what is known of its fields, and whether it is asked at present.
//!
//! A remote node is asked while its fields are known and it works. After several questions in a row without an answer the
//! discovery asks it for next to nothing. Only if that fails too, it is suspended: requests no longer wait for it, and the
//! discovery brings it back. This is the circuit breaker of the node. A client that asks too much of a node cannot open it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cantata_catalogue::{FILTERS_PLACEHOLDER, NetworkConfig, NodeConfig, NodeTarget, flat_name};
use cantata_sqon::Sqon;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tokio::sync::{Notify, Semaphore};

use crate::error::NodeError;
use crate::names::NameTranslation;
use crate::node_query::NodeField;
use crate::remote_call::RemoteClient;
use crate::statistics::NodeStatistics;

/// After how many failures in a row a node is doubted.
const MAX_CONSECUTIVE_FAILURES: u32 = 3;

/// Servers refuse longer addresses, and a filter may have any number of values.
const MAX_LINK_BYTES: usize = 8 << 10;

/// A node.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) config: NodeConfig,
    pub(crate) names: NameTranslation,
    /// `None` for a catalogue of this server.
    pub(crate) remote: Option<RemoteState>,
    pub(crate) asked: AtomicU64,
    pub(crate) failed: AtomicU64,
    /// How long all answers took together.
    pub(crate) answer_millis: AtomicU64,
}

/// A node on another server.
#[derive(Debug)]
pub(crate) struct RemoteState {
    pub(crate) client: Result<RemoteClient, NodeError>,
    /// Wakes the discovery when the node is doubted, or its fields seem to have changed.
    pub(crate) wake: Arc<Notify>,
    status: Mutex<RemoteStatus>,
}

#[derive(Debug, Default)]
struct RemoteStatus {
    schema: Option<Arc<NodeSchema>>,
    statistics: Option<Arc<NodeStatistics>>,
    /// When they were asked for last.
    statistics_asked_at: Option<Instant>,
    consecutive_failures: u32,
    is_suspended: bool,
}

/// What the discovery found out about a node.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct NodeSchema {
    /// The fields, by their names in the network.
    pub(crate) fields: Vec<NodeField>,
    pub(crate) version: Option<String>,
    /// The suppression threshold that the node applies to this server.
    pub(crate) suppressed_below: Option<u64>,
}

impl Node {
    /// Prepares the nodes of a network.
    pub(crate) fn all(config: &NetworkConfig) -> Vec<Self> {
        let memory = Arc::new(Semaphore::new(config.memory_bytes.min(Semaphore::MAX_PERMITS)));
        // A longer answer would never fit.
        let max_answer_bytes = config.max_answer_bytes.min(config.memory_bytes);
        config.nodes.iter().map(|node| Self::new(node, max_answer_bytes, &memory)).collect()
    }

    /// Prepares a node; `memory` has a permit for each byte that the answers of all nodes may take together.
    fn new(config: &NodeConfig, max_answer_bytes: usize, memory: &Arc<Semaphore>) -> Self {
        let remote = match &config.target {
            NodeTarget::Remote(remote) => Some(RemoteState {
                client: RemoteClient::new(config, remote, max_answer_bytes, Arc::clone(memory)),
                wake: Arc::default(),
                status: Mutex::default(),
            }),
            NodeTarget::OwnRecords | NodeTarget::Catalogue(_) => None,
        };
        Self {
            names: NameTranslation::new(&config.names),
            config: config.clone(),
            remote,
            asked: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            answer_millis: AtomicU64::new(0),
        }
    }

    /// Makes sure that the node has the fields of a filter. Where its fields are not given, the node itself judges;
    /// only a name that stands for another field there is found out here.
    ///
    /// # Errors
    ///
    /// If it does not have one.
    pub(crate) fn check_filter(&self, filter: Option<&Sqon>, fields: Option<&[NodeField]>) -> Result<(), NodeError> {
        let is_known = |name: &str| {
            let name = flat_name(name);
            // An object is known by a field in it, and a multi-field by its field.
            let is_there =
                |field: &NodeField| is_at_or_below(&field.network, &name) || is_at_or_below(&name, &field.network);
            !self.names.is_taken(&name) && fields.is_none_or(|fields| fields.iter().any(is_there))
        };
        let names = filter.map(Sqon::fields_used).unwrap_or_default();
        if names.into_iter().all(is_known) { Ok(()) } else { Err(NodeError::LacksField) }
    }

    /// Returns the address of the page with the same filter in the portal of the node, if it can be opened.
    pub(crate) fn link(&self, filter: Option<&Sqon>) -> Option<String> {
        let url = self.config.portal_url.as_ref()?;
        let filter = filter.map(|filter| self.names.filter_for_node(filter.clone()).to_json().to_string());
        let filter = utf8_percent_encode(filter.as_deref().unwrap_or_default(), NON_ALPHANUMERIC).to_string();
        Some(url.replace(FILTERS_PLACEHOLDER, &filter)).filter(|link| link.len() <= MAX_LINK_BYTES)
    }

    /// Counts an answer, or its absence.
    pub(crate) fn count(&self, is_answered: bool, millis: u64) {
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.failed.fetch_add(u64::from(!is_answered), Ordering::Relaxed);
        self.answer_millis.fetch_add(millis, Ordering::Relaxed);
    }
}

impl RemoteState {
    fn with_status<T>(&self, change: impl FnOnce(&mut RemoteStatus) -> T) -> T {
        change(&mut self.status.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the client and the fields of the node.
    ///
    /// # Errors
    ///
    /// Why it is not asked at present.
    pub(crate) fn ready(&self) -> Result<(&RemoteClient, Arc<NodeSchema>), NodeError> {
        let client = self.client.as_ref().map_err(Clone::clone)?;
        self.with_status(|status| match &status.schema {
            None => Err(NodeError::NotDiscovered),
            Some(_) if status.is_suspended => Err(NodeError::Suspended),
            Some(schema) => Ok((client, Arc::clone(schema))),
        })
    }

    /// Returns what is known of the node, whether it is asked at present or not.
    pub(crate) fn schema(&self) -> Option<Arc<NodeSchema>> {
        self.with_status(|status| status.schema.clone())
    }

    /// Records what the discovery found; returns whether the fields changed. A node that was not known before is asked
    /// from [`RemoteState::resume`] on, when its fields are part of the network.
    pub(crate) fn discovered(&self, schema: NodeSchema) -> bool {
        self.with_status(|status| {
            let is_changed = status.schema.as_ref().is_none_or(|known| known.fields != schema.fields);
            status.is_suspended |= status.schema.is_none();
            status.schema = Some(Arc::new(schema));
            is_changed
        })
    }

    /// Returns whether statistics were not asked for within this time; then they are now.
    pub(crate) fn begin_statistics(&self, interval: Duration) -> bool {
        self.with_status(|status| {
            let is_due = status.statistics_asked_at.is_none_or(|asked_at| asked_at.elapsed() >= interval);
            if is_due {
                status.statistics_asked_at = Some(Instant::now());
            }
            is_due
        })
    }

    /// Keeps the statistics of the node instead of those before; `None` if it did not tell them.
    pub(crate) fn keep_statistics(&self, statistics: Option<NodeStatistics>) {
        self.with_status(|status| status.statistics = statistics.map(Arc::new));
    }

    pub(crate) fn statistics(&self) -> Option<Arc<NodeStatistics>> {
        self.with_status(|status| status.statistics.clone())
    }

    /// Lets the node be asked again.
    pub(crate) fn resume(&self) {
        self.with_status(|status| (status.consecutive_failures, status.is_suspended) = (0, false));
    }

    /// Records an answer.
    pub(crate) fn succeeded(&self) {
        self.with_status(|status| status.consecutive_failures = 0);
    }

    /// Records that a question had no answer; one too many lets the discovery find out whether the node works.
    pub(crate) fn question_failed(&self, error: &NodeError) {
        let is_doubted = error.is_outage() && self.add_failure() == MAX_CONSECUTIVE_FAILURES;
        if is_doubted || *error == NodeError::SchemaMismatch {
            self.wake.notify_one();
        }
    }

    /// Records that a discovery had no answer; with too many failures the node is suspended.
    pub(crate) fn discovery_failed(&self, error: &NodeError) {
        if error.is_outage() && self.add_failure() >= MAX_CONSECUTIVE_FAILURES {
            self.with_status(|status| status.is_suspended = true);
        }
    }

    /// Returns how many failures in a row there are with this one.
    fn add_failure(&self) -> u32 {
        self.with_status(|status| {
            status.consecutive_failures = status.consecutive_failures.saturating_add(1);
            status.consecutive_failures
        })
    }

    /// Returns whether there was no answer since the last failure.
    pub(crate) fn has_failed(&self) -> bool {
        self.with_status(|status| status.consecutive_failures > 0)
    }
}

/// Returns whether a flat name is that of a field, or of something in it.
fn is_at_or_below(name: &str, field: &str) -> bool {
    name.strip_prefix(field).is_some_and(|rest| rest.is_empty() || rest.starts_with("__"))
}

#[cfg(test)]
mod tests {
    use cantata_catalogue::{AggregationKind, NodeNames};
    use percent_encoding::percent_decode_str;
    use serde_json::{Value, json};

    use super::*;
    use crate::node_query::FieldMembers;

    #[test]
    fn a_filter_is_checked_and_linked_by_the_names_of_the_node() {
        let names = NodeNames { fields: [("gender".to_owned(), "sex".to_owned())].into(), ..NodeNames::default() };
        let (name, id) = ("node".to_owned(), None);
        let portal_url = Some("https://n.example.org/?filter={filters}&view=charts".to_owned());
        let config = NodeConfig { name, id, target: NodeTarget::OwnRecords, names, suppressed_below: None, portal_url };
        let node = Node::new(&config, 1, &Arc::new(Semaphore::new(1)));
        let field = |network: &str, node: &str| NodeField {
            network: network.to_owned(),
            node: node.to_owned(),
            kind: AggregationKind::Plain,
            members: FieldMembers::ALL,
        };
        let fields = [field("gender", "sex"), field("donors__age", "donors__age")];
        let check = |name: &str, fields| {
            let leaf = json!({"op": "in", "content": {"fieldName": name, "value": ["x"]}});
            node.check_filter(Sqon::parse(&leaf).unwrap().as_ref(), fields)
        };
        for name in ["gender", "gender.keyword", "donors.age", "donors__age", "donors"] {
            assert_eq!(check(name, Some(&fields[..])), Ok(()), "{name}");
        }
        assert_eq!(check("study", None), Ok(()), "the node itself judges");
        for name in ["study", "genders", "donor", "donors.ages"] {
            assert_eq!(check(name, Some(&fields[..])), Err(NodeError::LacksField), "{name}");
        }
        assert_eq!(check("sex", None), Err(NodeError::LacksField), "it is gender in the network");
        assert_eq!(node.check_filter(None, Some(&[])), Ok(()));
        let filter = json!({"op": "in", "content": {"fieldName": "gender", "value": ["a&b"]}});
        let link = node.link(Sqon::parse(&filter).unwrap().as_ref()).unwrap();
        let encoded =
            link.strip_prefix("https://n.example.org/?filter=").unwrap().strip_suffix("&view=charts").unwrap();
        assert!(!encoded.contains(['&', '"', ' ']), "{encoded}");
        let text = percent_decode_str(encoded).decode_utf8().unwrap();
        let sent: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(sent, json!({"op": "in", "content": {"fieldName": "sex", "value": ["a&b"]}}));
        assert_eq!(node.link(None).as_deref(), Some("https://n.example.org/?filter=&view=charts"));
        let long = json!({"op": "in", "content": {"fieldName": "gender", "value": ["a".repeat(MAX_LINK_BYTES)]}});
        assert_eq!(node.link(Sqon::parse(&long).unwrap().as_ref()), None);
    }

    fn state() -> RemoteState {
        RemoteState { client: Err(NodeError::Settings), wake: Arc::default(), status: Mutex::default() }
    }

    #[test]
    fn questions_without_an_answer_suspend_a_node_only_if_its_discovery_fails_too() {
        let state = state();
        let is_suspended = || state.with_status(|status| status.is_suspended);
        assert!(state.discovered(NodeSchema::default()));
        state.resume();
        let of_requests =
            [NodeError::Rejected, NodeError::Denied, NodeError::Erred, NodeError::TooLong, NodeError::Busy];
        for error in &of_requests {
            state.question_failed(error);
            assert!(!state.has_failed(), "{error}");
        }
        for _ in 0..9 {
            state.question_failed(&NodeError::TimedOut);
        }
        assert!(state.has_failed() && !is_suspended(), "the questions may be the reason");
        state.discovery_failed(&NodeError::Denied);
        assert!(!is_suspended(), "it works, and says no");
        state.discovery_failed(&NodeError::TimedOut);
        assert!(is_suspended());
        assert!(!state.discovered(NodeSchema::default()), "the fields are the same");
        state.resume();
        assert!(!is_suspended() && !state.has_failed());
        state.question_failed(&NodeError::Failed);
        state.discovery_failed(&NodeError::Failed);
        assert!(!is_suspended(), "these are few");
        state.discovery_failed(&NodeError::Failed);
        assert!(is_suspended());
        state.resume();
        assert!(!is_suspended());
    }
}
