//! A proxy in front of a real server that injects network and overload faults.
//!
//! [`FaultProxy`] forwards HTTP/1.1 byte by byte until a [`Fault`] is set; faults can change at any time, and every request
//! is recorded. When [`FaultProxy::set`] returns, the new fault holds for every request that starts afterwards, and with
//! [`Fault::Down`] no connection is open any more.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, BufStream};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, JoinSet};

use crate::http_message as message;
pub use crate::http_message::RecordedRequest;

/// What happens to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// It is forwarded.
    Pass,
    /// Connections are refused, and those that are open are closed.
    Down,
    /// It is accepted and never answered.
    NoResponse,
    /// It is forwarded after a delay.
    Delay(Duration),
    /// It is answered with this status, and a JSON body like that of a search engine.
    Status(u16),
    /// It is answered with this status and the seconds of `Retry-After`.
    RetryAfter(u16, u64),
    /// It is answered with 200 and a page of HTML.
    Html,
    /// It is forwarded, but only the first half of the response body is returned, with a consistent length.
    TruncateJson,
    /// It is forwarded, but the connection breaks in the middle of the response.
    BreakMidResponse,
    /// It is forwarded and executed, but the connection breaks before the response.
    DropResponse,
    /// It is answered with bytes that are not HTTP.
    NotHttp,
    /// It is answered with 200, this header (none if empty) and this JSON body.
    Answer(&'static str, String),
    /// It is answered with a redirect to this address.
    Redirect(String),
    /// It is answered with 200 and a body that never ends.
    Endless,
}

/// A fault, and the requests it applies to.
struct FaultRule {
    fault: Fault,
    /// The number of requests it still applies to; all if unset.
    left: Option<usize>,
    /// The path it applies to; all if unset.
    path: Option<String>,
}

struct Shared {
    upstream: String,
    rule: Mutex<FaultRule>,
    requests: Mutex<Vec<RecordedRequest>>,
}

/// A proxy in front of a server.
pub struct FaultProxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    /// Keeps the port while nothing listens on it.
    _port: TcpSocket,
    /// None while the proxy is down.
    listening: tokio::sync::Mutex<Option<ListenerTask>>,
}

/// A task that accepts connections. It ends with them on the stop signal, or when this is dropped.
struct ListenerTask {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl FaultProxy {
    /// Starts a proxy that passes everything on to a server, such as `http://127.0.0.1:9200`. Needs the Tokio runtime.
    pub fn start(upstream: &str) -> Self {
        let upstream = upstream.strip_prefix("http://").unwrap().trim_end_matches('/').to_owned();
        let port = socket("127.0.0.1:0".parse().unwrap());
        let address = port.local_addr().unwrap();
        let rule = Mutex::new(FaultRule { fault: Fault::Pass, left: None, path: None });
        let shared = Arc::new(Shared { upstream, rule, requests: Mutex::default() });
        let listening = tokio::sync::Mutex::new(Some(listen(address, &shared)));
        Self { address, shared, _port: port, listening }
    }

    /// Returns the address that clients are given.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Applies a fault to every request from now on.
    pub async fn set(&self, fault: Fault) {
        self.change(FaultRule { fault, left: None, path: None }).await;
    }

    /// Applies a fault to the given number of requests, and forwards those after them.
    pub async fn set_for_next(&self, requests: usize, fault: Fault) {
        assert_ne!(fault, Fault::Down, "a server that is down sees no requests to count");
        self.change(FaultRule { fault, left: Some(requests), path: None }).await;
    }

    /// Applies a fault to every request to one path, and forwards all others.
    pub async fn set_for_path(&self, path: &str, fault: Fault) {
        assert_ne!(fault, Fault::Down, "a server that is down sees no paths");
        self.change(FaultRule { fault, left: None, path: Some(path.to_owned()) }).await;
    }

    /// Returns every request since the start or since the last [`FaultProxy::clear_requests`], in the order of their arrival.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// Clears the recorded requests.
    pub fn clear_requests(&self) {
        self.shared.requests.lock().unwrap().clear();
    }

