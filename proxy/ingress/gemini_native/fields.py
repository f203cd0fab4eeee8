"""Reads the fields of a request to Gemini, and raises an error that names the faulty field.

Faults that do not depend on the model are found here. An unknown field is accepted: Gemini gets it, and for other
models it is dropped and reported. A strict schema would refuse clients that are newer than the proxy.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from proxy.core.chat_request import ProviderNeed
from proxy.core.errors import InvalidRequest
from proxy.ingress.gemini_native.field_types import FIELDS, check_field, refuse_field
from proxy.ingress.gemini_native.generation_config import Settings, read_settings
from proxy.ingress.json_fields import refuse_nesting
from proxy.ingress.load_body import load_body
from proxy.ingress.parameter_limits import check_unknown
from proxy.upstream.wires.raw_values import replace_fields
from sanitizers import Change, Unrepairable
from sanitizers.native import Items
from sanitizers.native.gemini.spellings import enum_word, read_object
from sanitizers.record import record
from sanitizers.work_limit import metered

MAX_CONTENTS = 100_000
"""The most contents of a request, as many as of Anthropic's messages. Google's reference names no limit."""

_CONTENTS = "contents"
_MODEL = frozenset({"model"})
_IGNORED = ("labels", "safetySettings", "store")
"""Known fields that only Gemini has a use for."""

_TIER = "serviceTier"
_TIERS = {"FLEX": "flex", "PRIORITY": "priority", "STANDARD": "default"}
_TIER_WORDS = ("SERVICE_TIER_UNSPECIFIED", "UNSPECIFIED", *_TIERS)


@record
class GeminiFields:
    """The checked fields of one request."""

    model: str
    stream: bool
    items: Items
    """The list ``contents``, as it was decoded."""

    system: Any
    tools: Any
    tool_config: Any
    parameters: Mapping[str, Any]
    """The chat parameters that follow from the fields, without tools."""

    unknown: Mapping[str, Any]
    """The fields that a chat has no place for. They are reported as dropped where a chat is sent."""

    given: Mapping[str, Any]
    """All fields as they were decoded, with the client's spelling, but for ``contents`` and ``model``."""

    needs: tuple[ProviderNeed, ...]
    changes: tuple[Change, ...]
    """The changes that made the body readable."""

    conversion: tuple[Change, ...]
    """The changes of values that only a chat needs."""

    include_thoughts: bool
    """True where the client wants thoughts in the answer."""

    body: bytes
    """The request's bytes as they were parsed, after any repair that made them readable, without ``model``."""

    weight: int
    """The cost of parsing the body (:func:`proxy.core.offload.parse_weight`), or 0."""


def read_fields(
    body: bytes,
    *,
    model: str,
    stream: bool = False,
    max_nesting: int,
    mends: bool = False,
    weight: int = 0,
    wants_answer: bool = True,
) -> GeminiFields:
    """Return the fields of the request in *body*, which was sent to *model*.

    *mends* allows texts to be changed where they cannot be read. Contents are required where the request
    *wants_answer*. A body may name a model too, which counts where *model* is empty.

    Raises :class:`InvalidRequest` for anything but a JSON object, for nesting deeper than *max_nesting*, and for
    missing contents. It raises the same for a field of the wrong type or in both spellings, with the field's path in
    ``param``.
    """
    try:
        fields, body, changes = load_body(body, _CONTENTS, mends=mends)
        model = model or _named_model(fields)
        refuse_nesting(fields, max_nesting)
        read = _read(fields, wants_answer=wants_answer)
    except Unrepairable as error:
        refused = InvalidRequest(error.message, param=error.param)
        refused.asked_model = model
        raise refused from None
    except InvalidRequest as error:
        error.asked_model = model
        raise
    if "model" in fields:  # the path counts, and the provider has another name for the model
        body = replace_fields(body, fields, {}, _MODEL)
    known, settings = read.known, read.settings
    return GeminiFields(
        model=model,
        stream=stream,
        items=read.items,
        system=known.get("systemInstruction"),
        tools=known.get("tools"),
        tool_config=known.get("toolConfig"),
        parameters=MappingProxyType({**settings.parameters, **_read_tier(known.get(_TIER))}),
        unknown=MappingProxyType(read.unknown),
        given=MappingProxyType(
            {name: value for name, value in fields.items() if name not in ("model", _CONTENTS)}
        ),
        needs=_needs_of(known, settings),
        changes=changes,
        conversion=settings.changes,
        include_thoughts=settings.include_thoughts,
        body=body,
        weight=weight,
    )


class _Read(NamedTuple):
    """The *known* fields by their names in camel case, and what was read of them."""

    known: dict[str, Any]
    unknown: dict[str, Any]
    items: list[dict[str, Any]]
    settings: Settings


def _read(fields: Mapping[str, Any], *, wants_answer: bool) -> _Read:
    known = read_object(fields, FIELDS)
    for name, value in known.items():
        check_field(name, value)
    unknown = {name: value for name, value in fields.items() if name not in FIELDS and value is not None}
    unknown |= {name: known[name] for name in _IGNORED if name in known}
    if unknown:
        check_unknown(unknown)
    items = _read_contents(known.get(_CONTENTS), wants_answer=wants_answer)
    return _Read(known, unknown, items, read_settings(known.get("generationConfig", {})))


def _named_model(fields: Mapping[str, Any]) -> str:
    """Return the model that the body names, which other paths than those of Google's may need."""
    model = fields.get("model")
    return model.removeprefix("models/") if isinstance(model, str) else ""


def _read_contents(given: Any, *, wants_answer: bool) -> list[dict[str, Any]]:
    if isinstance(given, dict):
        return [given]
    if given is not None and not isinstance(given, list):
        refuse_field(_CONTENTS, "must be a list of contents")
    if not given:
        if wants_answer:
            refuse_field(_CONTENTS, "must have at least one content")
        return []
    if len(given) > MAX_CONTENTS:
        refuse_field(_CONTENTS, f"has too many contents: at most {MAX_CONTENTS} are taken")
    for index, item in enumerate(metered(given)):
        if item.__class__ is not dict:
            refuse_field(f"{_CONTENTS}[{index}]", "must be an object")
    return given


def _read_tier(given: Any) -> dict[str, str]:
    """Return the chat's tier for *given*. A word of a later version of the API is none of a chat's."""
    word = enum_word(given, _TIER_WORDS) if isinstance(given, str) else None
    return {"service_tier": _TIERS[word]} if word in _TIERS else {}


def _needs_of(known: Mapping[str, Any], settings: Settings) -> tuple[ProviderNeed, ...]:
    """Return the needs of the request. A cache belongs to the account of the key that made it."""
    if not known.get("cachedContent"):
        return settings.needs
    message = "'cachedContent' names a cache in the provider's account, which this model cannot read."
    return (ProviderNeed(message, "cachedContent", names_object=True), *settings.needs)
