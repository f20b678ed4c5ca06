//! TLS: asked for, connections are encrypted and only to a server whose certificate counts.

use std::os::unix::fs::{MetadataExt, chown};
use std::path::Path;

use cantata_store::{Store, StoreError};
use cantata_store_postgres::{DatabaseUrl, PostgresStore};
use cantata_testkit::databases::DedicatedPostgres;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(vec![]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// Makes a server speak TLS only, with a certificate for a name.
fn certify(server: &DedicatedPostgres, authority: &CertifiedIssuer<'_, KeyPair>, name: &str) {
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec![name.to_owned()]).unwrap().signed_by(&key, authority).unwrap();
    let folder = server.data_folder();
    write(&folder.join("server.key"), &key.serialize_pem());
    write(&folder.join("server.crt"), &certificate.pem());
    write(&folder.join("pg_hba.conf"), "hostssl all all 127.0.0.1/32 scram-sha-256\n");
    write(&folder.join("postgresql.auto.conf"), "ssl = on\n");
    server.crash();
    server.restart();
}

/// Writes a file that only the user of the server can read.
fn write(path: &Path, content: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, content).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
    let folder = std::fs::metadata(path.parent().unwrap()).unwrap();
    chown(path, Some(folder.uid()), Some(folder.gid())).unwrap();
}

async fn connect(server: &DedicatedPostgres, options: &str) -> Result<PostgresStore, StoreError> {
    PostgresStore::open(&DatabaseUrl::parse(&format!("{}?{options}", server.address())).unwrap(), 4).await
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_server_with_a_certificate_that_counts_is_used() {
    let (ours, other) = (authority(), authority());
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, authority: &CertifiedIssuer<'_, KeyPair>| {
        let path = folder.path().join(name);
        std::fs::write(&path, authority.pem()).unwrap();
        format!("sslmode=require&sslrootcert={}", path.display())
    };
    let (trusting_ours, trusting_other) = (file("ours.pem", &ours), file("other.pem", &other));

    let server = DedicatedPostgres::start();
    let plain = connect(&server, &trusting_ours).await;
    assert!(matches!(plain, Err(StoreError::Unavailable(_))), "a server without TLS was used");

    certify(&server, &ours, "127.0.0.1");
    connect(&server, &trusting_ours).await.unwrap().check_health().await.unwrap();
    for options in [&*trusting_other, "sslmode=require", "sslmode=disable"] {
        let refused = connect(&server, options).await;
        assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{options}");
    }

    certify(&server, &ours, "db.example.org");
    let refused = connect(&server, &trusting_ours).await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "the certificate of another host was taken");

    let missing = connect(&server, "sslmode=require&sslrootcert=/nowhere.pem").await;
    assert!(matches!(missing, Err(StoreError::Failed { .. })));
}
