//! Signing in with OpenID Connect: authorization code with PKCE, `state` and `nonce`.
//!
//! The provider is found by its issuer (discovery). What it says and its keys are fetched at the first sign-in, again when
//! they are old, and when the signature of a token fits no key, at most once per interval. If that fails, the last known ones
//! stay. A sign-in belongs to the browser that began it: what must match later ([`PendingSignIn`]) is kept in a cookie of it.

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cantata_core::error_chain;
use cantata_http_client::{ClientSettingsError, HttpClient, HttpError};
use data_encoding::BASE64URL_NOPAD;
use openidconnect::core::{CoreClient, CoreResponseType};
use openidconnect::{
    AsyncHttpClient, AuthenticationFlow, AuthorizationCode, ClaimsVerificationError, ClientId, ClientSecret, CsrfToken,
    EndpointMaybeSet, EndpointNotSet, EndpointSet, HttpRequest, HttpResponse, IssuerUrl, Nonce, PkceCodeChallenge,
    PkceCodeVerifier, ProviderMetadataWithLogout, RedirectUrl, RequestTokenError, Scope,
};
use reqwest::Url;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use subtle::ConstantTimeEq;
use tokio::sync::{Mutex, Semaphore};

use crate::token::{scopes_of, subject_of};
use crate::{CALL_TIMEOUT, MAX_RESPONSE_BYTES, Person, RoleMapping};

/// The maximum number of concurrent calls to the provider; others wait. Anybody can cause one.
const MAX_CONCURRENT_CALLS: usize = 32;

/// The age from which what the provider says is fetched again.
const REFRESH_AGE: Duration = Duration::from_secs(300);

/// How people sign in.
#[derive(Debug, Clone)]
pub struct SignInSettings {
    /// The issuer, an URL.
    pub issuer: String,
    /// The client id of this server.
    pub client_id: String,
    /// The client secret of this server.
    pub client_secret: String,
    /// The address of this server to which the provider sends people back.
    pub redirect_url: String,
    /// The scopes that are asked for besides `openid`.
    pub requested_scopes: Vec<String>,
    /// The claim with the scopes, a path with dots; unset, as for tokens.
    pub scope_claim: Option<String>,
    /// Which scopes groups and roles grant.
    pub roles: RoleMapping,
    /// The minimum time between two fetches because of an unknown key, or because the one before has failed.
    pub min_fetch_interval: Duration,
}

/// What must match when the provider sends a person back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingSignIn {
    state: String,
    nonce: String,
    verifier: String,
    /// The path of this server that the person wanted to see.
    pub return_to: String,
}

impl PendingSignIn {
    /// Writes it for a cookie.
    pub fn encode(&self) -> String {
        BASE64URL_NOPAD.encode(&serde_json::to_vec(self).unwrap_or_default())
    }

    /// Reads what [`encode`](Self::encode) has written; nothing if a browser sends something else.
    pub fn decode(text: &str) -> Option<Self> {
        serde_json::from_slice(&BASE64URL_NOPAD.decode(text.as_bytes()).ok()?).ok()
    }
}

/// What the provider sends back.
#[derive(Debug, Clone, Default)]
pub struct SignInAnswer {
    /// The `state`, which must be that of the pending sign-in.
    pub state: String,
    /// The code, for which the provider gives tokens once.
    pub code: String,
    /// The issuer, if the provider names it.
    pub issuer: Option<String>,
}

/// Why a sign-in failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignInError {
    /// What came back does not belong to the sign-in, or is not accepted.
    #[error("the sign-in is not accepted: {0}")]
    Rejected(String),
    /// The provider cannot be used at the moment.
    #[error("the identity provider cannot be used: {0}")]
    Unavailable(String),
}

/// Why a client of a provider cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SignInSettingsError {
    /// The issuer or the redirect address is none.
    #[error("'{0}' is no address; expected one such as https://auth.example.org/realms/main")]
    Address(String),
    /// The HTTP client cannot be made.
    #[error(transparent)]
    Client(#[from] ClientSettingsError),
}

