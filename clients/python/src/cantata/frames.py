"""Data frames: columns of values with the types of their fields.

A whole number stays exact beside missing values, so the types are those that know missing values. A column with lists,
and one whose values are not as the type of the field says, has the type that the library finds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional

if TYPE_CHECKING:
    import pandas
    import polars

WHOLE_NUMBERS = ("byte", "short", "integer", "long", "unsigned_long")
FRACTIONS = ("half_float", "float", "double", "scaled_float")
TEXTS = ("keyword", "text", "wildcard", "ip", "id", "date", "date_nanos")

PANDAS_TYPES = {
    **dict.fromkeys(WHOLE_NUMBERS, "Int64"),
    **dict.fromkeys(FRACTIONS, "Float64"),
    "unsigned_long": "UInt64",
    "boolean": "boolean",
}

POLARS_TYPES = {
    **dict.fromkeys(WHOLE_NUMBERS, "Int64"),
    **dict.fromkeys(FRACTIONS, "Float64"),
    **dict.fromkeys(TEXTS, "String"),
    "unsigned_long": "UInt64",
    "boolean": "Boolean",
}


def to_pandas(columns: Mapping[str, List[Any]], types: Mapping[str, str]) -> pandas.DataFrame:
    """Returns a data frame of pandas."""
    import pandas

    def series(values: List[Any], type_name: Optional[str]) -> Any:
        if _has_lists(values):
            return pandas.Series(values, dtype=object)
        if type_name is not None:
            try:
                return pandas.Series(pandas.array(values, dtype=type_name))
            except (TypeError, ValueError, OverflowError):
                pass
        return pandas.Series(values, dtype=None if values else object)

    found: Dict[str, Any] = {name: series(values, PANDAS_TYPES.get(types[name])) for name, values in columns.items()}
    return pandas.DataFrame(found, columns=list(columns))


def to_polars(columns: Mapping[str, List[Any]], types: Mapping[str, str]) -> polars.DataFrame:
    """Returns a data frame of Polars."""
    import polars

    def series(name: str, values: List[Any], type_name: Optional[str]) -> Any:
        if type_name is not None:
            inner = getattr(polars, type_name)
            try:
                return polars.Series(name, values, dtype=polars.List(inner) if _has_lists(values) else inner)
            except (TypeError, ValueError, OverflowError, polars.exceptions.PolarsError):
                pass
        return polars.Series(name, values, strict=False)

    return polars.DataFrame([series(name, values, POLARS_TYPES.get(types[name])) for name, values in columns.items()])


def _has_lists(values: List[Any]) -> bool:
    return any(isinstance(value, list) for value in values)
