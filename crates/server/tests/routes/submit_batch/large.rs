//! Batches that fit into no buffer.

use cantata_testkit::{Payload, raw};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::server_with_study;

/// The results must not wait for a client that reads none of them before it has sent everything.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_may_send_everything_before_it_reads_anything() {
    const COUNT: usize = 20_000;
    let server = server_with_study().await;
    let mut body = Vec::new();
    for index in 0..COUNT {
        if index % 2 == 0 {
            body.extend_from_slice(Payload::new("S").build().to_string().as_bytes());
        } else {
            body.extend_from_slice(format!("{{\"analysisType\":{{\"name\":\"none{index}\"}}}}").as_bytes());
        }
        body.push(b'\n');
    }
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let request = raw::request("POST", b"/submit/S/batch", &["content-type: application/x-ndjson"], &body);
    stream.write_all(&request).await.unwrap();
    let response = raw::read_response(&mut stream).await.unwrap();
    assert_eq!(response.status, 200);
    let mut count = 0;
    for (index, line) in String::from_utf8(response.body).unwrap().lines().enumerate() {
        let result: Value = serde_json::from_str(line).unwrap();
        assert_eq!(result["index"], index);
        assert_eq!(result["status"], if index % 2 == 0 { "OK" } else { "ERROR" }, "{result}");
        if index % 2 == 1 {
            assert!(result["message"].as_str().unwrap().contains(&format!("'none{index}'")), "{result}");
        }
        count += 1;
    }
    assert_eq!(count, COUNT);
    let page = server.get("/studies/S/analysis/paginated?analysisStates=UNPUBLISHED&limit=1").await.ok();
    assert_eq!(page["totalAnalyses"], COUNT / 2);
}

/// Payloads that are checked elsewhere because of their size keep their place, and the first of equal ones wins.
#[tokio::test(flavor = "multi_thread")]
async fn large_payloads_keep_their_place() {
    let server = server_with_study().await;
    let small = Payload::new("S").with("tag", "small");
    let large = small.clone().with("tag", "large").with("text", "x".repeat(2_000_000));
    let others: Vec<Value> = (0..10).map(|_| Payload::new("S").build()).collect();
    let mut batch = vec![large.build(), small.build()];
    batch.extend(others);
    let results = server.post("/submit/S/batch", &json!(batch)).await.ok();
    assert_eq!(results[0]["status"], "OK", "the first of two payloads with one checksum wins: {results}");
    assert_eq!(results[1]["errorId"], "info.already.exists");
    assert_eq!(results.as_array().unwrap().len(), 12);
}

/// A client may wait for the result of each line before it sends the next one.
#[tokio::test]
async fn each_line_is_answered_as_soon_as_it_is_stored() {
    let server = server_with_study().await;
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let head = "POST /submit/S/batch HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-ndjson\r\n\
                transfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut received = String::new();
    for index in 0..3 {
        let line = format!("{}\n", Payload::new("S").build());
        stream.write_all(format!("{:x}\r\n{line}\r\n", line.len()).as_bytes()).await.unwrap();
        let begin = format!("{{\"index\":{index},\"status\":\"OK\"");
        while !received.split_once(&begin).is_some_and(|(_, rest)| rest.contains("}\n")) {
            let mut piece = [0; 4096];
            let length = stream.read(&mut piece).await.unwrap();
            assert_ne!(length, 0, "the connection ended: {received}");
            received.push_str(std::str::from_utf8(&piece[..length]).unwrap());
        }
    }
    assert_eq!(server.events_after(0).await.len(), 3);
}
