"""Writes the answer's format as generation settings, or as an instruction where tools exclude these settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.errors import InvalidRequest
from proxy.upstream.dialects.formats import describe_format, schema_of


def answer_format(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the generation settings for a ``response_format``, empty for text.

    Raises :class:`InvalidRequest` for an unknown format, and for a schema that is no object.
    """
    kind = given.get("type")
    if kind == "text":
        return {}
    if kind == "json_object":
        return {"responseMimeType": "application/json"}
    if kind != "json_schema":
        raise InvalidRequest(
            "'response_format.type' must be text, json_object or json_schema.", param="response_format.type"
        )
    schema = schema_of(given)
    config: dict[str, Any] = {"responseMimeType": "application/json"}
    if schema:
        config["responseJsonSchema"] = schema
    return config


def format_instruction(given: Mapping[str, Any] | None) -> str | None:
    """Return a ``response_format`` as an instruction for a request with tools, or None for text.

    Models before Gemini 3 refuse tools and a format in one request: "Function calling with a response mime type:
    'application/json' is unsupported" (python-genai#867, symfony/ai#1777). Without the instruction the client would get
    prose that it cannot parse. If parameters are fitted to the provider, :mod:`proxy.upstream.dialects.formats` has
    already written the instruction. Raises the errors of :func:`answer_format`.
    """
    if given is None or not answer_format(given):
        return None
    return describe_format(given, has_tools=True)
