//! What the search service says about itself and its catalogues.

use std::collections::HashMap;

use serde::Serialize;
use utoipa::{IntoResponses, ToSchema};

use super::graphql::GraphqlRefusal;

/// A greeting.
#[derive(Serialize, ToSchema)]
pub(crate) struct Greeting {
    /// Always the same words.
    message: String,
}

/// How the catalogues are, taken together.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CataloguesStatus {
    /// All can be served.
    Healthy,
    /// Some can be served.
    Degraded,
    /// None can be served.
    Unhealthy,
}

/// Whether the catalogues can be searched.
#[derive(Serialize, ToSchema)]
pub(crate) struct Readiness {
    /// How they are.
    status: CataloguesStatus,
    /// Why an index cannot be read, written, flushed or merged at the moment, or is not up to date.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    message: Option<String>,
}

/// How catalogues are addressed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CatalogueMode {
    /// There is one; its addresses do not name it.
    Single,
    /// There are several; every address names one.
    Multiple,
}

/// The catalogues of the server.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CatalogueDirectory {
    /// How many there are.
    #[schema(minimum = 0)]
    catalog_count: u64,
    /// Each by its id.
    catalogs: HashMap<String, CatalogueEntry>,
    /// How they are addressed.
    mode: CatalogueMode,
    /// Where filters are described.
    sqon_schema_path: String,
    /// How they are, taken together.
    status: CataloguesStatus,
}

/// A catalogue, in short.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CatalogueEntry {
    /// What it is, for people.
    #[schema(nullable = false)]
    description: Option<String>,
    /// The name of the root field in GraphQL.
    document_type: String,
    /// Why it cannot be served; absent if it can.
    error: Option<CatalogueFailure>,
    /// What a request may ask for; absent if it cannot be served.
    limits: Option<CatalogueLimits>,
    /// Where it is.
    paths: CataloguePaths,
    /// Whether it can be served.
    status: CatalogueStatus,
}

/// Whether a catalogue can be served.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CatalogueStatus {
    /// It can.
    Available,
    /// It cannot.
    Failed,
}

/// Why a catalogue cannot be served, or which one is meant cannot be told.
#[derive(Serialize, ToSchema)]
pub(crate) struct CatalogueFailure {
    /// The sort of failure, such as `index_not_found`.
    code: String,
    /// What happened, for a person.
    message: String,
}

/// Where a catalogue is.
#[derive(Serialize, ToSchema)]
pub(crate) struct CataloguePaths {
    /// Its fields, where the address need not name it.
    #[schema(nullable = false)]
    fields: Option<String>,
    /// Searching.
    graphql: String,
    /// Its fields.
    introspection: String,
}

/// What a GraphQL request may ask of a catalogue.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CatalogueLimits {
    /// How many fields may have an alias.
    #[schema(minimum = 0)]
    max_aliases: u64,
    /// How deep selections may lie in one another.
    #[schema(minimum = 1)]
    max_depth: u64,
    /// How much a request may cost.
    #[schema(minimum = 1)]
    max_cost: u64,
    /// How many bytes an answer may have.
    #[schema(minimum = 1)]
    max_response_bytes: u64,
    /// How many hits one page may have.
    #[schema(minimum = 1)]
    max_results_window: u64,
}

/// What can be asked of a catalogue.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CatalogueFields {
    /// The name in addresses.
    catalog_id: String,
    /// What it is, for people.
    #[schema(nullable = false)]
    description: Option<String>,
    /// The name of the root field in GraphQL.
    document_type: String,
    /// The fields by dotted path.
    fields: HashMap<String, CatalogueField>,
    /// The filter operators that suit each type.
    operators: HashMap<String, Vec<String>>,
    /// What a request may ask for.
    limits: CatalogueLimits,
    /// When the catalogue was loaded.
    #[schema(format = DateTime)]
    generated_at: String,
    /// What the answer depends on.
    meta: CatalogueMeta,
    /// The network that it can be asked with; absent if it has none.
    #[schema(nullable = false)]
    network: Option<CatalogueNetwork>,
    /// Why the index cannot be reached at present, with status 503; the rest is what is known from before.
    #[schema(nullable = false)]
    error: Option<CatalogueFailure>,
    /// `failed` if the index cannot be reached at present.
    #[schema(nullable = false)]
    status: Option<CatalogueStatus>,
}

