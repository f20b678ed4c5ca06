//! The trailer of a backup: a checksum of everything before it.
//!
//! The checksums of the files do not cover their compressed form, so without the trailer some damage would go unnoticed. It
//! is an empty gzip member with the checksum as its comment, which ordinary tools skip.

use std::io::{self, BufRead, Read, Write};

use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};

/// The size of a trailer.
pub(crate) const TRAILER_BYTES: u64 = 85;

/// A reader or writer that computes the checksum of what passes through it.
pub(crate) struct HashingStream<T> {
    inner: T,
    sum: Sha256,
}

impl<T> HashingStream<T> {
    pub(crate) fn new(inner: T) -> Self {
        Self { inner, sum: Sha256::new() }
    }

    /// Returns the inner stream and the trailer.
    pub(crate) fn finish(self) -> io::Result<(T, Vec<u8>)> {
        let sum = format!("{:x}", self.sum.finalize());
        let member = GzBuilder::new().comment(sum).write(Vec::new(), Compression::fast());
        Ok((self.inner, member.finish()?))
    }
}

impl<T: Write> Write for HashingStream<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.update(bytes.get(..written).unwrap_or_default());
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: BufRead> Read for HashingStream<T> {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(target)?;
        self.sum.update(target.get(..read).unwrap_or_default());
        Ok(read)
    }
}

impl<T: BufRead> BufRead for HashingStream<T> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        // The bytes to consume are still in the buffer.
        if let Ok(buffer) = self.inner.fill_buf() {
            self.sum.update(buffer.get(..amount).unwrap_or_default());
        }
        self.inner.consume(amount);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_has_one_length_and_holds_nothing() {
        let mut stream = HashingStream::new(Vec::new());
        stream.write_all(b"something").unwrap();
        let (_, trailer) = stream.finish().unwrap();
        assert_eq!(trailer.len() as u64, TRAILER_BYTES);
        let mut content = Vec::new();
        flate2::read::GzDecoder::new(trailer.as_slice()).read_to_end(&mut content).unwrap();
        assert_eq!(content, b"");
    }
}
