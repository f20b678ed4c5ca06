"""The analyses of a study: submitting, publishing and reading them."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional

from cantata.errors import CantataError, without_origin
from cantata.progress import Progress
from cantata.transport import NDJSON, ResponseBody, Transport

Analysis = Dict[str, Any]

#: How many payloads are sent in one request, and about how many bytes.
BATCH_PAYLOADS = 1000
BATCH_BYTES = 4 << 20

#: How many analyses are read by one request.
PAGE_SIZE = 100


class SubmissionResult(NamedTuple):
    """What became of one of many payloads: the id of the new analysis, or the error."""

    index: int
    analysis_id: Optional[str]
    error: Optional[CantataError]


class Study:
    """A study. ``Cantata.study`` returns it.

    >>> study = client.study("LUNG-PL")
    >>> len(list(study.analyses())) > 10
    True
    """

    def __init__(self, transport: Transport, study_id: str, progress: Optional[bool] = None) -> None:
        self._transport = transport
        self._progress = progress
        self.id = study_id

    def __repr__(self) -> str:
        return f"Study({self.id!r})"

    def info(self) -> Dict[str, Any]:
        """Returns the name, the organization and the description of the study.

        >>> study.info()["studyId"]
        'LUNG-PL'
        """
        found: Dict[str, Any] = self._transport.get("studies", self.id)
        return found

    def submit(
        self,
        payload: Dict[str, Any],
        *,
        publish: bool = False,
        allow_duplicates: bool = False,
        validate_only: bool = False,
    ) -> Optional[str]:
        """Submits a payload and returns the id of the new analysis, ``None`` with `validate_only`.

        `publish` stores it as published, or not at all. `validate_only` runs every check and stores nothing. A payload
        that is not valid raises :class:`CantataError`, whose ``violations`` are listed one by one.

        >>> study = client.create_study("READS")
        >>> payload = {
        ...     "studyId": "READS",
        ...     "analysisType": {"name": "sequencingRead"},
        ...     "experiment": {"libraryStrategy": "guess"},
        ...     "files": [{
        ...         "fileName": "a.bam", "fileSize": 12, "fileType": "bam", "fileAccess": "open", "dataType": "reads",
        ...         "fileMd5sum": "0f2d6f1c3b4a59687786a5b4c3d2e1f0",
        ...     }],
        ... }
        >>> try:
        ...     study.submit(payload, validate_only=True)
        ... except CantataError as error:
        ...     print(error.error_id, len(error.violations))
        schema.violation 1
        >>> payload["experiment"]["libraryStrategy"] = "WGS"
        >>> analysis_id = study.submit(payload)
        >>> study.analysis(analysis_id)["analysisState"]
        'UNPUBLISHED'
        """
        query = _options(publish, allow_duplicates, validate_only)
        answer = self._transport.send("POST", "submit", self.id, body=payload, query=query)
        analysis_id: Optional[str] = answer.get("analysisId")
        return analysis_id

    def submit_many(
        self,
        payloads: Iterable[Dict[str, Any]],
        *,
        publish: bool = False,
        allow_duplicates: bool = False,
        validate_only: bool = False,
    ) -> Iterator[SubmissionResult]:
        """Submits many payloads and yields what became of each, in their order.

        One that is rejected does not stop the others.

        >>> results = list(study.submit_many([{"studyId": "LUNG-PL"}, {"studyId": "LUNG-PL"}]))
        >>> [(result.index, result.error.status) for result in results]
        [(0, 400), (1, 400)]
        """
        query = _options(publish, allow_duplicates, validate_only)
        first = 0
        with Progress(f"submitting to {self.id}", "analyses", enabled=self._progress) as progress:
            for batch in _batches(payloads):
                lines: List[Dict[str, Any]] = self._transport.call(
                    "POST", ("submit", self.id, "batch"), _lines, query=query, body=b"".join(batch), media_type=NDJSON
                )
                if len(lines) != len(batch):
                    raise CantataError(f"the server answered to {len(lines)} of {len(batch)} payloads")
                for offset, line in enumerate(lines):
                    yield _result(first + offset, line)
                first += len(batch)
                progress.advance(len(batch))

    def publish(self, analysis_id: str) -> None:
        """Publishes an analysis.

        >>> some = next(iter(study.analyses()))["analysisId"]
        >>> study.publish(some)
        >>> study.analysis(some)["analysisState"]
        'PUBLISHED'
        """
        self._change("publish", analysis_id)

    def unpublish(self, analysis_id: str) -> None:
        """Takes back the publication of an analysis."""
        self._change("unpublish", analysis_id)

    def suppress(self, analysis_id: str) -> None:
        """Suppresses an analysis for good."""
        self._change("suppress", analysis_id)

    def analysis(self, analysis_id: str) -> Analysis:
        """Returns an analysis with its files.

        >>> some = next(iter(study.analyses()))["analysisId"]
        >>> study.analysis(some)["studyId"]
        'LUNG-PL'
        """
        found: Analysis = self._transport.get("studies", self.id, "analysis", analysis_id)
        return found

    def analyses(self, states: Iterable[str] = ("PUBLISHED",)) -> Iterator[Analysis]:
        """Yields the analyses of the study in these states, in the order of their ids.

        >>> {analysis["analysisState"] for analysis in study.analyses()}
        {'PUBLISHED'}
        """
        wanted = ",".join(states)
        offset = 0
        while True:
            query = {"analysisStates": wanted, "limit": PAGE_SIZE, "offset": offset}
            page = self._transport.get("studies", self.id, "analysis", "paginated", query=query)["analyses"]
            yield from page
            offset += len(page)
            if len(page) < PAGE_SIZE:
                return

    def _change(self, verb: str, analysis_id: str) -> None:
        self._transport.send("PUT", "studies", self.id, "analysis", verb, analysis_id)


def _options(publish: bool, allow_duplicates: bool, validate_only: bool) -> Dict[str, str]:
    options = {"publish": publish, "allowDuplicates": allow_duplicates, "validateOnly": validate_only}
    return {name: "true" for name, is_set in options.items() if is_set}


def _batches(payloads: Iterable[Dict[str, Any]]) -> Iterator[List[bytes]]:
    """Yields payloads as lines, some at a time."""
    batch: List[bytes] = []
    size = 0
    for payload in payloads:
        line = json.dumps(payload, allow_nan=False).encode() + b"\n"
        if batch and (len(batch) == BATCH_PAYLOADS or size + len(line) > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(line)
        size += len(line)
    if batch:
        yield batch


def _lines(body: ResponseBody) -> List[Dict[str, Any]]:
    return [json.loads(line) for line in body.all().splitlines() if line]


def _result(index: int, line: Dict[str, Any]) -> SubmissionResult:
    if line.get("status") == "OK":
        return SubmissionResult(index, line.get("analysisId"), None)
    error = CantataError(without_origin(line.get("message", "")), line.get("httpStatusCode"), line.get("errorId"))
    return SubmissionResult(index, None, error)
