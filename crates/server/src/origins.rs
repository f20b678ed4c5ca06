//! Origins of pages, and the names by which the server is asked for.
//!
//! An attacker can let a host name of their own resolve to the address of this server (DNS rebinding). A page of that
//! name is then same-origin with the server for a browser, although nobody allowed it. So a name in `Host` counts as
//! the server's own only if it is public, listed or of an allowed origin, or if it cannot be pointed anywhere: names of
//! the machine itself, and literal addresses.

use std::net::IpAddr;
use std::str::FromStr;

use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Uri, header};

/// Origins as browsers write them, such as `https://portal.example`; those of the server itself may have a path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origins(Vec<Origin>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Origin {
    text: String,
    host: String,
    /// The path below which a proxy has the server, such as `/catalogue`; empty where it has the whole host.
    base_path: String,
}

/// A text that is no origin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no origin")]
pub struct InvalidOrigin(String);

/// Names of hosts, such as `cantata.default.svc`, without ports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostNames(Vec<String>);

/// A text that is no name of a host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no name of a host")]
pub struct InvalidHostName(String);

/// The addresses by which the server is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PublicAddress {
    /// The origins of its own pages.
    pub origins: Origins,
    /// More names by which programs ask for it.
    pub hosts: HostNames,
    /// Whether a request by any other name is rejected, also one that names no origin.
    pub is_exclusive: bool,
}

impl FromStr for Origins {
    type Err = InvalidOrigin;

    /// Reads origins that are separated by commas.
    fn from_str(text: &str) -> Result<Self, InvalidOrigin> {
        let addresses = Self::with_paths(text)?;
        let below_path = addresses.0.iter().find(|address| !address.base_path.is_empty());
        let no_origin = below_path.map(|address| InvalidOrigin(format!("{}{}", address.text, address.base_path)));
        no_origin.map_or(Ok(addresses), Err)
    }
}

impl FromStr for HostNames {
    type Err = InvalidHostName;

    /// Reads names that are separated by commas.
    fn from_str(text: &str) -> Result<Self, InvalidHostName> {
        let parse = |item: &str| {
            let is_name = |name: &Authority| name.host() == item && !item.contains('*');
            match item.parse::<Authority>().is_ok_and(|name| is_name(&name)) {
                true => Ok(item.to_ascii_lowercase()),
                false => Err(InvalidHostName(item.to_owned())),
            }
        };
        text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(parse).collect::<Result<_, _>>().map(Self)
    }
}

impl Origin {
    /// Reads an origin, which may end with a slash or a path, and writes it as browsers do.
    fn parse(text: &str) -> Option<Self> {
        let uri: Uri = text.parse().ok().filter(|_| !text.contains(['#', '*']))?;
        let (scheme, authority) = (uri.scheme_str()?.to_ascii_lowercase(), uri.authority()?);
        let host = authority.host().to_ascii_lowercase();
        // Nothing is left if a user precedes the host.
        let port = authority.as_str().strip_prefix(authority.host())?;
        let has_port = !port.is_empty();
        let base_path = uri.path().trim_end_matches('/').to_owned();
        if uri.query().is_some() || !base_path.split('/').skip(1).all(is_plain_segment) {
            return None;
        }
        if host.is_empty() || has_port && authority.port_u16().is_none() {
            return None;
        }
        let text = match (scheme.as_str(), port) {
            ("http", ":80") | ("https", ":443") => format!("{scheme}://{host}"),
            _ => format!("{scheme}://{host}{port}"),
        };
        Some(Self { text, host, base_path })
    }
}

/// Returns whether a segment of a path is written the same everywhere: in an address, in a page and by every proxy.
fn is_plain_segment(segment: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    segment.bytes().all(is_plain) && !["", ".", ".."].contains(&segment)
}

impl Origins {
    /// No origin.
    pub(crate) const NONE: Self = Self(Vec::new());

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads addresses that are separated by commas: origins, which may be followed by the path below which a proxy has
    /// the server.
    ///
    /// # Errors
    ///
    /// The first text that is no such address.
    pub fn with_paths(text: &str) -> Result<Self, InvalidOrigin> {
        let parse = |item: &str| Origin::parse(item).ok_or_else(|| InvalidOrigin(item.to_owned()));
        text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(parse).collect::<Result<_, _>>().map(Self)
    }

    /// Returns the first one with its path, without a slash at its end.
    pub fn first_address(&self) -> Option<String> {
        self.0.first().map(|origin| format!("{}{}", origin.text, origin.base_path))
    }

    /// Returns the first one if browsers keep no secure cookies of it: it is neither of HTTPS nor of the machine itself.
    pub fn insecure_first(&self) -> Option<&str> {
        let first = self.0.first()?;
        let is_secure = first.text.starts_with("https:") || is_loopback(&first.host);
        (!is_secure).then_some(first.text.as_str())
    }

    /// Returns whether an origin is one of these.
    pub(crate) fn contains(&self, origin: &HeaderValue) -> bool {
        self.0.iter().any(|known| known.text.as_bytes() == origin.as_bytes())
    }

    fn has_host(&self, host: &str) -> bool {
        self.0.iter().any(|known| known.host == host)
    }
}

