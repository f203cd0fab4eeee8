"""Writes the numbered texts of the strategies, and finds these texts again in a history."""

import json
import re
from collections.abc import Iterator
from typing import Any

TOKEN = re.compile(r"t(\d+)§")
_NUMBER = re.compile(r"\d+")

FLAVOURS = (
    "{}",
    "Please look at {}.",
    "日本語と中文 {} 한국어",
    "🙂👩\u200d👩\u200d👧 {} e\u0301",
    "first line\r\n  {}\nlast line\t",
    '{{"json": "{}", "n": [1, 2]}}',
    "  padded {}  ",
    "שלום {} مرحبا",
)
BLANKS = (" ", "\n", "\t \r\n", "\u00a0\u3000")


class Numbers:
    """Hands out the numbers of texts and ids within one history."""

    def __init__(self, last: int = 0) -> None:
        self._last = last

    def next(self) -> int:
        """Return a number that was not handed out before."""
        self._last += 1
        return self._last

    def text(self, flavour: int = 0) -> str:
        """Return a new text in the pattern *flavour*. Flavours beyond the table are blank texts without a token."""
        if flavour >= len(FLAVOURS):
            return BLANKS[flavour % len(BLANKS)]
        return FLAVOURS[flavour].format(f"t{self.next()}§")


def numbers_after(messages: list[dict[str, Any]]) -> Numbers:
    """Return numbers that continue a history's numbering, without handing out a number of the history again."""
    written = json.dumps(messages, ensure_ascii=False, default=repr)
    found = (int(digits) for digits in _NUMBER.findall(written))
    return Numbers(max((number for number in found if number < 10**8), default=0))


def indexed_texts_of(messages: list[dict[str, Any]]) -> list[tuple[int, str]]:
    """Return every non-empty text of the contents with the index of its message."""
    return [(index, found) for index, message in enumerate(messages) for found in _texts(message) if found]


def texts_of(messages: list[dict[str, Any]]) -> list[str]:
    """Return every non-empty text in the contents of all roles. A content that is an object has no texts."""
    return [found for _, found in indexed_texts_of(messages)]


def tokens_of(messages: list[dict[str, Any]]) -> list[str]:
    """Return the tokens of the texts in their order, such as `t12§`. Blank texts have no token."""
    return [match[0] for found in texts_of(messages) for match in TOKEN.finditer(found)]


def _texts(message: dict[str, Any]) -> Iterator[str]:
    content = message.get("content")
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            if isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str):
                yield part["text"]
