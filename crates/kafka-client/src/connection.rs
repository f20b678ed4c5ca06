//! A connection to a broker: one request at a time.
//!
//! Requests have fixed versions, the oldest that say what is needed: every broker from Kafka 2.4 to 4.x knows them, so
//! there is nothing to agree on first. After an error a connection is in an unknown state and is not used again.

use std::io::{self, ErrorKind};
use std::time::Duration;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use kafka_protocol::messages::{
    AddPartitionsToTxnRequest, AddPartitionsToTxnResponse, ApiKey, CreateTopicsRequest, CreateTopicsResponse,
    EndTxnRequest, EndTxnResponse, FetchRequest, FetchResponse, FindCoordinatorRequest, FindCoordinatorResponse,
    InitProducerIdRequest, InitProducerIdResponse, ListOffsetsRequest, ListOffsetsResponse, MetadataRequest,
    MetadataResponse, ProduceRequest, ProduceResponse, RequestHeader, ResponseHeader, SaslAuthenticateRequest,
    SaslAuthenticateResponse, SaslHandshakeRequest, SaslHandshakeResponse,
};
use kafka_protocol::protocol::{Decodable, Encodable, HeaderVersion, StrBytes, encode_request_header_into_buffer};
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsConnector;

use crate::error::{KafkaError, Result};
use crate::response_layout::{Part, skip_parts};
use crate::sasl;
use crate::settings::Credentials;

/// How long a broker may take to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a response may take; longer than [`REQUEST_TIMEOUT_MS`].
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(25);

/// How long a broker may work on a request.
pub(crate) const REQUEST_TIMEOUT_MS: i32 = 20_000;

/// Shorter than the common limits after which brokers and proxies close an idle connection.
const MAX_IDLE_TIME: Duration = Duration::from_secs(45);

/// The largest response that is read.
const MAX_RESPONSE_BYTES: usize = 64 << 20;

/// A request with the API version that this client uses. The library has such a trait only with its feature `broker`,
/// which brings much that is never used here.
pub(crate) trait VersionedRequest: Encodable {
    /// The API key.
    const KEY: ApiKey;
    /// What brokers answer.
    type Response: Decodable + HeaderVersion;
    /// The API version.
    const VERSION: i16;
    /// Its name in error messages.
    const NAME: &'static str;
    /// The layout of its response, after the header.
    const RESPONSE: &'static [Part];
}

macro_rules! versioned_requests {
    ($($key:ident: $request:ty => $response:ty, $version:literal, $name:literal, $layout:expr;)*) => {
        $(impl VersionedRequest for $request {
            const KEY: ApiKey = ApiKey::$key;
            type Response = $response;
            const VERSION: i16 = $version;
            const NAME: &'static str = $name;
            const RESPONSE: &'static [Part] = $layout;
        })*

        /// For each request, whether bytes are a response to it.
        #[cfg(any(test, feature = "fuzzing"))]
        pub(crate) const DECODERS: &[fn(Bytes, i32) -> bool] =
            &[$(|bytes, correlation_id| decode::<$request>(bytes, correlation_id).is_ok(),)*];
    };
}

