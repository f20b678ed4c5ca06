//! The readers of what a broker sends, for fuzz targets: without a broker.

use bytes::Bytes;
use kafka_protocol::messages::fetch_response::PartitionData;

use crate::batch::{ProducerIdentity, ProducerRecord, encode_batch};
use crate::connection::DECODERS;
use crate::error::KafkaError;
use crate::reader::committed;
use crate::scram::{Digest, Scram};

/// How many requests this client has.
pub const REQUESTS: usize = DECODERS.len();

/// Where the checksum of a record batch is; it covers what follows it.
const CHECKSUM: std::ops::Range<usize> = 17..21;

/// Reads a frame as the response to one of the requests of this client; returns whether it is one.
pub fn is_response(request: usize, frame: &[u8]) -> bool {
    let correlation_id = frame.first_chunk::<4>().map_or(0, |id| i32::from_be_bytes(*id));
    DECODERS[request % REQUESTS](Bytes::copy_from_slice(frame), correlation_id)
}

/// Reads the records of a partition from an offset on, with `max_bytes` of them unpacked, and returns their values and the
/// next offset.
///
/// # Errors
///
/// If they cannot be read.
pub fn read_records(records: Bytes, offset: i64, mut max_bytes: usize) -> Result<(Vec<Bytes>, i64), KafkaError> {
    let mut next = offset;
    let values = committed(PartitionData::default().with_records(Some(records)), &mut next, &mut max_bytes)?;
    Ok((values, next))
}

/// Encodes a batch of records with these values.
///
/// # Errors
///
/// If there are too many.
pub fn encode_records(values: &[Bytes], is_packed: bool) -> Result<Bytes, KafkaError> {
    let record = |value: &Bytes| ProducerRecord { key: Bytes::new(), value: value.clone(), header: ("", Bytes::new()) };
    let records: Vec<ProducerRecord> = values.iter().map(record).collect();
    let max_bytes = if is_packed { 0 } else { usize::MAX };
    encode_batch(&records.iter().collect::<Vec<_>>(), ProducerIdentity { id: 1, epoch: 0 }, 0, max_bytes)
}

/// Gives a record batch the checksum of what it holds, so that changed ones are read to their end.
pub fn seal(batch: &mut [u8]) {
    let Some(content) = batch.get(CHECKSUM.end..) else { return };
    let checksum = crc32c(content).to_be_bytes();
    batch[CHECKSUM].copy_from_slice(&checksum);
}

/// CRC-32C, bit by bit.
fn crc32c(bytes: &[u8]) -> u32 {
    const POLYNOMIAL: u32 = 0x82f6_3b78;
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| sum >> 1 ^ if sum & 1 == 1 { POLYNOMIAL } else { 0 })
    })
}

/// Goes through an exchange of SCRAM as a client; returns its proof, and whether the broker is accepted.
pub fn scram(nonce: &str, challenge: &str, verdict: &str) -> Option<(String, bool)> {
    let scram = Scram::new(Digest::Sha256, "user", nonce.to_owned());
    let proof = scram.prove(challenge, "pencil").ok()?;
    let is_accepted = proof.verify(verdict).is_ok();
    Some((proof.message, is_accepted))
}
