//! Accepting connections: bounded patience with slow clients, no request cut off at the end.

use std::future::Future;
use std::io;
use std::time::Duration;

use axum::body::Body;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;

use crate::App;

/// How long a client may take to send the head of a request, and how long a connection may be idle.
const HEAD_PATIENCE: Duration = Duration::from_secs(60);

/// How long requests under way may take when the server is told to stop.
const STOP_PATIENCE: Duration = Duration::from_secs(20);

/// How long to wait when the system has no connection to give, such as when all file descriptors are used.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves the application until `shutdown`, then finishes what is under way.
pub async fn serve(
    listener: TcpListener,
    app: App,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let mut protocol = http1::Builder::new();
    protocol.timer(TokioTimer::new()).header_read_timeout(HEAD_PATIENCE);
    let open = GracefulShutdown::new();
    tokio::pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut shutdown => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        // Small answers must not wait for the next packet.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection could not be set to send at once");
        }
        let app = app.clone();
        let respond = service_fn(move |request: http::Request<hyper::body::Incoming>| {
            let app = app.clone();
            async move { Ok::<_, std::convert::Infallible>(app.respond(request.map(Body::new)).await) }
        });
        let connection = open.watch(protocol.serve_connection(TokioIo::new(stream), respond));
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
        });
    }
    drop(listener);
    app.stop();
    if tokio::time::timeout(STOP_PATIENCE, open.shutdown()).await.is_err() {
        tracing::warn!("some requests were still under way when the server stopped");
    }
    Ok(())
}
