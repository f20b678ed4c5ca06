//! A server as a process of its own: started, watched from outside, stopped.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::Outcome;
use crate::client::Connection;
use crate::process_memory::ProcessMemory;

/// What comes before the address in the line that a server prints when it is ready.
const READY: &str = "is ready on http://";

/// How many ticks of the kernel's accounting make a second; Linux shows times to programs in these on every machine.
const TICKS_PER_SECOND: f64 = 100.0;

/// Returns the start of a command of Cantata, as built beside this program, on a data folder.
pub(crate) fn cantata(folder: &Path) -> Outcome<Command> {
    let program = std::env::current_exe()?.with_file_name("cantata");
    if !program.try_exists()? {
        let path = program.display();
        return Err(format!("there is no server to measure at {path}; build it with the same profile").into());
    }
    let mut command = Command::new(program);
    // The settings of the environment must not change what is measured.
    command.env_clear().env("DATA_DIR", folder).env("LOG", "warn");
    Ok(command)
}

/// Returns the command that starts Cantata on a data folder with settings: names of environment variables, and their
/// values.
pub(crate) fn serve_command(folder: &Path, settings: &[(&str, &dyn AsRef<OsStr>)]) -> Outcome<Command> {
    let mut command = cantata(folder)?;
    command.env("SERVER_PORT", "0").envs(settings.iter().copied()).arg("serve");
    Ok(command)
}

/// A running server, which is killed when this is dropped.
pub(crate) struct ServerProcess {
    child: Child,
    started: Instant,
    pub(crate) address: SocketAddr,
    /// How long it took from its start until it said that it was ready.
    pub(crate) ready_after: Duration,
    /// Kept open, because a server that cannot print may stop.
    _output: BufReader<ChildStdout>,
}

impl ServerProcess {
    /// Starts Cantata, as built beside this program, on a data folder.
    pub(crate) fn cantata(folder: &Path) -> Outcome<Self> {
        Self::with_settings(folder, &[])
    }

    /// Starts Cantata on a data folder with settings: names of environment variables, and their values.
    pub(crate) fn with_settings(folder: &Path, settings: &[(&str, &dyn AsRef<OsStr>)]) -> Outcome<Self> {
        Self::start(serve_command(folder, settings)?)
    }

    /// Starts Cantata on a data folder with the catalogues of a folder of configurations.
    pub(crate) fn with_catalogues(folder: &Path, configs: &Path) -> Outcome<Self> {
        Self::with_settings(folder, &[("CONFIGS_PATH", &configs)])
    }

    /// Starts the server that always answers with the same document.
    pub(crate) fn fixed(bytes: usize) -> Outcome<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["fixed-server", "--bytes", &bytes.to_string()]);
        Self::start(command)
    }

    /// Starts a server by a command.
    pub(crate) fn start(mut command: Command) -> Outcome<Self> {
        let started = Instant::now();
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut output = BufReader::new(child.stdout.take().ok_or("the server has no output")?);
        let mut line = String::new();
        while output.read_line(&mut line)? > 0 {
            if let Some((_, address)) = line.trim_end().split_once(READY) {
                let ready_after = started.elapsed();
                let address = address.trim_end_matches('/').parse()?;
                return Ok(Self { child, started, address, ready_after, _output: output });
            }
            line.clear();
        }
        Err(format!("the server ended before it was ready: {}", child.wait()?).into())
    }

    /// Sends a request and returns how long after its start the server had answered it.
    pub(crate) fn answered_after(&self, request: &[u8]) -> Outcome<Duration> {
        self.connect()?.exchange(request)?;
        Ok(self.started.elapsed())
    }

    pub(crate) fn connect(&self) -> Outcome<Connection> {
        Connection::open(self.address)
    }

    /// Returns the number of the process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the memory of the process that is in RAM, in megabytes (of 1,000,000 bytes).
    pub(crate) fn memory(&self) -> Outcome<f64> {
        Ok(self.memory_parts()?.all)
    }

    /// Returns what the memory of the process that is in RAM consists of.
    pub(crate) fn memory_parts(&self) -> Outcome<ProcessMemory> {
        ProcessMemory::of(self.child.id())
    }

    /// Returns how many seconds of processor time the process has used.
    pub(crate) fn processor_seconds(&self) -> Outcome<f64> {
        let statistics = fs_err::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        // The name of the program, in brackets, may have blanks; user and system time are the 12th and 13th after it.
        let (_, fields) = statistics.rsplit_once(')').ok_or("the kernel shows no times")?;
        let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
        Ok(ticks.sum::<Result<f64, _>>()? / TICKS_PER_SECOND)
    }

    /// Tells the server to stop and waits until it has.
    pub(crate) fn stop(mut self) -> Outcome<()> {
        let asked = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status()?;
        let ended = self.child.wait()?;
        if asked.success() && ended.success() { Ok(()) } else { Err(format!("the server stopped with {ended}").into()) }
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // A process that has ended already cannot be killed, which is as well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
