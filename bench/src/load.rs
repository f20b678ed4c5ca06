//! Many clients at once for a while.

use std::net::SocketAddr;
use std::sync::{Barrier, OnceLock};
use std::time::{Duration, Instant};

use crate::Outcome;
use crate::client::Connection;
use crate::server_process::ServerProcess;
use crate::threads::run_threads;

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
/// `next` is given the number of the client and how many requests that client has sent.
pub(crate) fn drive<'a>(
    address: SocketAddr,
    clients: usize,
    duration: Duration,
    next: impl Fn(usize, u64) -> Option<&'a [u8]> + Sync,
) -> Outcome<Load> {
    drive_steps(address, clients, duration, |connection, client, sent| match next(client, sent) {
        Some(request) => connection.send(request).map(|()| true),
        None => Ok(false),
    })
}

/// Lets each client repeat a step on its own connection, until the time is over or the step returns that there is
/// nothing left.
///
/// `step` is given the number of the client and how many steps that client has done. The clock runs from the moment all
/// are connected until the last answer is there.
pub(crate) fn drive_steps(
    address: SocketAddr,
    clients: usize,
    duration: Duration,
    step: impl Fn(&mut Connection, usize, u64) -> Outcome<bool> + Sync,
) -> Outcome<Load> {
    drive_servers(&[address], clients, duration, step)
}

/// Does the same with clients that are spread over several servers.
pub(crate) fn drive_servers(
    addresses: &[SocketAddr],
    clients: usize,
    duration: Duration,
    step: impl Fn(&mut Connection, usize, u64) -> Outcome<bool> + Sync,
) -> Outcome<Load> {
    let (all_connected, start) = (Barrier::new(clients), OnceLock::new());
    let done = run_threads(clients, |client| {
        let connection = Connection::open(addresses[client % addresses.len()]);
        all_connected.wait();
        let end = *start.get_or_init(Instant::now) + duration;
        let (mut connection, mut done) = (connection?, 0);
        while Instant::now() < end && step(&mut connection, client, done)? {
            done += 1;
        }
        Ok(done)
    })?;
    let elapsed = start.get().map(Instant::elapsed).unwrap_or_default();
    Ok(Load { requests: done.into_iter().sum(), elapsed })
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
