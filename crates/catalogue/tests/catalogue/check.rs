//! The report of `cantata check`.

use cantata_catalogue::check::check;
use cantata_catalogue::{CatalogueConfigs, CatalogueError, CatalogueErrorCode};
use serde_json::json;

use crate::support::{config, mapping, sample_properties};

#[test]
fn the_report_says_what_is_generated_and_what_does_not_fit() {
    let configs = CatalogueConfigs::single(config(json!({ "maxdepth": 3, "extended": [{ "fieldName": "nope" }] })));
    let report = check(&configs, |config| {
        assert_eq!(config.index, "files");
        Ok(mapping(sample_properties()))
    });
    let catalogue = &report.catalogues[0];
    assert!(report.is_usable());
    assert_eq!((catalogue.generated.as_slice(), catalogue.field_count), (&["facets", "table"][..], 17));
    assert_eq!(catalogue.problems[0].key, "maxdepth");
    let misfits: Vec<&str> = catalogue.misfits.iter().map(|problem| problem.key.as_str()).collect();
    assert_eq!(misfits, ["donors.specimens.samples.score", "extended[0].fieldName"]);
}

#[test]
fn the_report_says_why_a_catalogue_cannot_be_served() {
    let configs = CatalogueConfigs::single(config(json!({})));
    let error = CatalogueError::new(CatalogueErrorCode::ConnectionError, "The search engine does not answer.");
    let report = check(&configs, |_| Err(error.clone()));
    assert!(!report.is_usable());
    assert_eq!(report.catalogues[0].error, Some(error));
}

#[test]
fn catalogues_of_one_id_cannot_be_served_together() {
    let problems = CatalogueConfigs::multiple(vec![config(json!({})), config(json!({}))]).unwrap_err();
    assert_eq!(
        problems[0].to_string(),
        "configuration, `catalogId`: found \"files\", which another catalogue has too, expected an id for each \
         catalogue"
    );
}
