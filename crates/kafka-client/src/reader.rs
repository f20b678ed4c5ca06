//! A topic reader without a consumer group: its caller keeps the offsets.
//!
//! Only committed records are read: those of aborted transactions are skipped, and those of open ones not reached yet.
//! After a failure a reader is not used again.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, Bytes};
use kafka_protocol::ResponseError;
use kafka_protocol::messages::fetch_request::{FetchPartition, FetchTopic};
use kafka_protocol::messages::fetch_response::PartitionData;
use kafka_protocol::messages::list_offsets_request::{ListOffsetsPartition, ListOffsetsTopic};
use kafka_protocol::messages::{FetchRequest, ListOffsetsRequest};

use crate::cluster::Cluster;
use crate::connection::VersionedRequest;
use crate::error::{Result, check_code};
use crate::record_batch::RecordBatch;
use crate::settings::KafkaSettings;

/// The isolation level that hides records of transactions that are not committed.
const READ_COMMITTED: i8 = 1;

/// The timestamps that ask for the offset after the last record, and for the first one that is left.
const LATEST: i64 = -1;
const EARLIEST: i64 = -2;

/// The bytes of records in one response.
const MAX_FETCH_BYTES: i32 = 8 << 20;

/// The bytes of records that one fetch unpacks, and that one batch may become.
const MAX_UNPACKED_BYTES: usize = 64 << 20;

/// The bytes of a record batch up to and with its length.
const BATCH_PREFIX_BYTES: usize = 12;

/// A reader of all partitions of a topic.
pub struct TopicReader {
    cluster: Cluster,
}

/// Records that were read.
#[derive(Debug, Default)]
pub struct FetchedRecords {
    /// The values of the records, those of one partition in their order.
    pub values: Vec<Bytes>,
    /// The next offset to read, by partition.
    pub offsets: BTreeMap<i32, i64>,
    /// The offset after the last record, by partition.
    pub ends: BTreeMap<i32, i64>,
}

impl TopicReader {
    /// Connects to the cluster of the topic.
    ///
    /// # Errors
    ///
    /// If the brokers cannot be reached, or there is no such topic.
    pub async fn open(settings: KafkaSettings) -> Result<Self> {
        Ok(Self { cluster: Cluster::connect(Arc::new(settings)).await? })
    }

    /// Returns the offset after the last record of each partition.
    ///
    /// # Errors
    ///
    /// If a broker does not respond.
    pub async fn ends(&mut self) -> Result<BTreeMap<i32, i64>> {
        self.list_offsets(LATEST).await
    }

    async fn list_offsets(&mut self, timestamp: i64) -> Result<BTreeMap<i32, i64>> {
        let mut offsets = BTreeMap::new();
        let wanted = ListOffsetsPartition::default().with_timestamp(timestamp);
        for (leader, partitions) in self.partitions_by_leader()? {
            let wanted = partitions.into_iter().map(|index| wanted.clone().with_partition_index(index));
            let topic = ListOffsetsTopic::default().with_name(self.cluster.topic()).with_partitions(wanted.collect());
            let request = ListOffsetsRequest::default()
                .with_replica_id((-1).into())
                .with_isolation_level(READ_COMMITTED)
                .with_topics(vec![topic]);
            let response = self.cluster.call(leader, &request).await?;
            for partition in response.topics.iter().flat_map(|topic| &topic.partitions) {
                check_code(ListOffsetsRequest::NAME, partition.error_code)?;
                offsets.insert(partition.partition_index, partition.offset);
            }
        }
        Ok(offsets)
    }

