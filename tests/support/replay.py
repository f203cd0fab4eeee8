"""Runs a provider's stream through the proxy's readers and writers without sockets: bytes in, bytes out.

This module does what :mod:`proxy.upstream.direct.transport` and :mod:`proxy.forwarding.chat.stream_chat` do, without
timeouts and connections. One stream can thus be cut in thousands of ways in a second. Other tests run the same examples
over sockets, to show that the real modules do the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from proxy.answers.find_empty import AnswerStart, find_empty
from proxy.answers.normalize import ChunkNormalizer
from proxy.answers.normalize_answer import normalize_answer
from proxy.config import resolve
from proxy.core.deployment import Deployment
from proxy.core.errors import AnswerUnusable, UpstreamFault
from proxy.core.failures import Cause
from proxy.core.json_text import write_json
from proxy.core.upstream_call import Chunk, Timeouts, UpstreamCall
from proxy.ingress.openai_chat.format import OPENAI_CHAT
from proxy.planning.signatures.client_ids import CallIds
from proxy.upstream.direct.content_kind import is_events, without_blanks
from proxy.upstream.whole_as_chunks import whole_as_chunks
from proxy.upstream.wires.sse_decoder import SSEDecoder
from proxy.upstream.wires.table import wire_of
from sanitizers import profile_for
from tests.support.proxied import MODEL, settings_of

FALLBACK_ID = "chatcmpl-0123456789abcdef01234567"
CREATED = 1_790_000_000


@dataclass(frozen=True, slots=True)
class Replayed:
    """The client's answer. *refused* is the cause if the client got an error's status and no stream."""

    raw: bytes
    refused: Cause | None = None


@lru_cache
def deployment_of(model: str) -> Deployment:
    """Return a deployment of *model* at a local address that no test calls."""
    entry = {"model": model, "api_base": "http://127.0.0.1:9/v1", "api_key": "k"}
    [deployment] = resolve(settings_of({MODEL: entry}), MODEL)
    return deployment


def replay(
    pieces: Iterable[bytes], model: str, *, include_usage: bool = False, taken: Collection[str] = ()
) -> Replayed:
    """Return what a client gets for a stream of *model* in *pieces*. *taken* are the call ids of the history."""
    deployment = deployment_of(model)
    normalizer = ChunkNormalizer(
        fallback_id=FALLBACK_ID,
        created=CREATED,
        model=deployment.model_id,
        include_usage=include_usage,
        ids=_ids(model, taken),
    )
    watch, writer = AnswerStart(), OPENAI_CHAT.write_stream()
    out: list[bytes] = []
    began = opened = False
    try:
        for chunk in _chunks(pieces, deployment):
            normalized = normalizer.normalize(chunk)
            if normalized is not None:
                out.append(writer.write_chunk(normalized))
                began = began or bool(normalized["choices"])
                opened = opened or watch.opens(normalized)
        if not began:
            raise AnswerUnusable("The stream holds no answer.", cause=Cause.EMPTY)
        if not normalizer.finished:
            raise UpstreamFault("The stream broke off.", cause=Cause.TRUNCATED)
        usage = normalizer.last_chunk()
        if usage is not None:
            out.append(writer.write_chunk(usage))
        if not opened and (_is_gemini(model) or watch.missing is not Cause.EMPTY):
            raise AnswerUnusable("The answer says nothing.", cause=watch.missing)
    except UpstreamFault as fault:
        if not opened:
            return Replayed(b"", fault.cause)
        out.append(writer.write_error(fault))
    else:
        out.append(writer.write_end())
    return Replayed(b"".join(out))


def _call_to(deployment: Deployment) -> UpstreamCall:
    return UpstreamCall(deployment, [], {}, Timeouts(1, 1, 1, 1))


def _chunks(pieces: Iterable[bytes], deployment: Deployment) -> Iterator[Chunk]:
    wire = wire_of(deployment)
    received = iter(pieces)
    begun, found = b"", None
    while found is None and (more := next(received, None)) is not None:
        begun = without_blanks(begun + more)
        found = is_events(begun, announced=True)
    if found is False:
        body = b"".join((begun, *received))
        yield from whole_as_chunks(wire.read_answer(body, _call_to(deployment)))
        return
    reader, decoder = wire.read_stream(_call_to(deployment)), SSEDecoder()
    for piece in (begun, *received):
        for payload in decoder.feed(piece):
            yield from reader.feed(payload)
        if reader.ended:
            break
    else:
        for payload in decoder.close():
            yield from reader.feed(payload)
    yield from reader.close()


def replay_whole(body: bytes, model: str, taken: Collection[str] = ()) -> Replayed:
    """Return what a client gets for a whole answer of *model*."""
    deployment = deployment_of(model)
    try:
        answer = normalize_answer(
            wire_of(deployment).read_answer(body, _call_to(deployment)),
            fallback_id=FALLBACK_ID,
            created=CREATED,
            model=deployment.model_id,
            ids=_ids(model, taken),
        ).answer
    except UpstreamFault as fault:
        return Replayed(b"", fault.cause)
    cause = find_empty(answer)
    # An answer that a filter emptied is delivered, unless the operator names a fallback for it.
    if cause in (None, Cause.CONTENT_FILTER) or (
        cause is Cause.EMPTY and answer["choices"] and not _is_gemini(model)
    ):
        return Replayed(write_json(answer))
    return Replayed(b"", cause)


def _ids(model: str, taken: Collection[str]) -> CallIds:
    return CallIds("seed", tag="aaaaa" if _is_gemini(model) else None, taken=lambda: taken)


def _is_gemini(model: str) -> bool:
    return profile_for(model).name.startswith("gemini")
