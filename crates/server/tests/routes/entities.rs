//! `/entities` and `/entities/{id}`

use cantata_testkit::{Payload, TestServer};
use serde_json::{Value, json};

use crate::support::{column, keys, object_id, server_with_analysis, server_with_study};

#[tokio::test]
async fn an_entity_is_a_file_in_the_words_of_storage_servers() {
    let (server, analysis_id) = server_with_analysis().await;
    let id = object_id(&server, &analysis_id, 0).await;
    let text =
        format!(r#"{{"id":"{id}","gnosId":"{analysis_id}","fileName":"file0.vcf","projectCode":"S","access":"open"}}"#);
    server.get(&format!("/entities/{id}")).await.assert_text(200, &text);
    server.put_empty(&format!("/studies/S/analysis/suppress/{analysis_id}")).await.ok();
    server.get(&format!("/entities/{id}")).await.assert_text(200, &text);
    for unknown in ["none", analysis_id.as_str()] {
        let text = format!("The entity with id '{unknown}' was not found");
        let refused = server.get(&format!("/entities/{unknown}")).await;
        refused.assert_error(404, "LegacyEntityService", "legacy.entity.not.found", &text);
    }
}

/// A server with two analyses of three files in `S` and one of one controlled file in `T`.
async fn server() -> (TestServer, Vec<String>) {
    let server = server_with_study().await;
    server.create_study("T").await;
    let mut ids = Vec::new();
    for payload in [Payload::new("S").with_files(3), Payload::new("S").with_files(3)] {
        ids.push(server.submit(&payload).await);
    }
    ids.push(server.submit(&Payload::new("T").with_file_member(0, "fileAccess", "controlled")).await);
    (server, ids)
}

#[tokio::test]
async fn a_page_has_the_form_that_clients_read() {
    let (server, _) = server().await;
    let page = server.get("/entities?size=2").await.ok();
    assert_eq!(
        keys(&page),
        [
            "content",
            "pageable",
            "totalElements",
            "totalPages",
            "last",
            "size",
            "number",
            "sort",
            "numberOfElements",
            "first",
            "empty"
        ]
    );
    assert_eq!(keys(&page["content"][0]), ["id", "gnosId", "fileName", "projectCode", "access"]);
    let sort = json!({"sorted": true, "empty": false, "unsorted": false});
    assert_eq!(
        page["pageable"].to_string(),
        json!({"sort": sort, "pageSize": 2, "pageNumber": 0, "offset": 0, "paged": true, "unpaged": false}).to_string()
    );
    assert_eq!(page["sort"].to_string(), sort.to_string());
    let numbers = |page: &Value| {
        ["totalElements", "totalPages", "last", "size", "number", "numberOfElements", "first", "empty"]
            .map(|name| page[name].clone())
    };
    assert_eq!(json!(numbers(&page)), json!([7, 4, false, 2, 0, 2, true, false]));
    let last = server.get("/entities?size=2&page=3").await.ok();
    assert_eq!(json!(numbers(&last)), json!([7, 4, true, 2, 3, 1, false, false]));
    assert_eq!(last["pageable"]["offset"], 6);
    let beyond = server.get("/entities?size=2&page=4").await.ok();
    assert_eq!(json!(numbers(&beyond)), json!([7, 4, true, 2, 4, 0, false, true]));
    let none = server.get("/entities?id=none").await.ok();
    assert_eq!(json!(numbers(&none)), json!([0, 0, true, 10, 0, 0, true, true]));
    let far = server.get("/entities?size=2000&page=2147483647").await.ok();
    assert_eq!(json!(numbers(&far)), json!([7, 1, true, 2000, 2_147_483_647, 0, false, true]));
    let defaults = server.get("/entities").await.ok();
    for query in [
        "size=0",
        "size=x",
        "size=-5",
        "size=18446744073709551615",
        "size=",
        "page=-1",
        "page=x",
        "page=18446744073709551615",
    ] {
        assert_eq!(server.get(&format!("/entities?{query}")).await.ok(), defaults, "{query}");
    }
    assert_eq!(server.get("/entities?size=2001").await.ok()["size"], 2000);
}

#[tokio::test]
async fn pages_put_together_are_all_entities_in_the_order_of_their_ids() {
    let (server, _) = server().await;
    let all = server.get("/entities").await.ok();
    let ids = column(&all["content"], "id");
    assert_eq!(ids.len(), 7);
    assert!(ids.is_sorted_by(|a, b| a < b));
    let mut collected = Vec::new();
    for number in 0..4 {
        let page = server.get(&format!("/entities?size=2&page={number}")).await.ok();
        collected.extend(page["content"].as_array().unwrap().clone());
    }
    assert_eq!(json!(collected), all["content"]);
}

#[tokio::test]
async fn pages_by_key_put_together_are_all_entities_and_count_nothing() {
    let (server, _) = server().await;
    let all = server.get("/entities").await.ok();
    for size in [1, 2, 7, 10] {
        let (mut collected, mut after) = (Vec::new(), String::new());
        loop {
            let page = server.get(&format!("/entities?size={size}&after={after}&fields=id,fileName")).await.ok();
            assert_eq!((page.get("totalElements"), page.get("totalPages")), (None, None), "{page}");
            collected.extend(column(&page["content"], "id").into_iter().map(str::to_owned));
            assert_eq!(page["last"], page.get("next").is_none(), "{page}");
            match page.get("next").and_then(Value::as_str) {
                Some(next) => after = next.to_owned(),
                None => break,
            }
        }
        assert_eq!(collected, column(&all["content"], "id"), "{size}");
    }
    let in_study = server.get("/entities?projectCode=T&after=").await.ok();
    assert_eq!(in_study["numberOfElements"], 1);
    server.get("/entities?after=first").await.assert_error_id(400, "malformed.parameter");
}

#[tokio::test]
async fn filters_are_exact_and_all_apply() {
    let (server, ids) = server().await;
    let object_id = object_id(&server, &ids[0], 1).await;
    for (query, count) in [
        (format!("gnosId={}", ids[0]), 3),
        (format!("id={object_id}"), 1),
        (format!("id={object_id}&gnosId={}", ids[1]), 0),
        (format!("gnosId={}&fileName=file2.vcf", ids[1]), 1),
        ("fileName=file0.vcf".to_owned(), 3),
        ("fileName=file0".to_owned(), 0),
        ("projectCode=S".to_owned(), 6),
        ("projectCode=s".to_owned(), 0),
        ("projectCode=S&fileName=file0.vcf".to_owned(), 2),
        ("access=controlled".to_owned(), 1),
        ("access=open&projectCode=T".to_owned(), 0),
        ("access=secret".to_owned(), 0),
        ("gnosId=%00".to_owned(), 0),
    ] {
        assert_eq!(server.get(&format!("/entities?{query}")).await.ok()["totalElements"], count, "{query}");
    }
}

#[tokio::test]
async fn fields_can_be_chosen_one_by_one() {
    let (server, _) = server().await;
    let page = server.get("/entities?fields=fileName&fields=id").await.ok();
    assert_eq!(keys(&page["content"][0]), ["id", "fileName"]);
    assert_eq!(server.get("/entities?fields=fileName,id").await.ok(), page);
    let text = "The filter parameters 'size,donor' must be a subset of the following legal filter parameters \
                'id,gnosId,fileName,projectCode,access'";
    let refused = server.get("/entities?fields=id,size&fields=donor").await;
    refused.assert_error(400, "LegacyEntityService", "illegal.filter.parameter", text);
}

#[tokio::test]
async fn parameters_that_are_not_known_are_refused() {
    let (server, _) = server().await;
    let refused = server.get("/entities?sort=id&size=1&donor=x").await;
    let text = "The query parameters 'sort,donor' must be a subset of the following legal query parameters \
                'id,gnosId,fileName,projectCode,access,fields,page,size,after'";
    refused.assert_error(400, "LegacyEntityService", "illegal.query.parameter", text);
}
