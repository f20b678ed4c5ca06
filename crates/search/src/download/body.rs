//! The bytes of a download, produced on demand; dropping the stream ends the export.

use std::io;

use bytes::Bytes;
use cantata_engine::ExportStream;
use futures_util::stream::BoxStream;

use super::archive::ArchiveWriter;
use super::file_writer::FileWriter;
use super::row_writer::CHUNK_BYTES;

/// The bytes of a download.
pub type DownloadBody = BoxStream<'static, io::Result<Bytes>>;

/// A file that is being exported.
pub(super) struct FileExport {
    export: Box<dyn ExportStream>,
    /// Taken while it writes; `None` after the last chunk.
    writer: Option<Box<FileWriter>>,
    stage: ExportStage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ExportStage {
    New,
    Writing,
    /// All rows are written.
    Ending,
    Finished,
}

impl FileExport {
    pub(super) fn new(export: Box<dyn ExportStream>, writer: FileWriter) -> Self {
        Self { export, writer: Some(Box::new(writer)), stage: ExportStage::New }
    }

    /// Returns the next chunk; `None` after the last one.
    pub(super) async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let Some(mut writer) = self.writer.take() else { return Ok(None) };
        let mut out = Vec::new();
        if self.stage == ExportStage::New {
            writer.begin(&mut out)?;
            self.stage = ExportStage::Writing;
        }
        while out.len() < CHUNK_BYTES && self.stage != ExportStage::Finished {
            if self.stage == ExportStage::Writing && writer.needs_page() && !writer.is_full() {
                match self.export.next().await.map_err(io::Error::other)? {
                    Some(page) => writer.take_page(page.hits),
                    None => self.stage = ExportStage::Ending,
                }
            }
            if self.stage == ExportStage::Writing && writer.is_full() {
                self.stage = ExportStage::Ending;
            }
            let is_ending = self.stage == ExportStage::Ending;
            let is_finished;
            (writer, out, is_finished) = run_blocking(move || {
                out.reserve(CHUNK_BYTES + CHUNK_BYTES / 4);
                let is_finished =
                    if is_ending { writer.end(&mut out)? } else { writer.fill(&mut out).map(|()| false)? };
                Ok((writer, out, is_finished))
            })
            .await?;
            if is_finished {
                self.stage = ExportStage::Finished;
            }
        }
        self.writer = (self.stage != ExportStage::Finished).then_some(writer);
        Ok(Some(out).filter(|out| !out.is_empty()))
    }
}

/// Runs blocking work away from the threads that serve requests.
async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}

/// Returns the bytes of one file.
pub(super) fn single(mut file: FileExport) -> DownloadBody {
    Box::pin(async_stream::try_stream! {
        while let Some(chunk) = file.next().await? {
            yield Bytes::from(chunk);
        }
    })
}

/// Returns the bytes of an archive of several files.
pub(super) fn archive(files: Vec<(String, FileExport)>) -> DownloadBody {
    Box::pin(async_stream::try_stream! {
        let mut archive = ArchiveWriter::new();
        for (name, mut file) in files {
            while let Some(chunk) = file.next().await? {
                archive = run_blocking(move || archive.spool(&chunk)).await?;
            }
            archive = run_blocking(move || archive.begin_entry(&name)).await?;
            loop {
                let (next, chunk) = run_blocking(move || archive.entry_chunk()).await?;
                archive = next;
                let Some(chunk) = chunk else { break };
                if !chunk.is_empty() {
                    yield Bytes::from(chunk);
                }
            }
        }
        yield Bytes::from(run_blocking(move || archive.end()).await?);
    })
}
