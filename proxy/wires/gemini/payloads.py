"""The bytes of an answer, or of one event, as the JSON in them."""

from __future__ import annotations

import json
from typing import Any, NoReturn

import orjson

from proxy.errors import UpstreamFault


def load_payload(text: bytes) -> Any:
    """Return the JSON value in *text*: an object for an answer, but an error may stand in an array.

    Half a character, which is left where the provider cuts an escaped emoji in two, is read as it came; orjson
    refuses it. Raises :class:`UpstreamFault` for what is no JSON.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        pass
    try:
        return json.loads(text.decode(), parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise UpstreamFault("The provider answered with something that is not JSON.") from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
