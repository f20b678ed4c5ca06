//! Parses the URL of a database, `postgres://…`, and its TLS options.
//!
//! The password is part of the URL, so nothing here ever shows the text that was given, not even the part of it that
//! could not be parsed.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// After how long without TCP acknowledgements a connection counts as lost.
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(30);

/// The URL of a database.
#[derive(Debug, Clone)]
pub struct DatabaseUrl {
    pub(crate) config: Config,
    pub(crate) tls: TlsMode,
}

/// Whether connections are encrypted, and whose certificates count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TlsMode {
    /// Not encrypted.
    Disabled,
    /// Encrypted, with the certificate authorities that the machine trusts.
    SystemRoots,
    /// Encrypted, with the certificate authorities in this PEM file.
    CustomRoots(PathBuf),
}

/// Why a URL cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DatabaseUrlError {
    /// Its scheme is another one.
    #[error("expected an address that begins with postgres://")]
    WrongScheme,
    /// It cannot be parsed.
    #[error(
        "expected an address such as postgres://user:password@host:5432/database; write signs like : / ? # @ % in a \
         password as %3A %2F %3F %23 %40 %25"
    )]
    Malformed,
    /// It names no server.
    #[error("the address names no host")]
    NoHost,
    /// It asks for a way to use TLS that is not offered.
    #[error(
        "sslmode can be disable (not encrypted) or require (encrypted, the certificate and its host name are checked)"
    )]
    SslMode,
    /// It has a certificate authority without TLS.
    #[error("sslrootcert only counts together with sslmode=require")]
    UnusedRoots,
}

impl DatabaseUrl {
    /// Parses a URL.
    pub fn parse(address: &str) -> Result<Self, DatabaseUrlError> {
        if !(address.starts_with("postgres://") || address.starts_with("postgresql://")) {
            return Err(DatabaseUrlError::WrongScheme);
        }
        let (location, options) = address.split_once('?').unwrap_or((address, ""));
        let (mut mode, mut roots, mut others) = (None, None, Vec::new());
        for option in options.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("sslmode", value)) => mode = Some(value),
                Some(("sslrootcert", value)) => roots = Some(decoded(value)?),
                _ => others.push(option),
            }
        }
        let tls = match (mode, roots) {
            (None | Some("disable"), None) => TlsMode::Disabled,
            (None | Some("disable"), Some(_)) => return Err(DatabaseUrlError::UnusedRoots),
            (Some("require" | "verify-full"), None) => TlsMode::SystemRoots,
            (Some("require" | "verify-full"), Some(file)) => TlsMode::CustomRoots(PathBuf::from(file)),
            (Some(_), _) => return Err(DatabaseUrlError::SslMode),
        };
        let others = others.join("&");
        let mut config: Config = format!("{location}?{others}").parse().map_err(|_| DatabaseUrlError::Malformed)?;
        if config.get_hosts().is_empty() {
            return Err(DatabaseUrlError::NoHost);
        }
        config.ssl_mode(if tls == TlsMode::Disabled { SslMode::Disable } else { SslMode::Require });
        if config.get_application_name().is_none() {
            config.application_name("cantata");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        config.tcp_user_timeout(TCP_USER_TIMEOUT);
        config.keepalives_idle(TCP_USER_TIMEOUT / 2).keepalives_interval(TCP_USER_TIMEOUT / 6).keepalives_retries(3);
        Ok(Self { config, tls })
    }
}

/// Shows the server and the database, never who uses them.
impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ports = self.config.get_ports();
        for (number, host) in self.config.get_hosts().iter().enumerate() {
            let separator = if number == 0 { "" } else { "," };
            let port = ports.get(number).or(ports.first()).copied().unwrap_or(5432);
            match host {
                Host::Tcp(name) => write!(f, "{separator}{name}:{port}")?,
                #[cfg(unix)]
                Host::Unix(folder) => write!(f, "{separator}{}", folder.display())?,
            }
        }
        match self.config.get_dbname() {
            Some(name) => write!(f, "/{name}"),
            None => Ok(()),
        }
    }
}

fn decoded(text: &str) -> Result<String, DatabaseUrlError> {
    let text = percent_decode_str(text).decode_utf8().map_err(|_| DatabaseUrlError::Malformed)?;
    Ok(text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_credentials() {
        for (given, expected) in [
            ("postgres://ann:secret@db.example.org:6543/song", "db.example.org:6543/song"),
            ("postgresql://ann:se%40cret@localhost/song?application_name=x", "localhost:5432/song"),
            ("postgres://ann@a,b/song", "a:5432,b:5432/song"),
            ("postgres://ann@%2Frun%2Fpostgresql/song", "/run/postgresql/song"),
        ] {
            let address = DatabaseUrl::parse(given).unwrap();
            assert_eq!(address.to_string(), expected);
            assert!(!format!("{address:?}").contains("secret"), "{address:?}");
        }
    }

    #[test]
    fn tls_is_on_when_it_is_asked_for() {
        let tls = |options: &str| DatabaseUrl::parse(&format!("postgres://a@h/d{options}")).map(|found| found.tls);
        assert_eq!(tls(""), Ok(TlsMode::Disabled));
        assert_eq!(tls("?sslmode=disable"), Ok(TlsMode::Disabled));
        assert_eq!(tls("?sslmode=require"), Ok(TlsMode::SystemRoots));
        assert_eq!(tls("?sslmode=verify-full&connect_timeout=3"), Ok(TlsMode::SystemRoots));
        let own = TlsMode::CustomRoots(PathBuf::from("/etc/my ca.pem"));
        assert_eq!(tls("?sslrootcert=%2Fetc/my%20ca.pem&sslmode=require"), Ok(own));
        for mode in ["prefer", "allow", "verify-ca", "", "Require"] {
            assert_eq!(tls(&format!("?sslmode={mode}")), Err(DatabaseUrlError::SslMode), "{mode}");
        }
        assert_eq!(tls("?sslrootcert=ca.pem"), Err(DatabaseUrlError::UnusedRoots));
    }

    #[test]
    fn what_is_no_address_is_refused_without_being_shown() {
        for (given, expected) in [
            ("mysql://ann:secret@h/d", DatabaseUrlError::WrongScheme),
            ("", DatabaseUrlError::WrongScheme),
            ("/var/lib/secret.db", DatabaseUrlError::WrongScheme),
            ("host=localhost password=secret", DatabaseUrlError::WrongScheme),
            ("postgres://ann:secret@h:port/d", DatabaseUrlError::Malformed),
            ("postgres://ann:secret@h/d?secret=1", DatabaseUrlError::Malformed),
            ("postgres:///d", DatabaseUrlError::NoHost),
        ] {
            let error = DatabaseUrl::parse(given).unwrap_err();
            assert_eq!(error, expected, "{given}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}
