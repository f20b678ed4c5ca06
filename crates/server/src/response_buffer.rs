//! A queue of bytes between a task that makes an answer and a client that may not read yet.
//!
//! A client may well send its whole request before it reads a byte of the answer. If the answer had to wait for it,
//! both would wait for ever; if it gathered in memory, a long one would take all of it. So what does not fit into a
//! small buffer goes to an unnamed temporary file, and the client gets it from there in the same order.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use bytes::Bytes;
use futures_util::Stream;
use tokio::sync::Notify;

/// How many bytes stay in memory.
const MAX_MEMORY_BYTES: usize = 1024 * 1024;

/// How much is read from the file at once.
const READ_CHUNK_BYTES: u64 = 64 * 1024;

#[derive(Default)]
struct BufferState {
    in_memory: VecDeque<Bytes>,
    bytes_in_memory: usize,
    /// Everything after what is in memory, once there was too much.
    overflow: Option<OverflowFile>,
    is_finished: bool,
    is_abandoned: bool,
}

struct OverflowFile {
    file: File,
    written: u64,
    read: u64,
}

#[derive(Default)]
struct SharedBuffer {
    state: Mutex<BufferState>,
    changed: Notify,
}

impl SharedBuffer {
    fn lock(&self) -> MutexGuard<'_, BufferState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end that is written to; dropping it ends the answer.
pub(crate) struct ResponseBufferWriter(Arc<SharedBuffer>);

/// The end that is read from.
struct ResponseBufferReader(Arc<SharedBuffer>);

/// Makes a queue and returns both its ends.
pub(crate) fn response_buffer() -> (ResponseBufferWriter, impl Stream<Item = io::Result<Bytes>> + Send) {
    let shared = Arc::new(SharedBuffer::default());
    let reader = ResponseBufferReader(Arc::clone(&shared));
    let stream = async_stream::try_stream! {
        loop {
            let changed = reader.0.changed.notified();
            match reader.next()? {
                Poll::Ready(Some(piece)) => yield piece,
                Poll::Ready(None) => break,
                Poll::Pending => changed.await,
            }
        }
    };
    (ResponseBufferWriter(shared), stream)
}

impl ResponseBufferWriter {
    /// Adds bytes; returns false when nobody will read them.
    pub(crate) fn write(&self, bytes: Bytes) -> io::Result<bool> {
        let mut state = self.0.lock();
        if state.is_abandoned {
            return Ok(false);
        }
        if state.overflow.is_none() && state.bytes_in_memory + bytes.len() <= MAX_MEMORY_BYTES {
            state.bytes_in_memory += bytes.len();
            state.in_memory.push_back(bytes);
        } else {
            let overflow = match &mut state.overflow {
                Some(overflow) => overflow,
                none => none.insert(OverflowFile { file: tempfile::tempfile()?, written: 0, read: 0 }),
            };
            overflow.file.seek(SeekFrom::Start(overflow.written))?;
            overflow.file.write_all(&bytes)?;
            overflow.written += bytes.len() as u64;
        }
        drop(state);
        self.0.changed.notify_one();
        Ok(true)
    }
}

impl Drop for ResponseBufferWriter {
    fn drop(&mut self) {
        self.0.lock().is_finished = true;
        self.0.changed.notify_one();
    }
}

impl ResponseBufferReader {
    /// Looks for bytes and for the end in one moment: the last bytes may come right before the end.
    fn next(&self) -> io::Result<Poll<Option<Bytes>>> {
        let mut state = self.0.lock();
        if let Some(bytes) = state.in_memory.pop_front() {
            state.bytes_in_memory -= bytes.len();
            return Ok(Poll::Ready(Some(bytes)));
        }
        let Some(overflow) = &mut state.overflow else {
            return Ok(if state.is_finished { Poll::Ready(None) } else { Poll::Pending });
        };
        let length = (overflow.written - overflow.read).min(READ_CHUNK_BYTES);
        let mut piece = vec![0; usize::try_from(length).unwrap_or(0)];
        overflow.file.seek(SeekFrom::Start(overflow.read))?;
        overflow.file.read_exact(&mut piece)?;
        overflow.read += length;
        if overflow.read == overflow.written {
            state.overflow = None;
        }
        Ok(Poll::Ready(Some(piece.into())))
    }
}

impl Drop for ResponseBufferReader {
    fn drop(&mut self) {
        self.0.lock().is_abandoned = true;
    }
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt;

    use super::*;

    #[tokio::test]
    async fn bytes_come_out_in_order_whether_read_at_once_or_late() {
        for read_every in [1, 1_000_000] {
            let (writer, stream) = response_buffer();
            tokio::pin!(stream);
            let (mut written, mut read) = (Vec::new(), Vec::new());
            for index in 0..40_000_u32 {
                let line = format!("line {index} {}\n", "x".repeat(60));
                written.extend_from_slice(line.as_bytes());
                assert!(writer.write(Bytes::from(line)).unwrap());
                if index % read_every == 0 {
                    read.extend_from_slice(&stream.next().await.unwrap().unwrap());
                }
            }
            drop(writer);
            while let Some(piece) = stream.next().await {
                read.extend_from_slice(&piece.unwrap());
            }
            assert!(read == written, "order or content differs");
        }
    }

    #[test]
    fn a_reader_that_left_is_noticed() {
        let (writer, stream) = response_buffer();
        drop(stream);
        assert!(!writer.write(Bytes::from_static(b"x")).unwrap());
    }
}
