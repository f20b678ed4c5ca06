//! What of a payload is stored, and how.

use cantata_testkit::Payload;
use http::Method;
use serde_json::json;

use crate::support::{keys, server_with_study};

#[tokio::test]
async fn data_is_stored_as_it_came() {
    let server = server_with_study().await;
    let data = json!({"z": "", "a": null, "n": [1, "", null, 1.5, -0.0, 12_345_678_901_234_567_890_u64], "é": "\u{0}\u{1F600}\"\\"});
    let payload = Payload::new("S").with("zebra", data.clone()).with("ant", json!([])).with("info", json!({}));
    let analysis = server.analysis("S", &server.submit(&payload).await).await;
    assert_eq!(analysis["zebra"].to_string(), data.to_string(), "values and their order");
    assert_eq!(keys(&analysis)[10..], ["experiment", "zebra", "ant", "info"]);
}

#[tokio::test]
async fn integers_that_would_be_rounded_are_refused_with_their_place() {
    let server = server_with_study().await;
    let written = |integer: &str| {
        Payload::new("S").with("counts", json!([1, {"n": "N"}])).build().to_string().replace(r#""N""#, integer)
    };
    for integer in ["18446744073709551616", "-9223372036854775809", "123456789012345678901234567890"] {
        let place = format!("#/counts/1/n: the integer {integer} has more than 64 bits");
        let body = written(integer);
        let refused = server.send(Method::POST, "/submit/S", &[], Some(body.clone().into_bytes())).await;
        let message = refused.assert_error_id(422, "payload.parsing");
        assert!(message.contains(&place), "{message}");
        let batch = server.send(Method::POST, "/submit/S/batch", &[], Some(format!("[{body}]").into_bytes())).await;
        assert!(batch.text().contains(&place), "{}", batch.text());
    }
    let exact = server.send(Method::POST, "/submit/S", &[], Some(written("18446744073709551615").into_bytes())).await;
    let analysis_id = exact.ok()["analysisId"].as_str().unwrap().to_owned();
    let path = format!("/studies/S/analysis/{analysis_id}");
    let patch = br#"{"counts": [18446744073709551616]}"#.to_vec();
    let refused = server.send(Method::PATCH, &path, &[], Some(patch)).await;
    let text = "#/counts/0: the integer 18446744073709551616 has more than 64 bits and would be rounded; write it as a \
                string";
    refused.assert_error(400, "HttpServer", "malformed.request.body", text);
    assert!(server.get(&path).await.text().contains(r#""counts":[1,{"n":18446744073709551615}]"#));
}

#[tokio::test]
async fn whole_numbers_are_sizes_however_they_are_written() {
    let server = server_with_study().await;
    for (written, size) in [(json!(0), 0), (json!(5.0), 5), (json!(3e3), 3000), (json!(i64::MAX), i64::MAX)] {
        let payload = Payload::new("S").with_file_member(0, "fileSize", written);
        let analysis = server.analysis("S", &server.submit(&payload).await).await;
        assert_eq!(analysis["files"][0]["fileSize"].to_string(), size.to_string());
    }
}

#[tokio::test]
async fn unknown_members_of_a_file_go_into_its_info() {
    let server = server_with_study().await;
    let payload = Payload::new("S")
        .with_file_member(0, "info", json!({"k": "v"}))
        .with_file_member(0, "comp", "gzip")
        .with_file_member(0, "objectId", "mine")
        .with_file_member(0, "analysisId", "mine")
        .with_file_member(0, "studyId", "mine");
    let analysis_id = server.submit(&payload).await;
    let file = &server.analysis("S", &analysis_id).await["files"][0];
    assert_eq!(
        keys(file),
        [
            "info",
            "objectId",
            "studyId",
            "analysisId",
            "fileName",
            "fileSize",
            "fileType",
            "fileMd5sum",
            "fileAccess",
            "dataType"
        ]
    );
    assert_eq!(file["info"].to_string(), r#"{"k":"v","comp":"gzip"}"#);
    assert_eq!((&file["studyId"], &file["analysisId"]), (&json!("S"), &json!(analysis_id)));
}

#[tokio::test]
async fn object_ids_come_from_analysis_id_and_file_name() {
    let server = server_with_study().await;
    let analysis_id = server.submit(&Payload::new("S").with_files(2)).await;
    let analysis = server.analysis("S", &analysis_id).await;
    for (index, name) in ["file0.vcf", "file1.vcf"].iter().enumerate() {
        let expected = uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_OID, format!("{analysis_id}:{name}").as_bytes());
        assert_eq!(analysis["files"][index]["objectId"], expected.to_string());
    }
}

#[tokio::test]
async fn checksums_keep_their_case() {
    let server = server_with_study().await;
    let md5 = format!("ABCDEF{}", &cantata_testkit::unique_md5()[6..]);
    let payload = Payload::new("S").with_file_member(0, "fileMd5sum", md5.as_str());
    assert_eq!(server.analysis("S", &server.submit(&payload).await).await["files"][0]["fileMd5sum"], md5);
}

/// The last of two members of one name counts, and the answer has it once.
#[tokio::test]
async fn no_name_is_ever_shown_twice() {
    let server = server_with_study().await;
    let payload = Payload::new("S").with("twice", 1).build().to_string();
    let payload = payload.replace(r#""twice":1"#, r#""twice":1,"twice":2"#);
    let submitted = server.send(Method::POST, "/submit/S", &[], Some(payload.into_bytes())).await.ok();
    let path = format!("/studies/S/analysis/{}", submitted["analysisId"].as_str().unwrap());
    let text = server.get(&path).await;
    assert_eq!(text.text().matches("twice").count(), 1);
    assert_eq!(text.json()["twice"], 2);
}
