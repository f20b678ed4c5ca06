//! Reads everything back and compares it with what the clients know.

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::client::STUDY;
use crate::journal::{Change, Journal, UnderWay, Written};
use crate::server::http;

pub(crate) async fn create_study(address: &str) {
    let url = format!("{address}/studies/{STUDY}/");
    let answer = http().post(url).json(&json!({"studyId": STUDY})).send().await.unwrap();
    assert_eq!(answer.status(), 200);
}

/// Proves that the server has what was acknowledged, settles what was under way, and finds nothing else.
pub(crate) async fn everything_acknowledged_is_there(address: &str, journals: &mut [Journal]) {
    let listed = listed_analyses(address).await;
    let events = events_by_analysis(address).await;
    let under_way: Vec<_> = journals.iter_mut().map(|journal| journal.under_way.take()).collect();
    for (journal, under_way) in journals.iter_mut().zip(under_way) {
        match under_way {
            None => {}
            Some(UnderWay::Change { analysis_id, change }) => {
                let written = journal.acknowledged.get_mut(&analysis_id).unwrap();
                if events[&analysis_id].len() > written.changes.len() {
                    written.changes.push(change);
                }
            }
            Some(UnderWay::Submissions { markers }) => {
                for (marker, files) in markers {
                    let found = listed.iter().find(|(_, analysis)| {
                        analysis["experiment"]["matchedNormalSampleSubmitterId"] == marker.as_str()
                    });
                    if let Some((analysis_id, _)) = found {
                        let written = Written { files, changes: vec![Change::CREATE] };
                        journal.acknowledged.entry(analysis_id.clone()).or_insert(written);
                    }
                }
            }
        }
    }
    let mut known = 0;
    let mut files = 0;
    for (analysis_id, written) in journals.iter().flat_map(|journal| &journal.acknowledged) {
        let analysis = listed.get(analysis_id).unwrap_or_else(|| panic!("{analysis_id} is lost"));
        check_analysis(analysis, written);
        check_events(&events[analysis_id], analysis, written);
        known += 1;
        files += written.files;
    }
    assert_eq!(listed.len(), known, "there are analyses that nobody submitted");
    assert_eq!(events.len(), known, "there are events of analyses that nobody submitted");
    check_files(address, &listed, files).await;
}

fn check_analysis(analysis: &Value, written: &Written) {
    assert_eq!(analysis["analysisState"], written.state(), "{analysis}");
    assert_eq!(analysis["files"].as_array().unwrap().len(), written.files, "{analysis}");
    let moves = written.changes.iter().filter(|change| !matches!(change.action, "CREATE" | "UPDATE"));
    let expected: Vec<&str> = moves.map(|change| change.state).collect();
    let history = analysis["analysisStateHistory"].as_array().unwrap();
    let found: Vec<&str> = history.iter().map(|change| change["updatedState"].as_str().unwrap()).collect();
    assert_eq!(found, expected, "{analysis}");
}

fn check_events(events: &[Value], analysis: &Value, written: &Written) {
    let found: Vec<_> = events.iter().map(|event| (event["action"].as_str(), event["state"].as_str())).collect();
    let expected: Vec<_> = written.changes.iter().map(|change| (Some(change.action), Some(change.state))).collect();
    assert_eq!(found, expected, "{analysis}");
    assert_eq!(&events.last().unwrap()["analysis"], analysis);
}

/// Every file of every analysis is found by its object id, and there are no others.
async fn check_files(address: &str, listed: &HashMap<String, Value>, expected: usize) {
    let http = http();
    let page: Value = http.get(format!("{address}/entities?size=1")).send().await.unwrap().json().await.unwrap();
    assert_eq!(page["totalElements"], expected);
    for file in listed.values().flat_map(|analysis| analysis["files"].as_array().unwrap()).step_by(17) {
        let url = format!("{address}/entities/{}", file["objectId"].as_str().unwrap());
        let entity: Value = http.get(url).send().await.unwrap().json().await.unwrap();
        assert_eq!(entity["gnosId"], file["analysisId"], "{entity}");
    }
}

async fn listed_analyses(address: &str) -> HashMap<String, Value> {
    let url = format!("{address}/studies/{STUDY}/analysis?analysisStates=PUBLISHED,UNPUBLISHED,SUPPRESSED");
    let analyses: Vec<Value> = http().get(url).send().await.unwrap().json().await.unwrap();
    let count = analyses.len();
    let by_id: HashMap<String, Value> =
        analyses.into_iter().map(|analysis| (analysis["analysisId"].as_str().unwrap().to_owned(), analysis)).collect();
    assert_eq!(by_id.len(), count, "an analysis is listed twice");
    by_id
}

/// Returns the events of each analysis in order, having checked that their numbers have no gap.
async fn events_by_analysis(address: &str) -> HashMap<String, Vec<Value>> {
    let text = http().get(format!("{address}/events?after=0&follow=false")).send().await.unwrap().text().await.unwrap();
    let mut events: HashMap<String, Vec<Value>> = HashMap::new();
    let mut numbers = 1..;
    for line in text.lines() {
        if let Some(id) = line.strip_prefix("id:") {
            assert_eq!(id.trim().parse::<u64>().ok(), numbers.next(), "event numbers have a gap");
        }
        if let Some(data) = line.strip_prefix("data:") {
            let event: Value = serde_json::from_str(data.trim()).unwrap();
            events.entry(event["analysisId"].as_str().unwrap().to_owned()).or_default().push(event);
        }
    }
    events
}

/// SQLite itself finds nothing wrong with its files.
pub(crate) fn databases_are_sound(folder: &Path) {
    for name in ["metadata.db", "lookup.db"] {
        let database = rusqlite::Connection::open(folder.join(name)).unwrap();
        let verdict: String = database.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(verdict, "ok", "{name}");
        let broken: i64 =
            database.query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| row.get(0)).unwrap();
        assert_eq!(broken, 0, "{name}");
    }
}

/// Fails when tables of PostgreSQL do not say the same.
pub(crate) const TABLES_AGREE: &str = "
    SET search_path TO cantata;
    DO $$ BEGIN
        IF (SELECT last FROM event_counter) <> (SELECT count(*) FROM event) THEN
            RAISE 'events are not counted right';
        END IF;
        IF EXISTS (SELECT FROM analysis LEFT JOIN event ON seq = revision AND event.analysis_id = analysis.analysis_id
                   AND event.state = analysis.state WHERE seq IS NULL) THEN
            RAISE 'an analysis is at a revision that is not there';
        END IF;
        IF EXISTS (SELECT study_key, state, count(*) FROM analysis GROUP BY study_key, state
                   EXCEPT SELECT study_key, state, analyses FROM analysis_count) THEN
            RAISE 'analyses are not counted right';
        END IF;
    END $$";
