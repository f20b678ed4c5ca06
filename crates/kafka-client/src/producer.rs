//! A transactional producer session, the only one of its transactional id.
//!
//! Beginning a session fences all earlier ones: the brokers abort their open transactions and from then on reject what
//! they send, because their epoch is over. This holds for a process that was paused as well as for a request that timed
//! out and arrives late. Within a session one request at a time is under way, each partition has its sequence numbers,
//! and the records of one `send` are one transaction. Retriable errors are retried until a deadline; after any other
//! failure the session is not used again.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use bytes::Bytes;
use kafka_protocol::ResponseError;
use kafka_protocol::messages::add_partitions_to_txn_request::AddPartitionsToTxnTopic;
use kafka_protocol::messages::produce_request::{PartitionProduceData, TopicProduceData};
use kafka_protocol::messages::{
    AddPartitionsToTxnRequest, EndTxnRequest, FindCoordinatorRequest, InitProducerIdRequest, ProduceRequest,
    TransactionalId,
};
use kafka_protocol::protocol::StrBytes;

use crate::backoff::Backoff;
use crate::batch::{ProducerIdentity, ProducerRecord, encode_batch, split_by_size};
use crate::cluster::Cluster;
use crate::connection::{REQUEST_TIMEOUT_MS, VersionedRequest};
use crate::error::{KafkaError, Result, check_code};
use crate::partition::partition_of;
use crate::settings::KafkaSettings;

/// How long a transaction may stay open before the brokers abort it.
const TRANSACTION_TIMEOUT_MS: i32 = 60_000;

/// The key type of a transactional id in a request for its coordinator.
const TRANSACTION_KEY_TYPE: i8 = 1;

/// A request is acknowledged when all in-sync replicas have it.
const ACKS_ALL: i16 = -1;

/// A producer session.
pub struct Producer {
    settings: Arc<KafkaSettings>,
    cluster: Cluster,
    transactional_id: TransactionalId,
    coordinator: i32,
    identity: ProducerIdentity,
    /// The next sequence number of each partition.
    sequences: HashMap<i32, i32>,
    max_request_bytes: usize,
}

impl Producer {
    /// Begins a session and fences all earlier ones of the transactional id. Requests carry about `max_request_bytes` of
    /// records; with 0 each record is sent alone, compressed.
    ///
    /// # Errors
    ///
    /// If the brokers cannot be reached or reject the session, or there is no topic.
    pub async fn begin(settings: KafkaSettings, transactional_id: String, max_request_bytes: usize) -> Result<Self> {
        let settings = Arc::new(settings);
        let mut cluster = Cluster::connect(Arc::clone(&settings)).await?;
        let transactional_id = TransactionalId(StrBytes::from_string(transactional_id));
        let mut backoff = Backoff::new();
        let (coordinator, identity) = loop {
            match init_producer(&mut cluster, &transactional_id).await {
                // The coordinator is starting, or still aborting the transaction of an earlier session.
                Err(error @ KafkaError::Rejected { error: code, .. }) if is_transient(code) => {
                    backoff.wait(error).await?;
                }
                initialized => break initialized?,
            }
        };
        let sequences = HashMap::new();
        Ok(Self { settings, cluster, transactional_id, coordinator, identity, sequences, max_request_bytes })
    }

    /// Sends records in one transaction; when it returns, all in-sync replicas have all of them.
    ///
    /// # Errors
    ///
    /// If a broker does not respond or rejects a request, or a record is too large for the topic.
    pub async fn send(&mut self, records: &[ProducerRecord]) -> Result<()> {
        self.cluster.refresh_if_stale().await?;
        self.open_transaction(records).await?;
        let mut sent = 0;
        for group in split_by_size(records, self.max_request_bytes) {
            self.send_group(group, sent).await?;
            sent += group.len();
        }
        self.commit().await
    }

    fn partition(&self, record: &ProducerRecord) -> i32 {
        i32::try_from(partition_of(&record.key, self.cluster.partitions())).unwrap_or(i32::MAX)
    }

    /// Adds the partitions of the records to a new transaction.
    async fn open_transaction(&mut self, records: &[ProducerRecord]) -> Result<()> {
        let partitions: BTreeSet<i32> = records.iter().map(|record| self.partition(record)).collect();
        let topic = AddPartitionsToTxnTopic::default()
            .with_name(self.cluster.topic())
            .with_partitions(partitions.into_iter().collect());
        let request = AddPartitionsToTxnRequest::default()
            .with_v3_and_below_transactional_id(self.transactional_id.clone())
            .with_v3_and_below_producer_id(self.identity.id.into())
            .with_v3_and_below_producer_epoch(self.identity.epoch)
            .with_v3_and_below_topics(vec![topic]);
        let mut backoff = Backoff::new();
        loop {
            let response = self.cluster.call(self.coordinator, &request).await?;
            let mut results =
                response.results_by_topic_v3_and_below.iter().flat_map(|topic| &topic.results_by_partition);
            let rejection = results.find_map(|result| ResponseError::try_from_code(result.partition_error_code));
            let Some(error) = rejection else { return Ok(()) };
            let failure = KafkaError::Rejected { request: AddPartitionsToTxnRequest::NAME, error, details: None };
            // The markers of the last transaction are not all written yet.
            if error != ResponseError::ConcurrentTransactions {
                return Err(failure);
            }
            backoff.wait(failure).await?;
        }
    }

