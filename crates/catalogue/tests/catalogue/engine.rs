//! Which engine a catalogue gets: what its files say, what the server says, and what becomes of secrets.

use std::path::PathBuf;
use std::time::Duration;

use cantata_catalogue::{
    CatalogueConfig, CatalogueConfigs, ClusterConnection, ConfigDefaults, EngineChoice, EngineName, EngineSettings,
};
use cantata_core::{ClusterCredentials, Secret};
use serde_json::{Value, json};

const SECRET: &str = "hunter2";

fn server(name: Option<EngineName>, host: &str) -> ConfigDefaults {
    let credentials = ClusterCredentials::Basic { user: Secret::new("root"), password: Secret::new(SECRET) };
    let engine = EngineSettings { name, hosts: EngineSettings::hosts(host), credentials, ..EngineSettings::default() };
    ConfigDefaults { engine, ..ConfigDefaults::default() }
}

fn read(keys: &Value, defaults: &ConfigDefaults) -> Result<CatalogueConfig, Vec<String>> {
    let mut value = json!({ "esIndex": "files", "documentType": "file" });
    value.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    CatalogueConfig::from_value("files", &value, defaults)
        .map_err(|problems| problems.iter().map(ToString::to_string).collect())
}

#[track_caller]
fn choice(keys: Value, defaults: &ConfigDefaults) -> EngineChoice {
    read(&keys, defaults).unwrap().engine
}

#[track_caller]
fn connection(keys: Value, defaults: &ConfigDefaults) -> ClusterConnection {
    match choice(keys.clone(), defaults) {
        EngineChoice::Remote(connection) => *connection,
        EngineChoice::Embedded => panic!("{keys} leads to the embedded engine"),
    }
}

fn hosts(connection: &ClusterConnection) -> Vec<&str> {
    connection.hosts.iter().map(Secret::reveal).collect()
}

#[test]
fn without_a_word_the_engine_is_embedded_unless_the_server_has_an_address() {
    assert_eq!(choice(json!({}), &ConfigDefaults::default()), EngineChoice::Embedded);
    assert_eq!(choice(json!({}), &server(None, "")), EngineChoice::Embedded);
    let found = connection(json!({}), &server(None, "http://one:9200, http://two:9200/"));
    assert_eq!((found.product, hosts(&found)), (None, vec!["http://one:9200", "http://two:9200"]));
    assert_eq!(found.timeout, Duration::from_secs(30));
    let found = connection(json!({}), &server(Some(EngineName::OpenSearch), ""));
    assert_eq!((found.product, hosts(&found)), (Some(EngineName::OpenSearch), vec!["http://127.0.0.1:9200"]));
}

#[test]
fn files_win_over_the_server_both_ways() {
    let remote = server(Some(EngineName::OpenSearch), "http://one:9200");
    assert_eq!(choice(json!({ "searchEngine": "embedded" }), &remote), EngineChoice::Embedded);
    let embedded = server(Some(EngineName::Embedded), "");
    let found = connection(json!({ "searchEngine": "elasticsearch" }), &embedded);
    assert_eq!((found.product, hosts(&found)), (Some(EngineName::Elasticsearch), vec!["http://127.0.0.1:9200"]));
    // An address alone means a cluster, of whatever kind.
    let found = connection(json!({ "esHost": "http://other:9200" }), &embedded);
    assert_eq!((found.product, hosts(&found)), (None, vec!["http://other:9200"]));
    let found = connection(json!({ "esHost": "http://other:9200" }), &remote);
    assert_eq!((found.product, hosts(&found)), (None, vec!["http://other:9200"]));
    let keys = json!({ "esTimeout": 5, "esCaCertificate": "/etc/ca.pem", "esApiKey": "abc" });
    let found = connection(keys, &remote);
    assert_eq!((found.timeout, found.ca_certificate), (Duration::from_secs(5), Some(PathBuf::from("/etc/ca.pem"))));
    assert_eq!(found.credentials, ClusterCredentials::ApiKey(Secret::new("abc")));
}

#[test]
fn credentials_of_the_server_go_to_its_own_addresses_only() {
    let server = server(None, "http://one:9200,http://two:9200");
    for (host, is_known) in [
        ("http://one:9200", true),
        ("http://two:9200/, http://one:9200", true),
        ("http://one:9201", false),
        ("http://one:9200,http://evil:9200", false),
    ] {
        let found = connection(json!({ "esHost": host }), &server);
        assert_eq!(found.credentials != ClusterCredentials::None, is_known, "{host}");
    }
    let own = connection(json!({ "esHost": "http://evil:9200", "esUser": "me" }), &server);
    assert_eq!(own.credentials, ClusterCredentials::Basic { user: Secret::new("me"), password: Secret::new("") });
}

#[test]
fn secrets_can_come_from_the_environment() {
    // Cargo sets this one for every test.
    let version = Secret::new(std::env::var("CARGO_PKG_VERSION").unwrap());
    let keys = json!({ "searchEngine": "opensearch", "esUser": "me", "esPass": { "env": "CARGO_PKG_VERSION" } });
    let expected = ClusterCredentials::Basic { user: Secret::new("me"), password: version };
    assert_eq!(connection(keys, &ConfigDefaults::default()).credentials, expected);
}

