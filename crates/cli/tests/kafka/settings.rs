//! Settings that cannot be used stop the start, before anything is touched.

use std::process::Command;

/// Returns what `cantata serve` says to settings it refuses.
fn refused(variables: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_cantata"))
        .args(["serve", "--server-port=0", "--data-dir"])
        .arg(folder.path().join("data"))
        .env_clear()
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn each_mistake_is_named() {
    let brokers = ("KAFKA_BOOTSTRAP_SERVERS", "127.0.0.1:9");
    let sasl = ("KAFKA_SECURITY_PROTOCOL", "SASL_SSL");
    let user = ("KAFKA_SASL_USERNAME", "someone");
    let cases: [(&[(&str, &str)], &str); 6] = [
        (&[("KAFKA_BOOTSTRAP_SERVERS", "kafka-1:9092,kafka-2")], "KAFKA_BOOTSTRAP_SERVERS: found 'kafka-2'"),
        (&[brokers, ("KAFKA_SECURITY_PROTOCOL", "TLS")], "KAFKA_SECURITY_PROTOCOL"),
        (&[brokers, sasl, user], "set both KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD"),
        (&[brokers, user], "set KAFKA_SECURITY_PROTOCOL to SASL_SSL"),
        (&[brokers, ("KAFKA_PARTITIONS", "0")], "KAFKA_PARTITIONS"),
        (
            &[brokers, ("KAFKA_SECURITY_PROTOCOL", "SSL"), ("KAFKA_CA_CERTIFICATE", "/nowhere.pem")],
            "/nowhere.pem has no certificate",
        ),
    ];
    for (variables, expected) in cases {
        let said = refused(variables);
        assert!(said.contains(expected), "{variables:?}: {said}");
    }
}

#[test]
fn a_password_is_never_shown() {
    let said = refused(&[
        ("KAFKA_BOOTSTRAP_SERVERS", "127.0.0.1:9"),
        ("KAFKA_SASL_PASSWORD", "hidden-word"),
        ("KAFKA_SASL_USERNAME", "hidden-name"),
    ]);
    assert!(!said.contains("hidden"), "{said}");
}
