"""The form of the answer: as a parameter where it is taken, in words where it is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.errors import InvalidRequest
from proxy.core.json_text import write_json
from proxy.upstream.dialects.fitting import Fitting
from sanitizers import Message, Messages

_WORDS = "Write your answer as a JSON value with nothing around it."
_WORDS_WITH_TOOLS = (
    "When you answer in words instead of calling a function, write a JSON value with nothing around it."
)


def fit_format(fitting: Fitting) -> None:
    """Ask for the form of the answer in words where the dialect has no parameter for it.

    Left out, the client would get prose that it cannot parse. Where at least JSON can be demanded, it is, and the words
    are about the schema alone: the word "JSON" is in them, which those who demand it want to see in the history. Raises
    :class:`InvalidRequest` where there is no message to say it in.
    """
    form = fitting.value("response_format")
    kind = form.get("type") if isinstance(form, Mapping) else None
    if form is None or kind is None:
        return
    dialect, has_tools = fitting.dialect, bool(fitting.declared())
    known = dialect.formats & dialect.formats_with_tools if has_tools else dialect.formats
    if kind == "text" or kind in known:
        return
    fitting.words = describe_format(form, has_tools=has_tools)
    if _place(fitting.messages) is None:
        words = "'response_format' needs a system or a user message: this model is told of it in words."
        raise InvalidRequest(words, param="response_format")
    if kind == "json_schema" and "json_object" in known:
        fitting.replace("response_format", {"type": "json_object"}, "in_words")
    else:
        fitting.drop("response_format", "in_words")


def describe_format(form: Mapping[str, Any], *, has_tools: bool) -> str:
    """Return a ``response_format`` other than text as an instruction.

    Raises :class:`InvalidRequest` for a schema that is no object.
    """
    schema = schema_of(form)
    words = _WORDS_WITH_TOOLS if has_tools else _WORDS
    return f"{words} It must match this JSON Schema: {write_json(schema).decode()}" if schema else words


def schema_of(form: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the schema in a ``response_format``; raises :class:`InvalidRequest` for one that is no object."""
    wrapper = form.get("json_schema")
    schema = wrapper.get("schema") if isinstance(wrapper, Mapping) else None
    if schema is not None and not isinstance(schema, Mapping):
        place = "response_format.json_schema.schema"
        raise InvalidRequest(f"'{place}' must be an object.", param=place)
    return schema


def with_words(messages: Messages, words: str) -> Messages:
    """Return *messages* with an instruction at the end of what leads them; as many as there were, none changed.

    The system message that leads gets it, else the first user message: places that stay as the history grows, so that a
    cached prefix stays what it was, and that every provider takes.
    """
    place = _place(messages)
    said = [*messages]
    if place is not None:
        said[place] = _with_text(said[place], words)
    return said


def _place(messages: Messages) -> int | None:
    if messages and messages[0]["role"] in ("developer", "system"):
        return 0
    return next((at for at, message in enumerate(messages) if message["role"] == "user"), None)


def _with_text(message: Message, words: str) -> Message:
    content = message.get("content")
    if isinstance(content, list):
        return {**message, "content": [*content, {"type": "text", "text": words}]}
    return {**message, "content": f"{content}\n\n{words}" if content else words}
