//! The bytes of a download as they are asked for. Nothing is made ahead; when the stream is dropped, the export ends.

use std::io;

use bytes::Bytes;
use cantata_engine::Exporting;
use futures_util::stream::BoxStream;

use super::archive::Archive;
use super::writer::{FileWriter, PIECE};

/// The bytes of a download.
pub type DownloadBody = BoxStream<'static, io::Result<Bytes>>;

/// A file that is being exported.
pub(super) struct FileExport {
    export: Box<dyn Exporting>,
    /// Away while it works.
    writer: Option<Box<FileWriter>>,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    New,
    Rows,
    Ended,
}

impl FileExport {
    pub(super) fn new(export: Box<dyn Exporting>, writer: FileWriter) -> Self {
        Self { export, writer: Some(Box::new(writer)), stage: Stage::New }
    }

    /// Returns the next piece; nothing after the last one.
    pub(super) async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let Some(mut writer) = self.writer.take() else { return Ok(None) };
        let mut out = Vec::new();
        if self.stage == Stage::New {
            writer.begin(&mut out);
            self.stage = Stage::Rows;
        }
        while out.len() < PIECE && self.stage == Stage::Rows {
            if writer.needs_page() && !writer.is_full() {
                match self.export.next().await.map_err(io::Error::other)? {
                    Some(page) => writer.take_page(page.hits),
                    None => self.stage = Stage::Ended,
                }
            }
            if writer.is_full() {
                self.stage = Stage::Ended;
            }
            if self.stage == Stage::Ended {
                writer.end(&mut out);
            } else {
                (writer, out) = aside(move || {
                    out.reserve(PIECE + PIECE / 4);
                    writer.fill(&mut out);
                    Ok((writer, out))
                })
                .await?;
            }
        }
        self.writer = (self.stage != Stage::Ended).then_some(writer);
        Ok(Some(out).filter(|out| !out.is_empty()))
    }
}

/// Runs something that takes a while away from the threads that serve requests.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}

/// Returns the bytes of one file.
pub(super) fn single(mut file: FileExport) -> DownloadBody {
    Box::pin(async_stream::try_stream! {
        while let Some(piece) = file.next().await? {
            yield Bytes::from(piece);
        }
    })
}

/// Returns the bytes of an archive of several files.
pub(super) fn archive(files: Vec<(String, FileExport)>) -> DownloadBody {
    Box::pin(async_stream::try_stream! {
        let mut archive = Archive::new();
        for (name, mut file) in files {
            while let Some(piece) = file.next().await? {
                archive = aside(move || archive.keep(&piece)).await?;
            }
            archive = aside(move || archive.begin_entry(&name)).await?;
            loop {
                let (next, piece) = aside(move || archive.entry_piece()).await?;
                archive = next;
                let Some(piece) = piece else { break };
                if !piece.is_empty() {
                    yield Bytes::from(piece);
                }
            }
        }
        yield Bytes::from(aside(move || archive.end()).await?);
    })
}
