//! Listing a study, against reading the same documents from the database.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use crate::client::get;
use crate::metadata::start_with_study;
use crate::part_bench::PartBench;
use crate::payloads::STUDY;
use crate::report::{self, Figure, Limit};
use crate::{Outcome, seeding};

pub(super) fn measure(bench: &PartBench) -> Outcome<Vec<Figure>> {
    let (folder, server) = start_with_study(bench)?;
    let mut connection = server.connect()?;
    seeding::fill(&server, bench.size.analyses, 1)?;
    let request = get(&format!("/studies/{STUDY}/analysis?analysisStates=UNPUBLISHED"));
    let rows = StudyRows::open(folder.path())?;
    let documents = rows.read()?;
    let listed = connection.exchange(&request)?.len();
    // Two brackets and a comma between each two.
    if documents.count != bench.size.analyses || listed != documents.bytes + documents.count + 1 {
        return Err(format!("the server listed {listed} bytes, its rows have {}", documents.bytes).into());
    }
    let name = format!("List a study of {} analyses", bench.size.analyses);
    let mut time = Figure::compared(name, "ms").required(Limit::AtMost(3.0));
    for round in 1..=bench.size.rounds {
        repeat(bench.size.warm_up, || rows.read().map(|_| ()))?;
        let theirs = repeat(bench.size.duration, || rows.read().map(|_| ()))?;
        repeat(bench.size.warm_up, || connection.send(&request))?;
        let ours = repeat(bench.size.duration, || connection.send(&request))?;
        report::progress(&format!("list, round {round}: {ours:.1} ms, rows {theirs:.1} ms"));
        time.add_compared(ours, theirs);
    }
    let memory = Figure::alone("Memory after listing", "MB").with(server.memory()?);
    server.stop()?;
    Ok(vec![time, memory])
}

/// Returns how many milliseconds the work takes on average, over so long.
fn repeat(duration: Duration, mut work: impl FnMut() -> Outcome<()>) -> Outcome<f64> {
    let start = Instant::now();
    let mut times = 0;
    while start.elapsed() < duration {
        work()?;
        times += 1;
    }
    Ok(start.elapsed().as_secs_f64() * 1e3 / f64::from(times))
}

/// The least program that could list a study: a loop over its rows.
struct StudyRows(Connection);

/// What was read, so that a listing that leaves something out is noticed.
struct Documents {
    count: usize,
    bytes: usize,
}

impl StudyRows {
    fn open(folder: &Path) -> Outcome<Self> {
        Ok(Self(Connection::open_with_flags(folder.join("metadata.db"), OpenFlags::SQLITE_OPEN_READ_ONLY)?))
    }

    fn read(&self) -> Outcome<Documents> {
        let mut select = self.0.prepare_cached(
            "SELECT document FROM analysis JOIN event ON event.seq = analysis.revision
             WHERE analysis.study_key = (SELECT study_key FROM study WHERE study_id = ?1) AND analysis.state = 0
             ORDER BY analysis.analysis_id",
        )?;
        let documents: Vec<String> = select.query_map([STUDY], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        Ok(Documents { count: documents.len(), bytes: documents.iter().map(String::len).sum() })
    }
}
