"""The fields of a JSON body that all of OpenAI's formats share: the object, its model, the switches of streaming."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from typing import Any

import orjson

from proxy.core.errors import InvalidRequest
from proxy.core.nesting import nesting_exceeds

_COLLECTED = 2**19
"""Bytes of a body up to which decoding makes too few objects for looks for garbage to matter."""


def load_object(body: bytes) -> dict[str, Any]:
    """Return the body's fields, decoded; raises :class:`InvalidRequest` for what is no JSON, and no object."""
    try:
        fields = _without_collecting(body) if len(body) > _COLLECTED else orjson.loads(body)
    except orjson.JSONDecodeError as error:
        # error.msg names the fault; the document itself (error.doc) is the client's text.
        reason = (
            "nested too deeply" if "depth" in error.msg or "recursion" in error.msg.lower() else error.msg
        )
        raise InvalidRequest(
            f"The body is not valid JSON: {reason} (line {error.lineno}, column {error.colno})."
        ) from None
    if not isinstance(fields, dict):
        raise InvalidRequest("The body must be a JSON object.")
    return fields


def _without_collecting(body: bytes) -> Any:
    """Return what *body* holds, decoded without a look for garbage in between.

    Nothing of it is garbage, and decoding millions of arrays takes twice as long with the looks. The interpreter is
    held all the while, so that no other thread has its own looks put off.
    """
    if not gc.isenabled():
        return orjson.loads(body)
    gc.disable()
    try:
        return orjson.loads(body)
    finally:
        gc.enable()


def refuse_nesting(fields: Mapping[str, Any], max_nesting: int) -> None:
    """Raise :class:`InvalidRequest` for *fields* that are nested deeper than *max_nesting*."""
    if nesting_exceeds(fields, max_nesting):
        raise InvalidRequest(f"The body is nested deeper than {max_nesting} levels.")


def read_model(fields: Mapping[str, Any]) -> str:
    """Return the model that a request names; raises :class:`InvalidRequest` where it names none."""
    model = fields.get("model")
    if not isinstance(model, str) or not model:
        raise InvalidRequest("'model' is required and must be a string.", param="model")
    return model


def take_stream_switches(known: dict[str, Any]) -> tuple[bool, bool]:
    """Take the switches of streaming out of *known*: whether to stream, and whether usage is asked for."""
    if "stream" not in known and "stream_options" not in known:
        return False, False
    stream: bool = known.pop("stream", False)
    options = known.pop("stream_options", None) or {}
    include_usage = options.get("include_usage")
    if include_usage is not None and not isinstance(include_usage, bool):
        raise InvalidRequest(
            "'stream_options.include_usage' must be a boolean.", param="stream_options.include_usage"
        )
    return stream, bool(include_usage)
