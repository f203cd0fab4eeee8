"""Writes server-sent events in the ways that the standard allows, and in a few other ways of real servers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

DONE = "[DONE]"


@dataclass(frozen=True, slots=True)
class Framing:
    """One way to write a stream of server-sent events as bytes."""

    newline: str = "\n"
    space: bool = True
    mark: bool = False
    """True if the stream begins with a byte order mark."""
    comments: bool = False
    fields: bool = False
    """True if each event has the fields `event`, `id` and `retry` in addition to its data."""
    lines: bool = False
    """True if JSON has line breaks, with a separate `data:` line for each line."""
    escaped: bool = True
    """True if characters beyond ASCII are written as escapes."""
    last_blank: bool = True
    """True if a blank line ends the last event. Some servers leave this line out."""

    def write(self, events: Iterable[Any]) -> bytes:
        """Return the bytes of *events*: values are written as JSON, and texts unchanged."""
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
"""Maps a name to each framing that the fixed examples use."""