impl PublicAddress {
    /// Returns the path below which browsers have the server, by the name in `Host`; empty where they have the whole host.
    /// The proxy has removed it from the path of the request.
    pub(crate) fn base_path(&self, host: Option<&HeaderValue>) -> &str {
        let Some(authority) = host.and_then(|host| Authority::try_from(host.as_bytes()).ok()) else { return "" };
        let is_asked_for = |origin: &&Origin| origin.host.eq_ignore_ascii_case(authority.host());
        self.origins.0.iter().find(is_asked_for).map_or("", |origin| origin.base_path.as_str())
    }
}

/// Returns whether `Host` is a name of the server: one of the public address or of these origins, of the machine itself,
/// or an address.
pub(crate) fn is_own_name(headers: &HeaderMap, public: &PublicAddress, allowed: &Origins) -> bool {
    // What has no host, as in HTTP/1.0, was not sent by a browser.
    let Some(host) = headers.get(header::HOST) else { return true };
    let Ok(authority) = Authority::try_from(host.as_bytes()) else { return false };
    let host = authority.host().to_ascii_lowercase();
    public.origins.has_host(&host) || allowed.has_host(&host) || public.hosts.0.contains(&host) || is_fixed(&host)
}

/// Returns whether nobody can let a name resolve to another machine.
fn is_fixed(host: &str) -> bool {
    is_loopback(host) || address_of(host).is_some()
}

/// Returns whether a name is one of the machine itself.
fn is_loopback(host: &str) -> bool {
    let name = host.trim_end_matches('.');
    name == "localhost" || name.ends_with(".localhost") || address_of(host).is_some_and(|address| address.is_loopback())
}

fn address_of(host: &str) -> Option<IpAddr> {
    host.trim_end_matches('.').trim_start_matches('[').trim_end_matches(']').parse().ok()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::{HostNames, InvalidHostName, InvalidOrigin, Origins, PublicAddress, is_fixed};

    #[test]
    fn origins_are_read_as_browsers_write_them() {
        let read = |text: &str| text.parse::<Origins>().map(|origins| origins.0);
        for (given, expected) in [
            ("https://Portal.Example/", "https://portal.example"),
            ("HTTPS://portal.example:443", "https://portal.example"),
            ("http://localhost:3000", "http://localhost:3000"),
            ("http://[::1]:80", "http://[::1]"),
            ("capacitor://localhost", "capacitor://localhost"),
        ] {
            assert_eq!(read(given).unwrap()[0].text, expected, "{given}");
        }
        assert_eq!(read(" https://a.example, ,http://b.example:81 ").unwrap().len(), 2);
        assert_eq!(read("").unwrap(), []);
        for wrong in [
            "portal.example",
            "localhost:3000",
            "null",
            "https://portal.example/path",
            "https://portal.example?x",
            "https://portal.example#x",
            "https://user@portal.example",
            "https://portal.example:99999",
            "https://*.example",
            "https://",
            "//portal.example",
        ] {
            assert_eq!(read(wrong), Err(InvalidOrigin(wrong.to_owned())), "{wrong}");
        }
    }

    #[test]
    fn an_address_of_the_server_may_have_a_path() {
        let text = "https://www.example/data/catalogue/, http://cantata.internal:5050";
        let origins = Origins::with_paths(text).unwrap();
        assert_eq!(origins.first_address().as_deref(), Some("https://www.example/data/catalogue"));
        assert!(origins.contains(&HeaderValue::from_static("https://www.example")));
        let public = PublicAddress { origins, ..PublicAddress::default() };
        for (host, base_path) in [
            ("www.example", "/data/catalogue"),
            ("WWW.example:443", "/data/catalogue"),
            ("cantata.internal:5050", ""),
            ("127.0.0.1:5050", ""),
            ("a b", ""),
        ] {
            assert_eq!(public.base_path(Some(&HeaderValue::from_static(host))), base_path, "{host}");
        }
        assert_eq!(public.base_path(None), "");
        for wrong in ["a//b", "../b", "a/./b", "a%2Fb", "a\"b", "a?b", "a;b"] {
            let wrong = format!("https://www.example/{wrong}");
            assert_eq!(Origins::with_paths(&wrong), Err(InvalidOrigin(wrong)));
        }
    }

    #[test]
    fn browsers_keep_secure_cookies_of_https_and_of_the_machine_itself() {
        for secure in ["https://a.example", "http://localhost:5050", "http://127.0.0.1", "http://[::1]:80", ""] {
            assert_eq!(secure.parse::<Origins>().unwrap().insecure_first(), None, "{secure}");
        }
        for insecure in ["http://a.example", "http://10.0.0.1:5050", "http://localhost.evil.example"] {
            assert_eq!(insecure.parse::<Origins>().unwrap().insecure_first(), Some(insecure));
        }
    }

    #[test]
    fn names_of_hosts_have_no_more_than_the_name() {
        let read = |text: &str| text.parse::<HostNames>().map(|names| names.0);
        assert_eq!(read(" Cantata, ,cantata.default.svc ").unwrap(), ["cantata", "cantata.default.svc"]);
        for wrong in ["cantata:5050", "http://cantata", "user@cantata", "*.svc", "a b", "cantata/x"] {
            assert_eq!(read(wrong), Err(InvalidHostName(wrong.to_owned())), "{wrong}");
        }
    }

    #[test]
    fn names_of_the_machine_and_addresses_are_fixed() {
        for host in ["localhost", "localhost.", "app.localhost", "127.0.0.1", "10.1.2.3", "[::1]", "[2001:db8::1]"] {
            assert!(is_fixed(host), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "cantata", "xlocalhost", ""] {
            assert!(!is_fixed(host), "{host}");
        }
    }
}
