"""What the wheel has: it is what is tested (`with-packages`)."""

import importlib.metadata
import importlib.resources
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).parent.parent.parent.parent


class Package(unittest.TestCase):
    def test_the_version_is_that_of_the_server(self):
        manifest = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
        server = re.search(r'^version = "(.*)"$', manifest, re.MULTILINE)[1]
        self.assertEqual(importlib.metadata.version("cantata-client"), server)

    def test_it_is_typed_licensed_and_needs_no_other_package(self):
        self.assertTrue((importlib.resources.files("cantata") / "py.typed").is_file())
        self.assertIsNotNone(importlib.metadata.distribution("cantata-client").read_text("licenses/LICENSE"))
        needed = importlib.metadata.requires("cantata-client")
        self.assertTrue(needed and all("extra ==" in requirement for requirement in needed), needed)


if __name__ == "__main__":
    unittest.main()
