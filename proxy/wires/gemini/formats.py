"""The form of the answer: as generation settings, or in words where a model does not take those beside tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.errors import InvalidRequest
from proxy.json_text import write_json


def answer_format(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the generation settings for a ``response_format``; empty for text.

    Raises :class:`InvalidRequest` for a form that there is not, and for a schema that is no object.
    """
    kind = "text" if given is None else given.get("type")
    if given is None or kind == "text":
        return {}
    if kind == "json_object":
        return {"responseMimeType": "application/json"}
    if kind != "json_schema":
        raise InvalidRequest(
            "'response_format.type' must be text, json_object or json_schema.", param="response_format.type"
        )
    wrapper = given.get("json_schema")
    schema = wrapper.get("schema") if isinstance(wrapper, Mapping) else None
    if schema is not None and not isinstance(schema, Mapping):
        place = "response_format.json_schema.schema"
        raise InvalidRequest(f"'{place}' must be an object.", param=place)
    config: dict[str, Any] = {"responseMimeType": "application/json"}
    if schema:
        config["responseJsonSchema"] = schema
    return config


def format_in_words(given: Mapping[str, Any] | None) -> str | None:
    """Return a ``response_format`` as an instruction; None for text.

    "Function calling with a response mime type: 'application/json' is unsupported" is what models before Gemini 3
    say to both at once (python-genai#867, symfony/ai#1777). Left out, the client would get prose that it cannot
    parse. Raises what :func:`answer_format` raises.
    """
    config = answer_format(given)
    if not config:
        return None
    words = (
        "When you answer in words instead of calling a function, write a JSON value with nothing around it."
    )
    schema = config.get("responseJsonSchema")
    return f"{words} It must match this JSON Schema: {write_json(schema).decode()}" if schema else words
