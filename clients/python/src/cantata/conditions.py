"""Conditions in Python, which become filters (SQON).

``field("size") > 10`` is a condition; ``&``, ``|`` and ``~`` combine conditions. A condition knows no catalogue: which
of its fields are in nested lists is known only when it is translated (:mod:`cantata.binding`).
"""

from __future__ import annotations

import datetime
import math
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Sequence, Tuple, Union

Sqon = Dict[str, Any]
Scalar = Union[str, int, float, bool, datetime.date, datetime.datetime]

MISSING = "__missing__"
SET_PREFIX = "set_id:"

#: No value, which is not the text ``__missing__``.
NO_VALUE = object()


class Condition:
    """A condition on records. Combine conditions with ``&``, ``|`` and ``~``.

    >>> from cantata import field
    >>> condition = (field("fileType") == "VCF") & ~(field("fileAccess") == "open")
    >>> files.search(condition).count()
    94
    """

    def __and__(self, other: Condition) -> Condition:
        return And((*_parts_of(And, self), *_parts_of(And, _checked(other))))

    def __or__(self, other: Condition) -> Condition:
        return Or((*_parts_of(Or, self), *_parts_of(Or, _checked(other))))

    def __invert__(self) -> Condition:
        return Not(self)

    def __bool__(self) -> bool:
        raise TypeError(
            "a condition is neither true nor false: combine conditions with &, | and ~, each in parentheses, "
            "and use .between(low, high) instead of low < field < high"
        )

    def sqon(self, nested: Sequence[str] = ()) -> Sqon:
        """Returns the filter as JSON, where these paths are nested lists; ``Catalogue.sqon`` knows them.

        >>> (field("fileSize") > 10).sqon()
        {'op': 'gt', 'content': {'fieldName': 'fileSize', 'value': 10}}
        """
        from cantata.binding import translate

        return translate(self, nested)

    def __repr__(self) -> str:
        return f"<condition {self.sqon()}>"


class Leaf(Condition):
    """A test of fields."""

    def __init__(self, op: str, names: Tuple[str, ...], content: Sqon) -> None:
        self.op = op
        self.names = names
        self.content = content


class And(Condition):
    """All of some conditions."""

    def __init__(self, parts: Tuple[Condition, ...]) -> None:
        self.parts = parts


class Or(Condition):
    """At least one of some conditions."""

    def __init__(self, parts: Tuple[Condition, ...]) -> None:
        self.parts = parts


class Not(Condition):
    """The opposite of a condition."""

    def __init__(self, part: Condition) -> None:
        self.part = part


class Apart(Condition):
    """Conditions that may hold in different elements of a list."""

    def __init__(self, parts: Tuple[Condition, ...]) -> None:
        self.parts = parts


class Element(Condition):
    """Conditions that hold in one element of a nested list."""

    def __init__(self, path: str, parts: Tuple[Condition, ...]) -> None:
        self.path = path
        self.parts = parts


class WrittenFilter(Dict[str, Any]):
    """A filter that is sent as it is."""


class Raw(Condition):
    """A filter that was written as JSON."""

    def __init__(self, filter: WrittenFilter) -> None:
        self.filter = filter


