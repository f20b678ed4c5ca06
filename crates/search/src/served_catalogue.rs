//! A catalogue as one identity sees it, and the GraphQL requests that are executed on it.

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use cantata_catalogue::introspection::CatalogueIntrospectionBody;
use cantata_catalogue::{Catalogue, CatalogueView};
use cantata_engine::{EngineError, SearchEngine, SearchPlan, SearchResponse};
use cantata_federation::{ForwardedHeader, NodeReport};
use cantata_graphql::{
    CatalogueSchema, GraphqlErrorBody, GraphqlRequest, GraphqlResponse, PlanContext, PlanResults, PlannedRequest,
    PreparedRequest, SetCommandOutcome,
};
use cantata_mapping::UtcDateTime;
use jiff::Timestamp;
use tokio::sync::Semaphore;

use crate::counters::SearchCounters;
use crate::network_view::NetworkView;
use crate::set_locks::SetLocks;
use crate::set_reader::SetReader;
use crate::shared_sets::SharedSets;

/// The permits of responses whose nested elements are selected while they are written: that is work for a processor.
static SELECTING_WRITERS: LazyLock<Arc<Semaphore>> =
    LazyLock::new(|| Arc::new(Semaphore::new(std::thread::available_parallelism().map_or(1, usize::from))));

/// A catalogue that can be searched, as one identity sees it.
#[derive(Clone)]
pub struct ServedCatalogue {
    /// The catalogue without hidden fields.
    pub catalogue: Arc<Catalogue>,
    /// Its GraphQL schema.
    pub schema: CatalogueSchema,
    /// Its introspection response.
    pub introspection: Arc<CatalogueIntrospectionBody>,
    pub(crate) view: CatalogueView,
    /// Whose saved sets it shows.
    pub(crate) reader: SetReader,
    /// The saved sets, if they are in a store; else the engine has them.
    pub(crate) shared_sets: Option<Arc<SharedSets>>,
    /// The locks of the saved sets that the engine has.
    pub(crate) set_locks: Arc<SetLocks>,
    /// The engine that has its index and its saved sets.
    pub(crate) engine: Arc<dyn SearchEngine>,
    /// The fields whose truncated lists have been logged.
    pub(crate) logged_truncations: Arc<Mutex<HashSet<String>>>,
    pub(crate) counters: Arc<SearchCounters>,
    /// The network that it is asked with; `None` if it has none, or is asked as a node of one.
    pub(crate) network: Option<NetworkView>,
}

impl ServedCatalogue {
    /// Parses and validates a request.
    ///
    /// # Errors
    ///
    /// The response to a request that cannot be executed.
    pub fn prepare(&self, request: &GraphqlRequest) -> Result<PreparedRequest, GraphqlErrorBody> {
        self.schema.prepare(request).inspect_err(|_| {
            self.counters.rejected.fetch_add(1, Ordering::Relaxed);
        })
    }

    /// Returns the suppression threshold of the view.
    pub fn suppression_threshold(&self) -> Option<u64> {
        self.view.suppression_threshold
    }

    /// Returns the state of the nodes of the network; `None` if there is none.
    pub fn node_reports(&self) -> Option<Vec<NodeReport>> {
        self.network.as_ref().map(|view| view.network.reports())
    }

    /// Returns the names of the headers that nodes of the network get, in lower case.
    pub fn forwarded_header_names(&self) -> impl Iterator<Item = &str> {
        self.network.iter().flat_map(|view| view.network.header_names())
    }

    /// Executes a request and returns the response body. Nodes of the network get no header of the client.
    pub async fn execute(&self, prepared: &PreparedRequest) -> Vec<u8> {
        self.execute_with_headers(prepared, &[]).await
    }

    /// Executes a request and returns the response body. Nodes of the network get those of the headers that are
    /// configured for them.
    pub async fn execute_with_headers(&self, prepared: &PreparedRequest, headers: &[ForwardedHeader]) -> Vec<u8> {
        self.counters.executed.fetch_add(1, Ordering::Relaxed);
        let (sets, failure) = match self.load_sets(prepared.sets_needed()).await {
            Ok(sets) => (sets, None),
            // Planned with empty sets to get the shape of the response; nothing of the plan is executed.
            Err(error) => (prepared.sets_needed().iter().map(|id| (id.clone(), Vec::new())).collect(), Some(error)),
        };
        let mut planned = prepared.plan(&PlanContext { now: now(), sets: &sets, view: &self.view });
        let mut results = PlanResults::default();
        if let Some(error) = failure {
            results.commands = planned.commands.iter().map(|_| SetCommandOutcome::from(&error)).collect();
            results.records = Some(Err(error.clone()));
            results.sets = Some(Err(error));
            return planned.write(&results).body;
        }
        for command in &planned.commands {
            results.commands.push(self.execute_command(command).await);
        }
        let plan = planned.records.take();
        let records = async {
            match plan {
                Some(plan) => Some(self.search_records(plan).await),
                None => None,
            }
        };
        let network = async {
            match &self.network {
                Some(network) => network.ask(&planned.network, headers).await,
                None => Vec::new(),
            }
        };
        (results.records, results.network) = tokio::join!(records, network);
        if let Some(plan) = planned.sets.take() {
            results.sets = Some(self.search_sets(plan).await);
        }
        let response =
            if planned.selects_elements() { write_selecting(planned, results).await } else { planned.write(&results) };
        self.log_truncations(&response.truncated_fields);
        response.body
    }

    /// Runs a plan on an index of the engine.
    pub(crate) async fn search(&self, index: &str, plan: SearchPlan) -> Result<SearchResponse, EngineError> {
        self.engine.search(index, Arc::new(plan)).await.inspect_err(|error| {
            // A request that the engine cannot answer within its limits is a mistake of its client.
            if !matches!(error, EngineError::Rejected(_)) {
                self.counters.failed.fetch_add(1, Ordering::Relaxed);
            }
            if matches!(error, EngineError::Failed(_) | EngineError::IndexDamaged { .. }) {
                tracing::warn!(catalogue = self.catalogue.id, %error, "a search failed");
            }
        })
    }

    /// Logs, once per field, that only the first value of its lists is shown.
    fn log_truncations(&self, fields: &[String]) {
        if fields.is_empty() {
            return;
        }
        let mut logged = self.logged_truncations.lock().unwrap_or_else(PoisonError::into_inner);
        for field in fields {
            if logged.insert(field.clone()) {
                tracing::warn!(
                    catalogue = self.catalogue.id,
                    field,
                    "documents have lists in this field, of which only the first values are shown; \
                     set isArray for it in extended.json, or make it nested if it holds objects"
                );
            }
        }
    }
}

/// Writes a response on a blocking thread; it stops soon after its client has left.
async fn write_selecting(planned: PlannedRequest, results: PlanResults) -> GraphqlResponse {
    let permit = SELECTING_WRITERS.clone().acquire_owned().await;
    let request = Arc::new(());
    let client = Arc::downgrade(&request);
    let written = tokio::task::spawn_blocking(move || {
        // Released when the response is written, which a cancelled request does not wait for.
        let _permit = permit;
        planned.write_unless(&results, &|| client.strong_count() == 0)
    })
    .await;
    drop(request);
    // Nobody aborts it, so it can only have panicked; the request then ends as if it had panicked itself.
    written.unwrap_or_else(|ended| std::panic::resume_unwind(ended.into_panic()))
}

/// Returns the moment of `now` in filters.
pub(crate) fn now() -> UtcDateTime {
    UtcDateTime::from_millis(Timestamp::now().as_millisecond()).unwrap_or(UtcDateTime::MAX)
}
