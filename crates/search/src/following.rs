//! Following the indexes: whether they have another mapping, and whether they can be searched.
//!
//! A mapping can be had of an index that has lost a part, so now and then the index is searched too. Every catalogue is
//! looked after by itself and at most once at a time, so that an engine that is slow or away keeps back nothing but its
//! own catalogues. What comes of it replaces the one entry in the catalogues of that moment.

use std::sync::Arc;
use std::time::Duration;

use cantata_catalogue::ErrorCode;
use cantata_engine::{EngineError, Filter, HitsRequest, Plan, SearchEngine};
use cantata_mapping::IndexMapping;
use futures_util::future::join_all;

use crate::catalogues::{Catalogues, Entry, Looks, State, Turn};
use crate::service::SearchService;

/// How long an engine may take to answer a look.
const LONGEST: Duration = Duration::from_secs(10);

/// How long is waited for engines where somebody waits for the catalogues.
const PATIENCE: Duration = Duration::from_secs(3);

/// How often in a row an engine that answered before may give no answer, until that counts as a failure.
const TOLERATED: usize = 1;

/// How many looks at an index that is in order go by until it is searched.
const LOOKS_UNTIL_SEARCH: usize = 5;

impl SearchService {
    /// Looks at all indexes, without waiting for it; catalogues that are being asked for are left alone.
    pub(crate) fn follow_indexes(self: &Arc<Self>) {
        for entry in &self.catalogues().entries {
            let Ok(mut turn) = Arc::clone(&entry.turn).try_lock_owned() else { continue };
            let (service, key) = (Arc::clone(self), Arc::clone(&entry.turn));
            tokio::spawn(async move { service.follow(&key, &mut turn, LONGEST, false).await });
        }
    }

    /// Looks at the indexes of entries and waits for it, though not for long. What is as it was stays, unless it is to
    /// be rebuilt.
    pub(crate) async fn follow_now(&self, entries: &[Entry], rebuild: bool) {
        let follow = async |entry: &Entry| {
            // Whoever has the turn may wait for longer; what comes of it will be seen.
            if let Ok(mut turn) = tokio::time::timeout(PATIENCE, entry.turn.lock()).await {
                self.follow(&entry.turn, &mut turn, PATIENCE, rebuild).await;
            }
        };
        join_all(entries.iter().map(follow)).await;
    }

    async fn follow(&self, key: &Turn, looks: &mut Looks, longest: Duration, rebuild: bool) {
        let catalogues = self.catalogues();
        let Some(entry) = catalogues.entry(key) else { return };
        let Some(after) = followed(entry, looks, longest, rebuild).await else { return };
        self.replace(|now| {
            let mut catalogues = Catalogues::clone(now);
            catalogues.entries.iter_mut().filter(|entry| Arc::ptr_eq(&entry.turn, key)).for_each(|entry| {
                entry.clone_from(&after);
            });
            catalogues
        });
    }
}

/// Looks at the index of an entry that is not among the catalogues yet.
pub(crate) async fn first_look(entry: Entry) -> Entry {
    followed(&entry, &mut Looks::default(), PATIENCE, false).await.unwrap_or(entry)
}

/// Looks at an index and returns what has become of the catalogue; nothing if it is as it was.
async fn followed(entry: &Entry, looks: &mut Looks, longest: Duration, rebuild: bool) -> Option<Entry> {
    let (engine, config) = entry.index()?;
    let is_in_order = matches!(entry.state, State::Available(_)) && looks.silent == 0;
    let is_searched = !is_in_order || looks.since_search >= LOOKS_UNTIL_SEARCH;
    looks.since_search = if is_searched { 0 } else { looks.since_search + 1 };
    let answer = tokio::time::timeout(longest, look(&**engine, &config.index, is_searched)).await;
    let answer = answer.unwrap_or(Err(EngineError::TimedOut));
    let is_silence = matches!(answer, Err(EngineError::TimedOut | EngineError::Busy));
    looks.silent = if is_silence { looks.silent + 1 } else { 0 };
    let cause = answer.as_ref().err().map(ToString::to_string);
    let after = match (answer, &entry.state) {
        (Ok(mapping), _) if rebuild || !entry.is_built_from(&mapping) => entry.rebuilt(mapping),
        (Ok(_), State::Disturbed(served, _)) => Entry { state: State::Available(Arc::clone(served)), ..entry.clone() },
        (Ok(_), State::Available(_) | State::Failed(_)) => return None,
        (Err(_), State::Available(_)) if is_silence && looks.silent <= TOLERATED => return None,
        (Err(error), _) => entry.without_answer(&error),
    };
    tell(entry, &after, cause);
    Some(after)
}

/// Returns the mapping of an index; if it is to be searched, only if that works.
async fn look(engine: &dyn SearchEngine, index: &str, is_searched: bool) -> Result<Arc<IndexMapping>, EngineError> {
    let mapping = engine.mapping(index).await?;
    if is_searched {
        // The number of all records is what any engine knows at once.
        let all =
            HitsRequest { filter: 0, size: 0, offset: 0, sort: Vec::new(), after: None, total: true, documents: false };
        let plan = Plan { filters: vec![Filter::All], hits: vec![all], facets: Vec::new() };
        engine.search(index, Arc::new(plan)).await?;
    }
    Ok(mapping)
}

/// Says in the log what has changed for the better or the worse.
fn tell(before: &Entry, after: &Entry, cause: Option<String>) {
    let catalogue = &after.configured.id;
    match (before.problem(), after.problem()) {
        (then, Some(now)) if then != Some(now) && now.code == ErrorCode::IndexNotFound && after.has_source() => {
            tracing::info!(catalogue, "the index of a catalogue is not there yet; it is made of its source");
        }
        (then, Some(now)) if then != Some(now) => {
            let error = cause.unwrap_or_else(|| now.to_string());
            tracing::warn!(catalogue, error, "a catalogue cannot be served");
        }
        (Some(_), None) => tracing::info!(catalogue, "a catalogue is served"),
        _ => {}
    }
}
