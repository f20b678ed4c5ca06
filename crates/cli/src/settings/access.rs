//! Authentication and authorization.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use cantata_access::{
    IntrospectionClient, IntrospectionSettings, RoleMapping, ScopeError, ScopeRules, SessionTimes, SignIn,
    SignInSettings, TokenRules, TokenVerifier,
};
use cantata_core::Secret;
use cantata_server::{Networks, Origins};
use clap::Args;

use super::reads::ReadSettings;
use super::values::{networks, secret, some_text, switch, whole_number};
use crate::error::CliError;

/// An authentication method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AuthMode {
    /// An API key of this server.
    ApiKey,
    /// A signed token.
    Jwt,
    /// A key that an introspection endpoint confirms.
    Introspection,
    /// The session of a person who has signed in at an identity provider.
    Oidc,
}

/// The enabled methods; without any, authentication is disabled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AuthModes(Vec<AuthMode>);

impl AuthModes {
    /// Returns whether a method is enabled.
    pub(crate) fn has(&self, mode: AuthMode) -> bool {
        self.0.contains(&mode)
    }
}

/// Parses a list of methods.
fn auth_modes(text: &str) -> Result<AuthModes, &'static str> {
    let expected = "expected `none`, or a list of api-key, jwt, introspection and oidc, separated by commas";
    if text.trim() == "none" {
        return Ok(AuthModes(Vec::new()));
    }
    let mode = |name: &str| match name.trim() {
        "api-key" => Ok(AuthMode::ApiKey),
        "jwt" => Ok(AuthMode::Jwt),
        "introspection" => Ok(AuthMode::Introspection),
        "oidc" => Ok(AuthMode::Oidc),
        _ => Err(expected),
    };
    text.split(',').map(mode).collect::<Result<_, _>>().map(AuthModes)
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Access")]
pub(crate) struct AccessSettings {
    /// The authentication methods: `none`, or a list of `api-key`, `jwt`, `introspection` and `oidc`, separated by commas;
    /// unset, `none` if the server listens on a loopback address, else `api-key`
    #[arg(long, value_name = "MODES", value_parser = auth_modes)]
    pub(crate) auth_mode: Option<AuthModes>,
    /// Allows a server without authentication on an address that other machines can reach
    #[arg(long, value_name = "BOOL", default_value = "false", value_parser = switch, action = clap::ArgAction::Set,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) insecure: bool,
    #[command(flatten)]
    pub(crate) reads: ReadSettings,
    /// The addresses or networks of storage servers, separated by commas, which may read /entities and analyses without a
    /// credential, as SCORE does
    #[arg(long, value_name = "NETWORKS", value_parser = networks)]
    pub(crate) storage_servers: Option<Networks>,
    /// Whether a change that cannot be written to the audit log is refused
    #[arg(long, value_name = "BOOL", default_value = "false", value_parser = switch, action = clap::ArgAction::Set,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) audit_required: bool,
    /// The prefix of the scope that allows to change a study
    #[arg(long, value_name = "TEXT", default_value = "STUDY.")]
    pub(crate) auth_server_scope_study_prefix: String,
    /// The suffix of the scope that allows to change a study
    #[arg(long, value_name = "TEXT", default_value = ".WRITE")]
    pub(crate) auth_server_scope_study_suffix: String,
    /// The scope that allows everything
    #[arg(long, value_name = "SCOPE", default_value = "song.WRITE")]
    pub(crate) auth_server_scope_system: String,
    /// The file with the public key of tokens, in PEM format: RSA, P-256 or Ed25519
    #[arg(long, value_name = "FILE")]
    pub(crate) jwt_public_key_file: Option<PathBuf>,
    /// The URL of the public keys of tokens (JWKS), instead of a file
    #[arg(long, value_name = "URL")]
    pub(crate) jwt_jwks_url: Option<String>,
    /// The required issuer of a token (`iss`); unset, any
    #[arg(long, value_name = "NAME", value_parser = some_text)]
    pub(crate) jwt_issuer: Option<String>,
    /// The required audience of a token (`aud`); unset, any
    #[arg(long, value_name = "NAME", value_parser = some_text)]
    pub(crate) jwt_audience: Option<String>,
    /// The claim with the scopes of a token, as a dotted path; unset, `scope`, `context.scope` and
    /// `authorization.permissions`
    #[arg(long, value_name = "PATH", value_parser = some_text)]
    pub(crate) jwt_scope_claim: Option<String>,
    /// The tolerated clock skew of the token issuer, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = whole_number(0, 3600_u64))]
    pub(crate) jwt_clock_skew_seconds: u64,
    /// The URL of the introspection endpoint for keys that are UUIDs
    #[arg(long, value_name = "URL")]
    pub(crate) auth_server_introspectionuri: Option<String>,
    /// The form field that carries the key to that endpoint
    #[arg(long, value_name = "NAME", default_value = "apiKey", value_parser = some_text)]
    pub(crate) auth_server_tokenname: String,
    /// The client id of this server at that endpoint
    #[arg(long, value_name = "NAME")]
    pub(crate) auth_server_clientid: Option<String>,
    /// The client secret of this server at that endpoint; other users of the machine can read flags, so prefer the variable
    #[arg(long, value_name = "PASSWORD", value_parser = secret)]
    pub(crate) auth_server_clientsecret: Option<Secret>,
    /// How long a positive response of that endpoint is cached, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = whole_number(0, 3600_u64))]
    pub(crate) auth_server_cache_seconds: u64,
    /// The issuer of the identity provider at which people sign in (OpenID Connect), such as
    /// `https://auth.example/realms/main`
    #[arg(long, value_name = "URL", value_parser = some_text)]
    pub(crate) oidc_issuer: Option<String>,
    /// The client id of this server at the identity provider
    #[arg(long, value_name = "NAME", value_parser = some_text)]
    pub(crate) oidc_client_id: Option<String>,
    /// The client secret of this server at the identity provider, the same for all servers of a database; other users of the
    /// machine can read flags, so prefer the variable
    #[arg(long, value_name = "PASSWORD", value_parser = secret)]
    pub(crate) oidc_client_secret: Option<Secret>,
    /// What the identity provider is asked for besides `openid`, separated by spaces
    #[arg(long, value_name = "SCOPES", default_value = "profile email")]
    pub(crate) oidc_scopes: String,
    /// A JSON file with the scopes that groups and roles in tokens grant
    #[arg(long, value_name = "FILE")]
    pub(crate) role_mapping_file: Option<PathBuf>,
    /// After how many minutes without a request a session ends
    #[arg(long, value_name = "MINUTES", default_value_t = 60, value_parser = whole_number(1, 43_200_u64))]
    pub(crate) session_idle_minutes: u64,
    /// After how many hours a session ends in any case
    #[arg(long, value_name = "HOURS", default_value_t = 12, value_parser = whole_number(1, 720_u64))]
    pub(crate) session_max_hours: u64,
    /// For how many days after their last sign-in the keys that people made for themselves count
    #[arg(long, value_name = "DAYS", default_value_t = 30, value_parser = whole_number(1, 3_650_u64))]
    pub(crate) own_key_days: u64,
}

