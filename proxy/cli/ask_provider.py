"""Sends the histories of ``turnright probe`` to a deployment unchanged: no repairs, retries or fallbacks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import orjson

from proxy.config import Settings
from proxy.core.chat_request import ChatRequest
from proxy.core.deployment import Deployment
from proxy.core.errors import ProxyError
from proxy.forwarding.attempt import timeouts_of
from proxy.forwarding.chat.plan_attempts import ChatAttemptPlanner
from proxy.forwarding.read_failure import read_sent
from proxy.planning.plan import plan_request
from proxy.planning.plan_target import plan_target
from proxy.planning.probe.count_tokens import MAX_ANSWER
from proxy.planning.probe.history_values import ProbeHistory
from proxy.planning.probe.judge_reply import Finding, Reply
from proxy.planning.probe.order_requests import RequestSequence
from proxy.resilience.request_words import RequestWords
from proxy.upstream import Upstream
from proxy.upstream.known_secrets import KnownSecrets
from proxy.upstream.masking import mask, secrets_of

_LONGEST_S = 120.0
"""The most seconds for one request, even where the configuration allows more."""

_SHOWN = 300
"""The most characters of a provider's error message that the result shows."""


@dataclass(frozen=True, slots=True)
class Prober:
    """Sends probe histories to one deployment. *note* is called with each history before its request is sent."""

    settings: Settings
    deployment: Deployment
    upstream: Upstream
    pause_s: float = 0.0
    note: Callable[[ProbeHistory], None] = lambda _: None

    async def run(self, sequence: RequestSequence) -> tuple[Finding, ...]:
        """Send each history that *sequence* yields after the previous reply, and return the findings of *sequence*."""
        await self.upstream.start()
        try:
            history = next(sequence)
            while True:
                self.note(history)
                reply = await self.ask(history)
                history = sequence.send(reply)
                await asyncio.sleep(self.pause_s)
        except StopIteration as ended:
            findings: tuple[Finding, ...] = ended.value
            return findings
        finally:
            await self.upstream.close()

    async def ask(self, history: ProbeHistory) -> Reply:
        """Send *history* once, and return the reply.

        A :class:`ProxyError` becomes a reply too, with the provider's status and words.
        """
        deployment, router = self.deployment, self.settings.router_settings
        sanitize = self.settings.sanitize.model_copy(update={"mode": "off"})
        target = plan_target(deployment, sanitize, self.upstream.unsupported)
        request = probe_request(history, deployment)
        timeouts = timeouts_of(deployment, router, left_s=min(router.timeout, _LONGEST_S))
        try:
            plan = plan_request(request, target)
            await self.upstream.complete(ChatAttemptPlanner.call_of(plan, timeouts))
        except ProxyError as error:
            return await self._read(error, request)
        return Reply()

    async def _read(self, error: ProxyError, request: ChatRequest) -> Reply:
        words = RequestWords(request.messages, request.parameters, self.deployment.model)
        row, said = await read_sent(error, words, request.weight)
        said = replace(said, words=self._masked(said.words))
        status = getattr(error, "upstream_status", None)
        return Reply(row.kind, status, said, self._masked(error.message)[:_SHOWN])

    def _masked(self, words: str) -> str:
        return without_secrets(words, self.settings, self.deployment)


def without_secrets(words: str, settings: Settings, deployment: Deployment) -> str:
    """Return *words* without the deployment's secrets, and without any key of the configuration."""
    return KnownSecrets(settings).mask(mask(words, secrets_of(deployment)))


def probe_request(history: ProbeHistory, deployment: Deployment) -> ChatRequest:
    """Return the request for *history*. Its messages are a copy, since litellm writes into some of them."""
    messages: list[dict[str, Any]] = orjson.loads(orjson.dumps(history.messages))
    parameters: dict[str, Any] = {"max_tokens": MAX_ANSWER}
    if history.tools:
        parameters["tools"] = orjson.loads(orjson.dumps(history.tools))
    return ChatRequest(
        model=deployment.name,
        messages=messages,
        stream=False,
        include_usage=False,
        parameters=parameters,
        unknown={},
        weight=len(orjson.dumps(messages)),
    )
