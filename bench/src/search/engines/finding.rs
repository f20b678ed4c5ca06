//! What people look for by a part of a name, a word or a list, and what they take away: the same from both sides.
//!
//! Each search is sent once. Both sides must find as many records by each; the first hundred of a kind, which are not
//! measured, show it before anything is.

use std::ops::RangeFrom;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::pages::Sides;
use crate::Outcome;
use crate::client::{Connection, post_json};
use crate::latency::Latencies;
use crate::report::{self, Figure, Limit};
use crate::search::SearchBench;
use crate::search::filters::match_all;
use crate::search::graphql::{Order, ask_any, request};
use crate::search::importing::read_files;
use crate::search::portal::{ROWS, rows_query};

/// How many searches of a kind a round has.
const SEARCHES: usize = 100;

/// How many rounds are measured.
const ROUNDS: usize = 5;

/// How long a side is left alone before it is measured. The other one goes on in the background after its searches: a Java
/// machine compiles what it ran.
const REST: Duration = Duration::from_secs(1);

/// How many files are in a set.
const SET_MEMBERS: u64 = 1_000;

/// How many rows an export has.
const EXPORT_ROWS: usize = 10_000;

/// The fields of the quick search, as extended.json has them.
const QUICK_FIELDS: [&str; 6] = [
    "object_id",
    "file_id",
    "file_name",
    "donors.donor_id",
    "donors.specimens.specimen_id",
    "donors.specimens.samples.sample_id",
];

/// A kind of search whose condition follows from four digits.
struct SearchKind {
    name: &'static str,
    /// How much of OpenSearch's time it may take.
    limit: Option<f64>,
    condition: fn(u64) -> Value,
}

/// One search, as each side is asked.
struct Search {
    ours: Vec<u8>,
    theirs: Vec<u8>,
    /// What our side is asked afterwards, so that nothing is left behind.
    after: Option<Vec<u8>>,
}

/// Sends a request, and returns how long the answer took and how much it found.
type Probe = fn(&mut Connection, &[u8]) -> Outcome<(Duration, u64)>;

/// How each side is asked.
#[derive(Clone, Copy)]
struct Probes {
    ours: Probe,
    theirs: Probe,
}

#[derive(Deserialize)]
struct RowsAnswer {
    hits: Rows,
}

#[derive(Deserialize)]
struct Rows {
    hits: Vec<IgnoredAny>,
}

pub(super) fn measure(bench: &SearchBench, sides: &Sides<'_>) -> Outcome<Vec<Figure>> {
    let probes = Probes {
        ours: |connection, request| total(connection, request, "/data/file/hits/total"),
        theirs: |connection, request| total(connection, request, "/hits/total/value"),
    };
    let mut numbers = 0..;
    let mut figures = Vec::new();
    for kind in kinds() {
        let search = |recorded: &mut Connection, number: u64| {
            let ours = rows(&(kind.condition)(four_digits(number)));
            Outcome::Ok(Search { theirs: sides.direct(recorded, &ours)?, ours, after: None })
        };
        let figure = compare(bench, sides, kind.name, probes, &mut numbers, search)?;
        figures.push(match kind.limit {
            Some(limit) => figure.required(Limit::AtMost(limit)),
            None => figure,
        });
    }
    let documents = bench.corpus.documents;
    let set = |recorded: &mut Connection, number: u64| saved_set(sides, recorded, documents, number);
    figures.push(compare(
        bench,
        sides,
        &format!("Records of a set of {SET_MEMBERS} files"),
        probes,
        &mut numbers,
        set,
    )?);
    let probes = Probes { ours: exported_rows, theirs: fetched_rows };
    let table = |recorded: &mut Connection, _: u64| export(sides, recorded);
    figures.push(compare(bench, sides, &format!("Export of {EXPORT_ROWS} rows"), probes, &mut numbers, table)?);
    Ok(figures)
}

