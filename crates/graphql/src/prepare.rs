//! A request that may be run: what it selects, and which saved sets must be at hand to plan it.

use std::sync::Arc;

use apollo_compiler::executable::Operation;
use apollo_compiler::introspection;
use apollo_compiler::parser::SourceMap;
use apollo_compiler::request::RequestError;
use apollo_compiler::response::JsonMap;
use apollo_compiler::validation::Valid;
use cantata_engine::sets_used;

use crate::error::{Code, Error, ErrorBody};
use crate::output::Index;
use crate::plan::{self, PlanContext, Planned};
use crate::request::{Introspected, Parsed, Request, Selected, Selecting, cost};
use crate::schema::SchemaParts;

/// The fields that ask for the schema itself.
const INTROSPECTION: [&str; 2] = ["__schema", "__type"];

/// A request that may be run.
pub struct Prepared {
    pub(crate) schema: Arc<SchemaParts>,
    pub(crate) selected: Vec<Selected>,
    pub(crate) sources: SourceMap,
    pub(crate) is_mutation: bool,
    /// The answers to what is asked of the schema itself, by key.
    pub(crate) introspection: Introspected,
    sets_needed: Vec<String>,
}

impl Prepared {
    /// Returns whether the request changes something; such a request must not come by GET.
    pub fn is_mutation(&self) -> bool {
        self.is_mutation
    }

    /// Returns the ids of the saved sets that its filters name.
    pub fn sets_needed(&self) -> &[String] {
        &self.sets_needed
    }

    /// Plans the request: everything it asks for becomes plans for the engine and commands.
    pub fn plan(&self, context: &PlanContext<'_>) -> Planned {
        plan::plan(self, context)
    }
}

pub(crate) fn prepare(schema: &Arc<SchemaParts>, request: &Request) -> Result<Prepared, ErrorBody> {
    let parsed = schema.documents.get(&schema.schema, &request.query)?;
    let document = &parsed.document;
    let refused = |code: Code, error: &RequestError| {
        ErrorBody::from(Error::new(code, error.message().to_string()).at(error.location(), &document.sources))
    };
    let operation_name = request.operation_name.as_deref().filter(|name| !name.is_empty());
    let operation =
        document.operations.get(operation_name).map_err(|error| refused(Code::OperationResolutionFailure, &error))?;
    let mut selecting = Selecting::new(&schema.schema, document, operation, request.variables.as_ref())
        .map_err(|error| refused(Code::BadUserInput, &error))?;
    let selected = selecting.select(&operation.selection_set);
    let catalogue = &schema.side(Index::Records).catalogue;
    let (cost, max_cost) = (cost(&selected, catalogue.limits.max_results_window), catalogue.limits.max_cost);
    if cost > max_cost {
        let message = format!("Query cost limit exceeded: found a cost of {cost}, maximum allowed is {max_cost}.");
        return Err(Error::new(Code::GraphqlValidationFailed, message).into());
    }
    let introspection = match selected.iter().find(|field| INTROSPECTION.contains(&field.name.as_str())) {
        None => Arc::default(),
        Some(field) if catalogue.flags.disable_introspection => {
            let message =
                format!("GraphQL introspection is not allowed by this server, but the query contained {}.", field.name);
            let error = Error::new(Code::GraphqlValidationFailed, message);
            return Err(error.at(field.location, &document.sources).into());
        }
        Some(_) => introspect(schema, &parsed, operation, &selecting.variables)
            .map_err(|error| refused(Code::GraphqlValidationFailed, &error))?,
    };
    let mut found = Filters::default();
    found.visit(&selected);
    if found.any && catalogue.flags.disable_filters {
        return Err(ErrorBody::filters_disabled());
    }
    found.sets.sort_unstable();
    found.sets.dedup();
    Ok(Prepared {
        schema: schema.clone(),
        selected,
        sources: document.sources.clone(),
        is_mutation: operation.is_mutation(),
        introspection,
        sets_needed: found.sets,
    })
}

/// Answers what is asked of the schema itself; without variables the answer is kept with the document.
fn introspect(
    schema: &SchemaParts,
    parsed: &Parsed,
    operation: &Operation,
    variables: &Valid<JsonMap>,
) -> Result<Introspected, RequestError> {
    let can_be_kept = operation.variables.is_empty() && parsed.document.operations.len() == 1;
    if let Some(kept) = parsed.introspection.get().filter(|_| can_be_kept) {
        return Ok(kept.clone());
    }
    introspection::check_max_depth(&parsed.document, operation)?;
    let response =
        introspection::partial_execute(&schema.schema, &schema.implementers, &parsed.document, operation, variables)?;
    let data = response.data.unwrap_or_default();
    let answers: Introspected = Arc::new(
        data.iter().map(|(key, value)| (key.as_str().to_owned(), value.to_string().into_bytes().into())).collect(),
    );
    Ok(if can_be_kept { parsed.introspection.get_or_init(|| answers).clone() } else { answers })
}

/// What the filters of a request are about.
#[derive(Default)]
struct Filters {
    any: bool,
    sets: Vec<String>,
}

impl Filters {
    fn visit(&mut self, selected: &[Selected]) {
        for field in selected {
            match field.filter.as_deref().map(|filter| &filter.parsed) {
                Some(Ok(Some(sqon))) => {
                    self.any = true;
                    self.sets.extend(sets_used(sqon));
                }
                Some(Err(_)) => self.any = true,
                Some(Ok(None)) | None => {}
            }
            self.visit(&field.children);
        }
    }
}