versioned_requests! {
    AddPartitionsToTxn: AddPartitionsToTxnRequest => AddPartitionsToTxnResponse, 1,
        "adding partitions to a transaction",
        &[Part::Fixed(4), Part::List(&[Part::Text, Part::List(&[Part::Fixed(4 + 2)])])];
    CreateTopics: CreateTopicsRequest => CreateTopicsResponse, 4, "creating the topic",
        &[Part::Fixed(4), Part::List(&[Part::Text, Part::Fixed(2), Part::Text])];
    EndTxn: EndTxnRequest => EndTxnResponse, 1, "ending a transaction", &[Part::Fixed(4 + 2)];
    Fetch: FetchRequest => FetchResponse, 4, "reading the topic",
        &[Part::Fixed(4), Part::List(&[Part::Text, Part::List(&[
            Part::Fixed(4 + 2 + 8 + 8), Part::List(&[Part::Fixed(8 + 8)]), Part::Data,
        ])])];
    FindCoordinator: FindCoordinatorRequest => FindCoordinatorResponse, 2, "finding the coordinator of transactions",
        &[Part::Fixed(4 + 2), Part::Text, Part::Fixed(4), Part::Text, Part::Fixed(4)];
    InitProducerId: InitProducerIdRequest => InitProducerIdResponse, 1, "beginning as a producer",
        &[Part::Fixed(4 + 2 + 8 + 2)];
    ListOffsets: ListOffsetsRequest => ListOffsetsResponse, 2, "asking for offsets",
        &[Part::Fixed(4), Part::List(&[Part::Text, Part::List(&[Part::Fixed(4 + 2 + 8 + 8)])])];
    Metadata: MetadataRequest => MetadataResponse, 5, "reading the metadata of the topic",
        &[
            Part::Fixed(4),
            Part::List(&[Part::Fixed(4), Part::Text, Part::Fixed(4), Part::Text]),
            Part::Text,
            Part::Fixed(4),
            Part::List(&[Part::Fixed(2), Part::Text, Part::Fixed(1), Part::List(&[
                Part::Fixed(2 + 4 + 4),
                Part::List(&[Part::Fixed(4)]),
                Part::List(&[Part::Fixed(4)]),
                Part::List(&[Part::Fixed(4)]),
            ])]),
        ];
    Produce: ProduceRequest => ProduceResponse, 7, "sending events",
        &[Part::List(&[Part::Text, Part::List(&[Part::Fixed(4 + 2 + 8 + 8 + 8)])]), Part::Fixed(4)];
    SaslAuthenticate: SaslAuthenticateRequest => SaslAuthenticateResponse, 1, "authentication",
        &[Part::Fixed(2), Part::Text, Part::Data, Part::Fixed(8)];
    SaslHandshake: SaslHandshakeRequest => SaslHandshakeResponse, 1, "choosing a way of authentication",
        &[Part::Fixed(2), Part::List(&[Part::Text])];
}

trait Transport: AsyncRead + AsyncWrite + Send + Sync + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Sync + Unpin> Transport for T {}

/// A connection, authenticated if there are credentials.
pub(crate) struct Connection {
    broker: String,
    transport: Box<dyn Transport>,
    correlation_id: i32,
    used_at: Instant,
}

impl Connection {
    /// Connects to a broker, given as `host:port`.
    pub(crate) async fn open(
        broker: &str,
        tls: Option<&TlsConnector>,
        credentials: Option<&Credentials>,
    ) -> Result<Self> {
        let transport = timeout(CONNECT_TIMEOUT, connect(broker, tls))
            .await
            .unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()))
            .map_err(|error| KafkaError::Unreachable(broker.to_owned(), error))?;
        let mut connection = Self { broker: broker.to_owned(), transport, correlation_id: 0, used_at: Instant::now() };
        if let Some(credentials) = credentials {
            sasl::authenticate(&mut connection, credentials).await?;
        }
        Ok(connection)
    }

    /// Returns whether the connection has been idle for so long that it may be closed.
    pub(crate) fn is_stale(&self) -> bool {
        self.used_at.elapsed() > MAX_IDLE_TIME
    }

    /// Sends a request and waits for its response.
    pub(crate) async fn call<R: VersionedRequest>(&mut self, request: &R) -> Result<R::Response> {
        let response = timeout(RESPONSE_TIMEOUT, self.exchange(request)).await;
        self.used_at = Instant::now();
        let response = response.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()));
        response.map_err(|error| KafkaError::NoResponse(self.broker.clone(), R::NAME, error))
    }

    async fn exchange<R: VersionedRequest>(&mut self, request: &R) -> io::Result<R::Response> {
        self.correlation_id = self.correlation_id.wrapping_add(1);
        let frame = frame(request, self.correlation_id)?;
        self.transport.write_all(&frame).await?;
        self.transport.flush().await?;

        let length = self.transport.read_u32().await? as usize;
        if length > MAX_RESPONSE_BYTES {
            return Err(invalid(format!("a response of {length} bytes")));
        }
        let mut response = vec![0; length];
        self.transport.read_exact(&mut response).await?;
        decode::<R>(response.into(), self.correlation_id)
    }
}

async fn connect(broker: &str, tls: Option<&TlsConnector>) -> io::Result<Box<dyn Transport>> {
    let stream = TcpStream::connect(broker).await?;
    stream.set_nodelay(true)?;
    let Some(tls) = tls else { return Ok(Box::new(stream)) };
    let host = broker.rsplit_once(':').map_or(broker, |(host, _)| host).trim_matches(['[', ']']);
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    Ok(Box::new(tls.connect(name, stream).await?))
}

