//! Checks with the storage server (SCORE) that the files of an analysis are stored as the metadata says.
//!
//! An analysis may be published when every file has been uploaded, has the size of the metadata, and has its checksum.
//! The first of these that fails for any file is what is reported, with all files it fails for: missing files win over
//! sizes, and sizes over checksums. A storage server that cannot be reached, or whose response is invalid, prevents
//! the publication too. Object ids are always listed in the order of the files.

mod comparison;
mod response;

use std::time::Duration;

use cantata_core::{Analysis, Error, ErrorId, ErrorOrigin, ObjectId, Result};
use cantata_http_client::{ClientSettingsError, HttpClient, HttpError, bearer, parse_address};
use futures_util::{StreamExt, TryStreamExt, stream};
use reqwest::header::HeaderValue;
use reqwest::{Method, Response, StatusCode, Url};

use self::response::{StoredObject, excerpt};

const BEARER: &str = "Bearer ";
/// How many calls one publication makes concurrently.
const MAX_CONCURRENT_CALLS: usize = 8;
/// The longest response to the query whether a file exists.
const MAX_EXISTS_RESPONSE_BYTES: usize = 64 * 1024;
/// The longest description of an object: it lists the parts of the object, and there may be
/// 10,000 of some 200 bytes each.
const MAX_OBJECT_RESPONSE_BYTES: usize = 4 * 1024 * 1024;

/// A client of a storage server.
#[derive(Debug)]
pub struct StorageClient {
    http: HttpClient,
    base: Url,
    authorization: Option<HeaderValue>,
}

impl StorageClient {
    /// Makes a client of the storage server at `url`, with an access token if it requires one.
    pub fn new(url: &str, access_token: Option<String>, timeout: Duration) -> Result<Self, ClientSettingsError> {
        let base = parse_address(url)?;
        if base.query().is_some() || base.fragment().is_some() {
            let reason = "it has a query or a fragment, which the paths of objects cannot follow";
            return Err(ClientSettingsError::address(url, reason));
        }
        let authorization = access_token.filter(|token| !token.is_empty()).map(|token| bearer(&token)).transpose()?;
        let http = HttpClient::new(timeout)?.with_authorization(authorization.clone());
        Ok(Self { http, base, authorization })
    }

    /// Fails if the files of an analysis are not in storage as its metadata says.
    ///
    /// Objects without a checksum in storage are rejected unless `ignore_undefined_md5` is set.
    pub async fn check_publishable(&self, analysis: &Analysis, ignore_undefined_md5: bool) -> Result<()> {
        let uploaded: Vec<bool> = for_each_file(analysis, |object_id| self.is_uploaded(object_id)).await?;
        comparison::check_uploaded(analysis, &uploaded)?;
        let stored: Vec<StoredObject> = for_each_file(analysis, |object_id| self.stored_object(object_id)).await?;
        comparison::check_sizes(analysis, &stored)?;
        comparison::check_checksums(analysis, &stored, ignore_undefined_md5)
    }

    async fn is_uploaded(&self, object_id: ObjectId) -> Result<bool> {
        let failed = |found: String| storage_error(object_id, &found);
        let response =
            self.get(self.object_url("upload", object_id)).await.map_err(|error| failed(error.to_string()))?;
        let response = successful(response).map_err(failed)?;
        let body = self.http.read_body(response, MAX_EXISTS_RESPONSE_BYTES).await;
        let body = body.map_err(|error| failed(error.to_string()))?;
        serde_json::from_slice(&body)
            .map_err(|_| failed(format!("it answered '{}' instead of true or false", self.excerpt(&body))))
    }

    async fn stored_object(&self, object_id: ObjectId) -> Result<StoredObject> {
        let failed = |found: String| storage_error(object_id, &found);
        let mut url = self.object_url("download", object_id);
        url.set_query(Some("offset=0&length=-1&exclude-urls=true"));
        let response = self.get(url).await.map_err(|error| failed(error.to_string()))?;
        if response.status() == StatusCode::NOT_FOUND {
            let text =
                format!("The storage server has no object with objectId '{object_id}' any more; upload the file again");
            return Err(Error::new(ErrorOrigin::ScoreService, ErrorId::StorageObjectNotFound, text));
        }
        let response = successful(response).map_err(failed)?;
        let described = match self.http.read_body(response, MAX_OBJECT_RESPONSE_BYTES).await {
            Ok(body) => StoredObject::parse(&body).map_err(|error| self.excerpt(error.to_string().as_bytes())),
            Err(HttpError::BodyTooLong(limit)) => Err(format!("it has more than {limit} bytes")),
            Err(error) => return Err(failed(error.to_string())),
        };
        described.map_err(|reason| {
            let text = format!("The storage server's description of objectId '{object_id}' cannot be used: {reason}");
            Error::new(ErrorOrigin::ScoreService, ErrorId::InvalidStorageDownloadResponse, text)
        })
    }

    async fn get(&self, url: Url) -> Result<Response, HttpError> {
        self.http.send(Method::GET, url, |request| request).await
    }

    fn object_url(&self, resource: &str, object_id: ObjectId) -> Url {
        let mut url = self.base.clone();
        let base_path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&format!("{base_path}/{resource}/{object_id}"));
        url
    }

    /// Shows the beginning of what the server said, never the token, even if the server repeats it.
    fn excerpt(&self, text: &[u8]) -> String {
        let authorization = self.authorization.as_ref().and_then(|header| header.to_str().ok());
        excerpt(text, authorization.and_then(|header| header.strip_prefix(BEARER)))
    }
}

/// Makes a call for each file of an analysis, several at a time; the answers are in the order of the files.
async fn for_each_file<T, F: Future<Output = Result<T>>>(
    analysis: &Analysis,
    call: impl Fn(ObjectId) -> F,
) -> Result<Vec<T>> {
    let object_ids: Vec<ObjectId> = analysis.files.iter().map(|file| file.object_id).collect();
    stream::iter(object_ids).map(call).buffered(MAX_CONCURRENT_CALLS).try_collect().await
}

fn successful(response: Response) -> Result<Response, String> {
    let status = response.status();
    if status.is_success() { Ok(response) } else { Err(format!("it answered with HTTP status {}", status.as_u16())) }
}

fn storage_error(object_id: ObjectId, found: &str) -> Error {
    let text = format!("The storage server could not be asked about objectId '{object_id}': {found}");
    Error::new(ErrorOrigin::ScoreService, ErrorId::StorageServiceError, text)
}
