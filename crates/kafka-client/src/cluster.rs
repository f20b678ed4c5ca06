//! Cluster metadata (the brokers and the leader of each partition of the topic), and the connections to the brokers.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use kafka_protocol::ResponseError;
use kafka_protocol::messages::create_topics_request::CreatableTopic;
use kafka_protocol::messages::metadata_request::MetadataRequestTopic;
use kafka_protocol::messages::metadata_response::MetadataResponseTopic;
use kafka_protocol::messages::{CreateTopicsRequest, MetadataRequest, MetadataResponse, TopicName};
use kafka_protocol::protocol::StrBytes;
use tokio::time::Instant;
use tokio_rustls::TlsConnector;

use crate::backoff::Backoff;
use crate::connection::{Connection, REQUEST_TIMEOUT_MS, VersionedRequest};
use crate::error::{KafkaError, KafkaSettingsError, Result, check_code};
use crate::settings::{KafkaSettings, NewTopic};
use crate::tls;

/// The maximum age of the metadata; that of other producers, since all must agree on the number of partitions.
const METADATA_MAX_AGE: Duration = Duration::from_secs(300);

/// Means the default of the brokers.
const BROKER_DEFAULT: i16 = -1;

/// A cluster, as its metadata was last read.
pub(crate) struct Cluster {
    settings: Arc<KafkaSettings>,
    tls: Option<TlsConnector>,
    /// The address of each broker.
    addresses: HashMap<i32, String>,
    connections: HashMap<i32, Connection>,
    /// The leader of each partition.
    leaders: Vec<i32>,
    refreshed_at: Instant,
}

impl Cluster {
    /// Connects to the cluster and creates the topic if it is missing and the settings allow it.
    pub(crate) async fn connect(settings: Arc<KafkaSettings>) -> Result<Self> {
        let mut cluster = Self {
            tls: tls::connector(&settings)?,
            settings,
            addresses: HashMap::new(),
            connections: HashMap::new(),
            leaders: Vec::new(),
            refreshed_at: Instant::now(),
        };
        cluster.refresh().await?;
        Ok(cluster)
    }

    /// Returns the number of partitions.
    pub(crate) fn partitions(&self) -> u32 {
        u32::try_from(self.leaders.len()).unwrap_or(u32::MAX)
    }

    /// Returns the broker that leads a partition.
    pub(crate) fn leader(&self, partition: i32) -> Result<i32> {
        let leader = usize::try_from(partition).ok().and_then(|index| self.leaders.get(index)).copied();
        leader.ok_or_else(|| KafkaError::NoLeader(self.settings.topic.clone(), partition))
    }

    /// Returns the name of the topic.
    pub(crate) fn topic(&self) -> TopicName {
        TopicName(StrBytes::from_string(self.settings.topic.clone()))
    }

    /// Sets the address of a broker.
    pub(crate) fn set_address(&mut self, broker: i32, host: &str, port: i32) {
        let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
        self.addresses.insert(broker, format!("{host}:{port}"));
    }

    /// Refreshes metadata that is older than its maximum age.
    pub(crate) async fn refresh_if_stale(&mut self) -> Result<()> {
        if self.refreshed_at.elapsed() < METADATA_MAX_AGE { Ok(()) } else { self.refresh().await }
    }

    /// Sends a request to a broker.
    pub(crate) async fn call<R: VersionedRequest>(&mut self, broker: i32, request: &R) -> Result<R::Response> {
        let open = self.connections.remove(&broker).filter(|connection| !connection.is_stale());
        let mut connection = match open {
            Some(connection) => connection,
            None => self.open_connection(self.address(broker)?).await?,
        };
        let response = connection.call(request).await?;
        self.connections.insert(broker, connection);
        Ok(response)
    }

    fn address(&self, broker: i32) -> Result<&str> {
        self.addresses.get(&broker).map(String::as_str).ok_or_else(|| {
            KafkaError::Unreachable(format!("broker {broker}"), io::Error::other("the metadata has no address for it"))
        })
    }

    async fn open_connection(&self, address: &str) -> Result<Connection> {
        Connection::open(address, self.tls.as_ref(), self.settings.credentials.as_ref()).await
    }

