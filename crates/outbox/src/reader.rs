//! Reading a topic from offsets that the reader keeps itself, without a group.
//!
//! Only what was committed is read: records of transactions that were aborted are passed over, and those of open ones not
//! reached yet. After a failure a reader is not used again.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, Bytes};
use kafka_protocol::ResponseError;
use kafka_protocol::messages::fetch_request::{FetchPartition, FetchTopic};
use kafka_protocol::messages::fetch_response::PartitionData;
use kafka_protocol::messages::list_offsets_request::{ListOffsetsPartition, ListOffsetsTopic};
use kafka_protocol::messages::{FetchRequest, ListOffsetsRequest};
use kafka_protocol::records::RecordBatchDecoder;

use crate::cluster::Cluster;
use crate::connection::Call;
use crate::error::{OutboxError, Result, accepted};
use crate::settings::KafkaSettings;

/// Nothing of transactions that are not committed.
const READ_COMMITTED: i8 = 1;

/// Stands for the offset after the last record, and for the first one that is left.
const END: i64 = -1;
const BEGINNING: i64 = -2;

/// How many bytes are read at once.
const FETCH_LIMIT: i32 = 8 << 20;

/// How long the header of a batch of records is up to its length, and with it.
const BATCH_HEAD: usize = 12;

/// A topic that is read.
pub struct TopicReader {
    cluster: Cluster,
}

/// What was read.
#[derive(Debug, Default)]
pub struct Fetched {
    /// The values of the records, those of one partition in their order.
    pub values: Vec<Bytes>,
    /// The offset to go on from, by partition.
    pub offsets: BTreeMap<i32, i64>,
    /// The offset after the last record, by partition.
    pub ends: BTreeMap<i32, i64>,
}

impl TopicReader {
    /// Finds the topic.
    ///
    /// # Errors
    ///
    /// If the brokers cannot be reached, or there is no such topic.
    pub async fn open(settings: KafkaSettings) -> Result<Self> {
        Ok(Self { cluster: Cluster::find(Arc::new(settings)).await? })
    }

    /// Returns the offset after the last record of each partition.
    ///
    /// # Errors
    ///
    /// If a broker does not answer.
    pub async fn ends(&mut self) -> Result<BTreeMap<i32, i64>> {
        self.offsets(END).await
    }

    async fn offsets(&mut self, at: i64) -> Result<BTreeMap<i32, i64>> {
        let mut offsets = BTreeMap::new();
        for (leader, partitions) in self.by_leader()? {
            let wanted = partitions
                .into_iter()
                .map(|index| ListOffsetsPartition::default().with_partition_index(index).with_timestamp(at));
            let topic = ListOffsetsTopic::default().with_name(self.cluster.topic()).with_partitions(wanted.collect());
            let request = ListOffsetsRequest::default()
                .with_replica_id((-1).into())
                .with_isolation_level(READ_COMMITTED)
                .with_topics(vec![topic]);
            let answer = self.cluster.call(leader, &request).await?;
            for partition in answer.topics.iter().flat_map(|topic| &topic.partitions) {
                accepted(ListOffsetsRequest::NAME, partition.error_code)?;
                offsets.insert(partition.partition_index, partition.offset);
            }
        }
        Ok(offsets)
    }

