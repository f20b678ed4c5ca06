//! A client that writes one request after the other and notes every answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use crate::journal::{Change, Journal, UnderWay, Written};
use crate::server::http;

pub(crate) const STUDY: &str = "KILL";

pub(crate) struct Client {
    http: reqwest::Client,
    address: String,
    journal: Journal,
    random: StdRng,
    is_over: Arc<AtomicBool>,
}

impl Client {
    pub(crate) fn new(address: &str, journal: Journal, seed: u64, is_over: Arc<AtomicBool>) -> Self {
        let random = StdRng::seed_from_u64(seed);
        Self { http: http(), address: address.to_owned(), journal, random, is_over }
    }

    /// Writes until the server is gone, and returns what is known then.
    pub(crate) async fn write_until_refused(mut self) -> Journal {
        loop {
            let went_well = match self.random.random_range(0..10) {
                0..4 => self.submit_one().await,
                4 => self.submit_batch().await,
                _ => self.change().await,
            };
            if went_well.is_none() {
                assert!(self.is_over.load(Ordering::Relaxed) || self.journal.under_way.is_some());
                return self.journal;
            }
            self.journal.under_way = None;
        }
    }

    async fn submit_one(&mut self) -> Option<()> {
        let (payload, marker, files) = self.payload();
        self.journal.under_way = Some(UnderWay::Submissions { markers: vec![(marker, files)] });
        let url = format!("{}/submit/{STUDY}", self.address);
        let answer = self.http.post(url).json(&payload).send().await.ok()?;
        assert_eq!(answer.status(), 200);
        let answer: Value = answer.json().await.ok()?;
        self.note_submission(&answer, files);
        Some(())
    }

    async fn submit_batch(&mut self) -> Option<()> {
        let count = self.random.random_range(2..30);
        let (mut payloads, mut markers) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let (payload, marker, files) = self.payload();
            payloads.push(payload);
            markers.push((marker, files));
        }
        self.journal.under_way = Some(UnderWay::Submissions { markers: markers.clone() });
        let url = format!("{}/submit/{STUDY}/batch", self.address);
        let answer = self.http.post(url).json(&payloads).send().await.ok()?;
        assert_eq!(answer.status(), 200);
        let answers: Vec<Value> = answer.json().await.ok()?;
        assert_eq!(answers.len(), payloads.len());
        for (answer, (_, files)) in answers.iter().zip(markers) {
            self.note_submission(answer, files);
        }
        Some(())
    }

    fn note_submission(&mut self, answer: &Value, files: usize) {
        assert_eq!(answer["status"], "OK", "{answer}");
        let analysis_id = answer["analysisId"].as_str().unwrap().to_owned();
        let written = Written { files, changes: vec![Change::CREATE] };
        assert!(self.journal.acknowledged.insert(analysis_id, written).is_none());
    }

    async fn change(&mut self) -> Option<()> {
        let count = self.journal.acknowledged.len();
        if count == 0 {
            return Some(());
        }
        let chosen = self.random.random_range(0..count);
        let (analysis_id, written) = self.journal.acknowledged.iter().nth(chosen).unwrap();
        let (analysis_id, state) = (analysis_id.clone(), written.state());
        let base = format!("{}/studies/{STUDY}/analysis", self.address);
        let (change, request) = match self.random.random_range(0..8) {
            0..3 if state != "SUPPRESSED" => (Change::PUBLISH, self.http.put(format!("{base}/publish/{analysis_id}"))),
            3..5 if state != "SUPPRESSED" => {
                (Change::UNPUBLISH, self.http.put(format!("{base}/unpublish/{analysis_id}")))
            }
            5 => (Change::SUPPRESS, self.http.put(format!("{base}/suppress/{analysis_id}"))),
            _ => {
                let patch = json!({"round": self.random.random::<u32>()});
                (Change::update(state), self.http.patch(format!("{base}/{analysis_id}")).json(&patch))
            }
        };
        self.journal.under_way = Some(UnderWay::Change { analysis_id: analysis_id.clone(), change });
        let answer = request.send().await.ok()?;
        let status = answer.status();
        let body = answer.text().await.ok()?;
        assert_eq!(status, 200, "{body}");
        self.journal.acknowledged.get_mut(&analysis_id).unwrap().changes.push(change);
        Some(())
    }

    /// Returns a payload, the marker to know it by, and how many files it has.
    fn payload(&mut self) -> (Value, String, usize) {
        let marker = format!("{:032x}", self.random.random::<u128>());
        let count = self.random.random_range(1..6);
        let files: Vec<Value> = (0..count)
            .map(|index| {
                json!({
                    "fileName": format!("{index}.bam"), "fileSize": 1, "fileType": "bam", "fileAccess": "open",
                    "dataType": "reads", "fileMd5sum": format!("{:032x}", self.random.random::<u128>()),
                })
            })
            .collect();
        let payload = json!({
            "studyId": STUDY,
            "analysisType": {"name": "variantCall"},
            "files": files,
            "experiment": {"matchedNormalSampleSubmitterId": marker, "variantCallingTool": "t"},
        });
        (payload, marker, count)
    }
}
