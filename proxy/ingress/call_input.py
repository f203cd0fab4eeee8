"""Reads the arguments of an answer's call as the object that clients of native formats get."""

from __future__ import annotations

from typing import Any

from proxy.answers.tool_calls.mend_arguments import mend_notation, unwrap_encoded
from sanitizers.messages import parse_arguments


def read_input(arguments: str) -> dict[str, Any]:
    """Return the *arguments* of a call as an object.

    Other notations are mended first. Without any object the result is empty, so that the client's own check refuses it.
    """
    if not arguments.strip():
        return {}
    parsed = parse_arguments(arguments)
    if parsed is None:
        parsed = mend_notation(unwrap_encoded(arguments) or arguments)
    return {} if parsed is None else parsed
