"""Reads the form of the answer: a MIME type with a schema in one of two dialects, or the newer ``responseFormat``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.chat_request import ProviderNeed
from proxy.ingress.gemini_native.field_types import check_size, read_text, refuse_field
from sanitizers.native.gemini.schemas import from_gemini_schema, lower_types
from sanitizers.native.gemini.spellings import as_list, both_spellings, read_object
from sanitizers.record import record

FORMAT_FIELDS = (
    "_responseJsonSchema",
    "responseFormat",
    "responseJsonSchema",
    "responseMimeType",
    "responseSchema",
)

_CONFIG = "generationConfig"
_JSON, _TEXT = "application/json", "text/plain"
_WORDS_OF_TYPES = {"APPLICATION_JSON": _JSON, "TEXT_PLAIN": _TEXT}
"""The MIME types as words of an enum."""

_SCHEMAS = (
    ("responseJsonSchema", lower_types),
    ("_responseJsonSchema", lower_types),
    ("responseSchema", from_gemini_schema),
)
_KINDS = both_spellings("audio", "image", "text", "video")
_OF_TEXT = both_spellings("mimeType", "schema")
_MOST_FORMATS = 16


@record
class AnswerForm:
    """The chat's *response_format*, or None for plain text. *needs* are forms that only Gemini can write."""

    response_format: dict[str, Any] | None = None
    needs: tuple[ProviderNeed, ...] = ()


def read_format(settings: Mapping[str, Any]) -> AnswerForm:
    """Return the form of the answer that *settings* ask for, which have their names in camel case.

    A schema makes JSON of the answer. ``strict`` stays away: with it, OpenAI refuses schemas with optional properties.
    Raises :class:`proxy.core.errors.InvalidRequest`, with the path in ``param``, for a value of the wrong type.
    """
    if settings.keys().isdisjoint(FORMAT_FIELDS):
        return AnswerForm()
    if (newer := settings.get("responseFormat")) is not None:
        return _read_newer(newer)
    kind = _mime_type(f"{_CONFIG}.responseMimeType", settings.get("responseMimeType", _TEXT))
    for name, translate in _SCHEMAS:
        if (schema := settings.get(name)) is not None:
            return _form(
                kind, f"{_CONFIG}.responseMimeType", _checked(f"{_CONFIG}.{name}", schema), translate
            )
    return _form(kind, f"{_CONFIG}.responseMimeType", None, lower_types)


def _read_newer(given: Any) -> AnswerForm:
    place = f"{_CONFIG}.responseFormat"
    formats = as_list(given)
    if len(formats) > _MOST_FORMATS:
        refuse_field(place, f"has too many entries: at most {_MOST_FORMATS} are taken")
    form = AnswerForm()
    for at, one in enumerate(formats):
        where = f"{place}[{at}]"
        if not isinstance(one, dict):
            refuse_field(where, "must be an object")
        for kind, value in read_object(one, _KINDS, where).items():
            if kind != "text":
                message = f"'{where}.{kind}' asks for media, which this model cannot return."
                return AnswerForm(needs=(ProviderNeed(message, f"{where}.{kind}"),))
            if not isinstance(value, dict):
                refuse_field(f"{where}.text", "must be an object")
            text = read_object(value, _OF_TEXT, f"{where}.text")
            named = f"{where}.text.mimeType"
            schema = text.get("schema")
            if schema is not None:
                schema = _checked(f"{where}.text.schema", schema)
            form = _form(_mime_type(named, text.get("mimeType", _TEXT)), named, schema, lower_types)
    return form


def _form(kind: str, place: str, schema: dict[str, Any] | None, translate: Any) -> AnswerForm:
    if kind not in (_JSON, _TEXT):
        message = f"'{place}' asks for a form that only Gemini can write."
        return AnswerForm(needs=(ProviderNeed(message, place),))
    if schema:
        return AnswerForm(
            {"type": "json_schema", "json_schema": {"name": "answer", "schema": translate(schema)}}
        )
    return AnswerForm({"type": "json_object"} if kind == _JSON else None)


def _mime_type(place: str, value: Any) -> str:
    kind = read_text(place, value).partition(";")[0].strip()
    return _WORDS_OF_TYPES.get(kind.upper(), kind.lower()) or _TEXT


def _checked(place: str, schema: Any) -> dict[str, Any]:
    if not isinstance(schema, dict):
        refuse_field(place, "must be an object")
    check_size(place, schema, "response_format")
    return schema
