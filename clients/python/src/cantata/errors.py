"""The one exception of this package, and how it is read from the responses of a server."""

from __future__ import annotations

import json
from typing import Any, List, Optional


class CantataError(Exception):
    """A request that the server rejected, or a server that cannot be reached.

    ``message`` says what is wrong, where, and what was expected. ``status`` is the HTTP status, ``None`` if there was
    no response. ``error_id`` is the id of the error (``schema.violation``, ``BAD_USER_INPUT``), if the server sent one.

    >>> from cantata import Cantata, CantataError
    >>> try:
    ...     Cantata("http://127.0.0.1:5050").study("NONE").info()
    ... except CantataError as error:
    ...     print(error.status, error.error_id)
    404 study.id.does.not.exist
    """

    def __init__(self, message: str, status: Optional[int] = None, error_id: Optional[str] = None) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.error_id = error_id

    def __str__(self) -> str:
        return f"{self.error_id}: {self.message}" if self.error_id else self.message

    def __reduce__(self) -> Any:
        return type(self), (self.message, self.status, self.error_id)

    @property
    def violations(self) -> List[str]:
        """The single violations, if a payload breaks its schema; else the message.

        >>> CantataError("#/a: one,#/b: two", 400, "schema.violation").violations
        ['#/a: one', '#/b: two']
        """
        if self.error_id != "schema.violation":
            return [self.message]
        first, *others = self.message.split(",#")
        return [first, *(f"#{other}" for other in others)]


def error_of_body(status: int, body: bytes) -> CantataError:
    """Reads the error of a response, in whichever form the services send it."""
    text = body.decode("utf-8", "replace").strip()
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        return CantataError(text or f"the server answered with status {status} and no reason", status)
    if "errorId" in value:
        return CantataError(without_origin(str(value.get("message", ""))), status, str(value["errorId"]))
    if isinstance(value.get("errors"), list):
        return error_of_graphql(value["errors"], status)
    error = value.get("error")
    if isinstance(error, dict):
        code = error.get("code")
        return CantataError(str(error.get("message", text)), status, None if code is None else str(code))
    return CantataError(error if isinstance(error, str) else text, status)


def error_of_graphql(errors: List[Any], status: int) -> CantataError:
    """Reads the errors of a GraphQL response."""
    found = [error for error in errors if isinstance(error, dict)]
    message = "; ".join(str(error.get("message", "")) for error in found)
    codes = {str(code) for code in map(_code_of, found) if code}
    return CantataError(message, status, codes.pop() if len(codes) == 1 else None)


def _code_of(error: Any) -> Any:
    extensions = error.get("extensions")
    return extensions.get("code") if isinstance(extensions, dict) else None


def without_origin(message: str) -> str:
    """Removes the service in front of a message, ``[SubmitService::schema.violation] - ``."""
    _, separator, text = message.partition("] - ")
    return text if separator and message.startswith("[") else message
