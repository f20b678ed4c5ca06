"""Records, data frames and files of a real server."""

import csv
import importlib.util
import io
import json
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest
import unittest.mock
import urllib.request

import cantata.catalogue
from cantata import Cantata, CantataError, apart, field
from server import demo

COLUMNS = ["id", "fileType", "fileSize", "analysis.experiment.coverage", "analysis.experiment.pairedEnd",
           "analysis.tags", "analysis.donors.gender", "analysis.donors.ageAtDiagnosis"]
RANDOM_FILTERS = 12

R_SCRIPT = """
files <- read.csv(commandArgs(trailingOnly = TRUE), check.names = FALSE, na.strings = "")
sizes <- format(files[[3]], digits = 15, scientific = FALSE, trim = TRUE)
writeLines(paste(files[[1]], files[[2]], sizes, sep = "\\t"))
"""


def has(module):
    return importlib.util.find_spec(module) is not None


def plain(value):
    """Returns a value as JSON has it; no value and an empty list are the same."""
    if value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and value != value):
        return None
    if hasattr(value, "tolist"):
        value = value.tolist()
    return (list(value) or None) if isinstance(value, (list, tuple)) else value


def rows(columns, cells):
    return [tuple(plain(value) for value in row) for row in zip(*(cells[column] for column in columns))]


def random_filters():
    choose = random.Random(11)
    gender, age = field("analysis.donors.gender"), field("analysis.donors.ageAtDiagnosis")
    conditions = [
        lambda: field("fileType").is_in(choose.sample(["VCF", "BAM", "TSV", "JSON", "MAF"], 2)),
        lambda: field("fileSize") > choose.randrange(10**9),
        lambda: gender == choose.choice(["Female", "Male", "Other"]),
        lambda: age.between(choose.randrange(20, 60), choose.randrange(60, 90)),
        lambda: ~(field("analysis.experiment.pairedEnd") == True),  # noqa: E712
        lambda: field("analysis.tags").is_missing() | (field("analysis.tags") == "pilot"),
        lambda: apart(gender == "Female", age < 60),
    ]
    for _ in range(RANDOM_FILTERS):
        first, *others = (choose.choice(conditions)() for _ in range(choose.randrange(1, 4)))
        for other in others:
            first = first & other if choose.random() < 0.7 else first | other
        yield first