/// The network of a catalogue.
#[derive(Serialize, ToSchema)]
pub(crate) struct CatalogueNetwork {
    /// The type of aggregations that each field of the network has.
    fields: HashMap<String, String>,
    /// The nodes, in the order of the configuration.
    nodes: Vec<CatalogueNode>,
}

/// A node of a network.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CatalogueNode {
    /// The id in `nodesFilter`.
    #[schema(nullable = false)]
    node_id: Option<String>,
    /// What people read.
    name: String,
    /// Whether it is on another server.
    remote: bool,
    /// Whether it is asked at present.
    asked: bool,
    /// Why it is not asked at present.
    #[schema(nullable = false)]
    error: Option<String>,
    /// The version of its server, if that is Cantata.
    #[schema(nullable = false)]
    version: Option<String>,
}

/// One field.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CatalogueField {
    /// What people read.
    display_name: String,
    /// The type in the mapping.
    #[serde(rename = "type")]
    type_name: String,
    /// The unit of its values.
    #[schema(required)]
    unit: Option<String>,
    /// For a multi-field, the field whose values it has.
    #[schema(nullable = false)]
    multi_field_of: Option<String>,
    /// The flat name in GraphQL, where another field has the one that follows from the path.
    #[schema(nullable = false)]
    graphql_name: Option<String>,
}

/// What the answer depends on.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CatalogueMeta {
    /// Whether anything is left out that the client may not see.
    auth_filtered: bool,
    /// The least count that is shown to the client, where small ones are not.
    #[schema(nullable = false)]
    suppressed_below: Option<u64>,
}

/// A catalogue that cannot be served.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FailedCatalogue {
    /// The name in addresses.
    catalogue_id: String,
    /// What it is, for people.
    #[schema(nullable = false)]
    description: Option<String>,
    /// The name of the root field in GraphQL; empty if it could not be read.
    document_type: String,
    /// Why it cannot be served.
    error: CatalogueFailure,
    /// Always `failed`.
    status: CatalogueStatus,
    /// Where to read more.
    #[schema(nullable = false)]
    details: Option<String>,
}

/// A catalogue that cannot be served at present.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum UnavailableCatalogue {
    /// It was never available.
    Failed(FailedCatalogue),
    /// It was available before: what is known of it, with `error` and `status`.
    Known(Box<CatalogueFields>),
}

/// Why a catalogue that an address names is not shown.
#[derive(IntoResponses)]
pub(crate) enum UnservedCatalogue {
    #[response(status = 400, description = "The name cannot be read")]
    Unreadable(String),
    #[response(status = 404, description = "There is no such catalogue")]
    Unknown(SearchProblem),
    #[response(status = 409, description = "Several catalogues have this document type")]
    Ambiguous(AmbiguousCatalogue),
    #[response(status = 503, description = "Why the catalogue cannot be served")]
    Unavailable(UnavailableCatalogue),
}

/// A document type that several catalogues have.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AmbiguousCatalogue {
    /// The document type.
    document_type: String,
    /// What happened.
    error: CatalogueFailure,
    /// The ids of the catalogues that have it.
    matching_catalogue_ids: Vec<String>,
}

/// What a catalogue shows at first; what is absent stays as it is.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CatalogueDisplay {
    /// The dotted paths of the facets, in their order.
    #[schema(nullable = false)]
    facets: Option<Vec<String>>,
    /// The dotted paths of the columns, in their order.
    #[schema(nullable = false)]
    columns: Option<Vec<String>>,
    /// How rows are sorted.
    #[schema(nullable = false)]
    sorting: Option<Vec<DisplaySorting>>,
}

/// A field by which rows are sorted.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DisplaySorting {
    /// The dotted path.
    field_name: String,
    /// Whether the order is descending; false by default.
    #[schema(nullable = false)]
    desc: Option<bool>,
}

/// Why there is nothing.
#[derive(Serialize, ToSchema)]
pub(crate) struct SearchProblem {
    /// What happened.
    error: String,
    /// Each problem of a configuration, where that is the reason.
    #[schema(nullable = false)]
    problems: Option<Vec<String>>,
}

/// Any refusal of the search service.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum SearchRefusal {
    /// In words.
    Problem(SearchProblem),
    /// The catalogue cannot be served.
    Failed(FailedCatalogue),
    /// The name leads to several catalogues.
    Ambiguous(AmbiguousCatalogue),
    /// The GraphQL request is faulty as a whole.
    Graphql(GraphqlRefusal),
}
