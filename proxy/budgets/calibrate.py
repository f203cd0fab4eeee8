"""What an answer's usage says about the estimate: looked at when the answer is out, for a sample of the answers."""

from __future__ import annotations

import asyncio

from proxy.beside_the_loop import LARGE
from proxy.budgets.fit_request import estimate_sent, has_media
from proxy.budgets.knowledge import is_sampled, observe_answer
from proxy.keys import Gateway
from proxy.observation import Record
from sanitizers.budget.calibration import MIN_ESTIMATE


def calibrate(record: Record, gateway: Gateway) -> None:
    """Learn from the provider's count of the prompt in *record*, if there is one and this answer is of the sample."""
    plan, counted = record.plan, record.usage.get("prompt_tokens")
    if plan is None or plan.budget is None or not isinstance(counted, int) or counted <= 0:
        return
    if plan.request.weight > LARGE:  # to count it would hold the loop; conversations begin with smaller ones
        return
    now = asyncio.get_running_loop().time()
    taught = gateway.knowledge.of(plan.deployment, now)
    if not is_sampled(taught, now):
        return
    estimated = estimate_sent(plan.messages, plan.parameters, taught.family)
    media = has_media(plan.messages)
    if estimated >= MIN_ESTIMATE and not media:
        error = abs(estimated * taught.calibration.live - counted) / counted
        gateway.metrics.estimate_error.labels(plan.deployment.label).observe(error)
    observe_answer(taught, estimated, counted, media=media)
