//! A catalogue of the server: its fields, and asking it by GraphQL.

use cantata_catalogue::flat_name;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::refusal::{Refusal, graphql_messages};
use super::{CallError, Server};
use crate::failure::Failure;

/// What stands for the id of a record among its fields.
const ID: &str = "id";

/// The code of errors that may be gone when the same is asked again.
const UNAVAILABLE: &str = "SERVICE_UNAVAILABLE";

/// A catalogue, as far as it says what can be asked of it.
pub(super) struct Catalogue {
    /// What the server was asked for.
    name: String,
    document_type: String,
    /// The fields by dotted path.
    pub(super) fields: Map<String, Value>,
    /// How many records one page may have.
    pub(super) window: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Description {
    document_type: String,
    fields: Map<String, Value>,
    limits: Limits,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Limits {
    max_results_window: u64,
}

impl Server {
    /// Returns what can be asked of a catalogue.
    pub(super) async fn catalogue(&self, name: &str) -> Result<Catalogue, CallError> {
        let body: Value = self.get(&["introspection", name], &[]).await?;
        match serde_json::from_value(body.clone()) {
            Ok(Description { document_type, fields, limits }) => {
                let window = limits.max_results_window;
                Ok(Catalogue { name: name.to_owned(), document_type, fields, window })
            }
            Err(_) => {
                let message = body["error"]["message"].as_str().unwrap_or("it cannot be served");
                let error_id = body["error"]["code"].as_str().map(str::to_owned);
                Err(CallError::Refused(Refusal { error_id, http_status_code: None, message: message.to_owned() }))
            }
        }
    }
}

impl Catalogue {
    /// Asks for something below the root field, and returns it.
    pub(super) async fn ask(
        &self,
        server: &Server,
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
        let is_passing = errors.iter().all(|error| error["extensions"]["code"] == UNAVAILABLE);
        Err(match is_passing {
            true => CallError::Unreachable(message),
            false => CallError::Refused(Refusal { error_id: None, http_status_code: None, message }),
        })
    }

    /// Returns the type of a field, if there is such a field.
    pub(super) fn type_of(&self, path: &str) -> Option<&str> {
        self.fields.get(path)?["type"].as_str()
    }

    /// Requires that every column is a field with values, and returns the names that GraphQL has for them.
    pub(super) fn selected(&self, columns: &[String]) -> Result<Vec<String>, Failure> {
        let name = &self.name;
        let unknown = |path: &str| {
            Failure::Start(format!(
                "catalogue `{name}` has no field `{path}` with values; `cantata query {name} --fields` lists those that \
                 there are"
            ))
        };
        let selected = columns.iter().map(|path| match self.fields.get(path) {
            _ if path == ID => Ok(ID.to_owned()),
            Some(field) if is_selectable(field) => Ok(flat_name(path)),
            _ => Err(unknown(path)),
        });
        selected.collect()
    }

    /// Returns the columns that the table of a portal shows at first.
    pub(super) async fn shown_columns(&self, server: &Server) -> Result<Vec<String>, CallError> {
        let answer = self.ask(server, "", "configs { table { columns { fieldName show } } }", json!({})).await?;
        let columns = answer["configs"]["table"]["columns"].as_array().into_iter().flatten();
        let shown = columns.filter(|column| column["show"] == true).filter_map(|column| column["fieldName"].as_str());
        let shown = shown.filter(|path| self.fields.get(*path).is_some_and(is_selectable));
        let columns: Vec<String> = shown.map(str::to_owned).collect();
        Ok(if columns.is_empty() { vec![ID.to_owned()] } else { columns })
    }
}

/// Says whether a field has values of its own that a record shows.
fn is_selectable(field: &Value) -> bool {
    !matches!(field["type"].as_str(), Some("object" | "nested")) && field["multiFieldOf"].is_null()
}
