//! A SONG server with a topic. A position is the next offset of each partition.
//!
//! SONG sends events of submissions, states and updates, with the analysis. Changes without an event, such as those of
//! single files, are indexed by the next reindex.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use cantata_catalogue::{SongOrigin, SongTopic};
use cantata_core::{AnalysisState, AnalysisType, error_chain};
use cantata_indexing::{AnalysisSource, ChangeBatch, ChangedAnalysis, SourceError, SourceSnapshot};
use cantata_kafka_client::{Credentials, FetchedRecords, KafkaError, KafkaSettings, SaslMechanism, TopicReader};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::SongSourceError;
use crate::client::SongClient;
use crate::snapshot::{AnalysisPages, open_snapshot};
use crate::type_count::TypeCount;

/// How long one fetch waits for events.
const MAX_FETCH_WAIT: Duration = Duration::from_millis(500);

/// A SONG server whose topic is followed.
pub(crate) struct TopicSource {
    client: Arc<SongClient>,
    settings: KafkaSettings,
    reader: tokio::sync::Mutex<Option<TopicReader>>,
    /// The known end offsets.
    ends: Mutex<BTreeMap<i32, i64>>,
    types: TypeCount,
}

/// An event as SONG sends it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SongEvent {
    analysis_id: String,
    study_id: String,
    state: AnalysisState,
    /// Older servers leave it out.
    #[serde(default)]
    analysis: Option<Box<RawValue>>,
}

impl TopicSource {
    /// Prepares a source; nothing is sent yet.
    pub(crate) fn new(origin: &SongOrigin, topic: &SongTopic) -> Result<Self, SongSourceError> {
        let settings = kafka_settings(topic);
        settings.check()?;
        Ok(Self {
            client: Arc::new(SongClient::new(origin)?),
            settings,
            reader: tokio::sync::Mutex::default(),
            ends: Mutex::default(),
            types: TypeCount::new(origin.poll),
        })
    }

    /// Takes the reader, or opens one: a reader that failed, or was dropped during a request, is not used again.
    async fn take_reader(&self, reader: &mut Option<TopicReader>) -> Result<TopicReader, SourceError> {
        match reader.take() {
            Some(reader) => Ok(reader),
            None => TopicReader::open(self.settings.clone()).await.map_err(|error| failed(&error)),
        }
    }

    /// Reads from offsets on; nothing if the topic does not have them.
    async fn fetch(&self, after: &BTreeMap<i32, i64>) -> Result<Option<FetchedRecords>, SourceError> {
        let mut kept = self.reader.lock().await;
        let mut reader = self.take_reader(&mut kept).await?;
        let fetched = reader.fetch(after, MAX_FETCH_WAIT).await.map_err(|error| failed(&error))?;
        *kept = Some(reader);
        if let Some(fetched) = &fetched {
            self.record_ends(&fetched.ends);
        }
        Ok(fetched)
    }

    async fn ends(&self) -> Result<BTreeMap<i32, i64>, SourceError> {
        let mut kept = self.reader.lock().await;
        let mut reader = self.take_reader(&mut kept).await?;
        let ends = reader.ends().await.map_err(|error| failed(&error))?;
        *kept = Some(reader);
        self.record_ends(&ends);
        Ok(ends)
    }

    fn record_ends(&self, ends: &BTreeMap<i32, i64>) {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner).extend(ends);
    }

    async fn changed(&self, event: SongEvent) -> Result<ChangedAnalysis, SourceError> {
        let SongEvent { analysis_id, study_id, state, analysis } = event;
        let document = match analysis {
            Some(document) => Some(Box::<str>::from(document).into()),
            None => self.client.analysis(&study_id, &analysis_id).await?,
        };
        Ok(ChangedAnalysis { analysis_id, study_id, state, document, is_new: false })
    }
}

#[async_trait]
impl AnalysisSource for TopicSource {
    async fn types(&self) -> Result<Vec<AnalysisType>, SourceError> {
        self.client.types().await
    }

    async fn types_version(&self) -> Result<u64, SourceError> {
        self.types.get(&self.client).await
    }

    async fn changes(&self, after: Option<&str>, _limit: usize) -> Result<ChangeBatch, SourceError> {
        let mut offsets = offsets_of(after)?;
        loop {
            let Some(fetched) = self.fetch(&offsets).await? else {
                return Err(SourceError::UnknownPosition(after.unwrap_or_default().to_owned()));
            };
            let mut analyses = Vec::new();
            for value in &fetched.values {
                match serde_json::from_slice(value) {
                    Ok(event) => analyses.push(self.changed(event).await?),
                    Err(error) => tracing::warn!(
                        topic = self.settings.topic,
                        %error,
                        "a message of the topic is no event of SONG; it is ignored"
                    ),
                }
            }
            // Transaction markers take offsets, too.
            if !analyses.is_empty() || (fetched.offsets != offsets && !offsets.is_empty()) {
                return Ok(ChangeBatch { analyses, position: position_of(&fetched.offsets) });
            }
            offsets = fetched.offsets;
        }
    }

    fn lag(&self, position: Option<&str>) -> Option<u64> {
        let offsets = offsets_of(position).ok()?;
        let ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        let left = ends.iter().map(|(partition, end)| end - offsets.get(partition).copied().unwrap_or(0));
        Some(left.map(|left| u64::try_from(left).unwrap_or(0)).sum())
    }

    async fn snapshot(
        &self,
        studies: Option<&[String]>,
        states: &[AnalysisState],
    ) -> Result<SourceSnapshot, SourceError> {
        let position = position_of(&self.ends().await?);
        open_snapshot(AnalysisPages::open(&self.client, studies, states).await?, position, None).await
    }
}

fn kafka_settings(topic: &SongTopic) -> KafkaSettings {
    let mechanism = |name: &str| match name {
        "SCRAM-SHA-256" => SaslMechanism::ScramSha256,
        "SCRAM-SHA-512" => SaslMechanism::ScramSha512,
        _ => SaslMechanism::Plain,
    };
    KafkaSettings {
        bootstrap_servers: topic.brokers.iter().map(|broker| broker.reveal().to_owned()).collect(),
        topic: topic.topic.clone(),
        new_topic: None,
        uses_tls: topic.uses_tls,
        ca_certificate: topic.ca_certificate.clone(),
        credentials: topic.credentials.as_ref().map(|credentials| Credentials {
            mechanism: mechanism(credentials.mechanism),
            user: credentials.user.reveal().to_owned(),
            password: credentials.password.reveal().to_owned(),
        }),
    }
}

fn failed(error: &KafkaError) -> SourceError {
    tracing::debug!(error = error_chain(error), "the topic of SONG cannot be read");
    SourceError::Failed(format!("the topic of SONG: {}", error.summary()))
}

/// Parses a position: partitions with their offsets, such as `0:12,1:7`.
fn offsets_of(position: Option<&str>) -> Result<BTreeMap<i32, i64>, SourceError> {
    let Some(position) = position else { return Ok(BTreeMap::new()) };
    let read = |part: &str| {
        let (partition, offset) = part.split_once(':')?;
        Some((partition.parse().ok()?, offset.parse().ok()?))
    };
    let offsets: Option<BTreeMap<i32, i64>> = position.split(',').map(read).collect();
    offsets.ok_or_else(|| SourceError::UnknownPosition(position.to_owned()))
}

fn position_of(offsets: &BTreeMap<i32, i64>) -> String {
    offsets.iter().map(|(partition, offset)| format!("{partition}:{offset}")).collect::<Vec<_>>().join(",")
}
