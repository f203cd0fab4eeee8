"""Brings the types inside an answer's choices into OpenAI's shape where that loses nothing.

Not all OpenAI-compatible servers return the types that OpenAI returns. A value that can only mean one thing is
rewritten as OpenAI writes it. Unreadable ``audio`` and ``annotations`` are dropped. Any other unreadable value raises
:class:`UpstreamFault`. These values are rewritten:

- call arguments that are an object (older Ollama) or null
- ids that are numbers
- content that is a list of parts, with thoughts among them (Mistral's reasoning models, Databricks)
- reasoning under the name ``reasoning`` (OpenRouter, Ollama, newer vLLM)
- a choice without ``index``
- a call whose ``type`` is empty
- finish reasons of other engines, and an empty one beside calls (xAI)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from proxy.core.errors import UpstreamFault
from proxy.core.json_text import write_json
from proxy.upstream.wires.openai.finishing import finish_reason
from proxy.upstream.wires.openai.refusals import raise_error

NO_COMPLETION = "The provider answered with something that is not a chat completion."

_TEXTS = frozenset({"content", "reasoning_content", "refusal", "role"})
"""Fields of a message that are one text. The role is never checked, since every answer's role is the assistant."""

_LISTS = frozenset({"annotations", "tool_calls"})
"""Fields that hold a list of objects. An empty list needs no change."""


def read_choices(value: dict[str, Any], said: str) -> list[dict[str, Any]]:
    """Bring the choices of *value* into shape, in place, and return them. *said* is ``message`` or ``delta``.

    Every choice has an index afterwards: its position in the list, if the provider gave none. Raises
    :class:`UpstreamFault` for a value that is no answer, and for a choice that ended with an error.
    """
    usage = value.get("usage")
    choices: Any = value.get("choices")
    if usage is not None and usage.__class__ is not dict:
        _refuse()
    if choices is None:
        return []
    if choices.__class__ is not list:
        _refuse()
    for at, choice in enumerate(choices):
        if choice.__class__ is not dict:
            _refuse()
        index = choice.get("index")
        if index.__class__ is not int or index < 0:  # true is an int in Python, but no index
            if index is not None:
                _refuse()
            choice["index"] = at
        reason = choice.get("finish_reason")
        if reason is not None:
            if reason.__class__ is not str:
                _refuse()
            if reason == "error":
                raise_error(choice)  # OpenRouter's words (openrouter.ai/docs: `error` of a choice)
            choice["finish_reason"] = finish_reason(reason)
        message = choice.get(said)
        if message is not None:
            if message.__class__ is not dict:
                _refuse()
            # This runs for each event, and nearly all of them need no change.
            for name, text in message.items():
                if text is None or (text.__class__ is str and name in _TEXTS):
                    continue
                if name not in _LISTS or (
                    text != [] and (said == "message" or not _are_argument_pieces(text))
                ):
                    _mend_message(message, _mend_call if said == "message" else _mend_fragment)
                    break
            if reason == "" and said == "message" and message.get("tool_calls"):
                choice["finish_reason"] = "tool_calls"  # xAI's (litellm, `llms/xai/chat/transformation.py`)
    found: list[dict[str, Any]] = choices
    return found


def _are_argument_pieces(calls: Any) -> bool:
    """Tell whether *calls* are pieces of arguments as OpenAI writes them.

    Most streamed pieces have this form, and so skip the full check.
    """
    if type(calls) is not list:
        return False
    for piece in calls:
        if type(piece) is not dict or len(piece) != 2:
            return False
        function = piece.get("function")
        if type(function) is not dict or len(function) != 1 or type(function.get("arguments")) is not str:
            return False
        if not _is_index(piece.get("index")):
            return False
    return True


