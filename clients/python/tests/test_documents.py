"""The examples of the README, of docs/python.md and of the docstrings, as printed, on the sample data.

In documents, a block of `r` is run by Rscript where that is installed, and a block of `text` after it is what it
prints.
"""

import doctest
import importlib
import importlib.util
import io
import os
import pathlib
import pkgutil
import re
import shutil
import subprocess
import tempfile
import unittest

import cantata
from server import demo, start_demo

HERE = pathlib.Path(__file__).parent
DOCUMENTS = [HERE.parent / "README.md", HERE.parent.parent.parent / "docs" / "python.md"]

#: The address of the server in the examples.
ADDRESS = "http://127.0.0.1:5050"

#: Marks of examples that need a package.
PACKAGES = {doctest.register_optionflag("PANDAS"): "pandas", doctest.register_optionflag("POLARS"): "polars"}


class Documents(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def run_examples(self, test, url):
        for example in test.examples:
            example.source = example.source.replace(ADDRESS, url)
            example.want = example.want.replace(ADDRESS, url)
            needed = [name for flag, name in PACKAGES.items() if flag in example.options]
            example.options[doctest.SKIP] = not all(map(importlib.util.find_spec, needed))
        report = io.StringIO()
        result = doctest.DocTestRunner(verbose=False).run(test, out=report.write)
        self.assertEqual(result.failed, 0, report.getvalue())
        return result.attempted

    def test_the_documents_do_what_they_say(self):
        for path in DOCUMENTS:
            with self.subTest(document=path.name):
                # An example may publish something.
                server = start_demo()
                self.addCleanup(server.close)
                text = path.read_text(encoding="utf-8")
                blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
                test = doctest.DocTestParser().get_doctest("".join(blocks), {}, path.name, str(path), 0)
                self.assertGreater(self.run_examples(test, server.url), 3)

    def test_the_docstrings_do_what_they_say(self):
        found = pkgutil.iter_modules(cantata.__path__, "cantata.")
        modules = [importlib.import_module(module.name) for module in found]
        client = cantata.Cantata(demo().url)
        attempted = 0
        for module in [cantata, *modules]:
            names = {name: getattr(cantata, name) for name in cantata.__all__}
            given = {"client": client, "files": client.catalogue("files"), "study": client.study("LUNG-PL")}
            for test in doctest.DocTestFinder().find(module, extraglobs={**names, **given}):
                with self.subTest(docstring=test.name):
                    attempted += self.run_examples(test, demo().url)
        self.assertGreater(attempted, 50)

    @unittest.skipUnless(shutil.which("Rscript"), "R is not installed: the examples in R were not run")
    def test_the_examples_in_r_print_what_they_say(self):
        [document] = [path.read_text(encoding="utf-8") for path in DOCUMENTS if path.name == "python.md"]
        examples = re.findall(r"^```r\n(.*?)^```\n\n```text\n(.*?)^```$", document, re.MULTILINE | re.DOTALL)
        self.assertGreater(len(examples), 0)
        for code, expected in examples:
            code = code.replace(ADDRESS, demo().url)
            printed = subprocess.run(["Rscript", "--vanilla", "/dev/stdin"], input=code, capture_output=True, text=True)
            self.assertEqual((printed.returncode, printed.stdout), (0, expected), printed.stderr)


if __name__ == "__main__":
    unittest.main()
