//! GraphQL requests to the catalogue of files, made beforehand, and their answers.

use serde_json::{Value, json};

use crate::Outcome;
use crate::client::{Connection, post_json};

/// Where the catalogue of files answers.
const PATH: &str = "/files/graphql";

/// How many orders there are.
const ORDERS: [Order; 4] = [
    Order { field: SortField::Published, is_descending: true },
    Order { field: SortField::Size, is_descending: true },
    Order { field: SortField::FileId, is_descending: false },
    Order { field: SortField::Size, is_descending: false },
];

/// A field that pages are sorted by; every document has one value of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SortField {
    FileId,
    Published,
    Size,
}

/// The order of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) field: SortField,
    pub(super) is_descending: bool,
}

impl Order {
    pub(super) const BY_SIZE: Self = Self { field: SortField::Size, is_descending: false };

    /// Returns the order of the request of a number; they take turns.
    pub(super) fn of_variant(number: usize) -> Self {
        ORDERS[number % ORDERS.len()]
    }

    /// Returns the argument `sort`.
    pub(super) fn to_json(self) -> Value {
        let field = match self.field {
            SortField::FileId => "file_id",
            SortField::Published => "analysis.first_published_at",
            SortField::Size => "size",
        };
        json!([{ "fieldName": field, "order": if self.is_descending { "desc" } else { "asc" } }])
    }
}

/// Returns the bytes of a request.
pub(super) fn request(query: &str, variables: &Value) -> Vec<u8> {
    post_json(PATH, &json!({ "query": query, "variables": variables }))
}

/// Sends a request and returns `data.file` of its answer, which must be free of errors.
pub(super) fn ask(connection: &mut Connection, request: &[u8]) -> Outcome<Value> {
    Ok(ask_any(connection, request)?["file"].take())
}

/// Sends a request to any catalogue and returns `data` of its answer, which must be free of errors.
pub(super) fn ask_any(connection: &mut Connection, request: &[u8]) -> Outcome<Value> {
    let mut answer: Value = connection.fetch(request)?;
    if answer.get("errors").is_some() {
        return Err(format!("the answer has errors: {}", answer["errors"]).into());
    }
    Ok(answer["data"].take())
}
