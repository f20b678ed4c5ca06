"""Search catalogues, take data frames and submit analyses on a Cantata server.

>>> from cantata import Cantata, field
>>> files = Cantata("http://127.0.0.1:5050").catalogue("files")
>>> files.search(field("fileType") == "VCF").count()
122
"""

from cantata.catalogue import Catalogue, FieldInfo
from cantata.client import Cantata, CatalogueInfo
from cantata.conditions import Condition, Field, apart, element, field, sqon
from cantata.errors import CantataError
from cantata.search import Search
from cantata.study import Study, SubmissionResult

__all__ = [
    "Cantata",
    "CantataError",
    "Catalogue",
    "CatalogueInfo",
    "Condition",
    "Field",
    "FieldInfo",
    "Search",
    "Study",
    "SubmissionResult",
    "apart",
    "element",
    "field",
    "sqon",
]
