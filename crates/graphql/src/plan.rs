//! The planner: from the selected fields of a request to engine plans, commands and the shape of the response.
//!
//! Every `hits` and `aggregations` of a request, whatever their aliases, adds its pages and facets to the one plan of
//! its index. An error in a field is recorded with its path and the field is null; the rest is planned nevertheless.
//! Hand-written, since executors of GraphQL libraries resolve field by field and cannot merge a request into one search.

mod aggregations;
mod arguments;
mod buckets;
mod configs;
mod filters;
mod hits;
mod mutation;
mod network;
mod node;
mod prefix;
mod records_query;
mod sort;
mod suppression;

use std::collections::HashMap;
use std::sync::Arc;

use cantata_catalogue::CatalogueView;
use cantata_engine::{FacetFilter, FacetRequest, SavedSets, ScoreRequest, SearchPlan};
use cantata_mapping::UtcDateTime;

use crate::error::{ErrorPathSegment, GraphqlError, GraphqlErrorCode};
use crate::network_question::NetworkQuestion;
use crate::output::{JsonBytes, MemberValue, Output, OutputMember, TargetIndex};
use crate::prepared_request::PreparedRequest;
use crate::request::SelectedField;
use crate::schema::CompiledSchema;
use crate::set_command::SetCommand;
use filters::{FilterCompiler, ValidatedFilter};
pub use records_query::RecordsQuery;

/// What a plan depends on besides the request.
#[derive(Clone, Copy)]
pub struct PlanContext<'a> {
    /// The moment of `now` in filters.
    pub now: UtcDateTime,
    /// The saved sets that the request needs.
    pub sets: &'a SavedSets,
    /// The view of the client. Its filter over records holds for everything, facets on the filtered fields included;
    /// hidden fields are not part of the schema already.
    pub view: &'a CatalogueView,
}

/// What to execute, and how to write the response.
#[derive(Debug)]
pub struct PlannedRequest {
    /// The plan for the index of the records; `None` if it is not needed.
    pub records: Option<SearchPlan>,
    /// The plan for the index of the saved sets; `None` if it is not needed.
    pub sets: Option<SearchPlan>,
    /// The mutations, in order.
    pub commands: Vec<SetCommand>,
    /// The questions to the network of the catalogue.
    pub network: Vec<NetworkQuestion>,
    pub(crate) output: Vec<OutputMember<Output>>,
    pub(crate) errors: Vec<GraphqlError>,
    /// The path of the record in its document.
    pub(crate) prefix: Vec<String>,
    pub(crate) max_response_bytes: usize,
    pub(crate) max_cost: u64,
    /// What filters and sort keys of nested elements may cost.
    pub(crate) max_element_cost: u64,
}

impl PlannedRequest {
    /// Returns whether nested elements are filtered or sorted, which is done while the response is written and may take
    /// long.
    pub fn selects_elements(&self) -> bool {
        self.output.iter().filter_map(OutputMember::computed).any(Output::selects_elements)
    }
}

pub(crate) fn plan(prepared: &PreparedRequest, context: &PlanContext<'_>) -> PlannedRequest {
    let mut planner = Planner {
        prepared,
        schema: &prepared.schema,
        view: context.view,
        records: IndexPlan::new(&prepared.schema, TargetIndex::Records, context),
        sets: IndexPlan::new(&prepared.schema, TargetIndex::Sets, context),
        commands: Vec::new(),
        network: Vec::new(),
        errors: Vec::new(),
        path: Vec::new(),
    };
    let output = planner.members(&prepared.selected, Planner::root_field);
    let catalogue = &prepared.schema.index_schema(TargetIndex::Records).catalogue;
    let prefix = &catalogue.source_prefix;
    let Planner { mut records, sets, mut commands, network, errors, .. } = planner;
    prefix::add(prefix, &mut records.plan, &mut commands);
    let used = |plan: SearchPlan| (!plan.hits.is_empty() || !plan.facets.is_empty()).then_some(plan);
    PlannedRequest {
        records: used(records.plan),
        sets: used(sets.plan),
        commands,
        network,
        output,
        errors,
        prefix: prefix.split('.').filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        max_response_bytes: usize::try_from(catalogue.limits.max_response_bytes).unwrap_or(usize::MAX),
        max_cost: catalogue.limits.max_cost,
        max_element_cost: catalogue.limits.max_cost.saturating_sub(prepared.cost),
    }
}

