"""Reads the JSON of an answer or of one event, for every wire."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

import orjson

from proxy.core.errors import UpstreamFault
from proxy.core.nesting import nesting_exceeds

_DEEPEST = 250
"""The most nesting levels of an answer, as for requests. orjson reads 1024 levels and writes 254."""

_LONE_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def load_payload(text: bytes) -> Any:
    """Return the JSON value in *text*. Raises :class:`UpstreamFault` for invalid JSON and for too many nesting levels.

    Each level takes two bytes, so short texts need no check. A longer text is walked only if it has many brackets.
    """
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        value = _load_lone_surrogates(text)
    if (
        len(text) > 2 * _DEEPEST
        and text.count(b"{") + text.count(b"[") > _DEEPEST
        and nesting_exceeds(value, _DEEPEST)
    ):
        raise UpstreamFault("The provider's answer is nested too deeply.")
    return value


def _load_lone_surrogates(text: bytes) -> Any:
    """Read JSON with lone surrogates, which orjson refuses. Some providers cut an escaped emoji in two."""
    if _LONE_SURROGATE.search(text):
        try:
            return json.loads(text.decode(), parse_constant=_refuse)
        except (ValueError, RecursionError):
            pass
    raise UpstreamFault("The provider answered with something that is not JSON.")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
