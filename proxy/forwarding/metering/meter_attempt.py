"""The charge of an attempt that ended, with the estimates that it needs.

A report of the provider comes first. What no report covers is estimated: the prompt, and the text that was received,
reasoning included. Such a charge is marked as estimated. An explicit 0 is a report (litellm#37992).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from math import ceil
from typing import Any

from proxy.answers.received_text import ReceivedText
from proxy.core.deployment import Deployment
from proxy.core.errors import TooMuchWork
from proxy.core.offload import run_offloaded
from proxy.core.usage_so_far import UsageSoFar
from proxy.forwarding.limits.plan_size import PlanSize
from proxy.forwarding.metering.request_meter import RequestMeter
from proxy.forwarding.metering.used_by_attempt import AttemptUse
from proxy.planning.prices import find_prices
from proxy.state.lessons import DeploymentLessons
from sanitizers.budget.estimate import count_text
from sanitizers.record import record

_BYTES_PER_TOKEN = 4
"""Bytes of a usual body for each token, for a prompt that cannot be counted."""


@record
class EndedAttempt:
    """An attempt that ended without the report of usage that a good answer has.

    *size* returns the size of its plan, and *lessons* those of its deployment. *error* ended it, or is None for a
    complete answer without a report.
    """

    deployment: Deployment
    use: AttemptUse
    error: BaseException | None
    size: Callable[[], PlanSize]
    lessons: Callable[[], DeploymentLessons]


async def meter_attempt(ended: EndedAttempt, meter: RequestMeter) -> None:
    """Add the charge of *ended* to *meter*, where the attempt used something. A cancellation is raised after that.

    Nothing is estimated where nobody needs the number: no price, no limit of the key, no limit of the deployment.
    """
    use, deployment = ended.use, ended.deployment
    usage = use.find_usage(ended.error)
    if usage is not None:
        meter.add(deployment, usage, use.service_tier)
        return
    so_far = use.usage_so_far()
    if so_far is None and not use.has_used(ended.error):
        return
    if meter.record.admission is None and deployment.tpm is None and find_prices(deployment) is None:
        return
    stream, received = use.stream, use.received()
    tier = use.service_tier if stream is None else stream.service_tier
    try:
        estimated = await _estimate(ended, so_far, received)
    except TooMuchWork:
        estimated = _roughly(ended, so_far, received)
    except asyncio.CancelledError:  # the request is cancelled again, and its charge must not be lost
        meter.add(deployment, _roughly(ended, so_far, received), tier, "estimated")
        raise
    meter.add(deployment, estimated, tier, "estimated")


async def _estimate(
    ended: EndedAttempt, so_far: UsageSoFar | None, received: ReceivedText | None
) -> dict[str, Any]:
    """Return what was reported *so_far*, with estimates of the prompt and of the *received* text that it misses."""
    usage = _begin(so_far)
    if not usage["prompt_tokens"]:  # a report before the end may have zeros
        size = ended.size()
        usage["prompt_tokens"] = await run_offloaded(size.weight, partial(size.count, ended.lessons()))
    if received is not None and not (so_far is not None and so_far.covers_text):
        lessons = ended.lessons()

        def count(text: str) -> float:
            return count_text(text, lessons.family) * lessons.calibration.live

        written = await run_offloaded(received.weight, lambda: ceil(received.tokens(count)))
        _add_written(usage, written, ended.use)
    return usage


def _roughly(ended: EndedAttempt, so_far: UsageSoFar | None, received: ReceivedText | None) -> dict[str, Any]:
    """Return the same as :func:`_estimate` without any work, by the size of the texts."""
    usage = _begin(so_far)
    if not usage["prompt_tokens"]:
        usage["prompt_tokens"] = ended.size().weight // _BYTES_PER_TOKEN
    if received is not None and not (so_far is not None and so_far.covers_text):
        _add_written(usage, received.weight // _BYTES_PER_TOKEN, ended.use)
    return usage


def _begin(so_far: UsageSoFar | None) -> dict[str, Any]:
    reported = {} if so_far is None else so_far.usage
    return {"prompt_tokens": 0, "completion_tokens": 0, **reported}


def _add_written(usage: dict[str, Any], written: int, use: AttemptUse) -> None:
    """Add the tokens of text to *usage*.

    A report within the text counts what came before it. A report before the text counts the first token at most.
    """
    is_later = use.stream is not None and use.stream.usage is not None
    said = usage["completion_tokens"]
    usage["completion_tokens"] = said + written if is_later else max(said, written)