/// Signs people in at an identity provider.
pub struct SignIn {
    settings: SignInSettings,
    issuer: IssuerUrl,
    redirect: RedirectUrl,
    http: ProviderHttp,
    /// Locked during a fetch.
    provider: Mutex<Option<FetchedMetadata>>,
}

/// What the provider says, or why it does not, and when it was asked.
type FetchedMetadata = (Result<Arc<ProviderMetadataWithLogout>, SignInError>, Instant);

/// Sends requests to the provider.
struct ProviderHttp {
    client: HttpClient,
    calls: Semaphore,
}

/// A client as discovery makes it.
type ProviderClient =
    CoreClient<EndpointSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointMaybeSet, EndpointMaybeSet>;

/// Why the provider gave no response.
#[derive(Debug, thiserror::Error)]
enum CallError {
    #[error("the address of the provider cannot be used")]
    Address,
    #[error(transparent)]
    Http(#[from] HttpError),
}

impl SignIn {
    /// Creates a client; nothing is sent yet.
    pub fn new(settings: SignInSettings) -> Result<Self, SignInSettingsError> {
        let invalid = |text: &str| SignInSettingsError::Address(text.to_owned());
        Ok(Self {
            issuer: IssuerUrl::new(settings.issuer.clone()).map_err(|_| invalid(&settings.issuer))?,
            redirect: RedirectUrl::new(settings.redirect_url.clone()).map_err(|_| invalid(&settings.redirect_url))?,
            http: ProviderHttp { client: HttpClient::new(CALL_TIMEOUT)?, calls: Semaphore::new(MAX_CONCURRENT_CALLS) },
            provider: Mutex::new(None),
            settings,
        })
    }

    /// Begins a sign-in: returns the address of the provider to which the browser goes, and what must match later.
    pub async fn begin(&self, return_to: String) -> Result<(String, PendingSignIn), SignInError> {
        let client = self.client(REFRESH_AGE).await?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let mut request = client
            .authorize_url(
                AuthenticationFlow::<CoreResponseType>::AuthorizationCode,
                CsrfToken::new_random,
                Nonce::new_random,
            )
            .set_pkce_challenge(challenge);
        for scope in &self.settings.requested_scopes {
            request = request.add_scope(Scope::new(scope.clone()));
        }
        let (url, state, nonce) = request.url();
        let pending = PendingSignIn {
            state: state.secret().to_owned(),
            nonce: nonce.secret().to_owned(),
            verifier: verifier.secret().to_owned(),
            return_to,
        };
        Ok((url.to_string(), pending))
    }

    /// Completes a sign-in: exchanges the code, and verifies the token about the person.
    pub async fn complete(&self, pending: &PendingSignIn, answer: SignInAnswer) -> Result<Person, SignInError> {
        if !bool::from(answer.state.as_bytes().ct_eq(pending.state.as_bytes())) {
            return Err(rejected("its state is that of another sign-in"));
        }
        if answer.issuer.is_some_and(|issuer| issuer != self.settings.issuer) {
            return Err(rejected("another issuer has answered"));
        }
        let client = self.client(REFRESH_AGE).await?;
        let exchange = client
            .exchange_code(AuthorizationCode::new(answer.code))
            .map_err(|error| SignInError::Unavailable(error_chain(&error)))?
            .set_pkce_verifier(PkceCodeVerifier::new(pending.verifier.clone()));
        let tokens = exchange.request_async(&self.http).await.map_err(|error| match error {
            RequestTokenError::ServerResponse(response) => rejected(format!("the code is refused: {response}")),
            RequestTokenError::Parse(..) => rejected("the tokens cannot be read"),
            other => SignInError::Unavailable(error_chain(&other)),
        })?;
        let token = tokens.extra_fields().id_token().ok_or_else(|| rejected("there is no ID token"))?;
        let nonce = Nonce::new(pending.nonce.clone());
        let mut verified = token.claims(&client.id_token_verifier(), &nonce).map(|_| ());
        if matches!(verified, Err(ClaimsVerificationError::SignatureVerification(_))) {
            // The provider may have changed its keys.
            let client = self.client(self.settings.min_fetch_interval).await?;
            verified = token.claims(&client.id_token_verifier(), &nonce).map(|_| ());
        }
        verified.map_err(|error| rejected(error_chain(&error)))?;
        // The claims as they are; the library knows the standard ones only.
        let text = serde_json::to_value(token).unwrap_or_default();
        let claims = text.as_str().and_then(payload).ok_or_else(|| rejected("the ID token cannot be read"))?;
        let mut scopes = scopes_of(&claims, self.settings.scope_claim.as_deref());
        self.settings.roles.add_scopes(&claims, &mut scopes);
        Ok(Person { subject: subject_of(&claims), scopes, claims })
    }

