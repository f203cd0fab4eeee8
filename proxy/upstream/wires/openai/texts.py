"""Reads text completions of servers that speak OpenAI's wire: whole answers and stream events.

The checks are the same as for chats (:mod:`proxy.upstream.wires.openai.answers`).
"""

from __future__ import annotations

from typing import Any

from typing_extensions import override

from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.core.upstream_call import Answer
from proxy.upstream.wires.openai.answers import BROKEN_OFF, StreamReader
from proxy.upstream.wires.openai.finishing import finish_reason
from proxy.upstream.wires.openai.refusals import raise_error
from proxy.upstream.wires.payloads import load_payload

_NO_TEXT = "The provider answered with something that is not a text completion."


def read_text_answer(body: bytes) -> Answer:
    """Return a whole answer.

    Raises :class:`UpstreamFault` for a 200 without an answer: HTML, an error object, other JSON, a choice without a
    finish reason.
    """
    value = load_payload(body)
    raise_error(value)
    if not isinstance(value, dict) or value.get("choices") is None:
        raise UpstreamFault(_NO_TEXT)
    choices = _read_choices(value)
    if not all(choice["finish_reason"] for choice in choices):
        raise UpstreamFault(BROKEN_OFF, cause=Cause.TRUNCATED)
    if len({choice["index"] for choice in choices}) < len(choices):  # 0 for all, as in chats
        for at, choice in enumerate(choices):
            choice["index"] = at
    return value


class TextStreamReader(StreamReader):
    """Reads one stream of a text completion."""

    @override
    def _choices(self, value: dict[str, Any]) -> list[dict[str, Any]]:
        return _read_choices(value)

    @override
    def _has_content(self, choice: dict[str, Any]) -> bool:
        return bool(choice["text"].strip())


def _read_choices(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Bring the choices of *value* into shape, in place, and return them.

    Each choice then has an ``index``, a ``text`` and a ``finish_reason``, which may be None.

    Raises :class:`UpstreamFault` for a choice of the wrong type, and for one that ended with an error.
    """
    choices = value.get("choices")
    if choices is None:  # a chunk of usage, as some write it
        return []
    if not isinstance(choices, list):
        raise UpstreamFault(_NO_TEXT)
    for at, choice in enumerate(choices):
        if not isinstance(choice, dict):
            raise UpstreamFault(_NO_TEXT)
        index, text, reason = choice.get("index"), choice.get("text"), choice.get("finish_reason")
        choice["index"] = at if index is None else index
        choice["text"] = "" if text is None else text
        if type(choice["index"]) is not int or choice["index"] < 0 or not isinstance(choice["text"], str):
            raise UpstreamFault(_NO_TEXT)
        if reason is not None and not isinstance(reason, str):
            raise UpstreamFault(_NO_TEXT)
        choice["finish_reason"] = None if reason is None else finish_reason(reason)
    return choices
