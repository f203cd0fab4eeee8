"""The cost of a request by its usage, and the most that a request may cost before its usage is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.planning.prices.rates import UNITS_IN_NANO, Prices, Rates


def cost_of(prices: Prices, usage: Mapping[str, Any], service_tier: str | None = None) -> int:
    """Return the cost of a request in 10⁻⁹ dollars, rounded up.

    *usage* has the counts of canonical answers (``docs/canonical-chat.md``). Its ``prompt_tokens`` include the tokens
    that were read from a cache and written to one, so these are subtracted first (litellm#14849, litellm#33772).
    *service_tier* is the tier that the answer names. A count that is missing, or is no count, is 0.
    """
    prompt, answered = usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)
    if prompt.__class__ is not int or answered.__class__ is not int or prompt < 0 or answered < 0:
        prompt, answered = _count(prompt), _count(answered)
    ladder = prices.standard if service_tier is None or not prices.tiers else prices.ladder_of(service_tier)
    rates = ladder.rates_of(prompt) if ladder.steps else ladder.base
    units = prices.request + prompt * rates.uncached + answered * rates.output
    details = usage.get("prompt_tokens_details")
    if details and details.__class__ is dict and any(details.values()):
        units += _of_prompt(details, prompt, rates)
    details = usage.get("completion_tokens_details")
    if details and details.__class__ is dict and any(details.values()):
        units += _of_answer(details, answered, rates)
    return -(-units // UNITS_IN_NANO)


def bound_of(prices: Prices, prompt_tokens: int, most_output: int, service_tier: str | None = None) -> int:
    """Return the most that a request may cost in 10⁻⁹ dollars, rounded up.

    *prompt_tokens* is the size of the whole prompt, and *most_output* the most tokens of the answer, with those of the
    reasoning. All of the prompt may be written to a cache. Sounds are not expected. *service_tier* is the tier that the
    request asks for.
    """
    rates = prices.ladder_of(service_tier).rates_of(prompt_tokens)
    units = prices.request + prompt_tokens * rates.dearest_input + most_output * rates.dearest_output
    return -(-units // UNITS_IN_NANO)


def _of_prompt(details: Mapping[str, Any], prompt: int, rates: Rates) -> int:
    """Return the difference that the *details* of a *prompt* make to its cost.

    Parts that exceed the prompt together are cut in the order in which they are subtracted, so that no token is charged
    twice.
    """
    left = prompt
    written = min(_count(details.get("cache_write_tokens")), left)
    for_an_hour = min(_count(details.get("cache_write_1h_tokens")), written)
    left -= written
    cached = min(_count(details.get("cached_tokens")), left)
    left -= cached
    sounds = min(_count(details.get("audio_tokens")), left)
    plain = rates.uncached
    return (
        (written - for_an_hour) * (rates.written - plain)
        + for_an_hour * (rates.written_1h - plain)
        + cached * (rates.cached - plain)
        + sounds * (rates.audio - plain)
    )


def _of_answer(details: Mapping[str, Any], answered: int, rates: Rates) -> int:
    """Return the difference that the *details* of an answer make to its cost."""
    reasoning = min(_count(details.get("reasoning_tokens")), answered)
    sounds = min(_count(details.get("audio_tokens")), answered - reasoning)
    images = min(_count(details.get("image_tokens")), answered - reasoning - sounds)
    plain = rates.output
    return (
        reasoning * (rates.reasoning - plain)
        + sounds * (rates.audio_output - plain)
        + images * (rates.image_output - plain)
    )


def _count(value: Any) -> int:
    return value if value.__class__ is int and value > 0 else 0
