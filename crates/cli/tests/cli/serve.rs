//! `cantata serve`: starting, refusing to start, stopping, starting again.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::json;

use crate::process::{Server, cantata, kernel_status, outcome};

#[test]
fn it_answers_once_ready_and_stops_when_told() {
    for signal in ["TERM", "INT"] {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start("serve", folder.path(), &[]);
        assert_eq!(server.get("/isAlive"), (200, json!(true)));
        let (rest, status) = server.stop(signal);
        assert_eq!((rest.as_str(), status.code()), ("", Some(0)));
    }
}

#[test]
fn a_server_that_answers_may_have_huge_pages_if_its_parent_may() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start("serve", folder.path(), &[]);
    assert_eq!(server.get("/isAlive"), (200, json!(true)));
    assert_eq!(server.status("THP_enabled"), kernel_status("self", "THP_enabled"));
}

#[test]
fn a_second_server_on_the_same_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start("serve", folder.path(), &[]);
    let data_dir = format!("--data-dir={}", folder.path().display());
    for arguments in [&["serve", "--server-port=0", &data_dir][..], &["demo", "--fresh", "--server-port=0", &data_dir]]
    {
        let (code, stdout, stderr) = outcome(&mut cantata(arguments));
        assert_eq!((code, stdout.as_str()), (1, ""));
        assert!(stderr.contains("another running server") && stderr.contains("DATA_DIR"), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    }
    assert_eq!(server.get("/studies/all"), (200, json!([])));
}

#[test]
fn a_port_that_is_taken_is_refused() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let server = Server::start("serve", folders[0].path(), &[]);
    let port = server.address.rsplit(':').next().unwrap();
    let mut command = cantata(&["serve", "--server-port", port, "--data-dir"]);
    let (code, _, stderr) = outcome(command.arg(folders[1].path()));
    assert_eq!(code, 1);
    assert!(stderr.contains(&server.address) && stderr.contains("SERVER_PORT"), "{stderr}");
}

#[test]
fn a_folder_that_cannot_be_made_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs_err::write(&file, "").unwrap();
    let mut command = cantata(&["serve", "--server-port=0", "--data-dir"]);
    let (code, _, stderr) = outcome(command.arg(file.join("data")));
    assert_eq!(code, 1);
    assert!(stderr.contains("file/data") && stderr.contains("DATA_DIR"), "{stderr}");
}

#[test]
fn a_limit_of_open_files_that_is_too_low_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("/bin/sh");
    command.env_clear().args(["-c", "ulimit -n 24 && exec \"$@\"", "sh", env!("CARGO_BIN_EXE_cantata")]);
    let (code, _, stderr) = outcome(command.args(["serve", "--server-port=0", "--data-dir"]).arg(folder.path()));
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("limit of open files is 24") && stderr.contains("ulimit -n 4096"), "{stderr}");
}

/// Returns everything below a folder, itself included, with its permissions.
fn permissions(path: &Path) -> Vec<(PathBuf, u32)> {
    let mode = fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
    let mut found = vec![(path.to_owned(), mode)];
    if path.is_dir() {
        let entries = fs_err::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
        entries.for_each(|path| found.extend(permissions(&path)));
    }
    found
}

#[test]
fn only_its_owner_may_read_the_data_folder() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let server = Server::start("serve", &data, &[]);
    assert_eq!(server.request("POST", "/studies/S1/", &json!({"studyId": "S1"}).to_string()).0, 200);
    assert_eq!(server.request("PUT", "/admin/indexes/files", "").0, 201);
    server.stop("TERM");
    let found = permissions(&data);
    assert!(found.len() > 5, "{found:?}");
    for (path, mode) in found {
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, expected, "{}", path.display());
    }
}

#[test]
fn data_is_there_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let study = json!({"studyId": "S1", "name": "One"});
    let server = Server::start("serve", folder.path(), &[]);
    let (status, _) = server.request("POST", "/studies/S1/", &study.to_string());
    assert_eq!(status, 200);
    server.stop("TERM");
    let server = Server::start("serve", folder.path(), &[]);
    assert_eq!(server.get("/studies/S1"), (200, study));
}

