//! Accepts connections of HTTP/1 and HTTP/2 (with prior knowledge), with timeouts for slow clients and a graceful shutdown.

mod connection;
mod response;
mod timeout_stream;

pub(crate) use connection::Connection;

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::App;
use connection::Connections;
use response::track_response;
use timeout_stream::TimeoutStream;

/// How many requests of one HTTP/2 connection may be under way at once.
const MAX_CONCURRENT_STREAMS: u32 = 128;

/// How long requests under way may take when the server stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(20);

/// How long to wait when no connection can be accepted, such as when all file descriptors are used.
const ACCEPT_RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// When TCP probes a silent connection, and how often.
const KEEPALIVE: TcpKeepalive =
    TcpKeepalive::new().with_time(Duration::from_secs(60)).with_interval(Duration::from_secs(15));

/// Serves the application until `shutdown`, then finishes what is under way.
pub async fn serve(
    listener: TcpListener,
    app: App,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let limits = app.limit_settings().clone();
    let timeout = limits.client_timeout;
    let mut connections = Connections::new(limits.max_connections);
    let mut protocol = auto::Builder::new(TokioExecutor::new());
    // This is also how long a connection may be idle; for HTTP/2 the stream sees to that.
    protocol.http1().timer(TokioTimer::new()).header_read_timeout(timeout);
    protocol.http2().timer(TokioTimer::new()).max_concurrent_streams(MAX_CONCURRENT_STREAMS);
    let open = GracefulShutdown::new();
    let mut tasks = JoinSet::new();
    tokio::pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(ended) = tasks.join_next_with_id() => {
                connections.remove(ended.map_or_else(|error| error.id(), |(id, ())| id));
                continue;
            }
            () = &mut shutdown => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_RETRY_INTERVAL).await;
                continue;
            }
        };
        if !connections.make_room() {
            continue;
        }
        set_socket_options(&stream);
        let connection = Arc::new(Connection::new(peer.ip(), limits.min_client_rate));
        let stream = TimeoutStream::new(stream, Arc::clone(&connection), &limits);
        let (app, shared) = (app.clone(), Arc::clone(&connection));
        let respond = service_fn(move |request: http::Request<hyper::body::Incoming>| {
            let (app, connection) = (app.clone(), Arc::clone(&shared));
            async move {
                connection.begin_request(request.version());
                let mut request = request.map(Body::new);
                request.extensions_mut().insert(Arc::clone(&connection));
                let response = app.respond(request).await;
                Ok::<_, std::convert::Infallible>(track_response(response, connection))
            }
        });
        let served = open.watch(protocol.serve_connection(stream, respond).into_owned());
        let task = tasks.spawn(async move {
            if let Err(error) = served.await {
                tracing::debug!(%error, "a connection ended early");
            }
        });
        connections.add(connection, task);
    }
    drop(listener);
    app.stop();
    if tokio::time::timeout(SHUTDOWN_TIMEOUT, open.shutdown()).await.is_err() {
        tracing::warn!("some requests were still under way when the server stopped");
    }
    Ok(())
}

/// Sets the socket options; a connection whose options cannot be set is served all the same.
fn set_socket_options(stream: &TcpStream) {
    // Small responses must not wait for the next packet.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY could not be set");
    }
    if let Err(error) = SockRef::from(stream).set_tcp_keepalive(&KEEPALIVE) {
        tracing::debug!(%error, "TCP keepalive could not be set");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_system_asks_whether_the_other_end_is_still_there() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        set_socket_options(&stream);
        assert!(SockRef::from(&stream).keepalive().unwrap());
        assert_eq!(SockRef::from(&stream).tcp_keepalive_time().unwrap(), Duration::from_secs(60));
    }
}
