//! How soon the server is ready, and how much memory it takes when it has nothing to do.

use std::path::Path;
use std::time::Duration;

use crate::Outcome;
use crate::metadata::MetadataBench;
use crate::report::{self, Figure, Limit};
use crate::server_process::ServerProcess;

/// How often each start is measured; starting is quick.
const STARTS: usize = 5;

/// How long after its start a server counts as idle.
const SETTLED: Duration = Duration::from_secs(3);

pub(super) fn measure(bench: &MetadataBench) -> Outcome<Vec<Figure>> {
    let mut figures = Vec::new();
    let mut new_folder = Starts::new("a new folder");
    for _ in 0..STARTS {
        new_folder.add(bench.new_folder()?.path())?;
    }
    figures.extend(new_folder.figures());
    let full = bench.copy_of_full_store()?;
    let mut full_folder = Starts::new(&format!("{} files", bench.full_files));
    for _ in 0..STARTS {
        full_folder.add(full.path())?;
    }
    figures.extend(full_folder.figures());
    figures.push(idle_memory("a new folder", bench.new_folder()?.path())?.required(Limit::AtMost(40.0)));
    figures.push(idle_memory(&format!("{} files", bench.full_files), full.path())?);
    Ok(figures)
}

/// The starts on one kind of folder.
struct Starts {
    ready: Figure,
    alive: Figure,
}

impl Starts {
    fn new(folder: &str) -> Self {
        let figure = |what| Figure::alone(format!("{what}, {folder}"), "ms").required(Limit::AtMost(300.0));
        Self { ready: figure("Start to ready line"), alive: figure("Start to first answer") }
    }

    fn add(&mut self, folder: &Path) -> Outcome<()> {
        let server = ServerProcess::cantata(folder)?;
        self.alive.add(server.alive_after()?.as_secs_f64() * 1e3);
        self.ready.add(server.ready_after.as_secs_f64() * 1e3);
        server.stop()
    }

    fn figures(self) -> [Figure; 2] {
        [self.ready, self.alive]
    }
}

fn idle_memory(name: &str, folder: &Path) -> Outcome<Figure> {
    let server = ServerProcess::cantata(folder)?;
    std::thread::sleep(SETTLED);
    let mut memory = Figure::alone(format!("Idle memory, {name}"), "MB");
    memory.add(server.memory()?);
    report::progress(&format!("idle memory, {name}: {:.1} MB", server.memory()?));
    server.stop()?;
    Ok(memory)
}
