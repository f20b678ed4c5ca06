//! Downloads: the records that match a filter, as files.
//!
//! A request is validated before the first byte is sent: its syntax by [`DownloadRequest::parse`], its filter, sort and
//! columns against the catalogue. Each file is a snapshot of the index and never exceeds its limit of rows; a download
//! that the limit may have cut says so before its first byte.

mod archive;
mod body;
mod cell;
mod columnar;
mod columns;
mod field_lookup;
mod file_format;
mod file_names;
mod file_type;
mod file_writer;
mod layout;
mod request;
mod request_reader;
mod row_writer;
mod table_sink;

use std::collections::HashSet;
use std::fmt::Display;

use cantata_catalogue::Catalogue;
use cantata_engine::{EngineError, ExportRequest};
use cantata_graphql::{PlanContext, RecordsQuery};
use cantata_sqon::Sqon;
use cantata_tabular::MAX_SHEET_ROWS;

pub use body::DownloadBody;
pub use request::DownloadRequest;

use self::body::FileExport;
use self::file_format::FileFormat;
use self::file_type::FileType;
use self::file_writer::FileWriter;
use self::layout::ColumnLayout;
use self::request::FileRequest;
use crate::served_catalogue::{ServedCatalogue, now};

/// How many records are fetched at a time, at most.
const MAX_PAGE_SIZE: u64 = 10_000;

/// The media type of an archive.
const ARCHIVE_TYPE: &str = "application/gzip";

/// A download that is ready to be sent.
pub struct Download {
    /// Its name, which is safe in headers and file systems.
    pub file_name: String,
    /// Its media type.
    pub content_type: &'static str,
    /// The files that their limit of rows may have cut, each with the limit: `files[0]=100`. Nothing if none is cut.
    pub row_limits: Option<String>,
    /// Its bytes.
    pub body: DownloadBody,
}

impl Download {
    /// Returns the value of the header `Content-Disposition`.
    pub fn content_disposition(&self) -> String {
        file_names::content_disposition(&self.file_name)
    }
}

/// Why a download is rejected or fails.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DownloadError {
    /// Downloads are disabled for the catalogue.
    #[error("downloads are switched off for this catalogue; without `disableDownloads` in base.json they are on")]
    Disabled,
    /// The view of the client has a suppression threshold.
    #[error("only counts are shown to you, so that there are no downloads for you")]
    CountsOnly,
    /// The request is invalid.
    #[error("{0}")]
    Invalid(String),
    /// The engine failed.
    #[error("{}", .0.client_message())]
    Engine(#[from] EngineError),
}

/// A file whose request was validated against the catalogue.
struct ValidatedFile<'r> {
    request: &'r FileRequest,
    query: RecordsQuery,
    writer: FileWriter,
    max_rows: Option<u64>,
    /// Whether elements of records become rows. A record then has any number of rows, also none.
    has_element_rows: bool,
}

impl ValidatedFile<'_> {
    /// Returns how many records are fetched at most: one more than fit, since a record that is left over says that the
    /// file is cut.
    fn max_records(&self) -> Option<u64> {
        self.max_rows.filter(|_| !self.has_element_rows).map(|rows| rows.saturating_add(1))
    }

    /// Rejects a sheet that cannot have this number of records. How many rows their elements are is not known before.
    fn check_sheet_rows(&self, records: u64) -> Result<(), DownloadError> {
        let rows = self.max_rows.map_or(records, |max| max.min(records));
        if self.request.file_type != FileType::Xlsx || self.has_element_rows || rows <= MAX_SHEET_ROWS {
            return Ok(());
        }
        let found = format!("found {rows} rows for xlsx, of which a sheet has at most {MAX_SHEET_ROWS}");
        Err(invalid(
            self.request,
            format!("{found}; narrow the filter, or take another fileType such as csv or parquet"),
        ))
    }

    /// Returns the limit of rows, if it may cut this number of records.
    fn cut_at(&self, records: u64) -> Option<u64> {
        self.max_rows.filter(|rows| if self.has_element_rows { records > 0 } else { records > *rows })
    }
}

