//! The cache of parsed and validated documents by their text: portals send the same texts with other variables.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use apollo_compiler::ast::{self, Definition, Document, OperationType, Selection};
use apollo_compiler::parser::{LineColumn, Parser};
use apollo_compiler::validation::{DiagnosticList, Valid};
use apollo_compiler::{ExecutableDocument, Name, Schema};
use moka::sync::Cache;

use super::limits::{DocumentLimits, check_limits};
use super::selection::{SelectedFields, SelectionShape, SharedSelections};
use crate::error::{GraphqlError, GraphqlErrorBody, GraphqlErrorCode};
use crate::output::{ConnectionOutput, JsonBytes};

/// The nesting of braces and brackets. A filter in the document takes three for each of its levels.
const MAX_NESTING: usize = 320;

const MAX_TOKENS: usize = 200_000;

/// The size of all cached documents of a schema.
const MAX_CACHED_BYTES: u64 = 32 << 20;

/// How many bytes a parsed document takes for each byte of its text, with what its requests share.
const PARSED_RATIO: usize = 96;

/// How many bytes the result of introspection has for each byte of the schema, at most.
const INTROSPECTION_RATIO: usize = 8;

/// The weight of a short document.
const MIN_WEIGHT_BYTES: usize = 256 * PARSED_RATIO;

/// The weight of a document with a large result: one of them is always cached.
const MAX_WEIGHT_BYTES: u32 = 16 << 20;

/// Longer documents are not cached: their filters should be variables.
const MAX_CACHED_TEXT_BYTES: usize = 64 << 10;

const MAX_REPORTED_ERRORS: usize = 20;

/// The arguments that are numbers with a fraction, or have such members.
const FLOAT_ARGUMENTS: [&str; 2] = ["ranges", "interval"];

/// The enum of the argument `type` of `saveSet`.
const DOCUMENT_TYPE: &str = "DocumentType";

/// The results of introspection fields, by key.
pub(crate) type IntrospectionResults = Arc<HashMap<String, JsonBytes>>;

/// A document that passed validation.
#[derive(Debug)]
pub(crate) struct ParsedDocument {
    pub(crate) document: Valid<ExecutableDocument>,
    /// The introspection results of the only operation, once they were computed.
    pub(crate) introspection: OnceLock<IntrospectionResults>,
    /// The selections that its requests share.
    pub(crate) selections: SharedSelections,
    /// What was compiled from some of them.
    connections: Mutex<HashMap<SelectionShape, Arc<ConnectionOutput>>>,
}

impl ParsedDocument {
    fn new(document: Valid<ExecutableDocument>) -> Self {
        Self {
            document,
            introspection: OnceLock::new(),
            selections: SharedSelections::default(),
            connections: Mutex::default(),
        }
    }

    /// Returns the page of records that a selection of this document describes, which is compiled unless it is known.
    ///
    /// # Errors
    ///
    /// That of the compiler.
    pub(crate) fn connection<E>(
        &self,
        selected: &SelectedFields,
        compile: impl FnOnce() -> Result<ConnectionOutput, E>,
    ) -> Result<Arc<ConnectionOutput>, E> {
        let Some(shape) = selected.shape() else { return compile().map(Arc::new) };
        let lock = || self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(&shape).cloned();
        known.map_or_else(
            || {
                let compiled = Arc::new(compile()?);
                lock().insert(shape, Arc::clone(&compiled));
                Ok(compiled)
            },
            Ok,
        )
    }
}

/// The document cache of one catalogue.
#[derive(Debug)]
pub(crate) struct QueryDocumentCache {
    limits: DocumentLimits,
    documents: Cache<Arc<str>, Arc<ParsedDocument>>,
}

impl QueryDocumentCache {
    pub(crate) fn new(max_aliases: usize, max_depth: usize, schema_bytes: usize) -> Self {
        let weigh = move |text: &Arc<str>, parsed: &Arc<ParsedDocument>| {
            // The result of introspection is cached with its document.
            let has_result = has_introspection(&parsed.document);
            let result = if has_result { schema_bytes.saturating_mul(INTROSPECTION_RATIO) } else { 0 };
            let bytes = text.len().saturating_mul(PARSED_RATIO).max(MIN_WEIGHT_BYTES).saturating_add(result);
            u32::try_from(bytes).unwrap_or(u32::MAX).min(MAX_WEIGHT_BYTES)
        };
        let documents = Cache::builder().max_capacity(MAX_CACHED_BYTES).weigher(weigh).build();
        Self { limits: DocumentLimits { max_aliases, max_depth }, documents }
    }

