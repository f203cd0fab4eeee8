"""What an answer's usage says about the estimate: looked at when the answer is out, for a sample of the answers."""

from __future__ import annotations

from proxy.budgets.fit_request import estimate_sent, has_media
from proxy.keys import Gateway
from proxy.observation import Record


def calibrate(record: Record, gateway: Gateway) -> None:
    """Learn from the provider's count of the prompt in *record*, if there is one and this answer is of the sample."""
    plan, counted = record.plan, record.usage.get("prompt_tokens")
    if plan is None or plan.budget is None or not isinstance(counted, int) or counted <= 0:
        return
    if not gateway.knowledge.is_sampled(plan.deployment):
        return
    taught = gateway.knowledge.of(plan.deployment)
    estimated = estimate_sent(plan.messages, plan.parameters, taught.family)
    error = abs(estimated * taught.calibration.live - counted) / counted
    gateway.metrics.estimate_error.labels(record.model).observe(error)
    gateway.knowledge.observe(plan.deployment, estimated, counted, media=has_media(plan.messages))