class Field:
    """A field, or several for :meth:`matches` and :meth:`is_like`. Compare it to get a :class:`Condition`.

    >>> files.search(field("fileSize") > 100_000_000_000).count()
    7
    """

    def __init__(self, names: Tuple[str, ...]) -> None:
        self._names = names

    def __hash__(self) -> int:
        return hash(self._names)

    def __repr__(self) -> str:
        return f"field({', '.join(map(repr, self._names))})"

    def __eq__(self, value: Any) -> Condition:  # type: ignore[override]
        """One of the values of the field is this one; ``== None`` is :meth:`is_missing`."""
        return self.is_in([value])

    def __ne__(self, value: Any) -> Condition:  # type: ignore[override]
        """No value of the field, in any element of a list, is this one."""
        return self.not_in([value])

    def __gt__(self, value: Scalar) -> Condition:
        return self._range("gt", value)

    def __ge__(self, value: Scalar) -> Condition:
        return self._range("gte", value)

    def __lt__(self, value: Scalar) -> Condition:
        return self._range("lt", value)

    def __le__(self, value: Scalar) -> Condition:
        return self._range("lte", value)

    def is_in(self, values: Iterable[Any]) -> Condition:
        """One of the values of the field is in the list. ``None`` means no value; ``*`` is an ordinary character.

        >>> files.search(field("fileType").is_in(["VCF", "MAF"])).count()
        183
        """
        plain, literal = _divided(_list(values))
        found = [self._leaf("in", plain)] if plain or not literal else []
        found += [self._literal(text) for text in literal]
        return found[0] if len(found) == 1 else Or(tuple(found))

    def not_in(self, values: Iterable[Any]) -> Condition:
        """No value of the field, in any element of a list, is in the list.

        >>> files.search(field("analysis.donors.gender").not_in(["Female"])).count()
        468
        """
        plain, literal = _divided(_list(values))
        found = [self._leaf("some-not-in", plain)] if plain or not literal else []
        found += [Not(self._literal(text)) for text in literal]
        return found[0] if len(found) == 1 else And(tuple(found))

    def has_all(self, values: Iterable[Any]) -> Condition:
        """Each of these is among the values of the field; different elements of a list may have them.

        >>> files.search(field("analysis.donors.gender").has_all(["Female", "Male"])).count()
        37
        """
        plain, literal = _divided(_list(values))
        found = [self._leaf("all", plain)] if plain or not literal else []
        found += [self._literal(text) for text in literal]
        return found[0] if len(found) == 1 else Apart(tuple(found))

    def between(self, low: Scalar, high: Scalar) -> Condition:
        """A value of the field is between two bounds, both included.

        >>> files.search(field("analysis.donors.ageAtDiagnosis").between(60, 69)).count()
        146
        """
        return self._leaf("between", [_value(low), _value(high)])

    def matches(self, pattern: str) -> Condition:
        """A text matches a pattern: ``*`` is any characters, ``?`` exactly one; upper and lower case are the same.

        >>> files.search(field("fileName").matches("*.vcf.gz")).count()
        122
        """
        return self._text("wildcard", {"value": _text(pattern)})

    def is_like(self, text: str, fuzziness: Union[int, str] = "AUTO") -> Condition:
        """A text is similar: at most ``fuzziness`` letters differ (0, 1, 2, or by the length of the text).

        >>> files.search(field("analysis.donors.primarySite").is_like("Pancras")).count()
        121
        """
        return self._text("fuzzy", {"value": _text(text), "fuzziness": fuzziness})

    def is_missing(self) -> Condition:
        """The field has no value; in a nested list, an element has none.

        >>> files.search(field("analysis.donors.gender").is_missing()).count()
        24
        """
        return self._leaf("in", [MISSING])

    def is_present(self) -> Condition:
        """The field has a value; in a nested list, an element has one.

        >>> files.search(field("analysis.experiment.coverage").is_present()).count()
        709
        """
        return self._leaf("not-in", [MISSING])

    def in_set(self, set_id: str) -> Condition:
        """A value of the field is in a saved set."""
        return self._leaf("in", [SET_PREFIX + _text(set_id)])

    @property
    def _name(self) -> str:
        if len(self._names) != 1:
            raise TypeError(f"{self!r}: only matches() and is_like() take several fields")
        return self._names[0]

    def _leaf(self, op: str, value: Any) -> Condition:
        return Leaf(op, (self._name,), {"fieldName": self._name, "value": value})

    def _text(self, op: str, content: Sqon) -> Condition:
        return Leaf(op, self._names, {"fieldNames": list(self._names), **content})

    def _literal(self, text: str) -> Condition:
        """Returns the test for a text that ``in`` would read as something else."""
        return Leaf("fuzzy", (self._name,), {"fieldNames": [self._name], "value": text, "fuzziness": 0})

    def _range(self, op: str, value: Scalar) -> Condition:
        return self._leaf(op, _value(value))


