//! Doing operations, and what became of each.
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

use super::operation::{Operation, Verb};
use crate::es::documents::value;
use crate::es::error::{Cause, EsError, answer_with};
use crate::es::{Door, EsResult};

/// What became of an operation.
pub(in crate::es) struct Item {
    verb: Verb,
    index: String,
    id: String,
    pub(super) outcome: Result<Done, EsError>,
}

/// What an operation did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Done {
    Created,
    Updated,
    Deleted,
    NotFound,
    /// An update that changes nothing.
    Noop,
}

impl Done {
    fn status(self) -> StatusCode {
        match self {
            Self::Created => StatusCode::CREATED,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Updated | Self::Deleted | Self::Noop => StatusCode::OK,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Deleted => "deleted",
            Self::NotFound => "not_found",
            Self::Noop => "noop",
        }
    }
}

/// An item as an answer has it.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(rename = "_index")]
    index: &'a str,
    #[serde(rename = "_type")]
    kind: &'static str,
    #[serde(rename = "_id")]
    id: &'a str,
    #[serde(flatten)]
    done: Option<ShownDone>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Cause<'a>>,
    status: u16,
}

#[derive(Serialize)]
struct ShownDone {
    #[serde(rename = "_version")]
    version: u8,
    result: &'static str,
    #[serde(rename = "_shards")]
    shards: Value,
    #[serde(rename = "_seq_no")]
    seq_no: u8,
    #[serde(rename = "_primary_term")]
    primary_term: u8,
}

impl Item {
    fn shown(&self) -> Shown<'_> {
        let done = self.outcome.as_ref().ok().map(|done| ShownDone {
            version: 1,
            result: done.name(),
            shards: json!({"total": 1, "successful": 1, "failed": 0}),
            seq_no: 0,
            primary_term: 1,
        });
        let error = self.outcome.as_ref().err();
        let status = error.map_or_else(|| self.status(), |error| error.status);
        let error = error.map(EsError::cause);
        Shown { index: &self.index, kind: "_doc", id: &self.id, done, error, status: status.as_u16() }
    }

    fn status(&self) -> StatusCode {
        self.outcome.as_ref().map_or(StatusCode::OK, |done| done.status())
    }

    /// Returns the item under the name of what it did.
    pub(super) fn named(&self) -> HashMap<&'static str, impl Serialize + '_> {
        HashMap::from([(self.verb.name(), self.shown())])
    }

    /// Returns the answer to a request that is nothing but this item.
    pub(in crate::es) fn alone(self) -> EsResult<Response> {
        match &self.outcome {
            Ok(done) => Ok(answer_with(done.status(), &self.shown())),
            Err(error) => Ok(error.clone().into_response()),
        }
    }
}

impl Door {
    /// Does operations, in their order.
    pub(in crate::es) async fn apply(&self, operations: Vec<Operation>) -> EsResult<Vec<Item>> {
        if operations.is_empty() {
            return Ok(Vec::new());
        }
        let _writing = self.writing.lock().await;
        let aliases: HashMap<String, String> =
            self.engine.aliases().await?.into_iter().map(|alias| (alias.name, alias.index)).collect();
        let mut items = Vec::with_capacity(operations.len());
        let mut by_index: HashMap<String, Vec<(usize, Operation)>> = HashMap::new();
        for (place, operation) in operations.into_iter().enumerate() {
            let index = aliases.get(&operation.index).unwrap_or(&operation.index).clone();
            let (verb, id) = (operation.verb, operation.id.clone());
            items.push(Item { verb, index: index.clone(), id, outcome: Ok(Done::Noop) });
            by_index.entry(index).or_default().push((place, operation));
        }
        for (index, operations) in by_index {
            let places: Vec<usize> = operations.iter().map(|(place, _)| *place).collect();
            match self.write(&index, operations).await {
                Ok(outcomes) => {
                    for (place, outcome) in places.into_iter().zip(outcomes) {
                        items[place].outcome = outcome;
                    }
                }
                Err(error) => places.into_iter().for_each(|place| items[place].outcome = Err(error.clone())),
            }
        }
        Ok(items)
    }

