//! The address of a client, behind proxies.
//!
//! A client can write anything into `X-Forwarded-For`, so the header only counts as far as proxies wrote it that the
//! operator trusts: it is read from its end, and the first address that is not one of theirs is the client.

use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use http::HeaderMap;
use ipnet::IpNet;

/// The key under which the requests of one client are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ClientKey(pub(crate) u64);

/// The networks of proxies whose `X-Forwarded-For` is trusted; none by default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrustedProxies(Vec<IpNet>);

/// Networks that a setting names.
pub type Networks = TrustedProxies;

/// A text that is neither an address nor a network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no network")]
pub struct InvalidNetwork(String);

impl FromStr for TrustedProxies {
    type Err = InvalidNetwork;

    /// Reads addresses and networks such as `10.0.0.0/8`, separated by commas.
    fn from_str(text: &str) -> Result<Self, InvalidNetwork> {
        let parse = |item: &str| {
            let network = item.parse().or_else(|_| item.parse::<IpAddr>().map(IpNet::from));
            network.map_err(|_| InvalidNetwork(item.to_owned()))
        };
        text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(parse).collect::<Result<_, _>>().map(Self)
    }
}

impl TrustedProxies {
    /// Returns whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether an address is that of a proxy. An IPv4 address is also looked for as the IPv6 address that it is
    /// mapped to.
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        let (plain, mapped) = (address.to_canonical(), IpAddr::V6(mapped(address)));
        self.0.iter().any(|network| network.contains(&plain) || network.contains(&mapped))
    }

    /// Returns the address of the client behind the other end of a connection.
    pub(crate) fn client_address(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        if !self.contains(peer) {
            return peer;
        }
        let lines = headers.get_all("x-forwarded-for").into_iter().filter_map(|line| line.to_str().ok());
        let mut hops: Vec<&str> = lines.flat_map(|line| line.split(',')).map(str::trim).collect();
        let mut client = peer;
        while let Some(hop) = hops.pop() {
            let Some(address) = address_in(hop) else { break };
            client = address;
            if !self.contains(address) {
                break;
            }
        }
        client
    }
}

/// Reads an address, which some proxies write with a port.
fn address_in(hop: &str) -> Option<IpAddr> {
    let bare = hop.strip_prefix('[').and_then(|rest| rest.split_once(']')).map_or(hop, |(bare, _)| bare);
    bare.parse().ok().or_else(|| bare.split_once(':')?.0.parse().ok())
}

/// Returns what an address is counted under: a client with one IPv6 address has all that share its first 64 bits.
pub(super) fn network(address: IpAddr) -> u128 {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits() & (u128::MAX << 64),
    }
}

fn mapped(address: IpAddr) -> Ipv6Addr {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped(),
        IpAddr::V6(address) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(proxies: &str, peer: &str, forwarded: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append("x-forwarded-for", line.parse().unwrap());
        }
        let proxies: TrustedProxies = proxies.parse().unwrap();
        proxies.client_address(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        assert_eq!(client("", "192.0.2.1", &["198.51.100.7"]), "192.0.2.1");
        assert_eq!(client("192.0.2.2", "192.0.2.1", &["198.51.100.7"]), "192.0.2.1");
        assert_eq!(client("192.0.2.0/24", "192.0.2.1", &["198.51.100.7"]), "198.51.100.7");
        assert_eq!(client("192.0.2.0/24", "::ffff:192.0.2.1", &["198.51.100.7"]), "198.51.100.7");
    }

    #[test]
    fn what_a_client_writes_itself_does_not_count() {
        let proxies = "10.0.0.0/8, 2001:db8::/32";
        assert_eq!(client(proxies, "10.0.0.1", &["1.1.1.1, 198.51.100.7"]), "198.51.100.7");
        assert_eq!(client(proxies, "10.0.0.1", &["1.1.1.1", "198.51.100.7, 10.2.3.4"]), "198.51.100.7");
        assert_eq!(client(proxies, "2001:db8::5", &["1.1.1.1, [2001:beef::1]:443, 10.0.0.9:80"]), "2001:beef::1");
        assert_eq!(client(proxies, "10.0.0.1", &["198.51.100.7, nonsense"]), "10.0.0.1");
        assert_eq!(client(proxies, "10.0.0.1", &["10.0.0.3, 10.0.0.2"]), "10.0.0.3");
        assert_eq!(client(proxies, "10.0.0.1", &[]), "10.0.0.1");
    }

    #[test]
    fn networks_are_read_or_refused() {
        let everything: TrustedProxies = "0.0.0.0/0".parse().unwrap();
        assert!(everything.contains("203.0.113.1".parse().unwrap()));
        assert!(!everything.contains("2001:db8::1".parse().unwrap()));
        assert!("::/0".parse::<TrustedProxies>().unwrap().contains("2001:db8::1".parse().unwrap()));
        for text in ["10.0.0.0/33", "10.0.0", "::/129", "proxy", "10.0.0.0/x", "10.0.0.0/-1"] {
            assert!(text.parse::<TrustedProxies>().is_err(), "{text}");
        }
    }

    #[test]
    fn one_client_has_64_bits_of_the_new_addresses() {
        let key = |address: &str| network(address.parse().unwrap());
        assert_eq!(key("2001:db8:0:1::1"), key("2001:db8:0:1:ffff::2"));
        assert_ne!(key("2001:db8:0:1::1"), key("2001:db8:0:2::1"));
        assert_ne!(key("192.0.2.1"), key("192.0.2.2"));
        assert_eq!(key("192.0.2.1"), key("::ffff:192.0.2.1"));
    }
}
