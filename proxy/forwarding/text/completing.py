"""Calls a deployment for a text completion, or for a chat where the model only chats."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from proxy.core.deployment import Deployment
from proxy.core.upstream_call import Answer, Chunk, TextCall
from proxy.forwarding.text.as_chat import as_chat, text_of_answer, text_of_chunk
from proxy.upstream import Upstream
from proxy.upstream.transports import completes_texts
from sanitizers import profile_for


def may_be_empty(deployment: Deployment) -> bool:
    """Return True where an empty text is valid: for all models but Gemini's, which send empty texts by mistake.

    Source: python-genai#1289. Empty answers to chats are judged by the same rule.
    """
    return not profile_for(deployment.model, deployment.profile).name.startswith("gemini")


async def complete_text(upstream: Upstream, call: TextCall) -> Answer:
    """Return the whole text. Raises the errors of :meth:`Upstream.complete`."""
    if completes_texts(call.deployment):
        return await upstream.complete_text(call)
    return text_of_answer(await upstream.complete(as_chat(call)))


async def stream_text(upstream: Upstream, call: TextCall) -> AsyncGenerator[Chunk, None]:
    """Yield the text's chunks as they come. Raises the errors of :meth:`Upstream.stream`."""
    if completes_texts(call.deployment):
        async with aclosing(upstream.stream_text(call)) as chunks:
            async for chunk in chunks:
                yield chunk
        return
    async with aclosing(upstream.stream(as_chat(call))) as chunks:
        async for chunk in chunks:
            yield text_of_chunk(chunk)
