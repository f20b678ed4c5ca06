//! Record batches: which records go into one request, and how they are encoded.

use std::io;
use std::time::SystemTime;

use bytes::{Bytes, BytesMut};
use kafka_protocol::protocol::StrBytes;
use kafka_protocol::records::{
    Compression, NO_PARTITION_LEADER_EPOCH, Record, RecordBatchEncoder, RecordEncodeOptions, TimestampType,
};

use crate::error::{KafkaError, Result};

/// A record to be sent; its key decides its partition.
#[derive(Debug, Clone)]
pub struct ProducerRecord {
    /// The key.
    pub key: Bytes,
    /// The value.
    pub value: Bytes,
    /// A header: its name and its value.
    pub header: (&'static str, Bytes),
}

impl ProducerRecord {
    fn size(&self) -> usize {
        self.key.len() + self.value.len()
    }
}

/// Splits records into groups of at most `max_bytes`, or of one record that is larger.
pub(crate) fn split_by_size(
    mut records: &[ProducerRecord],
    max_bytes: usize,
) -> impl Iterator<Item = &[ProducerRecord]> {
    std::iter::from_fn(move || {
        let mut size = 0;
        let fitting = records.iter().take_while(|record| {
            size += record.size();
            size <= max_bytes
        });
        let (group, rest) = records.split_at(fitting.count().max(1).min(records.len()));
        records = rest;
        (!group.is_empty()).then_some(group)
    })
}

/// The identity by which brokers tell one producer session from another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProducerIdentity {
    pub(crate) id: i64,
    pub(crate) epoch: i16,
}

/// Encodes records of one partition as one batch, compressed if they are larger than `max_bytes`.
pub(crate) fn encode_batch(
    records: &[&ProducerRecord],
    producer: ProducerIdentity,
    first_sequence: i32,
    max_bytes: usize,
) -> Result<Bytes> {
    let timestamp = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
    let timestamp = i64::try_from(timestamp).unwrap_or(i64::MAX);
    let encoded: Vec<Record> = (0_i32..)
        .zip(records)
        .map(|(offset, record)| Record {
            transactional: true,
            control: false,
            delete_horizon: false,
            partition_leader_epoch: NO_PARTITION_LEADER_EPOCH,
            producer_id: producer.id,
            producer_epoch: producer.epoch,
            timestamp_type: TimestampType::Creation,
            offset: offset.into(),
            sequence: first_sequence.wrapping_add(offset),
            timestamp,
            key: Some(record.key.clone()),
            value: Some(record.value.clone()),
            headers: [(StrBytes::from_static_str(record.header.0), Some(record.header.1.clone()))].into(),
        })
        .collect();
    let is_large = records.iter().map(|record| record.size()).sum::<usize>() > max_bytes;
    // Gzip is the compression that every consumer supports.
    let compression = if is_large { Compression::Gzip } else { Compression::None };
    let mut batch = BytesMut::new();
    RecordBatchEncoder::encode(&mut batch, &encoded, &RecordEncodeOptions { version: 2, compression })
        .map_err(|error| KafkaError::Codec(io::Error::other(error)))?;
    Ok(batch.freeze())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(size: usize) -> ProducerRecord {
        ProducerRecord { key: Bytes::new(), value: vec![b'x'; size].into(), header: ("", Bytes::new()) }
    }

    #[test]
    fn runs_are_full_and_in_order() {
        let sizes = [3, 3, 4, 1, 20, 1, 9, 10];
        let records = sizes.map(record);
        let found: Vec<Vec<usize>> =
            split_by_size(&records, 10).map(|group| group.iter().map(ProducerRecord::size).collect()).collect();
        assert_eq!(found, [vec![3, 3, 4], vec![1], vec![20], vec![1, 9], vec![10]]);
        assert_eq!(split_by_size(&records, 0).count(), sizes.len());
        assert_eq!(split_by_size(&[], 10).count(), 0);
    }
}