def field(*names: str) -> Field:
    """Returns a field by its path, such as ``analysis.donors.gender``.

    >>> files.search(field("fileType") == "VCF").count()
    122
    """
    if not names or not all(isinstance(name, str) and name for name in names):
        raise TypeError(f"field: found {names!r}, expected the path of a field")
    return Field(names)


def element(path: str, *conditions: Condition) -> Condition:
    """Returns the condition that one element of a nested list meets all of these, ``!=`` and ``~`` included.

    ``&`` does this by itself; but there a negation speaks of all elements, and in here of the one.

    >>> donor = [field("analysis.donors.gender") == "Female", field("analysis.donors.ageAtDiagnosis") >= 70]
    >>> files.search(element("analysis.donors", *donor)).count()
    17
    """
    parts = tuple(_checked(condition) for condition in conditions)
    outside = [name for part in parts for name in _names(part) if not name.replace("__", ".").startswith(f"{path}.")]
    if outside:
        raise ValueError(f"element: found the field {outside[0]!r}, expected fields of the list {path!r}")
    return Element(path, parts)


def apart(*conditions: Condition) -> Condition:
    """Returns the condition that all of these hold, each in any element of its list.

    >>> donor = [field("analysis.donors.gender") == "Female", field("analysis.donors.ageAtDiagnosis") >= 70]
    >>> files.search(apart(*donor)).count()
    24
    """
    return Apart(tuple(_checked(condition) for condition in conditions))


def sqon(filter: Mapping[str, Any]) -> Condition:
    """Returns a filter that is written as JSON as a condition; it is sent as it is.

    >>> files.search(sqon({"op": "in", "content": {"fieldName": "studyId", "value": ["*-AU", "LUNG-PL"]}})).count()
    327
    """
    if not isinstance(filter, Mapping):
        raise TypeError(f"sqon: found {type(filter).__name__}, expected a dict with 'op' and 'content'")
    return Raw(WrittenFilter(filter))


def _parts_of(kind: type, condition: Condition) -> Tuple[Condition, ...]:
    """Returns the parts of a condition of this kind, so that chains of operators become one group."""
    return condition.parts if type(condition) is kind else (condition,)  # type: ignore[attr-defined]


def _names(condition: Condition) -> Iterator[str]:
    """Yields the fields of a condition; those of a filter that was written as JSON are not known."""
    if isinstance(condition, Leaf):
        yield from condition.names
    elif isinstance(condition, Not):
        yield from _names(condition.part)
    elif isinstance(condition, (And, Or, Apart, Element)):
        for part in condition.parts:
            yield from _names(part)


def _checked(condition: Any) -> Condition:
    if isinstance(condition, Condition):
        return condition
    raise TypeError(
        f"found {condition!r}, expected a condition; put each comparison in parentheses: "
        "(field('a') == 1) & (field('b') == 2)"
    )


def _list(values: Iterable[Any]) -> List[Any]:
    if isinstance(values, (str, bytes)):
        raise TypeError(f"found the text {values!r}, expected a list of values")
    return [NO_VALUE if value is None else _value(value) for value in values]


def _divided(values: List[Any]) -> Tuple[List[Any], List[str]]:
    """Divides values into those that ``in`` takes literally and texts that it would read as something else."""
    plain = [MISSING if value is NO_VALUE else value for value in values if not _is_special(value)]
    return plain, [value for value in values if _is_special(value)]


def _is_special(value: Any) -> bool:
    return isinstance(value, str) and ("*" in value or value == MISSING or value.startswith(SET_PREFIX))


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise TypeError(f"found {value!r}, expected a text")


def _value(value: Any) -> Any:
    """Returns a value as JSON has it."""
    if type(value).__name__ == "datetime64":
        value = value.astype("datetime64[us]")  # Python has no nanoseconds
    if hasattr(value, "item"):
        value = value.item()  # a scalar of NumPy
    if isinstance(value, datetime.date) and value == value:
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"found {value}, expected a finite number; is_missing() finds records without a value")
    if isinstance(value, (str, bool, int, float)):
        return value
    raise TypeError(f"found {value!r}, expected a text, a number, a truth value or a date")
