//! Saved sets as a catalogue of their own.

use cantata_catalogue::{Catalogue, CatalogueConfig, CatalogueError, CatalogueErrorCode, ConfigDefaults};
use cantata_mapping::{IndexMapping, RedactedFields};
use serde_json::{Value, json};

use crate::sdl::SETS;

/// The field with the size of a set without an owner, which is hidden from clients.
pub const SAVED_SET_BYTES: &str = "bytes";

/// The field with the fingerprint of the view that a set was saved under, which is hidden from clients.
pub const SAVED_SET_VIEW: &str = "view";

/// Returns the mapping of the index of saved sets.
pub fn saved_sets_mapping() -> Value {
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
        "owner": { "type": "keyword" },
        "sharedWith": { "type": "keyword" },
        SAVED_SET_VIEW: { "type": "keyword" },
        SAVED_SET_BYTES: { "type": "long" },
    } })
}

/// Returns the catalogue of the sets that a catalogue saves.
pub(crate) fn saved_sets_catalogue(records: &Catalogue) -> Result<Catalogue, CatalogueError> {
    let failed = |message: String| CatalogueError::new(CatalogueErrorCode::SchemaBuildError, message);
    let config = json!({
        "esIndex": records.sets.index,
        // The name itself is reserved in configurations; it is set below.
        "documentType": "savedSet",
        "extended": [{ "fieldName": "ids", "isArray": true }],
    });
    let config = CatalogueConfig::from_value(SETS, &config, &ConfigDefaults::default())
        .map_err(|problems| failed(format!("The saved sets have no schema: {problems:?}.")))?;
    let mapping = IndexMapping::parse(&saved_sets_mapping())
        .map_err(|errors| failed(format!("The saved sets have no mapping: {errors:?}.")))?;
    let hidden = [SAVED_SET_VIEW, SAVED_SET_BYTES, "owner", "sharedWith"].map(str::to_owned);
    let hidden_fields = RedactedFields { hidden: hidden.into(), ..RedactedFields::default() };
    let mut catalogue = Catalogue::build_restricted(&config, &mapping, &hidden_fields)?;
    catalogue.document_type = SETS.to_owned();
    catalogue.root.type_name = SETS.to_owned();
    catalogue.limits = records.limits;
    Ok(catalogue)
}
