//! Reads record batches. Every producer of the topic decides what is in them, so no length or count is taken for
//! granted: compressed records are unpacked up to a bound, and offsets are checked.
//!
//! `kafka-protocol` decodes the header and checks the checksum. Its decoder of records is not used: it reserves memory for
//! as many records and headers as are announced, unpacks without a bound, and adds offsets without a check.

use std::io::{self, Read};

use bytes::{Buf, Bytes};
use flate2::read::GzDecoder;
use kafka_protocol::records::{BatchDecodeInfo, Compression, RecordBatchDecoder};

use crate::error::{KafkaError, Result};

/// The bytes of a batch before its records.
const HEADER_BYTES: usize = 61;

/// A batch whose records are read one by one.
pub(crate) struct RecordBatch {
    pub(crate) header: BatchDecodeInfo,
    /// The records that were not read yet, unpacked.
    records: Bytes,
    unread: i32,
}

/// A record of a batch.
#[derive(Debug)]
pub(crate) struct FetchedRecord {
    /// Its offset; there is always one after it.
    pub(crate) offset: i64,
    pub(crate) value: Option<Bytes>,
}

impl RecordBatch {
    /// Decodes the header of a whole batch, and unpacks its records if they become at most `max_bytes`.
    pub(crate) fn decode(batch: &Bytes, max_bytes: usize) -> Result<Self> {
        let headers = RecordBatchDecoder::decode_batch_info(&mut batch.clone()).map_err(invalid)?;
        let header = headers.into_iter().next().ok_or_else(|| invalid("a batch of another version than 2"))?;
        let packed = batch.slice(HEADER_BYTES.min(batch.len())..);
        let records = match header.compression {
            Compression::None => packed,
            Compression::Gzip => unpack(&packed, max_bytes)?,
            other => return Err(invalid(format!("records that are compressed by {other:?}"))),
        };
        Ok(Self { unread: header.record_count, header, records })
    }

    /// Returns how many bytes the unread records have, unpacked.
    pub(crate) fn bytes(&self) -> usize {
        self.records.len()
    }

    /// Returns the next record; nothing after the last one.
    pub(crate) fn next_record(&mut self) -> Result<Option<FetchedRecord>> {
        if self.unread <= 0 {
            return Ok(None);
        }
        self.unread -= 1;
        let (delta, value) = decode_record(&mut self.records).ok_or_else(|| invalid("a record that is not whole"))?;
        let offset = self.header.min_offset.checked_add(delta).filter(|offset| *offset < i64::MAX);
        let offset = offset.ok_or_else(|| invalid("an offset that is out of range"))?;
        Ok(Some(FetchedRecord { offset, value }))
    }
}

fn unpack(packed: &[u8], max_bytes: usize) -> Result<Bytes> {
    let mut unpacked = Vec::new();
    let one_more = u64::try_from(max_bytes).unwrap_or(u64::MAX).saturating_add(1);
    GzDecoder::new(packed).take(one_more).read_to_end(&mut unpacked).map_err(invalid)?;
    if unpacked.len() > max_bytes {
        return Err(invalid(format!("records that become more than {max_bytes} bytes when they are unpacked")));
    }
    Ok(unpacked.into())
}

/// Reads a record: its offset within the batch, and its value. Its headers are not needed.
fn decode_record(records: &mut Bytes) -> Option<(i64, Option<Bytes>)> {
    let mut record = split(records)??;
    let _attributes = record.try_get_u8().ok()?;
    let _timestamp = varint(&mut record)?;
    let offset = varint(&mut record)?;
    let _key = split(&mut record)?;
    Some((offset, split(&mut record)?))
}

/// Takes bytes that follow their length; a length of -1 means none.
fn split(bytes: &mut Bytes) -> Option<Option<Bytes>> {
    let length = varint(bytes)?;
    if length == -1 {
        return Some(None);
    }
    let length = usize::try_from(length).ok().filter(|length| *length <= bytes.len())?;
    Some(Some(bytes.split_to(length)))
}

/// Reads a number of variable length: seven bits a byte, the least significant first, the sign in the lowest bit.
fn varint(bytes: &mut Bytes) -> Option<i64> {
    let mut number = 0_u64;
    for shift in (0..u64::BITS).step_by(7) {
        let byte = bytes.try_get_u8().ok()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some((number >> 1) as i64 ^ -((number & 1) as i64));
        }
    }
    None
}

fn invalid(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> KafkaError {
    KafkaError::Codec(io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzzing::{encode_records, seal};

    fn values(batch: &Bytes, max_bytes: usize) -> Result<Vec<(i64, Bytes)>> {
        let mut batch = RecordBatch::decode(batch, max_bytes)?;
        let mut values = Vec::new();
        while let Some(record) = batch.next_record()? {
            values.push((record.offset, record.value.unwrap_or_default()));
        }
        Ok(values)
    }

    /// Returns a batch in which bytes are replaced, with its checksum.
    fn forged(batch: &Bytes, start: usize, bytes: &[u8]) -> Bytes {
        let mut forged = batch.to_vec();
        forged[start..start + bytes.len()].copy_from_slice(bytes);
        seal(&mut forged);
        forged.into()
    }

    #[test]
    fn records_read_back_packed_or_not() {
        let sent: Vec<Bytes> = ["one", "", "three"].map(Bytes::from).into();
        for is_packed in [false, true] {
            let batch = encode_records(&sent, is_packed).unwrap();
            let expected: Vec<(i64, Bytes)> = (0..).zip(sent.clone()).collect();
            assert_eq!(values(&batch, 1_000).unwrap(), expected);
            let mut damaged = batch.to_vec();
            damaged[70] ^= 1;
            assert!(values(&damaged.into(), 1_000).is_err());
        }
    }

    #[test]
    fn records_that_unpack_to_more_than_allowed_are_refused() {
        let batch = encode_records(&[vec![0; 1 << 20].into()], true).unwrap();
        assert!(batch.len() < 10_000);
        assert!(values(&batch, 2 << 20).is_ok());
        assert!(values(&batch, 1 << 20).is_err());
    }

    #[test]
    fn counts_and_offsets_that_cannot_be_are_refused() {
        let batch = encode_records(&[Bytes::from_static(b"one"), Bytes::from_static(b"two")], false).unwrap();
        assert_eq!(values(&forged(&batch, 0, &[0; 8]), 1_000).unwrap().len(), 2);
        assert!(values(&forged(&batch, 0, &i64::MAX.to_be_bytes()), 1_000).is_err());
        assert!(values(&forged(&batch, HEADER_BYTES - 4, &i32::MAX.to_be_bytes()), 1_000).is_err());
        assert!(values(&forged(&batch, HEADER_BYTES - 4, &i32::MIN.to_be_bytes()), 1_000).is_err());
    }
}
