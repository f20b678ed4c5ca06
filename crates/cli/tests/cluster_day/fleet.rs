//! Three servers on one database behind a plain round-robin proxy; each of them, and the database, can be ended and started.

use std::io::{BufRead, BufReader};
use std::net::TcpListener as PortFinder;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cantata_testkit::databases::DedicatedPostgres;
use rand::Rng;
use serde_json::json;
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};

/// How many servers there are.
pub(crate) const SERVERS: usize = 3;

/// How many lines of a log a test shows that fails.
const SHOWN_LINES: usize = 40;

/// A process with its output, which is kept open.
type Running = (Child, BufReader<ChildStdout>);

/// The servers and their database.
pub(crate) struct Fleet {
    pub(crate) database: DedicatedPostgres,
    folders: Vec<TempDir>,
    configs: TempDir,
    ports: Vec<u16>,
    /// Settings that all of them have.
    variables: Vec<(String, String)>,
    running: Mutex<Vec<Option<Running>>>,
}

impl Fleet {
    /// Starts the servers; returns them with the first key, which allows everything. Where the nodes of a cluster are named,
    /// it searches; else each server has its own copy of the index.
    pub(crate) fn start(nodes: Option<&str>, index: &str) -> (Self, String) {
        let configs = tempfile::tempdir().unwrap();
        let base = json!({"catalogId": "files", "documentType": "file", "esIndex": index, "enableSets": true});
        fs_err::write(configs.path().join("base.json"), base.to_string()).unwrap();
        let source = json!({"source": {"document": "file-centric"}});
        fs_err::write(configs.path().join("source.json"), source.to_string()).unwrap();
        let database = DedicatedPostgres::start();
        let mut variables = vec![
            ("DATABASE_URL".to_owned(), database.address().to_owned()),
            ("AUTH_MODE".to_owned(), "api-key".to_owned()),
        ];
        variables.extend(nodes.map(|nodes| ("ES_HOST".to_owned(), nodes.to_owned())));
        let fleet = Self {
            database,
            folders: (0..SERVERS).map(|_| tempfile::tempdir().unwrap()).collect(),
            configs,
            ports: free_ports(SERVERS),
            variables,
            running: Mutex::new((0..SERVERS).map(|_| None).collect()),
        };
        let (child, mut stdout) = fleet.launch(0).unwrap();
        let mut lines = [String::new(), String::new()];
        for line in &mut lines {
            stdout.read_line(line).unwrap();
        }
        assert!(lines[0].contains("The first key"), "{lines:?}");
        fleet.running()[0] = Some((child, stdout));
        for nth in 1..SERVERS {
            fleet.restart(nth);
        }
        let key = lines[1].trim_end().to_owned();
        (fleet, key)
    }

    /// Returns the processes, also after an assertion has failed: they are to be ended then.
    fn running(&self) -> MutexGuard<'_, Vec<Option<Running>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the addresses of the servers.
    pub(crate) fn bases(&self) -> Vec<String> {
        self.ports.iter().map(|port| format!("http://127.0.0.1:{port}")).collect()
    }

    /// Returns the ports of the servers.
    pub(crate) fn ports(&self) -> Vec<u16> {
        self.ports.clone()
    }

    /// Starts a process; nothing if it ends before it is ready, as it does while the database is away.
    fn launch(&self, nth: usize) -> Option<Running> {
        let folder = self.folders[nth].path();
        let log = fs_err::OpenOptions::new().create(true).append(true).open(folder.join("log")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_cantata"));
        command.arg("serve").env_clear().env("DATA_DIR", folder.join("data"));
        command.env("SERVER_PORT", self.ports[nth].to_string()).env("CONFIGS_PATH", self.configs.path());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        let mut child = command.stdout(Stdio::piped()).stderr(log.into_parts().0).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        if line.starts_with("cantata is ready on ") {
            return Some((child, stdout));
        }
        child.wait().unwrap();
        None
    }

    /// Starts a server that was ended.
    pub(crate) fn restart(&self, nth: usize) {
        let running = (0..600).find_map(|_| {
            let running = self.launch(nth);
            if running.is_none() {
                std::thread::sleep(Duration::from_millis(100));
            }
            running
        });
        assert!(running.is_some(), "server {nth} does not start: {}", self.log(nth));
        self.running()[nth] = running;
    }

    /// Sends a signal to a server, which must not have ended by itself.
    fn signal(&self, nth: usize, signal: &str) {
        let mut running = self.running();
        let (child, _) = running[nth].as_mut().unwrap();
        let ended = child.try_wait().unwrap();
        assert!(ended.is_none(), "server {nth} has ended by itself, {ended:?}: {}", self.log(nth));
        send_signal(&child.id().to_string(), signal);
    }

    /// Ends a server by a signal, and waits until it has ended.
    pub(crate) fn end(&self, nth: usize, signal: &str) {
        self.signal(nth, signal);
        let ended = self.running()[nth].take();
        let (mut child, _) = ended.unwrap();
        child.wait().unwrap();
    }

    /// Stops a server for a time, as a machine does that hangs: its connections stay open.
    pub(crate) fn hang(&self, nth: usize, time: Duration) {
        self.signal(nth, "STOP");
        std::thread::sleep(time);
        self.signal(nth, "CONT");
    }

    /// Returns what a server has logged.
    fn log(&self, nth: usize) -> String {
        fs_err::read_to_string(self.folders[nth].path().join("log")).unwrap_or_default()
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        if std::thread::panicking() {
            for nth in 0..SERVERS {
                let log = self.log(nth);
                let lines: Vec<&str> = log.lines().collect();
                let last = &lines[lines.len().saturating_sub(SHOWN_LINES)..];
                eprintln!("the end of the log of server {nth}: {last:#?}");
            }
        }
        for (mut child, _) in self.running().iter_mut().filter_map(Option::take) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

pub(crate) fn send_signal(pid: &str, signal: &str) {
    assert!(Command::new("kill").args(["-s", signal, pid]).status().unwrap().success(), "no process {pid}");
}

/// Returns ports that are free. What is killed gets the same one when it starts again, so they are none of those that the
/// system gives to connections meanwhile.
pub(crate) fn free_ports(count: usize) -> Vec<u16> {
    let mut found: Vec<PortFinder> = Vec::new();
    while found.len() < count {
        let port: u16 = rand::rng().random_range(20_000..32_000);
        found.extend(PortFinder::bind(("127.0.0.1", port)));
    }
    found.iter().map(|listener| listener.local_addr().unwrap().port()).collect()
}

/// Starts a proxy that gives each connection to the next server that accepts it; returns its address.
pub(crate) async fn round_robin(ports: Vec<u16>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let (ports, next) = (Arc::new(ports), Arc::new(AtomicUsize::new(0)));
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let (ports, first) = (Arc::clone(&ports), next.fetch_add(1, Ordering::Relaxed));
            tokio::spawn(async move {
                for nth in 0..ports.len() {
                    let port = ports[(first + nth) % ports.len()];
                    if let Ok(mut server) = TcpStream::connect(("127.0.0.1", port)).await {
                        let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
                        return;
                    }
                }
            });
        }
    });
    base
}
