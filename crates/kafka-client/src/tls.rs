//! TLS connections and the certificates they trust.

use std::sync::Arc;

use rustls::ClientConfig;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls_platform_verifier::Verifier;
use tokio_rustls::TlsConnector;

use crate::error::KafkaSettingsError;
use crate::settings::KafkaSettings;

/// Returns the connector for TLS, or nothing if the settings are without.
pub(crate) fn connector(settings: &KafkaSettings) -> Result<Option<TlsConnector>, KafkaSettingsError> {
    if !settings.uses_tls {
        return Ok(None);
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = Verifier::new_with_extra_roots(certificates(settings)?, Arc::clone(&provider))?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(Some(TlsConnector::from(Arc::new(config))))
}

fn certificates(settings: &KafkaSettings) -> Result<Vec<CertificateDer<'static>>, KafkaSettingsError> {
    let Some(path) = &settings.ca_certificate else { return Ok(Vec::new()) };
    let unusable = |cause: &dyn ToString| KafkaSettingsError::Certificates(path.clone(), cause.to_string());
    let found: Vec<_> = CertificateDer::pem_file_iter(path)
        .and_then(|certificates| certificates.collect::<Result<_, _>>())
        .map_err(|cause| unusable(&cause))?;
    if found.is_empty() { Err(unusable(&"it is empty")) } else { Ok(found) }
}
