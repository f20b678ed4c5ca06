//! Events as the records of Kafka: key, value, partition; and how many go into one request.

use std::time::SystemTime;

use bytes::{Bytes, BytesMut};
use cantata_core::Event;
use cantata_store::StoreError;
use kafka_protocol::protocol::StrBytes;
use kafka_protocol::records::{
    Compression, NO_PARTITION_LEADER_EPOCH, Record, RecordBatchEncoder, RecordEncodeOptions, TimestampType,
};

use crate::error::{OutboxError, Result};
use crate::partition::partition_of;

/// The header with the number of an event, by which consumers can tell what they have had already.
const EVENT_HEADER: &str = "event";

/// An event on its way into a partition.
pub(crate) struct Message {
    pub(crate) event: u64,
    pub(crate) partition: i32,
    key: Bytes,
    value: Bytes,
}

impl Message {
    pub(crate) fn new(event: &Event, server_id: &str, partitions: u32) -> Result<Self> {
        let corrupt = |error| StoreError::corrupt(format!("event {}", event.seq), error);
        let value = event.message(server_id).map_err(corrupt)?;
        let key = event.analysis_id.to_string();
        let partition = partition_of(key.as_bytes(), partitions);
        Ok(Self {
            event: event.seq,
            partition: i32::try_from(partition).unwrap_or(i32::MAX),
            key: key.into(),
            value: value.into(),
        })
    }

    fn size(&self) -> usize {
        self.key.len() + self.value.len()
    }
}

/// Cuts messages into runs of at most `limit` bytes, or of one message that is larger.
pub(crate) fn runs(mut messages: &[Message], limit: usize) -> impl Iterator<Item = &[Message]> {
    std::iter::from_fn(move || {
        let mut size = 0;
        let fitting = messages.iter().take_while(|message| {
            size += message.size();
            size <= limit
        });
        let (run, rest) = messages.split_at(fitting.count().max(1).min(messages.len()));
        messages = rest;
        (!run.is_empty()).then_some(run)
    })
}

/// Who produces: what the brokers tell apart one producer and its requests by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProducerIdentity {
    pub(crate) id: i64,
    pub(crate) epoch: i16,
}

/// Writes messages of one partition as one batch, compressed if they are larger than `limit`.
pub(crate) fn encode(messages: &[&Message], producer: ProducerIdentity, sequence: i32, limit: usize) -> Result<Bytes> {
    let timestamp = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
    let timestamp = i64::try_from(timestamp).unwrap_or(i64::MAX);
    let records: Vec<Record> = (0_i32..)
        .zip(messages)
        .map(|(place, message)| Record {
            transactional: true,
            control: false,
            delete_horizon: false,
            partition_leader_epoch: NO_PARTITION_LEADER_EPOCH,
            producer_id: producer.id,
            producer_epoch: producer.epoch,
            timestamp_type: TimestampType::Creation,
            offset: place.into(),
            sequence: sequence.wrapping_add(place),
            timestamp,
            key: Some(message.key.clone()),
            value: Some(message.value.clone()),
            headers: [(StrBytes::from_static_str(EVENT_HEADER), Some(Bytes::from(message.event.to_string())))].into(),
        })
        .collect();
    let is_large = messages.iter().map(|message| message.size()).sum::<usize>() > limit;
    // What every consumer can read without more.
    let compression = if is_large { Compression::Gzip } else { Compression::None };
    let mut encoded = BytesMut::new();
    RecordBatchEncoder::encode(&mut encoded, &records, &RecordEncodeOptions { version: 2, compression })
        .map_err(|error| OutboxError::Setting(format!("events cannot be written as records: {error}")))?;
    Ok(encoded.freeze())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(size: usize) -> Message {
        Message { event: 0, partition: 0, key: Bytes::new(), value: vec![b'x'; size].into() }
    }

    #[test]
    fn runs_are_full_and_in_order() {
        let sizes = [3, 3, 4, 1, 20, 1, 9, 10];
        let messages = sizes.map(message);
        let found: Vec<Vec<usize>> = runs(&messages, 10).map(|run| run.iter().map(Message::size).collect()).collect();
        assert_eq!(found, [vec![3, 3, 4], vec![1], vec![20], vec![1, 9], vec![10]]);
        assert_eq!(runs(&messages, 0).count(), sizes.len());
        assert_eq!(runs(&[], 10).count(), 0);
    }
}