impl AccessSettings {
    /// Returns the methods of a server that listens on an address.
    pub(crate) fn modes(&self, bind_addr: IpAddr) -> AuthModes {
        match &self.auth_mode {
            Some(modes) => modes.clone(),
            None if bind_addr.to_canonical().is_loopback() || self.insecure => AuthModes(Vec::new()),
            None => AuthModes(vec![AuthMode::ApiKey]),
        }
    }

    /// Returns whether reading needs a credential on a server that listens on an address.
    pub(crate) fn closed_reads(&self, bind_addr: IpAddr) -> bool {
        self.reads.require_auth_for_reads.unwrap_or_else(|| !self.modes(bind_addr).0.is_empty())
    }

    /// Rejects settings that would grant access by accident, or to nobody.
    pub(super) fn check(&self, bind_addr: IpAddr, public_url: Option<&Origins>) -> Result<(), CliError> {
        let modes = self.modes(bind_addr);
        let is_open = modes.0.is_empty();
        if is_open && !bind_addr.to_canonical().is_loopback() && !self.insecure {
            return Err(CliError::setting(format!(
                "BIND_ADDR is {bind_addr}, which other machines can reach, and AUTH_MODE is none, so they could read and \
                 change everything; set BIND_ADDR to 127.0.0.1 or AUTH_MODE to api-key, or add --insecure to allow \
                 this"
            )));
        }
        if is_open && self.reads.require_auth_for_reads == Some(true) {
            let problem = "REQUIRE_AUTH_FOR_READS is true, but AUTH_MODE is none, so nobody could read; set AUTH_MODE";
            return Err(CliError::setting(problem));
        }
        self.scopes()?;
        self.tokens(&modes)?;
        self.introspection(&modes)?;
        self.sign_in(&modes, public_url).map(|_| ())
    }

