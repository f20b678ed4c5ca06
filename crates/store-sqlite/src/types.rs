//! Analysis types in SQLite.

use cantata_core::{AnalysisType, AnalysisTypeId};
use cantata_store::{NewAnalysisType, Result, StoreError, TypeKey, TypeQuery, decode_type};
use rusqlite::{Connection, OptionalExtension, Row};

fn failed(error: rusqlite::Error) -> StoreError {
    StoreError::failed("using the analysis types", error)
}

pub(crate) fn register(connection: &Connection, new: NewAnalysisType) -> Result<AnalysisType> {
    let latest = find(connection, &new.name, None)?;
    let registered = new.into_version(latest.as_ref());
    let as_json = |error: serde_json::Error| StoreError::failed("writing an analysis type as JSON", error);
    connection
        .prepare_cached(
            "INSERT INTO analysis_type (name, version, created_at, options, schema) VALUES (?1, ?2, ?3, ?4, ?5)",
        )
        .map_err(failed)?
        .execute((
            &registered.id.name,
            registered.id.version,
            registered.created_at.as_micros(),
            serde_json::to_string(&registered.options).map_err(as_json)?,
            serde_json::to_string(&registered.schema).map_err(as_json)?,
        ))
        .map_err(failed)?;
    Ok(registered)
}

pub(crate) fn seed(connection: &Connection, types: Vec<NewAnalysisType>) -> Result<()> {
    for new in types {
        if latest_version(connection, &new.name)?.is_none() {
            register(connection, new)?;
        }
    }
    Ok(())
}

pub(crate) fn find(connection: &Connection, name: &str, version: Option<u32>) -> Result<Option<AnalysisType>> {
    connection
        .prepare_cached(
            "SELECT name, version, created_at, options, schema FROM analysis_type
             WHERE name = ?1 AND (?2 IS NULL OR version = ?2) ORDER BY version DESC LIMIT 1",
        )
        .map_err(failed)?
        .query_row((name, version), |row| Ok(read(row)))
        .optional()
        .map_err(failed)?
        .transpose()
}

pub(crate) fn latest_version(connection: &Connection, name: &str) -> Result<Option<u32>> {
    connection
        .prepare_cached("SELECT max(version) FROM analysis_type WHERE name = ?1")
        .and_then(|mut select| select.query_row([name], |row| row.get(0)))
        .map_err(failed)
}

pub(crate) fn list(connection: &Connection, query: &TypeQuery) -> Result<(u64, Vec<AnalysisType>)> {
    let keys = connection
        .prepare_cached("SELECT registration, name, version FROM analysis_type")
        .and_then(|mut select| {
            let key = |row: &Row<'_>| {
                let id = AnalysisTypeId { name: row.get(1)?, version: row.get(2)? };
                Ok(TypeKey { registration: row.get(0)?, id })
            };
            select.query_map([], key)?.collect()
        })
        .map_err(failed)?;
    let (total, registrations) = query.select(keys);
    let mut by_registration = connection
        .prepare_cached("SELECT name, version, created_at, options, schema FROM analysis_type WHERE registration = ?1")
        .map_err(failed)?;
    let types = registrations
        .into_iter()
        .map(|registration| by_registration.query_row([registration], |row| Ok(read(row))).map_err(failed)?)
        .collect::<Result<_>>()?;
    Ok((total, types))
}

fn read(row: &Row<'_>) -> Result<AnalysisType> {
    let id = AnalysisTypeId { name: row.get(0).map_err(failed)?, version: row.get(1).map_err(failed)? };
    let (options, schema): (String, String) = (row.get(3).map_err(failed)?, row.get(4).map_err(failed)?);
    decode_type(id, row.get(2).map_err(failed)?, &options, &schema)
}