    /// Sends a request to the first bootstrap server that responds.
    async fn call_any<R: VersionedRequest>(&self, request: &R) -> Result<R::Response> {
        let mut last_error = KafkaSettingsError::NoBootstrapServer.into();
        for address in &self.settings.bootstrap_servers {
            let called = async { self.open_connection(address).await?.call(request).await };
            match called.await {
                Ok(response) => return Ok(response),
                Err(error) => last_error = error,
            }
        }
        Err(last_error)
    }

    /// Reads the metadata of the topic: its partitions and their leaders.
    pub(crate) async fn refresh(&mut self) -> Result<()> {
        let topic = MetadataRequestTopic::default().with_name(Some(self.topic()));
        let request = MetadataRequest::default().with_topics(Some(vec![topic])).with_allow_auto_topic_creation(false);
        let mut backoff = Backoff::new();
        loop {
            let metadata = self.call_any(&request).await?;
            for broker in &metadata.brokers {
                self.set_address(broker.node_id.0, &broker.host, broker.port);
            }
            match self.leaders_in(&metadata) {
                Ok(leaders) => {
                    self.leaders = leaders;
                    self.refreshed_at = Instant::now();
                    return Ok(());
                }
                Err(error @ KafkaError::NoTopic(_)) => {
                    let Some(new_topic) = self.settings.new_topic else { return Err(error) };
                    self.create_topic(metadata.controller_id.0, new_topic).await?;
                    // Not every broker knows a new topic at once, and one may never say that it does.
                    backoff.wait(error).await?;
                }
                // A new topic has no leader for a moment, and so has one whose leader has just failed.
                Err(error @ KafkaError::NoLeader(..)) => backoff.wait(error).await?,
                Err(error) => return Err(error),
            }
        }
    }

    fn leaders_in(&self, metadata: &MetadataResponse) -> Result<Vec<i32>> {
        let name = &self.settings.topic;
        let no_leader = |partition| KafkaError::NoLeader(name.clone(), partition);
        let is_meant = |topic: &&MetadataResponseTopic| topic.name.as_ref().is_some_and(|found| found.as_str() == name);
        let topic = metadata.topics.iter().find(is_meant).ok_or_else(|| KafkaError::NoTopic(name.clone()))?;
        match ResponseError::try_from_code(topic.error_code) {
            Some(ResponseError::UnknownTopicOrPartition) => return Err(KafkaError::NoTopic(name.clone())),
            Some(ResponseError::LeaderNotAvailable) => return Err(no_leader(0)),
            _ => check_code(MetadataRequest::NAME, topic.error_code)?,
        }
        let leaders: HashMap<i32, i32> =
            topic.partitions.iter().map(|partition| (partition.partition_index, partition.leader_id.0)).collect();
        let leader =
            |partition| leaders.get(&partition).copied().filter(|id| *id >= 0).ok_or_else(|| no_leader(partition));
        let partitions = i32::try_from(topic.partitions.len()).unwrap_or(i32::MAX);
        if partitions == 0 { Err(no_leader(0)) } else { (0..partitions).map(leader).collect() }
    }

    async fn create_topic(&mut self, controller: i32, new_topic: NewTopic) -> Result<()> {
        let chosen =
            |number: Option<u16>| number.and_then(|number| i16::try_from(number).ok()).unwrap_or(BROKER_DEFAULT);
        let topic = CreatableTopic::default()
            .with_name(self.topic())
            .with_num_partitions(chosen(new_topic.partitions).into())
            .with_replication_factor(chosen(new_topic.replication_factor));
        let request = CreateTopicsRequest::default().with_topics(vec![topic]).with_timeout_ms(REQUEST_TIMEOUT_MS);
        let response = self.call(controller, &request).await?;
        for created in response.topics {
            match ResponseError::try_from_code(created.error_code) {
                None => tracing::info!(topic = self.settings.topic, "created the missing topic"),
                // Another process has created it meanwhile.
                Some(ResponseError::TopicAlreadyExists) => {}
                Some(error) => {
                    let details = created.error_message.map(|text| text.to_string());
                    return Err(KafkaError::Rejected { request: CreateTopicsRequest::NAME, error, details });
                }
            }
        }
        Ok(())
    }
}