    /// Returns the address at which the provider ends its own session, and then sends the browser to the home
    /// page of this server.
    pub async fn end_session_url(&self) -> Option<String> {
        let provider = self.provider(REFRESH_AGE).await.ok()?;
        let mut url: Url = provider.additional_metadata().end_session_endpoint.as_ref()?.url().clone();
        let home = self.redirect.url().join("../").ok()?;
        url.query_pairs_mut()
            .append_pair("client_id", &self.settings.client_id)
            .append_pair("post_logout_redirect_uri", home.as_str());
        Some(url.to_string())
    }

    async fn client(&self, max_age: Duration) -> Result<ProviderClient, SignInError> {
        let provider = ProviderMetadataWithLogout::clone(&*self.provider(max_age).await?);
        let (id, secret) = (self.settings.client_id.clone(), self.settings.client_secret.clone());
        let client = CoreClient::from_provider_metadata(provider, ClientId::new(id), Some(ClientSecret::new(secret)));
        Ok(client.set_redirect_uri(self.redirect.clone()))
    }

    /// Returns what the provider says, no older than an age if it can be fetched.
    async fn provider(&self, max_age: Duration) -> Result<Arc<ProviderMetadataWithLogout>, SignInError> {
        let mut known = self.provider.lock().await;
        if let Some((outcome, fetched)) = &*known {
            // Those who waited for a fetch that has failed would otherwise wait for the next one, one after the other.
            let max_age = if outcome.is_ok() { max_age } else { self.settings.min_fetch_interval };
            if fetched.elapsed() < max_age {
                return outcome.clone();
            }
        }
        let fetched = ProviderMetadataWithLogout::discover_async(self.issuer.clone(), &self.http).await;
        let outcome = match (fetched, known.take()) {
            (Ok(provider), _) => Ok(Arc::new(provider)),
            (Err(error), Some((Ok(provider), _))) => {
                let error = error_chain(&error);
                tracing::warn!(error, "the identity provider cannot be asked; what it said last stays valid");
                Ok(provider)
            }
            (Err(error), _) => Err(SignInError::Unavailable(error_chain(&error))),
        };
        *known = Some((outcome.clone(), Instant::now()));
        outcome
    }
}

impl ProviderHttp {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, CallError> {
        // It is never closed.
        let _permit = self.calls.acquire().await.ok();
        let (parts, body) = request.into_parts();
        let url = Url::parse(&parts.uri.to_string()).map_err(|_| CallError::Address)?;
        let sent = self.client.send(parts.method, url, |request| request.headers(parts.headers).body(body)).await?;
        let (status, headers) = (sent.status(), sent.headers().clone());
        let mut response = HttpResponse::new(self.client.read_body(sent, MAX_RESPONSE_BYTES).await?);
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        Ok(response)
    }
}

impl<'c> AsyncHttpClient<'c> for ProviderHttp {
    type Error = CallError;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, CallError>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.send(request))
    }
}

fn rejected(reason: impl Into<String>) -> SignInError {
    SignInError::Rejected(reason.into())
}

/// Reads the claims of a token that was verified.
fn payload(token: &str) -> Option<Map<String, Value>> {
    let payload = BASE64URL_NOPAD.decode(token.split('.').nth(1)?.as_bytes()).ok()?;
    serde_json::from_slice(&payload).ok()
}
