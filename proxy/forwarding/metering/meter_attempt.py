"""The charge of an attempt that ended, with the estimates that it needs.

A report of the provider comes first. What no report covers is estimated: the prompt, and the text that was received,
reasoning included. Such a charge is marked as estimated. An explicit 0 is a report (litellm#37992).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from math import ceil
from typing import Any

from proxy.answers.received_text import ReceivedText
from proxy.core.deployment import Deployment
from proxy.core.errors import TooMuchWork
from proxy.core.offload import run_offloaded
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
    """Add the charge of *ended* to *meter*, where the attempt used something.

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
    estimated = await _complete(ended, None if so_far is None else so_far.usage)
    if received is not None and not (so_far is not None and so_far.covers_text):
        written = await _count_received(received, ended.lessons())
        said = estimated["completion_tokens"]
        # A report before the text counts the first token at most, and one within the text counts what came before.
        is_later = stream is not None and stream.usage is not None
        whole = said + written if is_later else max(said, written)
        estimated = {**estimated, "completion_tokens": whole}
    meter.add(deployment, estimated, tier, "estimated")


async def _complete(ended: EndedAttempt, said: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return *said* with a count of the prompt and of the answer. A missing count of the prompt is estimated."""
    if said is not None and said.get("prompt_tokens"):  # a report before the end may have zeros
        return {"completion_tokens": 0, **said}
    return {"prompt_tokens": await _count_prompt(ended), "completion_tokens": 0}


async def _count_prompt(ended: EndedAttempt) -> int:
    size = ended.size()
    return await _counted(size.weight, partial(size.count, ended.lessons()))


async def _count_received(received: ReceivedText, lessons: DeploymentLessons) -> int:
    def count(text: str) -> float:
        return count_text(text, lessons.family) * lessons.calibration.live

    return await _counted(received.weight, lambda: ceil(received.tokens(count)))


async def _counted(weight: int, count: Callable[[], int]) -> int:
    """Return the result of *count*, or a rough number where the work is refused or its request is cancelled again.

    The request is being ended then, and its charge must not be lost.
    """
    try:
        return await run_offloaded(weight, count)
    except (asyncio.CancelledError, TooMuchWork):
        return weight // _BYTES_PER_TOKEN
