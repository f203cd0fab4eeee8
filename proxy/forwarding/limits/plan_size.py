"""The tokens of a planned request: those of its prompt, and the longest answer that it allows.

A prompt is counted only where a limit needs the number. The count of a long prompt belongs into a worker thread
(:func:`proxy.core.offload.run_offloaded`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import ceil
from typing import Any

from proxy.core.text_request import separate_inputs
from proxy.planning.budgets.fit_request import estimate_sent
from proxy.state.lessons import DeploymentLessons
from sanitizers import Messages
from sanitizers.budget.estimate import count_text
from sanitizers.record import record
from sanitizers.work_limit import metered

_LIMITS = ("max_tokens", "max_completion_tokens")
"""The parameters that limit an answer. Where a client sends both, the larger one counts (litellm#34223)."""


@record
class PlanSize:
    """The size of a planned request."""

    weight: int
    """The cost of counting the prompt, as a number of bytes of a usual body."""

    count: Callable[[DeploymentLessons], int]
    """Returns the tokens of the prompt. The lessons of the deployment correct the estimate."""

    longest_answer: int | None
    """The most tokens of all choices together. None without a limit, and 0 for embeddings."""

    service_tier: str | None = None
    """The service tier that the client asks for. It may have prices of its own."""


def chat_size(messages: Messages, parameters: Mapping[str, Any], weight: int) -> PlanSize:
    """Return the size of a chat whose *messages* and *parameters* are sent."""
    longest, tier = _longest_answer(parameters, _count_of(parameters, "n")), parameters.get("service_tier")
    count = partial(_count_chat, messages, parameters)
    return PlanSize(weight, count, longest, tier if isinstance(tier, str) else None)


def text_size(parameters: Mapping[str, Any], weight: int) -> PlanSize:
    """Return the size of a request for embeddings, or for a text completion with ``prompt`` in its *parameters*."""
    if "prompt" not in parameters:
        return PlanSize(weight, partial(_count_texts, parameters.get("input")), 0)
    prompt = parameters["prompt"]
    choices = max(_count_of(parameters, "n"), _count_of(parameters, "best_of")) * _number_of_texts(prompt)
    return PlanSize(weight, partial(_count_texts, prompt), _longest_answer(parameters, choices))


def _count_chat(messages: Messages, parameters: Mapping[str, Any], lessons: DeploymentLessons) -> int:
    return ceil(estimate_sent(messages, parameters, lessons.family) * lessons.calibration.live)


def _count_texts(value: Any, lessons: DeploymentLessons) -> int:
    """Return the tokens of *value*: a text, token numbers, or a list of either."""
    if not value:
        return 0
    tokens = 0.0
    for text in metered(separate_inputs(value)):
        if isinstance(text, str):
            tokens += count_text(text, lessons.family) * lessons.calibration.live
        else:
            tokens += len(text)
    return ceil(tokens)


def _longest_answer(parameters: Mapping[str, Any], choices: int) -> int | None:
    longest: int | None = None
    for name in _LIMITS:
        limit = parameters.get(name)
        if isinstance(limit, int) and (longest is None or limit > longest):
            longest = limit
    return None if longest is None else max(0, longest) * choices


def _count_of(parameters: Mapping[str, Any], name: str) -> int:
    """Return the number of answers in *name*, at least one. A value that is no number counts as one."""
    number = parameters.get(name)
    return max(1, number) if isinstance(number, int) else 1


def _number_of_texts(prompt: Any) -> int:
    return len(separate_inputs(prompt)) if prompt else 1
