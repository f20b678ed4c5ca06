//! How the server is reached, and by whom.

use std::net::{IpAddr, SocketAddr};

use clap::{Args, ValueEnum};

use super::values::{ip_address, switch, whole_number};
use crate::failure::Failure;

/// How clients prove who they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AuthMode {
    /// They need not: whoever reaches the server may do everything
    None,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct ServerSettings {
    /// The port to listen on; 0 picks a free one
    #[arg(long, value_name = "PORT", default_value_t = 5050, value_parser = whole_number(0, u16::MAX))]
    pub(crate) server_port: u16,
    /// The address to listen on; 0.0.0.0 is every IPv4 address of the machine
    #[arg(long, value_name = "IP", default_value = "127.0.0.1", value_parser = ip_address)]
    pub(crate) bind_addr: IpAddr,
    /// How clients prove who they are
    #[arg(long, value_name = "MODE", value_enum, default_value_t = AuthMode::None)]
    pub(crate) auth_mode: AuthMode,
    /// Lets a server without authentication listen on an address that other machines can reach
    #[arg(long, value_name = "BOOL", default_value = "false", value_parser = switch, action = clap::ArgAction::Set,
          num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) insecure: bool,
    /// The largest request body, and the largest payload of a batch, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 52_428_800, value_parser = whole_number(1, usize::MAX))]
    pub(crate) body_limit: usize,
}

impl ServerSettings {
    /// Returns the address to listen on.
    pub(crate) fn address(&self) -> SocketAddr {
        SocketAddr::new(self.bind_addr, self.server_port)
    }

    /// Refuses to let strangers in by accident.
    pub(super) fn check_exposure(&self) -> Result<(), Failure> {
        if self.auth_mode != AuthMode::None || self.bind_addr.to_canonical().is_loopback() || self.insecure {
            return Ok(());
        }
        Err(Failure::setting(format!(
            "BIND_ADDR is {}, which other machines can reach, and AUTH_MODE is none, so they could read and change \
             everything; set BIND_ADDR to 127.0.0.1, or add --insecure if everybody who can reach it may do that",
            self.bind_addr
        )))
    }
}
