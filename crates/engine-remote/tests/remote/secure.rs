//! TLS with certificates of an authority that only the settings know.

use std::path::PathBuf;
use std::sync::Arc;

use cantata_engine::{EngineError, IndexReader as _};
use cantata_engine_remote::{RemoteEngine, RemoteSettings};
use cantata_testkit::engines;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::bed::{TestIndex, settings};

/// An authority, with its certificate in a file.
struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: TempDir,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("ca.pem"), issuer.pem()).unwrap();
        Self { issuer, folder }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    /// Puts TLS in front of a node, under a name, and returns the port.
    async fn secure(&self, node: &str, name: &str) -> u16 {
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(vec![name.to_owned()]).unwrap().signed_by(&key, &self.issuer).unwrap();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let _ = rustls::crypto::ring::default_provider().install_default();
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let node = node.strip_prefix("http://").unwrap().to_owned();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, node) = (acceptor.clone(), node.clone());
                tokio::spawn(async move {
                    // A client that does not trust the certificate ends the handshake.
                    let Ok(mut client) = acceptor.accept(stream).await else { return };
                    let mut server = TcpStream::connect(node).await.unwrap();
                    let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
                });
            }
        });
        port
    }
}

fn engine(host: String, ca_certificate: Option<PathBuf>) -> RemoteEngine {
    RemoteEngine::new(RemoteSettings { ca_certificate, ..settings([host]) }).unwrap()
}

#[tokio::test]
async fn only_certificates_of_a_known_authority_are_trusted() {
    let node = engines::opensearch();
    let index = TestIndex::on(&node, "tls").await;
    let (authority, other) = (Authority::new(), Authority::new());
    let port = authority.secure(&node, "localhost").await;
    let host = format!("https://localhost:{port}");
    engine(host.clone(), Some(authority.file())).mapping(&index.name).await.unwrap();

    let stranger = engine(host.clone(), Some(other.file())).mapping(&index.name).await;
    assert_eq!(stranger.unwrap_err(), EngineError::Unreachable);
    let wrong_name = engine(format!("https://127.0.0.1:{port}"), Some(authority.file())).mapping(&index.name).await;
    assert_eq!(wrong_name.unwrap_err(), EngineError::Unreachable);
    let without_tls = engine(format!("http://localhost:{port}"), None).mapping(&index.name).await;
    assert!(without_tls.is_err());
    index.remove().await;
}

#[tokio::test]
async fn a_certificate_that_is_none_is_a_problem_of_the_settings() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").unwrap();
    let settings = RemoteSettings { ca_certificate: Some(file), ..settings(["https://localhost:9200".to_owned()]) };
    let problem = RemoteEngine::new(settings).map(|_| ()).unwrap_err().to_string();
    assert!(problem.contains("ES_CA_CERTIFICATE"), "{problem}");
}
