"""Reads a stream's frames: events of one `data:` line, comments, and an end by `[DONE]` or by an error."""

from __future__ import annotations

import json
from typing import Any, NoReturn

DONE = "[DONE]"
ERROR_FIELDS = {"message", "type", "param", "code"}


def read_events(raw: bytes, notes: list[str]) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    """Return the chunks of a stream, and the error that ended the stream or None. Violations go to *notes*."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        notes.append("stream: is not UTF-8")
        return [], None
    if not text.endswith("\n\n"):
        notes.append("stream: does not end with a blank line")
    payloads = [payload for frame in text.split("\n\n") if (payload := _payload(frame, notes)) is not None]
    done = payloads.count(DONE)
    values = [
        value for payload in payloads if payload != DONE and (value := _value(payload, notes)) is not None
    ]
    errors = [value for value in values if "error" in value]
    if errors:
        _note_error_end(values, errors, done, notes)
    elif done != 1 or payloads[-1] != DONE:
        notes.append(f"stream: [DONE] stands {done} times, or not at the end")
    return [value for value in values if "error" not in value], errors[0]["error"] if errors else None


def _payload(frame: str, notes: list[str]) -> str | None:
    lines = [line for line in frame.split("\n") if line and not line.startswith(":")]
    if not lines:
        return None
    if len(lines) > 1 or not lines[0].startswith("data: ") or "\r" in lines[0]:
        notes.append(f"event: is not one data line: {frame[:80]!r}")
    return lines[0].removeprefix("data: ")


def _value(payload: str, notes: list[str]) -> dict[str, Any] | None:
    try:
        value = json.loads(payload, parse_constant=_refuse, object_pairs_hook=_object)
        payload.encode()
        json.dumps(value, ensure_ascii=False).encode()  # a lone surrogate, escaped, is no text either
    except ValueError as error:
        notes.append(f"event: is no strict JSON ({error}): {payload[:80]!r}")
        return None
    if not isinstance(value, dict):
        notes.append(f"event: is no object: {payload[:80]!r}")
        return None
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _note_error_end(values: list[Any], errors: list[Any], done: int, notes: list[str]) -> None:
    if done:
        notes.append("error: [DONE] stands beside it")
    if len(errors) > 1 or values[-1] is not errors[0]:
        notes.append("error: is not the last event")
    error = errors[0]["error"]
    if errors[0].keys() != {"error"} or not isinstance(error, dict) or error.keys() != ERROR_FIELDS:
        notes.append(f"error: is not OpenAI's envelope: {errors[0]}")
        return
    if not isinstance(error["message"], str) or not error["message"] or not isinstance(error["type"], str):
        notes.append(f"error: has no message or type: {error}")
    if not all(error[name] is None or isinstance(error[name], str) for name in ("param", "code")):
        notes.append(f"error: param and code are no texts: {error}")
