//! The contract of all engines, by named cases and by random ones.

use cantata_engine::contract::suite::{Options, run_random};
use cantata_engine::engine_contract;
use cantata_engine_embedded::EmbeddedEngine;
use tempfile::TempDir;

fn fresh() -> (EmbeddedEngine, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (EmbeddedEngine::open(folder.path()).unwrap(), folder)
}

engine_contract!(fresh());

#[tokio::test(flavor = "multi_thread")]
async fn random_requests_on_few_documents_agree_with_the_model() {
    let (engine, _folder) = fresh();
    // Four of five are searches, which are also checked for what must hold among their answers.
    run_random(&engine, 1, 13_000, &Options::default()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn random_requests_on_many_documents_agree_with_the_model() {
    let (engine, _folder) = fresh();
    run_random(&engine, 2, 1_000, &Options { documents: 600, ..Options::default() }).await;
}
