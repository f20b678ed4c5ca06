//! Probing the index of a catalogue: whether its mapping changed, and whether it can be searched.
//!
//! An engine may give the mapping of an index that has lost a shard, so every few probes the index is searched too. The
//! probe lock of an entry keeps probes of one catalogue apart; a slow engine delays nothing but its own catalogues.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use cantata_catalogue::{CatalogueConfig, CatalogueErrorCode, IndexProfile};
use cantata_engine::{EngineError, Filter, HitsRequest, SearchEngine, SearchPlan};
use cantata_mapping::IndexMapping;

use crate::catalogue_entry::{CatalogueEntry, EntryState, ProbeState};
use crate::index_profile::fetch_profile;

/// What is known of the fields of an index.
#[derive(Clone)]
pub(crate) struct IndexFields {
    pub(crate) mapping: Arc<IndexMapping>,
    /// The fields that have several values in a document; empty if the engine cannot tell.
    pub(crate) list_fields: Arc<BTreeSet<String>>,
    /// What the values say, where a catalogue needs that; empty until they were counted.
    pub(crate) profile: Arc<IndexProfile>,
}

/// How many timeouts in a row an available catalogue survives.
const MAX_TOLERATED_TIMEOUTS: usize = 1;

/// How many probes of an available index go without a search.
const PROBES_BETWEEN_SEARCHES: usize = 5;

/// Probes the index of an entry and returns its new state; `None` if nothing changed.
pub(crate) async fn probe_index(
    entry: &CatalogueEntry,
    state: &mut ProbeState,
    timeout: Duration,
    rebuild: bool,
) -> Option<CatalogueEntry> {
    let (engine, config) = entry.index()?;
    let is_healthy = matches!(entry.state, EntryState::Available(_)) && state.consecutive_timeouts == 0;
    let with_search = !is_healthy || state.probes_since_search >= PROBES_BETWEEN_SEARCHES;
    state.probes_since_search = if with_search { 0 } else { state.probes_since_search + 1 };
    let answer = tokio::time::timeout(timeout, fetch_fields(&**engine, &config.index, with_search)).await;
    let mut answer = answer.unwrap_or(Err(EngineError::TimedOut));
    if let Ok((fields, records)) = &mut answer {
        fields.profile = entry.fields.as_ref().map(|before| Arc::clone(&before.profile)).unwrap_or_default();
        let is_current = entry.is_built_from(fields) && records.is_none_or(|records| fields.profile.fits(records));
        if (rebuild || !is_current)
            && config.uses_profile(&fields.mapping)
            && (state.counting_pause.is_over() || rebuild)
        {
            let profile = count_values(&**engine, config, &fields.mapping, timeout).await;
            state.counting_pause.note(profile.is_some());
            fields.profile = profile.map_or_else(|| Arc::clone(&fields.profile), Arc::new);
        }
    }
    let answer = answer.map(|(fields, _)| fields);
    let is_timeout = matches!(answer, Err(EngineError::TimedOut | EngineError::Busy));
    state.consecutive_timeouts = if is_timeout { state.consecutive_timeouts + 1 } else { 0 };
    let cause = answer.as_ref().err().map(ToString::to_string);
    let after = match (answer, &entry.state) {
        (Ok(fields), _) if rebuild || !entry.is_built_from(&fields) => entry.rebuild(fields),
        (Ok(_), EntryState::Degraded(loaded, _)) => {
            CatalogueEntry { state: EntryState::Available(Arc::clone(loaded)), ..entry.clone() }
        }
        (Ok(_), EntryState::Available(_) | EntryState::Failed(_)) => return None,
        (Err(_), EntryState::Available(_)) if is_timeout && state.consecutive_timeouts <= MAX_TOLERATED_TIMEOUTS => {
            return None;
        }
        (Err(error), _) => entry.degrade(&error),
    };
    log_transition(entry, &after, cause);
    Some(after)
}

/// Counts the values of an index. A catalogue whose values cannot be counted is served without that.
async fn count_values(
    engine: &dyn SearchEngine,
    config: &CatalogueConfig,
    mapping: &IndexMapping,
    timeout: Duration,
) -> Option<IndexProfile> {
    let counted = tokio::time::timeout(timeout, fetch_profile(engine, &config.index, mapping)).await;
    match counted.unwrap_or(Err(EngineError::TimedOut)) {
        Ok(profile) => Some(profile),
        Err(error) => {
            let catalogue = &config.id;
            tracing::debug!(catalogue, %error, "the values of an index could not be counted");
            None
        }
    }
}

/// Fetches what is known of the fields of an index and, on demand, its number of records by searching it.
async fn fetch_fields(
    engine: &dyn SearchEngine,
    index: &str,
    with_search: bool,
) -> Result<(IndexFields, Option<u64>), EngineError> {
    let mapping = engine.mapping(index).await?;
    let list_fields = Arc::new(engine.list_fields(index).await?.unwrap_or_default());
    let mut records = None;
    if with_search {
        // Counting all records is cheap on every engine.
        let all = HitsRequest { total: true, ..HitsRequest::default() };
        let plan = SearchPlan { filters: vec![Filter::All], hits: vec![all], facets: Vec::new() };
        let response = engine.search(index, Arc::new(plan)).await?;
        records = response.hits.first().and_then(|page| page.total);
    }
    Ok((IndexFields { mapping, list_fields, profile: Arc::default() }, records))
}

/// Logs that a catalogue became available or unavailable.
fn log_transition(before: &CatalogueEntry, after: &CatalogueEntry, cause: Option<String>) {
    let catalogue = &after.configured.id;
    match (before.error(), after.error()) {
        (then, Some(now))
            if then != Some(now) && now.code == CatalogueErrorCode::IndexNotFound && after.has_source() =>
        {
            tracing::info!(catalogue, "the index of a catalogue does not exist yet; it is built from its source");
        }
        (then, Some(now)) if then != Some(now) => {
            let error = cause.unwrap_or_else(|| now.to_string());
            tracing::warn!(catalogue, error, "a catalogue cannot be served");
        }
        (Some(_), None) => tracing::info!(catalogue, "a catalogue is served"),
        _ => {}
    }
}
