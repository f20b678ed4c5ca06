//! Saved sets, documents of an index of their own, so that they are searched like records. Where servers with an
//! engine of their own share a store, it has the sets, and the index is a copy of them ([`SharedSets`]).
//!
//! A set belongs to the view that it was saved under, since its members and its filter may reveal what other views
//! hide. For any other view the set does not exist. Within a view it belongs to who saved it ([`SetReader`]); for others
//! it does not exist, either, unless it is shared with them.
//!
//! A change is made of a set as it was found, and made again if another server was faster, so that none is lost; where the
//! engine has the sets, servers lock them ([`SetLocks`]).
//!
//! [`SetReader`]: crate::set_reader::SetReader
//! [`SetLocks`]: crate::set_locks::SetLocks
//! [`SharedSets`]: crate::shared_sets::SharedSets

use std::collections::{HashMap, HashSet};

use cantata_engine::{
    EngineError, ExportRequest, FacetRequest, Filter, HitsRequest, SearchPlan, SearchResponse, WriteOperation,
};
use cantata_graphql::{
    GraphqlErrorCode, SAVED_SET_BYTES, SAVED_SET_VIEW, SaveSet, SetCommand, SetCommandOutcome, saved_sets_mapping,
};
use cantata_sqon::json_depth;
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::served_catalogue::ServedCatalogue;
use crate::set_reader::{OWNER, SHARED_WITH, unknown_share, unowned_filter};

const MAX_SET_VALUES: usize = 1_000_000;

/// How many sets an owner may have in a catalogue.
const MAX_OWN_SETS: u64 = 1_000;

/// With how many groups a set may be shared.
const MAX_SHARES: usize = 100;

/// How many records are fetched at a time.
const PAGE_SIZE: usize = 1000;

const MAX_NAME_CHARS: usize = 500;

/// How deep the JSON of a saved filter may be nested: it becomes part of a document, which every engine must read.
const MAX_SAVED_DEPTH: usize = 99;

/// A set as it was found.
struct FoundSet {
    set: Value,
    /// The change that made it what it is, where a store has the sets.
    change: Option<u64>,
}

impl ServedCatalogue {
    /// Loads the members of the sets that exist.
    pub(crate) async fn load_sets(&self, ids: &[String]) -> Result<HashMap<String, Vec<String>>, EngineError> {
        let mut sets = HashMap::new();
        for id in ids {
            let set = self.find_set(id).await.inspect_err(|error| {
                tracing::warn!(catalogue = self.catalogue.id, %error, "a saved set cannot be read");
            })?;
            if let Some(FoundSet { set, .. }) = set {
                let members = set.get("ids").and_then(Value::as_array).into_iter().flatten();
                sets.insert(id.clone(), members.filter_map(Value::as_str).map(str::to_owned).collect());
            }
        }
        Ok(sets)
    }

    /// Returns a set that was saved under this view and that the client may use.
    async fn find_set(&self, id: &str) -> Result<Option<FoundSet>, EngineError> {
        let found = match &self.shared_sets {
            Some(shared) => shared.find(id).await?.map(|(set, change)| FoundSet { set, change: Some(change) }),
            None => match self.engine.document(&self.catalogue.sets.index, id).await {
                Ok(document) => {
                    let set = document.and_then(|document| serde_json::to_value(document.root()).ok());
                    set.map(|set| FoundSet { set, change: None })
                }
                Err(EngineError::IndexNotFound(_)) => None,
                Err(error) => return Err(error),
            },
        };
        Ok(found.filter(|found| self.is_of_view(&found.set) && self.reader.can_use(&found.set)))
    }

    fn is_of_view(&self, set: &Value) -> bool {
        match (set.get(SAVED_SET_VIEW).and_then(Value::as_str), self.view.fingerprint(&self.catalogue.id)) {
            // Sets without a fingerprint were saved before there were rules.
            (None, Some(_)) => self.view.is_unrestricted(),
            (saved, own) => saved == own.as_deref(),
        }
    }

    /// Searches the sets; their index is created if it does not exist.
    pub(crate) async fn search_sets(&self, mut plan: SearchPlan) -> Result<SearchResponse, EngineError> {
        self.prepare_sets_index().await?;
        if let Some(listed) = self.reader.filter() {
            for filter in &mut plan.filters {
                *filter = Filter::and([listed.clone(), filter.clone()]);
            }
        }
        self.search(&self.catalogue.sets.index, plan).await
    }

    /// Makes the index ready to be searched: it is there, and has every set.
    async fn prepare_sets_index(&self) -> Result<(), EngineError> {
        self.ensure_sets_index().await?;
        match &self.shared_sets {
            Some(shared) => shared.copy().await,
            None => Ok(()),
        }
    }