    /// Returns the document of a text.
    ///
    /// # Errors
    ///
    /// If it is not GraphQL, does not fit the schema or exceeds a limit.
    pub(crate) fn get(&self, schema: &Valid<Schema>, text: &str) -> Result<Arc<ParsedDocument>, GraphqlErrorBody> {
        if let Some(parsed) = self.documents.get(text) {
            return Ok(parsed);
        }
        let mut document = Parser::new()
            .recursion_limit(MAX_NESTING)
            .token_limit(MAX_TOKENS)
            .parse_ast(text, "request")
            .map_err(|failed| error_body(&failed.errors, GraphqlErrorCode::GraphqlParseFailed, &HashSet::new()))?;
        if document.definitions.is_empty() {
            let message = "Syntax Error: the document is empty; expected an operation such as `query { … }`.";
            return Err(GraphqlError::new(GraphqlErrorCode::GraphqlParseFailed, message).into());
        }
        check_limits(&document, self.limits).map_err(|errors| GraphqlErrorBody::of(&errors))?;
        accept_set_types_as_strings(&mut document);
        accept_integers_as_bounds(&mut document);
        let executable = document.to_executable_validate(schema).map_err(|failed| {
            error_body(&failed.errors, GraphqlErrorCode::GraphqlValidationFailed, &with_selections(&document))
        })?;
        let parsed = Arc::new(ParsedDocument::new(executable));
        if text.len() <= MAX_CACHED_TEXT_BYTES {
            self.documents.insert(text.into(), parsed.clone());
        }
        Ok(parsed)
    }
}

/// Returns whether an operation asks for the schema, of which the result may be large.
fn has_introspection(document: &ExecutableDocument) -> bool {
    let mut roots = document.operations.iter().flat_map(|operation| operation.root_fields(document));
    roots.any(|field| matches!(field.name.as_str(), "__schema" | "__type"))
}

/// Returns the response to an invalid document, in which these fields have selections.
fn error_body(
    errors: &DiagnosticList,
    code: GraphqlErrorCode,
    with_selections: &HashSet<LineColumn>,
) -> GraphqlErrorBody {
    let errors: Vec<GraphqlError> = errors
        .iter()
        .filter_map(|diagnostic| {
            let error = diagnostic.unstable_to_json_compat();
            // A field with only unknown fields in its selection is reported as one without a selection too, which is
            // misleading.
            let is_misleading = diagnostic.error.unstable_error_name() == Some("MissingSubselection")
                && error.locations.iter().any(|location| with_selections.contains(location));
            // Suggestions would reveal a schema whose introspection may be disabled.
            let message = error.message.split(" Did you mean").next().unwrap_or_default();
            (!is_misleading).then(|| GraphqlError::new(code, message).at_locations(error.locations))
        })
        .take(MAX_REPORTED_ERRORS)
        .collect();
    GraphqlErrorBody::of(&errors)
}

/// Returns the selections of all operations and fragments.
fn root_selections(document: &Document) -> Vec<&[Selection]> {
    let selections = document.definitions.iter().filter_map(|definition| match definition {
        Definition::OperationDefinition(operation) => Some(operation.selection_set.as_slice()),
        Definition::FragmentDefinition(fragment) => Some(fragment.selection_set.as_slice()),
        _ => None,
    });
    selections.collect()
}

/// Returns the locations of fields that have a selection.
fn with_selections(document: &Document) -> HashSet<LineColumn> {
    let mut locations = HashSet::new();
    let mut open = root_selections(document);
    while let Some(selections) = open.pop() {
        for selection in selections {
            match selection {
                Selection::Field(field) if !field.selection_set.is_empty() => {
                    locations.extend(field.location().and_then(|span| span.line_column(&document.sources)));
                    open.push(&field.selection_set);
                }
                Selection::InlineFragment(fragment) => open.push(&fragment.selection_set),
                Selection::Field(_) | Selection::FragmentSpread(_) => {}
            }
        }
    }
    locations
}

