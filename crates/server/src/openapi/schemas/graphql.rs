//! GraphQL requests and their answers, and what downloads are asked for.

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

/// A GraphQL request.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GraphqlRequest {
    /// The document; it may be left out where `extensions` names it by its hash.
    query: Option<String>,
    /// The values of its variables.
    #[schema(value_type = Option<Object>)]
    variables: Option<Map<String, Value>>,
    /// Which of its operations is to be run, if there are several.
    operation_name: Option<String>,
    /// `persistedQuery` with the `sha256Hash` of the document.
    #[schema(value_type = Option<Object>)]
    extensions: Option<Map<String, Value>>,
}

/// A GraphQL request in an address.
#[derive(Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct GraphqlQuery {
    /// The document
    query: Option<String>,
    /// The values of its variables, as JSON text
    variables: Option<String>,
    /// Which of its operations is to be run
    operation_name: Option<String>,
    /// `persistedQuery`, as JSON text
    extensions: Option<String>,
}

/// The answer to a GraphQL request.
#[derive(Serialize, ToSchema)]
pub(crate) struct GraphqlAnswer {
    /// What was selected; absent if the request was not run, as one of several may be.
    #[schema(value_type = Option<Object>)]
    data: Option<Map<String, Value>>,
    /// What went wrong; absent if nothing did.
    #[schema(nullable = false)]
    errors: Option<Vec<GraphqlError>>,
}

/// The answers to one GraphQL request or to several in one body.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum GraphqlAnswers {
    /// To one.
    One(GraphqlAnswer),
    /// To several, in their order.
    Several(Vec<GraphqlAnswer>),
}

/// One thing that went wrong in a GraphQL request.
#[derive(Serialize, ToSchema)]
pub(crate) struct GraphqlError {
    /// What was found and what was expected.
    message: String,
    /// The places in the document.
    #[schema(nullable = false)]
    locations: Option<Vec<GraphqlLocation>>,
    /// The way from the data to the field: names, and places in lists.
    #[schema(nullable = false)]
    path: Option<Vec<Value>>,
    /// The sort of error.
    extensions: GraphqlErrorSort,
}

/// A place in a GraphQL document.
#[derive(Serialize, ToSchema)]
pub(crate) struct GraphqlLocation {
    /// The line, from 1.
    #[schema(minimum = 1)]
    line: u64,
    /// The column, from 1.
    #[schema(minimum = 1)]
    column: u64,
}

/// The sort of a GraphQL error.
#[derive(Serialize, ToSchema)]
pub(crate) struct GraphqlErrorSort {
    /// A name such as `BAD_USER_INPUT`.
    code: String,
}

/// What to export: `files`, each with `fileType`, `sqon`, `columns` and `sort`; or `params`, which holds that as text.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DownloadParameters {
    /// The files; several come in one archive.
    #[schema(value_type = Option<Vec<Object>>)]
    files: Option<Vec<Map<String, Value>>>,
    /// What the archive is called, or a file without a name.
    file_name: Option<String>,
    /// `tsv`, `csv`, `json`, `jsonl`, `ndjson`, `parquet`, `arrow` or `xlsx`, for files that do not say.
    file_type: Option<String>,
    /// How many records are read at once.
    #[schema(minimum = 1)]
    chunk_size: Option<u64>,
    /// All of the above as JSON text, as forms send it.
    params: Option<String>,
}

/// What to export as one file, in an address.
#[derive(Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct DownloadQuery {
    /// The filter (SQON), as JSON text; without it all records
    filters: Option<String>,
    /// Fields, separated by commas; by default those of the table
    columns: Option<String>,
    /// tsv, csv, json, jsonl, parquet, arrow or xlsx; without it tsv
    file_type: Option<String>,
    /// Fields, separated by commas; a minus before one is descending
    sort: Option<String>,
    /// How many rows at most
    max_rows: Option<u64>,
    /// The name of the file
    file_name: Option<String>,
}

/// The answer to a GraphQL request that is not run.
#[derive(Serialize, ToSchema)]
pub(crate) struct GraphqlRefusal {
    /// What is wrong.
    errors: Vec<GraphqlError>,
}
