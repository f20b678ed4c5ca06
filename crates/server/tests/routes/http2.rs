//! HTTP/2, with prior knowledge.

use std::time::Duration;

use bytes::Bytes;
use cantata_testkit::{Payload, TestServer};
use futures_util::future::join_all;
use http::{Request, StatusCode, Version};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::support::server_with_study;

async fn connect(server: &TestServer) -> SendRequest<Full<Bytes>> {
    let stream = TcpStream::connect(server.address()).await.unwrap();
    let (requests, connection) = handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    requests
}

async fn send(requests: &SendRequest<Full<Bytes>>, method: &str, path: &str, body: String) -> (StatusCode, Value) {
    let request = Request::builder().method(method).uri(format!("http://song.example{path}")).version(Version::HTTP_2);
    let request = request.header("content-type", "application/json").body(Full::new(Bytes::from(body))).unwrap();
    let response = requests.clone().send_request(request).await.unwrap();
    assert_eq!(response.version(), Version::HTTP_2);
    let status = response.status();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, serde_json::from_slice(&body).unwrap_or_default())
}

#[tokio::test]
async fn requests_of_one_connection_run_side_by_side() {
    let server = server_with_study().await;
    let requests = connect(&server).await;
    let submit = |_| send(&requests, "POST", "/submit/S", Payload::new("S").build().to_string());
    for (status, body) in join_all((0..50).map(submit)).await {
        assert_eq!((status, &body["status"]), (StatusCode::OK, &json!("OK")), "{body}");
    }
    let (_, listed) = send(&requests, "GET", "/studies/S/analysis?analysisStates=UNPUBLISHED", String::new()).await;
    assert_eq!(listed.as_array().unwrap().len(), 50);
}

#[tokio::test]
async fn errors_name_the_address_that_was_asked_for() {
    let server = TestServer::start().await;
    let (status, body) = send(&connect(&server).await, "GET", "/studies/none/", String::new()).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert_eq!(body["requestUrl"], "http://song.example/studies/none/", "{body}");
}

#[tokio::test]
async fn connections_that_ask_for_nothing_are_closed_and_others_stay() {
    let timeout = Duration::from_secs(3);
    let server = TestServer::builder().limits(|limits| limits.client_timeout = timeout).start().await;
    let (idle, used) = (connect(&server).await, connect(&server).await);
    for _ in 0..8 {
        assert_eq!(send(&used, "GET", "/isAlive", String::new()).await.0, StatusCode::OK);
        tokio::time::sleep(timeout / 4).await;
    }
    assert!(idle.is_closed());
}
