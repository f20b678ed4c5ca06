//! What the storage server's answers mean for a publication.

use std::collections::HashMap;
use std::time::Duration;

use cantata_core::{
    Analysis, AnalysisId, AnalysisTypeId, Error, ErrorId, ErrorOrigin, File, FileAccess, ObjectId, Timestamp,
};
use cantata_metadata::storage::StorageClient;
use serde_json::{Map, Value, json};

use crate::server::{Answer, TestServer};

pub(crate) const MD5: &str = "595f44fec1e92a71d3e9e77456ba80d1";
pub(crate) const OTHER_MD5: &str = "73a90acaae2b1ccc0e969709665bc62f";
pub(crate) const SIZE: i64 = 1_000;

/// How an object in storage differs from what the metadata says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stored {
    AsDescribed,
    UpperCaseMd5,
    Missing,
    OtherSize,
    OtherMd5,
    NoMd5,
    OtherSizeAndMd5,
}

use Stored::*;

impl Stored {
    fn description(self, object_id: ObjectId) -> Value {
        let size = if matches!(self, OtherSize | OtherSizeAndMd5) { SIZE + 1 } else { SIZE };
        let md5 = match self {
            NoMd5 => json!(null),
            OtherMd5 | OtherSizeAndMd5 => json!(OTHER_MD5),
            UpperCaseMd5 => json!(MD5.to_uppercase()),
            AsDescribed | Missing | OtherSize => json!(MD5),
        };
        json!({"objectKey": "k", "objectId": object_id.to_string(), "parts": [], "objectSize": size, "objectMd5": md5})
    }
}

pub(crate) fn analysis(files: usize) -> Analysis {
    let analysis_id = AnalysisId::generate();
    let now = Timestamp::from_micros(1);
    let file = |n: usize| {
        let file_name = format!("f{n}.bam");
        File {
            info: Map::new(),
            object_id: ObjectId::of(analysis_id, &file_name),
            study_id: "S".into(),
            analysis_id,
            file_name,
            file_size: SIZE,
            file_type: "BAM".into(),
            file_md5sum: MD5.into(),
            file_access: FileAccess::Open,
            data_type: "d".into(),
        }
    };
    let analysis_type = AnalysisTypeId { name: "t".into(), version: 1 };
    Analysis::new(analysis_id, "S", analysis_type, (0..files).map(file).collect(), Map::new(), now)
}

/// Returns the object id in a path and whether it is asked for under `/upload`.
pub(crate) fn asked(target: &str) -> (ObjectId, bool) {
    let mut segments = target.split(['/', '?']).skip(1);
    let upload = match segments.next() {
        Some("upload") => true,
        Some("download") => false,
        other => panic!("unexpected path {other:?} in {target}"),
    };
    (ObjectId::parse(segments.next().unwrap()).unwrap(), upload)
}

async fn publish(
    analysis: &Analysis,
    stored: &[Stored],
    ignore_undefined_md5: bool,
) -> (Result<(), Error>, TestServer) {
    let objects: HashMap<ObjectId, Stored> =
        analysis.files.iter().map(|file| file.object_id).zip(stored.iter().copied()).collect();
    let server = TestServer::start(move |target| {
        let (object_id, upload) = asked(target);
        let stored = objects[&object_id];
        if upload { Answer::ok(&(stored != Missing)) } else { Answer::ok(&stored.description(object_id)) }
    })
    .await;
    let client = StorageClient::new(&server.url, Some("secret".into()), Duration::from_secs(60)).unwrap();
    (client.check_publishable(analysis, ignore_undefined_md5).await, server)
}

#[tokio::test]
async fn truth_table() {
    for (stored, when_strict, when_ignoring) in [
        (vec![AsDescribed, AsDescribed], None, None),
        (vec![AsDescribed, UpperCaseMd5], None, None),
        (vec![AsDescribed, NoMd5], Some(ErrorId::MismatchingStorageObjectChecksums), None),
        (
            vec![OtherMd5, AsDescribed],
            Some(ErrorId::MismatchingStorageObjectChecksums),
            Some(ErrorId::MismatchingStorageObjectChecksums),
        ),
        (
            vec![NoMd5, OtherMd5],
            Some(ErrorId::MismatchingStorageObjectChecksums),
            Some(ErrorId::MismatchingStorageObjectChecksums),
        ),
        (
            vec![OtherMd5, NoMd5, OtherSize],
            Some(ErrorId::MismatchingStorageObjectSizes),
            Some(ErrorId::MismatchingStorageObjectSizes),
        ),
        (
            vec![OtherSizeAndMd5],
            Some(ErrorId::MismatchingStorageObjectSizes),
            Some(ErrorId::MismatchingStorageObjectSizes),
        ),
        (
            vec![OtherMd5, NoMd5, OtherSize, Missing],
            Some(ErrorId::MissingStorageObjects),
            Some(ErrorId::MissingStorageObjects),
        ),
        (vec![Missing, AsDescribed], Some(ErrorId::MissingStorageObjects), Some(ErrorId::MissingStorageObjects)),
    ] {
        let analysis = analysis(stored.len());
        for (ignore, expected) in [(false, when_strict), (true, when_ignoring)] {
            let (checked, _) = publish(&analysis, &stored, ignore).await;
            assert_eq!(checked.as_ref().err().map(|error| error.id), expected, "{stored:?}, ignoring: {ignore}");
            if let Err(error) = checked {
                assert_eq!(error.origin, ErrorOrigin::AnalysisService);
            }
        }
    }
}