fn kinds() -> [SearchKind; 6] {
    [
        kind("Wildcard *1234* in file_name", Some(0.1), |digits| {
            texts("wildcard", &["file_name"], &format!("*{digits}*"))
        }),
        kind("Wildcard *1234* in file_name and donors.donor_id", Some(0.1), |digits| {
            texts("wildcard", &["file_name", "donors.donor_id"], &format!("*{digits}*"))
        }),
        kind("Wildcard fl01234* in file_id", Some(0.3), |digits| {
            texts("wildcard", &["file_id"], &format!("fl0{digits}*"))
        }),
        kind("Fuzzy FL012347x in file_id", Some(0.2), |digits| texts("fuzzy", &["file_id"], &format!("FL0{digits}7x"))),
        kind("Word do0001234 in file_name", Some(0.3), |digits| one_of("file_name", &[format!("do000{digits}")])),
        kind("Quick search for 1234", None, |digits| texts("wildcard", &QUICK_FIELDS, &format!("*{digits}*"))),
    ]
}

fn kind(name: &'static str, limit: Option<f64>, condition: fn(u64) -> Value) -> SearchKind {
    SearchKind { name, limit, condition }
}

/// Returns four digits, others for each of 9,000 numbers in a row.
fn four_digits(number: u64) -> u64 {
    1_000 + number * 7_919 % 9_000
}

fn texts(operator: &str, fields: &[&str], value: &str) -> Value {
    json!({ "op": operator, "content": { "fieldNames": fields, "value": value } })
}

fn one_of(field: &str, values: &[String]) -> Value {
    json!({ "op": "in", "content": { "fieldName": field, "value": values } })
}

/// Returns the request for the first rows that a filter passes, and how many there are.
fn rows(filters: &Value) -> Vec<u8> {
    request(&rows_query(), &json!({ "filters": filters, "sort": Order::BY_SIZE.to_json(), "first": ROWS }))
}

/// Saves files, evenly spread over all, as a set; returns the search for them by the set. The server would ask
/// OpenSearch for the members of a set.
fn saved_set(sides: &Sides<'_>, recorded: &mut Connection, documents: u64, number: u64) -> Outcome<Search> {
    let stride = (documents / SET_MEMBERS).max(1);
    let members: Vec<String> =
        (0..SET_MEMBERS).map(|member| format!("FL{:07}", number % stride + member * stride)).collect();
    let members = one_of("file_id", &members);
    let query = "mutation ($sqon: JSON!) { saveSet(type: file, sqon: $sqon, path: \"file_id\") { setId } }";
    let saved = ask_any(&mut sides.embedded.connect()?, &request(query, &json!({ "sqon": members })))?;
    let set_id = saved["saveSet"]["setId"].as_str().ok_or("the server saved no set")?;
    let delete = "mutation ($setId: String!) { deleteSet(setId: $setId) }";
    Ok(Search {
        ours: rows(&one_of("file_id", &[format!("set_id:{set_id}")])),
        theirs: sides.direct(recorded, &rows(&members))?,
        after: Some(request(delete, &json!({ "setId": set_id }))),
    })
}

/// Returns an export of the first rows; OpenSearch is asked for as many whole documents at once, as its window allows.
fn export(sides: &Sides<'_>, recorded: &mut Connection) -> Outcome<Search> {
    let (filters, sort) = (match_all().never_sent(), Order::BY_SIZE.to_json());
    let file = json!({ "fileType": "tsv", "fileName": "rows", "sqon": filters, "sort": sort, "maxRows": EXPORT_ROWS });
    let query = "query ($filters: JSON, $sort: [Sort], $first: Int) { file { \
                 hits(filters: $filters, sort: $sort, first: $first) { edges { node { file_name } } } } }";
    let page = request(query, &json!({ "filters": filters, "sort": sort, "first": EXPORT_ROWS }));
    Ok(Search {
        ours: post_json("/files/download", &json!({ "files": [file] })),
        theirs: sides.direct(recorded, &page)?,
        after: None,
    })
}

