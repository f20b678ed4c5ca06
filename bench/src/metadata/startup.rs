//! How soon the server is ready, and how much memory it takes when it has nothing to do.

use std::path::Path;
use std::time::Duration;

use crate::Outcome;
use crate::client::get;
use crate::metadata::{copy_of_full_store, full_files};
use crate::part_bench::PartBench;
use crate::report::{self, Figure, Limit};
use crate::server_process::ServerProcess;

/// How often each start is measured; starting is quick.
const STARTS: usize = 5;

/// How long after its start a server counts as idle.
const IDLE_DELAY: Duration = Duration::from_secs(3);

pub(super) fn measure(bench: &PartBench) -> Outcome<Vec<Figure>> {
    let new_folder = || bench.workspace.new_folder();
    let mut figures = starts("a new folder", || start(new_folder()?.path()))?;
    let full = copy_of_full_store(bench)?;
    let full_name = format!("{} files", full_files(bench));
    figures.extend(starts(&full_name, || start(full.path()))?);
    let [all, own] = idle_memory("a new folder", new_folder()?.path())?;
    figures.extend([all.required(Limit::AtMost(40.0)), own]);
    figures.extend(idle_memory(&full_name, full.path())?);
    Ok(figures)
}

/// Measures the starts on one kind of folder.
fn starts(folder: &str, start: impl Fn() -> Outcome<[Duration; 2]>) -> Outcome<Vec<Figure>> {
    let mut figures = ["Start to ready line", "Start to first answer"]
        .map(|name| Figure::alone(format!("{name}, {folder}"), "ms").required(Limit::AtMost(300.0)));
    for _ in 0..STARTS {
        for (figure, time) in figures.iter_mut().zip(start()?) {
            figure.add(time.as_secs_f64() * 1e3);
        }
    }
    Ok(figures.into())
}

/// Returns how long a server takes until it says that it is ready, and until it has answered.
fn start(folder: &Path) -> Outcome<[Duration; 2]> {
    let server = ServerProcess::cantata(folder)?;
    let times = [server.ready_after, server.answered_after(&get("/isAlive"))?];
    server.stop()?;
    Ok(times)
}

/// Returns what an idle server has in memory, and what of it is its own.
fn idle_memory(folder_name: &str, folder: &Path) -> Outcome<[Figure; 2]> {
    let server = ServerProcess::cantata(folder)?;
    std::thread::sleep(IDLE_DELAY);
    let memory = server.memory_parts()?;
    report::progress(&format!("idle memory, {folder_name}: {:.1} MB", memory.all));
    server.stop()?;
    let figure = |name: &str, megabytes| Figure::alone(format!("{name}, {folder_name}"), "MB").with(megabytes);
    Ok([figure("Idle memory", memory.all), figure("Idle memory without mapped files", memory.own)])
}