#[test]
fn what_is_wrong_is_told_without_showing_a_secret() {
    let expected =
        "expected a string, or an object such as {\"env\": \"NAME\"} with the name of an environment variable";
    for (keys, told) in [
        (
            json!({ "esUser": { "env": "CANTATA_NOT_SET" }, "esPass": SECRET }),
            "configuration, `esUser`: found the environment variable \"CANTATA_NOT_SET\", which is not set, expected one that is set where the server runs".to_owned(),
        ),
        (json!({ "esApiKey": 4711 }), format!("configuration, `esApiKey`: found a number, {expected}")),
        (
            json!({ "esApiKey": { "env": "A", "value": SECRET } }),
            format!("configuration, `esApiKey`: found another object, {expected}"),
        ),
        (
            json!({ "esPass": SECRET }),
            "configuration, `esPass`: found a password without a user, expected `esUser` beside it".to_owned(),
        ),
        (
            json!({ "esUser": "me", "esApiKey": SECRET }),
            "configuration, `esApiKey`: found an API key beside a user and a password, expected either `esApiKey`, or `esUser` and `esPass`".to_owned(),
        ),
        (
            json!({ "esHost": ["http://me:hunter2@one:9200"] }),
            "configuration, `esHost`: found a list, expected an address such as https://search-1:9200, or several separated by commas".to_owned(),
        ),
        (
            json!({ "searchEngine": "solr" }),
            "configuration, `searchEngine`: found \"solr\", expected embedded, opensearch or elasticsearch".to_owned(),
        ),
        (
            json!({ "esTimeout": 0 }),
            "configuration, `esTimeout`: found the number 0, expected a whole number from 1 to 2147483647".to_owned(),
        ),
    ] {
        assert_eq!(read(&keys, &ConfigDefaults::default()).unwrap_err(), [told], "{keys}");
    }
}

#[test]
fn what_is_odd_is_told_and_the_catalogue_served() {
    let remote = server(Some(EngineName::OpenSearch), "http://one:9200");
    let config = read(&json!({ "searchEngine": "embedded", "esHost": "http://two:9200" }), &remote).unwrap();
    let told = "configuration, `esHost`: found an address beside the embedded engine, which is ignored, expected no address, \
                or `searchEngine` opensearch or elasticsearch";
    assert_eq!(config.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(), [told]);
}

#[test]
fn nothing_that_is_printed_holds_a_secret() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, value: Value| std::fs::write(folder.path().join(name), value.to_string()).unwrap();
    let address = "http://me:hunter2@one:9200";
    write(
        "base.json",
        json!({ "esIndex": "i", "documentType": "d", "esPass": SECRET, "esUser": "me", "esHost": address }),
    );
    write("more.json", json!({ "esPass": "hunter3", "esHost": "http://me:hunter3@one:9200" }));
    let configs = CatalogueConfigs::from_folder(folder.path(), &server(None, address)).unwrap();
    let printed = format!("{configs:?} {:?}", server(None, address));
    assert!(printed.contains("a string here and a string in base.json"), "{printed}");
    assert!(!printed.contains("hunter") && !printed.contains("one:9200"), "{printed}");
}

#[test]
fn another_password_is_another_configuration() {
    let with = |password: &str| {
        read(&json!({ "esUser": "me", "esPass": password, "esHost": "http://h" }), &ConfigDefaults::default())
    };
    assert_eq!(with("one"), with("one"));
    assert_ne!(with("one"), with("two"));
}

#[test]
fn the_variables_say_the_same() {
    let read = |variables: &[(&str, &str)]| {
        let of = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let (defaults, problems) = ConfigDefaults::from_variables(of);
        (defaults.engine, problems.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let (engine, problems) = read(&[
        ("SEARCH_ENGINE", "OpenSearch"),
        ("ES_HOST", "http://one:9200"),
        ("ES_USER", "me"),
        ("ES_PASS", SECRET),
        ("ES_TIMEOUT", "7"),
        ("ES_REFRESH_INTERVAL_MS", "0"),
    ]);
    assert_eq!(problems, [""; 0]);
    assert_eq!(engine.refresh_interval, Some(Duration::ZERO));
    assert_eq!((engine.name, engine.timeout), (Some(EngineName::OpenSearch), Some(Duration::from_secs(7))));
    assert_eq!(
        engine.credentials,
        ClusterCredentials::Basic { user: Secret::new("me"), password: Secret::new(SECRET) }
    );
    let (engine, problems) = read(&[("SEARCH_ENGINE", "solr"), ("ES_PASS", SECRET), ("ES_TIMEOUT", "soon")]);
    assert_eq!((engine.name, engine.credentials), (None, ClusterCredentials::None));
    assert_eq!(
        problems,
        [
            "environment, `SEARCH_ENGINE`: found \"solr\", expected embedded, opensearch or elasticsearch; it counts as not set",
            "environment, `ES_PASS`: found a password without a user, which is not used, expected either `ES_API_KEY`, or `ES_USER` and `ES_PASS`",
            "environment, `ES_TIMEOUT`: found \"soon\", expected a whole number from 1 to 2147483647; 30 is used",
        ]
    );
}