    /// Does operations on one index, which is made if documents are for it and it is not there.
    async fn write(&self, index: &str, operations: Vec<(usize, Operation)>) -> EsResult<Vec<Result<Done, EsError>>> {
        let ids: Vec<&str> = operations.iter().map(|(_, operation)| operation.id.as_str()).collect();
        let found = match self.engine.has_documents(index, &ids).await {
            Err(EngineError::IndexNotFound(_)) if operations.iter().any(|(_, one)| one.verb != Verb::Delete) => {
                self.engine.create_index(index, None).await?;
                vec![false; ids.len()]
            }
            found => found?,
        };
        let present = ids.iter().copied().map(str::to_owned).zip(found).collect();
        let mut writing = Writing { door: self, index, present, batch: Vec::new(), latest: HashMap::new() };
        let mut outcomes = Vec::with_capacity(operations.len());
        // For each operation of the batch the place of the one that it comes from.
        let mut origins = Vec::new();
        for (place, (_, operation)) in operations.into_iter().enumerate() {
            outcomes.push(writing.take(operation).await);
            origins.resize(writing.batch.len(), place);
        }
        let report = self.engine.write(index, writing.batch).await?;
        for refusal in report.rejected {
            if let Some(outcome) = origins.get(refusal.batch_index).and_then(|&place| outcomes.get_mut(place)) {
                *outcome = Err(EsError::mapper(refusal.reason));
            }
        }
        Ok(outcomes)
    }
}

/// Operations on one index on their way to a batch.
struct Writing<'a> {
    door: &'a Door,
    index: &'a str,
    /// Whether there is a document, by id.
    present: HashMap<String, bool>,
    batch: Vec<engine::WriteOperation>,
    /// Where the batch has the latest document of an id.
    latest: HashMap<String, usize>,
}

impl Writing<'_> {
    async fn take(&mut self, operation: Operation) -> Result<Done, EsError> {
        let Operation { verb, id, source, .. } = operation;
        let is_there = self.present.get(&id).copied().unwrap_or_default();
        match verb {
            Verb::Create if is_there => Err(EsError::conflict(&id)),
            Verb::Index | Verb::Create => Ok(self.put(id, source.into(), is_there)),
            Verb::Delete if !is_there => Ok(Done::NotFound),
            Verb::Delete => {
                self.present.insert(id.clone(), false);
                self.batch.push(engine::WriteOperation::Delete { id });
                Ok(Done::Deleted)
            }
            Verb::Update => {
                let update = Update::read(&source)?;
                let current = if is_there { self.current(&id).await? } else { None };
                match (current, update) {
                    (Some(current), Update { doc: Some(doc), .. }) => {
                        let mut changed = current.clone();
                        merge(&mut changed, doc);
                        if changed == current {
                            return Ok(Done::Noop);
                        }
                        Ok(self.put(id, changed.to_string().into_bytes(), true))
                    }
                    (Some(_), Update { doc: None, .. }) => Ok(Done::Noop),
                    (None, Update { upsert: Some(document), .. }) => {
                        Ok(self.put(id, document.to_string().into_bytes(), false))
                    }
                    (None, _) => Err(EsError::missing_document(&id)),
                }
            }
        }
    }

    fn put(&mut self, id: String, source: Vec<u8>, is_there: bool) -> Done {
        self.present.insert(id.clone(), true);
        self.latest.insert(id.clone(), self.batch.len());
        self.batch.push(engine::WriteOperation::Put { id, source });
        if is_there { Done::Updated } else { Done::Created }
    }

    /// Returns the document of an id as it is after the operations before.
    async fn current(&self, id: &str) -> EsResult<Option<Value>> {
        match self.latest.get(id).and_then(|&place| self.batch.get(place)) {
            Some(engine::WriteOperation::Put { source, .. }) => parse_json(source)
                .map(Some)
                .map_err(|error| EsError::mapper(format!("the document is not JSON: {error}"))),
            _ => self.door.engine.document(self.index, id).await?.map(|document| value(&document)).transpose(),
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