    async fn change(&self, rule: FaultRule) {
        let mut listening = self.listening.lock().await;
        let is_down = rule.fault == Fault::Down;
        *self.shared.rule.lock().unwrap() = rule;
        if !is_down {
            listening.get_or_insert_with(|| listen(self.address, &self.shared));
        } else if let Some(ListenerTask { stop, task }) = listening.take() {
            let _ = stop.send(());
            task.await.unwrap();
        }
    }
}

/// Binds a port that another socket of this process may listen on later.
fn socket(address: SocketAddr) -> TcpSocket {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseport(true).unwrap();
    socket.set_reuseaddr(true).unwrap();
    socket.bind(address).unwrap();
    socket
}

fn listen(address: SocketAddr, shared: &Arc<Shared>) -> ListenerTask {
    let listener: TcpListener = socket(address).listen(1024).unwrap();
    let shared = Arc::clone(shared);
    let (stop, mut stopped) = oneshot::channel();
    let task = tokio::spawn(async move {
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                accepted = listener.accept() => {
                    let (stream, _) = accepted.unwrap();
                    stream.set_nodelay(true).unwrap();
                    connections.spawn(serve(stream, Arc::clone(&shared)));
                }
                Some(_) = connections.join_next() => {}
                _ = &mut stopped => break,
            }
        }
        drop(listener);
        connections.shutdown().await;
    });
    ListenerTask { stop, task }
}

/// Serves the requests of one connection. An error is the end of the connection, which is for the client to notice.
async fn serve(stream: TcpStream, shared: Arc<Shared>) -> std::io::Result<()> {
    let mut client = BufStream::new(stream);
    let mut server: Option<BufStream<TcpStream>> = None;
    while let Some(request) = message::read_request(&mut client).await? {
        let seen = RecordedRequest::new(&request);
        let fault = shared.fault(&seen);
        let is_head = seen.method == "HEAD";
        shared.requests.lock().unwrap().push(seen);
        match fault {
            Fault::Status(status) => client.write_all(&message::status(status, None)).await?,
            Fault::RetryAfter(status, seconds) => client.write_all(&message::status(status, Some(seconds))).await?,
            Fault::Html => client.write_all(&message::html()).await?,
            Fault::Answer(header, body) => {
                let line = if header.is_empty() { String::new() } else { format!("{header}\r\n") };
                client.write_all(&message::response("200 OK", &line, body.as_bytes())).await?;
            }
            Fault::Redirect(to) => {
                let location = format!("location: {to}\r\n");
                client.write_all(&message::response("307 Temporary Redirect", &location, b"")).await?;
            }
            Fault::Endless => {
                client.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").await?;
                loop {
                    // Until the client gives up, which is an error here.
                    client.write_all(b"10\r\n                \r\n").await?;
                    client.flush().await?;
                }
            }
            Fault::NotHttp => {
                client.write_all(b"SSH-2.0-OpenSSH_9.2\r\n").await?;
                return client.shutdown().await;
            }
            Fault::NoResponse | Fault::Down => {
                // Until the client gives up.
                while client.read(&mut [0; 1024]).await? > 0 {}
                return Ok(());
            }
            Fault::Pass | Fault::Delay(_) | Fault::TruncateJson | Fault::BreakMidResponse | Fault::DropResponse => {
                if let Fault::Delay(time) = fault {
                    tokio::time::sleep(time).await;
                }
                if server.is_none() {
                    server = Some(BufStream::new(TcpStream::connect(&shared.upstream).await?));
                }
                let server = server.as_mut().unwrap();
                server.write_all(&request.head).await?;
                server.write_all(&request.body).await?;
                server.flush().await?;
                let response = message::read_response(server, is_head).await?;
                match fault {
                    Fault::DropResponse => return Ok(()),
                    Fault::TruncateJson => client.write_all(&message::cut(&response)).await?,
                    Fault::BreakMidResponse => {
                        client.write_all(&response.head).await?;
                        client.write_all(&response.body[..response.body.len() / 2]).await?;
                        return client.shutdown().await;
                    }
                    _ => {
                        client.write_all(&response.head).await?;
                        client.write_all(&response.body).await?;
                    }
                }
            }
        }
        client.flush().await?;
    }
    Ok(())
}

impl Shared {
    /// Returns the fault of a request, and counts it against the requests that the rule has left.
    fn fault(&self, request: &RecordedRequest) -> Fault {
        let mut rule = self.rule.lock().unwrap();
        if rule.path.as_ref().is_some_and(|path| path != request.path()) {
            return Fault::Pass;
        }
        match &mut rule.left {
            Some(0) => return Fault::Pass,
            Some(left) => *left -= 1,
            None => {}
        }
        rule.fault.clone()
    }
}
