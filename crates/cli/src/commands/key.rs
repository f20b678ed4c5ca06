//! `cantata key`: the API keys of a data folder or of the configured database. Running servers see a change within a second.

use std::process::ExitCode;

use cantata_access::{KeyError, ScopeRules};
use cantata_core::Timestamp;
use clap::{Args, Subcommand};
use serde_json::Value;

use crate::backends::{KeyAccess, StoreAccessArguments};
use crate::error::CliError;
use crate::terminal::print_line;

/// The arguments of `cantata key`.
#[derive(Debug, Args)]
pub(crate) struct KeyArguments {
    #[command(subcommand)]
    command: KeyCommand,
    /// Writes JSON instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(crate) access: StoreAccessArguments,
}

#[derive(Debug, Subcommand)]
enum KeyCommand {
    /// Creates a key and shows it once
    Create {
        /// The name of the key
        #[arg(long)]
        name: String,
        /// A scope, such as STUDY.ABC.WRITE, STUDY.ABC.READ or song.WRITE; repeat it for several
        #[arg(long = "scope", value_name = "SCOPE", required = true)]
        scopes: Vec<String>,
        /// The expiry: a duration such as 12h, 30d or 52w, or a date such as 2027-01-31, in UTC; unset, never
        #[arg(long, value_name = "WHEN", value_parser = expiry)]
        expires: Option<Timestamp>,
    },
    /// Lists the keys, including revoked ones, without their secrets
    List,
    /// Revokes a key
    Revoke {
        /// Its name or its id
        key: String,
    },
}

/// Runs the command.
pub(crate) async fn key(arguments: &KeyArguments) -> Result<ExitCode, CliError> {
    let keys = KeyAccess::open(&arguments.access.database, &arguments.access.store.data_dir).await?;
    let (json, text) = match &arguments.command {
        KeyCommand::Create { name, scopes, expires } => {
            if let Some(scope) = scopes.iter().find(|scope| ScopeRules::default().lacks_verb(scope)) {
                let expected = format!("expected what it allows at the end, such as {scope}.WRITE or {scope}.READ");
                return Err(CliError::setting(format!("'{scope}' allows nothing in a study; {expected}")));
            }
            let created = keys.create(name, scopes, *expires).await?;
            let text = format!("{}\nKeep it: it is not shown again.", cell(&created["key"]));
            (created, text)
        }
        KeyCommand::List => {
            let keys = keys.list().await?;
            let text = table(&keys);
            (Value::from(keys), text)
        }
        KeyCommand::Revoke { key } => {
            let revoked = keys.revoke(key).await?;
            let text = format!("{} is revoked", cell(&revoked["name"]));
            (revoked, text)
        }
    };
    print_line(&if arguments.json { format!("{json:#}") } else { text });
    Ok(ExitCode::SUCCESS)
}

impl From<KeyError> for CliError {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::Name(_) | KeyError::Scope(_) => Self::setting(error.to_string()),
            KeyError::NameTaken(_)
            | KeyError::TooMany(_)
            | KeyError::Unknown(_)
            | KeyError::Unavailable(_)
            | KeyError::NotWritable(_)
            | KeyError::Unusable(_) => Self::failed(error.to_string()),
        }
    }
}

/// Parses the expiry of a key.
fn expiry(text: &str) -> Result<Timestamp, &'static str> {
    const SECOND: i64 = 1_000_000;
    let expected = "expected a duration such as 12h, 30d or 52w, or a date in the future such as 2027-01-31";
    let now = Timestamp::now().as_micros();
    let after = |digits: &str, unit: i64| digits.parse::<u32>().ok().map(|count| now + i64::from(count) * unit);
    let found = match text.split_at_checked(text.len().saturating_sub(1)) {
        Some((digits, "h")) => after(digits, 3600 * SECOND),
        Some((digits, "d")) => after(digits, 24 * 3600 * SECOND),
        Some((digits, "w")) => after(digits, 7 * 24 * 3600 * SECOND),
        _ => text.parse::<Timestamp>().ok().map(Timestamp::as_micros),
    };
    found.filter(|moment| *moment > now).map(Timestamp::from_micros).ok_or(expected)
}

/// Returns a member of a key as text.
fn cell(member: &Value) -> String {
    member.as_str().unwrap_or("-").to_owned()
}

fn table(keys: &[Value]) -> String {
    let heads = ["id", "name", "state", "created", "expires", "last used", "scopes"].map(str::to_owned);
    let row = |key: &Value| {
        let [id, name, state] = ["id", "name", "state"].map(|name| cell(&key[name]));
        let day = |name: &str| cell(&key[name]).chars().take(10).collect::<String>();
        let scopes: Vec<&str> = key["scopes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        [id, name, state, day("created"), day("expires"), day("lastUsed"), scopes.join(" ")]
    };
    let rows: Vec<[String; 7]> = std::iter::once(heads).chain(keys.iter().map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: [usize; 7] = std::array::from_fn(width);
    let line = |row: &[String; 7]| {
        let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_a_while_or_a_moment_to_come() {
        for good in ["1h", "30d", "52w", "2999-01-31", "2999-01-31T12:00:00"] {
            assert!(expiry(good).is_ok(), "{good}");
        }
        for bad in ["", "d", "0d", "-1d", "30", "30m", "1999-01-31", "soon", "99999999999d", "é"] {
            assert!(expiry(bad).is_err(), "{bad}");
        }
    }
}
