"""Reads what a ``generateContent`` request carries: texts, tool results and media.

The judge compares texts without regard to whitespace, since a gateway may join or strip texts, or write a result as
JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Carried:
    """The texts, tool results and media that one request carries."""

    texts: tuple[str, ...]
    """The texts of ``contents`` and of the system instruction."""

    results: tuple[Any, ...]
    """The ``response`` of each function response, with the texts of its nested parts."""

    media: int
    """The number of parts with inline data or a file, including the parts of function responses."""


def read_carried(body: Any) -> Carried:
    """Return what *body*, a request's decoded JSON, carries.

    A value that has not the form of a request carries nothing.
    """
    texts: list[str] = []
    results: list[Any] = []
    media = 0
    for part in _parts(body):
        response = _field(part, "functionResponse", "function_response")
        if isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif isinstance(response, Mapping):
            nested = [one for one in response.get("parts") or () if isinstance(one, Mapping)]
            results.append([response.get("response"), [one.get("text") for one in nested]])
            media += sum(map(_is_media, nested))
        media += _is_media(part)
    return Carried(tuple(texts), tuple(results), media)


def _parts(body: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the parts of the system instruction and of all contents that have the form of a part."""
    if not isinstance(body, Mapping):
        return
    contents = body.get("contents")
    instruction = _field(body, "systemInstruction", "system_instruction")
    for content in (instruction, *(contents if isinstance(contents, list) else ())):
        parts = content.get("parts") if isinstance(content, Mapping) else None
        yield from (part for part in (parts if isinstance(parts, list) else ()) if isinstance(part, Mapping))


def _field(holder: Mapping[str, Any], *names: str) -> Any:
    """Return the field in either spelling. Google's JSON reader takes both."""
    return next((holder[name] for name in names if holder.get(name) is not None), None)


def _is_media(part: Mapping[str, Any]) -> bool:
    names = ("inlineData", "inline_data", "fileData", "file_data")
    return any(part.get(name) is not None for name in names)
