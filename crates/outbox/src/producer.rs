//! One session with the brokers, as the only producer of its transactional id.
//!
//! Beginning ends everybody before: the brokers abort what an earlier session left open and refuse, from then on,
//! whatever it still sends, because its epoch is over. This holds for a process that was paused as well as for a
//! request that was given up and is late. Within the session one request at a time is under way, each partition counts
//! its records, and the events of one `send` are one transaction. Only a refusal that passes by itself is waited out;
//! after any other failure the session is not used again.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use bytes::Bytes;
use cantata_core::Event;
use kafka_protocol::ResponseError;
use kafka_protocol::messages::add_partitions_to_txn_request::AddPartitionsToTxnTopic;
use kafka_protocol::messages::produce_request::{PartitionProduceData, TopicProduceData};
use kafka_protocol::messages::{
    AddPartitionsToTxnRequest, EndTxnRequest, FindCoordinatorRequest, InitProducerIdRequest, ProduceRequest,
    TransactionalId,
};
use kafka_protocol::protocol::StrBytes;

use crate::batch::{Message, ProducerIdentity, encode, runs};
use crate::cluster::Cluster;
use crate::connection::{Call, WORK_LIMIT_MS};
use crate::error::{OutboxError, Result, accepted};
use crate::patience::Patience;
use crate::settings::KafkaSettings;

/// How long a transaction may stay open before the brokers abort it, in milliseconds.
const TRANSACTION_LIMIT_MS: i32 = 60_000;

/// A key that names the coordinator of a transactional id.
const TRANSACTION_KEY: i8 = 1;

/// All replicas that are in step.
const ALL_REPLICAS: i16 = -1;

/// A session that sends.
pub(crate) struct Producer {
    settings: Arc<KafkaSettings>,
    cluster: Cluster,
    transactional_id: TransactionalId,
    coordinator: i32,
    identity: ProducerIdentity,
    /// The number that the next record of each partition has.
    sequences: HashMap<i32, i32>,
    run_limit: usize,
}

