//! The brokers, who of them leads which partition of the topic, and the connections to them.

use std::collections::HashMap;
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

use crate::connection::{Call, Connection, WORK_LIMIT_MS};
use crate::error::{OutboxError, Result, accepted};
use crate::patience::Patience;
use crate::settings::{KafkaSettings, NewTopic};
use crate::tls;

/// How old the list of partitions may become; as old as that of other producers, since all must agree on it.
const LIST_AGE: Duration = Duration::from_secs(300);

/// Stands for "as the brokers have it by default".
const BY_DEFAULT: i16 = -1;

/// The brokers as they were seen last.
pub(crate) struct Cluster {
    settings: Arc<KafkaSettings>,
    tls: Option<TlsConnector>,
    /// Where each broker is.
    addresses: HashMap<i32, String>,
    connections: HashMap<i32, Connection>,
    /// The leader of each partition.
    leaders: Vec<i32>,
    seen_at: Instant,
}

impl Cluster {
    /// Finds the brokers and the topic, which is made if it is missing and may be made.
    pub(crate) async fn find(settings: Arc<KafkaSettings>) -> Result<Self> {
        let mut cluster = Self {
            tls: tls::connector(&settings)?,
            settings,
            addresses: HashMap::new(),
            connections: HashMap::new(),
            leaders: Vec::new(),
            seen_at: Instant::now(),
        };
        cluster.look().await?;
        Ok(cluster)
    }

    /// Returns the number of partitions.
    pub(crate) fn partitions(&self) -> u32 {
        u32::try_from(self.leaders.len()).unwrap_or(u32::MAX)
    }

    /// Returns the broker that leads a partition.
    pub(crate) fn leader(&self, partition: i32) -> Result<i32> {
        let leader = usize::try_from(partition).ok().and_then(|index| self.leaders.get(index)).copied();
        leader.ok_or_else(|| OutboxError::NoLeader { topic: self.settings.topic.clone(), partition })
    }

    /// Returns the name of the topic.
    pub(crate) fn topic(&self) -> TopicName {
        TopicName(StrBytes::from_string(self.settings.topic.clone()))
    }

    /// Notes where a broker is.
    pub(crate) fn note(&mut self, broker: i32, host: &str, port: i32) {
        let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
        self.addresses.insert(broker, format!("{host}:{port}"));
    }

    /// Looks at the topic again if that was long ago.
    pub(crate) async fn look_again(&mut self) -> Result<()> {
        if self.seen_at.elapsed() < LIST_AGE { Ok(()) } else { self.look().await }
    }

    /// Sends a request to a broker.
    pub(crate) async fn call<R: Call>(&mut self, broker: i32, request: &R) -> Result<R::Response> {
        let open = self.connections.remove(&broker).filter(|connection| !connection.is_stale());
        let mut connection = match open {
            Some(connection) => connection,
            None => self.connect(self.address(broker)?).await?,
        };
        let answer = connection.call(request).await?;
        self.connections.insert(broker, connection);
        Ok(answer)
    }

    fn address(&self, broker: i32) -> Result<&str> {
        self.addresses.get(&broker).map(String::as_str).ok_or_else(|| OutboxError::Unreachable {
            broker: format!("broker {broker}"),
            cause: "no broker said where it is".to_owned(),
        })
    }

    async fn connect(&self, address: &str) -> Result<Connection> {
        Connection::open(address, self.tls.as_ref(), self.settings.credentials.as_ref()).await
    }

    /// Sends a request to whoever of the first brokers answers.
    async fn ask_any<R: Call>(&self, request: &R) -> Result<R::Response> {
        let mut failure = OutboxError::Setting("no broker is named".to_owned());
        for address in &self.settings.bootstrap_servers {
            match self.connect(address).await {
                Ok(mut connection) => match connection.call(request).await {
                    Ok(answer) => return Ok(answer),
                    Err(error) => failure = error,
                },
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    /// Looks at the topic: how many partitions it has, and who leads them.
    pub(crate) async fn look(&mut self) -> Result<()> {
        let topic = MetadataRequestTopic::default().with_name(Some(self.topic()));
        let request = MetadataRequest::default().with_topics(Some(vec![topic])).with_allow_auto_topic_creation(false);
        let mut patience = Patience::new();
        loop {
            let seen = self.ask_any(&request).await?;
            for broker in &seen.brokers {
                self.note(broker.node_id.0, &broker.host, broker.port);
            }
            match self.leaders_in(&seen) {
                Ok(leaders) => {
                    self.leaders = leaders;
                    self.seen_at = Instant::now();
                    return Ok(());
                }
                Err(OutboxError::NoTopic(topic)) => match self.settings.new_topic {
                    Some(new_topic) => self.make_topic(seen.controller_id.0, new_topic).await?,
                    None => return Err(OutboxError::NoTopic(topic)),
                },
                // A new topic has none for a moment, and so has one whose leader has just gone.
                Err(error @ OutboxError::NoLeader { .. }) => patience.wait(error).await?,
                Err(error) => return Err(error),
            }
        }
    }

    fn leaders_in(&self, seen: &MetadataResponse) -> Result<Vec<i32>> {
        let name = &self.settings.topic;
        let no_leader = |partition| OutboxError::NoLeader { topic: name.clone(), partition };
        let is_meant = |topic: &&MetadataResponseTopic| topic.name.as_ref().is_some_and(|found| found.as_str() == name);
        let topic = seen.topics.iter().find(is_meant).ok_or_else(|| OutboxError::NoTopic(name.clone()))?;
        match ResponseError::try_from_code(topic.error_code) {
            Some(ResponseError::UnknownTopicOrPartition) => return Err(OutboxError::NoTopic(name.clone())),
            Some(ResponseError::LeaderNotAvailable) => return Err(no_leader(0)),
            _ => accepted(MetadataRequest::NAME, topic.error_code)?,
        }
        let leaders: HashMap<i32, i32> =
            topic.partitions.iter().map(|partition| (partition.partition_index, partition.leader_id.0)).collect();
        let leader =
            |partition| leaders.get(&partition).copied().filter(|id| *id >= 0).ok_or_else(|| no_leader(partition));
        let partitions = i32::try_from(topic.partitions.len()).unwrap_or(i32::MAX);
        if partitions == 0 { Err(no_leader(0)) } else { (0..partitions).map(leader).collect() }
    }

    async fn make_topic(&mut self, controller: i32, new_topic: NewTopic) -> Result<()> {
        let chosen = |number: Option<u16>| number.and_then(|number| i16::try_from(number).ok()).unwrap_or(BY_DEFAULT);
        let topic = CreatableTopic::default()
            .with_name(self.topic())
            .with_num_partitions(chosen(new_topic.partitions).into())
            .with_replication_factor(chosen(new_topic.replication_factor));
        let request = CreateTopicsRequest::default().with_topics(vec![topic]).with_timeout_ms(WORK_LIMIT_MS);
        let answer = self.call(controller, &request).await?;
        for made in answer.topics {
            match ResponseError::try_from_code(made.error_code) {
                None => tracing::info!(topic = self.settings.topic, "the topic was missing and is made"),
                // Somebody else was faster.
                Some(ResponseError::TopicAlreadyExists) => {}
                Some(error) => {
                    let details = made.error_message.map(|text| text.to_string());
                    return Err(OutboxError::Refused { request: CreateTopicsRequest::NAME, error, details });
                }
            }
        }
        Ok(())
    }
}
