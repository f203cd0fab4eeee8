"""Counts the requests and tokens that a probe takes, to tell the user before the probe starts."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.planning.budgets.fit_request import estimate_sent
from proxy.planning.probe.choose_cases import Cases
from proxy.planning.probe.history_values import ProbeHistory
from sanitizers.budget.find_family import family_of

MAX_ANSWER = 256
"""The most tokens of an answer. Reasoning models refuse a request with a limit of only a few tokens."""


@dataclass(frozen=True, slots=True)
class Size:
    """The numbers of requests and tokens that a probe takes.

    A plain history is sent again after each reply that may be the provider's fault. The counts with *most* include
    these requests.
    """

    requests: int
    most_requests: int
    prompt_tokens: int
    most_prompt_tokens: int

    @property
    def most_answer_tokens(self) -> int:
        """The most tokens that all answers can have."""
        return self.most_requests * MAX_ANSWER


def count_tokens(cases: Cases, model: str) -> Size:
    """Return the size of the probe that sends *cases* to *model*, in litellm's spelling. The tokens are estimates."""
    family = family_of(model)

    def tokens(history: ProbeHistory) -> int:
        return estimate_sent(
            history.messages, {"tools": list(history.tools)} if history.tools else {}, family
        )

    plain = {history.needs: tokens(history) for history in cases.baselines}
    sent = [case.history for case in cases.sent]
    own = sum(plain.values()) + sum(map(tokens, sent))
    again = sum(plain[history.needs] for history in sent)
    count = len(plain) + len(sent)
    return Size(count, count + len(sent), own, own + again)
