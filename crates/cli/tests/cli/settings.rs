//! Settings: where they come from, who wins, and what a wrong one leads to.
//!
//! An address that other machines can reach is refused with its name, which shows the value in force without a server.

use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use crate::process::{cantata, outcome};

const SETTINGS: [&str; 110] = [
    "SERVER_PORT",
    "BIND_ADDR",
    "PUBLIC_URL",
    "ALLOWED_HOSTS",
    "BODY_LIMIT",
    "METRICS",
    "AUTH_MODE",
    "INSECURE",
    "REQUIRE_AUTH_FOR_READS",
    "PUBLIC_STUDIES",
    "STORAGE_SERVERS",
    "AUDIT_REQUIRED",
    "AUTH_SERVER_SCOPE_STUDY_PREFIX",
    "AUTH_SERVER_SCOPE_STUDY_SUFFIX",
    "AUTH_SERVER_SCOPE_SYSTEM",
    "JWT_PUBLIC_KEY_FILE",
    "JWT_JWKS_URL",
    "JWT_ISSUER",
    "JWT_AUDIENCE",
    "JWT_SCOPE_CLAIM",
    "JWT_CLOCK_SKEW_SECONDS",
    "AUTH_SERVER_INTROSPECTIONURI",
    "AUTH_SERVER_TOKENNAME",
    "AUTH_SERVER_CLIENTID",
    "AUTH_SERVER_CLIENTSECRET",
    "AUTH_SERVER_CACHE_SECONDS",
    "OIDC_ISSUER",
    "OIDC_CLIENT_ID",
    "OIDC_CLIENT_SECRET",
    "OIDC_SCOPES",
    "ROLE_MAPPING_FILE",
    "SESSION_IDLE_MINUTES",
    "SESSION_MAX_HOURS",
    "OWN_KEY_DAYS",
    "RATE_LIMIT",
    "RATE_LIMIT_BURST",
    "AUTH_FAILURE_LIMIT",
    "TRUSTED_PROXIES",
    "BATCH_LIMIT",
    "SEARCH_BODY_LIMIT",
    "MAX_EXPORTS",
    "MAX_EXPORTS_PER_CLIENT",
    "REQUEST_TIMEOUT",
    "CLIENT_TIMEOUT",
    "MAX_CONNECTIONS",
    "MIN_CLIENT_RATE",
    "BLOCKING_THREADS",
    "MEMORY_LIMIT",
    "REQUEST_MEMORY",
    "SEARCH_MEMORY",
    "CACHE_MEMORY",
    "DATA_DIR",
    "DATABASE_URL",
    "DATABASE_CONNECTIONS",
    "SCHEMAS_ENFORCE_LATEST",
    "DUPLICATES_PUBLISHED_ONLY",
    "SERVER_ID",
    "SCORE_URL",
    "SCORE_ACCESS_TOKEN",
    "SCORE_TIMEOUT_MS",
    "EXTERNAL_VALIDATION_TIMEOUT_MS",
    "KAFKA_BOOTSTRAP_SERVERS",
    "KAFKA_TOPIC",
    "KAFKA_CREATE_TOPIC",
    "KAFKA_PARTITIONS",
    "KAFKA_REPLICATION_FACTOR",
    "KAFKA_SECURITY_PROTOCOL",
    "KAFKA_SASL_MECHANISM",
    "KAFKA_SASL_USERNAME",
    "KAFKA_SASL_PASSWORD",
    "KAFKA_CA_CERTIFICATE",
    "CONFIGS_PATH",
    "ES_INDEX",
    "DOCUMENT_TYPE",
    "ALLOWED_CORS_ORIGINS",
    "PORTAL_TEXTS",
    "PING_PATH",
    "READY_PATH",
    "GRAPHQL_MAX_ALIASES",
    "GRAPHQL_MAX_DEPTH",
    "GRAPHQL_MAX_COST",
    "GRAPHQL_MAX_RESPONSE_BYTES",
    "GRAPHQL_MAX_PATTERNS",
    "NETWORK_MEMORY",
    "MAX_RESULTS_WINDOW",
    "ROW_ID_FIELD_NAME",
    "ALLOW_CUSTOM_DOWNLOAD_MAX_ROWS",
    "DOWNLOAD_MAX_ROWS",
    "DOWNLOAD_STREAM_BUFFER_SIZE",
    "DISABLE_DOWNLOADS",
    "DISABLE_FILTERS",
    "DISABLE_GRAPHQL_INTROSPECTION",
    "NODE_ENV",
    "DISABLE_GRAPHQL_PLAYGROUND",
    "ENABLE_GRAPHQL_BATCHING",
    "ENABLE_SETS",
    "ES_ARRANGER_SETS_INDEX",
    "MAX_ANONYMOUS_SETS",
    "MAX_ANONYMOUS_SETS_BYTES",
    "SEARCH_ENGINE",
    "ES_HOST",
    "ES_USER",
    "ES_PASS",
    "ES_API_KEY",
    "ES_CA_CERTIFICATE",
    "ES_TIMEOUT",
    "ES_REFRESH_INTERVAL_MS",
    "LOG",
    "LOG_FORMAT",
    "OTLP_ENDPOINT",
];