def _mend_message(message: dict[str, Any], mend_call: Callable[[Any], None]) -> None:
    if message.get("reasoning_content") is None and isinstance(message.get("reasoning"), str):
        message["reasoning_content"] = message["reasoning"]
    for name in ("reasoning_content", "refusal"):
        _require(message.get(name) is None or isinstance(message[name], str))
    content = message.get("content")
    if content is not None and not isinstance(content, str):
        _require(isinstance(content, list))
        _read_parts(message, content)
    calls = message.get("tool_calls")
    if calls is not None:
        _require(isinstance(calls, list))
        for call in calls:
            _require(isinstance(call, dict))
            mend_call(call)
    legacy = message.get("function_call")
    if legacy is not None:
        _require(isinstance(legacy, dict))
        _mend_function(legacy)
        known = {name: legacy[name] for name in ("name", "arguments") if name in legacy}
        if known:
            message["function_call"] = known
        else:
            del message["function_call"]
    if not isinstance(message.get("audio", {}), dict):
        del message["audio"]
    notes = message.get("annotations", [])
    if not isinstance(notes, list) or not all(isinstance(note, dict) for note in notes):
        del message["annotations"]


def _mend_call(call: dict[str, Any]) -> None:
    """Mend a whole call. It must name its function, and missing arguments become an empty object."""
    _mend_head(call)
    function: Any = call.get("function")
    _require(isinstance(function, dict))
    _mend_function(function)
    _require(bool(function.get("name")))
    function.setdefault("arguments", "{}")


def _mend_fragment(call: dict[str, Any]) -> None:
    """Mend a piece of a call. All of its fields are optional, since other pieces may bring them."""
    _mend_head(call)
    _require(call.get("index") is None or _is_index(call["index"]))
    if call.get("function") is not None:
        _require(isinstance(call["function"], dict))
        _mend_function(call["function"])


def _mend_head(call: dict[str, Any]) -> None:
    call_id = call.get("id")
    if call_id is not None and not isinstance(call_id, str):
        _require(type(call_id) is int)
        call["id"] = str(call_id)
    kind = call.get("type")
    if kind is not None and kind != "function":
        _require(kind == "" or "function" in call)
        call["type"] = "function"


def _mend_function(function: dict[str, Any]) -> None:
    name, arguments = function.get("name"), function.get("arguments")
    if not isinstance(name, str):
        _require(name is None)
        function.pop("name", None)
    if isinstance(arguments, str):
        return
    if arguments is None:
        function.pop("arguments", None)
    elif isinstance(arguments, dict):
        function["arguments"] = write_json(arguments).decode()
    else:
        _refuse()


def _read_parts(message: dict[str, Any], parts: list[Any]) -> None:
    """Write a list of parts as one text, and the thoughts among them as reasoning."""
    texts: list[str] = []
    thoughts: list[str] = []
    for part in parts:
        _require(isinstance(part, dict))
        if part.get("type") == "thinking":
            inner = part.get("thinking")
            thoughts += [_text_of(piece) for piece in inner] if isinstance(inner, list) else [_text(inner)]
        elif part.get("type") == "reasoning":  # Databricks (docs: "Query reasoning models")
            summary = part.get("summary") or []
            _require(isinstance(summary, list))
            thoughts += [_text(piece.get("text")) for piece in summary if isinstance(piece, dict)]
        else:
            texts.append(_text_of(part))
    message["content"] = "".join(texts)
    if thoughts:
        message["reasoning_content"] = "".join((message.get("reasoning_content") or "", *thoughts))


def _text_of(part: Any) -> str:
    _require(isinstance(part, dict) and part.get("type") == "text")
    return _text(part.get("text"))


def _text(value: Any) -> str:
    _require(isinstance(value, str))
    return str(value)


def _is_index(value: Any) -> bool:
    return type(value) is int and value >= 0  # not isinstance: true is an int as well


def _require(holds: bool) -> None:
    if not holds:
        _refuse()


def _refuse() -> NoReturn:
    raise UpstreamFault(NO_COMPLETION)
