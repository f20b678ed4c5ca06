//! Many people at once for a while, and how long each of their requests took.
//!
//! A server may refuse what would be too much for it. A client then waits as long as the answer says and asks again;
//! the time of the request includes it. An answer that is neither a success nor such a refusal ends the run.

use std::sync::{Barrier, OnceLock};
use std::time::{Duration, Instant};

use super::catalogue::Catalogue;
use super::mix::{Person, RequestKind};
use super::target::Target;
use crate::Outcome;
use crate::client::Connection;
use crate::latency::Latencies;
use crate::threads::run_threads;

/// How long people ask before anything counts.
const WARM_UP: Duration = Duration::from_secs(3);

/// How long a client waits where the server does not say it.
const DEFAULT_RETRY_DELAY: Duration = Duration::from_secs(1);

/// What stands in an answer of a GraphQL request that came too much.
const UNAVAILABLE: &[u8] = b"SERVICE_UNAVAILABLE";

/// How much of an unexpected answer is shown.
const MAX_SHOWN_BYTES: usize = 1_000;

/// A request that was answered.
struct Answered {
    kind: RequestKind,
    time: Duration,
    /// Whether the answer was there before the end; later ones count for times only.
    is_in_time: bool,
}

/// What a number of clients got done.
#[derive(Default)]
pub(super) struct Day {
    duration: Duration,
    answered: Vec<Answered>,
    /// How often the server refused something.
    pub(super) refused: usize,
}

impl Day {
    /// Lets this many people ask for this long, after they have asked for a while that does not count: all of them begin at
    /// once, and a server that has many requests to prepare answers none of them meanwhile.
    pub(super) fn spend(
        target: &Target,
        catalogue: &Catalogue,
        run: &str,
        clients: usize,
        duration: Duration,
    ) -> Outcome<Self> {
        let (all_connected, start) = (Barrier::new(clients), OnceLock::new());
        let parts = run_threads(clients, |_| {
            let mut person = Person::new(target, catalogue, run);
            let connection = target.connect();
            all_connected.wait();
            let counted_from = *start.get_or_init(Instant::now) + WARM_UP;
            let end = counted_from + duration;
            let (mut connection, mut part) = (connection?, Self::default());
            while Instant::now() < end {
                let (kind, request) = person.next_request();
                let begun = Instant::now();
                let is_answered = part.ask(target, &mut connection, kind, &request, end)?;
                let now = Instant::now();
                if is_answered && now >= counted_from {
                    part.answered.push(Answered { kind, time: now - begun, is_in_time: now <= end });
                }
            }
            Ok(part)
        })?;
        let mut day = Self { duration, ..Self::default() };
        for part in parts {
            day.answered.extend(part.answered);
            day.refused += part.refused;
        }
        Ok(day)
    }

    /// Sends a request until it is answered; returns whether it was, before there was no time left to ask again.
    fn ask(
        &mut self,
        target: &Target,
        connection: &mut Connection,
        kind: RequestKind,
        request: &[u8],
        end: Instant,
    ) -> Outcome<bool> {
        while is_refused(connection, kind, request)? {
            self.refused += 1;
            let wait = connection.retry_after().unwrap_or(DEFAULT_RETRY_DELAY);
            let left = end.saturating_duration_since(Instant::now());
            std::thread::sleep(wait.min(left));
            if wait >= left {
                return Ok(false);
            }
            // A server may close the connection of a request that it has not read.
            *connection = target.connect()?;
        }
        Ok(true)
    }

    /// Returns how many requests of all kinds were answered in a second.
    pub(super) fn per_second(&self) -> f64 {
        self.answered.iter().filter(|answered| answered.is_in_time).count() as f64 / self.duration.as_secs_f64()
    }

    /// Returns the times of some kinds of requests.
    pub(super) fn times(&self, kinds: &[RequestKind]) -> Latencies {
        Latencies::of(self.answered.iter().filter(|answered| kinds.contains(&answered.kind)).map(|each| each.time))
    }
}

/// Sends a request and returns whether it was refused because it came too much.
fn is_refused(connection: &mut Connection, kind: RequestKind, request: &[u8]) -> Outcome<bool> {
    let status = connection.status(request)?;
    let body = connection.body();
    // Errors of a GraphQL request are the last member of the answer, and a list.
    let has_errors = kind != RequestKind::Export && body.trim_ascii_end().ends_with(b"]}");
    match status {
        200 if !has_errors => Ok(false),
        429 | 503 => Ok(true),
        200 if body.windows(UNAVAILABLE.len()).any(|window| window == UNAVAILABLE) => Ok(true),
        _ => {
            let start = String::from_utf8_lossy(&body[..body.len().min(MAX_SHOWN_BYTES)]);
            Err(format!("{}: expected an answer without errors, found {status}: {start}", kind.name()).into())
        }
    }
}
