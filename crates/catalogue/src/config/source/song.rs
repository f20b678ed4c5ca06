//! The key `song`: a SONG server as the origin of analyses. No message shows its address.

use std::path::PathBuf;
use std::time::Duration;

use crate::config::reader::{ConfigReader, ConfigSection};
use crate::source::{SongOrigin, SongTopic, TopicCredentials};
use cantata_core::Secret;

const DEFAULT_POLL_SECONDS: u32 = 30;

/// The topic of SONG's events by default.
const DEFAULT_TOPIC: &str = "song-analysis";

const KAFKA_KEYS: [&str; 7] = ["brokers", "caCertificate", "mechanism", "password", "tls", "topic", "user"];

pub(super) fn read<'a>(reader: &mut ConfigReader<'a>, song: &ConfigSection<'a>) -> Option<SongOrigin> {
    reader.reject_unknown(song, &["kafka", "pollSeconds", "token", "url"]);
    let url = url(reader, song);
    let token = reader.secret(song, "token");
    let seconds = reader.count(song, "pollSeconds", 1).unwrap_or(DEFAULT_POLL_SECONDS);
    let kafka = match reader.section(song, "kafka") {
        Some(kafka) => Some(topic(reader, &kafka)?),
        None => None,
    };
    Some(SongOrigin { url: url?, token, poll: Duration::from_secs(seconds.into()), kafka })
}

fn url(reader: &mut ConfigReader<'_>, song: &ConfigSection<'_>) -> Option<Secret> {
    let expected = "an address such as https://song.example.org";
    let given = reader.secret(song, "url")?;
    let scheme = ["http://", "https://"].into_iter().find(|scheme| given.reveal().trim().starts_with(scheme));
    if scheme.is_none_or(|scheme| given.reveal().trim().len() == scheme.len()) {
        reader.fail(song.key_of("url"), "no such address", expected);
        return None;
    }
    Some(Secret::new(given.reveal().trim().trim_end_matches('/')))
}

fn topic(reader: &mut ConfigReader<'_>, kafka: &ConfigSection<'_>) -> Option<SongTopic> {
    reader.reject_unknown(kafka, &KAFKA_KEYS);
    let brokers = reader.secret(kafka, "brokers");
    let brokers: Vec<Secret> = brokers
        .iter()
        .flat_map(|brokers| brokers.reveal().split(','))
        .map(str::trim)
        .filter(|broker| !broker.is_empty())
        .map(Secret::new)
        .collect();
    if brokers.is_empty() {
        reader.fail(kafka.key_of("brokers"), "nothing", "brokers such as kafka-1:9092, separated by commas");
        return None;
    }
    let (user, password) = (reader.secret(kafka, "user"), reader.secret(kafka, "password"));
    let mechanism = mechanism(reader, kafka);
    let credentials = match (user, password) {
        (Some(user), Some(password)) => Some(TopicCredentials { mechanism: mechanism?, user, password }),
        (None, None) => None,
        _ => {
            reader.fail(kafka.key.clone(), "one of `user` and `password`", "both, or none");
            return None;
        }
    };
    Some(SongTopic {
        brokers,
        topic: reader.filled_text(kafka, "topic").unwrap_or_else(|| DEFAULT_TOPIC.to_owned()),
        uses_tls: reader.flag(kafka, "tls").unwrap_or(false),
        ca_certificate: reader.filled_text(kafka, "caCertificate").map(PathBuf::from),
        credentials,
    })
}

/// Returns the SASL mechanism; PLAIN by default.
fn mechanism(reader: &mut ConfigReader<'_>, kafka: &ConfigSection<'_>) -> Option<&'static str> {
    let text = reader.filled_text(kafka, "mechanism").unwrap_or_else(|| TopicCredentials::MECHANISMS[0].to_owned());
    let known = TopicCredentials::MECHANISMS.into_iter().find(|name| *name == text);
    if known.is_none() {
        let expected = format!("one of {}", TopicCredentials::MECHANISMS.join(", "));
        reader.fail(kafka.key_of("mechanism"), format!("{text:?}"), expected);
    }
    known
}
