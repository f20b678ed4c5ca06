//! Accepting connections: bounded patience with slow clients, no request cut off at the end.

mod answer;
mod connection;
mod stream;

pub(crate) use connection::Connection;

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioTimer;
use hyper_util::server::graceful::GracefulShutdown;
use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::App;
use answer::followed;
use connection::Connections;
use stream::PatientStream;

/// How long requests under way may take when the server is told to stop.
const STOP_PATIENCE: Duration = Duration::from_secs(20);

/// How long to wait when the system has no connection to give, such as when all file descriptors are used.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How long a connection is silent before the system asks whether the other end is still there, and how long it waits
/// before it asks again.
const KEEPALIVE: TcpKeepalive =
    TcpKeepalive::new().with_time(Duration::from_secs(60)).with_interval(Duration::from_secs(15));

/// Serves the application until `shutdown`, then finishes what is under way.
pub async fn serve(
    listener: TcpListener,
    app: App,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let limits = app.limit_settings();
    let patience = limits.client_timeout;
    let mut connections = Connections::new(limits.max_connections);
    let mut protocol = http1::Builder::new();
    // This is also how long a connection may be idle.
    protocol.timer(TokioTimer::new()).header_read_timeout(patience);
    let open = GracefulShutdown::new();
    let mut tasks = JoinSet::new();
    tokio::pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(ended) = tasks.join_next_with_id() => {
                connections.closed(ended.map_or_else(|error| error.id(), |(id, ())| id));
                continue;
            }
            () = &mut shutdown => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        if !connections.make_room() {
            continue;
        }
        prepare(&stream);
        let connection = Arc::new(Connection::new(peer.ip()));
        let stream = PatientStream::new(stream, Arc::clone(&connection), patience);
        let (app, asked) = (app.clone(), Arc::clone(&connection));
        let respond = service_fn(move |request: http::Request<hyper::body::Incoming>| {
            let (app, connection) = (app.clone(), Arc::clone(&asked));
            async move {
                connection.request_begins();
                let mut request = request.map(Body::new);
                request.extensions_mut().insert(Arc::clone(&connection));
                let response = app.respond(request).await;
                Ok::<_, std::convert::Infallible>(followed(response, connection))
            }
        });
        let served = open.watch(protocol.serve_connection(stream, respond));
        let task = tasks.spawn(async move {
            if let Err(error) = served.await {
                tracing::debug!(%error, "a connection ended early");
            }
        });
        connections.opened(connection, task);
    }
    drop(listener);
    app.stop();
    if tokio::time::timeout(STOP_PATIENCE, open.shutdown()).await.is_err() {
        tracing::warn!("some requests were still under way when the server stopped");
    }
    Ok(())
}

/// Sets how a connection behaves; one that cannot be set is served all the same.
fn prepare(stream: &TcpStream) {
    // Small answers must not wait for the next packet.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection could not be set to send at once");
    }
    if let Err(error) = SockRef::from(stream).set_tcp_keepalive(&KEEPALIVE) {
        tracing::debug!(%error, "a connection could not be set to notice that the other end is gone");
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
        prepare(&stream);
        assert!(SockRef::from(&stream).keepalive().unwrap());
        assert_eq!(SockRef::from(&stream).tcp_keepalive_time().unwrap(), Duration::from_secs(60));
    }
}