/// Why a field or a query cannot be planned, in words for the client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PlanError(String);

impl<T: Into<String>> From<T> for PlanError {
    fn from(message: T) -> Self {
        Self(message.into())
    }
}

/// The plan for one index while it is built.
struct IndexPlan<'p> {
    plan: SearchPlan,
    filters: FilterCompiler<'p>,
    /// The indexes in `plan.filters` by the address of the filter, which `filters` keeps alive.
    planned: HashMap<*const ValidatedFilter, usize>,
}

impl<'p> IndexPlan<'p> {
    fn new(schema: &'p CompiledSchema, index: TargetIndex, context: &PlanContext<'p>) -> Self {
        let filters = match index {
            TargetIndex::Records => FilterCompiler::for_records(&schema.index_schema(index).catalogue, context),
            TargetIndex::Sets => FilterCompiler::for_sets(schema, context),
        };
        Self { plan: SearchPlan::default(), filters, planned: HashMap::new() }
    }

    /// Adds a filter over records and returns its index.
    fn add_filter(&mut self, filter: &Arc<ValidatedFilter>) -> Result<usize, PlanError> {
        if let Some(index) = self.planned.get(&Arc::as_ptr(filter)) {
            return Ok(*index);
        }
        let index = self.plan.add_filter(self.filters.compile(filter)?);
        self.planned.insert(Arc::as_ptr(filter), index);
        Ok(index)
    }

    /// Adds what scores the records of a filter.
    ///
    /// Only the conditions of the client score, and only records that it may see are counted: a score must not tell what
    /// others have, nor depend on the rules of access.
    fn add_score(&mut self, filter: &ValidatedFilter) -> Result<ScoreRequest, PlanError> {
        let query = self.plan.add_filter(self.filters.compile_wanted(filter)?);
        Ok(ScoreRequest { query, within: self.plan.add_filter(self.filters.visible().clone()) })
    }

    /// Adds the filter over records of a facet, and returns the facet with its filters and nothing else.
    fn add_facet_filter(
        &mut self,
        filter: &Arc<ValidatedFilter>,
        field: &str,
        filters_itself: bool,
    ) -> Result<FacetRequest, PlanError> {
        let (filter, elements, ancestors) = if filters_itself || !self.filters.is_tested(filter, field) {
            let (elements, ancestors) = self.filters.compile_elements(filter, field)?;
            (self.add_filter(filter)?, elements, ancestors)
        } else {
            let FacetFilter { records, elements, ancestors } = self.filters.compile_facet(filter, field, false)?;
            (self.plan.add_filter(records), elements, ancestors)
        };
        Ok(FacetRequest { field: field.to_owned(), filter, elements, ancestors, ..FacetRequest::default() })
    }
}

struct Planner<'p> {
    prepared: &'p PreparedRequest,
    view: &'p CatalogueView,
    schema: &'p CompiledSchema,
    records: IndexPlan<'p>,
    sets: IndexPlan<'p>,
    commands: Vec<SetCommand>,
    network: Vec<NetworkQuestion>,
    errors: Vec<GraphqlError>,
    path: Vec<ErrorPathSegment>,
}

impl<'p> Planner<'p> {
    /// Compiles the members of an object; one with an error is null.
    fn members<T>(
        &mut self,
        selected: &'p [SelectedField],
        mut compile: impl FnMut(&mut Self, &'p SelectedField) -> Result<MemberValue<T>, PlanError>,
    ) -> Vec<OutputMember<T>> {
        let mut members = Vec::with_capacity(selected.len());
        for field in selected {
            self.path.push(ErrorPathSegment::Key(field.key.to_string()));
            let value = match field.name.as_str() {
                "__typename" => Ok(MemberValue::name(&field.on)),
                _ => compile(self, field),
            };
            let value = value.unwrap_or_else(|PlanError(message)| {
                self.fail(field, message);
                MemberValue::null()
            });
            self.path.pop();
            members.push(OutputMember::new(&field.key, value));
        }
        members
    }

    /// Records an error of a field.
    fn fail(&mut self, field: &SelectedField, message: impl Into<String>) {
        let error = GraphqlError::new(GraphqlErrorCode::BadUserInput, message);
        self.errors.push(error.at(field.location, &self.prepared.parsed.document.sources).of_field(self.path.clone()));
    }

    /// Returns whether records are shown, rather than counts only.
    fn shows_records(&self, index: TargetIndex) -> bool {
        index == TargetIndex::Sets || self.view.suppression_threshold.is_none()
    }

    fn index_plan(&mut self, index: TargetIndex) -> &mut IndexPlan<'p> {
        match index {
            TargetIndex::Records => &mut self.records,
            TargetIndex::Sets => &mut self.sets,
        }
    }

