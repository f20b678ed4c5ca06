//! The writer: the response as JSON, written straight from the engine's answer without a tree of values in between.
//!
//! A page of records takes no allocation per record beyond the growth of the buffer, which is why the writer is
//! hand-written. A value that does not fit its GraphQL type is null and an error beside the data; it never fails the
//! page.

mod buckets;
mod connection;
mod document_values;
mod facet;
mod scalar;

use apollo_compiler::Name;
use cantata_engine::{ElementBudget, EngineError, LazyValueRef, SearchResponse};
use serde::Serialize;

pub(crate) use document_values::values_at;

use crate::error::{ErrorPathSegment, GraphqlError, GraphqlErrorCode};
use crate::network_question::NetworkAnswer;
use crate::output::{JsonSelection, MemberValue, Output, OutputMember, TargetIndex};
use crate::plan::PlannedRequest;
use crate::set_command::SetCommandOutcome;

const MAX_ERRORS: usize = 100;

/// The initial size of the buffer.
const INITIAL_CAPACITY_BYTES: usize = 8192;

/// The answer of an index without a plan.
static EMPTY_ANSWER: SearchResponse = SearchResponse { hits: Vec::new(), facets: Vec::new() };

/// The results of executing a plan.
#[derive(Debug, Default)]
pub struct PlanResults {
    /// Of [`PlannedRequest::records`].
    pub records: Option<Result<SearchResponse, EngineError>>,
    /// Of [`PlannedRequest::sets`].
    pub sets: Option<Result<SearchResponse, EngineError>>,
    /// Of [`PlannedRequest::commands`], in order.
    pub commands: Vec<SetCommandOutcome>,
    /// Of [`PlannedRequest::network`], in order.
    pub network: Vec<NetworkAnswer>,
}

/// The response to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphqlResponse {
    /// The JSON body.
    pub body: Vec<u8>,
    /// The dotted paths of fields that have lists in the documents but are not marked `isArray`, so that only their
    /// first value was written.
    pub truncated_fields: Vec<String>,
}

impl PlannedRequest {
    /// Writes the response body, whose status is 200.
    pub fn write(&self, results: &PlanResults) -> GraphqlResponse {
        self.write_unless(results, &|| false)
    }

    /// Writes the response body; stops soon after `is_cancelled`, which is asked while elements are selected. Then the
    /// response has no data, and nobody reads it.
    pub fn write_unless(&self, results: &PlanResults, is_cancelled: &dyn Fn() -> bool) -> GraphqlResponse {
        let mut writer = ResponseWriter {
            out: Vec::with_capacity(INITIAL_CAPACITY_BYTES),
            planned: self,
            results,
            errors: self.errors.clone(),
            slots: Vec::new(),
            path: Vec::new(),
            member: None,
            prefix: &[],
            score: None,
            truncated_fields: Vec::new(),
            limit: self.max_response_bytes,
            budget: ElementBudget::new(self.max_element_cost, is_cancelled),
            is_cancelled,
        };
        writer.out.extend_from_slice(b"{\"data\":");
        writer.object(&self.output, ResponseWriter::output);
        if writer.is_full() {
            writer.discard_data();
        }
        if !writer.errors.is_empty() {
            writer.out.extend_from_slice(b",\"errors\":");
            let errors = std::mem::take(&mut writer.errors);
            writer.json(&errors);
        }
        writer.out.extend_from_slice(b"}\n");
        let truncated_fields = writer.truncated_fields.into_iter().map(str::to_owned).collect();
        GraphqlResponse { body: writer.out, truncated_fields }
    }
}

/// A segment of the path to the current value.
#[derive(Debug, Clone, Copy)]
enum PathSegment<'a> {
    Key(&'a Name),
    Index(usize),
}

struct ResponseWriter<'a> {
    out: Vec<u8>,
    planned: &'a PlannedRequest,
    results: &'a PlanResults,
    errors: Vec<GraphqlError>,
    /// The selected members of the current objects, those of the innermost last.
    slots: Vec<Option<LazyValueRef<'a>>>,
    /// The path to the current object or list.
    path: Vec<PathSegment<'a>>,
    /// The member of the current object that is being written.
    member: Option<&'a Name>,
    /// The path of the record in the current documents.
    prefix: &'a [String],
    /// The score of the current record, which its elements have too.
    score: Option<f32>,
    truncated_fields: Vec<&'a str>,
    /// The limit of the response in bytes; 0 once the rest is not to be written.
    limit: usize,
    /// For the filters and sort keys of nested elements.
    budget: ElementBudget<'a>,
    is_cancelled: &'a dyn Fn() -> bool,
}

