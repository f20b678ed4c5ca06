"""Requests to a server: credentials, time limits, repetition, and responses that are read while they arrive.

A request is repeated where the server asks for it (``Retry-After``), since it has then done nothing. One that only
reads is also repeated after a broken connection or an error of a proxy. Redirections are not followed: they would take
the key to another address.
"""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, TypeVar
from urllib.parse import quote, urlencode, urlsplit

from cantata.errors import CantataError, error_of_body, error_of_graphql

Result = TypeVar("Result")

JSON = "application/json"
NDJSON = "application/x-ndjson"

#: The longest pause between two attempts, in seconds; a server that asks for more is not waited for.
MAX_PAUSE = 120.0

#: The first pause where the server names none; it doubles with each attempt.
FIRST_PAUSE = 0.5

MAX_ERROR_BYTES = 1 << 20

READ_BYTES = 1 << 16


class TransientError(Exception):
    """An error after which the same request may succeed, after `wait` seconds at the earliest.

    With `is_untouched` the server has certainly done nothing, so that any request can be repeated.
    """

    def __init__(self, error: CantataError, wait: float = 0.0, is_untouched: bool = False) -> None:
        super().__init__(str(error))
        self.error = error
        self.wait = wait
        self.is_untouched = is_untouched


class ResponseBody:
    """The body of a response, which may break off."""

    def __init__(self, response: http.client.HTTPResponse, base: str) -> None:
        self._response = response
        self._base = base
        self.headers: Message = response.headers

    def read(self, size: int = READ_BYTES) -> bytes:
        """Returns the next bytes, none at the end."""
        try:
            piece = self._response.read(size)
        except (OSError, http.client.HTTPException) as reason:
            raise TransientError(self._broken(reason)) from reason
        if not piece and self._response.length:
            raise TransientError(self._broken(f"{self._response.length} bytes are missing"))
        return piece

    def all(self) -> bytes:
        """Returns the whole body."""
        return b"".join(iter(self.read, b""))

    def json(self) -> Any:
        """Returns the whole body, which is JSON."""
        try:
            return json.loads(self.all())
        except ValueError as reason:
            raise CantataError(f"what is at {self._base} does not answer like a Cantata server: {reason}") from reason

    def _broken(self, reason: object) -> CantataError:
        return CantataError(f"the server at {self._base} stopped answering: {reason}")


class _NoRedirection(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class Transport:
    """Sends the requests of a client."""

    def __init__(self, url: str, key: Optional[str], timeout: float, retries: int) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"url: found {url!r}, expected the address of a server such as https://data.example.org")
        if parts.username is not None:
            raise ValueError("url: found a user in it, expected the address alone; give the key as `key`")
        self.base = url.rstrip("/")
        self._key = key
        self._timeout = timeout
        self._retries = retries
        self._opener = urllib.request.build_opener(_NoRedirection)

    def address(self, path: Sequence[str], query: Optional[Mapping[str, Any]] = None) -> str:
        """Returns the address of a path, whose segments are given."""
        address = "/".join([self.base, *(quote(segment, safe="") for segment in path)])
        return f"{address}?{urlencode(query)}" if query else address

    def get(self, *path: str, query: Optional[Mapping[str, Any]] = None) -> Any:
        """Returns the JSON at a path."""
        return self.call("GET", path, lambda body: body.json(), query=query, only_reads=True)

    def send(self, method: str, *path: str, body: Any = None, query: Optional[Mapping[str, Any]] = None) -> Any:
        """Sends JSON that changes something, and returns the JSON of the response."""
        return self.call(method, path, lambda response: response.json(), query=query, body=_encoded(body))

    def graphql(self, catalogue: str, query: str, variables: Dict[str, Any]) -> Any:
        """Returns the data of a GraphQL request."""

        def read(body: ResponseBody) -> Any:
            answer = body.json()
            errors: List[Any] = answer.get("errors") or []
            if not errors:
                return answer["data"]
            error = error_of_graphql(errors, 200)
            raise TransientError(error) if error.error_id == "SERVICE_UNAVAILABLE" else error

        body = _encoded({"query": query, "variables": variables})
        return self.call("POST", (catalogue, "graphql"), read, body=body, only_reads=True)

    def call(
        self,
        method: str,
        path: Sequence[str],
        read: Callable[[ResponseBody], Result],
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[bytes] = None,
        media_type: str = JSON,
        only_reads: bool = False,
    ) -> Result:
        """Sends a request and returns what `read` makes of the response; it starts again if the request is repeated."""
        headers = {"User-Agent": "cantata-client", "Accept": "*/*"}
        if body is not None:
            headers["Content-Type"] = media_type
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self.address(path, query), body, headers, method=method)
        pause = FIRST_PAUSE
        for attempts_left in range(self._retries, -1, -1):
            try:
                with self._open(request) as response:
                    return read(ResponseBody(response, self.base))
            except TransientError as reason:
                if attempts_left == 0 or not (only_reads or reason.is_untouched):
                    raise reason.error from reason.__cause__
                time.sleep(max(pause, reason.wait))
                pause *= 2
        raise AssertionError("the last attempt returns or raises")

    def _open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        """Sends a request and returns a successful response."""
        try:
            response: http.client.HTTPResponse = self._opener.open(request, timeout=self._timeout)
            return response
        except urllib.error.HTTPError as rejection:
            with rejection:
                error, wait = self._rejection(rejection), _retry_after(rejection.headers)
            if rejection.code in (429, 503) and wait is not None and wait <= MAX_PAUSE:
                raise TransientError(error, wait, is_untouched=True) from None
            raise (TransientError(error) if rejection.code in (502, 504) else error) from None
        except (OSError, http.client.HTTPException) as reason:
            cause = getattr(reason, "reason", reason)
            error = CantataError(f"the server at {self.base} cannot be reached: {cause}")
            raise TransientError(error, is_untouched=isinstance(cause, ConnectionRefusedError)) from reason

    def _rejection(self, response: urllib.error.HTTPError) -> CantataError:
        if 300 <= response.code < 400:
            target = response.headers.get("Location")
            return CantataError(f"{self.base} leads to {target}; use that address", response.code)
        try:
            body = response.read(MAX_ERROR_BYTES)
        except (OSError, http.client.HTTPException):
            body = b""
        error = error_of_body(response.code, body)
        if response.code == 401 and not self._key:
            error.message += "; give a key, Cantata(url, key=...) or CANTATA_KEY"
        return error


def _encoded(value: Any) -> Optional[bytes]:
    return None if value is None else json.dumps(value, allow_nan=False).encode()


def _retry_after(headers: Message) -> Optional[float]:
    """Returns how many seconds to wait; a response has a number or a date."""
    text = headers.get("Retry-After")
    if text is None:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