    fn root_field(&mut self, field: &'p SelectedField) -> Result<MemberValue<Output>, PlanError> {
        let catalogue = &self.schema.index_schema(TargetIndex::Records).catalogue;
        let members = match field.name.as_str() {
            _ if self.prepared.is_mutation => return self.mutation(field).map(MemberValue::Computed),
            "hasValidConfig" => return self.has_valid_config(field).map(MemberValue::Ready),
            "network" => return self.network(field).map(MemberValue::Computed),
            "viewer" => self.members(&field.children, Self::root_field),
            "sets" if !catalogue.flags.enable_sets => return Err(SETS_DISABLED.into()),
            "sets" if self.view.suppression_threshold.is_some() => return Err(suppression::NO_SETS_ERROR.into()),
            "sets" => self.catalogue_fields(TargetIndex::Sets, field),
            name if name == catalogue.document_type => self.catalogue_fields(TargetIndex::Records, field),
            // Introspection was executed when the request was prepared; `node` and `query` are always null.
            _ => {
                let answer = self.prepared.introspection.get(field.key.as_str());
                return Ok(answer.map_or_else(MemberValue::null, |answer| MemberValue::Ready(answer.clone())));
            }
        };
        Ok(MemberValue::Computed(Output::Object(members)))
    }

    fn catalogue_fields(&mut self, index: TargetIndex, field: &'p SelectedField) -> Vec<OutputMember<Output>> {
        let schema = self.schema.index_schema(index);
        self.members(&field.children, |planner, field| match field.name.as_str() {
            "hits" => planner.hits(index, field).map(MemberValue::Computed),
            "aggregations" => planner.aggregations(index, field).map(MemberValue::Computed),
            "configs" => Ok(MemberValue::Ready(configs::configs(schema, field))),
            _ => Ok(MemberValue::Ready(schema.mapping.clone())),
        })
    }

    fn has_valid_config(&mut self, field: &SelectedField) -> Result<JsonBytes, PlanError> {
        let catalogue = &self.schema.index_schema(TargetIndex::Records).catalogue;
        let document_type = arguments::text(field, "documentType").unwrap_or_default();
        let index = arguments::text(field, "index").unwrap_or_default();
        if document_type.is_empty() {
            return Err("This endpoint requires a \"Document Type\"".into());
        }
        if index.is_empty() {
            return Err("This endpoint requires an \"Index\"".into());
        }
        if document_type != catalogue.document_type {
            return Err(format!("No index was found by the name/alias {index:?}").into());
        }
        Ok(json_bytes(&(index == catalogue.index).into()))
    }
}

/// The error where saved sets are disabled.
const SETS_DISABLED: &str =
    "saved sets are switched off for this catalogue; `enableSets` in base.json switches them on";

/// Serialises a value.
fn json_bytes(value: &serde_json::Value) -> JsonBytes {
    value.to_string().into_bytes().into()
}

/// Compiles the members of an object that cannot fail one by one; `None` is written as null.
fn compile_members<T>(
    selected: &[SelectedField],
    mut compile: impl FnMut(&SelectedField) -> Result<Option<T>, PlanError>,
) -> Result<Vec<OutputMember<T>>, PlanError> {
    let member = |field: &SelectedField| {
        let value = match field.name.as_str() {
            "__typename" => MemberValue::name(&field.on),
            _ => compile(field)?.map_or_else(MemberValue::null, MemberValue::Computed),
        };
        Ok(OutputMember::new(&field.key, value))
    };
    selected.iter().map(member).collect()
}
