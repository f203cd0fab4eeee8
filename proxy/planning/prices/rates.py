"""The prices of one token of each kind, as integers of 10⁻²⁴ dollars.

The names of the kinds are the fields of litellm's table of models (``model_prices_and_context_window_backup.json``,
litellm 1.105.3), which an operator may write under ``model_info`` too. A field's name may end with a threshold, such as
``_above_200k_tokens``, and with a service tier, ``_priority`` or ``_flex``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

UNITS_IN_DOLLAR = 10**24
UNITS_IN_NANO = 10**15
"""Units in 10⁻⁹ dollars."""

TIERS = ("priority", "flex")
"""The service tiers that have prices of their own. Every other tier has the standard prices."""


@dataclass(frozen=True, slots=True)
class Rates:
    """The price of one token of each kind, in units of 10⁻²⁴ dollars. No kind is without a price."""

    uncached: int
    """Tokens of the prompt that were neither read from a cache nor written to one."""

    cached: int
    """Tokens of the prompt that were read from a cache."""

    written: int
    """Tokens of the prompt that were written to a cache."""

    written_1h: int
    """Tokens of the prompt that were written to a cache that keeps them for an hour."""

    audio: int
    """Tokens of sound in the prompt."""

    output: int
    reasoning: int
    audio_output: int
    image_output: int
    dearest_input: int = field(init=False, repr=False, compare=False)
    """The highest price of a token of text in the prompt."""

    dearest_output: int = field(init=False, repr=False, compare=False)
    """The highest price of a token of text in the answer."""

    def __post_init__(self) -> None:
        dearest = max(self.uncached, self.cached, self.written, self.written_1h)
        object.__setattr__(self, "dearest_input", dearest)
        object.__setattr__(self, "dearest_output", max(self.output, self.reasoning))


@dataclass(frozen=True, slots=True)
class Ladder:
    """The rates of one service tier by the size of the prompt."""

    base: Rates
    steps: tuple[tuple[int, Rates], ...] = ()
    """Thresholds in tokens with the rates above them, the highest first.

    A threshold is compared with the whole prompt, cached tokens included. The rates above it hold for all tokens of the
    request (litellm#30207, litellm#34729).
    """

    def rates_of(self, prompt_tokens: int) -> Rates:
        """Return the rates of a request whose whole prompt has *prompt_tokens*."""
        for threshold, rates in self.steps:
            if prompt_tokens > threshold:
                return rates
        return self.base


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of a model."""

    standard: Ladder
    tiers: Mapping[str, Ladder] = field(default_factory=lambda: MappingProxyType({}))
    """The prices of the service tiers that have prices of their own."""

    request: int = 0
    """The price of a request itself, in units of 10⁻²⁴ dollars."""

    source: str = "catalogue"
    """``configured`` where the operator names a price, else ``catalogue``."""

    def ladder_of(self, service_tier: str | None) -> Ladder:
        """Return the rates of *service_tier*, the standard ones for every tier without prices of its own."""
        if service_tier is None or not self.tiers:
            return self.standard
        return self.tiers.get(service_tier.lower(), self.standard)
