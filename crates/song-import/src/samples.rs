//! Converts samples, specimens and donors of databases before 5.3.0 to the member `samples`, which replaced them.

use serde_json::{Map, Value, json};

use crate::error::RowError;
use crate::exact_json;
use crate::rows::SampleRow;

/// Converts the samples of an analysis.
pub(crate) fn samples(rows: &[SampleRow]) -> Result<Value, RowError> {
    let mut samples: Vec<Value> = Vec::new();
    let mut last = None;
    for row in rows {
        // Nothing keeps the table from naming a sample twice; it is one sample all the same.
        let id = row.sample_id.as_deref().unwrap_or_default();
        if last.replace(id) != Some(id) {
            samples.push(sample(row).map_err(|reason| format!("its sample '{id}' {reason}"))?);
        }
    }
    Ok(Value::Array(samples))
}

fn sample(row: &SampleRow) -> Result<Value, RowError> {
    let found = (&row.found_sample, &row.found_specimen, &row.found_donor);
    let (Some(sample_id), Some(specimen_id), Some(donor_id)) = found else {
        return Err("is not in the database, or its specimen or donor is not".into());
    };
    let specimen = json!({
        "specimenId": specimen_id,
        "specimenType": row.specimen_type,
        "submitterSpecimenId": row.submitter_specimen_id,
        "tumourNormalDesignation": row.tumour_normal_designation,
        "specimenTissueSource": row.specimen_tissue_source,
    });
    let donor = json!({"donorId": donor_id, "submitterDonorId": row.submitter_donor_id, "gender": row.gender});
    let sample = json!({
        "sampleId": sample_id,
        "submitterSampleId": row.submitter_sample_id,
        "sampleType": row.sample_type,
        "matchedNormalSubmitterSampleId": row.matched_normal_submitter_sample_id,
        "specimen": with_info(specimen, row.specimen_info.as_deref())?,
        "donor": with_info(donor, row.donor_info.as_deref())?,
    });
    with_info(sample, row.sample_info.as_deref())
}

/// Adds what was recorded beside the columns, where there is something.
fn with_info(mut value: Value, info: Option<&str>) -> Result<Value, RowError> {
    let info: Map<String, Value> = exact_json::parse_object(info)
        .map_err(|reason| format!("has an info record that cannot be imported: {reason}"))?;
    if let (Some(members), false) = (value.as_object_mut(), info.is_empty()) {
        members.insert("info".to_owned(), Value::Object(info));
    }
    Ok(value)
}
