//! `/schemas/{name}/template` and `/sheets/{studyId}`
//!
//! A sheet comes as XLSX, as a table, or as the sheets of an earlier answer with corrections.

use std::io::{self, Cursor};

use axum::Extension;
use axum::extract::{Request, State};
use bytes::Bytes;
use cantata_core::{Error, ErrorId, ErrorOrigin};
use cantata_metadata::SheetsOfType;
use cantata_tabular::{Sheet, SheetError, check_sheets, read_delimited_sheet, read_xlsx_sheets};
use http::{HeaderMap, HeaderValue, header};

use super::submit::submit_options;
use crate::RequestId;
use crate::access::AuditSlot;
use crate::error_body::{ApiError, ApiResult};
use crate::extract::{
    BodyShare, MAX_DISCARDED_BYTES, Params, Segments, content_type, discard, malformed, read_limited,
    unsupported_media_type,
};
use crate::openapi::schemas::{NothingStored, SheetOutcome, SheetsBody, TypePath};
use crate::response::{json, with_content_type};
use crate::state::AppState;

const XLSX_TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const TSV_TYPE: &str = "text/tab-separated-values";
const CSV_TYPE: &str = "text/csv";
const JSON_TYPE: &str = "application/json";

/// How many rows all sheets of a request have at most.
const MAX_ROWS: usize = 100_000;

/// How many bytes a sheet has in memory at least, at most, and for each byte of its body.
const MIN_SHEET_BYTES: usize = 16 << 20;
const MAX_SHEET_BYTES: usize = 64 << 20;
const SHEET_BYTES_RATIO: usize = 16;

/// The form of a body.
#[derive(Clone, Copy)]
enum SheetFormat {
    Xlsx,
    Delimited(u8),
    Json,
}

/// Returns a sheet to fill, made from the schema of an analysis type.
#[utoipa::path(
    get, path = "/schemas/{name}/template", tag = "Analysis types",
    params(
        TypePath,
        ("format" = Option<String>, Query, description = "`xlsx`, which is the default, or `tsv`"),
        ("version" = Option<u64>, Query, description = "A version; the latest if not given"),
    ),
    responses((status = 200, description = "The file", content(
        (String = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        (String = "text/tab-separated-values"),
    )))
)]
pub(crate) async fn template(
    State(state): State<AppState>,
    Segments(name): Segments<String>,
    params: Params,
) -> ApiResult {
    let origin = ErrorOrigin::AnalysisTypeService;
    let format = params.get("format").filter(|format| !format.is_empty()).unwrap_or("xlsx");
    let is_xlsx = match format {
        "xlsx" => true,
        "tsv" => false,
        other => return Err(malformed(origin, "format", other, "xlsx or tsv").into()),
    };
    let (id, layout) = state.metadata.sheet_layout(&name, params.integer(origin, "version", 1)?).await?;
    let made = tokio::task::spawn_blocking(move || match is_xlsx {
        true => layout.xlsx_template(),
        false => Ok(layout.tsv_template().into_bytes()),
    });
    let file = made.await.map_err(io::Error::other).and_then(|made| made).map_err(|error| {
        let text = format!("The analysisType with name '{}' cannot be a sheet: {error}; take format=tsv", id.name);
        Error::malformed_parameter(origin, text)
    })?;
    let media_type = HeaderValue::from_static(if is_xlsx { XLSX_TYPE } else { TSV_TYPE });
    let mut response = with_content_type(file, media_type);
    let file_name = format!("attachment; filename=\"{}-v{}.{format}\"", id.name, id.version);
    // Names of types are plain.
    if let Ok(disposition) = HeaderValue::try_from(file_name) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, disposition);
    }
    Ok(response)
}

