"""A catalogue: its fields, and searches of it."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Union

from cantata.binding import for_counts, translate
from cantata.conditions import Condition, Sqon, sqon
from cantata.errors import CantataError
from cantata.search import Search, SortKey, Where, sort_keys
from cantata.transport import Transport

#: The id of a record, in filters and as it is selected.
RECORD_ID = "_id"
ID_SELECTION = "id"

#: What every record has for itself; a field of this name has another one in records.
SCORE = "score"

CONTAINERS = ("object", "nested")

#: How many records a request asks for, where the limits of the catalogue allow it.
PAGE_SIZE = 1000


class FieldInfo(NamedTuple):
    """A field of a catalogue."""

    name: str
    type: str
    label: str
    unit: Optional[str]
    #: The name in GraphQL.
    graphql_name: str
    #: Whether records show it; containers and multi-fields are for filters alone.
    is_column: bool


class Catalogue:
    """A catalogue of a server. ``Cantata.catalogue`` returns it.

    >>> files = Cantata("http://127.0.0.1:5050").catalogue("files")
    >>> files.document_type
    'file'
    """

    def __init__(self, transport: Transport, name: str, progress: Optional[bool] = None) -> None:
        body: Dict[str, Any] = transport.get("introspection", name)
        self._transport = transport
        self._limits: Mapping[str, int] = body["limits"]
        self._progress = progress
        self.id: str = body["catalogId"]
        self.document_type: str = body["documentType"]
        self.description: str = body.get("description") or ""
        #: Every field by its path.
        self.fields: Dict[str, FieldInfo] = {path: _field(path, entry) for path, entry in body["fields"].items()}
        #: The paths of the nested lists.
        self.nested: List[str] = [info.name for info in self.fields.values() if info.type == "nested"]

    def __repr__(self) -> str:
        return f"Catalogue({self.id!r})"

    def search(
        self,
        where: Where = None,
        columns: Optional[Sequence[str]] = None,
        sort: Union[None, SortKey, Sequence[SortKey]] = None,
        limit: Optional[int] = None,
    ) -> Search:
        """Returns a search; nothing is sent before its records, its count or a facet are asked for.

        `where` is a condition, or a filter as JSON (SQON). `columns` are paths of fields, by default those of the
        portal's table. `sort` has paths, a minus before one that is descending, or objects such as
        ``{"fieldName": "fileSize", "order": "desc", "missing": "last"}``. Without `limit` there are all records.

        >>> largest = files.search(field("fileType") == "VCF", ["fileType", "fileSize"], sort="-fileSize", limit=1)
        >>> list(largest)
        [{'fileType': 'VCF', 'fileSize': 6509767310}]
        """
        if isinstance(columns, str):
            raise TypeError(f"columns: found the text {columns!r}, expected a list of paths")
        if limit is not None and limit < 0:
            raise ValueError(f"limit: found {limit}, expected a number that is not negative, or None for all records")
        condition = where if isinstance(where, Condition) else sqon(where) if where else None
        chosen = None if columns is None else list(columns)
        for column in chosen or []:
            self.selection(column)
        return Search(self, condition, chosen, sort_keys(sort), limit, self._progress)

    def sqon(self, condition: Optional[Condition]) -> Optional[Sqon]:
        """Returns the filter (SQON) that a condition becomes: conditions on one nested list are bound to one element.

        >>> condition = (field("analysis.donors.gender") == "Female") & (field("analysis.donors.ageAtDiagnosis") >= 70)
        >>> files.sqon(condition)["pivot"]
        'analysis.donors'
        """
        return None if condition is None else translate(condition, self.nested)

    def sqon_for_counts(self, condition: Optional[Condition]) -> Optional[Sqon]:
        """Returns the filter for facets, which finds the same records."""
        return None if condition is None else for_counts(translate(condition, self.nested), self.nested)

    def field(self, name: str) -> FieldInfo:
        """Returns a field by its path or its name in GraphQL.

        >>> files.field("fileSize").type
        'long'
        """
        info = self.fields.get(name) or self.fields.get(name.replace("__", "."))
        if info is None and name == ID_SELECTION:
            info = self.fields.get(RECORD_ID)
        if info is None:
            raise CantataError(f"the catalogue {self.id!r} has no field {name!r}; `fields` has all of them")
        return info

    def selection(self, name: str) -> str:
        """Returns what selects a field in records."""
        info = self.field(name)
        if not info.is_column:
            raise CantataError(f"{name!r} is of type {info.type} and cannot be a column; choose the fields with values")
        if info.graphql_name != SCORE:
            return info.graphql_name
        taken = {other.graphql_name for other in self.fields.values()}
        own = f"field_{SCORE}"
        while own in taken:
            own += "_"
        return f"{SCORE}: {own}"

    def default_columns(self) -> List[str]:
        """Returns the columns of the portal's table.

        >>> files.default_columns()[:2]
        ['fileName', 'fileType']
        """
        table = self.query("configs { table { columns { fieldName show } } }")["configs"]["table"]
        shown = [column["fieldName"] for column in table["columns"] if column["show"]]
        return [name for name in shown if name in self.fields and self.fields[name].is_column] or [ID_SELECTION]

    def query(self, selection: str, declared: str = "", variables: Optional[Dict[str, Any]] = None) -> Any:
        """Sends a GraphQL query and returns what is below the root field; for what this package has no method for.

        >>> files.query("hits(first: 0) { total }")["hits"]["total"]
        890
        """
        query = f"query{declared} {{ {self.document_type} {{ {selection} }} }}"
        return self._transport.graphql(self.id, query, variables or {})[self.document_type]

    def page_size(self, columns: int) -> int:
        """Returns how many records with so many columns a request may ask for."""
        # Every column of every record costs 1, and so do the few fields around them.
        affordable = self._limits["maxCost"] // (columns + 8)
        return max(1, min(PAGE_SIZE, self._limits["maxResultsWindow"], affordable))

    @property
    def transport(self) -> Transport:
        """What sends the requests."""
        return self._transport


def _field(path: str, entry: Mapping[str, Any]) -> FieldInfo:
    is_column = entry["type"] not in CONTAINERS and entry.get("multiFieldOf") is None
    name = entry.get("graphqlName") or (ID_SELECTION if path == RECORD_ID else flat_name(path))
    return FieldInfo(path, entry["type"], entry["displayName"], entry.get("unit"), name, is_column)


def flat_name(path: str) -> str:
    """Returns the name that a path asks for in GraphQL.

    >>> flat_name("analysis.donors.gender"), flat_name("10x-kit")
    ('analysis__donors__gender', '_10x_kit')
    """
    name = path.replace(".", "__")
    plain = ("_" if re.match(r"[0-9]|$", name) else "") + re.sub(r"[^0-9A-Za-z]", "_", name)
    return f"field{plain}" if plain.startswith("__") else plain
