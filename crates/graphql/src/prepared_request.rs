//! A request that passed validation: its selected fields, and the saved sets that planning needs.

use std::sync::Arc;

use apollo_compiler::executable::Operation;
use apollo_compiler::introspection;
use apollo_compiler::request::RequestError;
use apollo_compiler::response::JsonMap;
use apollo_compiler::validation::Valid;
use cantata_engine::saved_set_ids;

use crate::error::{GraphqlError, GraphqlErrorBody, GraphqlErrorCode};
use crate::output::TargetIndex;
use crate::plan::{self, PlanContext, PlannedRequest};
use crate::request::{
    FieldCollector, GraphqlRequest, IntrospectionResults, ParsedDocument, SelectedField, estimate_cost,
};
use crate::schema::CompiledSchema;

/// The introspection fields.
const INTROSPECTION_FIELDS: [&str; 2] = ["__schema", "__type"];

/// A request that passed validation.
pub struct PreparedRequest {
    pub(crate) schema: Arc<CompiledSchema>,
    pub(crate) selected: Vec<SelectedField>,
    pub(crate) parsed: Arc<ParsedDocument>,
    pub(crate) is_mutation: bool,
    /// The results of introspection fields, by key.
    pub(crate) introspection: IntrospectionResults,
    /// What it costs, as far as that is known before the search.
    pub(crate) cost: u64,
    sets_needed: Vec<String>,
}

impl PreparedRequest {
    /// Returns whether the request is a mutation, which must not come by GET.
    pub fn is_mutation(&self) -> bool {
        self.is_mutation
    }

    /// Returns the ids of the saved sets in its filters.
    pub fn sets_needed(&self) -> &[String] {
        &self.sets_needed
    }

    /// Plans the request.
    pub fn plan(&self, context: &PlanContext<'_>) -> PlannedRequest {
        plan::plan(self, context)
    }
}

pub(crate) fn prepare(
    schema: &Arc<CompiledSchema>,
    request: &GraphqlRequest,
) -> Result<PreparedRequest, GraphqlErrorBody> {
    let parsed = schema.documents.get(&schema.schema, &request.query)?;
    let document = &parsed.document;
    let reject = |code: GraphqlErrorCode, error: &RequestError| {
        GraphqlErrorBody::from(
            GraphqlError::new(code, error.message().to_string()).at(error.location(), &document.sources),
        )
    };
    let operation_name = request.operation_name.as_deref().filter(|name| !name.is_empty());
    let operation = document
        .operations
        .get(operation_name)
        .map_err(|error| reject(GraphqlErrorCode::OperationResolutionFailure, &error))?;
    let mut collector =
        FieldCollector::new(&schema.schema, document, &parsed.selections, operation, request.variables.as_ref())
            .map_err(|error| reject(GraphqlErrorCode::BadUserInput, &error))?;
    let selected = collector.collect(&operation.selection_set);
    let catalogue = &schema.index_schema(TargetIndex::Records).catalogue;
    let (cost, max_cost) = (estimate_cost(&selected, catalogue.limits.max_results_window), catalogue.limits.max_cost);
    if cost > max_cost {
        let message = format!("Query cost limit exceeded: found a cost of {cost}, maximum allowed is {max_cost}.");
        return Err(GraphqlError::new(GraphqlErrorCode::GraphqlValidationFailed, message).into());
    }
    let introspection = match selected.iter().find(|field| INTROSPECTION_FIELDS.contains(&field.name.as_str())) {
        None => Arc::default(),
        Some(field) if catalogue.flags.disable_introspection => {
            let message =
                format!("GraphQL introspection is not allowed by this server, but the query contained {}.", field.name);
            let error = GraphqlError::new(GraphqlErrorCode::GraphqlValidationFailed, message);
            return Err(error.at(field.location, &document.sources).into());
        }
        Some(_) => introspect(schema, &parsed, operation, &collector.variables)
            .map_err(|error| reject(GraphqlErrorCode::GraphqlValidationFailed, &error))?,
    };
    let mut filters = FilterUsage::default();
    filters.visit(&selected);
    if filters.any && catalogue.flags.disable_filters {
        return Err(GraphqlErrorBody::filters_disabled());
    }
    filters.sets.sort_unstable();
    filters.sets.dedup();
    let is_mutation = operation.is_mutation();
    Ok(PreparedRequest {
        schema: schema.clone(),
        selected,
        parsed,
        is_mutation,
        introspection,
        cost,
        sets_needed: filters.sets,
    })
}

/// Executes introspection; without variables the result is cached with the document.
fn introspect(
    schema: &CompiledSchema,
    parsed: &ParsedDocument,
    operation: &Operation,
    variables: &Valid<JsonMap>,
) -> Result<IntrospectionResults, RequestError> {
    let is_cacheable = operation.variables.is_empty() && parsed.document.operations.len() == 1;
    if let Some(cached) = parsed.introspection.get().filter(|_| is_cacheable) {
        return Ok(cached.clone());
    }
    introspection::check_max_depth(&parsed.document, operation)?;
    let response =
        introspection::partial_execute(&schema.schema, &schema.implementers, &parsed.document, operation, variables)?;
    let data = response.data.unwrap_or_default();
    let results: IntrospectionResults = Arc::new(
        data.iter().map(|(key, value)| (key.as_str().to_owned(), value.to_string().into_bytes().into())).collect(),
    );
    Ok(if is_cacheable { parsed.introspection.get_or_init(|| results).clone() } else { results })
}

/// Whether a request has filters, and the saved sets that they use.
#[derive(Default)]
struct FilterUsage {
    any: bool,
    sets: Vec<String>,
}

impl FilterUsage {
    fn visit(&mut self, selected: &[SelectedField]) {
        for field in selected {
            match field.filter.as_deref().map(|filter| &filter.parsed) {
                Some(Ok(Some(sqon))) => {
                    self.any = true;
                    self.sets.extend(saved_set_ids(sqon));
                }
                Some(Err(_)) => self.any = true,
                Some(Ok(None)) | None => {}
            }
            self.visit(&field.children);
        }
    }
}