/// Measures a kind of search.
fn compare(
    bench: &SearchBench,
    sides: &Sides<'_>,
    name: &str,
    probes: Probes,
    numbers: &mut RangeFrom<u64>,
    search: impl Fn(&mut Connection, u64) -> Outcome<Search>,
) -> Outcome<Figure> {
    let mut figure = Figure::compared(format!("{name}, p50"), "ms");
    for round in 0..=ROUNDS {
        let mut recorded = sides.recorded.connect()?;
        let searches: Vec<Search> =
            numbers.by_ref().take(SEARCHES).map(|number| search(&mut recorded, number)).collect::<Outcome<_>>()?;
        // What nobody has read for a while may be gone from the page cache, and each search reads other documents.
        for folder in [bench.data_folder(), sides.node.data_folder()] {
            read_files(&folder)?;
        }
        let mut node = sides.node.connect()?;
        std::thread::sleep(REST);
        let theirs: Vec<(Duration, u64)> =
            searches.iter().map(|search| (probes.theirs)(&mut node, &search.theirs)).collect::<Outcome<_>>()?;
        let mut embedded = sides.embedded.connect()?;
        std::thread::sleep(REST);
        let ours: Vec<(Duration, u64)> =
            searches.iter().map(|search| (probes.ours)(&mut embedded, &search.ours)).collect::<Outcome<_>>()?;
        for (number, ((_, ours), (_, theirs))) in ours.iter().zip(&theirs).enumerate() {
            if ours != theirs {
                let search = String::from_utf8_lossy(&searches[number].theirs).into_owned();
                return Err(format!("{name}: the embedded engine found {ours}, OpenSearch {theirs}: {search}").into());
            }
        }
        for request in searches.iter().filter_map(|search| search.after.as_deref()) {
            embedded.send(request)?;
        }
        let found: u64 = ours.iter().map(|(_, found)| found).sum();
        let p50 = |timed: &[(Duration, u64)]| Latencies::of(timed.iter().map(|(time, _)| *time)).p50();
        let (ours, theirs) = (p50(&ours), p50(&theirs));
        if round == 0 {
            report::progress(&format!("{name}: both sides find the same, {} on average", found / SEARCHES as u64));
        } else {
            report::progress(&format!("  round {round}: {ours:.2} ms, OpenSearch {theirs:.2} ms"));
            figure.add_compared(ours, theirs);
        }
    }
    Ok(figure)
}

/// Sends a search and returns how long it took, and the total at a place of its answer.
fn total(connection: &mut Connection, request: &[u8], place: &str) -> Outcome<(Duration, u64)> {
    let elapsed = connection.time(request)?;
    let answer: Value = serde_json::from_slice(connection.body())?;
    let total = answer.pointer(place).and_then(Value::as_u64);
    Ok((elapsed, total.ok_or_else(|| format!("expected a total at {place}, found {answer}"))?))
}

/// Sends a request for whole documents and returns how long it took, and how many came.
fn fetched_rows(connection: &mut Connection, request: &[u8]) -> Outcome<(Duration, u64)> {
    let elapsed = connection.time(request)?;
    let answer: RowsAnswer = serde_json::from_slice(connection.body())?;
    Ok((elapsed, answer.hits.hits.len() as u64))
}

/// Sends a request for a table and returns how long it took, and how many rows it has below its header.
fn exported_rows(connection: &mut Connection, request: &[u8]) -> Outcome<(Duration, u64)> {
    let begun = Instant::now();
    let downloaded = connection.download(request)?;
    Ok((begun.elapsed(), downloaded.lines.saturating_sub(1) as u64))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_search_comes_twice() {
        let numbers = (kinds().len() * (ROUNDS + 1) * SEARCHES) as u64;
        let digits: HashSet<u64> = (0..numbers).map(four_digits).collect();
        assert_eq!(digits.len() as u64, numbers);
        assert!(digits.iter().all(|digits| (1_000..10_000).contains(digits)));
    }
}