#[tokio::test]
async fn an_analysis_without_files_passes() {
    assert_eq!(publish(&analysis(0), &[], false).await.0, Ok(()));
}

#[tokio::test]
async fn missing_files_are_listed_and_nothing_is_downloaded() {
    let analysis = analysis(3);
    let (checked, server) = publish(&analysis, &[Missing, AsDescribed, Missing], false).await;
    assert_eq!(
        checked.unwrap_err().text,
        format!(
            "The following storage objectIds must be uploaded to the storage server before the analysisId {} can be \
             published: {},{}",
            analysis.analysis_id, analysis.files[0].object_id, analysis.files[2].object_id
        )
    );
    assert!(server.targets().iter().all(|target| target.starts_with("/upload/")));
}

#[tokio::test]
async fn mismatching_sizes_are_listed() {
    let analysis = analysis(3);
    let (checked, _) = publish(&analysis, &[OtherSize, OtherMd5, OtherSizeAndMd5], true).await;
    assert_eq!(
        checked.unwrap_err().text,
        format!(
            "The following file objectIds have mismatching object sizes in the storage server: [{},{}]. The analysisId \
             '{}' cannot be published until they all match.",
            analysis.files[0].object_id, analysis.files[2].object_id, analysis.analysis_id
        )
    );
}

#[tokio::test]
async fn checksums_are_listed_by_kind() {
    let analysis = analysis(4);
    let ids: Vec<_> = analysis.files.iter().map(|file| file.object_id).collect();
    let end = format!(
        "The analysisId '{}' cannot be published until all files with an undefined checksum are ignored and ones with a \
         defined checksum are matching",
        analysis.analysis_id
    );
    let text = async |stored: &[Stored], ignore| publish(&analysis, stored, ignore).await.0.unwrap_err().text;
    let begin = "Found files with a mismatching md5 checksum in the storage server. ";
    assert_eq!(
        text(&[OtherMd5, NoMd5, OtherMd5, NoMd5], false).await,
        format!(
            "{begin}ObjectIds with a defined and mismatching md5 checksum(2): [{},{}]. ObjectIds with an undefined md5 \
             checksum(2): [{},{}]. {end}",
            ids[0], ids[2], ids[1], ids[3]
        )
    );
    assert_eq!(
        text(&[AsDescribed, NoMd5, AsDescribed, AsDescribed], false).await,
        format!("{begin}ObjectIds with an undefined md5 checksum(1): [{}]. {end}", ids[1])
    );
    let warning = "[WARNING]: Ignoring objectIds with an undefined MD5 checksum. ";
    assert_eq!(
        text(&[OtherMd5, NoMd5, AsDescribed, AsDescribed], true).await,
        format!(
            "{warning}{begin}ObjectIds with a defined and mismatching md5 checksum(1): [{}]. IGNORED objectIds with an \
             undefined md5 checksum(1): [{}]. {end}",
            ids[0], ids[1]
        )
    );
}

#[tokio::test]
async fn each_file_is_asked_for_in_the_form_the_storage_server_knows() {
    let analysis = analysis(1);
    let (checked, server) = publish(&analysis, &[AsDescribed], false).await;
    assert_eq!(checked, Ok(()));
    let id = analysis.files[0].object_id;
    assert_eq!(
        server.targets(),
        [format!("/download/{id}?offset=0&length=-1&exclude-urls=true"), format!("/upload/{id}")]
    );
    for request in server.received() {
        assert!(request.head.starts_with("GET "), "{}", request.head);
        assert_eq!(request.header("authorization"), Some("Bearer secret"));
    }
}

#[tokio::test]
async fn many_files_are_checked_and_listed_in_their_order() {
    let analysis = analysis(300);
    let stored: Vec<Stored> = (0..300).map(|n| if n % 7 == 3 { Missing } else { AsDescribed }).collect();
    let expected: Vec<String> =
        analysis.files.iter().skip(3).step_by(7).map(|file| file.object_id.to_string()).collect();
    let text = publish(&analysis, &stored, false).await.0.unwrap_err().text;
    assert!(text.ends_with(&format!("published: {}", expected.join(","))), "{text}");
}

#[tokio::test]
async fn checks_can_run_on_any_thread() {
    let server = TestServer::start(|_| Answer::ok(&false)).await;
    let client = StorageClient::new(&server.url, None, Duration::from_secs(60)).unwrap();
    let checked = tokio::spawn(async move { client.check_publishable(&analysis(1), false).await });
    assert_eq!(checked.await.unwrap().unwrap_err().id, ErrorId::MissingStorageObjects);
}
