//! `/admin/backup`: everything that the server keeps, as one file, while it goes on serving.

use std::io::{self, Write};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use bytes::Bytes;
use cantata_backup::{BackupError, BackupSource};
use cantata_core::{Error, ErrorId};
use cantata_durable_file::is_not_writable;
use futures_util::stream;
use http::HeaderValue;
use tokio::sync::{Semaphore, mpsc};
use utoipa_axum::routes;

use super::{ADMINISTRATION, ORIGIN, log_not_writable};
use crate::error_body::ApiResult;
use crate::response::with_content_type;
use crate::routes::Routes;
use crate::{AccessControl, RequestId};

const CONTENT_TYPE: HeaderValue = HeaderValue::from_static("application/gzip");

/// How many pieces may wait for a client that is slower than the disk.
const MAX_QUEUED_CHUNKS: usize = 4;

/// How many bytes are sent at once.
const CHUNK_BYTES: usize = 256 << 10;

/// The state of the handler; clones share it.
#[derive(Clone)]
struct BackupState {
    source: Arc<dyn BackupSource>,
    /// Lets one backup be made at a time: each needs room on the disk for a copy of the metadata.
    permit: Arc<Semaphore>,
}

/// Returns the route with its description.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(
    access: &Arc<AccessControl>,
    source: Arc<dyn BackupSource>,
) -> Routes<S> {
    let backups = BackupState { source, permit: Arc::new(Semaphore::new(1)) };
    Routes::new(access).add(ADMINISTRATION, routes!(backup)).with_state(backups)
}

/// Makes a backup of everything that the server keeps.
///
/// It has all that was acknowledged before the request. `cantata restore` makes a data folder of it; a file that was
/// not received to its end is recognised as such.
#[utoipa::path(
    post, path = "/admin/backup", tag = "Backup",
    responses(
        (status = 200, description = "The backup, a gzipped tar archive", content_type = "application/gzip", body = Vec<u8>),
    )
)]
async fn backup(State(backups): State<BackupState>) -> ApiResult {
    let Ok(permit) = backups.permit.clone().try_acquire_owned() else {
        let text = "Another backup is under way; try again when it is done";
        return Err(Error::new(ORIGIN, ErrorId::JobConflict, text).into());
    };
    let source = Arc::clone(&backups.source);
    let captured = tokio::task::spawn_blocking(move || source.capture()).await;
    let prepared = captured
        .unwrap_or_else(|error| Err(BackupError::Capture(Box::new(error))))
        .map_err(|error| backup_error(&error))?;
    let (pieces, mut written) = mpsc::channel(MAX_QUEUED_CHUNKS);
    let id = RequestId::current_or_new();
    let write = move || {
        let _permit = permit;
        let target = io::BufWriter::with_capacity(CHUNK_BYTES, ChannelWriter(pieces.clone()));
        if let Err(error) = prepared.write_to(target) {
            tracing::error!(%error, "a backup was not written to its end");
            // Breaks the connection off, so that no client takes half an answer for a whole one.
            let _ = pieces.blocking_send(Err(error));
        }
    };
    tokio::task::spawn_blocking(move || id.during(write));
    let stream = stream::poll_fn(move |context| written.poll_recv(context));
    Ok(with_content_type(Body::from_stream(stream), CONTENT_TYPE))
}

/// Sends what is written to the stream of the response.
struct ChannelWriter(mpsc::Sender<io::Result<Bytes>>);

impl Write for ChannelWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let gone = |_| io::Error::new(io::ErrorKind::BrokenPipe, "the client is gone");
        self.0.blocking_send(Ok(Bytes::copy_from_slice(bytes))).map_err(gone)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Logs an error and returns what a client may know of it.
fn backup_error(error: &BackupError) -> Error {
    if let BackupError::Io { source, .. } = error
        && is_not_writable(source)
    {
        log_not_writable(&cantata_core::error_chain(error));
        let text =
            "The backup cannot be made: the disk is full or read-only, and a copy of the metadata needs room on it";
        return Error::new(ORIGIN, ErrorId::DiskNotWritable, text);
    }
    tracing::error!(error = cantata_core::error_chain(error), "a backup cannot be made");
    let text = match error {
        BackupError::Capture(cause) => format!("The backup cannot be made: {}", cantata_core::error_chain(&**cause)),
        _ => "The backup cannot be made; the log of the server has the cause".to_owned(),
    };
    Error::new(ORIGIN, ErrorId::UnknownError, text)
}
