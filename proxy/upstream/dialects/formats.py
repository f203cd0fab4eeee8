"""Asks for the answer's format by a parameter where the provider takes one, else by an instruction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.errors import InvalidRequest
from proxy.core.json_text import write_json
from proxy.upstream.dialects.closed_schemas import close_schema
from proxy.upstream.dialects.dialect import Dialect
from proxy.upstream.dialects.fitting import Fitting
from sanitizers import Message, Messages

_INSTRUCTION = "Write your answer as a JSON value with nothing around it."
_INSTRUCTION_WITH_TOOLS = (
    "When you answer in words instead of calling a function, write a JSON value with nothing around it."
)


def fit_format(fitting: Fitting) -> None:
    """Ask for the format of the answer by an instruction where the dialect has no parameter for it.

    If the format were dropped, the client would get prose that it cannot parse. Where ``json_object`` is known, a
    schema becomes ``json_object`` and an instruction. The instruction holds the word "JSON", which providers want to
    see in the history. Raises :class:`InvalidRequest` when no message can hold the instruction.
    """
    form = fitting.value("response_format")
    kind = form.get("type") if isinstance(form, Mapping) else None
    if form is None or kind is None:
        return
    dialect, has_tools = fitting.dialect, bool(fitting.declared())
    known = dialect.formats & dialect.formats_with_tools if has_tools else dialect.formats
    if kind in known and kind == "json_schema" and dialect.closed_schemas:
        _close(fitting, form)
    if kind == "text" or kind in known:
        return
    fitting.instruction = describe_format(form, has_tools=has_tools)
    if _find_leading(fitting.messages) is None:
        words = "'response_format' needs a system or a user message: this model reads the format there."
        raise InvalidRequest(words, param="response_format")
    if kind == "json_schema" and "json_object" in known:
        fitting.replace("response_format", {"type": "json_object"}, "in_words")
    else:
        fitting.drop("response_format", "in_words")


def _close(fitting: Fitting, form: Mapping[str, Any]) -> None:
    """Rewrite the schema of *form* so that a grammar can enforce it."""
    schema = schema_of(form)
    if schema is None or (closed := close_schema(schema)) is schema:
        return
    wrapper = {**form["json_schema"], "schema": closed}
    fitting.replace("response_format", {**form, "json_schema": wrapper}, "closed_schema")


def can_stream(parameters: Mapping[str, Any], dialect: Dialect) -> bool:
    """Tell whether an answer to a request with *parameters* can be streamed."""
    form = None if dialect.streams_formats else parameters.get("response_format")
    return form is None or form.get("type") == "text"


def describe_format(form: Mapping[str, Any], *, has_tools: bool) -> str:
    """Return the instruction for a ``response_format`` other than text.

    Raises :class:`InvalidRequest` for a schema that is not an object.
    """
    schema = schema_of(form)
    instruction = _INSTRUCTION_WITH_TOOLS if has_tools else _INSTRUCTION
    return (
        f"{instruction} It must match this JSON Schema: {write_json(schema).decode()}"
        if schema
        else instruction
    )


def schema_of(form: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the schema in a ``response_format``, or None. Raises :class:`InvalidRequest` if it is not an object."""
    wrapper = form.get("json_schema")
    schema = wrapper.get("schema") if isinstance(wrapper, Mapping) else None
    if schema is not None and not isinstance(schema, Mapping):
        place = "response_format.json_schema.schema"
        raise InvalidRequest(f"'{place}' must be an object.", param=place)
    return schema


def with_instruction(messages: Messages, instruction: str) -> Messages:
    """Return *messages* with an instruction appended to the leading message. No message is changed in place.

    The leading message is a system message at the start, else the first user message. Every provider takes the
    instruction there. That message stays the same while the history grows, so a cached prefix stays valid.
    """
    place = _find_leading(messages)
    said = [*messages]
    if place is not None:
        said[place] = _with_text_appended(said[place], instruction)
    return said


def _find_leading(messages: Messages) -> int | None:
    if messages and messages[0]["role"] in ("developer", "system"):
        return 0
    return next((at for at, message in enumerate(messages) if message["role"] == "user"), None)


def _with_text_appended(message: Message, instruction: str) -> Message:
    content = message.get("content")
    if isinstance(content, list):
        return {**message, "content": [*content, {"type": "text", "text": instruction}]}
    return {**message, "content": f"{content}\n\n{instruction}" if content else instruction}
