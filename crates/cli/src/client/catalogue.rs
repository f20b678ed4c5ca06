//! A catalogue of the server: its fields, and GraphQL requests to it.

use cantata_catalogue::flat_name;
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
        let body: Value = self.get(&["introspection", name], &[]).await?;
        match serde_json::from_value(body.clone()) {
            Ok(CatalogueDescription { document_type, fields, limits }) => {
                let window = limits.max_results_window;
                Ok(Catalogue { name: name.to_owned(), document_type, fields, window })
            }
            Err(_) => {
                let message = body["error"]["message"].as_str().unwrap_or("it cannot be served");
                let error_id = body["error"]["code"].as_str().map(str::to_owned);
                Err(CallError::Rejected(ApiError { error_id, http_status_code: None, message: message.to_owned() }))
            }
        }
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
        let request = json!({"query": query, "variables": variables});
        let response = server.post(&[&self.name, "graphql"], &request).await?;
        let mut answer: Value = serde_json::from_slice(&server.bytes(response).await?).unwrap_or_default();
        let Some(errors) = answer["errors"].as_array() else { return Ok(answer["data"][root].take()) };
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
            Some(field) if is_selectable(field) => Ok(flat_name(path)),
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
