//! The seal at the end of a backup: a checksum of everything before it.
//!
//! The checksums of the files do not cover how they were compressed, so without the seal some damage would go
//! unnoticed until it gets worse. It is a gzip member of its own that holds nothing and has the checksum as its
//! comment: ordinary tools read over it.

use std::io::{self, BufRead, Read, Write};

use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};

/// How many bytes a seal has.
pub(crate) const LENGTH: u64 = 85;

/// Passes bytes on, in either direction, and keeps their checksum.
pub(crate) struct Sealing<T> {
    inner: T,
    sum: Sha256,
}

impl<T> Sealing<T> {
    pub(crate) fn new(inner: T) -> Self {
        Self { inner, sum: Sha256::new() }
    }

    /// Returns what the bytes were passed on to, and their seal.
    pub(crate) fn finish(self) -> io::Result<(T, Vec<u8>)> {
        let sum = format!("{:x}", self.sum.finalize());
        let member = GzBuilder::new().comment(sum).write(Vec::new(), Compression::fast());
        Ok((self.inner, member.finish()?))
    }
}

impl<T: Write> Write for Sealing<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.update(bytes.get(..written).unwrap_or_default());
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: BufRead> Read for Sealing<T> {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(target)?;
        self.sum.update(target.get(..read).unwrap_or_default());
        Ok(read)
    }
}

impl<T: BufRead> BufRead for Sealing<T> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        // What was looked at before is still there.
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
        let mut sealing = Sealing::new(Vec::new());
        sealing.write_all(b"something").unwrap();
        let (_, seal) = sealing.finish().unwrap();
        assert_eq!(seal.len() as u64, LENGTH);
        let mut content = Vec::new();
        flate2::read::GzDecoder::new(seal.as_slice()).read_to_end(&mut content).unwrap();
        assert_eq!(content, b"");
    }
}
