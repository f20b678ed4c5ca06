//! `cantata download`.

use serde_json::{Value, json};

use super::site::{Site, read, read_lines};

fn plants(downloads: &Value) -> Site {
    Site::with_plants(&json!({"documentType": "plant", "esIndex": "plants", "downloads": downloads}))
}

#[test]
fn everything_is_written_in_every_format() {
    let site = plants(&json!({"maxRows": 0}));
    let tsv = site.ok(&["download", "plants", "--columns=name,height", "--sort=name"]);
    assert_eq!(tsv.lines().take(2).collect::<Vec<_>>(), ["Name\tHeight", "Daisy\t12.5"]);
    assert_eq!(tsv.lines().count(), 5);
    let csv = site.ok(&["download", "plants", "edible=true", "--columns=name", "--format=csv"]);
    assert_eq!(csv, "Name\r\nDaisy\r\nSunflower\r\n");
    let list = site.json(&["download", "plants", "name=Daisy", "--columns=name,seeds"]);
    assert_eq!(list, json!([{"name": "Daisy", "seeds": 9_007_199_254_740_993_u64}]));
    let lines = site.ok(&["download", "plants", "--columns=name", "--format=jsonl"]);
    assert_eq!(read_lines(&lines).len(), 4);
    assert_eq!(site.ok(&["download", "plants", "name=none", "--columns=name"]), "Name\n");

    for (format, start) in [("parquet", &b"PAR1"[..]), ("arrow", b"\xff\xff\xff\xff"), ("xlsx", b"PK\x03\x04")] {
        let file = site.path().join(format!("plants.{format}"));
        site.ok(&["download", "plants", "--format", format, "-o", file.to_str().unwrap()]);
        assert!(fs_err::read(&file).unwrap().starts_with(start), "{format}");
        let output = site.command(&["query", "plants", "--format", format]).output().unwrap();
        assert!(output.status.success() && output.stdout.starts_with(start), "{format}: {output:?}");
    }
    site.refused(2, &["query", "plants", "--count", "--format=parquet"], &["--format", "parquet"]);

    let file = site.path().join("plants.json");
    let (code, stdout, stderr) = site.run(&["download", "plants", "--format=json", "-o", file.to_str().unwrap()]);
    assert_eq!((code, stdout.as_str()), (0, ""));
    assert!(stderr.ends_with("plants.json: 4 records\n"), "{stderr}");
    assert_eq!(read(&fs_err::read_to_string(&file).unwrap()).as_array().unwrap().len(), 4);
}

#[test]
fn nothing_is_cut_without_a_word() {
    let site = plants(&json!({"maxRows": 2}));
    site.refused(
        1,
        &["download", "plants"],
        &["4 records are found", "gives 2 rows", "--max-rows 2", "downloads.maxRows"],
    );
    assert_eq!(site.ok(&["download", "plants", "--max-rows=2"]).lines().count(), 3);
    site.refused(1, &["download", "plants", "--max-rows=1"], &["allowCustomMaxRows"]);
    assert_eq!(site.ok(&["download", "plants", "name=Daisy"]).lines().count(), 2);

    let site = plants(&json!({"maxRows": 2, "allowCustomMaxRows": true}));
    assert_eq!(site.ok(&["download", "plants"]).lines().count(), 5);
    assert_eq!(site.ok(&["download", "plants", "--max-rows=3"]).lines().count(), 4);
}

#[test]
fn what_cannot_be_had_is_told_and_leaves_no_file() {
    let site = plants(&json!({"maxRows": 0}));
    let file = site.path().join("out.tsv");
    let path = file.to_str().unwrap();
    site.refused(1, &["download", "none", "-o", path], &["none"]);
    site.refused(1, &["download", "plants", "hight=1", "-o", path], &["hight"]);
    site.refused(1, &["download", "plants", "--columns=hight", "-o", path], &["hight", "--fields"]);
    site.refused(1, &["download", "plants", "-o", "/none/out.tsv"], &["/none/out.tsv"]);
    assert!(!file.is_file());
    let site = Site::with_plants(&json!({"documentType": "plant", "esIndex": "plants", "disableDownloads": true}));
    site.refused(4, &["download", "plants", "name=Daisy"], &["ownload"]);
}
