//! Analysis types: every version in the order of registration, so that each gets the number it had.

use std::collections::HashMap;

use cantata_core::analysis_type::check_type_name;
use cantata_core::{AnalysisType, AnalysisTypeId, ExternalValidation, PartialTypeOptions, TypeOptions};
use cantata_metadata::external::{check_rule, remove_credentials};
use cantata_store::{NewAnalysisType, Store};
use serde::Deserialize;
use serde_json::Value;

use crate::ImportError;
use crate::convert::timestamp;
use crate::error::RowError;
use crate::exact_json;
use crate::rows::TypeRow;

/// The options of a type as SONG keeps them. One of them had another name for a while.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SongTypeOptions {
    file_types: Option<Vec<String>>,
    #[serde(alias = "externalValidation")]
    external_validations: Option<Vec<ExternalValidation>>,
}

/// Imports the analysis types of a database.
#[derive(Default)]
pub(crate) struct TypeImporter {
    /// The type version that each row became.
    pub(crate) imported: HashMap<i64, AnalysisTypeId>,
    /// What to know of the external validations of the imported versions.
    pub(crate) notes: Vec<String>,
    /// The options of the latest version of each name.
    options: HashMap<String, TypeOptions>,
}

impl TypeImporter {
    /// Imports a version; returns why that is not possible as the inner error.
    pub(crate) async fn import(
        &mut self,
        row: TypeRow,
        store: &dyn Store,
    ) -> Result<Result<AnalysisType, RowError>, ImportError> {
        let row_id = row.id;
        let (version, given) = match registered(row) {
            Ok(registered) => registered,
            Err(reason) => return Ok(Err(reason)),
        };
        let id = AnalysisTypeId { name: given.name.clone(), version };
        let mut expected = AnalysisType {
            id: id.clone(),
            created_at: given.created_at,
            options: given.options.clone().inherit(self.options.get(&id.name)),
            schema: given.schema.clone(),
        };
        let notes = clean_rules(&mut expected);
        let latest = store.latest_type_version(&id.name).await?.unwrap_or_default();
        if id.version > latest + 1 {
            return Ok(Err(
                format!("version {latest} is the latest here, so it cannot become version {}", id.version).into()
            ));
        }
        if id.version == latest + 1 {
            let options = PartialTypeOptions {
                file_types: Some(expected.options.file_types.clone()),
                external_validations: Some(expected.options.external_validations.clone()),
            };
            store.register_type(NewAnalysisType { options, ..given }).await?;
        }
        match stored_version(store, &id).await? {
            Some(here) if here.schema == expected.schema && here.options == expected.options => {
                self.options.insert(id.name.clone(), expected.options.clone());
                self.notes.extend(notes);
                self.imported.insert(row_id, id);
                Ok(Ok(expected))
            }
            _ => Ok(Err("this version is registered here with another schema or other options; import into a store \
                         that no server was started on yet"
                .into())),
        }
    }
}

/// Returns a version as it is here, without the credentials that an earlier version of this import has stored.
pub(crate) async fn stored_version(
    store: &dyn Store,
    id: &AnalysisTypeId,
) -> cantata_store::Result<Option<AnalysisType>> {
    let mut here = store.analysis_type(&id.name, Some(id.version)).await?;
    for rule in here.iter_mut().flat_map(|here| &mut here.options.external_validations) {
        remove_credentials(rule);
    }
    Ok(here)
}

/// Removes credentials from the external validations of a version, which everybody who lists the types can read, and
/// returns what to know of the rules that nobody could register here.
fn clean_rules(version: &mut AnalysisType) -> Vec<String> {
    let AnalysisTypeId { name, version: number } = &version.id;
    let mut notes = Vec::new();
    for (index, rule) in version.options.external_validations.iter_mut().enumerate() {
        let place = format!("analysis type {name}:{number}: externalValidations/{index}");
        if remove_credentials(rule) {
            notes.push(format!(
                "{place}/url: its user and password are left out, because everybody who lists the analysis types could \
                 read them; the service is called without them"
            ));
        }
        if let Err(error) = check_rule(rule) {
            notes.push(format!("{place}/{error}; register a version with other externalValidations"));
        }
    }
    notes
}

/// Returns a version as it was registered in SONG, and its number.
fn registered(row: TypeRow) -> Result<(u32, NewAnalysisType), RowError> {
    let name = row.name.ok_or("it has no name")?;
    check_type_name(&name).map_err(|error| error.text)?;
    let version = u32::try_from(row.version).ok().filter(|version| *version > 0);
    let schema = exact_json::parse(row.schema.as_deref().ok_or("it has no schema")?);
    let SongTypeOptions { file_types, external_validations } =
        match exact_json::parse(row.options.as_deref().unwrap_or("null"))? {
            Value::Null => SongTypeOptions::default(),
            options => {
                serde_json::from_value(options).map_err(|error| format!("its options cannot be read: {error}"))?
            }
        };
    let version = version.ok_or("its version is no number above 0")?;
    let new = NewAnalysisType {
        name,
        schema: schema.map_err(|reason| format!("its schema: {reason}"))?,
        options: PartialTypeOptions { file_types, external_validations },
        created_at: timestamp(row.created_at).ok_or("its created_at is no moment")?,
    };
    Ok((version, new))
}
