//! Builds a GraphQL query, and unwraps its response.
//!
//! The document has only names of the catalogue's field tree; everything that the caller gives is a variable.

mod field_selection;

use cantata_catalogue::{AggregationField, AggregationKind, Catalogue};
use cantata_graphql::GraphqlRequest;
use cantata_search::ServedCatalogue;
use cantata_sqon::{FieldLookup, Sqon};
use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::tool_result::ToolError;
use field_selection::FieldSelection;

/// The operation name, which is that of Arranger's MCP server.
const OPERATION_NAME: &str = "ArrangerMcpExecuteQuery";

/// How many values of a field are listed; `bucket_count` has their number.
pub(crate) const MAX_BUCKETS: usize = 1_000;

/// What a sort key names to sort by relevance.
const SCORE: &str = "_score";

/// A sort key.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(crate) struct SortArgument {
    /// The dotted name of a field, from get_catalogue_fields, or _score: how well a record matches the texts of the filter
    field_name: String,
    /// Smallest or largest first
    #[serde(default, skip_serializing_if = "Option::is_none")]
    order: Option<SortOrderArgument>,
    /// Which of several values counts
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode: Option<SortModeArgument>,
    /// Where records without a value stand
    #[serde(default, skip_serializing_if = "Option::is_none")]
    missing: Option<MissingArgument>,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(crate = "rmcp::schemars")]
enum SortOrderArgument {
    Asc,
    Desc,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(crate = "rmcp::schemars")]
enum SortModeArgument {
    Avg,
    Max,
    Min,
    Sum,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(crate = "rmcp::schemars")]
enum MissingArgument {
    First,
    Last,
}

/// A query that is being built.
pub(crate) struct QueryBuilder<'c> {
    catalogue: &'c Catalogue,
    variables: Map<String, Value>,
    /// The selection of the root field.
    selected: String,
    nodes: FieldSelection<'c>,
    shows_hits: bool,
}

impl<'c> QueryBuilder<'c> {
    /// Begins a query with a filter.
    pub(crate) fn new(catalogue: &'c Catalogue, filter: Option<&Sqon>) -> Self {
        let mut variables = Map::new();
        if let Some(filter) = filter {
            variables.insert("filters".to_owned(), filter.to_json());
        }
        Self { catalogue, variables, selected: String::new(), nodes: FieldSelection::default(), shows_hits: false }
    }

    /// Adds a page of records.
    pub(crate) fn hits(
        &mut self,
        fields: &[String],
        first: u64,
        offset: u64,
        sort: &[SortArgument],
        problems: &mut Vec<String>,
    ) {
        for field in fields {
            if let Err(error) = self.nodes.add(self.catalogue, field) {
                problems.push(error.to_string());
            }
        }
        let is_unknown = |name: &str| name != SCORE && self.catalogue.field(name).is_none();
        let unknown = sort.iter().filter(|sort| is_unknown(&sort.field_name));
        problems.extend(unknown.map(|sort| unknown_field("sort", &sort.field_name)));
        self.shows_hits = !self.nodes.is_empty();
        // An empty page still has the total.
        let first = if self.shows_hits { first } else { 0 };
        self.variables.insert("first".to_owned(), first.into());
        self.variables.insert("offset".to_owned(), offset.into());
        let sort = serde_json::to_value(sort).unwrap_or_default();
        self.variables.insert("sort".to_owned(), sort);
        self.selected.push_str("hits(filters: $filters, first: $first, offset: $offset, sort: $sort) { total");
        if self.shows_hits {
            self.selected.push_str(" edges { node { ");
            self.nodes.write(&mut self.selected);
            self.selected.push_str("} }");
        }
        self.selected.push_str(" } ");
    }

