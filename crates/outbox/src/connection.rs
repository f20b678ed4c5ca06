//! One connection to one broker: requests out, answers in, one at a time.
//!
//! Requests have fixed versions, the oldest that say what is needed: every broker from Kafka 2.4 to 4.x knows them, so
//! there is nothing to agree on first. After an error a connection is in an unknown state and is not used again.

use std::io;
use std::time::Duration;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use kafka_protocol::messages::{
    AddPartitionsToTxnRequest, CreateTopicsRequest, EndTxnRequest, FetchRequest, FindCoordinatorRequest,
    InitProducerIdRequest, ListOffsetsRequest, MetadataRequest, ProduceRequest, RequestHeader, ResponseHeader,
    SaslAuthenticateRequest, SaslHandshakeRequest,
};
use kafka_protocol::protocol::{Decodable, HeaderVersion, Request, StrBytes, encode_request_header_into_buffer};
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsConnector;

use crate::error::{OutboxError, Result};
use crate::sasl;
use crate::settings::Credentials;

/// How long a broker may take to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a broker may take for one answer; a little more than it is told to take itself.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(25);

/// How long a broker may work on one request, in milliseconds.
pub(crate) const WORK_LIMIT_MS: i32 = 20_000;

/// Shorter than any common limit after which brokers and what stands before them drop a silent connection.
const LONGEST_SILENCE: Duration = Duration::from_secs(45);

/// The longest answer that is read.
const ANSWER_LIMIT: usize = 64 << 20;

/// A request in the version that is used of it.
pub(crate) trait Call: Request {
    /// The version.
    const VERSION: i16;
    /// What messages call it.
    const NAME: &'static str;
}

macro_rules! calls {
    ($($request:ty, $version:literal, $name:literal;)*) => {
        $(impl Call for $request {
            const VERSION: i16 = $version;
            const NAME: &'static str = $name;
        })*
    };
}

calls! {
    AddPartitionsToTxnRequest, 1, "adding partitions to a transaction";
    CreateTopicsRequest, 4, "making the topic";
    EndTxnRequest, 1, "ending a transaction";
    FetchRequest, 4, "reading the topic";
    FindCoordinatorRequest, 2, "finding the coordinator of transactions";
    InitProducerIdRequest, 1, "beginning as a producer";
    ListOffsetsRequest, 2, "asking for offsets";
    MetadataRequest, 5, "looking for the topic";
    ProduceRequest, 7, "sending events";
    SaslAuthenticateRequest, 1, "authentication";
    SaslHandshakeRequest, 1, "choosing a way of authentication";
}

trait Transport: AsyncRead + AsyncWrite + Send + Sync + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Sync + Unpin> Transport for T {}

/// A connection that is authenticated where the brokers ask for it.
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
        let unreachable =
            |cause: io::Error| OutboxError::Unreachable { broker: broker.to_owned(), cause: cause.to_string() };
        let transport = timeout(CONNECT_TIMEOUT, connect(broker, tls))
            .await
            .unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut)))
            .map_err(unreachable)?;
        let mut connection = Self { broker: broker.to_owned(), transport, correlation_id: 0, used_at: Instant::now() };
        if let Some(credentials) = credentials {
            sasl::authenticate(&mut connection, credentials).await?;
        }
        Ok(connection)
    }

    /// Says whether nothing went over the connection for so long that it may be gone.
    pub(crate) fn is_stale(&self) -> bool {
        self.used_at.elapsed() > LONGEST_SILENCE
    }

    /// Sends a request and waits for its answer.
    pub(crate) async fn call<R: Call>(&mut self, request: &R) -> Result<R::Response> {
        let answered = timeout(ANSWER_TIMEOUT, self.exchange(request)).await;
        self.used_at = Instant::now();
        let answer = answered.unwrap_or_else(|_| Err("it took too long".to_owned()));
        answer.map_err(|cause| OutboxError::NoAnswer { broker: self.broker.clone(), request: R::NAME, cause })
    }

    async fn exchange<R: Call>(&mut self, request: &R) -> std::result::Result<R::Response, String> {
        self.correlation_id = self.correlation_id.wrapping_add(1);
        let frame = frame(request, self.correlation_id)?;
        let broken = |error: io::Error| error.to_string();
        self.transport.write_all(&frame).await.map_err(broken)?;
        self.transport.flush().await.map_err(broken)?;

        let length = self.transport.read_u32().await.map_err(broken)? as usize;
        if length > ANSWER_LIMIT {
            return Err(format!("an answer of {length} bytes"));
        }
        let mut answer = vec![0; length];
        self.transport.read_exact(&mut answer).await.map_err(broken)?;
        read::<R>(answer.into(), self.correlation_id)
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

/// Returns a request with its header, and its length before it.
fn frame<R: Call>(request: &R, correlation_id: i32) -> std::result::Result<BytesMut, String> {
    let header = RequestHeader::default()
        .with_request_api_key(R::KEY)
        .with_request_api_version(R::VERSION)
        .with_correlation_id(correlation_id)
        .with_client_id(Some(StrBytes::from_static_str("cantata")));
    let mut content = BytesMut::new();
    encode_request_header_into_buffer(&mut content, &header).map_err(|error| error.to_string())?;
    request.encode(&mut content, R::VERSION).map_err(|error| error.to_string())?;
    let length = u32::try_from(content.len()).map_err(|error| error.to_string())?;
    let mut frame = BytesMut::with_capacity(content.len() + 4);
    frame.put_u32(length);
    frame.unsplit(content);
    Ok(frame)
}

fn read<R: Call>(mut answer: Bytes, correlation_id: i32) -> std::result::Result<R::Response, String> {
    let version = R::Response::header_version(R::VERSION);
    let header = ResponseHeader::decode(&mut answer, version).map_err(|error| error.to_string())?;
    if header.correlation_id != correlation_id {
        return Err("an answer to another request".to_owned());
    }
    let response = R::Response::decode(&mut answer, R::VERSION).map_err(|error| error.to_string())?;
    if answer.has_remaining() { Err("an answer with more than belongs to it".to_owned()) } else { Ok(response) }
}
