//! Runs the binary, in an environment that holds nothing but what a test puts there.

use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::Value;

/// Returns the binary with arguments, not started yet.
pub(crate) fn cantata(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cantata"));
    command.args(arguments).env_clear();
    command
}

/// Runs a command that is expected to end by itself; returns its exit code, standard output and standard error.
pub(crate) fn outcome(command: &mut Command) -> (i32, String, String) {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Returns a line of what the kernel says of a process, without its name.
pub(crate) fn kernel_status(process: &str, name: &str) -> String {
    let status = fs_err::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.unwrap_or_else(|| panic!("no {name} in {status}")).trim().to_owned()
}

/// A running server, which is ended with the test.
pub(crate) struct Server {
    child: Child,
    stdout: BufReader<ChildStdout>,
    /// The host and port.
    pub(crate) address: String,
}

impl Server {
    /// Starts a command on a free port and a data folder, and waits until the server is ready.
    pub(crate) fn start(command: &str, folder: &Path, more: &[&str]) -> Self {
        let mut command = cantata(&[command, "--server-port=0"]);
        let mut log = tempfile::tempfile().unwrap();
        command.arg("--data-dir").arg(folder).args(more).stderr(log.try_clone().unwrap());
        Self::of(command).unwrap_or_else(|line| {
            log.rewind().unwrap();
            panic!("not the ready line: {line:?}; the log: {}", std::io::read_to_string(log).unwrap());
        })
    }

    /// Starts a command, and waits until the server is ready; else returns what it says instead.
    pub(crate) fn of(mut command: Command) -> Result<Self, String> {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        match line.trim_end().strip_prefix("cantata is ready on http://") {
            Some(address) => Ok(Self { address: address.to_owned(), child, stdout }),
            None => Err(line),
        }
    }

    /// Returns how many threads the server has for requests and blocking work.
    pub(crate) fn runtime_threads(&self) -> usize {
        let tasks = fs_err::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        // A thread may end while the list is read.
        let names = tasks.filter_map(|task| fs_err::read_to_string(task.ok()?.path().join("comm")).ok());
        names.filter(|name| name.starts_with("tokio-rt")).count()
    }

    /// Returns how many bytes of memory belong to the server alone; pages of mapped files do not.
    pub(crate) fn own_memory(&self) -> u64 {
        let kibibytes = self.status("RssAnon");
        kibibytes.trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
    }

    /// Returns what the kernel says of the server.
    pub(crate) fn status(&self, name: &str) -> String {
        kernel_status(&self.child.id().to_string(), name)
    }

    /// Returns how many sockets the server has open.
    pub(crate) fn sockets(&self) -> usize {
        let files = fs_err::read_dir(format!("/proc/{}/fd", self.child.id())).unwrap();
        // A file may be closed while the list is read.
        let targets = files.filter_map(|file| fs_err::read_link(file.ok()?.path()).ok());
        targets.filter(|target| target.to_string_lossy().starts_with("socket:")).count()
    }

    /// Asks for a path; returns the status and the body.
    pub(crate) fn get(&self, path: &str) -> (u16, Value) {
        self.request("GET", path, "")
    }

    /// Sends a request; returns the status and the body.
    pub(crate) fn request(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        self.request_with("", method, path, body)
    }

    /// Sends a request with a credential; returns the status and the body.
    pub(crate) fn request_with(&self, credential: &str, method: &str, path: &str, body: &str) -> (u16, Value) {
        let header =
            if credential.is_empty() { String::new() } else { format!("Authorization: Bearer {credential}\r\n") };
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{header}\r\n{body}",
            self.address
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap_or_else(|error| panic!("{error} in {answer}")))
    }

    /// Returns the next line that the server writes to standard output.
    pub(crate) fn next_line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Returns the rest of what the server writes to standard output, and how it ends after a signal.
    pub(crate) fn stop(mut self, signal: &str) -> (String, ExitStatus) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &pid]).status().unwrap().success());
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        (rest, self.child.wait().unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
