"""Builders of Gemini contents, the models that stand for the generations, and the texts of their refusals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from proxy.emulator import judge
from proxy.emulator.signatures import sign_call

Json = dict[str, Any]

V1_0 = "gemini-1.0-pro"
V1_5 = "gemini-1.5-pro"
V2_0 = "gemini-2.0-flash"
V2_5 = "gemini-2.5-pro"
V3 = "gemini-3-pro-preview"
V3_5 = "gemini-3.5-flash"
V3_6 = "gemini-3.6-flash"
V3_8 = "gemini-3.8-flash"
NEWEST = "gemini-flash-latest"

GENERATIONS = (V1_0, V1_5, V2_0, V2_5, V3, V3_5, V3_6, V3_8, NEWEST)
UNSIGNED = (V1_0, V1_5, V2_0, V2_5)
SIGNED = (V3, V3_5, V3_6, V3_8, NEWEST)
LENIENT = (V1_0, V1_5, V2_0, V2_5, V3, V3_5)
STRICT = (V3_6, V3_8, NEWEST, "gemini-3.5-flash-lite", "gemini-4-pro")


def refusal_text(name: str, given: Any, *, vertex: bool = False) -> str | None:
    """Return the text with which the model *name* refuses the body *given*, or None for an accepted body."""
    refusal = judge(name, given, vertex=vertex)
    return None if refusal is None else refusal.message


def refusal_texts(names: Iterable[str], given: Any) -> dict[str, str | None]:
    """Return the text with which each of the models *names* refuses the body *given*."""
    return {name: refusal_text(name, given) for name in names}


def text(value: str = "hi") -> Json:
    """Return a text part."""
    return {"text": value}


def fc(name: str = "f", args: Json | None = None, *, call_id: str | None = None, sign: bool = True) -> Json:
    """Return a part with a function call, which is signed unless *sign* is false."""
    args = {"a": 1} if args is None else args
    call: Json = {"name": name, "args": args} | ({"id": call_id} if call_id else {})
    return {"functionCall": call} | ({"thoughtSignature": sign_call(name, args, 0)} if sign else {})


def fr(name: str = "f", response: Any = None, *, call_id: str | None = None) -> Json:
    """Return a part with a function response."""
    given = {"result": "ok"} if response is None else response
    return {"functionResponse": {"name": name, "response": given} | ({"id": call_id} if call_id else {})}


def image(mime_type: str = "image/png", data: str = "aGk=") -> Json:
    """Return an inline image."""
    return {"inlineData": {"mimeType": mime_type, "data": data}}


def user(*parts: Json) -> Json:
    """Return a user content with *parts*, by default with one text."""
    return {"role": "user", "parts": list(parts or (text(),))}


def model(*parts: Json) -> Json:
    """Return a model content with *parts*, by default with one text."""
    return {"role": "model", "parts": list(parts or (text("hello"),))}


def body(*contents: Json, **rest: Any) -> Json:
    """Return a request body."""
    return {"contents": list(contents), **rest}


def function(name: str = "f", parameters: Json | None = None, **rest: Any) -> Json:
    """Return a function declaration."""
    return {"name": name, "description": name, **({"parameters": parameters} if parameters else {}), **rest}


def tools(*functions: Json) -> list[Json]:
    """Return the tools of a request that declares *functions*."""
    return [{"functionDeclarations": list(functions)}]


def schema(**properties: Json) -> Json:
    """Return an OBJECT schema with *properties*."""
    return {"type": "OBJECT", "properties": properties}
