//! Runs operations, and reports the outcome of each.
//!
//! Operations on one index are one write, in their order. Whether a document is there is found out before: a document
//! that is only to be added is not written where there is one, and an answer says whether something was there.

use std::collections::HashMap;

use axum::response::{IntoResponse as _, Response};
use cantata_core::json::parse_json;
use cantata_engine as engine;
use cantata_engine::EngineError;
use http::StatusCode;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::operation::{BulkAction, BulkOperation};
use crate::es_compat::documents::value;
use crate::es_compat::error::{Cause, EsError};
use crate::es_compat::{EsResult, EsState};
use crate::response::json_with_status;

/// An operation with its outcome.
pub(in crate::es_compat) struct BulkItem {
    action: BulkAction,
    index: String,
    id: String,
    pub(super) outcome: Result<BulkOutcome, EsError>,
}

/// What an operation did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum BulkOutcome {
    Created,
    Updated,
    Deleted,
    NotFound,
    /// An update that changes nothing.
    Noop,
}

impl BulkOutcome {
    fn status(self) -> StatusCode {
        match self {
            Self::Created => StatusCode::CREATED,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Updated | Self::Deleted | Self::Noop => StatusCode::OK,
        }
    }
}

/// An item as an answer has it.
#[derive(Serialize)]
struct BulkItemBody<'a> {
    #[serde(rename = "_index")]
    index: &'a str,
    #[serde(rename = "_type")]
    kind: &'static str,
    #[serde(rename = "_id")]
    id: &'a str,
    #[serde(flatten)]
    done: Option<BulkResultBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Cause<'a>>,
    status: u16,
}

#[derive(Serialize)]
struct BulkResultBody {
    #[serde(rename = "_version")]
    version: u8,
    result: BulkOutcome,
    #[serde(rename = "_shards")]
    shards: Value,
    #[serde(rename = "_seq_no")]
    seq_no: u8,
    #[serde(rename = "_primary_term")]
    primary_term: u8,
}

impl BulkItem {
    fn body(&self) -> BulkItemBody<'_> {
        let done = self.outcome.as_ref().ok().map(|outcome| BulkResultBody {
            version: 1,
            result: *outcome,
            shards: json!({"total": 1, "successful": 1, "failed": 0}),
            seq_no: 0,
            primary_term: 1,
        });
        let error = self.outcome.as_ref().err().map(EsError::cause);
        let status = self.outcome.as_ref().map_or_else(|error| error.status, |done| done.status());
        BulkItemBody { index: &self.index, kind: "_doc", id: &self.id, done, error, status: status.as_u16() }
    }

    /// Returns the item under the name of what it did.
    pub(super) fn named(&self) -> HashMap<&'static str, impl Serialize + '_> {
        HashMap::from([(self.action.name(), self.body())])
    }

    /// Returns the answer to a request of this operation alone.
    pub(in crate::es_compat) fn into_single_response(self) -> Response {
        match &self.outcome {
            Ok(done) => json_with_status(done.status(), &self.body()),
            Err(error) => error.clone().into_response(),
        }
    }
}

impl EsState {
    /// Runs operations in their order.
    pub(in crate::es_compat) async fn apply(&self, operations: Vec<BulkOperation>) -> EsResult<Vec<BulkItem>> {
        if operations.is_empty() {
            return Ok(Vec::new());
        }
        let _writing = self.writing.lock().await;
        let aliases: HashMap<String, String> =
            self.engine.aliases().await?.into_iter().map(|alias| (alias.name, alias.index)).collect();
        let mut items = Vec::with_capacity(operations.len());
        let mut by_index: HashMap<String, Vec<(usize, BulkOperation)>> = HashMap::new();
        for (position, operation) in operations.into_iter().enumerate() {
            let index = aliases.get(&operation.index).unwrap_or(&operation.index).clone();
            let (action, id) = (operation.action, operation.id.clone());
            items.push(BulkItem { action, index: index.clone(), id, outcome: Ok(BulkOutcome::Noop) });
            by_index.entry(index).or_default().push((position, operation));
        }
        for (index, operations) in by_index {
            let positions: Vec<usize> = operations.iter().map(|(position, _)| *position).collect();
            let outcomes = self.write(&index, operations).await;
            let outcomes = outcomes.unwrap_or_else(|error| vec![Err(error); positions.len()]);
            for (position, outcome) in positions.into_iter().zip(outcomes) {
                items[position].outcome = outcome;
            }
        }
        Ok(items)
    }

    /// Runs operations on one index, which is created if it does not exist and there are documents for it.
    async fn write(
        &self,
        index: &str,
        operations: Vec<(usize, BulkOperation)>,
    ) -> EsResult<Vec<Result<BulkOutcome, EsError>>> {
        let ids: Vec<&str> = operations.iter().map(|(_, operation)| operation.id.as_str()).collect();
        let found = match self.engine.has_documents(index, &ids).await {
            Err(EngineError::IndexNotFound(_))
                if operations.iter().any(|(_, one)| one.action != BulkAction::Delete) =>
            {
                match self.engine.create_index(index, None).await {
                    // Another request may have created it meanwhile.
                    Ok(()) | Err(EngineError::IndexExists(_)) => vec![false; ids.len()],
                    Err(error) => return Err(error.into()),
                }
            }
            found => found?,
        };
        let present = ids.iter().copied().map(str::to_owned).zip(found).collect();
        let mut writing = BatchBuilder { es: self, index, present, batch: Vec::new(), latest: HashMap::new() };
        let mut outcomes = Vec::with_capacity(operations.len());
        // For each operation of the batch the index of the requested one that it comes from.
        let mut origins = Vec::new();
        for (request_index, (_, operation)) in operations.into_iter().enumerate() {
            outcomes.push(writing.take(operation).await);
            origins.resize(writing.batch.len(), request_index);
        }
        let report = self.engine.write(index, writing.batch).await?;
        for rejected in report.rejected {
            if let Some(outcome) = origins.get(rejected.batch_index).and_then(|&index| outcomes.get_mut(index)) {
                *outcome = Err(EsError::mapper(rejected.reason));
            }
        }
        Ok(outcomes)
    }
}