class Records(unittest.TestCase):
    def setUp(self):
        self.files = Cantata(demo().url).catalogue("files")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_pages_have_every_record_once(self):
        whole = list(self.files.search(columns=["id"]))
        with unittest.mock.patch.object(cantata.catalogue, "PAGE_SIZE", 89):
            paged = list(self.files.search(columns=["id"]))
            self.assertEqual([len(page) for page in self.files.search(columns=["id"]).pages()], [89] * 10)
            limited = list(self.files.search(columns=["id"], limit=100))
        self.assertEqual(len({record["id"] for record in whole}), 890)
        self.assertEqual(paged, whole)
        self.assertEqual(limited, whole[:100])
        self.assertEqual(list(self.files.search(limit=0)), [])

    def test_records_files_and_frames_have_the_same_rows_and_values(self):
        for number, condition in enumerate(random_filters()):
            with self.subTest(condition=condition):
                search = self.files.search(condition, COLUMNS)
                records = list(search)
                expected = [tuple(plain(record[column]) for column in COLUMNS) for record in records]
                self.assertEqual(search.count(), len(expected))
                file = search.download(self.folder / f"{number}.jsonl")
                lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
                self.assertEqual([tuple(plain(line[column]) for column in COLUMNS) for line in lines], expected)
                if has("pandas"):
                    frame = search.to_pandas()
                    self.assertEqual(rows(COLUMNS, {column: frame[column].tolist() for column in COLUMNS}), expected)
                if has("polars"):
                    self.assertEqual(rows(COLUMNS, search.to_polars().to_dict(as_series=False)), expected)

    def test_a_table_has_the_same_rows_as_the_records(self):
        """CSV, and what R makes of it."""
        columns = ["fileName", "fileType", "fileSize"]
        script = self.folder / "table.R"
        script.write_text(R_SCRIPT)
        for number, condition in enumerate(random_filters()):
            with self.subTest(condition=condition):
                search = self.files.search((field("fileSize") >= 0) & condition, columns)
                expected = [[str(record[column]) for column in columns] for record in search]
                file = search.download(self.folder / f"{number}.csv")
                with open(file, encoding="utf-8", newline="") as table:
                    _, *found = csv.reader(table)
                self.assertEqual(found, expected)
                if shutil.which("Rscript") and expected:
                    command = ["Rscript", "--vanilla", str(script), search.url("csv")]
                    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
                    self.assertEqual([line.split("\t") for line in printed.splitlines()], expected)

    def test_the_address_of_a_table_gives_the_same_rows(self):
        search = self.files.search(field("fileType") == "VCF", ["fileName", "fileSize"], sort="-fileSize")
        with urllib.request.urlopen(search.url("jsonl")) as response:
            self.assertEqual([json.loads(line) for line in response], list(search))

    def test_a_file_is_there_when_it_is_complete(self):
        target = self.folder / "files.csv"
        self.assertEqual(self.files.search(columns=["fileName"], limit=5).download(target), target)
        self.assertEqual(len(target.read_text().splitlines()), 6)
        with self.assertRaisesRegex(CantataError, "fileType"):
            self.files.search().download(self.folder / "files.docx")
        with self.assertRaisesRegex(ValueError, "file_type"):
            self.files.search().download(self.folder / "files")
        self.assertEqual(os.listdir(self.folder), ["files.csv"])

    def test_facets_have_values_of_the_field(self):
        search = self.files.search(field("fileType") == "VCF")
        self.assertEqual(search.facet("analysis.experiment.pairedEnd"), {True: 93, False: 29})
        ages = search.facet("analysis.donors.ageAtDiagnosis")
        self.assertTrue(all(isinstance(age, int) for age in ages if age is not None) and len(ages) > 5)
        female = self.files.search(field("analysis.donors.gender") == "Female")
        status = female.facet("analysis.donors.vitalStatus")
        self.assertEqual((status["Alive"], status["Deceased"]), (265, 120))
        genders = female.facet("analysis.donors.gender", ignore_own=True)
        self.assertEqual((genders["Female"], genders["Male"], genders["Other"]), (422, 400, 129))

    def test_mistakes_name_what_was_found_and_what_is_there(self):
        with self.assertRaises(CantataError) as raised:
            Cantata(demo().url).catalogue("fils")
        self.assertEqual(raised.exception.status, 404)
        with self.assertRaisesRegex(CantataError, "fileTyp"):
            self.files.search(columns=["fileTyp"])
        with self.assertRaisesRegex(CantataError, "cannot be a column"):
            self.files.search(columns=["analysis.donors"])
        with self.assertRaisesRegex(CantataError, "fileTyp") as raised:
            self.files.search(field("fileTyp") == "VCF").count()
        self.assertEqual((raised.exception.status, raised.exception.error_id), (200, "BAD_USER_INPUT"))
        with self.assertRaises(TypeError):
            self.files.search(columns="fileName")

    @unittest.skipUnless(has("pandas"), "pandas is not installed")
    def test_pandas_keeps_whole_numbers_and_missing_values(self):
        frame = self.files.search(columns=COLUMNS).to_pandas()
        self.assertEqual(str(frame["fileSize"].dtype), "Int64")
        self.assertEqual(str(frame["analysis.experiment.pairedEnd"].dtype), "boolean")
        self.assertEqual(int(frame["analysis.experiment.coverage"].notna().sum()), 709)
        nothing = self.files.search(field("fileSize") < 0, COLUMNS).to_pandas()
        self.assertEqual((len(nothing), list(nothing.columns)), (0, COLUMNS))
        exact = cantata.frames.to_pandas({"n": [2**53 + 1, None]}, {"n": "long"})
        self.assertEqual(int(exact["n"][0]), 2**53 + 1)

    @unittest.skipUnless(has("polars"), "Polars is not installed")
    def test_polars_has_lists_and_the_types_of_fields(self):
        import polars

        frame = self.files.search(columns=COLUMNS).to_polars()
        self.assertEqual(frame.schema["fileSize"], polars.Int64)
        self.assertEqual(frame.schema["analysis.donors.gender"], polars.List(polars.String))
        nothing = self.files.search(field("fileSize") < 0, COLUMNS).to_polars()
        self.assertEqual((nothing.height, nothing.columns), (0, COLUMNS))

    def test_a_bar_is_drawn_where_it_is_asked_for(self):
        files = Cantata(demo().url, progress=True).catalogue("files")
        with unittest.mock.patch("sys.stderr", io.StringIO()) as drawn:
            files.search(columns=["fileName"]).download(self.folder / "all.tsv")
        self.assertRegex(drawn.getvalue(), r"all\.tsv [0-9,]+ bytes\S*\n$")


if __name__ == "__main__":
    unittest.main()
