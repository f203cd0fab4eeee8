"""The provider's own account: what each call used, and its price to the nano-dollar.

The arithmetic is written apart from the gateway's, with fractions. One nano-dollar is 10⁻⁹ $. A call's price is
rounded up to a whole one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of a model in dollars for a million tokens, as texts, so that no float rounds them."""

    input: str
    output: str
    cached: str
    written: str = "0"

    def model_info(self) -> dict[str, float]:
        """Return the prices as an operator writes them: dollars for one token."""
        names = {
            "input_cost_per_token": self.input,
            "output_cost_per_token": self.output,
            "cache_read_input_token_cost": self.cached,
            "cache_creation_input_token_cost": self.written,
        }
        return {name: float(Fraction(text) / 10**6) for name, text in names.items() if text != "0"}


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one call. *prompt* includes *cached* and *written*, and *output* includes *reasoning*."""

    prompt: int
    output: int
    cached: int = 0
    written: int = 0
    reasoning: int = 0

    @property
    def tokens(self) -> int:
        """All tokens of the call."""
        return self.prompt + self.output

    def nano_usd(self, prices: Prices) -> int:
        """Return the price of these tokens in nano-dollars."""
        fresh = self.prompt - self.cached - self.written
        counts = (
            (fresh, prices.input),
            (self.output, prices.output),
            (self.cached, prices.cached),
            (self.written, prices.written),
        )
        return math.ceil(sum(count * Fraction(text) * 1000 for count, text in counts))


@dataclass(frozen=True, slots=True)
class Bill:
    """One billed call. *number* is that of the client's request."""

    number: int
    model: str
    usage: Usage
    nano_usd: int
    said: bool
    """True where the provider ended its answer and said the usage in it."""


@dataclass
class Account:
    """All bills, in the order in which their calls ended."""

    prices: Mapping[str, Prices]
    bills: list[Bill] = field(default_factory=list)

    def add(self, number: int, model: str, usage: Usage, *, said: bool) -> None:
        """Bill one call."""
        self.bills.append(Bill(number, model, usage, usage.nano_usd(self.prices[model]), said))

    def exact_nano(self, without: Iterable[int] = ()) -> int:
        """Return the sum of the bills whose usage was said, but for the requests *without*."""
        left_out = frozenset(without)
        return sum(bill.nano_usd for bill in self.bills if bill.said and bill.number not in left_out)

    def unsaid_nano(self, without: Iterable[int] = ()) -> int:
        """Return the sum of the bills whose usage was not said, but for the requests *without*."""
        left_out = frozenset(without)
        return sum(bill.nano_usd for bill in self.bills if not bill.said and bill.number not in left_out)

    def tokens(self, numbers: Iterable[int] | None = None) -> int:
        """Return the tokens of all bills, or of those of the requests *numbers*."""
        wanted = None if numbers is None else frozenset(numbers)
        return sum(bill.usage.tokens for bill in self.bills if wanted is None or bill.number in wanted)
