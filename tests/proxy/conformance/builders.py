"""Builds cases, and requests in Gemini's format, for the tests of the judge."""

from __future__ import annotations

from typing import Any

from proxy.conformance.case import Case
from proxy.conformance.judge import Arrival


def case_of(*messages: dict[str, Any], **must: Any) -> Case:
    """Return a case with these messages.

    *must* sets the texts, results and media that must arrive (default: none) and the tools.
    """
    fields: dict[str, Any] = {"tools": (), "texts": (), "results": (), "media": 0, **must}
    return Case("one", "a report", "missing_result", "gemini/gemini-3.6-flash", tuple(messages), **fields)


def contents(*parts: dict[str, Any], **extra: Any) -> dict[str, Any]:
    """Return a request in Gemini's format with these parts in one user content, and *extra* as further fields."""
    return {"contents": [{"role": "user", "parts": list(parts)}], **extra}


def response(value: Any, *parts: dict[str, Any]) -> dict[str, Any]:
    """Return a part with a function response and its nested parts."""
    held: dict[str, Any] = {"name": "f", "response": value}
    return {"functionResponse": held | ({"parts": list(parts)} if parts else {})}


def accepted(*parts: dict[str, Any]) -> Arrival:
    """Return the arrival of a request with these parts that the emulator accepted."""
    return Arrival(contents(*parts), 200)
