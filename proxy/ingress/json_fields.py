"""Reads the fields that all of OpenAI's formats share: the JSON object, its model and the streaming switches."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from typing import Any

import orjson

from proxy.core.errors import InvalidRequest
from proxy.core.nesting import nesting_exceeds

_COLLECTED = 2**19
"""Bytes of a body up to which garbage collection is left on: smaller bodies decode to few objects."""


def load_object(body: bytes) -> dict[str, Any]:
    """Return the body's fields, decoded. Raises :class:`InvalidRequest` for anything but a JSON object."""
    try:
        fields = _without_collecting(body) if len(body) > _COLLECTED else orjson.loads(body)
    except orjson.JSONDecodeError as error:
        # error.msg names the fault. error.doc is the client's text, and is not shown.
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
    """Return the decoded *body*, with garbage collection turned off meanwhile.

    Decoding creates no garbage, and collection would double the time for millions of arrays. The decoder holds the GIL,
    so no other thread runs without collection.
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
    """Return the model that a request names. Raises :class:`InvalidRequest` where it names none."""
    model = fields.get("model")
    if not isinstance(model, str) or not model:
        raise InvalidRequest("'model' is required and must be a string.", param="model")
    return model


def named_model(fields: Mapping[str, Any]) -> str:
    """Return the model that a faulty request names, or an empty text where it names none."""
    model = fields.get("model")
    return model if isinstance(model, str) else ""


def take_stream_switches(known: dict[str, Any]) -> tuple[bool, bool]:
    """Remove the streaming switches from *known*. Return two flags: stream the answer, and send its usage."""
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
