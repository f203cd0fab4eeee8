"""Builders of Gemini's contents and parts, for tests."""

from __future__ import annotations

from typing import Any

Part = dict[str, Any]
SIGNED = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="


def said(text: str = "hello") -> Part:
    """Return a text part."""
    return {"text": text}


def called(name: str, call_id: str | None = None, **args: Any) -> Part:
    """Return a signed function call."""
    named = {"name": name} if call_id is None else {"id": call_id, "name": name}
    return {"functionCall": {**named, "args": args}, "thoughtSignature": SIGNED}


def answered(name: str, call_id: str | None = None, output: str = "done") -> Part:
    """Return a function response."""
    named = {"name": name} if call_id is None else {"id": call_id, "name": name}
    return {"functionResponse": {**named, "response": {"output": output}}}


def user(*parts: Part) -> dict[str, Any]:
    """Return a content of the user's."""
    return {"role": "user", "parts": [*parts]}


def model(*parts: Part) -> dict[str, Any]:
    """Return a content of the model's."""
    return {"role": "model", "parts": [*parts]}
