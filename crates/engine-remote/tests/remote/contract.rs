//! The contract of all engines, by named cases and by random ones, on each kind of cluster.

use cantata_engine::contract::suite::{Exceptions, Options, run_random};
use cantata_engine::engine_contract;
use cantata_engine_remote::Product;
use cantata_testkit::engines;

use crate::support::Scoped;

/// What clusters do in a way of their own; `exceptions` shows that they do.
const EXCEPTIONS: Exceptions = Exceptions {
    absent_types: &["geo_point", "unsigned_long"],
    rewritten_mapping: true,
    words_only: true,
    negative_zero: true,
    unordered_types: &["flattened"],
};

/// Clusters guess other types for what documents bring, such as `float` for a fraction, and have a BM25 of their own.
fn options(exceptions: Exceptions) -> Options {
    Options { dynamic_mapping: false, exact_scores: false, exceptions, ..Options::default() }
}

mod opensearch {
    use super::*;

    fn fresh() -> Scoped {
        Scoped::new(engines::opensearch(), Product::OpenSearch)
    }

    engine_contract!(common, unsigned: fresh());

    #[tokio::test(flavor = "multi_thread")]
    async fn random_requests_agree_with_the_model() {
        run_random(&fresh(), 1, 300, &options(EXCEPTIONS)).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn random_requests_on_several_shards_agree_with_the_model() {
        run_random(&fresh().with_shards(3), 2, 150, &options(EXCEPTIONS)).await;
    }
}

mod opensearch3 {
    use super::*;

    /// This version does not sort by a wildcard.
    const EXCEPTIONS: Exceptions = Exceptions { unordered_types: &["flattened", "wildcard"], ..super::EXCEPTIONS };

    fn fresh() -> Scoped {
        Scoped::new(engines::opensearch3(), Product::OpenSearch)
    }

    engine_contract!(common, unsigned: fresh());

    #[tokio::test(flavor = "multi_thread")]
    async fn random_requests_agree_with_the_model() {
        run_random(&fresh(), 3, 300, &options(EXCEPTIONS)).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn random_requests_on_several_shards_agree_with_the_model() {
        run_random(&fresh().with_shards(3), 4, 150, &options(EXCEPTIONS)).await;
    }
}

mod elasticsearch {
    use super::*;

    /// These types belong to a part of Elasticsearch that is not free; flattened fields are in order here.
    const EXCEPTIONS: Exceptions = Exceptions {
        absent_types: &["geo_point", "wildcard", "unsigned_long"],
        unordered_types: &[],
        ..super::EXCEPTIONS
    };

    fn fresh() -> Scoped {
        Scoped::new(engines::elasticsearch(), Product::Elasticsearch)
    }

    engine_contract!(common: fresh());

    #[tokio::test(flavor = "multi_thread")]
    async fn random_requests_agree_with_the_model() {
        run_random(&fresh(), 5, 300, &options(EXCEPTIONS)).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn random_requests_on_several_shards_agree_with_the_model() {
        run_random(&fresh().with_shards(3), 6, 150, &options(EXCEPTIONS)).await;
    }
}
