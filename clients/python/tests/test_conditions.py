"""What conditions become, and what they find."""

import datetime
import random
import unittest

from cantata import Cantata, apart, element, field, sqon
from cantata.binding import for_counts
from server import demo

NESTED = ["donors", "donors.specimens", "donors.visits"]
FEMALE = field("donors.gender") == "Female"
OLD = field("donors.age") >= 70
PRIMARY = field("donors.specimens.type") == "Primary"
GRADE = field("donors.specimens.grade") == "G3"
VCF = field("type") == "VCF"
NOON = datetime.datetime(2024, 5, 31, 12, tzinfo=datetime.timezone.utc)


def leaf(op, name, value):
    return {"op": op, "content": {"fieldName": name, "value": value}}


def bound(pivot, *content):
    return {"op": "and", "pivot": pivot, "content": list(content)}


class Translation(unittest.TestCase):
    def assert_sqon(self, condition, expected):
        self.assertEqual(condition.sqon(NESTED), expected)

    def test_comparisons_are_leaves(self):
        size = field("size")
        for condition, op, value in [
            (size == 3, "in", [3]),
            (size != 3, "some-not-in", [3]),
            (size > 3, "gt", 3),
            (size >= 3, "gte", 3),
            (size < 3, "lt", 3),
            (size <= 3.5, "lte", 3.5),
            (size.between(1, 2), "between", [1, 2]),
            (size.is_in([True, 1, "a"]), "in", [True, 1, "a"]),
            (size.is_in([]), "in", []),
            (size.has_all(["a", "b"]), "all", ["a", "b"]),
            (size == None, "in", ["__missing__"]),  # noqa: E711
            (size.is_missing(), "in", ["__missing__"]),
            (size.is_present(), "not-in", ["__missing__"]),
            (size.in_set("abc"), "in", ["set_id:abc"]),
            (size > datetime.date(2024, 5, 31), "gt", "2024-05-31"),
            (size > NOON, "gt", "2024-05-31T12:00:00+00:00"),
        ]:
            with self.subTest(op=op, value=value):
                self.assert_sqon(condition, leaf(op, "size", value))

    def test_patterns_and_similar_texts_take_several_fields(self):
        both = field("a", "b")
        self.assert_sqon(both.matches("*x?"), {"op": "wildcard", "content": {"fieldNames": ["a", "b"], "value": "*x?"}})
        fuzzy = {"fieldNames": ["a", "b"], "value": "x", "fuzziness": 1}
        self.assert_sqon(both.is_like("x", 1), {"op": "fuzzy", "content": fuzzy})
        with self.assertRaisesRegex(TypeError, "several fields"):
            both == "x"

    def test_a_text_that_in_would_read_as_something_else_is_found_as_it_is(self):
        def literal(text):
            return {"op": "fuzzy", "content": {"fieldNames": ["a"], "value": text, "fuzziness": 0}}

        for text in ["5*3", "__missing__", "set_id:x"]:
            self.assert_sqon(field("a") == text, literal(text))
            self.assert_sqon(field("a") != text, {"op": "not", "content": [literal(text)]})
        either = {"op": "or", "content": [leaf("in", "a", ["b", "__missing__"]), literal("*")]}
        self.assert_sqon(field("a").is_in(["b", "*", None]), either)

    def test_chains_of_operators_are_one_group(self):
        parts = [leaf("in", name, [1]) for name in "abc"]
        a, b, c = (field(name) == 1 for name in "abc")
        self.assert_sqon(a & b & c, {"op": "and", "content": parts})
        self.assert_sqon(a | b | c, {"op": "or", "content": parts})
        self.assert_sqon(~(a | b), {"op": "not", "content": [{"op": "or", "content": parts[:2]}]})

    def test_conditions_on_one_list_are_bound_to_one_element(self):
        self.assert_sqon(FEMALE & OLD, bound("donors", FEMALE.sqon(), OLD.sqon()))
        self.assert_sqon(FEMALE & VCF, {"op": "and", "content": [FEMALE.sqon(), VCF.sqon()]})
        deep = bound("donors", FEMALE.sqon(), bound("donors.specimens", PRIMARY.sqon(), GRADE.sqon()))
        self.assert_sqon(VCF & FEMALE & PRIMARY & GRADE, {"op": "and", "content": [VCF.sqon(), deep]})
        other_order = bound("donors", bound("donors.specimens", PRIMARY.sqon(), GRADE.sqon()), FEMALE.sqon())
        self.assert_sqon(PRIMARY & GRADE & FEMALE, other_order)
        either = FEMALE | (field("donors.gender") == "Other")
        self.assert_sqon(either & OLD, bound("donors", either.sqon(), OLD.sqon()))

    def test_negations_speak_of_all_elements(self):
        not_female = field("donors.gender") != "Female"
        self.assert_sqon(not_female & OLD, {"op": "and", "content": [not_female.sqon(), OLD.sqon()]})
        self.assert_sqon(~FEMALE & OLD, {"op": "and", "content": [(~FEMALE).sqon(), OLD.sqon()]})
        self.assert_sqon(element("donors", not_female, OLD), bound("donors", not_female.sqon(), OLD.sqon()))

    def test_an_element_is_joined_by_further_conditions_on_it(self):
        self.assert_sqon(element("donors", FEMALE) & OLD, bound("donors", FEMALE.sqon(), OLD.sqon()))
        self.assert_sqon(element("donors", FEMALE) & element("donors", OLD), bound("donors", FEMALE.sqon(), OLD.sqon()))
        specimen = bound("donors.specimens", PRIMARY.sqon(), GRADE.sqon())
        self.assert_sqon(element("donors", PRIMARY, GRADE), bound("donors", specimen))

    def test_what_is_apart_or_written_stays_so(self):
        either = [{"op": "or", "content": [part.sqon()]} for part in (FEMALE, OLD)]
        separate = {"op": "and", "content": either}
        self.assert_sqon(apart(FEMALE, OLD), separate)
        self.assert_sqon(apart(FEMALE, OLD) & FEMALE, {"op": "and", "content": [separate, FEMALE.sqon()]})
        written = {"op": "in", "content": {"field": "donors.gender", "value": "Fem*"}}
        self.assert_sqon(sqon(written) & OLD, {"op": "and", "content": [written, OLD.sqon()]})

    def test_counts_see_each_list_around_a_condition(self):
        alone = for_counts(PRIMARY.sqon(), NESTED)
        self.assertEqual(alone, {"op": "and", "content": [bound("donors", PRIMARY.sqon())]})
        both = for_counts((PRIMARY & GRADE & VCF).sqon(NESTED), NESTED)
        specimen = bound("donors.specimens", PRIMARY.sqon(), GRADE.sqon())
        self.assertEqual(both, {"op": "and", "content": [bound("donors", specimen), VCF.sqon()]})
        separate = apart(FEMALE, OLD).sqon(NESTED)
        self.assertEqual(for_counts(separate, NESTED), {"op": "and", "content": [separate]})

    def test_what_python_would_misread_is_an_error(self):
        with self.assertRaisesRegex(TypeError, "neither true nor false"):
            FEMALE and OLD
        with self.assertRaisesRegex(TypeError, "neither true nor false"):
            1 < field("size") < 3
        with self.assertRaisesRegex(TypeError, "parentheses"):
            FEMALE & "Male"
        with self.assertRaisesRegex(ValueError, "'type', expected fields of the list 'donors'"):
            element("donors", FEMALE | VCF)
        with self.assertRaisesRegex(TypeError, "a list of values"):
            field("a").is_in("abc")
        with self.assertRaisesRegex(ValueError, "finite"):
            field("a") > float("nan")
        for value in [b"a", [1], object()]:
            with self.assertRaises(TypeError):
                field("a") > value


