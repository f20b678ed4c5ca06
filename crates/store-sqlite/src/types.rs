//! Analysis types in SQLite.

use cantata_core::{AnalysisType, AnalysisTypeId};
use cantata_store::{NewAnalysisType, Result, StoreError, TypeKey, TypeQuery, decode_type};
use rusqlite::{Connection, OptionalExtension, Row};

use crate::checksum::{check, checksum_of};
use crate::database::with_statement;

const OPERATION: &str = "using the analysis types";

/// The columns of a type: name, version, time of registration, options, schema, checksum.
type TypeRow = (String, u32, i64, String, String, Option<u32>);

pub(crate) fn register(connection: &Connection, new: NewAnalysisType) -> Result<AnalysisType> {
    let latest = find(connection, &new.name, None)?;
    let registered = new.into_version(latest.as_ref());
    let as_json = |error: serde_json::Error| StoreError::failed("writing an analysis type as JSON", error);
    let options = serde_json::to_string(&registered.options).map_err(as_json)?;
    let schema = serde_json::to_string(&registered.schema).map_err(as_json)?;
    let sql = "INSERT INTO analysis_type (name, version, created_at, options, schema, checksum)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let AnalysisTypeId { name, version } = &registered.id;
    let checksum = checksum_of(&[name.as_bytes(), &version.to_le_bytes(), options.as_bytes(), schema.as_bytes()]);
    let params = (name, version, registered.created_at.as_micros(), options, schema, checksum);
    with_statement(connection, OPERATION, sql, |insert| insert.execute(params))?;
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
    let sql = "SELECT name, version, created_at, options, schema, checksum FROM analysis_type
             WHERE name = ?1 AND (?2 IS NULL OR version = ?2) ORDER BY version DESC LIMIT 1";
    let row = with_statement(connection, OPERATION, sql, |select| {
        select.query_row((name, version), |row| TypeRow::try_from(row)).optional()
    })?;
    row.map(read_type).transpose()
}

pub(crate) fn latest_version(connection: &Connection, name: &str) -> Result<Option<u32>> {
    let sql = "SELECT max(version) FROM analysis_type WHERE name = ?1";
    with_statement(connection, OPERATION, sql, |select| select.query_row([name], |row| row.get(0)))
}

pub(crate) fn list(connection: &Connection, query: &TypeQuery) -> Result<(u64, Vec<AnalysisType>)> {
    let sql = "SELECT registration, name, version FROM analysis_type";
    let key = |row: &Row<'_>| {
        let id = AnalysisTypeId { name: row.get(1)?, version: row.get(2)? };
        Ok(TypeKey { registration: row.get(0)?, id })
    };
    let keys = with_statement(connection, OPERATION, sql, |select| select.query_map([], key)?.collect())?;
    let (total, registrations) = query.select(keys);
    let sql = "SELECT name, version, created_at, options, schema, checksum FROM analysis_type WHERE registration = ?1";
    let types = registrations.into_iter().map(|registration| {
        read_type(with_statement(connection, OPERATION, sql, |select| {
            select.query_row([registration], |row| TypeRow::try_from(row))
        })?)
    });
    Ok((total, types.collect::<Result<_>>()?))
}

fn read_type((name, version, created_at, options, schema, checksum): TypeRow) -> Result<AnalysisType> {
    let columns: [&[u8]; 4] = [name.as_bytes(), &version.to_le_bytes(), options.as_bytes(), schema.as_bytes()];
    check(checksum, &columns, || format!("version {version} of analysis type {name}"))?;
    decode_type(AnalysisTypeId { name, version }, created_at, &options, &schema)
}
