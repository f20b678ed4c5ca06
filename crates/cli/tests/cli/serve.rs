//! `cantata serve`: starting, refusing to start, stopping, starting again.

use serde_json::json;

use crate::process::{Server, cantata, outcome};

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
    ] {
        let mut command = cantata(&["serve", "--server-port=0", "--data-dir", "/dev/null/x", "--log-format=json"]);
        let (_, _, stderr) = outcome(command.env(variable, "4711"));
        assert_eq!(stderr.matches(&format!("{variable} is not used; {advice}")).count(), 1, "{stderr}");
        assert!(!stderr.contains("4711"), "{stderr}");
    }
    let (_, _, stderr) = outcome(command.env("PORT", "").env("SEARCH_CLIENT_TYPE", ""));
    assert!(!stderr.contains("is not used"), "{stderr}");
}
