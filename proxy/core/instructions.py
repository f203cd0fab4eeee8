"""The operator's instructions for one request: texts of up to three levels, from the most general to the most special.

The gateway's text comes first, then the model's, then the key's or its team's. Joined, they stand before the client's
own system text.
"""

from __future__ import annotations

from typing import Literal

from sanitizers.record import record

MAX_BYTES = 32_768
"""The most UTF-8 bytes of joined instructions."""

SEPARATOR = "\n\n"
"""Stands between two joined texts."""

Level = Literal["gateway", "model", "key", "team"]


@record
class InstructionPart:
    """The text of one level. *bytes* is its length in UTF-8. *whole* is False where the text was cut at load."""

    level: Level
    text: str
    bytes: int
    whole: bool = True


@record
class Instructions:
    """The instructions of one combination of gateway, model and key.

    *text* joins the texts of *parts*, *bytes* is its length in UTF-8, and *digest* its name in logs and changes: the
    first 12 hexadecimal digits of its SHA-256.
    """

    parts: tuple[InstructionPart, ...]
    text: str
    bytes: int
    digest: str