impl ServedCatalogue {
    /// Starts a download.
    ///
    /// # Errors
    ///
    /// If downloads are disabled or the view shows counts only, the request is invalid, or the engine fails.
    pub async fn download(&self, request: &DownloadRequest) -> Result<Download, DownloadError> {
        let catalogue = &*self.catalogue;
        if catalogue.flags.disable_downloads {
            return Err(DownloadError::Disabled);
        }
        if self.view.suppression_threshold.is_some() {
            return Err(DownloadError::CountsOnly);
        }
        let files = request.files.iter().map(|file| validate(catalogue, file));
        let files = files.collect::<Result<Vec<_>, _>>()?;
        let page_size = request.chunk_size.unwrap_or(catalogue.downloads.chunk_size).clamp(1, MAX_PAGE_SIZE) as usize;
        let mut exports = Vec::with_capacity(files.len());
        let mut row_limits = Vec::new();
        // All exports start before the first file is written, so that they show the index at nearly the same time.
        for file in files {
            let sets = self.load_sets(file.query.sets_needed()).await?;
            let context = PlanContext { now: now(), sets: &sets, view: &self.view };
            let (filter, sort) = file.query.plan(catalogue, &context).map_err(|error| invalid(file.request, error))?;
            let export = ExportRequest { filter, sort, limit: file.max_records(), page_size };
            let export = self.export_records(export).await?;
            file.check_sheet_rows(export.total())?;
            row_limits.extend(file.cut_at(export.total()).map(|rows| format!("{}={rows}", file.request.location)));
            exports.push((file.request, FileExport::new(export, file.writer)));
        }
        let row_limits = Some(row_limits.join(", ")).filter(|limits| !limits.is_empty());
        Ok(Download { row_limits, ..assemble(catalogue, request, exports) })
    }
}

/// Validates the request for one file against the catalogue.
fn validate<'r>(catalogue: &Catalogue, request: &'r FileRequest) -> Result<ValidatedFile<'r>, DownloadError> {
    if catalogue.flags.disable_filters && Sqon::parse(&request.sqon).is_ok_and(|sqon| sqon.is_some()) {
        return Err(invalid(request, "found a filter, but filters are switched off for this catalogue; expected none"));
    }
    let query =
        RecordsQuery::parse(catalogue, &request.sqon, &request.sort).map_err(|error| invalid(request, error))?;
    let row_containers = match &request.unique_by {
        None => Vec::new(),
        Some(name) => field_lookup::row_containers(catalogue, name).ok_or_else(|| {
            let found = request_reader::quote(name);
            invalid(request, format!("uniqueBy: found {found}; expected the dotted path of a field of the catalogue"))
        })?,
    };
    let mut layout = ColumnLayout::new(&catalogue.source_prefix, &row_containers);
    let columns = columns::columns(catalogue, request, &row_containers, &mut layout)?;
    let requested_rows = request.max_rows.filter(|_| catalogue.downloads.allow_custom_max_rows);
    let max_rows = Some(requested_rows.unwrap_or(catalogue.downloads.max_rows)).filter(|rows| *rows > 0);
    let value_when_empty = request.value_when_empty.as_ref().unwrap_or(&catalogue.downloads.value_when_empty);
    let format = FileFormat::new(request.file_type, layout, columns, value_when_empty, max_rows);
    Ok(ValidatedFile {
        request,
        query,
        writer: FileWriter::new(format),
        max_rows,
        has_element_rows: !row_containers.is_empty(),
    })
}

fn invalid(file: &FileRequest, reason: impl Display) -> DownloadError {
    DownloadError::Invalid(format!("{}: {reason}", file.location))
}

fn assemble(
    catalogue: &Catalogue,
    request: &DownloadRequest,
    mut exports: Vec<(&FileRequest, FileExport)>,
) -> Download {
    let given = request.file_name.as_deref().and_then(file_names::safe_name);
    if exports.len() == 1
        && let Some((file, export)) = exports.pop()
    {
        let own = file.file_name.as_deref().and_then(file_names::safe_name);
        let name = own.or(given).unwrap_or_else(|| catalogue.document_type.clone());
        return Download {
            file_name: file_names::with_extension(name, file.file_type.extension()),
            content_type: file.file_type.content_type(),
            row_limits: None,
            body: body::single(export),
        };
    }
    let mut taken = HashSet::new();
    let entries = exports.into_iter().enumerate().map(|(index, (file, export))| {
        let own = file.file_name.as_deref().and_then(file_names::safe_name);
        let name = own.unwrap_or_else(|| format!("file-{}", index + 1));
        let name = file_names::with_extension(name, file.file_type.extension());
        (file_names::unique_name(name, &mut taken), export)
    });
    let entries = entries.collect();
    Download {
        file_name: file_names::archive_name(given.as_deref().unwrap_or("file")),
        content_type: ARCHIVE_TYPE,
        row_limits: None,
        body: body::archive(entries),
    }
}