    /// Returns the names of scopes.
    pub(crate) fn scopes(&self) -> Result<ScopeRules, CliError> {
        let (prefix, suffix) = (&self.auth_server_scope_study_prefix, &self.auth_server_scope_study_suffix);
        ScopeRules::new(prefix, suffix, &self.auth_server_scope_system).map_err(|error| {
            let (setting, found) = match error {
                ScopeError::Prefix => ("AUTH_SERVER_SCOPE_STUDY_PREFIX", prefix),
                ScopeError::Suffix => ("AUTH_SERVER_SCOPE_STUDY_SUFFIX", suffix),
                ScopeError::System => ("AUTH_SERVER_SCOPE_SYSTEM", &self.auth_server_scope_system),
            };
            CliError::setting(format!("{setting}: found '{found}', {error}"))
        })
    }

    /// Returns the verifier of tokens, if they are enabled.
    pub(crate) fn tokens(&self, modes: &AuthModes) -> Result<Option<TokenVerifier>, CliError> {
        if !modes.has(AuthMode::Jwt) {
            return Ok(None);
        }
        let rules = TokenRules {
            issuer: self.jwt_issuer.clone(),
            audience: self.jwt_audience.clone(),
            clock_skew: Duration::from_secs(self.jwt_clock_skew_seconds),
            scope_claim: self.jwt_scope_claim.clone(),
            roles: self.roles()?,
            ..TokenRules::default()
        };
        match (&self.jwt_public_key_file, &self.jwt_jwks_url) {
            (Some(file), None) => {
                let invalid = |reason: String| CliError::setting(format!("JWT_PUBLIC_KEY_FILE: {reason}"));
                let pem = fs_err::read(file).map_err(|error| invalid(error.to_string()))?;
                let verifier = TokenVerifier::with_public_key(&pem, rules);
                verifier.map(Some).map_err(|error| invalid(format!("{}: {error}", file.display())))
            }
            (None, Some(url)) => TokenVerifier::with_published_keys(url, rules)
                .map(Some)
                .map_err(|error| CliError::setting(format!("JWT_JWKS_URL: {error}"))),
            _ => {
                let problem = "AUTH_MODE has jwt; set JWT_PUBLIC_KEY_FILE or JWT_JWKS_URL, one of the two";
                Err(CliError::setting(problem))
            }
        }
    }

    /// Returns which scopes groups and roles grant.
    fn roles(&self) -> Result<RoleMapping, CliError> {
        let Some(file) = &self.role_mapping_file else { return Ok(RoleMapping::default()) };
        let invalid = |reason: String| CliError::setting(format!("ROLE_MAPPING_FILE: {reason}"));
        let text = fs_err::read(file).map_err(|error| invalid(error.to_string()))?;
        RoleMapping::parse(&text).map_err(|error| invalid(format!("{}: {error}", file.display())))
    }

