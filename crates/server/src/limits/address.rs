//! Where a request comes from.
//!
//! A client can write anything into `X-Forwarded-For`, so the header only counts as far as proxies wrote it that the
//! operator trusts: it is read from its end, and the first address that is not one of theirs is the client.

use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use http::HeaderMap;

/// What requests of one client are counted under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Counted(pub(crate) u64);

/// The proxies whose word is taken for where a request comes from; none by default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrustedProxies(Vec<Network>);

/// Addresses that begin alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Network {
    bits: u128,
    mask: u128,
}

impl Network {
    fn contains(self, address: IpAddr) -> bool {
        bits(address) & self.mask == self.bits
    }
}

impl FromStr for TrustedProxies {
    type Err = String;

    /// Reads addresses and networks such as `10.0.0.0/8`, separated by commas.
    fn from_str(text: &str) -> Result<Self, String> {
        let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
        items
            .map(|item| network_of(item).ok_or_else(|| format!("{item:?} is no network")))
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

fn network_of(text: &str) -> Option<Network> {
    let (address, length) = match text.split_once('/') {
        Some((address, length)) => (address, Some(length.parse::<u32>().ok()?)),
        None => (text, None),
    };
    let address: IpAddr = address.parse().ok()?;
    let width = if address.is_ipv4() { 32 } else { 128 };
    let length = length.unwrap_or(width);
    if length > width {
        return None;
    }
    // The addresses of IPv4 are the end of those of IPv6.
    let mask = u128::MAX.checked_shl(width - length).unwrap_or(0);
    let mask = if address.is_ipv4() { mask | (u128::MAX << 32) } else { mask };
    Some(Network { bits: bits(address) & mask, mask })
}

impl TrustedProxies {
    /// Says whether an address is that of a proxy.
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(address))
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

/// Returns what an address is counted under: whoever has one address of IPv6 has all that begin with the same 64 bits.
pub(super) fn network(address: IpAddr) -> u128 {
    match address.to_canonical() {
        IpAddr::V4(address) => bits(IpAddr::V4(address)),
        IpAddr::V6(address) => address.to_bits() & (u128::MAX << 64),
    }
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => Ipv6Addr::to_bits(address),
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
