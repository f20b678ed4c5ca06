//! Encrypted connections: who is trusted.

use std::sync::Arc;

use rustls::ClientConfig;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls_platform_verifier::Verifier;
use tokio_rustls::TlsConnector;

use crate::error::{OutboxError, Result};
use crate::settings::KafkaSettings;

/// Returns what makes encrypted connections, or nothing if they are not to be encrypted.
pub(crate) fn connector(settings: &KafkaSettings) -> Result<Option<TlsConnector>> {
    if !settings.uses_tls {
        return Ok(None);
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let unusable = |cause: rustls::Error| OutboxError::Setting(format!("TLS cannot be used: {cause}"));
    let verifier = Verifier::new_with_extra_roots(certificates(settings)?, Arc::clone(&provider)).map_err(unusable)?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(unusable)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(Some(TlsConnector::from(Arc::new(config))))
}

fn certificates(settings: &KafkaSettings) -> Result<Vec<CertificateDer<'static>>> {
    let Some(path) = &settings.ca_certificate else { return Ok(Vec::new()) };
    let unusable = |cause: &dyn std::fmt::Display| {
        OutboxError::Setting(format!("the file {} has no certificate that can be used: {cause}", path.display()))
    };
    let found: Vec<_> = CertificateDer::pem_file_iter(path)
        .and_then(|certificates| certificates.collect::<std::result::Result<_, _>>())
        .map_err(|cause| unusable(&cause))?;
    if found.is_empty() { Err(unusable(&"it is empty")) } else { Ok(found) }
}
