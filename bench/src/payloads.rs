//! Submissions as a laboratory would send them, each with names and checksums never used before.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use crate::{Outcome, client};

/// The study that everything is submitted to.
pub(crate) const STUDY: &str = "BENCH-CA";

/// Returns the request that makes the study.
pub(crate) fn study_request() -> Vec<u8> {
    let study = json!({ "studyId": STUDY, "name": "Measured", "organization": "Bench", "description": "" });
    client::post_json(&format!("/studies/{STUDY}"), &study)
}

/// Returns this many requests that each submit one analysis.
pub(crate) fn submit_requests(count: usize, files: usize) -> Outcome<Vec<Vec<u8>>> {
    requests(&format!("/submit/{STUDY}"), count, files)
}

/// Returns this many requests that each submit and publish one analysis.
pub(crate) fn publish_requests(count: usize, files: usize) -> Outcome<Vec<Vec<u8>>> {
    requests(&format!("/submit/{STUDY}?publish=true"), count, files)
}

fn requests(path: &str, count: usize, files: usize) -> Outcome<Vec<Vec<u8>>> {
    (0..count).map(|_| Ok(client::post(path, "application/json", &serde_json::to_vec(&payload(files))?))).collect()
}

/// Returns a request that submits many analyses, one per line.
pub(crate) fn batch_request(count: usize, files: usize) -> Outcome<Vec<u8>> {
    let mut lines = Vec::new();
    for _ in 0..count {
        serde_json::to_writer(&mut lines, &payload(files))?;
        lines.push(b'\n');
    }
    Ok(client::post(&format!("/submit/{STUDY}/batch"), "application/x-ndjson", &lines))
}

fn payload(files: usize) -> Value {
    let sample = unique() as u32;
    json!({
        "studyId": STUDY,
        "analysisType": { "name": "variantCall", "version": 1 },
        "samples": [{
            "submitterSampleId": format!("SA-{sample:08x}"),
            "matchedNormalSubmitterSampleId": format!("SA-{sample:08x}-N"),
            "sampleType": "Total DNA",
            "specimen": {
                "submitterSpecimenId": format!("SP-{sample:08x}"),
                "specimenType": "Primary tumour",
                "tumourNormalDesignation": "Tumour",
                "specimenTissueSource": "Solid tissue",
            },
            "donor": { "submitterDonorId": format!("DO-{sample:08x}"), "gender": "Female" },
        }],
        "files": (0..files).map(|_| file()).collect::<Vec<_>>(),
        "experiment": {
            "matchedNormalSampleSubmitterId": format!("SA-{sample:08x}-N"),
            "variantCallingTool": "caller 4.2",
            "experimentalStrategy": "WGS",
        },
    })
}

fn file() -> Value {
    let (name, checksum) = unique_file();
    json!({
        "dataType": "Raw SV Calls",
        "fileName": name,
        "fileSize": 17_246 + checksum % 1_000_000,
        "fileType": "VCF",
        "fileAccess": "controlled",
        "fileMd5sum": format!("{checksum:032x}"),
        "info": { "analysisTools": ["caller 4.2"], "dataCategory": "Structural variation" },
    })
}

/// Returns a file name and a checksum that were never used before.
pub(crate) fn unique_file() -> (String, u128) {
    let checksum = unique();
    (format!("{:016x}.somatic.sv.vcf.gz", checksum as u64), checksum)
}

/// Returns a number that neither this run nor an earlier one has used, spread as evenly as a checksum.
pub(crate) fn unique() -> u128 {
    static FIRST: OnceLock<u64> = OnceLock::new();
    static USED: AtomicU64 = AtomicU64::new(0);
    // A run takes fewer numbers than it takes nanoseconds, so the next one begins beyond it.
    let first = FIRST.get_or_init(|| u64::try_from(jiff::Timestamp::now().as_nanosecond()).unwrap_or_default());
    let high = scatter(first.wrapping_add(USED.fetch_add(1, Ordering::Relaxed)));
    (u128::from(high) << 64) | u128::from(scatter(high))
}

/// Maps each number to another one that looks random (the finaliser of SplitMix64).
pub(crate) fn scatter(number: u64) -> u64 {
    let mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_checksum_comes_twice() {
        let all: HashSet<u128> = (0..10_000).map(|_| unique()).collect();
        assert_eq!(all.len(), 10_000);
    }

    #[test]
    fn a_file_takes_about_250_bytes_of_a_payload() {
        let size = |files| payload(files).to_string().len();
        let per_file = (size(101) - size(1)) / 100;
        assert!((200..=300).contains(&per_file), "{per_file}");
    }
}
