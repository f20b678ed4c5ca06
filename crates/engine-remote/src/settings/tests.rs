use cantata_core::Secret;

use super::*;

fn settings(hosts: &[&str], credentials: ClusterCredentials) -> RemoteSettings {
    RemoteSettings {
        hosts: hosts.iter().map(|&host| host.to_owned()).collect(),
        product: None,
        credentials,
        ca_certificate: None,
        timeout: Duration::from_secs(30),
        refresh_interval: Duration::ZERO,
    }
}

fn basic(user: &str, password: &str) -> ClusterCredentials {
    ClusterCredentials::Basic { user: Secret::new(user), password: Secret::new(password) }
}

fn problem(hosts: &[&str], credentials: ClusterCredentials) -> String {
    settings(hosts, credentials).addresses().unwrap_err().to_string()
}

#[test]
fn addresses_are_read() {
    let given = [
        ("http://search:9200", "http://search:9200", false, false),
        ("https://search/", "https://search", true, false),
        ("https://proxy/some/path//", "https://proxy/some/path", true, false),
        ("search:9200", "http://search:9200", false, false),
        (" 127.0.0.1:9200 ", "http://127.0.0.1:9200", false, true),
        ("localhost", "http://localhost", false, true),
        ("[::1]:9200", "http://[::1]:9200", false, true),
        ("10.0.0.1:9200/prefix", "http://10.0.0.1:9200/prefix", false, false),
    ];
    for (text, base, is_https, is_local) in given {
        let address = NodeAddress::read(text, &ClusterCredentials::None).unwrap();
        assert_eq!(
            address,
            NodeAddress { base: base.to_owned(), is_https, is_local, credentials: ClusterCredentials::None }
        );
    }
}

#[test]
fn a_user_in_an_address_counts_where_there_are_no_other_credentials() {
    let hosts = ["http://ada:pass%40word@one:9200", "ada@two:9200", "three:9200"];
    let found = |credentials| -> Vec<_> {
        let addresses = settings(&hosts, credentials).addresses().unwrap();
        assert!(addresses.iter().all(|address| !address.base.contains("ada")));
        addresses.into_iter().map(|address| address.credentials).collect()
    };
    assert!(found(ClusterCredentials::None) == [basic("ada", "pass@word"), basic("ada", ""), ClusterCredentials::None]);
    assert!(found(basic("bob", "secret")) == vec![basic("bob", "secret"); 3]);
}

#[test]
fn problems_name_the_setting_and_what_is_expected_but_no_secret() {
    assert_eq!(
        problem(&[], ClusterCredentials::None),
        "no address of a search engine is set; expected one in ES_HOST or esHost"
    );
    assert_eq!(
        problem(&["ok:9200", "ftp://files"], ClusterCredentials::None),
        "the address `ftp://files` of the search engine (ES_HOST, esHost) cannot be used: its scheme is neither http \
         nor https; expected one like https://search-1:9200"
    );
    let hostile = [
        "",
        "http://",
        "http://ada:se#cret@host",
        "http://ada:secret@",
        "http://ada:secret@host:port",
        "ada:se/cret@host:1234567",
        "ada:secret@host://x",
        "ftp://ada:secret@host",
        "http://host?token=secret",
        "http://host#secret",
        "ada:s@ecret@@host:x",
    ];
    for host in hostile {
        let text = problem(&[host], ClusterCredentials::None);
        assert!(text.starts_with("the address `") && text.contains("expected one like"), "{text}");
        assert!(!text.contains("cret"), "{text}");
    }
}

#[test]
fn credentials_that_cannot_be_sent_are_refused() {
    let hosts = ["search:9200"];
    for credentials in [
        basic("a:da", "secret"),
        ClusterCredentials::ApiKey(Secret::new("")),
        ClusterCredentials::ApiKey(Secret::new("id:secret")),
        ClusterCredentials::ApiKey(Secret::new("sec\nret")),
    ] {
        let text = problem(&hosts, credentials);
        assert!(text.contains("expected") && !text.contains("sec"), "{text}");
    }
}

#[test]
fn a_timeout_that_makes_no_sense_is_refused() {
    for timeout in [Duration::ZERO, Duration::MAX] {
        let settings = RemoteSettings { timeout, ..settings(&["search:9200"], ClusterCredentials::None) };
        assert!(settings.check_timeout().unwrap_err().to_string().contains("ES_TIMEOUT"));
    }
}

#[test]
fn certificate_files_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let read = |text: &[u8]| {
        let path = folder.path().join("ca.pem");
        std::fs::write(&path, text).unwrap();
        let settings =
            RemoteSettings { ca_certificate: Some(path), ..settings(&["https://search"], ClusterCredentials::None) };
        settings.certificates().map(|certificates| certificates.len()).map_err(|error| error.to_string())
    };
    let certificate = rcgen::generate_simple_self_signed(["search".to_owned()]).unwrap().cert.pem();
    assert_eq!(read(certificate.as_bytes()), Ok(1));
    assert_eq!(read(format!("{certificate}{certificate}").as_bytes()), Ok(2));
    assert!(read(b"no certificate").unwrap_err().contains("has no certificate; expected a PEM file"));
    assert!(read(b"-----BEGIN CERTIFICATE-----\n%%%\n-----END CERTIFICATE-----\n").unwrap_err().contains("is not PEM"));
    let missing =
        RemoteSettings { ca_certificate: Some("/no/such/file".into()), ..settings(&["x"], ClusterCredentials::None) };
    assert!(missing.certificates().unwrap_err().to_string().contains("`/no/such/file`"));
}

#[test]
fn debug_shows_no_secrets() {
    for credentials in [basic("ada", "secret"), ClusterCredentials::ApiKey(Secret::new("secret"))] {
        let text = format!("{:?}", settings(&["http://eve:secret@search:9200", "b"], credentials));
        assert!(!text.contains("secret") && !text.contains("eve"), "{text}");
        assert!(text.contains("http://…@search:9200"), "{text}");
    }
}