    async fn ensure_sets_index(&self) -> Result<(), EngineError> {
        match self.engine.mapping(&self.catalogue.sets.index).await {
            // An index of an earlier version lacks what came later.
            Ok(mapping) => {
                // Nothing else: another server may have made the rest otherwise, which cannot be changed.
                let later = [(OWNER, "keyword"), (SHARED_WITH, "keyword"), (SAVED_SET_BYTES, "long")];
                let missing = later.into_iter().filter(|(name, _)| mapping.field(name).is_none());
                let added: Map<String, Value> =
                    missing.map(|(name, kind)| (name.to_owned(), json!({ "type": kind }))).collect();
                match added.is_empty() {
                    true => Ok(()),
                    false => {
                        let added = json!({ "properties": added });
                        self.engine.extend_mapping(&self.catalogue.sets.index, &added).await
                    }
                }
            }
            Err(EngineError::IndexNotFound(_)) => {
                match self.engine.create_index(&self.catalogue.sets.index, Some(&saved_sets_mapping())).await {
                    // Another request may have created it meanwhile.
                    Err(EngineError::IndexExists(_)) => Ok(()),
                    created => created,
                }
            }
            Err(error) => Err(error),
        }
    }

    /// Executes a mutation.
    pub(crate) async fn execute_command(&self, command: &SetCommand) -> SetCommandOutcome {
        let outcome = match command {
            SetCommand::SaveSet(save) => self.save_set(save).await,
            SetCommand::RenameSet { set_id, name } => self.rename_set(set_id, name).await,
            SetCommand::ShareSet { set_id, shared_with } => self.share_set(set_id, shared_with).await,
            SetCommand::DeleteSet { set_id } => self.in_turn(self.delete_set(set_id)).await,
        };
        outcome.unwrap_or_else(|error| {
            tracing::warn!(catalogue = self.catalogue.id, %error, "a saved set cannot be changed");
            SetCommandOutcome::from(&error)
        })
    }

    async fn save_set(&self, save: &SaveSet) -> Result<SetCommandOutcome, EngineError> {
        let depth = json_depth(save.sqon.to_string().as_bytes());
        if depth > MAX_SAVED_DEPTH {
            let message =
                format!("sqon: found {depth} levels of JSON; a filter of at most {MAX_SAVED_DEPTH} can be saved");
            return Ok(invalid(message));
        }
        let request =
            ExportRequest { filter: save.filter.clone(), sort: save.sort.clone(), limit: None, page_size: PAGE_SIZE };
        let mut export = self.export_records(request).await?;
        let mut known = HashSet::new();
        let mut ids: Vec<String> = Vec::new();
        while let Some(page) = export.next().await? {
            for member in page.hits.iter().flat_map(|hit| save.members_of(hit)) {
                if known.insert(member.clone()) {
                    ids.push(member);
                }
            }
            if ids.len() > MAX_SET_VALUES {
                return Ok(invalid(format!("the set would have more than {MAX_SET_VALUES} values; narrow its filter")));
            }
        }
        let set_id = Uuid::new_v4().to_string();
        let mut set = json!({
            "setId": set_id,
            "createdAt": format!("{:.3}", Timestamp::now()),
            "size": ids.len(),
            "ids": ids,
            "type": save.document_type,
            "path": save.path,
            "sqon": save.sqon,
            "userId": save.user_id,
            "name": save.name,
        });
        if let Some(view) = &save.view {
            set[SAVED_SET_VIEW] = view.as_str().into();
        }
        let _saving = self.set_locks.lock_saving(self.reader.owner.as_deref()).await;
        self.prepare_sets_index().await?;
        let refusal = match self.reader.own_filter() {
            Some(own) => {
                set[OWNER] = self.reader.owner.clone().into();
                self.reason_against_owned(own).await?
            }
            None => {
                let bytes = set.to_string().len() as u64;
                set[SAVED_SET_BYTES] = bytes.into();
                self.reason_against_unowned(bytes).await?
            }
        };
        if let Some(reason) = refusal {
            return Ok(invalid(reason));
        }
        match &self.shared_sets {
            Some(shared) => shared.add(&set_id, &set).await?,
            None => self.put_set(&set_id, &set).await?,
        }
        Ok(SetCommandOutcome::Set(set))
    }

    /// Returns why another set of the client cannot be saved, if so.
    async fn reason_against_owned(&self, own: Filter) -> Result<Option<String>, EngineError> {
        let request = ExportRequest { filter: own, sort: Vec::new(), limit: None, page_size: 1 };
        let count = self.engine.export(&self.catalogue.sets.index, request).await?.total();
        let reason = || format!("you have {MAX_OWN_SETS} sets, which is as many as you may; delete one first");
        Ok((count >= MAX_OWN_SETS).then(reason))
    }

