//! Reading one analysis with a credential that is checked, against the same without any check.

use std::path::Path;
use std::process::Stdio;

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use rcgen::KeyPair;
use serde_json::{Value, json};

use super::read::read;
use crate::client::get_with;
use crate::load::CLIENTS;
use crate::metadata::start_with_study;
use crate::part_bench::PartBench;
use crate::payloads::STUDY;
use crate::report::{self, Figure, Limit, plural};
use crate::server_process::{ServerProcess, cantata};
use crate::{Outcome, seeding};

/// The scope that allows to read everything.
const SCOPE: &str = "song.READ";

/// When the token ends: at no time of interest.
const EXPIRY_SECONDS: u64 = 1 << 33;

/// How many times as many rounds there are as for others, each so much shorter: what is looked for is smaller than what
/// a machine that others use too changes from one second to the next, and than what one start of a program differs from
/// the next by where its memory lies. So the servers are started so often, too, and the sides take turns in beginning.
const ROUND_FACTOR: u32 = 5;

pub(super) fn measure(bench: &PartBench) -> Outcome<Vec<Figure>> {
    let (folder, server) = start_with_study(bench)?;
    let (copy, keys) = (bench.workspace.new_folder()?, bench.workspace.new_folder()?);
    let ids = seeding::fill(&server, bench.size.analyses, 1)?;
    server.stop()?;
    seeding::copy_folder(folder.path(), copy.path())?;
    let pair = KeyPair::generate()?;
    let public_key = keys.path().join("public.pem");
    fs_err::write(&public_key, pair.public_key_pem())?;
    let credentials = [("an API key", "api-key", new_key(copy.path())?), ("a token", "jwt", token(&pair)?)];
    let mut figures = Vec::new();
    for (name, mode, credential) in credentials {
        // The request is the same, whether its credential is checked or not.
        let header = format!("Authorization: Bearer {credential}");
        let paths = ids.iter().map(|id| format!("/studies/{STUDY}/analysis/{id}"));
        let requests: Vec<Vec<u8>> = paths.map(|path| get_with(&path, &header)).collect();
        let mut measured = CLIENTS.map(|clients| {
            let title = format!("Read one analysis with {name}, {clients} {}", plural(clients, "connection"));
            let rate = Figure::compared(&title, "requests/s").required(Limit::AtLeast(0.95));
            (clients, rate, Figure::compared(format!("{title}, processor time"), "µs each"))
        });
        for _ in 0..ROUND_FACTOR {
            let open = ServerProcess::cantata(folder.path())?;
            let closed = ServerProcess::with_settings(
                copy.path(),
                &[("AUTH_MODE", &mode), ("REQUIRE_AUTH_FOR_READS", &"true"), ("JWT_PUBLIC_KEY_FILE", &public_key)],
            )?;
            for (clients, rate, processor) in &mut measured {
                for round in 1..=bench.size.rounds {
                    let read = |server| read(bench, ROUND_FACTOR, server, *clients, &requests);
                    let (without, with) = if round % 2 == 0 {
                        (read(&open)?, read(&closed)?)
                    } else {
                        let with = read(&closed)?;
                        (read(&open)?, with)
                    };
                    report::progress(&format!(
                        "{name}, {clients} connection(s), round {round}: {:.0}/s, without {:.0}/s",
                        with.per_second, without.per_second
                    ));
                    rate.add_compared(with.per_second, without.per_second);
                    processor.add_compared(with.processor, without.processor);
                }
            }
            open.stop()?;
            closed.stop()?;
        }
        figures.extend(measured.into_iter().flat_map(|(_, rate, processor)| [rate, processor]));
    }
    Ok(figures)
}

/// Makes a key in a data folder.
fn new_key(folder: &Path) -> Outcome<String> {
    let mut command = cantata(folder)?;
    let made =
        command.args(["key", "create", "--json", "--name", "bench", "--scope", SCOPE]).stdin(Stdio::null()).output()?;
    let made: Value = serde_json::from_slice(&made.stdout)?;
    Ok(made["key"].as_str().ok_or("the command shows no key")?.to_owned())
}

fn token(pair: &KeyPair) -> Outcome<String> {
    let claims = json!({ "sub": "bench", "scope": SCOPE, "exp": EXPIRY_SECONDS });
    let key = EncodingKey::from_ec_pem(pair.serialize_pem().as_bytes())?;
    Ok(jsonwebtoken::encode(&Header::new(Algorithm::ES256), &claims, &key)?)
}
