"""Finds the beginning of a provider's own sentence, after names of exceptions and other prefixes."""

from __future__ import annotations

import re

_LONGEST = 300

_PREFIX = re.compile(
    r"\s*(?:"
    r"Error code: \d{3} - "
    r"|[\w.]{0,100}(?:Error|Exception)\s*(?:[:-]\s*|\b(?=[\w.]{0,100}(?:Error|Exception)\b))"
    r"|<\d{3}> [\w.]{1,100}: "
    r"|An error occurred \(\w{1,100}\) when calling the \w{1,100} operation: "
    r"|(?:Input validation error|Invalid request|Bad request|invalid params|Value error|Request failed)[:,] ?"
    r"|Provider returned error: |Upstream error from \w[\w .-]{0,60}: "
    r"|(?:HTTP )?\d{3}:? (?=\D)"
    r"|(?:<\d{3}> )?(?:\w{1,40}\.){1,4}InvalidParameter: "
    r")*",
    re.IGNORECASE,
)
"""The known prefixes: names of Python exceptions, DashScope's codes, boto's sentence, and a status.

The labels of TGI, Kimi, MiniMax, Pydantic and OpenRouter are prefixes too.
"""


def begin_of(text: str) -> int:
    """Return the index in *text* at which the provider's own words begin, after the known prefixes."""
    found = _PREFIX.match(text, 0, _LONGEST)
    return 0 if found is None else found.end()
