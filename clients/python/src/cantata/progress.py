"""A progress bar on standard error, where that is a terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Optional, Type

#: How often the bar is drawn at most, in seconds.
DRAW_INTERVAL = 0.1

BAR_WIDTH = 30


class Progress:
    """Draws how far something has come; the total may be unknown.

    >>> with Progress("files", "rows", total=2, enabled=False) as progress:
    ...     progress.advance(2)
    """

    def __init__(self, label: str, unit: str, total: Optional[int] = None, enabled: Optional[bool] = None) -> None:
        self._label = label
        self._unit = unit
        self._done = 0
        self._drawn_at = 0.0
        self._is_enabled = sys.stderr.isatty() if enabled is None else enabled
        self.total = total

    def advance(self, amount: int) -> None:
        """Adds to what is done."""
        self._done += amount
        now = time.monotonic()
        if self._is_enabled and now - self._drawn_at >= DRAW_INTERVAL:
            self._drawn_at = now
            self._draw("")

    def _draw(self, end: str) -> None:
        if self.total:
            filled = min(BAR_WIDTH, BAR_WIDTH * self._done // self.total)
            bar = "#" * filled + "." * (BAR_WIDTH - filled)
            text = f"{self._label} [{bar}] {self._done:,} of {self.total:,} {self._unit}"
        else:
            text = f"{self._label} {self._done:,} {self._unit}"
        sys.stderr.write(f"\r{text}\x1b[K{end}")
        sys.stderr.flush()

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if self._is_enabled:
            self._draw("\n")