/// Encodes a request: its length, its header, itself.
fn frame<R: VersionedRequest>(request: &R, correlation_id: i32) -> io::Result<BytesMut> {
    let header = RequestHeader::default()
        .with_request_api_key(R::KEY as i16)
        .with_request_api_version(R::VERSION)
        .with_correlation_id(correlation_id)
        .with_client_id(Some(StrBytes::from_static_str("cantata")));
    let mut content = BytesMut::new();
    encode_request_header_into_buffer(&mut content, &header).map_err(io::Error::other)?;
    request.encode(&mut content, R::VERSION).map_err(io::Error::other)?;
    let length = u32::try_from(content.len()).map_err(io::Error::other)?;
    let mut frame = BytesMut::with_capacity(content.len() + 4);
    frame.put_u32(length);
    frame.unsplit(content);
    Ok(frame)
}

fn decode<R: VersionedRequest>(mut bytes: Bytes, correlation_id: i32) -> io::Result<R::Response> {
    let version = R::Response::header_version(R::VERSION);
    let header = ResponseHeader::decode(&mut bytes, version).map_err(invalid)?;
    if header.correlation_id != correlation_id {
        return Err(invalid("a response to another request"));
    }
    skip_parts(R::RESPONSE, &mut &bytes[..]).ok_or_else(|| invalid("a response without what it announces"))?;
    let response = R::Response::decode(&mut bytes, R::VERSION).map_err(invalid)?;
    if bytes.has_remaining() { Err(invalid("a response with trailing bytes")) } else { Ok(response) }
}

fn invalid(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, error)
}

#[cfg(test)]
mod tests {
    use kafka_protocol::messages::TopicName;
    use kafka_protocol::messages::fetch_response::{AbortedTransaction, FetchableTopicResponse, PartitionData};
    use kafka_protocol::messages::metadata_response::{
        MetadataResponseBroker, MetadataResponsePartition, MetadataResponseTopic,
    };
    use kafka_protocol::messages::produce_response::{PartitionProduceResponse, TopicProduceResponse};

    use super::*;

    fn encoded<R: VersionedRequest>(response: &impl Encodable) -> Vec<u8> {
        let mut bytes = BytesMut::new();
        bytes.put_i32(7);
        response.encode(&mut bytes, R::VERSION).unwrap();
        bytes.to_vec()
    }

    /// Checks that a response is read, that no part of one is, and that no byte of it makes the reader fail otherwise.
    fn check<R: VersionedRequest>(response: &impl Encodable) {
        let whole = encoded::<R>(response);
        assert!(decode::<R>(whole.clone().into(), 7).is_ok(), "{}", R::NAME);
        for place in 0..whole.len() {
            assert!(decode::<R>(whole[..place].to_vec().into(), 7).is_err(), "{}: {place} bytes", R::NAME);
            for byte in [0x7f, 0x80, 0xff] {
                let mut forged = whole.clone();
                forged[place] = byte;
                let _ = decode::<R>(forged.into(), 7);
            }
        }
    }

    #[test]
    fn responses_are_read_and_lengths_that_are_not_there_are_refused() {
        let name = || TopicName(StrBytes::from_static_str("topic"));
        let partition = MetadataResponsePartition::default()
            .with_replica_nodes(vec![1.into(), 2.into()])
            .with_isr_nodes(vec![1.into()])
            .with_offline_replicas(vec![2.into()]);
        let broker = MetadataResponseBroker::default().with_host(StrBytes::from_static_str("host"));
        let topic = MetadataResponseTopic::default().with_name(Some(name())).with_partitions(vec![partition]);
        check::<MetadataRequest>(&MetadataResponse::default().with_brokers(vec![broker]).with_topics(vec![topic]));

        let partition = PartitionData::default()
            .with_aborted_transactions(Some(vec![AbortedTransaction::default()]))
            .with_records(Some(Bytes::from_static(b"records")));
        let topic = FetchableTopicResponse::default().with_topic(name()).with_partitions(vec![partition]);
        check::<FetchRequest>(&FetchResponse::default().with_responses(vec![topic]));

        let topic = TopicProduceResponse::default()
            .with_name(name())
            .with_partition_responses(vec![PartitionProduceResponse::default()]);
        check::<ProduceRequest>(&ProduceResponse::default().with_responses(vec![topic]));
    }
}