GENDER = field("analysis.donors.gender")
AGE = field("analysis.donors.ageAtDiagnosis")
SPECIMEN = field("analysis.donors.specimens.specimenType")
TUMOUR_GRADE = field("analysis.donors.specimens.tumourGrade")


class Answers(unittest.TestCase):
    """The totals are those of docs/search.md."""

    def setUp(self):
        self.files = Cantata(demo().url).catalogue("files")

    def test_conditions_find_what_the_filters_of_the_guide_find(self):
        date = field("analysis.experiment.sequencedOn")
        for condition, total in [
            (field("fileType") == "VCF", 122),
            (field("fileType").is_in(["VCF", "MAF"]), 183),
            (field("analysis.experiment.pairedEnd") == False, 116),  # noqa: E712
            (field("fileType").not_in(["VCF", "MAF"]), 707),
            (GENDER != "Female", 468),
            (field("analysis.tags").has_all(["reviewed", "pan-cancer"]), 58),
            (field("analysis.tags").is_in([None, "pilot"]), 365),
            (field("fileSize") < 1000, 18),
            (AGE < 30, 16),
            (AGE.between(69, 60), 146),
            (date > datetime.date(2022, 4, 28), 586),
            (date == datetime.date(2022, 4, 28), 14),
            (field("fileName", "fileMd5sum").matches("*.vcf.gz"), 122),
            ((field("fileType") == "VCF") & (field("fileAccess") == "open"), 28),
            ((field("fileType") == "VCF") | (field("fileAccess") == "open"), 344),
            (~((field("fileType") == "VCF") | (field("fileAccess") == "open")), 546),
            (apart(GENDER == "Female", AGE >= 70), 24),
            ((GENDER == "Female") & (AGE >= 70), 17),
            (~((GENDER == "Female") & (AGE >= 70)), 873),
            ((SPECIMEN == "Primary tumour") & (TUMOUR_GRADE == "G3"), 78),
            ((SPECIMEN == "Primary tumour") & (TUMOUR_GRADE == "G3") & (GENDER == "Female"), 13),
            (field("studyId") == "*-AU", 0),
        ]:
            with self.subTest(condition=condition):
                self.assertEqual(self.files.search(condition).count(), total)

    def test_the_number_beside_a_value_is_the_count_with_that_value(self):
        """Random conditions, each with another one joined by `&`, against the facet of that one's field."""
        choose = random.Random(25)
        donors = ["gender", "vitalStatus", "specimens.tumourGrade"]
        fields = ["fileType", *(f"analysis.donors.{name}" for name in donors)]
        given = [
            field("fileAccess") == "open",
            GENDER == "Female",
            AGE >= 60,
            AGE < 50,
            SPECIMEN == "Primary tumour",
            TUMOUR_GRADE.is_in(["G2", "G3"]),
            (GENDER == "Male") | (GENDER == "Other"),
            GENDER != "Male",
            element("analysis.donors", AGE >= 60, GENDER != "Male"),
            apart(GENDER == "Female", AGE >= 60),
        ]
        checked = 0
        for _ in range(12):
            condition = choose.choice(given)
            for part in choose.sample(given, choose.randrange(3)):
                condition = condition & part
            name = choose.choice(fields)
            counts = self.files.search(condition).facet(name)
            values = sorted(value for value in counts if value is not None)
            for value in choose.sample(values, min(2, len(values))):
                with self.subTest(condition=condition, field=name, value=value):
                    added = condition & (field(name) == value)
                    self.assertEqual(self.files.search(added).count(), counts[value])
                checked += 1
        self.assertGreater(checked, 10)


if __name__ == "__main__":
    unittest.main()
