//! Connections that do only what a test says.

use std::collections::HashSet;
use std::future::Future;
use std::net::SocketAddr;
use std::time::Duration;

use cantata_testkit::{Payload, TestServer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

/// How long anything that must happen may take before a test gives up.
const EVENT_TIMEOUT: Duration = Duration::from_secs(120);

/// Waits for what must happen.
pub(crate) async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(EVENT_TIMEOUT, future).await.unwrap_or_else(|_| panic!("{what} did not happen"))
}

/// Tries until something is so.
pub(crate) async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    soon(what, async {
        while !is_so().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

/// Opens a connection that takes next to nothing of an answer on its own, and sends something.
pub(crate) async fn open(address: SocketAddr, bytes: &[u8]) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    stream
}

/// Sends a byte at a time until the server closes the connection.
pub(crate) async fn drip(mut stream: TcpStream, every: Duration) {
    let mut buffer = [0; 1024];
    loop {
        tokio::select! {
            read = stream.read(&mut buffer) => match read {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            },
            () = tokio::time::sleep(every) => {
                if stream.write_all(b"x").await.is_err() {
                    return;
                }
            }
        }
    }
}

/// Returns whether the server has closed a connection; what it sent is read first.
pub(crate) async fn is_closed(stream: &mut TcpStream) -> bool {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match tokio::time::timeout(Duration::from_millis(1), stream.read(&mut buffer)).await {
            Ok(Ok(0) | Err(_)) => return true,
            Ok(Ok(_)) => {}
            Err(_) => return false,
        }
    }
}

/// Returns how many of these connections the server has not closed. A client that reads nothing does not notice by itself
/// that it has, so the kernel is asked.
pub(crate) fn open_at_server(server: SocketAddr, clients: &[TcpStream]) -> usize {
    const ESTABLISHED: &str = "01";
    let hex = |address: SocketAddr| format!("{:04X}", address.port());
    let server = format!(":{}", hex(server));
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let lines = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    // A number, the address at this end, the one at the other end, the state.
    let is_open = |line: &Vec<&str>| line[3] == ESTABLISHED && line[1].ends_with(&server);
    let open: HashSet<String> = lines.filter(is_open).map(|line| line[2][line[2].len() - 4..].to_owned()).collect();
    clients.iter().filter(|client| open.contains(&hex(client.local_addr().unwrap()))).count()
}

/// Fills the study `S` with more than the buffers of a connection hold.
pub(crate) async fn fill(server: &TestServer) {
    server.create_study("S").await;
    for _ in 0..12 {
        server.submit(&Payload::new("S").with("text", "x".repeat(1_000_000))).await;
    }
}
