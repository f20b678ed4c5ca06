//! A catalogue of the server: its fields, and GraphQL requests to it.

use cantata_catalogue::flat_name;
use reqwest::{Method, StatusCode};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::client::api_error::{ApiError, CallError, graphql_messages};
use crate::client::server::ServerClient;
use crate::error::CliError;

/// The pseudo field of the record id, and its name in filters.
const ID_FIELD: &str = "id";
const RECORD_ID: &str = "_id";

/// The code of errors after which a retry may succeed.
const UNAVAILABLE_CODE: &str = "SERVICE_UNAVAILABLE";

/// A catalogue and its fields.
pub(super) struct Catalogue {
    /// The name in requests.
    name: String,
    document_type: String,
    /// The fields by dotted path.
    pub(super) fields: Map<String, Value>,
    /// The maximum size of a page.
    pub(super) window: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CatalogueDescription {
    document_type: String,
    fields: Map<String, Value>,
    limits: Limits,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Limits {
    max_results_window: u64,
}

impl ServerClient {
    /// Fetches the fields of a catalogue.
    pub(super) async fn catalogue(&self, name: &str) -> Result<Catalogue, CallError> {
        let request = self.request(Method::GET, &["introspection", name], &[]);
        let response = self.attempt(request).await?.map_err(|(status, error)| match status {
            // The server answers; only this catalogue cannot be served.
            StatusCode::SERVICE_UNAVAILABLE if error.error_id.is_some() => CallError::Rejected(error),
            _ => self.classify(status, error),
        })?;
        let body = self.bytes(response).await?;
        let CatalogueDescription { document_type, fields, limits } =
            serde_json::from_slice(&body).map_err(|_| self.unexpected_response())?;
        Ok(Catalogue { name: name.to_owned(), document_type, fields, window: limits.max_results_window })
    }
}

impl Catalogue {
    /// Sends a GraphQL query and returns what is below the root field.
    pub(super) async fn query(
        &self,
        server: &ServerClient,
        declared: &str,
        selection: &str,
        variables: Value,
    ) -> Result<Value, CallError> {
        let root = &self.document_type;
        let query = format!("query{declared} {{ {root} {{ {selection} }} }}");
        let mut data = self.send(server, &query, variables).await?;
        Ok(data[root].take())
    }

    /// Asks the network of the catalogue and returns what is below `network`.
    pub(super) async fn query_network(
        &self,
        server: &ServerClient,
        selection: &str,
        filter: &Value,
    ) -> Result<Value, CallError> {
        let query = format!("query($filters: JSON) {{ network(filters: $filters) {{ {selection} }} }}");
        let mut data = self.send(server, &query, json!({"filters": filter})).await?;
        Ok(data["network"].take())
    }

    /// Sends a GraphQL query and returns its data.
    async fn send(&self, server: &ServerClient, query: &str, variables: Value) -> Result<Value, CallError> {
        let request = json!({"query": query, "variables": variables});
        let response = server.post(&[&self.name, "graphql"], &request).await?;
        let mut answer: Value = serde_json::from_slice(&server.bytes(response).await?).unwrap_or_default();
        let Some(errors) = answer["errors"].as_array() else { return Ok(answer["data"].take()) };
        let message = graphql_messages(errors);
        let is_transient = errors.iter().all(|error| error["extensions"]["code"] == UNAVAILABLE_CODE);
        Err(match is_transient {
            true => CallError::Unreachable(message),
            false => CallError::Rejected(ApiError { error_id: None, http_status_code: None, message }),
        })
    }

    /// Returns the number of records that match a filter.
    pub(super) async fn count(&self, server: &ServerClient, filter: &Value) -> Result<u64, CallError> {
        let selection = "hits(filters: $filters, first: 0) { total }";
        let answer = self.query(server, "($filters: JSON)", selection, json!({"filters": filter})).await?;
        Ok(answer["hits"]["total"].as_u64().unwrap_or_default())
    }

    /// Returns the type of a field, if there is such a field.
    pub(super) fn type_of(&self, path: &str) -> Option<&str> {
        self.fields.get(path)?["type"].as_str()
    }

    /// Returns the flat name of a field in GraphQL, which the server tells where two fields ask for one name.
    pub(super) fn graphql_name(&self, path: &str) -> String {
        let assigned = self.fields.get(path).and_then(|field| field["graphqlName"].as_str());
        assigned.map_or_else(|| flat_name(path), str::to_owned)
    }

    /// Returns the GraphQL names of columns, which must be fields with values.
    pub(super) fn selected(&self, columns: &[String]) -> Result<Vec<String>, CliError> {
        let name = &self.name;
        let unknown = |path: &str| {
            CliError::failed(format!(
                "catalogue `{name}` has no field `{path}` with values; `cantata query {name} --fields` lists the fields"
            ))
        };
        let selected = columns.iter().map(|path| match self.fields.get(path) {
            _ if [ID_FIELD, RECORD_ID].contains(&path.as_str()) => Ok(ID_FIELD.to_owned()),
            Some(field) if is_selectable(field) => Ok(self.graphql_name(path)),
            _ => Err(unknown(path)),
        });
        selected.collect()
    }

    /// Returns the default columns of the portal.
    pub(super) async fn default_columns(&self, server: &ServerClient) -> Result<Vec<String>, CallError> {
        let answer = self.query(server, "", "configs { table { columns { fieldName show } } }", json!({})).await?;
        let columns = answer["configs"]["table"]["columns"].as_array().into_iter().flatten();
        let visible = columns.filter(|column| column["show"] == true).filter_map(|column| column["fieldName"].as_str());
        let visible = visible.filter(|path| self.fields.get(*path).is_some_and(is_selectable));
        let columns: Vec<String> = visible.map(str::to_owned).collect();
        Ok(if columns.is_empty() { vec![ID_FIELD.to_owned()] } else { columns })
    }
}

/// Returns whether a record has values of a field.
fn is_selectable(field: &Value) -> bool {
    !matches!(field["type"].as_str(), Some("object" | "nested")) && field["multiFieldOf"].is_null()
}