    /// Returns how long the access of a person counts after a sign-in.
    pub(crate) fn owner_access(&self) -> Duration {
        Duration::from_secs(self.own_key_days * 24 * 3600)
    }

    /// Returns how long sessions last.
    pub(crate) fn session_times(&self) -> SessionTimes {
        SessionTimes {
            idle: Duration::from_secs(self.session_idle_minutes * 60),
            max_age: Duration::from_secs(self.session_max_hours * 3600),
        }
    }

    /// Returns where people sign in, if they can, and the secret that the servers share.
    pub(crate) fn sign_in(
        &self,
        modes: &AuthModes,
        public_url: Option<&Origins>,
    ) -> Result<Option<(SignIn, &Secret)>, CliError> {
        if !modes.has(AuthMode::Oidc) {
            return Ok(None);
        }
        if let Some(insecure) = public_url.and_then(Origins::insecure_first) {
            return Err(CliError::setting(format!(
                "PUBLIC_URL: found '{insecure}', expected an address with https, because AUTH_MODE has oidc: browsers \
                 keep the cookies of people who sign in for https and for localhost only"
            )));
        }
        let given = (&self.oidc_issuer, &self.oidc_client_id, &self.oidc_client_secret);
        let ((Some(issuer), Some(client_id), Some(client_secret)), Some(public_url)) =
            (given, public_url.and_then(Origins::first_address))
        else {
            return Err(CliError::setting(
                "AUTH_MODE has oidc; set OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, and PUBLIC_URL, to which people \
                 come back",
            ));
        };
        let sign_in = SignIn::new(SignInSettings {
            issuer: issuer.clone(),
            client_id: client_id.clone(),
            client_secret: client_secret.reveal().to_owned(),
            redirect_url: format!("{public_url}/auth/callback"),
            requested_scopes: self.oidc_scopes.split_whitespace().map(str::to_owned).collect(),
            scope_claim: self.jwt_scope_claim.clone(),
            roles: self.roles()?,
            min_fetch_interval: TokenRules::default().min_fetch_interval,
        });
        let sign_in = sign_in.map_err(|error| CliError::setting(format!("OIDC_ISSUER: {error}")))?;
        Ok(Some((sign_in, client_secret)))
    }

    /// Returns the client of the introspection endpoint, if it is enabled.
    pub(crate) fn introspection(&self, modes: &AuthModes) -> Result<Option<IntrospectionClient>, CliError> {
        if !modes.has(AuthMode::Introspection) {
            return Ok(None);
        }
        let given = (&self.auth_server_introspectionuri, &self.auth_server_clientid, &self.auth_server_clientsecret);
        let (Some(url), Some(client_id), Some(client_secret)) = given else {
            return Err(CliError::setting(
                "AUTH_MODE has introspection; set AUTH_SERVER_INTROSPECTIONURI, AUTH_SERVER_CLIENTID and \
                 AUTH_SERVER_CLIENTSECRET",
            ));
        };
        let introspection = IntrospectionClient::new(IntrospectionSettings {
            url: url.clone(),
            token_name: self.auth_server_tokenname.clone(),
            client_id: client_id.clone(),
            client_secret: client_secret.reveal().to_owned(),
            cache_ttl: Duration::from_secs(self.auth_server_cache_seconds),
        });
        introspection.map(Some).map_err(|error| CliError::setting(format!("AUTH_SERVER_INTROSPECTIONURI: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_modes_is_read_and_none_stands_alone() {
        let read = |text: &str| auth_modes(text).map(|modes| modes.0);
        assert_eq!(read("none"), Ok(vec![]));
        assert_eq!(read("api-key, jwt"), Ok(vec![AuthMode::ApiKey, AuthMode::Jwt]));
        assert_eq!(read("introspection,oidc"), Ok(vec![AuthMode::Introspection, AuthMode::Oidc]));
        for wrong in ["", "none,jwt", "jwt,", "basic", "NONE"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
