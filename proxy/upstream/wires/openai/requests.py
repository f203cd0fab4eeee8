"""A call as the bytes of OpenAI's request: the history as it came where it was not changed, the rest rebuilt. Pure."""

from __future__ import annotations

from typing import Any

import orjson

from proxy.core.find_value import find_value
from proxy.core.source import OPENAI_CHAT
from proxy.core.upstream_call import UpstreamCall
from proxy.upstream.signature_carriers import as_details
from proxy.upstream.wires.openai.parameters import renamed_parameters


def build_request(call: UpstreamCall, *, stream: bool) -> bytes:
    """Return the body of one ``chat/completions`` request.

    ``messages`` are the very bytes that a client of OpenAI's chat format sent, where its history is unchanged. Number
    formats, key order and escapes then stay as they were; but see :func:`_means_the_same`. The top level is built from
    the allow-list only.
    """
    history: list[Any] = list(call.messages)
    if call.is_gemini and call.deployment.provider == "openrouter":
        history = [as_details(message) for message in history]
    messages = orjson.dumps(history)
    source = call.source
    if (
        source is not None
        and source.format == OPENAI_CHAT
        and source.messages is call.messages
        and not _stands_in(source.body, messages)
    ):
        raw = find_value(source.body, "messages")
        if raw is not None and _means_the_same(raw, messages):
            messages = raw
    fields: dict[str, Any] = {"model": call.deployment.model_id, "messages": orjson.Fragment(messages)}
    fields.update(renamed_parameters(call.deployment, call.parameters))
    fields.update(call.extra_body)
    if stream:
        fields["stream"] = True
        if call.ask_usage:
            fields["stream_options"] = {"include_usage": True}
    return orjson.dumps(fields)


_MESSAGES = b'"messages":'


def _stands_in(body: bytes, written: bytes) -> bool:
    """Tell at a glance whether the client writes JSON as we do (JavaScript, OpenAI's SDKs): then nothing is searched.

    To find where the history ends takes 0.3 ms for 100k tokens.
    """
    start = body.find(_MESSAGES)
    return start >= 0 and body.startswith(written, start + len(_MESSAGES))


def _means_the_same(raw: bytes, written: bytes) -> bool:
    """Tell whether every parser reads in *raw* what *written* says, which was read from it and written anew.

    An object may hold a key twice: ``{"role": "user", "role": "tool"}``. Which of the two counts is up to the parser,
    so that a provider might read another history than the one that was looked at here. Such a history is not sent as
    it came.

    Found without a second parser: outside of strings there is one colon to a key. *written* holds the keys and strings
    of *raw*, less those that were overwritten, and writes every colon as itself; so both hold as many colons if, and
    only if, no key was lost. An escaped colon would upset the count, and hide a key: with one in it, *raw* is not sent
    either. For 100k tokens that takes 0.5 ms, beside 0.7 ms to parse the request.
    """
    if b"\\u003" in raw and (b"\\u003a" in raw or b"\\u003A" in raw):
        return False
    return raw.count(b":") == written.count(b":")
