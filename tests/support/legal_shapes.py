"""Checks answers and chunks against OpenAI's types as a strict client does, from the API reference alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Check = Callable[[Any], None]


def assert_answer(answer: Any) -> None:
    """Assert that *answer* is a valid `chat.completion`."""
    _object(
        answer,
        {**_head("chat.completion"), "choices": _list(_choice)},
        {"usage": _usage, "system_fingerprint": _text, "service_tier": _text},
    )


def assert_chunk(chunk: Any) -> None:
    """Assert that *chunk* is a valid `chat.completion.chunk`."""
    choice = _of(
        {"index": _count, "delta": _delta, "finish_reason": _or_null(_reason)}, {"logprobs": _logprobs}
    )
    _object(chunk, {**_head("chat.completion.chunk"), "choices": _list(choice)}, {"usage": _usage})


def _head(kind: str) -> dict[str, Check]:
    return {"id": _reason, "object": _only(kind), "created": _whole, "model": _reason}


def _choice(choice: Any) -> None:
    _object(choice, {"index": _count, "message": _message, "finish_reason": _reason}, {"logprobs": _logprobs})


def _message(message: Any) -> None:
    call = _of(
        {"id": _reason, "type": _only("function"), "function": _of({"name": _reason, "arguments": _text})}
    )
    _object(
        message,
        {"role": _only("assistant"), "content": _or_null(_text)},
        {**_SAID, "tool_calls": _list(call)},
    )


def _delta(delta: Any) -> None:
    said = _of({"arguments": _text}, {"name": _reason})
    piece = _of({"index": _count, "function": said}, {"id": _reason, "type": _only("function")})
    optional = {"role": _only("assistant"), "content": _or_null(_text), **_SAID}
    _object(delta, {}, {**optional, "tool_calls": _or_null(_list(piece))})


def _usage(usage: Any) -> None:
    details: dict[str, Check] = {f"{name}_tokens_details": _counts for name in ("prompt", "completion")}
    _object(usage, {f"{name}_tokens": _count for name in ("prompt", "completion", "total")}, details)
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"], usage


def _logprobs(value: Any) -> None:
    inner: dict[str, Check] = {"token": _text, "logprob": _number}
    bytes_of: dict[str, Check] = {"bytes": _or_null(_list(_whole))}
    token = _of(inner, {**bytes_of, "top_logprobs": _list(_of(inner, bytes_of, more=True))}, more=True)
    _object(value, {}, {"content": _or_null(_list(token)), "refusal": _or_null(_list(token))})


def _object(
    value: Any, needed: dict[str, Check], optional: dict[str, Check] | None = None, more: bool = False
) -> None:
    assert isinstance(value, dict), value
    checks = {**needed, **(optional or {})}
    assert needed.keys() <= value.keys(), value
    assert more or value.keys() <= checks.keys(), value
    for name in value.keys() & checks.keys():
        checks[name](value[name])


def _of(needed: dict[str, Check], optional: dict[str, Check] | None = None, more: bool = False) -> Check:
    return lambda value: _object(value, needed, optional, more)


def _list(check: Check) -> Check:
    def checked(value: Any) -> None:
        assert isinstance(value, list), value
        for item in value:
            check(item)

    return checked


def _or_null(check: Check) -> Check:
    return lambda value: None if value is None else check(value)


def _only(wanted: str) -> Check:
    def checked(value: Any) -> None:
        assert value == wanted

    return checked


def _text(value: Any) -> None:
    assert isinstance(value, str), value


def _reason(value: Any) -> None:
    assert isinstance(value, str), value
    assert value


def _whole(value: Any) -> None:
    assert type(value) is int, value


def _count(value: Any) -> None:
    assert type(value) is int, value
    assert value >= 0


def _counts(value: Any) -> None:
    assert isinstance(value, dict), value
    for count in value.values():
        _count(count)


def _number(value: Any) -> None:
    assert type(value) in (int, float), value


def _objects(value: Any) -> None:
    assert isinstance(value, list), value
    assert all(isinstance(item, dict) for item in value), value


def _any_object(value: Any) -> None:
    assert isinstance(value, dict), value


_FUNCTION: dict[str, Check] = {"name": _text, "arguments": _text}
_SAID: dict[str, Check] = {
    "annotations": _or_null(_objects),
    "audio": _or_null(_any_object),
    "function_call": _or_null(_of({}, _FUNCTION)),
    "reasoning_content": _or_null(_text),
    "refusal": _or_null(_text),
}
