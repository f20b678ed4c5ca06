//! The REST client of a SONG server. No message shows where the server is.

use std::time::Duration;

use cantata_catalogue::SongOrigin;
use cantata_core::{AnalysisState, AnalysisType, AnalysisTypeId, Timestamp, TypeOptions};
use cantata_http_client::{HttpClient, HttpError, bearer, parse_address};
use cantata_indexing::SourceError;
use reqwest::{Method, StatusCode, Url};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::SongSourceError;

/// How long one request may take.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(120);

/// The largest response that is read.
const MAX_RESPONSE_BYTES: usize = 512 << 20;

/// The size of a page of analyses or types.
pub(crate) const PAGE_SIZE: usize = 100;

/// A SONG server.
pub(crate) struct SongClient {
    base: Url,
    http: HttpClient,
}

/// A page of analyses.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AnalysisPage {
    /// The documents as they were sent.
    pub(crate) analyses: Vec<Box<RawValue>>,
    /// The number of analyses on all pages.
    pub(crate) total_analyses: u64,
}

/// The members of an analysis that are parsed.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AnalysisHeader {
    pub(crate) analysis_id: String,
    pub(crate) analysis_state: AnalysisState,
}

impl AnalysisHeader {
    /// Parses a document; nothing if it is no analysis.
    pub(crate) fn parse(document: &str) -> Option<Self> {
        serde_json::from_str(document).ok()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TypePage {
    count: u64,
    result_set: Vec<TypeBody>,
}

#[derive(Deserialize)]
struct TypeBody {
    name: String,
    version: u32,
    schema: Option<Value>,
}

impl SongClient {
    /// Prepares requests to a server; nothing is sent yet.
    pub(crate) fn new(origin: &SongOrigin) -> Result<Self, SongSourceError> {
        let base = parse_address(origin.url.reveal())?;
        let authorization = origin.token.as_ref().map(|token| bearer(token.reveal())).transpose()?;
        let http = HttpClient::new(REQUEST_TIMEOUT)?.without_http_proxy().with_authorization(authorization);
        Ok(Self { base, http })
    }

    /// Returns the ids of all studies.
    pub(crate) async fn studies(&self) -> Result<Vec<String>, SourceError> {
        self.get_json(&["studies", "all"], &[]).await
    }

    /// Returns a page of the analyses of a study that are in one of the states.
    pub(crate) async fn page(
        &self,
        study: &str,
        states: &[AnalysisState],
        offset: usize,
        limit: usize,
    ) -> Result<AnalysisPage, SourceError> {
        let states = states.iter().map(|state| state.as_str()).collect::<Vec<_>>().join(",");
        let query = [("analysisStates", states), ("limit", limit.to_string()), ("offset", offset.to_string())];
        self.get_json(&["studies", study, "analysis", "paginated"], &query).await
    }

    /// Returns an analysis, if it exists.
    pub(crate) async fn analysis(&self, study: &str, id: &str) -> Result<Option<String>, SourceError> {
        let path = ["studies", study, "analysis", id];
        match self.get(&path, &[]).await? {
            (StatusCode::NOT_FOUND, _) => Ok(None),
            (status, body) => {
                let body = check_status(&path, status, body)?;
                String::from_utf8(body).map(Some).map_err(|_| unreadable(&path))
            }
        }
    }

    /// Returns how many versions of types there are.
    pub(crate) async fn type_count(&self) -> Result<u64, SourceError> {
        Ok(self.type_page(0, 1, true).await?.count)
    }

    /// Returns every version of every type.
    pub(crate) async fn types(&self) -> Result<Vec<AnalysisType>, SourceError> {
        let mut types = Vec::new();
        loop {
            let page = self.type_page(types.len(), PAGE_SIZE, false).await?;
            let is_last = page.result_set.is_empty();
            types.extend(page.result_set.into_iter().map(|TypeBody { name, version, schema }| AnalysisType {
                id: AnalysisTypeId { name, version },
                // Indexing uses neither the time of registration nor the options.
                created_at: Timestamp::now(),
                options: TypeOptions::default(),
                schema: schema.unwrap_or_default(),
            }));
            if is_last || types.len() as u64 >= page.count {
                return Ok(types);
            }
        }
    }

    async fn type_page(&self, offset: usize, limit: usize, hides_schema: bool) -> Result<TypePage, SourceError> {
        let query = [
            ("offset", offset.to_string()),
            ("limit", limit.to_string()),
            ("hideSchema", hides_schema.to_string()),
            ("unrenderedOnly", "true".to_owned()),
            ("sortOrder", "ASC".to_owned()),
        ];
        self.get_json(&["schemas"], &query).await
    }

    async fn get_json<T: DeserializeOwned>(&self, path: &[&str], query: &[(&str, String)]) -> Result<T, SourceError> {
        let (status, body) = self.get(path, query).await?;
        serde_json::from_slice(&check_status(path, status, body)?).map_err(|_| unreadable(path))
    }

    async fn get(&self, path: &[&str], query: &[(&str, String)]) -> Result<(StatusCode, Vec<u8>), SourceError> {
        let mut url = self.base.clone();
        // Only a URL that cannot be a base has no segments, and the scheme was checked.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url.query_pairs_mut().extend_pairs(query);
        let lost = |error: HttpError| {
            SourceError::Failed(match error {
                HttpError::BodyTooLong(limit) => format!("SONG answers with more than {limit} bytes"),
                _ => "SONG cannot be reached, or stopped answering".to_owned(),
            })
        };
        self.http.call(Method::GET, url, MAX_RESPONSE_BYTES, |request| request).await.map_err(lost)
    }
}

fn check_status(path: &[&str], status: StatusCode, body: Vec<u8>) -> Result<Vec<u8>, SourceError> {
    match status {
        status if status.is_success() => Ok(body),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            Err(SourceError::Failed("SONG does not accept the token in source.json".to_owned()))
        }
        status => Err(SourceError::Failed(format!("SONG answers with {} to /{}", status.as_u16(), path.join("/")))),
    }
}

fn unreadable(path: &[&str]) -> SourceError {
    SourceError::Failed(format!("what SONG answers to /{} cannot be read", path.join("/")))
}
