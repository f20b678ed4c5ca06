//! Kills the real server at random moments and proves that nothing it has acknowledged is lost.
//!
//! Several clients write, each to analyses of its own and one request after the other, and note what was answered.
//! The process gets SIGKILL in the middle of it and is started again on the same folder, many times. After each
//! start everything is read back: what was acknowledged is there, once and in order; the one request of each client
//! that was under way when the server died has either happened completely or not at all; nothing else is there. The
//! same holds for both stores.
#![expect(clippy::unwrap_used, reason = "a test helper that fails should fail its test")]
#![expect(clippy::print_stdout, reason = "a test that fails shows what it began with")]

mod client;
mod journal;
mod server;
mod verify;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cantata_testkit::databases::{TestDatabase, postgres};
use client::Client;
use journal::Journal;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use server::ServerProcess;

/// How often the server is killed; more often where a slow machine has not written enough to prove anything by then.
const ROUNDS: u32 = 15;
const MAX_ROUNDS: u32 = 10 * ROUNDS;
const MIN_ANALYSES: usize = 100;
const CLIENTS: u64 = 6;

/// A database still works off what a killed server has sent; this waits for the end of it.
const WHAT_WAS_SENT_IS_OVER: &str = "
    DO $$ BEGIN
        WHILE EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                      AND backend_type = 'client backend') LOOP
            PERFORM pg_sleep(0.01), pg_stat_clear_snapshot();
        END LOOP;
    END $$";

#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost_when_the_server_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    kill_and_verify(folder.path(), None).await;
    verify::databases_are_sound(folder.path());
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost_on_postgresql() {
    let folder = tempfile::tempdir().unwrap();
    let database = postgres();
    kill_and_verify(folder.path(), Some(&database)).await;
    database.run(verify::TABLES_AGREE);
}

async fn kill_and_verify(folder: &Path, database: Option<&TestDatabase>) {
    let seed: u64 = rand::rng().random();
    println!("seed {seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let mut journals: Vec<Journal> = (0..CLIENTS).map(|_| Journal::default()).collect();
    let mut rounds = 0;
    while rounds < ROUNDS || (rounds < MAX_ROUNDS && written(&journals).0 <= MIN_ANALYSES) {
        let mut server = ServerProcess::start(folder, database).await;
        if rounds == 0 {
            verify::create_study(&server.address).await;
        } else {
            verify::everything_acknowledged_is_there(&server.address, &mut journals).await;
        }
        let is_over = Arc::new(AtomicBool::new(false));
        let clients: Vec<_> = std::mem::take(&mut journals)
            .into_iter()
            .map(|journal| {
                let client = Client::new(&server.address, journal, random.random(), Arc::clone(&is_over));
                tokio::spawn(client.write_until_refused())
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(random.random_range(20..600))).await;
        server.kill();
        if let Some(database) = database {
            database.run(WHAT_WAS_SENT_IS_OVER);
        }
        is_over.store(true, Ordering::Relaxed);
        for client in clients {
            journals.push(client.await.unwrap());
        }
        rounds += 1;
    }
    let server = ServerProcess::start(folder, database).await;
    verify::everything_acknowledged_is_there(&server.address, &mut journals).await;
    let (analyses, changes) = written(&journals);
    println!("{rounds} kills, {analyses} analyses, {changes} changes, none lost");
    assert!(analyses > MIN_ANALYSES, "only {analyses} analyses were written, too few to prove anything");
}

/// Returns how many analyses and changes were acknowledged.
fn written(journals: &[Journal]) -> (usize, usize) {
    journals.iter().map(Journal::size).fold((0, 0), |sum, size| (sum.0 + size.0, sum.1 + size.1))
}
