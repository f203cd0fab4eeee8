"""Separates the provider's own objects in an error from pieces of the request that the provider sends back.

    the body and its error  always the provider's
    the error's details     quoted if every field that is read is in the request, with its name and its value
    parsed out of a text    quoted if one such name with its value is in the request, or the whole text is
    any other field         quoted if one value is in the request

A name with its value (``"code": 429``) is seldom in a request by chance. A value without its name is often in a request
by chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from proxy.resilience.request_words import RequestWords
from proxy.resilience.unwrap_error import ErrorObject, Place, Unwrapped

CODE_FIELDS = ("code", "type", "status", "reason", "@type")
QUOTA_FIELDS = ("quotaId", "quotaMetric", "quota_id", "quota_metric", "quotaValue")
_DELAY_FIELDS = ("retryDelay", "retry_delay", "quotaResetDelay")
_READ = (*CODE_FIELDS, *QUOTA_FIELDS, *_DELAY_FIELDS)

_MAX_COMPARED = 32
"""The most objects that are compared with the request.

Further objects count as quoted. Searching some MiB for one value takes milliseconds.
"""


def own_objects(unwrapped: Unwrapped, request: RequestWords) -> list[Mapping[str, Any]]:
    """Return the objects of *unwrapped* that are not quoted from *request*, from the outside in."""
    provider_objects: list[Mapping[str, Any]] = []
    compared = 0
    for found in unwrapped.objects:
        fields = [] if found.place is Place.BODY else list(_read_fields(found.value))
        if fields:
            compared += 1
            if compared > _MAX_COMPARED or _is_quoted(found, fields, request):
                continue
        provider_objects.append(found.value)
    return provider_objects


def _is_quoted(found: ErrorObject, fields: list[tuple[str, str]], request: RequestWords) -> bool:
    if found.source and request.contains(found.source):
        return True
    if found.place is Place.DETAIL:
        return all(request.contains(name + value) for name, value in fields)
    if any(request.contains(name + value) for name, value in fields):
        return True
    return found.place is Place.FIELD and any(request.contains(value) for _, value in fields)


def _read_fields(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the name and the value of each code, quota and delay field of an object."""
    for name in _READ:
        inner = value.get(name)
        if isinstance(inner, str | int | float):
            yield name, str(inner)
        elif name in _DELAY_FIELDS and isinstance(inner, Mapping):
            parts = {part: inner[part] for part in inner if part in ("seconds", "nanos")}
            try:
                yield name, orjson.dumps(parts).decode()
            except TypeError:  # an integer of more than 64 bits
                continue