/// A file with settings, in a folder that goes with the test.
struct File {
    _folder: TempDir,
    path: PathBuf,
}

fn file(text: &str) -> File {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cantata.toml");
    fs_err::write(&path, text).unwrap();
    File { _folder: folder, path }
}

/// Returns the command of a server that asks for no credential.
fn open(arguments: &[&str]) -> Command {
    let (command, more) = arguments.split_first().unwrap();
    cantata(&[&[*command, "--auth-mode=none"], more].concat())
}

#[track_caller]
fn assert_refused(command: &mut std::process::Command, parts: &[&str]) {
    let (code, stdout, stderr) = outcome(command);
    assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
    for part in parts {
        assert!(stderr.contains(part), "'{part}' is not in:\n{stderr}");
    }
}

#[test]
fn flag_wins_over_environment_over_file() {
    let file = file("bind_addr = \"10.0.0.3\"");
    let serve = |arguments: &[&str]| {
        let mut command = open(&["serve"]);
        command.args(arguments).env("CANTATA_CONFIG", &file.path);
        command
    };
    assert_refused(&mut serve(&[]), &["BIND_ADDR is 10.0.0.3"]);
    assert_refused(serve(&[]).env("BIND_ADDR", "10.0.0.2"), &["BIND_ADDR is 10.0.0.2"]);
    assert_refused(serve(&["--bind-addr", "10.0.0.1"]).env("BIND_ADDR", "10.0.0.2"), &["BIND_ADDR is 10.0.0.1"]);
}

#[test]
fn the_flag_names_the_file_before_the_variable_does() {
    let (flag, variable) = (file("bind_addr = \"10.0.0.1\""), file("bind_addr = \"10.0.0.2\""));
    let mut command = open(&["serve", "--config"]);
    command.arg(&flag.path).env("CANTATA_CONFIG", &variable.path);
    assert_refused(&mut command, &["BIND_ADDR is 10.0.0.1"]);
}

#[test]
fn empty_variables_count_as_not_set() {
    let file = file("bind_addr = \"10.0.0.3\"");
    let mut command = open(&["serve", "--config"]);
    command.arg(&file.path).env("CANTATA_CONFIG", "");
    for setting in SETTINGS {
        command.env(setting, "");
    }
    assert_refused(&mut command, &["BIND_ADDR is 10.0.0.3"]);
}

#[test]
fn addresses_that_others_reach_need_authentication_or_consent() {
    for address in ["0.0.0.0", "::", "192.168.1.7", "::ffff:10.0.0.1"] {
        assert_refused(
            &mut open(&["serve", "--bind-addr", address]),
            &["BIND_ADDR is", "AUTH_MODE is none", "127.0.0.1", "api-key", "--insecure"],
        );
    }
    let file = file("insecure = true");
    let mut command = open(&["serve", "--bind-addr=0.0.0.0", "--insecure=false", "--config"]);
    assert_refused(command.arg(&file.path), &["BIND_ADDR is 0.0.0.0"]);
    // With consent the next thing that is wrong stops the start.
    let consent = ["serve", "--insecure", "--bind-addr=0.0.0.0", "--score-url=ftp://x"];
    assert_refused(&mut cantata(&consent), &["SCORE_URL", "'ftp'", "http or https"]);
}

