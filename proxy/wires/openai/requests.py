"""A call as the bytes of OpenAI's request: the history as it came where it was not changed, the rest rebuilt."""

from __future__ import annotations

from typing import Any

import orjson

from proxy.upstream import UpstreamCall
from proxy.wires.openai.parameters import renamed_parameters


def build_request(call: UpstreamCall, *, stream: bool) -> bytes:
    """Return the body of one ``chat/completions`` request.

    ``messages`` are the very bytes that the client sent when nothing was changed (``call.raw_messages``), so that
    number formats, key order and escapes stay as they were and nothing is encoded twice. The top level is built from
    the allow-list only.
    """
    fields: dict[str, Any] = {"model": call.deployment.model_id}
    fields["messages"] = (
        orjson.Fragment(call.raw_messages) if call.raw_messages is not None else list(call.messages)
    )
    fields.update(renamed_parameters(call.deployment, call.parameters))
    fields.update(call.extra_body)
    if stream:
        fields["stream"] = True
        if call.include_usage:
            fields["stream_options"] = {"include_usage": True}
    return orjson.dumps(fields)
