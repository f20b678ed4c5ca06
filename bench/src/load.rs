//! Many clients at once for a while.

use std::net::SocketAddr;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use crate::Outcome;
use crate::client::Connection;
use crate::server_process::ServerProcess;

/// How many clients there are at once, in turn.
pub(crate) const CLIENTS: [usize; 3] = [1, 8, 32];

/// What the clients got done.
pub(crate) struct Load {
    pub(crate) requests: u64,
    pub(crate) elapsed: Duration,
}

impl Load {
    pub(crate) fn per_second(&self) -> f64 {
        self.requests as f64 / self.elapsed.as_secs_f64()
    }
}

/// Lets each client send the requests that `next` gives it, one after the other on its own connection, until the
/// time is over or there is none left.
///
/// `next` is given the number of the client and how many requests that client has sent. The clock runs from the moment
/// all are connected until the last answer is there.
pub(crate) fn drive<'a>(
    address: SocketAddr,
    clients: usize,
    duration: Duration,
    next: impl Fn(usize, u64) -> Option<&'a [u8]> + Sync,
) -> Outcome<Load> {
    let all_connected = Barrier::new(clients + 1);
    let (next, all_connected) = (&next, &all_connected);
    std::thread::scope(|scope| {
        let spawn = |client| {
            scope.spawn(move || {
                let connection = Connection::open(address);
                all_connected.wait();
                let (mut connection, mut sent) = (connection?, 0);
                let end = Instant::now() + duration;
                while Instant::now() < end
                    && let Some(request) = next(client, sent)
                {
                    connection.exchange(request)?;
                    sent += 1;
                }
                Ok(sent)
            })
        };
        let threads: Vec<_> = (0..clients).map(spawn).collect();
        all_connected.wait();
        let start = Instant::now();
        let mut requests = 0;
        for thread in threads {
            let sent: Outcome<u64> = thread.join().map_err(|_| "a client panicked")?;
            requests += sent?;
        }
        Ok(Load { requests, elapsed: start.elapsed() })
    })
}

/// How a server took a load.
pub(crate) struct Rate {
    pub(crate) per_second: f64,
    /// Processor time of the server for one request, in microseconds.
    pub(crate) processor: f64,
}

/// Watches a server while it is under a load.
pub(crate) fn observe(server: &ServerProcess, load: impl FnOnce() -> Outcome<Load>) -> Outcome<Rate> {
    let before = server.processor_seconds()?;
    let load = load()?;
    let used = server.processor_seconds()? - before;
    Ok(Rate { per_second: load.per_second(), processor: used / load.requests as f64 * 1e6 })
}
