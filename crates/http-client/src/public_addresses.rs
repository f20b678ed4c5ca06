//! Resolving names to addresses of the public internet only, so that a name that is changed to an address within this
//! network reaches nothing there.

use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Endings of names that only a private network resolves.
const PRIVATE_ENDINGS: [&str; 5] = [".home.arpa", ".internal", ".local", ".localhost", ".svc"];

/// Resolves names as the machine does, without the private addresses among the results.
pub(crate) struct PublicAddresses;

impl Resolve for PublicAddresses {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(resolve(name))
    }
}

async fn resolve(name: Name) -> Result<Addrs, Box<dyn Error + Send + Sync>> {
    let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
    let public: Vec<SocketAddr> = found.filter(|address| is_public(address.ip())).collect();
    if public.is_empty() {
        return Err("the name resolves to private addresses only, which are not allowed here".into());
    }
    Ok(Box::new(public.into_iter()))
}

/// Returns whether the host of an address is in a private network by the way it is written: a private IP address, a
/// name without a dot, or one that only a private network resolves.
pub fn is_private_host(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    match host.parse::<IpAddr>() {
        Ok(address) => !is_public(address),
        Err(_) => {
            let name = host.trim_end_matches('.').to_ascii_lowercase();
            !name.contains('.') || PRIVATE_ENDINGS.iter().any(|ending| name.ends_with(ending))
        }
    }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let is_reserved = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        || first == 0
        || first >= 240
        || (first == 100 && (64..128).contains(&second))
        || (first == 192 && second == 0 && third == 0)
        || (first == 198 && (18..20).contains(&second));
    !is_reserved
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    match (address.to_ipv4_mapped(), address.segments()) {
        (Some(address), _) => is_public_v4(address),
        // Only these are global; those that carry an IPv4 address within them are left out.
        (None, [first, second, ..]) => {
            (0x2000..0x4000).contains(&first) && first != 0x2002 && (first, second) != (0x2001, 0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_name_that_stands_for_a_private_address_is_not_resolved() {
        let refused = resolve("localhost".parse().unwrap()).await.err().unwrap();
        assert!(refused.to_string().contains("private addresses only"), "{refused}");
    }

    #[test]
    fn hosts_are_private_by_address_or_by_name() {
        for host in ["127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "[::1]", "fd00::1", "::ffff:10.0.0.1"] {
            assert!(is_private_host(host), "{host}");
        }
        for host in ["localhost", "node-2", "db.internal", "search.lab.svc", "a.LOCAL", "100.64.0.1", "0.0.0.0"] {
            assert!(is_private_host(host), "{host}");
        }
        for host in ["example.org", "8.8.8.8", "[2606:4700::1111]", "local.example.org"] {
            assert!(!is_private_host(host), "{host}");
        }
    }
}
