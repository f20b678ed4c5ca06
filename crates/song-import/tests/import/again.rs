//! Importing again: nothing is doubled, what changed is brought up to date, and an import that was cut off goes on.

use cantata_core::{Analysis, AnalysisState, EventAction, Timestamp};
use cantata_song_import::RecordKind;
use cantata_store::{AnalysisChange, ReplaceOutcome};
use cantata_testkit::song;
use serde_json::json;

use crate::target::{Target, compared, figures, reason};

const FIRST: &str = "2772f99d-a956-4bb2-b2f9-9da956abb2b2";
const SECOND: &str = "00000000-0000-1000-8000-000000000001";

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_doubled() {
    let song = song::before_5_3();
    for target in [Target::sqlite(), Target::postgres().await] {
        let once = target.take(&song).await;
        let (events, first) = (target.events(), target.analysis(FIRST).await);
        let twice = target.take(&song).await;
        assert_eq!((twice.new, twice.updated, twice.unchanged), (0, 0, 5));
        assert_eq!(twice.comparisons, once.comparisons);
        assert!(twice.is_complete());
        assert_eq!(target.events(), events);
        assert_eq!(target.analysis(FIRST).await, first);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_changed_in_song_is_brought_up_to_date() {
    let song = song::since_5_3();
    for target in [Target::sqlite(), Target::postgres().await] {
        target.take(&song).await;
        song.run(&format!(
            "UPDATE analysis_data SET data = data || '{{\"round\": 2}}' WHERE id = 2;
             UPDATE analysis SET state = 'PUBLISHED', updated_at = '2030-01-01' WHERE id = '{SECOND}';
             INSERT INTO analysis_state_change (id, analysis_id, initial_state, updated_state, updated_at)
             VALUES (100, '{SECOND}', 'UNPUBLISHED', 'PUBLISHED', '2030-01-01');
             DELETE FROM file WHERE id = '20000000-0000-5000-8000-000000000000';
             UPDATE file SET size = 5 WHERE id = '870f2122-e77a-53a9-8df2-f912b76f1f80';
             INSERT INTO analysis_schema (id, version, name, schema, created_at)
             VALUES (50, 3, 'variantCall', '{{}}', '2030-01-01');
             INSERT INTO study VALUES ('NEW', NULL, NULL, NULL);
             INSERT INTO analysis VALUES ('c0000000-0000-4000-8000-000000000000', 'NEW', NULL, 'UNPUBLISHED', 50, NULL);"
        ));
        let events = target.events();
        let report = target.take(&song).await;
        assert!(report.is_complete(), "{report}");
        assert_eq!((report.new, report.updated, report.unchanged), (1, 2, 3));
        assert_eq!(figures(&report)[2], (6, 0, 6));
        let second = target.analysis(SECOND).await.unwrap();
        assert_eq!((&second["analysisState"], &second["round"]), (&json!("PUBLISHED"), &json!(2)));
        assert_eq!(second["files"].as_array().unwrap().len(), 1);
        assert_eq!(target.analysis(FIRST).await.unwrap()["files"][1]["fileSize"], 5);
        let actions: Vec<EventAction> =
            target.store.events_after(events, 10).await.unwrap().iter().map(|event| event.action).collect();
        assert_eq!(actions.len(), 3);
        assert!(actions.contains(&EventAction::Publish) && actions.contains(&EventAction::Update), "{actions:?}");
        // For the other store.
        song.run(&format!(
            "UPDATE analysis SET state = 'UNPUBLISHED', updated_at = '2019-03-31 02:30:00' WHERE id = '{SECOND}';
             UPDATE analysis_data SET data = data - 'round' WHERE id = 2;
             DELETE FROM analysis_state_change WHERE id = 100;
             INSERT INTO file SELECT '20000000-0000-5000-8000-000000000000', analysis_id, study_id, name, 1, md5, type,
                 access, data_type FROM file WHERE id = '10000000-0000-5000-8000-000000000000';
             UPDATE file SET size = 123 WHERE id = '870f2122-e77a-53a9-8df2-f912b76f1f80';
             DELETE FROM analysis WHERE study_id = 'NEW';
             DELETE FROM study WHERE id = 'NEW';
             DELETE FROM analysis_schema WHERE id = 50;"
        ));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_changed_here_stays_and_is_told() {
    let song = song::since_5_3();
    let target = Target::sqlite();
    target.take(&song).await;
    let id = cantata_core::AnalysisId::parse(SECOND).unwrap();
    let stored = target.store.analysis(id).await.unwrap().unwrap();
    let before: Analysis = serde_json::from_str(&stored.document).unwrap();
    let mut after = before.clone();
    after.change_state(AnalysisState::Published, Timestamp::now()).unwrap();
    let change = AnalysisChange::between(stored.revision, &before, &after, EventAction::Publish).unwrap();
    assert!(matches!(target.store.replace_analysis(change).await.unwrap(), ReplaceOutcome::Stored(_)));
    let report = target.take(&song).await;
    assert!(!report.is_complete());
    assert!(reason(&report, RecordKind::Analysis, SECOND).contains("changed here after it was imported"));
    assert_eq!(compared(&report, RecordKind::Analysis).refused, 1);
    assert_eq!(target.analysis(SECOND).await.unwrap()["analysisState"], "PUBLISHED");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_that_was_cut_off_goes_on() {
    let song = song::empty();
    song.run(
        "INSERT INTO study VALUES ('S', NULL, NULL, NULL);
         INSERT INTO analysis_schema (id, version, name, schema) VALUES (1, 1, 't', '{}');
         INSERT INTO analysis_data SELECT n, jsonb_build_object('n', n) FROM generate_series(1, 2000) AS n;
         INSERT INTO analysis SELECT format('%s-0000-4000-8000-000000000000', lpad(to_hex(n), 8, '0')), 'S', NULL,
             'UNPUBLISHED', 1, n, '2020-01-01'::timestamp + n * interval '1 second', '2021-01-01'
             FROM generate_series(1, 2000) AS n;
         INSERT INTO file SELECT format('%s-0000-5000-8000-000000000000', lpad(to_hex(n), 8, '0')),
             format('%s-0000-4000-8000-000000000000', lpad(to_hex(n), 8, '0')), 'S', 'f', n, lpad(to_hex(n), 32, '0'),
             'x', 'open', 'd' FROM generate_series(1, 2000) AS n;",
    );
    let target = Target::sqlite();
    {
        let cut_off = target.try_take(&song);
        tokio::pin!(cut_off);
        let mut stored = target.store.latest_event();
        tokio::select! {
            _ = &mut cut_off => panic!("nothing was cut off"),
            _ = stored.wait_for(|stored| *stored > 100) => {}
        }
    }
    // The writes that were under way end before this one does.
    target.store.create_study(serde_json::from_value(json!({"studyId": "LATER"})).unwrap()).await.unwrap();
    let taken = target.events();
    assert!(taken < 2000, "{taken}");
    let report = target.take(&song).await;
    assert!(report.is_complete(), "{report}");
    assert_eq!((report.new, report.unchanged), (2000 - taken, taken));
    assert_eq!(target.events(), 2000);
    assert_eq!(figures(&report)[3], (2000, 0, 2000));
}
