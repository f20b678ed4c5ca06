"""The client of a server."""

from __future__ import annotations

import os
from typing import Any, Dict, List, NamedTuple, Optional

from cantata.catalogue import Catalogue
from cantata.study import Study
from cantata.transport import Transport


class CatalogueInfo(NamedTuple):
    """A catalogue in the list of a server."""

    id: str
    document_type: str
    description: str
    #: False if it cannot be searched at present.
    is_available: bool


class Cantata:
    """A client of the server at an address.

    The key is that of the environment variable ``CANTATA_KEY`` if none is given. ``timeout`` is how many seconds the
    server may be silent, ``retries`` how often a request is repeated where that is safe, and ``progress`` whether bars
    are drawn; by default they are where standard error is a terminal.

    >>> client = Cantata("http://127.0.0.1:5050")
    >>> [catalogue.id for catalogue in client.catalogues()]
    ['analyses', 'files']
    """

    def __init__(
        self,
        url: str,
        key: Optional[str] = None,
        *,
        timeout: float = 120.0,
        retries: int = 4,
        progress: Optional[bool] = None,
    ) -> None:
        self._transport = Transport(url, key or os.environ.get("CANTATA_KEY"), timeout, retries)
        self._progress = progress

    def __repr__(self) -> str:
        return f"Cantata({self._transport.base!r})"

    def catalogues(self) -> List[CatalogueInfo]:
        """Lists the catalogues of the server.

        >>> client.catalogues()[1].document_type
        'file'
        """
        found: Dict[str, Any] = self._transport.get("introspection")["catalogs"]
        return [
            CatalogueInfo(name, entry["documentType"], entry.get("description") or "", entry["status"] == "available")
            for name, entry in found.items()
        ]

    def catalogue(self, name: str) -> Catalogue:
        """Returns a catalogue, by its id or its document type.

        >>> client.catalogue("files")
        Catalogue('files')
        """
        return Catalogue(self._transport, name, self._progress)

    def studies(self) -> List[str]:
        """Lists the ids of the studies.

        >>> "LUNG-PL" in client.studies()
        True
        """
        found: List[str] = self._transport.get("studies", "all")
        return found

    def study(self, study_id: str) -> Study:
        """Returns a study, to read, submit and publish its analyses; nothing is sent yet.

        >>> client.study("LUNG-PL").info()["studyId"]
        'LUNG-PL'
        """
        return Study(self._transport, study_id, self._progress)

    def create_study(self, study_id: str, name: str = "", organization: str = "", description: str = "") -> Study:
        """Registers a study.

        >>> client.create_study("NEW-STUDY", name="A new study").id
        'NEW-STUDY'
        """
        members = {"studyId": study_id, "name": name, "organization": organization, "description": description}
        body = {member: text for member, text in members.items() if text}
        self._transport.send("POST", "studies", study_id, body=body)
        return self.study(study_id)

    def schema(self, name: str, version: Optional[int] = None) -> Dict[str, Any]:
        """Returns an analysis type with its JSON Schema; the latest version unless another is named.

        >>> client.schema("sequencingRead")["version"]
        1
        """
        query = None if version is None else {"version": version}
        found: Dict[str, Any] = self._transport.get("schemas", name, query=query)
        return found
