"""Writes the body of a request: the client's own bytes, but for what the plan and the proxy must change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.deployment import Deployment
from proxy.core.source import ResponsesRequest
from proxy.core.upstream_call import UpstreamCall
from proxy.upstream.dialects.openai_models import reasons
from proxy.upstream.dialects.responses_models import MARK
from proxy.upstream.wires.openai_responses.eligibility import is_stored_at, may_know_items
from proxy.upstream.wires.openai_responses.parameters import changed_fields
from proxy.upstream.wires.raw_values import replace_fields

_ENCRYPTED = "reasoning.encrypted_content"
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
    came = {**native.fields, "input": native.items if native.are_own else None}
    left_out = frozenset(name for name in _HISTORY if name not in native.fields)
    return replace_fields(source.body, came, fields, left_out)


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
