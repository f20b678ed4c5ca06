//! Where the database is: a `postgres://` address and what it says about TLS.
//!
//! The password is part of the address, so nothing here ever shows the text that was given, not even the piece of it
//! that could not be read.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// After how long a server that does not even acknowledge what it is sent counts as gone.
const SILENCE_LIMIT: Duration = Duration::from_secs(30);

/// The address of a database.
#[derive(Debug, Clone)]
pub struct DatabaseAddress {
    pub(crate) config: Config,
    pub(crate) tls: Tls,
}

/// Whether connections are encrypted, and whose certificates count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tls {
    /// Not encrypted.
    Off,
    /// Encrypted, with the certificate authorities that the machine trusts.
    SystemRoots,
    /// Encrypted, with the certificate authorities in this PEM file.
    OwnRoots(PathBuf),
}

/// Why an address cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It is the address of something else.
    #[error("expected an address that begins with postgres://")]
    OtherScheme,
    /// It cannot be read.
    #[error(
        "expected an address such as postgres://user:password@host:5432/database; write signs like : / ? # @ % in a \
         password as %3A %2F %3F %23 %40 %25"
    )]
    Unreadable,
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

impl DatabaseAddress {
    /// Reads an address.
    pub fn parse(address: &str) -> Result<Self, AddressError> {
        if !(address.starts_with("postgres://") || address.starts_with("postgresql://")) {
            return Err(AddressError::OtherScheme);
        }
        let (place, options) = address.split_once('?').unwrap_or((address, ""));
        let (mut mode, mut roots, mut others) = (None, None, Vec::new());
        for option in options.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("sslmode", value)) => mode = Some(value),
                Some(("sslrootcert", value)) => roots = Some(decoded(value)?),
                _ => others.push(option),
            }
        }
        let tls = match (mode, roots) {
            (None | Some("disable"), None) => Tls::Off,
            (None | Some("disable"), Some(_)) => return Err(AddressError::UnusedRoots),
            (Some("require" | "verify-full"), None) => Tls::SystemRoots,
            (Some("require" | "verify-full"), Some(file)) => Tls::OwnRoots(PathBuf::from(file)),
            (Some(_), _) => return Err(AddressError::SslMode),
        };
        let others = others.join("&");
        let mut config: Config = format!("{place}?{others}").parse().map_err(|_| AddressError::Unreadable)?;
        if config.get_hosts().is_empty() {
            return Err(AddressError::NoHost);
        }
        config.ssl_mode(if tls == Tls::Off { SslMode::Disable } else { SslMode::Require });
        if config.get_application_name().is_none() {
            config.application_name("cantata");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        config.tcp_user_timeout(SILENCE_LIMIT);
        config.keepalives_idle(SILENCE_LIMIT / 2).keepalives_interval(SILENCE_LIMIT / 6).keepalives_retries(3);
        Ok(Self { config, tls })
    }
}

/// Shows the server and the database, never who uses them.
impl fmt::Display for DatabaseAddress {
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

fn decoded(text: &str) -> Result<String, AddressError> {
    let text = percent_decode_str(text).decode_utf8().map_err(|_| AddressError::Unreadable)?;
    Ok(text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_credentials() {
        for (given, shown) in [
            ("postgres://ann:secret@db.example.org:6543/song", "db.example.org:6543/song"),
            ("postgresql://ann:se%40cret@localhost/song?application_name=x", "localhost:5432/song"),
            ("postgres://ann@a,b/song", "a:5432,b:5432/song"),
            ("postgres://ann@%2Frun%2Fpostgresql/song", "/run/postgresql/song"),
        ] {
            let address = DatabaseAddress::parse(given).unwrap();
            assert_eq!(address.to_string(), shown);
            assert!(!format!("{address:?}").contains("secret"), "{address:?}");
        }
    }

    #[test]
    fn tls_is_on_when_it_is_asked_for() {
        let tls = |options: &str| DatabaseAddress::parse(&format!("postgres://a@h/d{options}")).map(|found| found.tls);
        assert_eq!(tls(""), Ok(Tls::Off));
        assert_eq!(tls("?sslmode=disable"), Ok(Tls::Off));
        assert_eq!(tls("?sslmode=require"), Ok(Tls::SystemRoots));
        assert_eq!(tls("?sslmode=verify-full&connect_timeout=3"), Ok(Tls::SystemRoots));
        let own = Tls::OwnRoots(PathBuf::from("/etc/my ca.pem"));
        assert_eq!(tls("?sslrootcert=%2Fetc/my%20ca.pem&sslmode=require"), Ok(own));
        for mode in ["prefer", "allow", "verify-ca", "", "Require"] {
            assert_eq!(tls(&format!("?sslmode={mode}")), Err(AddressError::SslMode), "{mode}");
        }
        assert_eq!(tls("?sslrootcert=ca.pem"), Err(AddressError::UnusedRoots));
    }

    #[test]
    fn what_is_no_address_is_refused_without_being_shown() {
        for (given, expected) in [
            ("mysql://ann:secret@h/d", AddressError::OtherScheme),
            ("", AddressError::OtherScheme),
            ("/var/lib/secret.db", AddressError::OtherScheme),
            ("host=localhost password=secret", AddressError::OtherScheme),
            ("postgres://ann:secret@h:port/d", AddressError::Unreadable),
            ("postgres://ann:secret@h/d?secret=1", AddressError::Unreadable),
            ("postgres:///d", AddressError::NoHost),
        ] {
            let refused = DatabaseAddress::parse(given).unwrap_err();
            assert_eq!(refused, expected, "{given}");
            assert!(!refused.to_string().contains("secret"), "{refused}");
        }
    }
}