    /// Reads from offsets on, and waits for records if there are none. Partitions without an offset are read from their
    /// first record. Returns nothing if an offset is out of the range of its partition.
    ///
    /// # Errors
    ///
    /// If a broker does not respond, or what it sends cannot be read.
    pub async fn fetch(&mut self, after: &BTreeMap<i32, i64>, wait: Duration) -> Result<Option<FetchedRecords>> {
        self.cluster.refresh_if_stale().await?;
        let mut fetched = FetchedRecords { offsets: after.clone(), ..FetchedRecords::default() };
        if self.partitions().any(|partition| !after.contains_key(&partition)) {
            for (partition, beginning) in self.list_offsets(EARLIEST).await? {
                fetched.offsets.entry(partition).or_insert(beginning);
            }
        }
        let by_leader = self.partitions_by_leader()?;
        let mut max_bytes = MAX_UNPACKED_BYTES;
        let wait = wait / u32::try_from(by_leader.len()).unwrap_or(1).max(1);
        for (leader, partitions) in by_leader {
            let wanted = partitions.into_iter().map(|partition| {
                FetchPartition::default()
                    .with_partition(partition)
                    .with_fetch_offset(fetched.offsets.get(&partition).copied().unwrap_or_default())
                    .with_partition_max_bytes(MAX_FETCH_BYTES)
            });
            let topic = FetchTopic::default().with_topic(self.cluster.topic()).with_partitions(wanted.collect());
            let request = FetchRequest::default()
                .with_max_wait_ms(i32::try_from(wait.as_millis()).unwrap_or(i32::MAX))
                .with_min_bytes(1)
                .with_max_bytes(MAX_FETCH_BYTES)
                .with_isolation_level(READ_COMMITTED)
                .with_topics(vec![topic]);
            let response = self.cluster.call(leader, &request).await?;
            for partition in response.responses.into_iter().flat_map(|topic| topic.partitions) {
                if partition.error_code == ResponseError::OffsetOutOfRange.code() {
                    return Ok(None);
                }
                check_code(FetchRequest::NAME, partition.error_code)?;
                fetched.ends.insert(partition.partition_index, partition.last_stable_offset);
                let offset = fetched.offsets.entry(partition.partition_index).or_default();
                fetched.values.extend(committed(partition, offset, &mut max_bytes)?);
            }
        }
        Ok(Some(fetched))
    }

    fn partitions_by_leader(&self) -> Result<BTreeMap<i32, Vec<i32>>> {
        let mut by_leader: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
        for partition in self.partitions() {
            by_leader.entry(self.cluster.leader(partition)?).or_default().push(partition);
        }
        Ok(by_leader)
    }

    fn partitions(&self) -> Range<i32> {
        0..i32::try_from(self.cluster.partitions()).unwrap_or(i32::MAX)
    }
}

/// Returns the values of the committed records of a partition from an offset on, and advances the offset. Batches after
/// the one that takes the last of `max_bytes` are left to the next fetch.
pub(crate) fn committed(partition: PartitionData, offset: &mut i64, max_bytes: &mut usize) -> Result<Vec<Bytes>> {
    let aborted = partition.aborted_transactions.unwrap_or_default().into_iter();
    let mut aborted: Vec<(i64, i64)> = aborted.map(|one| (one.first_offset, one.producer_id.0)).collect();
    aborted.sort_unstable_by(|left, right| right.cmp(left));
    // The producers whose current transaction was aborted.
    let mut aborting: HashSet<i64> = HashSet::new();
    let mut values = Vec::new();
    let mut bytes = partition.records.unwrap_or_default();
    while *max_bytes > 0
        && let Some(batch) = next_batch(&mut bytes)
    {
        let mut batch = RecordBatch::decode(&batch, MAX_UNPACKED_BYTES)?;
        *max_bytes = max_bytes.saturating_sub(batch.bytes());
        let (producer, is_transactional) = (batch.header.producer_id, batch.header.transactional);
        while let Some(record) = batch.next_record()? {
            while aborted.last().is_some_and(|(first, _)| *first <= record.offset) {
                aborting.extend(aborted.pop().map(|(_, producer)| producer));
            }
            if batch.header.control {
                aborting.remove(&producer);
            } else if record.offset >= *offset && !(is_transactional && aborting.contains(&producer)) {
                // A record without a value is a tombstone of its key, which SONG never writes.
                values.extend(record.value);
            }
            *offset = (*offset).max(record.offset + 1);
        }
    }
    Ok(values)
}

/// Takes the next whole batch; the last one of a response may be truncated.
fn next_batch(bytes: &mut Bytes) -> Option<Bytes> {
    let length = bytes.get(BATCH_PREFIX_BYTES - 4..BATCH_PREFIX_BYTES)?.get_u32() as usize;
    let whole = BATCH_PREFIX_BYTES.checked_add(length)?;
    (bytes.len() >= whole).then(|| bytes.split_to(whole))
}
