"""Studies and analyses on a real server without data."""

import unittest
import unittest.mock

import cantata.study
from cantata import Cantata, CantataError
from server import empty


def payload(study, number, strategy="WGS"):
    file = {
        "fileName": f"{number}.bam", "fileSize": 1, "fileType": "bam", "fileAccess": "open", "dataType": "reads",
        "fileMd5sum": f"{number:032x}",
    }
    return {
        "studyId": study, "analysisType": {"name": "sequencingRead"}, "files": [file],
        "experiment": {"libraryStrategy": strategy},
    }


class Studies(unittest.TestCase):
    def setUp(self):
        self.client = Cantata(empty().url)

    def study(self, name):
        return self.client.create_study(name, name=f"The study {name}")

    def states(self, study):
        found = study.analyses(states=["PUBLISHED", "UNPUBLISHED", "SUPPRESSED"])
        return {analysis["analysisId"]: analysis["analysisState"] for analysis in found}

    def test_an_analysis_is_submitted_published_and_read(self):
        study = self.study("ONE")
        self.assertIn("ONE", self.client.studies())
        self.assertEqual(study.info()["name"], "The study ONE")
        self.assertIsNone(study.submit(payload("ONE", 1), validate_only=True))
        self.assertEqual(self.states(study), {})
        analysis_id = study.submit(payload("ONE", 1))
        self.assertEqual(self.states(study), {analysis_id: "UNPUBLISHED"})
        self.assertEqual(list(study.analyses()), [])
        study.publish(analysis_id)
        self.assertEqual([analysis["analysisId"] for analysis in study.analyses()], [analysis_id])
        study.unpublish(analysis_id)
        study.suppress(analysis_id)
        self.assertEqual(study.analysis(analysis_id)["analysisState"], "SUPPRESSED")
        published = study.submit(payload("ONE", 2), publish=True)
        self.assertEqual(study.analysis(published)["analysisState"], "PUBLISHED")

    def test_a_payload_that_is_not_valid_says_why(self):
        study = self.study("WRONG")
        wrong = payload("WRONG", 10, strategy="guess")
        del wrong["files"][0]["fileSize"]
        with self.assertRaises(CantataError) as raised:
            study.submit(wrong)
        self.assertEqual((raised.exception.status, raised.exception.error_id), (400, "schema.violation"))
        self.assertEqual(len(raised.exception.violations), 2)
        study.submit(payload("WRONG", 11))
        with self.assertRaises(CantataError) as raised:
            study.submit(payload("WRONG", 11))
        self.assertEqual(raised.exception.status, 409)
        self.assertTrue(study.submit(payload("WRONG", 11), allow_duplicates=True))

    def test_many_payloads_have_a_result_each_in_their_order(self):
        study = self.study("MANY")
        with unittest.mock.patch.object(cantata.study, "BATCH_PAYLOADS", 3):
            payloads = (payload("MANY", 100 + number, "guess" if number == 4 else "WGS") for number in range(8))
            results = list(study.submit_many(payloads, publish=True))
        self.assertEqual([result.index for result in results], list(range(8)))
        rejected = [result for result in results if result.error]
        self.assertEqual([(result.index, result.error.error_id) for result in rejected], [(4, "schema.violation")])
        with unittest.mock.patch.object(cantata.study, "PAGE_SIZE", 2):
            found = [analysis["analysisId"] for analysis in study.analyses()]
        self.assertEqual(sorted(found), sorted(result.analysis_id for result in results if not result.error))

    def test_what_is_not_there_is_an_error_with_its_id(self):
        with self.assertRaises(CantataError) as raised:
            self.client.study("NONE").info()
        self.assertEqual((raised.exception.status, raised.exception.error_id), (404, "study.id.does.not.exist"))
        self.assertNotIn("] - ", raised.exception.message)


if __name__ == "__main__":
    unittest.main()