#[test]
fn everything_wrong_is_told_at_once_with_its_place() {
    let file = file(
        "server_port = \"x\"\nbody_limit = 0\nlog_format = \"xml\"\ninsecure = \"yes\"\ndata_dir = 5\nprot = 1\n[server]\nport = 2\n",
    );
    let mut command = cantata(&["serve", "--config"]);
    command.arg(&file.path).env("AUTH_MODE", "oauth").env("SCORE_TIMEOUT_MS", "soon");
    let name = file.path.display();
    assert_refused(
        &mut command,
        &[
            &format!("{name}, key server_port: found the string 'x', expected an integer"),
            &format!("{name}, key body_limit: found '0', expected a whole number from 1 to"),
            &format!("{name}, key log_format: found 'xml', expected one of: text, json"),
            &format!("{name}, key insecure: found the string 'yes', expected true or false"),
            &format!("{name}, key data_dir: found the integer 5, expected a string"),
            &format!("{name}: unknown key prot, server; the known keys are server_port, bind_addr,"),
            "environment variable AUTH_MODE: found 'oauth', expected `none`, or a list of api-key, jwt, introspection",
            "environment variable SCORE_TIMEOUT_MS: found 'soon', expected a whole number from 1 to 3600000",
        ],
    );
}

#[test]
fn flags_are_checked_like_every_other_source() {
    assert_refused(&mut open(&["serve", "--server-port=65536"]), &["'65536'", "--server-port", "from 0 to 65535"]);
    assert_refused(&mut cantata(&["serve", "--auth-mode=oauth"]), &["'oauth'", "--auth-mode", "none"]);
    assert_refused(&mut open(&["serve", "--log=a=b=c"]), &["--log", "expected a filter"]);
    assert_refused(&mut open(&["serve", "--log=loud"]), &["--log", "'loud' is no level"]);
    assert_refused(&mut open(&["serve", "--prot=1"]), &["--prot"]);
    assert_refused(&mut cantata(&["sing"]), &["sing"]);
    assert_refused(&mut cantata(&[]), &["serve", "demo"]);
}

#[test]
fn an_unknown_engine_stops_the_start() {
    let told = "environment variable SEARCH_ENGINE: found 'solr', expected embedded, opensearch or elasticsearch";
    assert_refused(open(&["serve"]).env("SEARCH_ENGINE", "solr"), &[told]);
}

#[test]
fn what_is_no_origin_stops_the_start() {
    for origins in ["portal.example", "https://portal.example/a?b", "https://*.example", "https://a.example,null"] {
        for setting in ["ALLOWED_CORS_ORIGINS", "PUBLIC_URL"] {
            assert_refused(open(&["serve"]).env(setting, origins), &[setting, "is no origin"]);
        }
    }
    // The server may be below a path of its host; pages of other origins are asked for by their host alone.
    let below_path = "https://portal.example/path";
    let mut command = open(&["serve"]);
    assert_refused(command.env("ALLOWED_CORS_ORIGINS", below_path), &["ALLOWED_CORS_ORIGINS", "is no origin"]);
    let mut command = open(&["serve", "--bind-addr=10.0.0.1"]);
    assert_refused(command.env("PUBLIC_URL", below_path), &["BIND_ADDR is 10.0.0.1"]);
    assert_refused(open(&["serve"]).env("ALLOWED_HOSTS", "cantata:5050"), &["ALLOWED_HOSTS", "is no name of a host"]);
    for origins in ["*", "https://portal.example/", "https://a.example, http://b.example:81"] {
        let mut command = open(&["serve", "--bind-addr=10.0.0.1"]);
        assert_refused(command.env("ALLOWED_CORS_ORIGINS", origins), &["BIND_ADDR is 10.0.0.1"]);
    }
}

#[test]
fn a_variable_that_a_flag_overrides_is_not_looked_at() {
    let mut command = open(&["serve", "--server-port=0", "--bind-addr=10.0.0.1"]);
    assert_refused(command.env("SERVER_PORT", "x"), &["BIND_ADDR is 10.0.0.1"]);
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let broken = file("log = \"info\"\nserver_port = = 1\n");
    let mut command = open(&["serve", "--config"]);
    assert_refused(command.arg(&broken.path), &["cantata.toml, line 2: "]);
    assert_refused(&mut open(&["serve", "--config", "missing.toml"]), &["missing.toml", "CANTATA_CONFIG"]);
}

