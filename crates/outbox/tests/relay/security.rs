//! Brokers that ask who comes, and encrypted connections.

use cantata_kafka_client::{Credentials, KafkaSettings, SaslMechanism};
use cantata_outbox::RelayActivity;
use cantata_testkit::kafka::{self, DedicatedBroker, free_port};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

use crate::support::{TestStore, assert_complete, settings, until};

const USER: &str = "cantata";
const PASSWORD: &str = "a long password";

fn as_user(mechanism: SaslMechanism, password: &str) -> Option<Credentials> {
    Some(Credentials { mechanism, user: USER.to_owned(), password: password.to_owned() })
}

/// Sends a few events with these settings, and looks at them through a listener that asks nothing.
async fn assert_sends(broker: &DedicatedBroker, settings: &KafkaSettings) {
    let store = TestStore::new().await;
    store.make_history(3, 2).await;
    let relay = store.relay(settings);
    store.until_sent(&relay).await;
    relay.stop().await;
    assert_complete(&*store.store, &broker.address(), &settings.topic).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_way_to_show_a_password_works_and_a_wrong_one_does_not() {
    let port = free_port();
    let jaas = "org.apache.kafka.common.security";
    let broker = DedicatedBroker::start(&format!(
        "listeners={{listeners}},INSIDE://127.0.0.1:{port}
         listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,INSIDE:SASL_PLAINTEXT
         sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512
         scram.256=SCRAM-SHA-256=[name={USER},password=\"{PASSWORD}\"]
         scram.512=SCRAM-SHA-512=[name={USER},password=\"{PASSWORD}\"]
         listener.name.inside.plain.sasl.jaas.config={jaas}.plain.PlainLoginModule required user_{USER}=\"{PASSWORD}\";
         listener.name.inside.scram-sha-256.sasl.jaas.config={jaas}.scram.ScramLoginModule required;
         listener.name.inside.scram-sha-512.sasl.jaas.config={jaas}.scram.ScramLoginModule required;
        "
    ));
    let inside = format!("127.0.0.1:{port}");
    for mechanism in [SaslMechanism::Plain, SaslMechanism::ScramSha256, SaslMechanism::ScramSha512] {
        let plain = settings(&inside, &kafka::unique_topic(), 1);
        assert_sends(&broker, &KafkaSettings { credentials: as_user(mechanism, PASSWORD), ..plain.clone() }).await;

        let store = TestStore::new().await;
        let relay = store.relay(&KafkaSettings { credentials: as_user(mechanism, "another"), ..plain });
        let refused = RelayActivity::Failing("a broker refused a request");
        until(&relay, "the password to be refused", |state| state.activity == refused).await;
        relay.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mechanism_that_the_broker_does_not_have_is_told() {
    let port = free_port();
    let broker = DedicatedBroker::start(&format!(
        "listeners={{listeners}},INSIDE://127.0.0.1:{port}
         listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,INSIDE:SASL_PLAINTEXT
         sasl.enabled.mechanisms=SCRAM-SHA-256
         listener.name.inside.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule \
         required;
        "
    ));
    let store = TestStore::new().await;
    let credentials = as_user(SaslMechanism::Plain, PASSWORD);
    let inside = settings(&format!("127.0.0.1:{port}"), &kafka::unique_topic(), 1);
    let relay = store.relay(&KafkaSettings { credentials, ..inside });
    let strangers = RelayActivity::Failing("the brokers and this server do not know each other");
    until(&relay, "the mechanism to be refused", |state| state.activity == strangers).await;
    relay.stop().await;
    drop(broker);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_is_trusted_only_if_its_authority_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let names = vec!["127.0.0.1".to_owned(), "localhost".to_owned()];
    let certificate = CertificateParams::new(names).unwrap().signed_by(&key, &authority).unwrap();
    let store_file = folder.path().join("broker.pem");
    std::fs::write(&store_file, format!("{}{}", key.serialize_pem(), certificate.pem())).unwrap();
    let ca_certificate = folder.path().join("ca.pem");
    std::fs::write(&ca_certificate, authority.pem()).unwrap();

    let port = free_port();
    let broker = DedicatedBroker::start(&format!(
        "listeners={{listeners}},OUTSIDE://127.0.0.1:{port}
         listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,OUTSIDE:SSL
         listener.name.outside.ssl.keystore.type=PEM
         listener.name.outside.ssl.keystore.location={}
        ",
        store_file.display()
    ));
    let encrypted = KafkaSettings {
        uses_tls: true,
        ca_certificate: Some(ca_certificate),
        ..settings(&format!("127.0.0.1:{port}"), &kafka::unique_topic(), 1)
    };
    assert_sends(&broker, &encrypted).await;

    let store = TestStore::new().await;
    for untrusted in [KafkaSettings { ca_certificate: None, ..encrypted.clone() }] {
        let relay = store.relay(&untrusted);
        let unreachable = RelayActivity::Failing("the brokers cannot be reached");
        until(&relay, "the certificate to be refused", |state| state.activity == unreachable).await;
        relay.stop().await;
    }
}