    /// Reads from offsets on, and waits a while for records if there are none. Partitions without an offset are read from
    /// their beginning. Returns nothing if a partition has not what stands at its offset, any more or yet.
    ///
    /// # Errors
    ///
    /// If a broker does not answer, or what it sends cannot be read.
    pub async fn fetch(&mut self, after: &BTreeMap<i32, i64>, wait: Duration) -> Result<Option<Fetched>> {
        self.cluster.look_again().await?;
        let mut fetched = Fetched { offsets: after.clone(), ..Fetched::default() };
        let partitions = i32::try_from(self.cluster.partitions()).unwrap_or(i32::MAX);
        if (0..partitions).any(|partition| !after.contains_key(&partition)) {
            for (partition, beginning) in self.offsets(BEGINNING).await? {
                fetched.offsets.entry(partition).or_insert(beginning);
            }
        }
        let by_leader = self.by_leader()?;
        let wait = wait / u32::try_from(by_leader.len()).unwrap_or(1).max(1);
        for (leader, partitions) in by_leader {
            let wanted = partitions.into_iter().map(|partition| {
                FetchPartition::default()
                    .with_partition(partition)
                    .with_fetch_offset(fetched.offsets.get(&partition).copied().unwrap_or_default())
                    .with_partition_max_bytes(FETCH_LIMIT)
            });
            let topic = FetchTopic::default().with_topic(self.cluster.topic()).with_partitions(wanted.collect());
            let request = FetchRequest::default()
                .with_max_wait_ms(i32::try_from(wait.as_millis()).unwrap_or(i32::MAX))
                .with_min_bytes(1)
                .with_max_bytes(FETCH_LIMIT)
                .with_isolation_level(READ_COMMITTED)
                .with_topics(vec![topic]);
            let answer = self.cluster.call(leader, &request).await?;
            for partition in answer.responses.into_iter().flat_map(|topic| topic.partitions) {
                if partition.error_code == ResponseError::OffsetOutOfRange.code() {
                    return Ok(None);
                }
                accepted(FetchRequest::NAME, partition.error_code)?;
                fetched.ends.insert(partition.partition_index, partition.last_stable_offset);
                let offset = fetched.offsets.entry(partition.partition_index).or_default();
                fetched.values.extend(committed(partition, offset)?);
            }
        }
        Ok(Some(fetched))
    }

    fn by_leader(&self) -> Result<BTreeMap<i32, Vec<i32>>> {
        let mut by_leader: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
        for partition in 0..i32::try_from(self.cluster.partitions()).unwrap_or(i32::MAX) {
            by_leader.entry(self.cluster.leader(partition)?).or_default().push(partition);
        }
        Ok(by_leader)
    }
}

/// Returns the values of the records of a partition from an offset on that were committed, and moves the offset on.
fn committed(partition: PartitionData, offset: &mut i64) -> Result<Vec<Bytes>> {
    let mut aborted: Vec<(i64, i64)> = partition
        .aborted_transactions
        .unwrap_or_default()
        .iter()
        .map(|transaction| (transaction.first_offset, transaction.producer_id.0))
        .collect();
    aborted.sort_unstable_by(|left, right| right.cmp(left));
    // The producers whose present transaction was aborted.
    let mut aborting: HashSet<i64> = HashSet::new();
    let mut values = Vec::new();
    let mut bytes = partition.records.unwrap_or_default();
    while let Some(mut batch) = next_batch(&mut bytes) {
        let records = RecordBatchDecoder::decode(&mut batch).map_err(|error| {
            OutboxError::Setting(format!("a batch of the topic cannot be read, perhaps for its compression: {error}"))
        })?;
        for record in records.records {
            while aborted.last().is_some_and(|(first, _)| *first <= record.offset) {
                aborting.extend(aborted.pop().map(|(_, producer)| producer));
            }
            if record.control {
                aborting.remove(&record.producer_id);
            } else if record.offset >= *offset && !(record.transactional && aborting.contains(&record.producer_id)) {
                // A record without a value says that its key is gone, which SONG never does.
                values.extend(record.value);
            }
            *offset = (*offset).max(record.offset + 1);
        }
    }
    Ok(values)
}

/// Takes the next whole batch; brokers may send a part of one at the end.
fn next_batch(bytes: &mut Bytes) -> Option<Bytes> {
    let length = bytes.get(BATCH_HEAD - 4..BATCH_HEAD)?.get_u32() as usize;
    let whole = BATCH_HEAD.checked_add(length)?;
    (bytes.len() >= whole).then(|| bytes.split_to(whole))
}