impl<'a> ResponseWriter<'a> {
    /// Writes an object; `write` writes the members that are not known yet.
    fn object<T>(&mut self, members: &'a [OutputMember<T>], mut write: impl FnMut(&mut Self, &'a T)) {
        if self.is_full() {
            return;
        }
        let depth = self.enter_member();
        self.out.push(b'{');
        for (index, member) in members.iter().enumerate() {
            self.out.extend_from_slice(if index == 0 { &member.key[1..] } else { &member.key });
            self.member = Some(&member.name);
            match &member.value {
                MemberValue::Ready(bytes) => self.out.extend_from_slice(bytes),
                MemberValue::Computed(value) => write(self, value),
            }
        }
        self.out.push(b'}');
        self.path.truncate(depth);
    }

    /// Returns whether the response exceeds its limit; then nothing more is written, and the data is discarded.
    fn is_full(&self) -> bool {
        self.out.len() > self.limit
    }

    fn discard_data(&mut self) {
        self.out.truncate(b"{\"data\":".len());
        self.null();
        let (limit, max_cost) = (self.planned.max_response_bytes, self.planned.max_cost);
        let error = if self.budget.is_exceeded() {
            let message = format!(
                "Query cost limit exceeded: found a cost of more than {max_cost} with the filters and sort keys of \
                 nested elements, maximum allowed is {max_cost}."
            );
            GraphqlError::new(GraphqlErrorCode::GraphqlValidationFailed, message)
        } else {
            let message =
                format!("The answer would have more than {limit} bytes; ask for fewer records, fields or buckets");
            GraphqlError::new(GraphqlErrorCode::BadUserInput, message)
        };
        self.errors = vec![error];
    }

    /// Enters the value of the current member, and returns the length to truncate the path to afterwards.
    fn enter_member(&mut self) -> usize {
        let depth = self.path.len();
        self.path.extend(self.member.take().map(PathSegment::Key));
        depth
    }

    fn output(&mut self, output: &'a Output) {
        match output {
            Output::Object(members) => self.object(members, Self::output),
            Output::Hits(hits) => match self.enter_index(hits.index) {
                Ok(answer) => match answer.hits.get(hits.page) {
                    Some(page) => self.page(hits, page),
                    None => self.fail_engine(&hits.path, &incomplete_answer()),
                },
                Err(error) => self.fail_engine(&hits.path, &error),
            },
            Output::Facets { index, members, path } => match self.enter_index(*index) {
                Ok(_) => self.object(members, Self::facet),
                Err(error) => self.fail_engine(path, &error),
            },
            Output::Command { index, selection, path } => self.command(*index, selection, path),
            Output::Network { index, selection, path } => match self.results.network.get(*index) {
                Some(Ok(answer)) => self.json(&JsonSelection::pick(selection, answer)),
                Some(Err(error)) => self.fail(path.clone(), GraphqlErrorCode::BadUserInput, error.to_string()),
                None => self.fail_engine(path, &incomplete_answer()),
            },
        }
    }

    /// Switches to the answer of an index.
    fn enter_index(&mut self, index: TargetIndex) -> Result<&'a SearchResponse, EngineError> {
        self.prefix = match index {
            TargetIndex::Records => &self.planned.prefix,
            TargetIndex::Sets => &[],
        };
        self.answer(index)
    }

    fn answer(&self, index: TargetIndex) -> Result<&'a SearchResponse, EngineError> {
        let answer = match index {
            TargetIndex::Records => &self.results.records,
            TargetIndex::Sets => &self.results.sets,
        };
        match answer {
            Some(Ok(answer)) => Ok(answer),
            Some(Err(error)) => Err(error.clone()),
            // A page or facet that is missing here is reported where it is written.
            None => Ok(&EMPTY_ANSWER),
        }
    }

    fn command(&mut self, index: usize, selection: &[JsonSelection], path: &[ErrorPathSegment]) {
        match self.results.commands.get(index) {
            Some(SetCommandOutcome::Set(set)) => self.json(&JsonSelection::pick(selection, set)),
            Some(SetCommandOutcome::Deleted(deleted)) => self.json(deleted),
            Some(SetCommandOutcome::Failed { code, message }) => self.fail(path.to_vec(), *code, message.clone()),
            None => self.fail_engine(path, &incomplete_answer()),
        }
    }

    fn json(&mut self, value: &impl Serialize) {
        // Writing to memory cannot fail.
        serde_json::to_writer(&mut self.out, value).ok();
    }

    fn null(&mut self) {
        self.out.extend_from_slice(b"null");
    }

    fn fail_engine(&mut self, path: &[ErrorPathSegment], error: &EngineError) {
        self.fail(path.to_vec(), GraphqlErrorCode::of(error), error.client_message());
    }

    /// Writes null and records an error.
    fn fail(&mut self, path: Vec<ErrorPathSegment>, code: GraphqlErrorCode, message: String) {
        self.null();
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(GraphqlError::new(code, message).of_field(path));
        }
    }

    /// Writes null for the current value and records an error.
    fn fail_here(&mut self, message: impl FnOnce() -> String) {
        if self.errors.len() >= MAX_ERRORS {
            return self.null();
        }
        let path = self.path.iter().copied().chain(self.member.map(PathSegment::Key)).map(|segment| match segment {
            PathSegment::Key(name) => ErrorPathSegment::Key(name.to_string()),
            PathSegment::Index(index) => ErrorPathSegment::Index(index),
        });
        let path = path.collect();
        self.fail(path, GraphqlErrorCode::InternalServerError, message());
    }
}

fn incomplete_answer() -> EngineError {
    EngineError::Failed("the answer is incomplete".to_owned())
}