#[test]
fn variables_of_song_that_mean_the_same_are_understood() {
    // A wrong value shows that it was read.
    for (variable, value, problem) in [
        ("SCHEMAS_ENFORCELATEST", "maybe", "found 'maybe', expected true or false"),
        ("SONG_ID", " ", "found ' ', expected a text that is not empty"),
    ] {
        let problem = format!("environment variable {variable}: {problem}");
        assert_refused(open(&["serve"]).env(variable, value), &[&problem]);
    }
    let mut command = open(&["serve", "--bind-addr=10.0.0.1"]);
    command.env("SCHEMAS_ENFORCELATEST", "maybe").env("SCHEMAS_ENFORCE_LATEST", "true");
    assert_refused(&mut command, &["BIND_ADDR is 10.0.0.1"]);
    let mut command = open(&["serve", "--score-url=http://127.0.0.1"]);
    assert_refused(command.env("SCORE_ACCESSTOKEN", "sesame\n"), &["SCORE_ACCESS_TOKEN"]);
}

#[test]
fn the_access_token_is_never_shown() {
    let token = "sesame-4711";
    let wrong_type = file("score_access_token = 4711");
    let unfinished = file(&format!("score_access_token = \"{token}"));
    let commands = [
        open(&["serve", "--help"]),
        open(&["serve", "--score-url=http://127.0.0.1", "--bind-addr=10.0.0.1"]),
        open(&["serve", "--score-url=http://127.0.0.1", "--score-access-token=sesame-4711\n"]),
        open(&["serve", "--config", wrong_type.path.to_str().unwrap()]),
        open(&["serve", "--config", unfinished.path.to_str().unwrap()]),
    ];
    for mut command in commands {
        let (_, stdout, stderr) = outcome(command.env("SCORE_ACCESS_TOKEN", token));
        assert!(!stdout.contains("4711") && !stderr.contains("4711"), "{stdout}{stderr}");
    }
}

#[test]
fn help_shows_every_setting() {
    for command in ["serve", "demo"] {
        let (code, help, _) = outcome(&mut cantata(&[command, "--help"]));
        assert_eq!(code, 0);
        for setting in SETTINGS {
            let flag = format!("--{}", setting.to_lowercase().replace('_', "-"));
            assert!(help.contains(&flag), "{flag} is not in:\n{help}");
            assert!(help.contains(&format!("[env: {setting}]")), "{setting} is not in:\n{help}");
        }
        for default in ["5050", "127.0.0.1", "./cantata-data", "52428800", "song.overture", "10000", "info"] {
            assert!(help.contains(&format!("[default: {default}]")), "{default} is not in:\n{help}");
        }
        assert_eq!(help.matches("[env: ").count(), SETTINGS.len() + 1, "a setting is missing in this test");
    }
}

#[test]
fn signing_in_needs_a_provider_and_an_address_to_come_back_to() {
    let needed = ["AUTH_MODE has oidc", "OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "PUBLIC_URL"];
    assert_refused(&mut cantata(&["serve", "--auth-mode=oidc"]), &needed);
    let folder = TempDir::new().unwrap();
    let roles = folder.path().join("roles.json");
    fs_err::write(&roles, r#"{"scopes": {"curators": ["a b"]}}"#).unwrap();
    let serve = |issuer: &str| {
        let mut command = cantata(&["serve", "--auth-mode=oidc", "--public-url=https://cantata.example", issuer]);
        command.env("OIDC_CLIENT_ID", "cantata").env("OIDC_CLIENT_SECRET", "sesame-4711");
        command
    };
    assert_refused(&mut serve("--oidc-issuer=nowhere"), &["OIDC_ISSUER: 'nowhere' is no address"]);
    let mut command = cantata(&["serve", "--auth-mode=oidc", "--public-url=http://cantata.example"]);
    assert_refused(&mut command, &["PUBLIC_URL: found 'http://cantata.example'", "https"]);
    let mut command = serve("--oidc-issuer=https://auth.example");
    command.arg("--role-mapping-file").arg(&roles);
    assert_refused(&mut command, &["ROLE_MAPPING_FILE", "scopes.curators: found 'a b'"]);
}
