//! The HTTP server.

use std::net::{IpAddr, SocketAddr};

use cantata_server::{HostNames, MetricsAccess, Origins, PublicAddress};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::values::{host_names, ip_address, public_origins, whole_number};

#[derive(Debug, Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct ServerSettings {
    /// The port to listen on; 0 picks a free one
    #[arg(long, value_name = "PORT", default_value_t = 5050, value_parser = whole_number(0, u16::MAX))]
    pub(crate) server_port: u16,
    /// The address to listen on; 0.0.0.0 is every IPv4 address of the machine
    #[arg(long, value_name = "IP", default_value = "127.0.0.1", value_parser = ip_address)]
    pub(crate) bind_addr: IpAddr,
    /// The addresses by which browsers and a proxy ask for the server, such as `https://cantata.example`, or
    /// `https://www.example/catalogue` below a path that a proxy removes, separated by commas; if it is set, and on a
    /// loopback address, requests by any other name but localhost and IP addresses are rejected
    #[arg(long, value_name = "URLS", value_parser = public_origins)]
    pub(crate) public_url: Option<Origins>,
    /// More host names by which programs ask for the server where others are rejected, such as `cantata.default.svc`,
    /// without ports and separated by commas
    #[arg(long, value_name = "NAMES", value_parser = host_names)]
    pub(crate) allowed_hosts: Option<HostNames>,
    /// The maximum size of a request body, and of a payload in a batch, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 52_428_800, value_parser = whole_number(1, usize::MAX))]
    pub(crate) body_limit: usize,
    /// Access to GET /metrics: `system` requires the system scope, unless AUTH_MODE is none; `open` allows everybody, without
    /// metrics of single catalogues; `off` disables it
    #[arg(long, value_name = "WHO", default_value = "system", value_parser = metrics_access())]
    pub(crate) metrics: MetricsAccess,
}

impl ServerSettings {
    /// Returns the address to listen on.
    pub(crate) fn address(&self) -> SocketAddr {
        SocketAddr::new(self.bind_addr, self.server_port)
    }

    /// Returns the addresses by which the server is asked for. A server on a loopback address trusts what reaches it,
    /// so nothing may reach it by a name that anybody could choose.
    pub(crate) fn public_address(&self) -> PublicAddress {
        let origins = self.public_url.clone().unwrap_or_default();
        let hosts = self.allowed_hosts.clone().unwrap_or_default();
        let is_exclusive = self.bind_addr.to_canonical().is_loopback() || !origins.is_empty();
        PublicAddress { origins, hosts, is_exclusive }
    }
}

/// Returns the parser of who may read the metrics.
fn metrics_access() -> impl TypedValueParser<Value = MetricsAccess> {
    PossibleValuesParser::new(["system", "open", "off"]).map(|name| match name.as_str() {
        "open" => MetricsAccess::Open,
        "off" => MetricsAccess::Off,
        _ => MetricsAccess::System,
    })
}
