"""Servers that are busy, break off, lead elsewhere or are not there."""

import contextlib
import http.server
import json
import pathlib
import pickle
import tempfile
import threading
import unittest
import unittest.mock

from cantata import Cantata, CantataError

CATALOGUE = {
    "catalogId": "files", "documentType": "file", "limits": {"maxCost": 1000, "maxResultsWindow": 100},
    "fields": {"name": {"displayName": "Name", "type": "keyword", "unit": None}},
}
TOTAL = {"data": {"file": {"hits": {"total": 2}}}}


def answer(status, body, **headers):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, content, {"Content-Length": str(len(content)), **named}


class FaultyServer(http.server.BaseHTTPRequestHandler):
    """Answers to each path with the next of its answers, and notes the requests."""

    def respond(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        self.server.requests.append((self.command, self.path, self.headers.get("Authorization"), body))
        answers = self.server.answers[self.path]
        status, body, headers = answers.pop(0) if len(answers) > 1 else answers[0]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = respond

    def log_message(self, *_):
        pass


class Faults(unittest.TestCase):
    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), FaultyServer)
        self.server.requests = []
        self.server.answers = {"/introspection/files": [answer(200, CATALOGUE)]}
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.pauses = []
        pauses = unittest.mock.patch("cantata.transport.time.sleep", self.pauses.append)
        pauses.start()
        self.addCleanup(pauses.stop)

    def answers(self, path, *answers):
        self.server.answers[path] = list(answers)

    def sent(self, path):
        return [request for request in self.server.requests if request[1] == path]

    def test_a_busy_server_is_asked_again_when_it_says_so(self):
        self.answers("/submit/S", answer(429, {}, Retry_After="7"), answer(503, {}, Retry_After="0"),
                     answer(200, {"analysisId": "a"}))
        self.assertEqual(Cantata(self.url).study("S").submit({"studyId": "S"}), "a")
        self.assertEqual(self.pauses, [7.0, 1.0])
        self.assertEqual([request[3] for request in self.sent("/submit/S")], [b'{"studyId": "S"}'] * 3)

    def test_a_server_that_asks_for_too_much_patience_is_an_error_at_once(self):
        body = {"errorId": "too.many.requests", "message": "[A::b] - later"}
        self.answers("/studies/all", answer(429, body, Retry_After="900"))
        with self.assertRaises(CantataError) as raised:
            Cantata(self.url).studies()
        self.assertEqual((str(raised.exception), raised.exception.status), ("too.many.requests: later", 429))
        self.assertEqual(self.pauses, [])

    def test_a_change_that_may_have_happened_is_not_sent_again(self):
        self.answers("/submit/S", answer(502, b"bad gateway"), answer(200, {"analysisId": "a"}))
        with self.assertRaisesRegex(CantataError, "bad gateway"):
            Cantata(self.url).study("S").submit({})
        self.assertEqual(len(self.sent("/submit/S")), 1)
        self.answers("/studies/all", answer(502, b""), answer(504, b""), answer(200, ["S"]))
        self.assertEqual(Cantata(self.url).studies(), ["S"])

    def test_an_engine_that_is_away_is_asked_again(self):
        away = {"errors": [{"message": "away", "extensions": {"code": "SERVICE_UNAVAILABLE"}}]}
        self.answers("/files/graphql", answer(200, away), answer(200, TOTAL))
        search = Cantata(self.url).catalogue("files").search()
        self.assertEqual(search.count(), 2)
        self.answers("/files/graphql", answer(200, away))
        with self.assertRaises(CantataError) as raised:
            search.count()
        self.assertEqual(raised.exception.error_id, "SERVICE_UNAVAILABLE")
        self.assertEqual(len(self.sent("/files/graphql")), 2 + 5)

    def test_a_file_that_breaks_off_is_fetched_again_or_not_there(self):
        self.answers("/files/graphql", answer(200, TOTAL))
        self.answers("/files/download", answer(200, b"name\na", Content_Length="9"), answer(200, b"name\na\nb\n"))
        search = Cantata(self.url).catalogue("files").search()
        with tempfile.TemporaryDirectory() as folder:
            target = pathlib.Path(folder, "files.tsv")
            self.assertEqual(search.download(target).read_bytes(), b"name\na\nb\n")
            target.unlink()
            self.answers("/files/download", answer(200, b"name\na", Content_Length="9"))
            with self.assertRaisesRegex(CantataError, "stopped answering"):
                search.download(target)
            self.answers("/files/download", answer(200, b"name\na\n", X_Row_Limit="files[0]=1"))
            with self.assertRaisesRegex(CantataError, "2 records are found, but the catalogue gives 1 rows"):
                search.download(target)
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])
            self.answers("/files/download", answer(200, b"name\na\nb\n"))
            with self.assertRaises(FileNotFoundError):
                search.download(pathlib.Path(folder, "no", "such", "folder.tsv"))

    def test_pages_fit_the_limits_of_the_catalogue(self):
        self.answers("/files/graphql", answer(200, {"data": {"file": {"hits": {"total": 0, "edges": []}}}}))
        self.assertEqual(list(Cantata(self.url).catalogue("files").search(columns=["name"])), [])
        [request] = self.sent("/files/graphql")
        self.assertEqual(json.loads(request[3])["variables"]["first"], 100)

    def test_a_key_is_sent_and_never_taken_elsewhere(self):
        self.answers("/studies/all", answer(200, []))
        Cantata(self.url, key="secret").studies()
        with unittest.mock.patch.dict("os.environ", {"CANTATA_KEY": "from-outside"}):
            Cantata(self.url).studies()
        self.answers("/studies/all", answer(307, b"", Location=f"{self.url}/elsewhere"))
        self.answers("/elsewhere", answer(200, []))
        with self.assertRaisesRegex(CantataError, "leads to .*/elsewhere; use that address"):
            Cantata(self.url, key="secret").studies()
        keys = [request[2] for request in self.server.requests]
        self.assertEqual(keys, ["Bearer secret", "Bearer from-outside", "Bearer secret"])

    def test_errors_are_read_in_every_form(self):
        for body, error_id, message in [
            ({"errorId": "a.b", "message": "[S::a.b] - why"}, "a.b", "why"),
            ({"errors": [{"message": "x", "extensions": {"code": "C"}}, {"message": "y"}]}, "C", "x; y"),
            ({"error": {"code": "NO_INDEX", "message": "gone"}}, "NO_INDEX", "gone"),
            ({"error": "no such catalogue"}, None, "no such catalogue"),
            (b"plain text", None, "plain text"),
            (b"", None, "the server answered with status 404 and no reason"),
        ]:
            self.answers("/studies/all", answer(404, body))
            with self.subTest(body=body), self.assertRaises(CantataError) as raised:
                Cantata(self.url).studies()
            error = pickle.loads(pickle.dumps(raised.exception))
            self.assertEqual((error.status, error.error_id, error.message), (404, error_id, message))

    def test_addresses_that_are_none_and_servers_that_are_not_there(self):
        for url in ["", "127.0.0.1:5050", "ftp://host", "http://", "http://user@host", "http://host?x=1"]:
            with self.subTest(url=url), self.assertRaises(ValueError):
                Cantata(url)
        with contextlib.closing(http.server.HTTPServer(("127.0.0.1", 0), FaultyServer).socket) as free:
            port = free.getsockname()[1]
        with self.assertRaisesRegex(CantataError, "cannot be reached"):
            Cantata(f"http://127.0.0.1:{port}").studies()
        self.assertEqual(self.pauses, [0.5, 1.0, 2.0, 4.0])
        self.answers("/studies/all", answer(200, b"<html>"))
        with self.assertRaisesRegex(CantataError, "does not answer like a Cantata server"):
            Cantata(self.url).studies()


if __name__ == "__main__":
    unittest.main()
