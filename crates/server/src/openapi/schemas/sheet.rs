//! Submission sheets, and what became of them.

use cantata_core::AnalysisId;
use cantata_metadata::SheetSubmission;
use cantata_tabular::{Sheet, SheetColumn, SheetLine, SheetViolation};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Sheets that were read before, with corrections.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SheetsBody {
    /// The sheets.
    sheets: Vec<SheetBody>,
}

/// A sheet.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SheetBody {
    /// Its name.
    name: String,
    /// Its columns.
    columns: Vec<SheetColumnName>,
    /// Its rows.
    rows: Vec<SheetRow>,
}

/// A column.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SheetColumnName {
    /// Its name.
    name: String,
}

/// A row of a sheet.
#[derive(Serialize, Deserialize, ToSchema)]
pub(crate) struct SheetRow {
    /// Its number as a spreadsheet shows it.
    row: u32,
    /// The text of each column.
    cells: Vec<String>,
}

impl SheetsBody {
    pub(crate) fn into_sheets(self) -> Vec<Sheet> {
        let sheets = self.sheets.into_iter().map(|sheet| Sheet {
            name: sheet.name,
            columns: sheet.columns.into_iter().map(|column| column.name).collect(),
            rows: sheet.rows.into_iter().map(|line| SheetLine { row: line.row, cells: line.cells }).collect(),
        });
        sheets.collect()
    }
}

/// What is in filled sheets, and what became of it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SheetOutcome {
    /// The type that the sheets were read by.
    analysis_type: SheetType,
    /// `INVALID`, `VALID`, `SUBMITTED` or `PARTIAL`.
    status: &'static str,
    /// How many analyses there are.
    analyses: usize,
    /// The sheets as they were read.
    sheets: Vec<ReadSheet>,
    /// How many violations there are.
    violation_count: u64,
    /// The first of them.
    violations: Vec<SheetViolationBody>,
    /// What became of each analysis, once there was something to store.
    results: Vec<SheetResult>,
}

/// An analysis type in a version.
#[derive(Serialize, ToSchema)]
pub(crate) struct SheetType {
    name: String,
    version: u32,
}

/// A sheet as it was read.
#[derive(Serialize, ToSchema)]
pub(crate) struct ReadSheet {
    /// Its name.
    name: String,
    /// Its columns.
    columns: Vec<ReadColumn>,
    /// Its rows that have a cell.
    rows: Vec<SheetRow>,
}

/// A column of a sheet.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReadColumn {
    /// Its name.
    name: String,
    /// Whether it must be filled.
    is_required: bool,
    /// `text`, `integer`, `number`, `boolean`, `list` or `json`.
    kind: &'static str,
    /// The values that it may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    allowed: Option<Vec<String>>,
}

/// A violation, at its cell.
#[derive(Serialize, ToSchema)]
pub(crate) struct SheetViolationBody {
    /// The sheet.
    sheet: String,
    /// The row as a spreadsheet shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    row: Option<u32>,
    /// The name of the column.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    column: Option<String>,
    /// The cell as a spreadsheet shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    cell: Option<String>,
    /// What the cell has.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    value: Option<String>,
    /// What is wrong, and what is expected.
    message: String,
    /// What the cell may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    allowed: Option<Vec<String>>,
}

/// What became of an analysis of a sheet.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SheetResult {
    /// Its row as a spreadsheet shows it.
    row: u32,
    /// The name of the row.
    name: String,
    /// `OK` or `ERROR`.
    status: &'static str,
    /// The id of the new analysis, if one was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<uuid::Uuid>, nullable = false)]
    analysis_id: Option<AnalysisId>,
    /// What kind of error it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    error_id: Option<&'static str>,
    /// What was found, what was expected, what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    message: Option<String>,
}

impl SheetOutcome {
    pub(crate) fn new(submission: &SheetSubmission, is_validated: bool) -> Self {
        let SheetSubmission { analysis_type, filled, results } = submission;
        let status = match (filled.violation_count(), is_validated) {
            (1.., _) => "INVALID",
            (0, true) => "VALID",
            (0, false) if results.iter().all(Result::is_ok) => "SUBMITTED",
            (0, false) => "PARTIAL",
        };
        let results = results.iter().enumerate().map(|(index, result)| {
            let (row, name) = filled.row_of(index).unwrap_or_default();
            let error = result.as_ref().err();
            SheetResult {
                row,
                name: name.to_owned(),
                status: if error.is_none() { "OK" } else { "ERROR" },
                analysis_id: result.as_ref().ok().copied(),
                error_id: error.map(|error| error.id.as_str()),
                message: error.map(ToString::to_string),
            }
        });
        Self {
            analysis_type: SheetType { name: analysis_type.name.clone(), version: analysis_type.version },
            status,
            analyses: filled.documents().len(),
            sheets: filled.sheets().map(|(sheet, columns)| ReadSheet::new(sheet, columns)).collect(),
            violation_count: filled.violation_count(),
            violations: filled.violations().iter().map(SheetViolationBody::new).collect(),
            results: results.collect(),
        }
    }
}

impl ReadSheet {
    fn new(sheet: &Sheet, columns: Vec<SheetColumn>) -> Self {
        let columns = columns.into_iter().map(|column| ReadColumn {
            name: column.name,
            is_required: column.is_required,
            kind: column.kind,
            allowed: column.allowed,
        });
        let rows = sheet.rows.iter().map(|line| SheetRow { row: line.row, cells: line.cells.clone() });
        Self { name: sheet.name.clone(), columns: columns.collect(), rows: rows.collect() }
    }
}

impl SheetViolationBody {
    fn new(violation: &SheetViolation) -> Self {
        let SheetViolation { sheet, row, column, cell, value, message, allowed } = violation.clone();
        Self { sheet, row, column, cell, value, message, allowed }
    }
}
