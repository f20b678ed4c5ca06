//! A real broker of Kafka: the one of the test run, or one that a test can stop and start; and what is in a topic.

use std::collections::HashMap;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use kafka_protocol::ResponseError;
use kafka_protocol::messages::create_topics_request::CreatableTopic;
use kafka_protocol::messages::fetch_request::{FetchPartition, FetchTopic};
use kafka_protocol::messages::metadata_request::MetadataRequestTopic;
use kafka_protocol::messages::produce_request::{PartitionProduceData, TopicProduceData};
use kafka_protocol::messages::{
    CreateTopicsRequest, FetchRequest, MetadataRequest, ProduceRequest, RequestHeader, ResponseHeader, TopicName,
};
use kafka_protocol::protocol::{Decodable, HeaderVersion, Request, StrBytes, encode_request_header_into_buffer};
use kafka_protocol::records::{
    Compression, Record, RecordBatchDecoder, RecordBatchEncoder, RecordEncodeOptions, TimestampType,
};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use uuid::Uuid;

use crate::engines::{SCRIPT, address};

/// The maximum size of a fetch.
const MAX_FETCH_BYTES: i32 = 64 << 20;

/// How often a broker is started again whose port was taken.
const MAX_STARTS: usize = 3;

/// How often a new partition is polled for.
const MAX_ATTEMPTS: usize = 2_400;

/// Returns where the broker of the test run is, as `host:port`.
#[track_caller]
pub fn broker() -> String {
    address("CANTATA_TEST_KAFKA", SCRIPT)
}

/// Returns a unique topic name.
pub fn unique_topic() -> String {
    format!("test-{}", Uuid::new_v4())
}

/// A record of a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentRecord {
    /// Its partition.
    pub partition: i32,
    /// Its key.
    pub key: String,
    /// Its value.
    pub value: String,
    /// The number of the event, from its header.
    pub event: u64,
}

/// Reads a topic as a whole: the records of each partition in their order, one partition after the other, whether or not
/// their transaction was committed. A topic that does not exist has none.
pub async fn records(broker: &str, topic: &str) -> Vec<SentRecord> {
    let mut found = Vec::new();
    for partition in partitions(broker, topic).await {
        let mut offset = 0;
        loop {
            let (bytes, end) = fetch(broker, topic, partition, offset).await;
            let sets = RecordBatchDecoder::decode_all(&mut bytes.clone()).unwrap();
            for record in sets.into_iter().flat_map(|set| set.records) {
                offset = record.offset + 1;
                if !record.control {
                    let text = |bytes: &Option<Bytes>| String::from_utf8(bytes.as_ref().unwrap().to_vec()).unwrap();
                    found.push(SentRecord {
                        partition,
                        key: text(&record.key),
                        value: text(&record.value),
                        event: text(&record.headers[&StrBytes::from_static_str("event")]).parse().unwrap(),
                    });
                }
            }
            if offset >= end {
                break;
            }
        }
    }
    found
}

/// Asserts that the records contain all events, given as numbers with messages: every event unchanged, and those of one
/// analysis in order. A run of them may be repeated from some point on, but nothing is left out, and
/// the last one comes last.
pub fn assert_complete(records: &[SentRecord], events: &[(u64, String)]) {
    let messages: HashMap<u64, &str> = events.iter().map(|(number, message)| (*number, message.as_str())).collect();
    let mut sent: HashMap<&str, Vec<u64>> = HashMap::new();
    for record in records {
        assert_eq!(messages.get(&record.event), Some(&record.value.as_str()), "event {}", record.event);
        sent.entry(&record.key).or_default().push(record.event);
    }
    let mut stored: HashMap<String, Vec<u64>> = HashMap::new();
    for (number, message) in events {
        let message: Value = serde_json::from_str(message).unwrap();
        stored.entry(message["analysisId"].as_str().unwrap().to_owned()).or_default().push(*number);
    }
    for (id, stored) in &stored {
        let sent = sent.get(id.as_str()).unwrap_or_else(|| panic!("nothing was sent of {id}"));
        let positions: Vec<usize> =
            sent.iter().map(|event| stored.iter().position(|stored| stored == event).unwrap()).collect();
        let is_in_order = positions.windows(2).all(|pair| pair[1] <= pair[0] + 1);
        assert!(is_in_order && positions[0] == 0, "{id} is out of order: {sent:?}");
        assert_eq!(sent.last(), stored.last(), "{id} ends with another event: {sent:?}");
    }
}

/// Returns the partitions of a topic; none if there is no such topic.
pub async fn partitions(broker: &str, topic: &str) -> Vec<i32> {
    let topic = MetadataRequestTopic::default().with_name(Some(name_of(topic)));
    let request = MetadataRequest::default().with_topics(Some(vec![topic])).with_allow_auto_topic_creation(false);
    let answer = call(broker, 5, &request).await;
    let mut found: Vec<i32> =
        answer.topics.iter().flat_map(|topic| &topic.partitions).map(|partition| partition.partition_index).collect();
    found.sort_unstable();
    found
}

/// Creates a topic.
pub async fn create_topic(broker: &str, topic: &str, partitions: i32) {
    let topic =
        CreatableTopic::default().with_name(name_of(topic)).with_num_partitions(partitions).with_replication_factor(1);
    let request = CreateTopicsRequest::default().with_topics(vec![topic]).with_timeout_ms(20_000);
    let answer = call(broker, 4, &request).await;
    assert_eq!(answer.topics[0].error_code, 0, "{:?}", answer.topics[0]);
}