    /// Adds aggregations of fields.
    pub(crate) fn aggregations(
        &mut self,
        fields: &[String],
        include_missing: bool,
        filter_themselves: bool,
        problems: &mut Vec<String>,
    ) {
        self.variables.insert("includeMissing".to_owned(), include_missing.into());
        self.variables.insert("aggregationsFilterThemselves".to_owned(), filter_themselves.into());
        self.selected.push_str(
            "aggregations(filters: $filters, include_missing: $includeMissing, \
             aggregations_filter_themselves: $aggregationsFilterThemselves) { ",
        );
        let mut known: Vec<&str> = Vec::new();
        for name in fields {
            match aggregation_field(self.catalogue, name) {
                Ok(field) if known.contains(&field.name.as_str()) => {}
                Ok(field) => {
                    known.push(&field.name);
                    let members = match field.kind {
                        AggregationKind::Numeric => "stats { min max avg sum count }".to_owned(),
                        AggregationKind::Plain => {
                            format!("bucket_count buckets(max: {MAX_BUCKETS}) {{ key key_as_string doc_count }}")
                        }
                    };
                    self.selected.push_str(&format!("{} {{ {members} }} ", field.name));
                }
                Err(problem) => problems.push(problem),
            }
        }
        self.selected.push_str("} ");
    }

    /// Executes the query and returns total, hits and aggregations, as requested.
    pub(crate) async fn execute(self, served: &ServedCatalogue) -> Result<Map<String, Value>, ToolError> {
        let declared = [
            ("filters", "JSON"),
            ("first", "Int"),
            ("offset", "Int"),
            ("sort", "[Sort]"),
            ("includeMissing", "Boolean"),
            ("aggregationsFilterThemselves", "Boolean"),
        ];
        let used = declared.iter().filter(|(name, _)| self.selected.contains(&format!("${name}")));
        let declared: Vec<String> = used.map(|(name, kind)| format!("${name}: {kind}")).collect();
        let root = &self.catalogue.root.type_name;
        let query = format!("query {OPERATION_NAME}({}) {{ {root} {{ {}}} }}", declared.join(", "), self.selected);
        let request =
            GraphqlRequest { query, variables: Some(self.variables), operation_name: Some(OPERATION_NAME.to_owned()) };
        let mut data = run_request(served, &request).await?[root].take();
        let mut answer = Map::new();
        if let Some(hits) = data.get_mut("hits") {
            answer.insert("total".to_owned(), hits["total"].take());
            if self.shows_hits {
                let edges = hits["edges"].as_array().map(Vec::as_slice).unwrap_or_default();
                let hits = edges.iter().map(|edge| self.nodes.unwrap(&edge["node"])).collect();
                answer.insert("hits".to_owned(), Value::Array(hits));
            }
        }
        if let Some(aggregations) = data.get_mut("aggregations") {
            answer.insert("aggregations".to_owned(), aggregations.take());
        }
        let notes = self.nodes.notes();
        if !notes.is_empty() {
            answer.insert("notes".to_owned(), notes.into());
        }
        Ok(answer)
    }
}

/// Runs a request and returns its data.
pub(crate) async fn run_request(served: &ServedCatalogue, request: &GraphqlRequest) -> Result<Value, ToolError> {
    let body = match served.prepare(request) {
        Ok(prepared) => served.execute(&prepared).await,
        Err(rejected) => rejected.bytes,
    };
    let mut body: Value = serde_json::from_slice(&body).map_err(|error| {
        tracing::error!(%error, "the response to a query of a tool is no JSON");
        ToolError("The search failed; the log of the server has the cause.".to_owned())
    })?;
    if let Some(errors) = body.get("errors").and_then(Value::as_array).filter(|errors| !errors.is_empty()) {
        let messages = errors.iter().filter_map(|error| error.get("message")?.as_str());
        let messages: Vec<String> = messages.map(str::to_owned).collect();
        return Err(ToolError::list("The search was rejected or failed:", &messages));
    }
    Ok(body["data"].take())
}

fn unknown_field(argument: &str, name: &str) -> String {
    format!("{argument}: there is no field {name:?}; get_catalogue_fields lists those that there are")
}

/// Returns the aggregation field of a dotted or flat name.
fn aggregation_field<'c>(catalogue: &'c Catalogue, name: &str) -> Result<&'c AggregationField, String> {
    let by_path = || catalogue.root.aggregations.iter().find(|field| field.path == name);
    match catalogue.root.aggregation(name).or_else(by_path) {
        Some(field) if field.has_values => Ok(field),
        Some(_) => Err(format!(
            "aggregationFields: {name:?} has no values of its own that could be counted; name one of its fields"
        )),
        None => Err(unknown_field("aggregationFields", name)),
    }
}
