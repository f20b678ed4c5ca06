//! The analysis types of a server, which sends them in pages.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::client::api_error::CallError;
use crate::client::server::ServerClient;

/// The number of types per request.
const PAGE_SIZE: usize = 200;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TypePage<T> {
    count: usize,
    result_set: Vec<T>,
}

impl ServerClient {
    /// Returns the versions of all analysis types that a query selects.
    pub(super) async fn types<T: DeserializeOwned>(&self, query: &[(&str, &str)]) -> Result<Vec<T>, CallError> {
        let mut types = Vec::new();
        loop {
            let (limit, offset) = (PAGE_SIZE.to_string(), types.len().to_string());
            let page = [("limit", limit.as_str()), ("offset", offset.as_str())];
            let query = [query, page.as_slice()].concat();
            let page: TypePage<T> = self.get(&["schemas"], &query).await?;
            let is_last = page.result_set.is_empty();
            types.extend(page.result_set);
            if is_last || types.len() >= page.count {
                return Ok(types);
            }
        }
    }
}
