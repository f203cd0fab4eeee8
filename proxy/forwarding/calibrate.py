"""Learns the error of a prompt's token estimate from the answer's usage, after the answer is sent."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import ceil

from proxy.core.offload import LARGE, start_offloaded
from proxy.forwarding.gateway import Gateway
from proxy.observability.request_record import RequestRecord
from proxy.planning.budgets.fit_request import estimate_sent, has_media
from proxy.planning.plan import Plan
from proxy.state.lessons import Counted, DeploymentLessons, is_sampled
from sanitizers.budget.calibration import MIN_ESTIMATE


@dataclass(frozen=True, slots=True)
class _Sample:
    """One prompt, and the provider's count of the prompt's tokens.

    *ended* is the time at which the request ended, by the event loop's clock.
    """

    plan: Plan
    lessons: DeploymentLessons
    counted: int
    request_id: str
    tenant: str
    ended: float


def calibrate(record: RequestRecord, gateway: Gateway, now: float) -> None:
    """Learn from the provider's token count, where *record* holds one and the answer is sampled.

    *now* is the end of the request. A prompt over :data:`LARGE` is skipped, since its estimate would take too long. The
    tokens of a long prompt are estimated in a worker thread: 100k tokens that are not in the cache take 8 ms. The log
    line is written before the estimate is ready. The request's entry in the inspector gets the estimate afterwards.
    """
    plan, counted = record.plan, record.usage.get("prompt_tokens")
    if plan is None or plan.budget is None or counted.__class__ is not int or counted <= 0:
        return
    weight = plan.request.weight
    if weight > LARGE:  # takes too long even in a thread; conversations begin with smaller prompts
        return
    lessons = gateway.learned_windows.lessons_of(plan.deployment, now, record.key)
    if is_sampled(lessons, now):
        count = partial(estimate_sent, plan.messages, plan.parameters, lessons.family)
        sample = _Sample(plan, lessons, counted, record.request_id, record.key, now)
        start_offloaded(weight, count, partial(_learn, sample, gateway))


def _learn(sample: _Sample, gateway: Gateway, estimated: int) -> None:
    plan, counted = sample.plan, sample.counted
    media = has_media(plan.messages)
    expected = estimated * sample.lessons.calibration.live
    if gateway.recent_requests is not None:
        gateway.recent_requests.add_estimate(sample.request_id, ceil(expected))
    if estimated >= MIN_ESTIMATE and not media:
        error = abs(expected - counted) / counted
        gateway.metrics.estimate_error.labels(plan.deployment.label).observe(error)
    gateway.learned_windows.observe(
        plan.deployment, Counted(estimated, counted, media), sample.ended, sample.tenant
    )
