"""The bytes of an answer, or of one event, as the JSON in them, for every wire."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

import orjson

from proxy.core.errors import UpstreamFault
from proxy.core.nesting import nesting_exceeds

_DEEPEST = 250
"""Levels that an answer may be nested, as a request may be at most: orjson reads 1024 levels and writes 254."""

_HALF_A_CHARACTER = re.compile(rb"\\u[dD][89a-fA-F]")


def load_payload(text: bytes) -> Any:
    """Return the JSON value in *text*; raises :class:`UpstreamFault` where there is none, or it is nested too deeply.

    Each level takes two bytes, so that nothing is counted in most events, and nothing is walked in most others.
    """
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        value = _load_halves(text)
    if (
        len(text) > 2 * _DEEPEST
        and text.count(b"{") + text.count(b"[") > _DEEPEST
        and nesting_exceeds(value, _DEEPEST)
    ):
        raise UpstreamFault("The provider's answer is nested too deeply.")
    return value


def _load_halves(text: bytes) -> Any:
    """Read JSON with lone surrogates: an escaped emoji that the provider cut in two, which orjson refuses."""
    if _HALF_A_CHARACTER.search(text):
        try:
            return json.loads(text.decode(), parse_constant=_refuse)
        except (ValueError, RecursionError):
            pass
    raise UpstreamFault("The provider answered with something that is not JSON.")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
