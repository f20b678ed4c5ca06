//! The server as a process that sends its events to Kafka.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cantata_testkit::{Payload, TestClient, kafka};
use serde_json::Value;
use tokio::task::JoinHandle;

/// The study of everything here.
pub(crate) const STUDY: &str = "KAFKA";

/// How often something is looked for until the test gives up.
const MAX_POLLS: usize = 1_200;

/// A running server; dropping it ends it.
pub(crate) struct Server {
    child: Child,
    address: String,
}

impl Server {
    /// Starts a server on a folder.
    pub(crate) fn start(folder: &Path, broker: &str, topic: &str, variables: &[(&str, &str)]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_cantata"))
            .args(["serve", "--server-port=0", "--data-dir"])
            .arg(folder)
            .env_clear()
            .env("KAFKA_BOOTSTRAP_SERVERS", broker)
            .env("KAFKA_TOPIC", topic)
            .env("KAFKA_PARTITIONS", "3")
            .env("LOG", "warn")
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines.find_map(|line| line.ok()?.strip_prefix("cantata is ready on ").map(str::to_owned));
        Self { child, address: address.expect("the server did not start") }
    }

    pub(crate) async fn client(&self) -> TestClient {
        TestClient::connect(&self.address).await
    }

    /// Ends the process without any warning.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends a signal to the process.
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Tells the process to stop, and waits until it has.
    pub(crate) fn stop(&mut self) {
        self.signal("TERM");
        assert!(self.child.wait().unwrap().success());
    }

    /// Returns what the server says of its way to Kafka.
    pub(crate) async fn outbox(&self) -> Value {
        self.client().await.get("/admin/outbox").await.ok()
    }

    /// Waits until the server says of its way to Kafka what it should.
    pub(crate) async fn until(&self, what: &str, is_so: impl Fn(&Value) -> bool) {
        for _ in 0..MAX_POLLS {
            if is_so(&self.outbox().await) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("waited in vain for {what}; it is {}", self.outbox().await);
    }

    /// Waits until all events there are were sent by this server.
    pub(crate) async fn until_sent(&self) {
        self.until("everything to be sent", |outbox| outbox["behind"] == 0).await;
    }

    /// Holds the topic against the events that the server shows.
    pub(crate) async fn assert_complete(&self, broker: &str, topic: &str) {
        let events = self.client().await.events_after(0).await;
        let events: Vec<(u64, String)> = events.into_iter().map(|event| (event.id, event.text)).collect();
        kafka::assert_complete(&kafka::records(broker, topic).await, &events);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Clients that submit, publish and unpublish until they are told to stop or the server is gone.
pub(crate) struct Writers {
    is_over: Arc<AtomicBool>,
    tasks: Vec<JoinHandle<()>>,
}

impl Writers {
    pub(crate) fn start(server: &Server) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let tasks = (0..4).map(|_| tokio::spawn(write(server.address.clone(), Arc::clone(&is_over)))).collect();
        Self { is_over, tasks }
    }

    pub(crate) async fn end(self) {
        self.is_over.store(true, Ordering::Relaxed);
        for task in self.tasks {
            task.await.unwrap();
        }
    }
}

async fn write(address: String, is_over: Arc<AtomicBool>) {
    let http = reqwest::Client::new();
    while !is_over.load(Ordering::Relaxed) {
        let payload = Payload::new(STUDY).with_files(1).build();
        let Ok(submitted) = http.post(format!("{address}/submit/{STUDY}")).json(&payload).send().await else { return };
        let Ok(submitted) = submitted.json::<Value>().await else { return };
        let id = submitted["analysisId"].as_str().unwrap();
        for action in ["publish", "unpublish", "publish", "unpublish", "suppress"] {
            let url = format!("{address}/studies/{STUDY}/analysis/{action}/{id}");
            let Ok(answer) = http.put(url).send().await else { return };
            assert_eq!(answer.status(), 200);
        }
    }
}
