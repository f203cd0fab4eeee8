"""Judges that are the request types of providers' SDKs, checked by pydantic.

The packages anthropic and openai have TypedDicts, and the others have pydantic models. The providers of anthropic,
cohere and mistralai refuse unknown fields, and so do these judges. OpenAI's types also judge bodies for other servers
with OpenAI's API, which have fields of their own. So they allow unknown fields.
"""

from __future__ import annotations

import importlib
import sys
import typing
from collections.abc import Callable
from functools import cache
from typing import Any
from unittest.mock import patch

from pydantic import BaseModel, ConfigDict, TypeAdapter
from typing_extensions import is_typeddict

from tests.judges.workers.answering import answer_questions

_STRICT = ConfigDict(extra="forbid", arbitrary_types_allowed=True)


def _reader(module: str, name: str, *, strict: bool = False) -> TypeAdapter[Any]:
    """Return a reader of a TypedDict. With *strict*, unknown fields are refused in all TypedDicts of its package.

    pydantic does not check the elements of an ``Iterable`` at once. So the module is imported with ``list`` in place of
    ``Iterable``.
    """
    with patch.object(typing, "Iterable", list):
        found = vars(importlib.import_module(module))[name]
    for path, loaded in list(sys.modules.items()):
        if strict and path.startswith(module.partition(".")[0]):
            for value in filter(is_typeddict, list(vars(loaded).values())):
                value.__pydantic_config__ = _STRICT
    return TypeAdapter(found)


def _list_of(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(list[kind])


@cache
def _openai() -> TypeAdapter[Any]:
    return _reader("openai.types.chat.completion_create_params", "CompletionCreateParams")


@cache
def _anthropic() -> TypeAdapter[Any]:
    return _reader("anthropic.types.message_create_params", "MessageCreateParams", strict=True)


@cache
def _cohere() -> dict[str, TypeAdapter[Any]]:
    types = importlib.import_module("cohere.types")
    return {
        "messages": _list_of(types.ChatMessageV2),
        "tools": _list_of(types.ToolV2),
    }


@cache
def _mistralai() -> type[BaseModel]:
    models = importlib.import_module("mistralai.client.models")
    request: type[BaseModel] = models.ChatCompletionRequest
    return request


@cache
def _ollama() -> tuple[type[BaseModel], TypeAdapter[Any]]:
    types = importlib.import_module("ollama._types")
    return types.ChatRequest, _list_of(types.Message)


def judge_openai(body: dict[str, Any]) -> None:
    """Judge a body by the types of openai."""
    _openai().validate_python(body)


def judge_anthropic(body: dict[str, Any]) -> None:
    """Judge a body by the types of anthropic."""
    _anthropic().validate_python(body)


def judge_cohere(body: dict[str, Any]) -> None:
    """Judge the messages and tools of a body by the types of cohere."""
    for name, adapter in _cohere().items():
        given = body.get(name, [])
        _refuse_unknown(given, adapter.validate_python(given), name)


def judge_mistralai(body: dict[str, Any]) -> None:
    """Judge a body by the types of mistralai."""
    _refuse_unknown(body, _mistralai().model_validate(body), "body")


def judge_ollama(body: dict[str, Any]) -> None:
    """Judge a body by the types of ollama. Its server ignores unknown fields."""
    request, messages = _ollama()
    request.model_validate({**body, "messages": []})  # it takes any objects as messages
    given = [
        {**message, "images": [{"value": image} for image in message.get("images") or ()]}
        for message in body["messages"]
    ]
    messages.dump_python(messages.validate_python(given))  # an image is checked when it is written


def _refuse_unknown(given: Any, read: Any, place: str) -> None:
    """Raise ValueError for the first field of *given* that *read*, *given* as pydantic models, does not declare."""
    if isinstance(read, BaseModel) and isinstance(given, dict):
        fields = type(read).model_fields
        names = {name: name for name in fields} | {
            field.alias or name: name for name, field in fields.items()
        }
        for name, value in given.items():
            if name not in names:
                raise ValueError(f"unknown field: {place}.{name}")
            _refuse_unknown(value, getattr(read, names[name]), f"{place}.{name}")
    elif isinstance(read, list) and isinstance(given, list):
        for at, (one, other) in enumerate(zip(given, read, strict=True)):
            _refuse_unknown(one, other, f"{place}[{at}]")


JUDGES: dict[str, Callable[[dict[str, Any]], None]] = {
    "anthropic": judge_anthropic,
    "cohere": judge_cohere,
    "mistralai": judge_mistralai,
    "ollama": judge_ollama,
    "openai": judge_openai,
}

if __name__ == "__main__":
    answer_questions(JUDGES)
