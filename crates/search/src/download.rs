//! Downloads: what a filter finds, as files.
//!
//! Everything that can be wrong with a request is found before the first byte: its form when it is read
//! ([`DownloadRequest::parse`]), its filter, order and columns when it is brought together with a catalogue. Each file
//! shows one state of the index and has exactly as many rows as it may have. A column that the catalogue does not know
//! is empty, since portals send columns that they compute themselves.

mod archive;
mod body;
mod cell;
mod columns;
mod date_pattern;
mod file_type;
mod layout;
mod names;
mod paths;
mod reader;
mod request;
mod writer;

use std::collections::HashSet;

use cantata_catalogue::Catalogue;
use cantata_engine::{EngineError, ExportRequest};
use cantata_graphql::{PlanContext, RecordsQuery};
use cantata_sqon::Sqon;

pub use body::DownloadBody;
pub use request::DownloadRequest;

use self::body::FileExport;
use self::layout::Layout;
use self::request::FileRequest;
use self::writer::{FileShape, FileWriter};
use crate::catalogues::ServedCatalogue;
use crate::graphql::now;
use crate::service::SearchService;

/// How many records are fetched at once, at most.
const LARGEST_PAGE: u64 = 10_000;

/// The media type of an archive.
const ARCHIVE_TYPE: &str = "application/gzip";

/// A download that is ready to be sent.
pub struct Download {
    /// What it is called; safe in headers and on disks.
    pub file_name: String,
    /// Its media type.
    pub content_type: &'static str,
    /// Its bytes.
    pub body: DownloadBody,
}

impl Download {
    /// Returns the value of the header `Content-Disposition`.
    pub fn content_disposition(&self) -> String {
        names::content_disposition(&self.file_name)
    }
}

/// Why there is no download.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DownloadError {
    /// The catalogue has downloads switched off.
    #[error("downloads are switched off for this catalogue; without `disableDownloads` in base.json they are on")]
    Disabled,
    /// Only counts are shown to the client.
    #[error("only counts are shown to you, so that there are no downloads for you")]
    CountsOnly,
    /// The request is wrong.
    #[error("{0}")]
    Invalid(String),
    /// The engine failed.
    #[error("{}", .0.client_message())]
    Engine(#[from] EngineError),
}

/// A file whose request fits the catalogue.
struct CheckedFile<'r> {
    request: &'r FileRequest,
    query: RecordsQuery,
    writer: FileWriter,
    /// How many records are needed at most.
    most_records: Option<u64>,
}

impl SearchService {
    /// Makes a download ready.
    ///
    /// # Errors
    ///
    /// If downloads are switched off or records are not shown, the request does not fit the catalogue, or the engine fails.
    pub async fn download(
        &self,
        served: &ServedCatalogue,
        request: &DownloadRequest,
    ) -> Result<Download, DownloadError> {
        let catalogue = &*served.catalogue;
        if catalogue.flags.disable_downloads {
            return Err(DownloadError::Disabled);
        }
        if served.view.below.is_some() {
            return Err(DownloadError::CountsOnly);
        }
        let files = request.files.iter().map(|file| check(catalogue, file));
        let files = files.collect::<Result<Vec<_>, _>>()?;
        let page_size = request.chunk_size.unwrap_or(catalogue.downloads.chunk_size).clamp(1, LARGEST_PAGE) as usize;
        let mut exports = Vec::with_capacity(files.len());
        // All of them begin before the first one is written, so that they show the index at nearly the same time.
        for file in files {
            let sets = served.load_sets(file.query.sets_needed()).await?;
            let context = PlanContext { now: now(), sets: &sets, view: &served.view };
            let (filter, sort) =
                file.query.plan(catalogue, &context).map_err(|reason| invalid(file.request, &reason))?;
            let export = ExportRequest { filter, sort, limit: file.most_records, page_size };
            let export = served.export_records(export).await?;
            exports.push((file.request, FileExport::new(export, file.writer)));
        }
        Ok(assemble(catalogue, request, exports))
    }
}

/// Brings the request for one file together with the catalogue.
fn check<'r>(catalogue: &Catalogue, request: &'r FileRequest) -> Result<CheckedFile<'r>, DownloadError> {
    if catalogue.flags.disable_filters && Sqon::parse(&request.sqon).is_ok_and(|sqon| sqon.is_some()) {
        return Err(invalid(request, "found a filter, but filters are switched off for this catalogue; expected none"));
    }
    let query =
        RecordsQuery::read(catalogue, &request.sqon, &request.sort).map_err(|reason| invalid(request, &reason))?;
    let row_containers = match &request.unique_by {
        None => Vec::new(),
        Some(name) => paths::row_containers(catalogue, name).ok_or_else(|| {
            let found = reader::quote(name);
            invalid(request, &format!("uniqueBy: found {found}; expected the dotted path of a field of the catalogue"))
        })?,
    };
    let columns = columns::columns(catalogue, request, &row_containers)?;
    let layout = Layout::new(&catalogue.source_prefix, &row_containers);
    let own_limit = request.max_rows.filter(|_| catalogue.downloads.allow_custom_max_rows);
    let most_rows = Some(own_limit.unwrap_or(catalogue.downloads.max_rows)).filter(|rows| *rows > 0);
    let shape = FileShape::new(request.file_type, layout, columns, &request.value_when_empty, most_rows);
    Ok(CheckedFile {
        request,
        query,
        writer: FileWriter::new(shape),
        // A record without elements has no row, so it is not known how many records the rows are made of.
        most_records: most_rows.filter(|_| row_containers.is_empty()),
    })
}

fn invalid(file: &FileRequest, reason: &str) -> DownloadError {
    DownloadError::Invalid(format!("{}: {reason}", file.place))
}

fn assemble(
    catalogue: &Catalogue,
    request: &DownloadRequest,
    mut exports: Vec<(&FileRequest, FileExport)>,
) -> Download {
    let given = request.file_name.as_deref().and_then(names::safe_name);
    if exports.len() == 1
        && let Some((file, export)) = exports.pop()
    {
        let own = file.file_name.as_deref().and_then(names::safe_name);
        let name = own.or(given).unwrap_or_else(|| catalogue.document_type.clone());
        return Download {
            file_name: names::with_extension(name, file.file_type.extension()),
            content_type: file.file_type.content_type(),
            body: body::single(export),
        };
    }
    let mut taken = HashSet::new();
    let entries = exports.into_iter().enumerate().map(|(place, (file, export))| {
        let own = file.file_name.as_deref().and_then(names::safe_name);
        let name = own.unwrap_or_else(|| format!("file-{}", place + 1));
        let name = names::with_extension(name, file.file_type.extension());
        (names::unique_name(name, &mut taken), export)
    });
    let entries = entries.collect();
    Download {
        file_name: names::archive_name(given.as_deref().unwrap_or("file")),
        content_type: ARCHIVE_TYPE,
        body: body::archive(entries),
    }
}
