"""The tokens that a provider counts over a session, and their cost.

A provider caches the messages with which a request and the previous one both begin. The provider caches whole blocks of
128 tokens, and nothing below 1,024 tokens.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from benchmarks.cuts.summaries import CallTokens
from benchmarks.cuts.window import TOOLS, Window
from benchmarks.sanitize import History

BLOCK = 128
LEAST_CACHED = 1_024

OUTPUT_PRICE = 5
"""The price of a written token as a multiple of the price of a read token, as usual in providers' price lists."""


class Way(Protocol):
    """One way to fit a window, in use for one client's session. *calls* are the calls of a summarizing model."""

    calls: list[CallTokens]

    def send(self, history: History) -> History:
        """Return the messages to send for *history*, which continues the one before."""


@dataclass
class Spent:
    """The sums over one session. *calls* are the calls of a summarizing model."""

    requests: int = 0
    sent: int = 0
    cached: int = 0
    breaks: int = 0
    largest: int = 0
    calls: list[CallTokens] = field(default_factory=list)

    def cost(self, price: float) -> float:
        """Return the mean cost of a request's input, in thousands of full-price tokens, without summaries.

        A cached token costs the share *price* of an uncached token.
        """
        return (self.sent - self.cached * (1 - price)) / self.requests / 1_000

    def summaries(self, price: float) -> float:
        """Return the cost of all summaries for each request of the session, in thousands of full-price tokens.

        A token of the summarizing model costs the share *price* of a token of the conversation's model.
        """
        tokens = sum(call.read + OUTPUT_PRICE * call.written for call in self.calls)
        return tokens * price / self.requests / 1_000


def run(histories: Iterable[History], way: Way, window: Window) -> Spent:
    """Send each history of one session by *way*, and return the tokens that a provider would count."""
    spent = Spent(calls=way.calls)
    before: History = []
    for history in histories:
        sent = way.send(history)
        common = TOOLS if before else 0
        for old, new in zip(before, sent, strict=False):
            if old is not new and old != new:
                break
            common += window.size(new)
        cached = common - common % BLOCK
        tokens = window.tokens(sent)
        spent.breaks += sent[: len(before)] != before
        spent.requests += 1
        spent.sent += tokens
        spent.largest = max(spent.largest, tokens)
        spent.cached += cached if cached >= LEAST_CACHED else 0
        before = sent
    return spent
