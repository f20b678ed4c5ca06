//! A client that accepts no response the OpenAPI document does not describe.

use std::sync::Arc;

use http::{HeaderMap, Method};
use serde_json::Value;

use crate::contract::Contract;
use crate::{EventReader, Payload, SentEvent, TestResponse, minimal_type};

/// Talks to one server; clones share their connections.
#[derive(Clone)]
pub struct TestClient {
    base: String,
    http: reqwest::Client,
    contract: Arc<Contract>,
}

impl TestClient {
    /// Connects to the server at an address such as `http://127.0.0.1:5050`.
    pub async fn connect(base: &str) -> Self {
        // An error only says that the process has chosen its TLS implementation already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .tls_certs_only([])
            .no_proxy()
            .build()
            .unwrap();
        let contract = Contract::of(&http, base).await;
        Self { base: base.to_owned(), http, contract }
    }

    /// Returns the address of the server.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Sends a GET.
    pub async fn get(&self, path: &str) -> TestResponse {
        self.send(Method::GET, path, &[], None).await
    }

    /// Sends a POST with a JSON body.
    pub async fn post(&self, path: &str, body: &Value) -> TestResponse {
        self.send_json(Method::POST, path, body).await
    }

    /// Sends a PUT with a JSON body.
    pub async fn put(&self, path: &str, body: &Value) -> TestResponse {
        self.send_json(Method::PUT, path, body).await
    }

    /// Sends a PUT without a body.
    pub async fn put_empty(&self, path: &str) -> TestResponse {
        self.send(Method::PUT, path, &[], None).await
    }

    /// Sends a PATCH with a JSON body.
    pub async fn patch(&self, path: &str, body: &Value) -> TestResponse {
        self.send_json(Method::PATCH, path, body).await
    }

    /// Sends a DELETE.
    pub async fn delete(&self, path: &str) -> TestResponse {
        self.send(Method::DELETE, path, &[], None).await
    }

    /// Sends a GraphQL request.
    pub async fn graphql(&self, path: &str, query: &str, variables: &Value) -> TestResponse {
        self.post(path, &serde_json::json!({"query": query, "variables": variables})).await
    }

    /// Sends a form.
    pub async fn post_form(&self, path: &str, members: &[(&str, &str)]) -> TestResponse {
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(members).finish();
        let headers = [("content-type", "application/x-www-form-urlencoded")];
        self.send(Method::POST, path, &headers, Some(body.into_bytes())).await
    }

    async fn send_json(&self, method: Method, path: &str, body: &Value) -> TestResponse {
        let body = serde_json::to_vec(body).unwrap();
        self.send(method, path, &[("content-type", "application/json")], Some(body)).await
    }

    /// Sends any request; the response has passed the document.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Vec<u8>>,
    ) -> TestResponse {
        let response = self.request(method.clone(), path, headers, body).send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = response.bytes().await.unwrap();
        let response = TestResponse { status, headers, body };
        self.contract.check(&method, path, &response);
        response
    }

    /// Opens the event stream with a query such as `after=3&follow=false`.
    pub async fn event_stream(&self, query: &str, headers: &[(&str, &str)]) -> EventReader {
        let path = format!("/events?{query}");
        let response = self.request(Method::GET, &path, headers, None).send().await.unwrap();
        let head = TestResponse {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            body: bytes::Bytes::new(),
        };
        self.contract.check(&Method::GET, &path, &head);
        EventReader::new(response)
    }

    /// Returns every event there is after a number.
    pub async fn events_after(&self, after: u64) -> Vec<SentEvent> {
        let mut reader = self.event_stream(&format!("after={after}&follow=false"), &[]).await;
        let mut events = Vec::new();
        while let Some(event) = reader.next().await {
            events.push(event);
        }
        events
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Vec<u8>>,
    ) -> reqwest::RequestBuilder {
        let mut given = HeaderMap::new();
        for (name, value) in headers {
            let name: http::HeaderName = name.parse().unwrap();
            given.append(name, value.parse().unwrap());
        }
        let request = self.http.request(method, format!("{}{path}", self.base)).headers(given);
        match body {
            Some(body) => request.body(body),
            None => request,
        }
    }

    /// Registers a study.
    pub async fn create_study(&self, study_id: &str) {
        self.post(&format!("/studies/{study_id}/"), &serde_json::json!({"studyId": study_id})).await.ok();
    }

    /// Registers the next version of an analysis type that asks for an object `experiment` and nothing else.
    pub async fn register_minimal(&self, name: &str) {
        self.post("/schemas", &minimal_type(name)).await.ok();
    }

    /// Submits a payload to the study it names and returns the id of the new analysis.
    pub async fn submit(&self, payload: &Payload) -> String {
        let answer = self.post(&format!("/submit/{}", payload.study_id()), &payload.build()).await.ok();
        answer["analysisId"].as_str().unwrap().to_owned()
    }

    /// Returns an analysis.
    pub async fn analysis(&self, study_id: &str, analysis_id: &str) -> Value {
        self.get(&format!("/studies/{study_id}/analysis/{analysis_id}")).await.ok()
    }
}
