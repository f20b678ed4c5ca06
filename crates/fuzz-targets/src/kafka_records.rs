//! Record batches of a Kafka topic.

use bytes::Bytes;
use cantata_kafka_client::fuzzing::{encode_records, read_records, seal};

/// The bytes of a batch up to and with its length.
const BATCH_PREFIX_BYTES: usize = 12;

/// How many bytes of records are read.
const MAX_BYTES: usize = 1 << 20;

/// The most that one batch may become beyond that.
const MAX_BATCH_BYTES: usize = 64 << 20;

/// Reads batches as they are and with checksums that fit; records that are written read back.
pub fn target(data: &[u8]) {
    check(data.to_vec());
    let mut sealed = data.to_vec();
    seal_batches(&mut sealed);
    check(sealed);

    let values: Vec<Bytes> = data.chunks(16).map(Bytes::copy_from_slice).collect();
    for is_packed in [false, true] {
        let batch = encode_records(&values, is_packed).expect("records can be written");
        let (read, next) = read_records(batch, 0, usize::MAX).expect("records read back");
        assert_eq!((&read, next), (&values, values.len() as i64));
    }
}

fn check(records: Vec<u8>) {
    if let Ok((values, next)) = read_records(records.into(), 0, MAX_BYTES) {
        assert!(next >= 0);
        assert!(values.iter().map(Bytes::len).sum::<usize>() <= MAX_BYTES + MAX_BATCH_BYTES);
    }
}

fn seal_batches(records: &mut [u8]) {
    let mut start = 0;
    while let Some(length) = records.get(start..).and_then(|rest| rest.get(8..BATCH_PREFIX_BYTES)) {
        let length = length.iter().fold(0_usize, |length, byte| length << 8 | usize::from(*byte));
        let end = start + BATCH_PREFIX_BYTES + length;
        let Some(batch) = records.get_mut(start..end) else { return };
        seal(batch);
        start = end;
    }
}

/// Returns batches, compressed and not, and both one after the other.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let values: Vec<Bytes> = ["{\"analysisId\":\"A\"}", "", "x"].map(Bytes::from).into();
    let [plain, packed] =
        [false, true].map(|is_packed| encode_records(&values, is_packed).expect("records can be written").to_vec());
    vec![[&plain[..], &packed].concat(), plain, packed]
}
