"""The tokens of a request, for a header, a log line, an error's text, and a table.

A report holds no text of the request.
"""

from __future__ import annotations

from typing import Any

from proxy.planning.budgets.limits import Limit
from sanitizers.budget import CutPolicy, Fitted, Marks, Parts
from sanitizers.record import record

INSERTED = -1
"""Stands for the index of the operator's instructions, which the client did not send."""


@record
class Report:
    """The tokens of one request.

    *estimate* counts the tokens of the incoming request. *estimate* is an upper bound unless *exact* is True. *sent*
    counts the tokens of the outgoing request. *fitted* and *marks* are set for a counted request. *factor* is the
    number of real tokens per estimated token.
    """

    estimate: int
    exact: bool
    limit: Limit
    sent: int
    fitted: Fitted | None = None
    marks: Marks | None = None
    factor: float | None = None
    rounds: int = 0
    before: Parts | None = None
    after: Parts | None = None
    """The tokens by part of the incoming and the outgoing request, where they were asked for."""

    memory: int | None = None
    """The tokens of the memory in place of older messages. All other numbers count the history with the memory."""

    @property
    def removed(self) -> dict[str, int]:
        """Tokens that were cut, by reason."""
        return {reason: cut.tokens for reason, cut in self.fitted.removed.items()} if self.fitted else {}

    @property
    def is_new_cut(self) -> bool:
        """True where a cut was decided at the end of this history.

        No earlier request of the conversation had that cut.
        """
        fitted = self.fitted
        return fitted is not None and bool(fitted.events) and fitted.events[-1].index == fitted.last

    def header(self) -> str:
        """Return ``x-turnright-budget``: the tokens that came in, the limit, the tokens sent, and the room left.

        The room is shown as the used share of the limit. The mean tokens of a round so far (one for each assistant
        message) follow, and the number of such rounds that still fit. The tokens of a memory come last.
        """
        most, tokens, sent = "=" if self.exact else "<=", self.limit.tokens, self.sent
        limit = f"limit={tokens};" if tokens is not None else ""
        used = f";used{most}{min(999, round(100 * sent / tokens))}%" if tokens else ""
        text = f"est{most}{self.estimate};{limit}sent{most}{sent}{used}"
        if self.rounds and tokens is not None:
            least = "=" if self.exact else ">="
            text += f";round{most}{self.round_mean};left{least}{self.rounds_left}"
        return text if self.memory is None else f"{text};memory={self.memory}"

    @property
    def round_mean(self) -> int:
        """Mean tokens of a round so far, without the fixed part (tools and leading system messages)."""
        fixed = self.marks.fixed if self.marks else 0
        return max(0, self.estimate - fixed) // max(1, self.rounds)

    @property
    def rounds_left(self) -> int:
        """The number of rounds of mean size that fit before something is cut."""
        high = self.marks.high if self.marks else None
        room = (high if high is not None else (self.limit.tokens or 0)) - (
            self.sent - (self.marks.fixed if self.marks and high is not None else 0)
        )
        return max(0, room) // max(1, self.round_mean)

    def as_dict(self) -> dict[str, Any]:
        """Return all values as JSON-ready ones, for ``/v1/explain``."""
        limit, fitted, marks = self.limit, self.fitted, self.marks
        shown: dict[str, Any] = {
            "estimate": self.estimate,
            "exact": self.exact,
            "sent": self.sent,
            "window": limit.window,
            "window_source": limit.source,
            "reserve": limit.reserve,
            "limit": limit.tokens,
            "factor": self.factor,
            "rounds": self.rounds,
        }
        if marks is not None:
            shown |= {
                "available": marks.available,
                "high": marks.high,
                "low": marks.low,
                "hard": marks.hard,
                "tools": marks.tools,
                "system": marks.system,
            }
        if limit.tokens:
            shown["used_percent"] = min(999, round(100 * self.sent / limit.tokens))
        if self.memory is not None:
            shown["memory"] = self.memory
        if self.rounds:
            shown |= {"round_mean": self.round_mean, "rounds_left": self.rounds_left}
        if self.before is not None and self.after is not None:
            shown["parts"] = {"before": self.before.as_dict(), "after": self.after.as_dict()}
        if fitted is not None:
            shown["events"] = [
                {"index": event.index, "done": list(event.done), "before": event.before, "after": event.after}
                for event in fitted.events
            ]
            shown["removed"] = {
                reason: {"messages": cut.messages, "results": cut.results, "tokens": cut.tokens}
                for reason, cut in fitted.removed.items()
            }
        return shown


def over_limit_text(fitted: Fitted, limit: Limit, tokens: int, policy: CutPolicy) -> str:
    """Return the text of a refusal: the tokens of each part, and the largest messages by index."""
    parts = fitted.parts
    assert parts is not None
    largest = ", ".join(
        f"{'instructions of the operator' if at == INSERTED else f'messages[{at}]'} {size}"
        for at, size in parts.largest
    )
    return (
        f"This model's maximum context length is {limit.window} tokens, {tokens} of them for the prompt. However, "
        f"your request comes to about {fitted.tokens_after} tokens after everything was cut that may be (from "
        f"{fitted.tokens_before}; the hard limit is {round(100 * (policy.hard or 1))} %): system messages "
        f"{parts.system}, tools {parts.tools}, first user message {parts.first_goal}, older rounds "
        f"{parts.older_rounds}, current round {parts.current_round}. Largest: {largest}."
    )
