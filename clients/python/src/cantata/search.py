"""A search: records page by page, counts, data frames and files."""

from __future__ import annotations

import json
import os
import pathlib
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from cantata import frames
from cantata.conditions import MISSING, Condition, Sqon
from cantata.errors import CantataError
from cantata.progress import Progress
from cantata.transport import ResponseBody

if TYPE_CHECKING:
    import pandas
    import polars

    from cantata.catalogue import Catalogue

Record = Dict[str, Any]
SortKey = Union[str, Mapping[str, Any]]
Where = Union[None, Condition, Mapping[str, Any]]

#: The file types of names that end otherwise.
FILE_TYPES = {"ndjson": "jsonl", "txt": "tsv"}

HITS = "hits(filters: $filters, sort: $sort, first: $first, searchAfter: $after)"
HITS_VARIABLES = "($filters: JSON, $sort: [Sort], $first: Int, $after: JSON)"

FACET_VARIABLES = "($filters: JSON, $own: Boolean, $most: Int)"


class Search:
    """The records of a catalogue that meet a condition. ``Catalogue.search`` returns it.

    Iterate over it, as often as you like.

    >>> found = files.search(field("fileType") == "VCF", ["fileType", "fileSize"], sort="fileSize", limit=1)
    >>> [record["fileSize"] for record in found]
    [191867]
    """

    def __init__(
        self,
        catalogue: Catalogue,
        condition: Optional[Condition],
        columns: Optional[List[str]],
        sort: List[Dict[str, Any]],
        limit: Optional[int],
        progress: Optional[bool],
    ) -> None:
        self._catalogue = catalogue
        self._condition = condition
        self._columns = columns
        self._sort = sort
        self._limit = limit
        self._progress = progress

    @property
    def columns(self) -> List[str]:
        """The paths of the columns.

        >>> files.search(columns=["fileName"]).columns
        ['fileName']
        """
        if self._columns is None:
            self._columns = self._catalogue.default_columns()
        return self._columns

    @property
    def sqon(self) -> Optional[Sqon]:
        """The filter that is sent; ``None`` if there is no condition.

        >>> files.search(field("fileType") == "VCF").sqon
        {'op': 'in', 'content': {'fieldName': 'fileType', 'value': ['VCF']}}
        """
        return self._catalogue.sqon(self._condition)

    def __iter__(self) -> Iterator[Record]:
        """Yields the records, each with a value for every column; a column in a nested list has a list."""
        for page in self.pages():
            yield from page

    def pages(self, progress: Optional[Progress] = None) -> Iterator[List[Record]]:
        """Yields the records as they come, many at a time.

        >>> sum(len(page) for page in files.search(columns=["fileType"]).pages())
        890
        """
        columns = self.columns
        names = [self._catalogue.field(column).graphql_name for column in columns]
        selected = " ".join(dict.fromkeys(self._catalogue.selection(column) for column in columns))
        selection = f"{HITS} {{ total edges {{ searchAfter node {{ {selected} }} }} }}"
        size = self._catalogue.page_size(len(columns))
        variables: Dict[str, Any] = {"filters": self.sqon, "sort": self._sort}
        left = self._limit
        while left != 0:
            variables["first"] = size if left is None else min(size, left)
            hits = self._catalogue.query(selection, HITS_VARIABLES, variables)["hits"]
            edges = hits["edges"]
            if progress is not None:
                progress.total = hits["total"] if self._limit is None else min(hits["total"], self._limit)
                progress.advance(len(edges))
            if edges:
                yield [dict(zip(columns, map(edge["node"].get, names))) for edge in edges]
            if len(edges) < variables["first"]:
                return
            variables["after"] = edges[-1]["searchAfter"]
            left = None if left is None else left - len(edges)

    def count(self) -> int:
        """Returns how many records meet the condition, whatever the limit.

        >>> files.search(field("fileType") == "VCF").count()
        122
        """
        answer = self._catalogue.query("hits(filters: $f, first: 0) { total }", "($f: JSON)", {"f": self.sqon})
        total: int = answer["hits"]["total"]
        return total

    def facet(self, name: str, limit: Optional[int] = None, ignore_own: bool = False) -> Dict[Any, int]:
        """Counts the records by the values of a field, the most frequent first; ``None`` means no value.

        Of a nested list, the element that has the value also meets the conditions on that list. With `ignore_own`,
        conditions on the field itself are left out, as in the facets of the portal.

        >>> files.search(field("fileType") == "VCF").facet("fileType")
        {'VCF': 122}
        >>> files.search(field("fileType") == "VCF").facet("fileType", limit=2, ignore_own=True)
        {'TSV': 340, 'JSON': 167}
        """
        info = self._catalogue.field(name)
        selection = (
            "aggregations(filters: $filters, aggregations_filter_themselves: $own) "
            f"{{ {info.graphql_name} {{ buckets(max: $most) {{ key key_as_string doc_count }} }} }}"
        )
        filters = self._catalogue.sqon_for_counts(self._condition)
        variables = {"filters": filters, "own": not ignore_own, "most": limit}
        facets = self._catalogue.query(selection, FACET_VARIABLES, variables)["aggregations"]
        buckets = facets[info.graphql_name]["buckets"]
        return {_facet_value(bucket, info.type): bucket["doc_count"] for bucket in buckets}

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the records as a data frame of pandas (``pip install cantata-client[pandas]``).

        Numbers and truth values have the types of pandas that know missing values, so that whole numbers stay exact.
        Dates are texts, as in the documents; a column in a nested list has lists.

        >>> files.search(field("fileType") == "VCF").to_pandas().shape  # doctest: +PANDAS
        (122, 10)
        """
        return frames.to_pandas(self._columns_of_values(), self._types())

    def to_polars(self) -> polars.DataFrame:
        """Returns the records as a data frame of Polars (``pip install cantata-client[polars]``).

        >>> files.search(field("fileType") == "VCF").to_polars().shape  # doctest: +POLARS
        (122, 10)
        """
        return frames.to_polars(self._columns_of_values(), self._types())

    def url(self, file_type: str = "csv") -> str:
        """Returns the address of the records as a file, for whatever reads tables from addresses.

        It needs no key where the catalogue needs none. A limit of the catalogue for downloads also holds for it.

        >>> files.search(columns=["fileName", "fileSize"], sort="-fileSize").url()
        'http://127.0.0.1:5050/files/download?fileType=csv&columns=fileName%2CfileSize&sort=-fileSize'
        """
        for key in self._sort:
            if set(key) - {"fieldName", "order"}:
                raise ValueError(f"sort: found {key}; an address has paths alone, with a minus for descending order")
        query: Dict[str, Any] = {"fileType": file_type}
        if self._condition is not None:
            query["filters"] = json.dumps(self.sqon, separators=(",", ":"))
        if self._columns is not None:
            query["columns"] = ",".join(self._columns)
        if self._sort:
            signs = ("-" if key.get("order") == "desc" else "" for key in self._sort)
            query["sort"] = ",".join(sign + key["fieldName"] for sign, key in zip(signs, self._sort))
        if self._limit is not None:
            query["maxRows"] = self._limit
        return self._catalogue.transport.address((self._catalogue.id, "download"), query)

    def download(self, path: Union[str, os.PathLike[str]], file_type: Optional[str] = None) -> pathlib.Path:
        """Writes the records to a file and returns its path: one consistent state of the catalogue.

        The type follows from the name of the file (``.tsv``, ``.csv``, ``.json``, ``.jsonl``) unless it is given. The
        file is there when it is complete. Where the catalogue gives fewer rows than were found, this is an error.

        >>> files.search(field("fileType") == "VCF", ["fileName"]).download("vcf.csv").read_text().count("\\n")
        123
        """
        target = pathlib.Path(path)
        suffix = target.suffix[1:].lower()
        kind = file_type or FILE_TYPES.get(suffix, suffix)
        if not kind:
            raise ValueError(f"file_type: {target.name!r} does not tell the type of the file; give it, such as 'tsv'")
        found = self.count()
        wanted = found if self._limit is None else min(found, self._limit)
        # 0 would be no limit. Catalogues that take no number of rows ignore it.
        file = {"fileType": kind, "sqon": self.sqon, "sort": self._sort, "maxRows": max(1, wanted)}
        if self._columns is not None:
            file["columns"] = self._columns
        part = target.with_name(f"{target.name}.part")

        def read(body: ResponseBody) -> None:
            self._check_rows(body.headers.get("X-Row-Limit"), found, wanted)
            with open(part, "wb") as output, Progress(target.name, "bytes", enabled=self._progress) as progress:
                for piece in iter(body.read, b""):
                    output.write(piece)
                    progress.advance(len(piece))

        request = json.dumps({"files": [file]}).encode()
        path_of_files = (self._catalogue.id, "download")
        try:
            self._catalogue.transport.call("POST", path_of_files, read, body=request, only_reads=True)
            os.replace(part, target)
        finally:
            part.unlink(missing_ok=True)
        return target

    @staticmethod
    def _check_rows(cut: Optional[str], found: int, wanted: int) -> None:
        """Refuses a file with other rows than were asked for; the server says where it cut one, `files[0]=100`."""
        given = found if cut is None else int(cut.rpartition("=")[2])
        if given < wanted:
            text = f"{found} records are found, but the catalogue gives {given} rows in one file; iterate instead"
            raise CantataError(text)
        if given > max(1, wanted):
            raise CantataError(f"the catalogue gives {given} rows and no other number; iterate to take {wanted}")

    def _columns_of_values(self) -> Dict[str, List[Any]]:
        values: Dict[str, List[Any]] = {column: [] for column in self.columns}
        with Progress(self._catalogue.id, "rows", enabled=self._progress) as progress:
            for page in self.pages(progress):
                for column, cells in values.items():
                    cells.extend(record[column] for record in page)
        return values

    def _types(self) -> Dict[str, str]:
        return {column: self._catalogue.field(column).type for column in self.columns}


def sort_keys(sort: Union[None, SortKey, Sequence[SortKey]]) -> List[Dict[str, Any]]:
    """Reads an order: paths, with a minus for descending, or objects of the server.

    >>> sort_keys(["studyId", "-fileSize"])
    [{'fieldName': 'studyId', 'order': 'asc'}, {'fieldName': 'fileSize', 'order': 'desc'}]
    """
    if sort is None:
        return []
    keys: Sequence[SortKey] = [sort] if isinstance(sort, (str, Mapping)) else sort
    return [_sort_key(key) for key in keys]


def _sort_key(key: SortKey) -> Dict[str, Any]:
    if not isinstance(key, str):
        return dict(key)
    is_descending = key.startswith("-")
    return {"fieldName": key[1:] if is_descending else key, "order": "desc" if is_descending else "asc"}


def _facet_value(bucket: Mapping[str, Any], type_name: str) -> Any:
    """Returns the value of a bucket, whose key is a text."""
    key = bucket["key"]
    if key == MISSING:
        return None
    if type_name == "boolean":
        return key in ("1", "true", 1, True)
    if type_name in frames.WHOLE_NUMBERS:
        return int(key)
    if type_name in frames.FRACTIONS:
        return float(key)
    return bucket["key_as_string"] or key if type_name in ("date", "date_nanos") else key
