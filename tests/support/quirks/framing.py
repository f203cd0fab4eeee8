"""Frames events: in every way of the standard, and in a few others."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

DONE = "[DONE]"


@dataclass(frozen=True, slots=True)
class Framing:
    """One way to write a stream."""

    newline: str = "\n"
    space: bool = True
    mark: bool = False
    """A byte order mark at the beginning."""
    comments: bool = False
    fields: bool = False
    """`event`, `id` and `retry` beside the data."""
    lines: bool = False
    """JSON with line breaks, each line a data line of its own."""
    escaped: bool = True
    """Characters beyond ASCII as escapes."""
    last_blank: bool = True
    """The blank line behind the last event, which some servers leave out."""

    def write(self, events: Iterable[Any]) -> bytes:
        """Write events: JSON values, and texts as they are."""
        parts = [": processing\n\n"] if self.comments else []
        for event in events:
            parts.append(self._event(event))
            if self.comments:
                parts.append(": ping\n\n")
        text = "".join(parts)
        if not self.last_blank:
            text = text.removesuffix(": ping\n\n").removesuffix("\n")
        return ("\ufeff" if self.mark else "").encode() + text.replace("\n", self.newline).encode()

    def _event(self, event: Any) -> str:
        text = event
        if not isinstance(event, str):
            between = None if self.lines else (",", ":")
            text = json.dumps(
                event, ensure_ascii=self.escaped, indent=1 if self.lines else None, separators=between
            )
        field = "data: " if self.space else "data:"
        head = "event: message\nid: 7\nretry: 10\n" if self.fields else ""
        return head + "".join(f"{field}{line}\n" for line in text.split("\n")) + "\n"


PLAIN = Framing()
FRAMINGS = {
    "lf": PLAIN,
    "crlf": Framing(newline="\r\n"),
    "cr": Framing(newline="\r"),
    "no space": Framing(space=False),
    "byte order mark": Framing(mark=True),
    "comments": Framing(comments=True),
    "fields": Framing(fields=True, newline="\r\n"),
    "lines": Framing(lines=True),
    "lines, crlf, no space": Framing(lines=True, newline="\r\n", space=False),
    "utf-8": Framing(escaped=False),
    "no last blank line": Framing(last_blank=False),
}
"""Each way by its name."""
