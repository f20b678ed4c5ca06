//! The types that every server knows.

use cantata_schema::{PayloadValidator, builtin_types, check_registration};
use serde_json::{Value, json};

use crate::samples::{messages, payload};

fn check(name: &str, experiment: Value) -> Vec<String> {
    let builtin = builtin_types().iter().find(|builtin| builtin.id.name == name).unwrap();
    let validator = PayloadValidator::compile(&builtin.schema).unwrap();
    messages(&validator.validate_submission(&payload(experiment))).into_iter().collect()
}

#[test]
fn both_could_have_been_registered() {
    let ids: Vec<_> = builtin_types().iter().map(|builtin| builtin.id.to_string()).collect();
    assert_eq!(ids, ["variantCall:1", "sequencingRead:1"]);
    for builtin in builtin_types() {
        check_registration(&builtin.schema).unwrap();
    }
}

#[test]
fn variant_calls_name_their_normal_and_their_tool() {
    let valid = json!({"matchedNormalSampleSubmitterId": "n", "variantCallingTool": "t"});
    assert_eq!(check("variantCall", valid), [""; 0]);
    assert_eq!(
        check("variantCall", json!({"variantCallingTool": 5})),
        [
            "#/experiment/variantCallingTool: expected type: String, found: Integer",
            "#/experiment: required key [matchedNormalSampleSubmitterId] not found",
        ]
    );
}

#[test]
fn sequencing_reads_have_a_strategy_and_nullable_details() {
    for strategy in
        ["WGS", "WXS", "RNA-Seq", "ChIP-Seq", "miRNA-Seq", "Bisulfite-Seq", "Validation", "Amplicon", "Other"]
    {
        assert_eq!(check("sequencingRead", json!({"libraryStrategy": strategy})), [""; 0]);
    }
    let full = json!({
        "libraryStrategy": "WGS", "aligned": true, "pairedEnd": null, "insertSize": 900, "alignmentTool": null,
        "referenceGenome": "GRCh38",
    });
    assert_eq!(check("sequencingRead", full), [""; 0]);
    assert_eq!(
        check("sequencingRead", json!({"libraryStrategy": "wgs", "insertSize": "900"})),
        [
            "#/experiment/insertSize: expected type: Integer, found: String",
            "#/experiment/insertSize: expected: null, found: String",
            "#/experiment/libraryStrategy: wgs is not a valid enum value",
        ]
    );
}
