"""Writes requests for embeddings in their client's own form: the client's bytes, with the provider's name of the model.

The vector of several parts may differ from that of one text, and only Gemini embeds media. Both stay as they came. A
batch that Gemini gets names its model in each request: "unexpected model name format" (agent-zero#372).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import orjson

from proxy.core.json_text import find_value, write_json
from proxy.core.text_request import EmbeddingSource
from proxy.upstream.wires.gemini.embeddings import added_fields
from proxy.upstream.wires.raw_values import has_no_duplicate_keys, replace_fields
from sanitizers.native.gemini.spellings import key_of
from sanitizers.work_limit import metered

_REQUESTS = "requests"
_ELEMENTS = msgspec.json.Decoder(list[msgspec.Raw])


def native_method(source: EmbeddingSource) -> str:
    """Return the method that the client of *source* has called."""
    return "batchEmbedContents" if source.is_batch else "embedContent"


def build_native_embedding(
    source: EmbeddingSource, parameters: Mapping[str, Any], extras: Mapping[str, Any], model: str
) -> bytes:
    """Return the body for *source*, whose fields were checked.

    Where nothing changes, these are the client's bytes. Otherwise each field that stays keeps its bytes. *model* is
    Gemini's own name of the model, and stands wherever the client names one. *parameters* and *extras* are the
    operator's, and reach each request that lacks them. Raises as :func:`.embeddings.added_fields` does.
    """
    added = added_fields(parameters, extras)
    name = f"models/{model}"
    if not source.is_batch:
        return _edited(source.body, source.fields, _changes(source.fields, name, added))
    requests = source.fields[_REQUESTS]
    changes = [_changes(one, name, added, is_named=True) for one in metered(requests)]
    fields = _changes(source.fields, name, {})
    if any(changes):
        fields[_REQUESTS] = orjson.Fragment(_edited_each(source.body, requests, changes))
    return _edited(source.body, source.fields, fields)


def has_asked_form(native: Any, source: EmbeddingSource) -> bool:
    """Tell whether the decoded answer *native* is one that the client of *source* can read."""
    return ("embeddings" if source.is_batch else "embedding") in native


def _changes(
    request: Mapping[str, Any], model: str, added: Mapping[str, Any], *, is_named: bool = False
) -> dict[str, Any]:
    """Return the fields that *request* gets. With *is_named*, it gets the *model* even where it names none."""
    changed: dict[str, Any] = {}
    given = request.get("model")
    if given != model and (is_named or given is not None):
        changed["model"] = model
    for name, value in added.items():
        key = key_of(request, name)
        if value is not None and request.get(key) is None:
            changed[key] = value
    return changed


def _edited_each(body: bytes | None, requests: list[dict[str, Any]], changes: list[dict[str, Any]]) -> bytes:
    """Return the list of *requests* with the *changes* of each."""
    raw = None if body is None else find_value(body, _REQUESTS)
    pieces = [None] * len(requests) if raw is None else map(bytes, _ELEMENTS.decode(raw))
    edited = [_edited(*each) for each in metered([*zip(pieces, requests, changes, strict=True)])]
    return b"[" + b",".join(edited) + b"]"


def _edited(raw: bytes | None, came: Mapping[str, Any], fields: dict[str, Any]) -> bytes:
    """Return *raw*, which was decoded to *came*, with *fields*. Without *raw*, all is written anew."""
    if raw is None:
        return write_json({**came, **fields})
    if not fields and has_no_duplicate_keys(raw, write_json(came)):
        return raw
    return replace_fields(raw, came, fields)
