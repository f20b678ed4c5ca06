"""A real server of the project, CANTATA_BIN, with a data folder of its own."""

import atexit
import functools
import json
import os
import re
import subprocess
import tempfile
import time
import urllib.request

#: How long a server may take to have all its documents, in seconds.
START_LIMIT = 600


class Server:
    """A server that runs until it is closed."""

    def __init__(self, command):
        self._folder = tempfile.TemporaryDirectory()
        arguments = [os.environ["CANTATA_BIN"], command, "--data-dir", self._folder.name, "--server-port", "0"]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CANTATA_")}
        self._process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env=environment)
        atexit.register(self.close)
        line = self._process.stdout.readline()
        ready = re.search(r"ready on (http:\S+)", line)
        assert ready, f"not the ready line: {line!r}"
        self.url = ready[1]

    def close(self):
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait()
        self._process.stdout.close()
        self._folder.cleanup()

    def get(self, path):
        with urllib.request.urlopen(self.url + path) as response:
            return json.load(response)

    def wait_until_indexed(self, catalogues):
        """Waits until so many catalogues have everything that was published."""
        limit = time.monotonic() + START_LIMIT
        while True:
            indexing = self.get("/admin/indexing")
            followed = [one for one in indexing if one["status"] == "following" and one["behind"] == 0]
            if len(followed) == catalogues and self.get("/introspection")["status"] == "healthy":
                return
            assert time.monotonic() < limit, indexing
            time.sleep(0.1)


def start_demo():
    """Starts a server with the sample data, which is the same everywhere except for ids."""
    server = Server("demo")
    server.wait_until_indexed(2)
    return server


@functools.lru_cache(maxsize=None)
def demo():
    """Returns the server with sample data that tests share; none of them publishes anything on it."""
    return start_demo()


@functools.lru_cache(maxsize=None)
def empty():
    """Returns the server without data that tests share."""
    return Server("serve")