    /// Sends records, one batch for each partition; `first` is the number of the first one. A batch with a retriable error
    /// is sent again as it is: its sequence number tells the brokers whether they have it.
    async fn send_group(&mut self, group: &[ProducerRecord], first: usize) -> Result<()> {
        let mut pending = self.encode_batches(group)?;
        let mut backoff = Backoff::new();
        loop {
            // A batch that is missing in the response is not acknowledged.
            let rejection = self.send_batches(&mut pending).await?.unwrap_or(ResponseError::UnknownServerError);
            if pending.is_empty() {
                return Ok(());
            }
            let topic = &self.settings.topic;
            let failure = match rejection {
                ResponseError::MessageTooLarge | ResponseError::RecordListTooLarge => {
                    KafkaError::RecordTooLarge { topic: topic.clone(), record: first }
                }
                error => KafkaError::Rejected { request: ProduceRequest::NAME, error, details: None },
            };
            if !rejection.is_retriable() {
                return Err(failure);
            }
            tracing::debug!(topic, %rejection, "retrying a batch");
            backoff.wait(failure).await?;
            self.cluster.refresh().await?;
        }
    }

    /// Encodes the records of each partition as a batch.
    fn encode_batches(&mut self, group: &[ProducerRecord]) -> Result<BTreeMap<i32, Bytes>> {
        let mut by_partition: BTreeMap<i32, Vec<&ProducerRecord>> = BTreeMap::new();
        for record in group {
            by_partition.entry(self.partition(record)).or_default().push(record);
        }
        let mut batches = BTreeMap::new();
        for (partition, records) in by_partition {
            let sequence = self.sequences.entry(partition).or_default();
            batches.insert(partition, encode_batch(&records, self.identity, *sequence, self.max_request_bytes)?);
            // After the largest number comes zero.
            let count = i32::try_from(records.len()).unwrap_or(i32::MAX);
            *sequence = sequence.wrapping_add(count) & i32::MAX;
        }
        Ok(batches)
    }

    /// Sends batches, to one leader after the other, and removes those that are acknowledged. Returns an error of the
    /// others, preferably one that is not retriable.
    async fn send_batches(&mut self, pending: &mut BTreeMap<i32, Bytes>) -> Result<Option<ResponseError>> {
        let mut by_leader: BTreeMap<i32, Vec<PartitionProduceData>> = BTreeMap::new();
        for (partition, records) in &*pending {
            let data = PartitionProduceData::default().with_index(*partition).with_records(Some(records.clone()));
            by_leader.entry(self.cluster.leader(*partition)?).or_default().push(data);
        }
        let mut rejection: Option<ResponseError> = None;
        for (leader, partitions) in by_leader {
            let topic = TopicProduceData::default().with_name(self.cluster.topic()).with_partition_data(partitions);
            let request = ProduceRequest::default()
                .with_transactional_id(Some(self.transactional_id.clone()))
                .with_acks(ACKS_ALL)
                .with_timeout_ms(REQUEST_TIMEOUT_MS)
                .with_topic_data(vec![topic]);
            let response = self.cluster.call(leader, &request).await?;
            for partition in response.responses.iter().flat_map(|topic| &topic.partition_responses) {
                match ResponseError::try_from_code(partition.error_code) {
                    None => drop(pending.remove(&partition.index)),
                    Some(error) => rejection = rejection.filter(|earlier| !earlier.is_retriable()).or(Some(error)),
                }
            }
        }
        Ok(rejection)
    }

    async fn commit(&mut self) -> Result<()> {
        let request = EndTxnRequest::default()
            .with_transactional_id(self.transactional_id.clone())
            .with_producer_id(self.identity.id.into())
            .with_producer_epoch(self.identity.epoch)
            .with_committed(true);
        let response = self.cluster.call(self.coordinator, &request).await?;
        check_code(EndTxnRequest::NAME, response.error_code)
    }
}

/// Finds the coordinator and gets a producer identity from it, which fences all earlier ones.
async fn init_producer(cluster: &mut Cluster, transactional_id: &TransactionalId) -> Result<(i32, ProducerIdentity)> {
    let request =
        FindCoordinatorRequest::default().with_key(transactional_id.0.clone()).with_key_type(TRANSACTION_KEY_TYPE);
    let found = cluster.call(cluster.leader(0)?, &request).await?;
    check_code(FindCoordinatorRequest::NAME, found.error_code)?;
    let coordinator = found.node_id.0;
    cluster.set_address(coordinator, &found.host, found.port);

    let request = InitProducerIdRequest::default()
        .with_transactional_id(Some(transactional_id.clone()))
        .with_transaction_timeout_ms(TRANSACTION_TIMEOUT_MS);
    let response = cluster.call(coordinator, &request).await?;
    check_code(InitProducerIdRequest::NAME, response.error_code)?;
    Ok((coordinator, ProducerIdentity { id: response.producer_id.0, epoch: response.producer_epoch }))
}

fn is_transient(error: ResponseError) -> bool {
    matches!(
        error,
        ResponseError::CoordinatorNotAvailable
            | ResponseError::CoordinatorLoadInProgress
            | ResponseError::NotCoordinator
            | ResponseError::ConcurrentTransactions
    )
}