    /// Returns why another set without an owner cannot be saved, if so. Everybody who sends no credential shares the limits.
    async fn reason_against_unowned(&self, bytes: u64) -> Result<Option<String>, EngineError> {
        let sets = &self.catalogue.sets;
        let mut plan = SearchPlan::default();
        let filter = plan.add_filter(unowned_filter());
        plan.hits.push(HitsRequest { filter, total: true, ..HitsRequest::default() });
        let field = SAVED_SET_BYTES.to_owned();
        plan.facets.push(FacetRequest { field, filter, stats: true, ..FacetRequest::default() });
        let found = self.search(&sets.index, plan).await?;
        let count = found.hits.first().and_then(|hits| hits.total).unwrap_or_default();
        // Sums of whole numbers of this size are exact.
        let stored = found.facets.first().and_then(|facet| facet.stats).map_or(0, |stats| stats.sum as u64);
        let (limit, setting) = if count >= sets.max_anonymous {
            (format!("{} sets", sets.max_anonymous), "MAX_ANONYMOUS_SETS")
        } else if stored.saturating_add(bytes) > sets.max_anonymous_bytes {
            (format!("{} bytes", sets.max_anonymous_bytes), "MAX_ANONYMOUS_SETS_BYTES")
        } else {
            return Ok(None);
        };
        Ok(Some(format!(
            "the sets that are saved without a credential may have {limit} in all ({setting}), and there is no room for this \
             one; delete one that is not needed any more, or sign in or send a credential to save sets of your own"
        )))
    }

    async fn rename_set(&self, id: &str, name: &str) -> Result<SetCommandOutcome, EngineError> {
        if name.trim().is_empty() || name.chars().count() > MAX_NAME_CHARS {
            let found = name.chars().count();
            return Ok(invalid(format!("name: found {found} characters; expected 1 to {MAX_NAME_CHARS}")));
        }
        self.in_turn(self.change_set(id, "name", Value::from(name))).await
    }

    async fn share_set(&self, id: &str, shared_with: &[String]) -> Result<SetCommandOutcome, EngineError> {
        if shared_with.len() > MAX_SHARES {
            let found = shared_with.len();
            return Ok(invalid(format!("with: found {found} elements; expected at most {MAX_SHARES}")));
        }
        if let Some(unknown) = unknown_share(shared_with) {
            let expected = "\"link\", \"everybody\" or \"group:\" and the name of a group";
            return Ok(invalid(format!("with: found {unknown:?}; expected {expected}")));
        }
        self.ensure_sets_index().await?;
        self.in_turn(self.change_set(id, SHARED_WITH, Value::from(shared_with))).await
    }

    /// Makes a change of a set. Where a store has the sets, it needs no lock.
    async fn in_turn<T>(&self, change: impl Future<Output = Result<T, EngineError>>) -> Result<T, EngineError> {
        match &self.shared_sets {
            Some(_) => change.await,
            None => self.set_locks.run_exclusively(change).await,
        }
    }

    /// Changes a member of a set that belongs to the client.
    async fn change_set(&self, id: &str, member: &str, value: Value) -> Result<SetCommandOutcome, EngineError> {
        loop {
            let Some(FoundSet { mut set, change }) = self.find_set(id).await? else {
                return Ok(invalid(format!("there is no set of the id {id:?}")));
            };
            if !self.reader.can_change(&set) {
                return Ok(invalid(NOT_THE_OWNER.to_owned()));
            }
            set.as_object_mut().map(|set: &mut Map<String, Value>| set.insert(member.to_owned(), value.clone()));
            let is_written = match (&self.shared_sets, change) {
                (Some(shared), Some(change)) => shared.replace(id, change, &set).await?,
                _ => self.put_set(id, &set).await.map(|()| true)?,
            };
            if is_written {
                return Ok(SetCommandOutcome::Set(set));
            }
        }
    }

    async fn delete_set(&self, id: &str) -> Result<SetCommandOutcome, EngineError> {
        loop {
            let Some(FoundSet { set, change }) = self.find_set(id).await? else {
                return Ok(SetCommandOutcome::Deleted(false));
            };
            if !self.reader.can_change(&set) {
                return Ok(invalid(NOT_THE_OWNER.to_owned()));
            }
            let (Some(shared), Some(change)) = (&self.shared_sets, change) else {
                let batch = vec![WriteOperation::Delete { id: id.to_owned() }];
                let report = self.engine.write(&self.catalogue.sets.index, batch).await?;
                return Ok(SetCommandOutcome::Deleted(report.deleted > 0));
            };
            if shared.remove(id, change).await? {
                return Ok(SetCommandOutcome::Deleted(true));
            }
        }
    }

    /// Writes a set to the engine, which has the sets.
    async fn put_set(&self, id: &str, set: &Value) -> Result<(), EngineError> {
        let batch = vec![WriteOperation::Put { id: id.to_owned(), source: set.to_string().into_bytes() }];
        let report = self.engine.write(&self.catalogue.sets.index, batch).await?;
        report.rejected.into_iter().next().map_or(Ok(()), |rejected| Err(EngineError::Failed(rejected.reason)))
    }
}

const NOT_THE_OWNER: &str = "the set is shared with you; only its owner may change it";

/// Returns the outcome of a command that cannot be executed as it was given.
fn invalid(message: String) -> SetCommandOutcome {
    SetCommandOutcome::Failed { code: GraphqlErrorCode::BadUserInput, message }
}