#[test]
fn catalogues_are_served_once_their_folder_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let configs = folder.path().join("configs");
    for is_there in [false, true] {
        let data = folder.path().join(format!("data-{is_there}"));
        let server = Server::start("serve", &data, &["--configs-path", configs.to_str().unwrap()]);
        let count = || server.get("/introspection").1["catalogCount"].clone();
        assert_eq!(count(), 0);
        assert_eq!(server.get("/studies/all"), (200, json!([])), "the metadata service does not need them");
        fs_err::create_dir_all(configs.join("plants")).unwrap();
        let base = json!({"documentType": "plant", "esIndex": "plants"});
        fs_err::write(configs.join("plants/base.json"), base.to_string()).unwrap();
        for _ in 0..600 {
            if count() == 1 {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        assert_eq!(count(), 1);
        // The next server finds the folder empty.
        fs_err::remove_dir_all(configs.join("plants")).unwrap();
    }
}

#[test]
fn settings_reach_the_services() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start("serve", folder.path(), &["--body-limit=100"]);
    let (status, error) = server.request("POST", "/studies/S1/", &json!({"studyId": "S".repeat(100)}).to_string());
    assert_eq!((status, &error["errorId"]), (413, &json!("payload.too.large")));
}

#[test]
fn variables_of_other_servers_are_reported() {
    let mut command = cantata(&["serve", "--server-port=0", "--data-dir", "/dev/null/x", "--log-format=json"]);
    let (_, _, stderr) = outcome(command.env("PORT", "1").env("SEARCH_CLIENT_TYPE", "es"));
    assert!(stderr.contains("PORT is not used; use SERVER_PORT"), "{stderr}");
    assert!(stderr.contains("SEARCH_CLIENT_TYPE is not used; use SEARCH_ENGINE"), "{stderr}");
    for (variable, advice) in [
        ("SPRING_PROFILES_ACTIVE", "set AUTH_MODE"),
        ("SPRING_DATASOURCE_URL", "use DATABASE_URL"),
        ("SPRING_KAFKA_BOOTSTRAPSERVERS", "use KAFKA_BOOTSTRAP_SERVERS"),
        ("AUTH_SERVER_KEYCLOAK_REALM", "use JWT_JWKS_URL"),
        ("SCORE_CLIENTCREDENTIALS_ID", "use SCORE_ACCESS_TOKEN"),
        ("SPRING_MAIN_BANNERMODE", "docs/migration.md"),
        ("LOGGING_LEVEL_BIO_OVERTURE", "use LOG"),
        ("AUTH_SERVER_ANYTHING", "docs/configuration.md"),
        ("ENABLE_LOGS", "use LOG"),
        ("MCP_PORT", "MCP is at /mcp"),
    ] {
        let mut command = cantata(&["serve", "--server-port=0", "--data-dir", "/dev/null/x", "--log-format=json"]);
        let (_, _, stderr) = outcome(command.env(variable, "4711"));
        assert_eq!(stderr.matches(&format!("{variable} is not used; {advice}")).count(), 1, "{stderr}");
        assert!(!stderr.contains("4711"), "{stderr}");
    }
    let (_, _, stderr) = outcome(command.env("PORT", "").env("SEARCH_CLIENT_TYPE", ""));
    assert!(!stderr.contains("is not used"), "{stderr}");
}

/// The allocator keeps memory for each thread, so their number is bounded, however many clients there are.
#[test]
fn blocking_work_has_no_more_threads_than_it_may_have() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start("serve", folder.path(), &["--auth-mode=none", "--blocking-threads=2"]);
    let study = json!({"studyId": "S1", "name": "One"});
    assert_eq!(server.request("POST", "/studies/S1/", &study.to_string()).0, 200);
    let workers = std::thread::available_parallelism().unwrap().get();
    let list = || (0..20).all(|_| server.get("/studies/S1/analysis?analysisStates=PUBLISHED").0 == 200);
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..64).map(|_| scope.spawn(list)).collect();
        assert!(clients.into_iter().all(|client| client.join().unwrap()));
    });
    let threads = server.runtime_threads();
    assert!(threads <= workers + 2, "{threads} threads, of which {workers} serve requests");
}
