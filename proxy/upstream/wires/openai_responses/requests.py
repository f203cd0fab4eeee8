"""Writes the body of a request: the client's own bytes, but for what the plan and the proxy must change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import orjson

from proxy.core.deployment import Deployment
from proxy.core.json_text import write_json
from proxy.core.source import ResponsesRequest, Source
from proxy.core.upstream_call import UpstreamCall
from proxy.upstream.dialects.openai_models import reasons
from proxy.upstream.dialects.responses_models import MARK
from proxy.upstream.wires.openai_responses.eligibility import is_stored_at, may_know_items
from proxy.upstream.wires.openai_responses.parameters import changed_fields
from proxy.upstream.wires.raw_values import has_no_duplicate_keys

_ENCRYPTED = "reasoning.encrypted_content"
_TOP_LEVEL = msgspec.json.Decoder(dict[str, msgspec.Raw])
_HISTORY = ("conversation", "previous_response_id")


def build_request(call: UpstreamCall, *, stream: bool) -> bytes:
    """Return the body of one request for a response, for a call that :func:`.eligibility.is_eligible` accepts.

    The client's bytes of each field stay as they were where nothing changes: numbers, key order and escapes. The
    provider stores nothing (``store: false``), unless the deployment says so (``provider_state``). A conversation that
    is stored here stands in ``input`` as items, since the provider does not know the proxy's ids.
    """
    source = call.source
    assert source is not None, "the call has a source of this format"
    native = source.native
    assert isinstance(native, ResponsesRequest), "the call has a source of this format"
    fields: dict[str, Any] = {"model": model_name(call.deployment)}
    if not is_stored_at(call.deployment, native):
        fields["store"] = False
    fields.update(changed_fields(native, call.parameters))
    if (include := _include(native, call, fields)) is not None:
        fields["include"] = include
    fields["stream"] = True if stream else None
    if not stream:
        fields["stream_options"] = None
    if not native.are_own:
        fields["input"] = list(native.items)
    if native.holds_instructions:
        fields["instructions"] = None
    fields.update(call.extra_body)
    return _replace_fields(source, native, fields)


def model_name(deployment: Deployment) -> str:
    """Return the provider's name of the model. A deployment at Azure has no slash in its name, a family before it has.

    litellm spells a model's family before the name of a deployment at Azure (``gpt5_series/ours``), and ``responses/``
    before a model that is asked through this API.
    """
    name = deployment.model_id.removeprefix(MARK)
    return name.rpartition("/")[2] if deployment.provider == "azure" else name


def _include(native: ResponsesRequest, call: UpstreamCall, fields: Mapping[str, Any]) -> list[Any] | None:
    """Return ``include`` with the encrypted thoughts, or None where the client's value stays.

    A client that lets responses be stored expects thoughts to be kept. Where the provider stores nothing, or may not
    find thoughts by their ids, they must come encrypted. OpenAI refuses the entry for models that do not reason.
    """
    if may_know_items(call.deployment, native) or native.fields.get("store") is False:
        return None
    if not reasons(call.deployment, call.parameters):
        return None
    given = fields["include"] if "include" in fields else native.fields.get("include")
    return None if given and _ENCRYPTED in given else [*(given or ()), _ENCRYPTED]


def _replace_fields(source: Source, native: ResponsesRequest, fields: dict[str, Any]) -> bytes:
    """Return the body with *fields*, in the client's order. None removes a field. Equal values keep their bytes."""
    written: dict[str, bytes] = {}
    for name, raw in _TOP_LEVEL.decode(source.body).items():
        came: Any = native.fields.get(name)
        if name == "input":
            came = native.items if native.are_own else None
        elif name in _HISTORY and name not in native.fields:
            continue
        value = fields.pop(name, came)
        if value is came or value == came:
            written[name] = _as_it_came(bytes(raw), value)
        elif value is not None:
            written[name] = write_json(value)
    written.update((name, write_json(value)) for name, value in fields.items() if value is not None)
    return b"{%s}" % b",".join(b"%s:%s" % (orjson.dumps(name), raw) for name, raw in written.items())


def _as_it_came(raw: bytes, value: Any) -> bytes:
    """Return *raw*, or the JSON of *value*, which was decoded from it, where another parser may read another value."""
    if raw[:1] not in (b"[", b"{"):
        return raw
    written = write_json(value)
    return raw if has_no_duplicate_keys(raw, written) else written