/// Operations on one index on their way to a batch.
struct BatchBuilder<'a> {
    es: &'a EsState,
    index: &'a str,
    /// Whether there is a document, by id.
    present: HashMap<String, bool>,
    batch: Vec<engine::WriteOperation>,
    /// Where the batch has the latest document of an id.
    latest: HashMap<String, usize>,
}

impl BatchBuilder<'_> {
    async fn take(&mut self, operation: BulkOperation) -> Result<BulkOutcome, EsError> {
        let BulkOperation { action, id, source, .. } = operation;
        let is_there = self.present.get(&id).copied().unwrap_or_default();
        match action {
            BulkAction::Create if is_there => Err(EsError::conflict(&id)),
            BulkAction::Index | BulkAction::Create => Ok(self.put(id, source.into(), is_there)),
            BulkAction::Delete if !is_there => Ok(BulkOutcome::NotFound),
            BulkAction::Delete => {
                self.present.insert(id.clone(), false);
                self.batch.push(engine::WriteOperation::Delete { id });
                Ok(BulkOutcome::Deleted)
            }
            BulkAction::Update => {
                let update = Update::read(&source)?;
                let current = if is_there { self.current(&id).await? } else { None };
                match (current, update) {
                    (Some(current), Update { doc: Some(doc), .. }) => {
                        let mut changed = current.clone();
                        merge(&mut changed, doc);
                        if changed == current {
                            return Ok(BulkOutcome::Noop);
                        }
                        Ok(self.put(id, changed.to_string().into_bytes(), true))
                    }
                    (Some(_), Update { doc: None, .. }) => Ok(BulkOutcome::Noop),
                    (None, Update { upsert: Some(document), .. }) => {
                        Ok(self.put(id, document.to_string().into_bytes(), false))
                    }
                    (None, _) => Err(EsError::missing_document(&id)),
                }
            }
        }
    }

    fn put(&mut self, id: String, source: Vec<u8>, is_there: bool) -> BulkOutcome {
        self.present.insert(id.clone(), true);
        self.latest.insert(id.clone(), self.batch.len());
        self.batch.push(engine::WriteOperation::Put { id, source });
        if is_there { BulkOutcome::Updated } else { BulkOutcome::Created }
    }

    /// Returns the document of an id as it is after the operations before.
    async fn current(&self, id: &str) -> EsResult<Option<Value>> {
        match self.latest.get(id).and_then(|&position| self.batch.get(position)) {
            Some(engine::WriteOperation::Put { source, .. }) => parse_json(source)
                .map(Some)
                .map_err(|error| EsError::mapper(format!("the document is not JSON: {error}"))),
            _ => self.es.engine.document(self.index, id).await?.map(|document| value(&document)).transpose(),
        }
    }
}

/// What an update says.
struct Update {
    /// What is changed in a document.
    doc: Option<Value>,
    /// The document where there is none.
    upsert: Option<Value>,
}

impl Update {
    fn read(source: &[u8]) -> EsResult<Self> {
        let mut members = match parse_json(source) {
            Ok(Value::Object(members)) => members,
            Ok(_) => return Err(EsError::unreadable("an update: found another value, expected an object")),
            Err(error) => return Err(EsError::unreadable(format!("an update is not JSON: {error}"))),
        };
        let mut object = |key: &str| match members.remove(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(members)) => Ok(Some(Value::Object(members))),
            Some(_) => Err(EsError::unreadable(format!("[{key}]: found another value, expected an object"))),
        };
        let (doc, upsert) = (object("doc")?, object("upsert")?);
        let doc_as_upsert = take_flag(&mut members, "doc_as_upsert")?;
        take_flag(&mut members, "detect_noop")?;
        members.remove("_source");
        if let Some(key) = members.keys().next() {
            return Err(EsError::illegal(format!("an update cannot have [{key}] here; expected doc and upsert")));
        }
        if doc.is_none() && upsert.is_none() {
            return Err(EsError::illegal("an update needs [doc]"));
        }
        let upsert = if doc_as_upsert { doc.clone() } else { upsert };
        Ok(Self { doc, upsert })
    }
}

fn take_flag(members: &mut Map<String, Value>, key: &str) -> EsResult<bool> {
    match members.remove(key) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(flag),
        Some(_) => Err(EsError::illegal(format!("[{key}]: expected true or false"))),
    }
}

/// Lays one value over another: objects member by member, everything else as a whole.
fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                match into.get_mut(&key) {
                    Some(present) => merge(present, value),
                    None => drop(into.insert(key, value)),
                }
            }
        }
        (into, from) => *into = from,
    }
}
