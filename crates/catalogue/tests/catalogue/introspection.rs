//! What introspection says about catalogues.

use cantata_catalogue::introspection::{
    AmbiguousCatalogueBody, CatalogueNotFoundBody, CatalogueResolution, CatalogueState, FailedCatalogue,
    FailedCatalogueBody, ServerIntrospectionBody, resolve,
};
use cantata_catalogue::{Catalogue, CatalogueError, CatalogueErrorCode, CatalogueMode};
use serde_json::json;

use crate::support::{build, sample};

fn catalogue(id: &str, document_type: &str) -> Catalogue {
    build(json!({ "catalogId": id, "documentType": document_type }), json!({}))
}

fn failed() -> FailedCatalogue {
    FailedCatalogue {
        id: "gamma".into(),
        document_type: "thing".into(),
        description: None,
        error: CatalogueError::new(CatalogueErrorCode::IndexNotFound, "The index was not found."),
    }
}

#[test]
fn the_directory_lists_every_catalogue() {
    let (sample, failed) = (sample(), failed());
    let states = [CatalogueState::Available(&sample), CatalogueState::Failed(&failed)];
    let body = serde_json::to_string(&ServerIntrospectionBody::new(CatalogueMode::Multiple, &states)).unwrap();
    let expected = json!({
        "catalogCount": 2,
        "catalogs": {
            "files": {
                "description": "Files of a study",
                "documentType": "file",
                "limits": { "maxAliases": 15, "maxDepth": 12, "maxCost": 10_000_000,
                    "maxResponseBytes": 268_435_456, "maxResultsWindow": 5000 },
                "paths": { "graphql": "/files/graphql", "introspection": "/introspection/files" },
                "status": "available",
            },
            "gamma": {
                "documentType": "thing",
                "error": { "code": "index_not_found", "message": "The index was not found." },
                "paths": { "graphql": "/gamma/graphql", "introspection": "/introspection/gamma" },
                "status": "failed",
            },
        },
        "mode": "multiple",
        "sqonSchemaPath": "/introspection/sqon",
        "status": "degraded",
    });
    assert_eq!(body, expected.to_string());
}

#[test]
fn a_single_catalogue_is_addressed_without_its_name() {
    let sample = sample();
    let body = ServerIntrospectionBody::new(CatalogueMode::Single, &[CatalogueState::Available(&sample)]);
    assert_eq!(
        serde_json::to_value(&body.catalogs.get("files").unwrap().paths).unwrap(),
        json!({ "fields": "/introspection/fields", "graphql": "/graphql", "introspection": "/introspection/files" })
    );
    assert_eq!(serde_json::to_value(&body).unwrap()["status"], "healthy");
    let failed = failed();
    let body = ServerIntrospectionBody::new(CatalogueMode::Single, &[CatalogueState::Failed(&failed)]);
    assert_eq!(serde_json::to_value(&body).unwrap()["status"], "unhealthy");
}

#[test]
fn a_failed_catalogue_says_why() {
    let body = json!({
        "catalogueId": "gamma",
        "documentType": "thing",
        "error": { "code": "index_not_found", "message": "The index was not found." },
        "status": "failed",
    });
    assert_eq!(serde_json::to_value(FailedCatalogueBody::new(&failed())).unwrap(), body);
    let mut elsewhere = body;
    elsewhere["details"] = json!("/introspection/gamma");
    assert_eq!(serde_json::to_value(FailedCatalogueBody::with_link(&failed())).unwrap(), elsewhere);
}

#[test]
fn a_segment_means_an_id_or_else_a_document_type() {
    let catalogues = [catalogue("alpha", "file"), catalogue("beta", "file"), catalogue("file2", "donor")];
    let failed = failed();
    let mut states: Vec<CatalogueState<'_>> = catalogues.iter().map(CatalogueState::Available).collect();
    states.push(CatalogueState::Failed(&failed));
    assert_eq!(resolve("beta", &states), CatalogueResolution::One(1));
    assert_eq!(resolve("donor", &states), CatalogueResolution::One(2));
    assert_eq!(resolve("thing", &states), CatalogueResolution::One(3));
    assert_eq!(resolve("file", &states), CatalogueResolution::Ambiguous(vec!["alpha".into(), "beta".into()]));
    assert_eq!(resolve("Beta", &states), CatalogueResolution::One(1));
    assert_eq!(resolve("DONOR", &states), CatalogueResolution::One(2));
    assert_eq!(resolve("File2", &states), CatalogueResolution::One(2));
    assert_eq!(resolve("File", &states), CatalogueResolution::Ambiguous(vec!["alpha".into(), "beta".into()]));
    assert_eq!(resolve("bet", &states), CatalogueResolution::Unknown);
    assert_eq!(resolve("", &states), CatalogueResolution::Unknown);
}

#[test]
fn names_that_lead_nowhere_or_to_several_are_answered() {
    assert_eq!(
        serde_json::to_value(CatalogueNotFoundBody::new("nope")).unwrap(),
        json!({ "error": "Catalogue \"nope\" was not found." })
    );
    assert_eq!(
        serde_json::to_value(AmbiguousCatalogueBody::new("file", vec!["alpha".into(), "beta".into()])).unwrap(),
        json!({
            "documentType": "file",
            "error": {
                "code": "ambiguous_document_type",
                "message": "documentType \"file\" matches multiple catalogues; use the catalogue id instead.",
            },
            "matchingCatalogueIds": ["alpha", "beta"],
        })
    );
}