/// Sends a message to a partition, as a producer without transactions does.
pub async fn send(broker: &str, topic: &str, partition: i32, value: &[u8]) {
    let record = Record {
        transactional: false,
        control: false,
        delete_horizon: false,
        partition_leader_epoch: -1,
        producer_id: -1,
        producer_epoch: -1,
        timestamp_type: TimestampType::Creation,
        offset: 0,
        sequence: -1,
        timestamp: 0,
        key: None,
        value: Some(Bytes::copy_from_slice(value)),
        headers: Default::default(),
    };
    let options = RecordEncodeOptions { version: 2, compression: Compression::None };
    let mut batch = BytesMut::new();
    RecordBatchEncoder::encode(&mut batch, [&record], &options).unwrap();
    let data = PartitionProduceData::default().with_index(partition).with_records(Some(batch.freeze()));
    let data = TopicProduceData::default().with_name(name_of(topic)).with_partition_data(vec![data]);
    let request = ProduceRequest::default().with_acks(-1).with_timeout_ms(20_000).with_topic_data(vec![data]);
    call_leader(broker, 7, &request, |answer| answer.responses[0].partition_responses[0].error_code).await;
}

/// Returns the bytes of a partition from an offset on, and the offset after its last record.
async fn fetch(broker: &str, topic: &str, partition: i32, offset: i64) -> (Bytes, i64) {
    let wanted = FetchPartition::default()
        .with_partition(partition)
        .with_fetch_offset(offset)
        .with_partition_max_bytes(MAX_FETCH_BYTES);
    let topic = FetchTopic::default().with_topic(name_of(topic)).with_partitions(vec![wanted]);
    let request =
        FetchRequest::default().with_max_wait_ms(1_000).with_max_bytes(MAX_FETCH_BYTES).with_topics(vec![topic]);
    let answer = call_leader(broker, 4, &request, |answer| answer.responses[0].partitions[0].error_code).await;
    let partition = &answer.responses[0].partitions[0];
    (partition.records.clone().unwrap_or_default(), partition.high_watermark)
}

/// Sends a request to the leader of a partition, whose error code must be 0.
async fn call_leader<R: Request>(
    broker: &str,
    version: i16,
    request: &R,
    error_code: fn(&R::Response) -> i16,
) -> R::Response {
    let of_new = [ResponseError::NotLeaderOrFollower, ResponseError::UnknownTopicOrPartition].map(|error| error.code());
    for _ in 0..MAX_ATTEMPTS {
        let answer = call(broker, version, request).await;
        let code = error_code(&answer);
        if !of_new.contains(&code) {
            assert_eq!(code, 0, "the error code of the partition");
            return answer;
        }
        // The partition is new, and its leader does not know yet that it is, or not of it.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("a partition has no leader");
}

/// Sends one request on a connection of its own.
async fn call<R: Request>(broker: &str, version: i16, request: &R) -> R::Response {
    let header = RequestHeader::default().with_request_api_key(R::KEY).with_request_api_version(version);
    let mut content = BytesMut::new();
    encode_request_header_into_buffer(&mut content, &header).unwrap();
    request.encode(&mut content, version).unwrap();
    let mut frame = BytesMut::new();
    frame.put_u32(u32::try_from(content.len()).unwrap());
    frame.put(content);

    let mut stream = TcpStream::connect(broker).await.unwrap();
    stream.write_all(&frame).await.unwrap();
    let length = stream.read_u32().await.unwrap();
    let mut answer = vec![0; usize::try_from(length).unwrap()];
    stream.read_exact(&mut answer).await.unwrap();
    let mut answer = Bytes::from(answer);
    ResponseHeader::decode(&mut answer, R::Response::header_version(version)).unwrap();
    R::Response::decode(&mut answer, version).unwrap()
}

fn name_of(topic: &str) -> TopicName {
    TopicName(StrBytes::from_string(topic.to_owned()))
}

/// A broker for a single test, which may stop and restart it.
pub struct DedicatedBroker {
    folder: TempDir,
    port: u16,
}

impl DedicatedBroker {
    /// Starts a broker with more settings, as lines of a properties file; `{listeners}` in it becomes the usual listeners.
    pub fn start(settings: &str) -> Self {
        let broker = Self { folder: tempfile::tempdir().unwrap(), port: free_port() };
        let config = broker.folder.path().join("config");
        std::fs::create_dir(&config).unwrap();
        std::fs::write(config.join("server.properties"), settings).unwrap();
        broker.restart();
        broker
    }

    /// Returns where it is, as `host:port`.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Stops it.
    pub fn stop(&self) {
        let stopped = script("stop").arg(self.folder.path()).status().unwrap();
        assert!(stopped.success(), "the broker did not stop");
    }

    /// Starts it again at the same address.
    pub fn restart(&self) {
        let start = || {
            let mut command = script("start");
            command.arg("kafka").arg(self.folder.path()).arg(self.port.to_string());
            command.env("ENGINE_OWNER", std::process::id().to_string()).output().unwrap()
        };
        let mut started = start();
        // Its second port is one that was free a moment before, which another connection may have got meanwhile.
        for _ in 0..MAX_STARTS {
            if !String::from_utf8_lossy(&started.stderr).contains("Address already in use") {
                break;
            }
            started = start();
        }
        assert!(started.status.success(), "the broker did not start: {}", String::from_utf8_lossy(&started.stderr));
    }
}

impl Drop for DedicatedBroker {
    fn drop(&mut self) {
        // It may have been stopped already.
        let _ = script("stop").arg(self.folder.path()).output();
    }
}

/// Returns a port that is free at the moment. It is none of those that the system gives to connections and listeners by
/// itself, so that nobody gets it before it is used.
pub fn free_port() -> u16 {
    loop {
        let port = 20_000 + u16::try_from(Uuid::new_v4().as_u128() % 12_000).unwrap();
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

fn script(name: &str) -> Command {
    Command::new(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../engines").join(name))
}
