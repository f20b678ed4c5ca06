//! The portal with a name, a logo and colours of its own.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::json;

use crate::process::{Server, cantata, outcome};

const LOGO: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1"/></svg>"#;

#[test]
fn pages_learn_name_colours_and_logo() {
    let folder = tempfile::tempdir().unwrap();
    let texts = json!({ "name": "Northern Atlas", "logo": "logo.svg", "colours": { "light": "#7a1f3d" } });
    fs_err::write(folder.path().join("portal.json"), texts.to_string()).unwrap();
    fs_err::write(folder.path().join("logo.svg"), LOGO).unwrap();
    let flag = format!("--portal-texts={}", folder.path().join("portal.json").display());
    let server = Server::start("serve", &folder.path().join("data"), &[&flag]);
    let (status, settings) = server.get("/portal/settings.json");
    assert_eq!((status, &settings["name"]), (200, &json!("Northern Atlas")));
    assert_eq!((&settings["logo"], &settings["colours"]), (&json!("/portal/logo"), &json!({ "light": "#7a1f3d" })));

    let mut stream = TcpStream::connect(&server.address).unwrap();
    write!(stream, "GET /portal/logo HTTP/1.0\r\nHost: {}\r\n\r\n", server.address).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("content-type: image/svg+xml") && head.contains("default-src 'none'"), "{head}");
    assert_eq!(body, LOGO);
}

#[test]
fn without_a_logo_there_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start("serve", folder.path(), &[]);
    assert_eq!(server.get("/portal/settings.json").1.get("logo"), None);
    assert_eq!(server.get("/portal/logo").0, 404);
}

#[test]
fn what_cannot_be_used_stops_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("portal.json");
    fs_err::write(folder.path().join("page.html"), "<html>").unwrap();
    for (texts, reason) in [
        (json!({ "colours": { "light": "#ffcc00" } }), "choose a darker colour"),
        (json!({ "logo": "nowhere.svg" }), "nowhere.svg"),
        (json!({ "logo": "page.html" }), "found neither an SVG nor a PNG picture"),
        (json!({ "titel": "Atlas" }), "unknown field `titel`"),
    ] {
        fs_err::write(&file, texts.to_string()).unwrap();
        let mut command = cantata(&["serve", "--portal-texts"]);
        command.arg(&file).arg("--data-dir").arg(folder.path().join("data"));
        let (code, _, stderr) = outcome(&mut command);
        assert!(code == 2 && stderr.contains(reason), "{code}: {stderr}");
    }
}