/// Submits the analyses of a filled sheet: all of them, or none if there is a violation.
///
/// Each violation is at its cell, with what is allowed. The sheets in the answer can be corrected and sent again.
#[utoipa::path(
    post, path = "/sheets/{studyId}", tag = "Submission",
    params(
        ("studyId" = String, Path, description = "The study of all analyses"),
        ("type" = String, Query, description = "The analysis type of all analyses"),
        ("version" = Option<u64>, Query, description = "A version of it; the latest if not given"),
        ("allowDuplicates" = Option<bool>, Query, description = "Store files whose checksum is stored already"),
        ("publish" = Option<bool>, Query, description = "Store each analysis as published, or not at all; not possible \
          where a storage server is configured"),
        ("validateOnly" = Option<bool>, Query, description = "Check everything and store nothing"),
    ),
    request_body(content(
        (String = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        (String = "text/tab-separated-values"), (String = "text/csv"), (SheetsBody = "application/json"),
    )),
    responses(
        (status = 200, description = "What is in the sheet, and what became of it", body = SheetOutcome),
        NothingStored,
    )
)]
pub(crate) async fn submit_sheet(
    State(state): State<AppState>,
    Segments(study_id): Segments<String>,
    params: Params,
    audit: Option<Extension<AuditSlot>>,
    request: Request,
) -> ApiResult {
    let origin = ErrorOrigin::SubmitService;
    let Some(name) = params.get("type").filter(|name| !name.is_empty()).map(str::to_owned) else {
        let text = "The parameter 'type' is missing, but must be the name of an analysis type";
        return Err(Error::malformed_parameter(origin, text).into());
    };
    let sheets = SheetsOfType {
        name,
        version: params.integer(origin, "version", 1)?,
        validate_only: params.boolean(origin, "validateOnly", false)?,
        options: submit_options(&params)?,
    };
    if let Some(Extension(audit)) = audit.filter(|_| sheets.validate_only) {
        audit.mark_dry_run();
    }
    let format = match sheet_format(request.headers()) {
        Ok(format) => format,
        Err(error) => {
            discard(request.into_body(), MAX_DISCARDED_BYTES).await;
            return Err(error);
        }
    };
    let mut share = BodyShare::of(&request);
    let body = read_limited(request, state.settings.body_limit).await?;
    let sheet_bytes = body.len().saturating_mul(SHEET_BYTES_RATIO).clamp(MIN_SHEET_BYTES, MAX_SHEET_BYTES);
    share.grow_to(sheet_bytes).await?;
    let is_validated = sheets.validate_only;
    // What is being stored is stored, also if the client leaves.
    let submission = tokio::spawn(RequestId::current_or_new().scope(async move {
        state.metadata.submit_sheets(&study_id, sheets, move || read(format, body, sheet_bytes)).await
    }));
    let submission = submission.await.map_err(|error| {
        tracing::error!(%error, "submitting a sheet failed");
        ApiError::new(ErrorId::UnknownError, "The sheet could not be submitted; the log has the cause")
    })?;
    Ok(json(&SheetOutcome::new(&submission?, is_validated)))
}

fn sheet_format(headers: &HeaderMap) -> ApiResult<SheetFormat> {
    match content_type(headers).as_deref() {
        Some(XLSX_TYPE) => Ok(SheetFormat::Xlsx),
        Some(TSV_TYPE) => Ok(SheetFormat::Delimited(b'\t')),
        Some(CSV_TYPE) => Ok(SheetFormat::Delimited(b',')),
        None | Some(JSON_TYPE) => Ok(SheetFormat::Json),
        Some(other) => {
            let expected = format!("{XLSX_TYPE}, {TSV_TYPE}, {CSV_TYPE} or {JSON_TYPE}");
            Err(unsupported_media_type(other, &expected))
        }
    }
}

/// Reads the sheets of a body.
fn read(format: SheetFormat, body: Bytes, max_bytes: usize) -> Result<Vec<Sheet>, SheetError> {
    match format {
        SheetFormat::Xlsx => read_xlsx_sheets(&body, max_bytes as u64, MAX_ROWS),
        SheetFormat::Delimited(delimiter) => read_delimited_sheet(Cursor::new(body), delimiter, MAX_ROWS),
        SheetFormat::Json => {
            let sheets: SheetsBody = serde_json::from_slice(&body).map_err(SheetError::Json)?;
            let sheets = sheets.into_sheets();
            check_sheets(&sheets, MAX_ROWS)?;
            Ok(sheets)
        }
    }
}
