//! Where the real search engines of a test run are.
//!
//! `engines/with-engines` starts them and says in the environment where. A test that needs one fails without it.

/// Starts the engines for a test run.
pub(crate) const SCRIPT: &str = "engines/with-engines";

/// Returns the address of a node of OpenSearch 2.
#[track_caller]
pub fn opensearch() -> String {
    address("CANTATA_TEST_OPENSEARCH", SCRIPT)
}

/// Returns the address of a node of OpenSearch 3.
#[track_caller]
pub fn opensearch3() -> String {
    address("CANTATA_TEST_OPENSEARCH3", SCRIPT)
}

/// Returns the address of a node of Elasticsearch 7.17.
#[track_caller]
pub fn elasticsearch() -> String {
    address("CANTATA_TEST_ELASTICSEARCH", SCRIPT)
}

/// Returns the address in a variable of the environment, which the script sets.
#[track_caller]
pub(crate) fn address(variable: &str, script: &str) -> String {
    match std::env::var(variable) {
        Ok(address) if !address.is_empty() => address,
        _ => panic!("{variable} is not set: run `make test`, or `{script} cargo test` with arguments"),
    }
}
