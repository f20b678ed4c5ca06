//! Documents that were parsed, checked and validated, kept by their text: portals send the same texts over and over
//! with other variables.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use apollo_compiler::ast::{self, Definition, Document, OperationType, Selection};
use apollo_compiler::parser::{LineColumn, Parser};
use apollo_compiler::validation::{DiagnosticList, Valid};
use apollo_compiler::{ExecutableDocument, Schema};
use moka::sync::Cache;

use super::limits::{self, QueryLimits};
use crate::error::{Code, Error, ErrorBody};
use crate::output::Ready;

/// How many braces, brackets and the like may lie within each other. A filter written in the document takes three for
/// each of its levels.
const MAX_NESTING: usize = 320;

/// How many words and signs a document may have.
const MAX_TOKENS: usize = 200_000;

/// How many bytes of document texts are kept at most; what is made of a text takes many times as much.
const KEPT_BYTES: u64 = 1 << 20;

/// What the shortest text counts as.
const LEAST_BYTES: usize = 512;

/// How many errors of one document are reported.
const REPORTED_ERRORS: usize = 20;

/// The enum that the type of a set is of.
const DOCUMENT_TYPE: &str = "DocumentType";

/// What was asked of the schema itself, by key.
pub(crate) type Introspected = Arc<HashMap<String, Ready>>;

/// A document that may be run.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) document: Valid<ExecutableDocument>,
    /// What the only operation asks of the schema itself, once it was asked.
    pub(crate) introspection: OnceLock<Introspected>,
}

/// The documents of one catalogue.
#[derive(Debug)]
pub(crate) struct Documents {
    limits: QueryLimits,
    kept: Cache<Arc<str>, Arc<Parsed>>,
}

impl Documents {
    pub(crate) fn new(max_aliases: usize, max_depth: usize) -> Self {
        let weigh = |text: &Arc<str>, _: &Arc<Parsed>| u32::try_from(text.len().max(LEAST_BYTES)).unwrap_or(u32::MAX);
        let kept = Cache::builder().max_capacity(KEPT_BYTES).weigher(weigh).build();
        Self { limits: QueryLimits { max_aliases, max_depth }, kept }
    }

    /// Returns the document of a text.
    ///
    /// # Errors
    ///
    /// If it is not GraphQL, does not fit the schema or is beyond a limit.
    pub(crate) fn get(&self, schema: &Valid<Schema>, text: &str) -> Result<Arc<Parsed>, ErrorBody> {
        if let Some(parsed) = self.kept.get(text) {
            return Ok(parsed);
        }
        let mut document = Parser::new()
            .recursion_limit(MAX_NESTING)
            .token_limit(MAX_TOKENS)
            .parse_ast(text, "request")
            .map_err(|failed| body_of(&failed.errors, Code::GraphqlParseFailed, &HashSet::new()))?;
        if document.definitions.is_empty() {
            let message = "Syntax Error: the document is empty; expected an operation such as `query { … }`.";
            return Err(Error::new(Code::GraphqlParseFailed, message).into());
        }
        limits::check(&document, self.limits).map_err(|errors| ErrorBody::of(&errors))?;
        admit_set_types_as_strings(&mut document);
        let executable = document
            .to_executable_validate(schema)
            .map_err(|failed| body_of(&failed.errors, Code::GraphqlValidationFailed, &with_selections(&document)))?;
        let parsed = Arc::new(Parsed { document: executable, introspection: OnceLock::new() });
        self.kept.insert(text.into(), parsed.clone());
        Ok(parsed)
    }
}

/// Returns the answer to a faulty document, in which these fields have selections.
fn body_of(errors: &DiagnosticList, code: Code, with_selections: &HashSet<LineColumn>) -> ErrorBody {
    let errors: Vec<Error> = errors
        .iter()
        .filter_map(|diagnostic| {
            let error = diagnostic.unstable_to_json_compat();
            // A field of which nothing is selected but unknown fields counts as one without a selection, too; that
            // would be told first, and is not what is wrong.
            let is_misleading = diagnostic.error.unstable_error_name() == Some("MissingSubselection")
                && error.locations.iter().any(|place| with_selections.contains(place));
            // A guess at what was meant would tell of a schema that may not be asked for.
            let message = error.message.split(" Did you mean").next().unwrap_or_default();
            (!is_misleading).then(|| Error::new(code, message).at_places(error.locations))
        })
        .take(REPORTED_ERRORS)
        .collect();
    ErrorBody::of(&errors)
}

/// Returns where the fields begin that have a selection.
fn with_selections(document: &Document) -> HashSet<LineColumn> {
    let mut places = HashSet::new();
    let mut open: Vec<&[Selection]> = Vec::new();
    for definition in &document.definitions {
        match definition {
            Definition::OperationDefinition(operation) => open.push(&operation.selection_set),
            Definition::FragmentDefinition(fragment) => open.push(&fragment.selection_set),
            _ => {}
        }
    }
    while let Some(selections) = open.pop() {
        for selection in selections {
            match selection {
                Selection::Field(field) if !field.selection_set.is_empty() => {
                    places.extend(field.location().and_then(|span| span.line_column(&document.sources)));
                    open.push(&field.selection_set);
                }
                Selection::InlineFragment(fragment) => open.push(&fragment.selection_set),
                Selection::Field(_) | Selection::FragmentSpread(_) => {}
            }
        }
    }
    places
}

/// Lets the type of a set that is to be saved be given as a string too, as portals do, though the schema has an enum
/// there: a variable of type `String` becomes one of the enum, and a string literal an enum literal.
fn admit_set_types_as_strings(document: &mut Document) {
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

fn enum_type(is_non_null: bool) -> ast::Type {
    let name = apollo_compiler::Name::new_static_unchecked(DOCUMENT_TYPE);
    if is_non_null { ast::Type::NonNullNamed(name) } else { ast::Type::Named(name) }
}