/// Accepts the argument `type` of `saveSet` as a string too, as portals send it, though the schema has an enum there: a
/// variable of type `String` becomes one of the enum, and a string literal an enum literal.
fn accept_set_types_as_strings(document: &mut Document) {
    for definition in &mut document.definitions {
        let Definition::OperationDefinition(operation) = definition else { continue };
        if operation.operation_type != OperationType::Mutation {
            continue;
        }
        let operation = operation.make_mut();
        for selection in &mut operation.selection_set {
            let ast::Selection::Field(field) = selection else { continue };
            if field.name != "saveSet" {
                continue;
            }
            for argument in field.make_mut().arguments.iter_mut().filter(|argument| argument.name == "type") {
                let value = &mut argument.make_mut().value;
                match &**value {
                    ast::Value::Variable(name) => {
                        for variable in operation.variables.iter_mut().filter(|variable| variable.name == *name) {
                            let declared = &mut variable.make_mut().ty;
                            if declared.inner_named_type() == "String" && !declared.is_list() {
                                *declared = enum_type(declared.is_non_null()).into();
                            }
                        }
                    }
                    ast::Value::String(text) => {
                        if let Ok(name) = apollo_compiler::Name::new(text) {
                            *value.make_mut() = ast::Value::Enum(name);
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Accepts variables of type `Int` as bounds of ranges and as intervals, which are `Float` here and `Int` in Arranger:
/// they become `Float`, unless they are used elsewhere too.
fn accept_integers_as_bounds(document: &mut Document) {
    let (mut bounds, mut others) = (HashSet::new(), HashSet::new());
    let mut open = root_selections(document);
    while let Some(selections) = open.pop() {
        for selection in selections {
            match selection {
                Selection::Field(field) => {
                    for argument in &field.arguments {
                        let is_bound = FLOAT_ARGUMENTS.contains(&argument.name.as_str());
                        add_variables(&argument.value, if is_bound { &mut bounds } else { &mut others });
                    }
                    open.push(&field.selection_set);
                }
                Selection::InlineFragment(fragment) => open.push(&fragment.selection_set),
                Selection::FragmentSpread(_) => {}
            }
        }
    }
    bounds.retain(|name| !others.contains(name));
    if bounds.is_empty() {
        return;
    }
    for definition in &mut document.definitions {
        let Definition::OperationDefinition(operation) = definition else { continue };
        for variable in operation.make_mut().variables.iter_mut().filter(|variable| bounds.contains(&variable.name)) {
            let float = Name::new_static_unchecked("Float");
            let float = match &*variable.ty {
                ast::Type::Named(name) if name.as_str() == "Int" => ast::Type::Named(float),
                ast::Type::NonNullNamed(name) if name.as_str() == "Int" => ast::Type::NonNullNamed(float),
                _ => continue,
            };
            variable.make_mut().ty = float.into();
        }
    }
}

fn add_variables(value: &ast::Value, names: &mut HashSet<Name>) {
    match value {
        ast::Value::Variable(name) => {
            names.insert(name.clone());
        }
        ast::Value::List(list) => list.iter().for_each(|value| add_variables(value, names)),
        ast::Value::Object(members) => members.iter().for_each(|(_, value)| add_variables(value, names)),
        _ => {}
    }
}

fn enum_type(is_non_null: bool) -> ast::Type {
    let name = apollo_compiler::Name::new_static_unchecked(DOCUMENT_TYPE);
    if is_non_null { ast::Type::NonNullNamed(name) } else { ast::Type::Named(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_documents_are_not_cached_and_results_count() {
        let schema = Schema::parse_and_validate("type Query { a: Int }", "schema.graphql").unwrap();
        let cache = QueryDocumentCache::new(10, 10, 1 << 20);
        let long = format!("#{}\n{{ a }}", "x".repeat(MAX_CACHED_TEXT_BYTES));
        for text in ["{ a }", &long] {
            cache.get(&schema, text).unwrap();
        }
        cache.documents.run_pending_tasks();
        assert_eq!((cache.documents.entry_count(), cache.documents.weighted_size()), (1, MIN_WEIGHT_BYTES as u64));
        for text in ["{ __schema { queryType { name } } }", "{ ... { t: __type (name: \"Query\") { name } } }"] {
            let cache = QueryDocumentCache::new(10, 10, 1 << 20);
            cache.get(&schema, text).unwrap();
            cache.documents.run_pending_tasks();
            assert!(cache.documents.weighted_size() > 8 << 20, "the result of introspection is not counted: {text}");
        }
    }
}