impl Producer {
    /// Begins a session, and thereby ends all before; requests carry about `run_limit` bytes of events.
    pub(crate) async fn begin(settings: Arc<KafkaSettings>, run_limit: usize) -> Result<Self> {
        let mut cluster = Cluster::find(Arc::clone(&settings)).await?;
        let transactional_id = TransactionalId(StrBytes::from_string(settings.transactional_id()));
        let mut patience = Patience::new();
        loop {
            match begin_as(&mut cluster, &transactional_id).await {
                Ok((coordinator, identity)) => {
                    let sequences = HashMap::new();
                    return Ok(Self {
                        settings,
                        cluster,
                        transactional_id,
                        coordinator,
                        identity,
                        sequences,
                        run_limit,
                    });
                }
                // The coordinator is starting, or still ending what an earlier session left.
                Err(OutboxError::Refused { request, error, details }) if is_passing(error) => {
                    patience.wait(OutboxError::Refused { request, error, details }).await?;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Sends events; when it returns, all of them are acknowledged by all replicas.
    pub(crate) async fn send(&mut self, events: &[Event]) -> Result<()> {
        self.cluster.look_again().await?;
        let partitions = self.cluster.partitions();
        let server_id = &self.settings.server_id;
        let messages: Vec<Message> =
            events.iter().map(|event| Message::new(event, server_id, partitions)).collect::<Result<_>>()?;
        self.open_transaction(messages.iter().map(|message| message.partition).collect()).await?;
        for run in runs(&messages, self.run_limit) {
            self.send_run(run).await?;
        }
        self.commit().await
    }

    /// Tells the coordinator which partitions the next transaction writes to.
    async fn open_transaction(&mut self, partitions: BTreeSet<i32>) -> Result<()> {
        let topic = AddPartitionsToTxnTopic::default()
            .with_name(self.cluster.topic())
            .with_partitions(partitions.into_iter().collect());
        let request = AddPartitionsToTxnRequest::default()
            .with_v3_and_below_transactional_id(self.transactional_id.clone())
            .with_v3_and_below_producer_id(self.identity.id.into())
            .with_v3_and_below_producer_epoch(self.identity.epoch)
            .with_v3_and_below_topics(vec![topic]);
        let mut patience = Patience::new();
        loop {
            let answer = self.cluster.call(self.coordinator, &request).await?;
            let mut results = answer.results_by_topic_v3_and_below.iter().flat_map(|topic| &topic.results_by_partition);
            let refused = results.find_map(|result| ResponseError::try_from_code(result.partition_error_code));
            let Some(error) = refused else { return Ok(()) };
            let failure = OutboxError::Refused { request: AddPartitionsToTxnRequest::NAME, error, details: None };
            // The markers of the last transaction are not all written yet.
            if error != ResponseError::ConcurrentTransactions {
                return Err(failure);
            }
            patience.wait(failure).await?;
        }
    }

    /// Sends messages, one batch for each partition. A batch that a leader refuses for the moment, as that of a new topic
    /// may, is sent again as it is: its number tells the brokers whether they have it.
    async fn send_run(&mut self, run: &[Message]) -> Result<()> {
        let mut pending = self.batches(run)?;
        let mut patience = Patience::new();
        loop {
            // What a broker leaves out of its answer it has not acknowledged.
            let refusal = self.send_batches(&mut pending).await?.unwrap_or(ResponseError::UnknownServerError);
            if pending.is_empty() {
                return Ok(());
            }
            let failure = self.failure(refusal, run);
            if !refusal.is_retriable() {
                return Err(failure);
            }
            tracing::debug!(topic = self.settings.topic, %refusal, "a batch is sent again");
            patience.wait(failure).await?;
            self.cluster.look().await?;
        }
    }

    /// Says what went wrong, and what to do where a message is too large.
    fn failure(&self, error: ResponseError, run: &[Message]) -> OutboxError {
        match error {
            ResponseError::MessageTooLarge | ResponseError::RecordListTooLarge => OutboxError::TooLarge {
                event: run.first().map_or(0, |message| message.event),
                topic: self.settings.topic.clone(),
            },
            error => OutboxError::Refused { request: ProduceRequest::NAME, error, details: None },
        }
    }

    /// Writes the messages of each partition as a batch.
    fn batches(&mut self, run: &[Message]) -> Result<BTreeMap<i32, Bytes>> {
        let mut by_partition: BTreeMap<i32, Vec<&Message>> = BTreeMap::new();
        for message in run {
            by_partition.entry(message.partition).or_default().push(message);
        }
        let mut batches = BTreeMap::new();
        for (partition, messages) in by_partition {
            let sequence = self.sequences.entry(partition).or_default();
            batches.insert(partition, encode(&messages, self.identity, *sequence, self.run_limit)?);
            // After the largest number comes zero.
            let count = i32::try_from(messages.len()).unwrap_or(i32::MAX);
            *sequence = sequence.wrapping_add(count) & i32::MAX;
        }
        Ok(batches)
    }

    /// Sends batches, to one leader after the other, and removes what is acknowledged. Returns a refusal of what is left,
    /// one that will not pass by itself if there is such a one.
    async fn send_batches(&mut self, pending: &mut BTreeMap<i32, Bytes>) -> Result<Option<ResponseError>> {
        let mut by_leader: BTreeMap<i32, Vec<PartitionProduceData>> = BTreeMap::new();
        for (partition, records) in &*pending {
            let data = PartitionProduceData::default().with_index(*partition).with_records(Some(records.clone()));
            by_leader.entry(self.cluster.leader(*partition)?).or_default().push(data);
        }
        let mut refusal: Option<ResponseError> = None;
        for (leader, partitions) in by_leader {
            let topic = TopicProduceData::default().with_name(self.cluster.topic()).with_partition_data(partitions);
            let request = ProduceRequest::default()
                .with_transactional_id(Some(self.transactional_id.clone()))
                .with_acks(ALL_REPLICAS)
                .with_timeout_ms(WORK_LIMIT_MS)
                .with_topic_data(vec![topic]);
            let answer = self.cluster.call(leader, &request).await?;
            for partition in answer.responses.iter().flat_map(|topic| &topic.partition_responses) {
                match ResponseError::try_from_code(partition.error_code) {
                    None => drop(pending.remove(&partition.index)),
                    Some(error) => refusal = refusal.filter(|earlier| !earlier.is_retriable()).or(Some(error)),
                }
            }
        }
        Ok(refusal)
    }

    async fn commit(&mut self) -> Result<()> {
        let request = EndTxnRequest::default()
            .with_transactional_id(self.transactional_id.clone())
            .with_producer_id(self.identity.id.into())
            .with_producer_epoch(self.identity.epoch)
            .with_committed(true);
        let answer = self.cluster.call(self.coordinator, &request).await?;
        accepted(EndTxnRequest::NAME, answer.error_code)
    }
}

/// Finds the coordinator and gets an identity from it that outdates all it gave before.
async fn begin_as(cluster: &mut Cluster, transactional_id: &TransactionalId) -> Result<(i32, ProducerIdentity)> {
    let request = FindCoordinatorRequest::default().with_key(transactional_id.0.clone()).with_key_type(TRANSACTION_KEY);
    let found = cluster.call(cluster.leader(0)?, &request).await?;
    accepted(FindCoordinatorRequest::NAME, found.error_code)?;
    let coordinator = found.node_id.0;
    cluster.note(coordinator, &found.host, found.port);

    let request = InitProducerIdRequest::default()
        .with_transactional_id(Some(transactional_id.clone()))
        .with_transaction_timeout_ms(TRANSACTION_LIMIT_MS);
    let answer = cluster.call(coordinator, &request).await?;
    accepted(InitProducerIdRequest::NAME, answer.error_code)?;
    Ok((coordinator, ProducerIdentity { id: answer.producer_id.0, epoch: answer.producer_epoch }))
}

fn is_passing(error: ResponseError) -> bool {
    matches!(
        error,
        ResponseError::CoordinatorNotAvailable
            | ResponseError::CoordinatorLoadInProgress
            | ResponseError::NotCoordinator
            | ResponseError::ConcurrentTransactions
    )
}
