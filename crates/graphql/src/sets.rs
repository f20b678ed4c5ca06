//! Saved sets as a catalogue of their own: the fields that the index of the sets has.

use cantata_catalogue::{Catalogue, CatalogueConfig, CatalogueError, Defaults, ErrorCode};
use cantata_mapping::{Covers, IndexMapping};
use serde_json::{Value, json};

use crate::sdl::SETS;

/// The field that says under which view a set was saved. Clients are not shown it.
pub(crate) const VIEW: &str = "view";

/// Returns the mapping of the index of saved sets.
pub fn sets_mapping() -> Value {
    json!({ "properties": {
        "createdAt": { "type": "date" },
        "ids": { "type": "keyword" },
        "name": { "type": "keyword" },
        "path": { "type": "keyword" },
        "setId": { "type": "keyword" },
        "size": { "type": "long" },
        "sqon": { "type": "object", "enabled": false },
        "type": { "type": "keyword" },
        "userId": { "type": "keyword" },
        VIEW: { "type": "keyword" },
    } })
}

/// Returns the catalogue of the sets that a catalogue saves.
pub(crate) fn catalogue_of_sets(records: &Catalogue) -> Result<Catalogue, CatalogueError> {
    let failed = |message: String| CatalogueError::new(ErrorCode::SchemaBuildError, message);
    let config = json!({
        "esIndex": records.sets.index,
        // The name itself is kept from configurations; it is put in below.
        "documentType": "savedSet",
        "extended": [{ "fieldName": "ids", "isArray": true }],
    });
    let config = CatalogueConfig::from_value(SETS, &config, &Defaults::default())
        .map_err(|problems| failed(format!("The saved sets have no schema: {problems:?}.")))?;
    let mapping = IndexMapping::parse(&sets_mapping())
        .map_err(|errors| failed(format!("The saved sets have no mapping: {errors:?}.")))?;
    let covers = Covers { hidden: [VIEW.to_owned()].into(), ..Covers::default() };
    let mut catalogue = Catalogue::build_covered(&config, &mapping, &covers)?;
    catalogue.document_type = SETS.to_owned();
    catalogue.root.type_name = SETS.to_owned();
    catalogue.limits = records.limits;
    Ok(catalogue)
}
