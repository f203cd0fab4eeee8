"""Count a request's tokens by part, for the error 400 when a request cannot fit, and for ``/v1/explain``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sanitizers.budget.ledger import Size
from sanitizers.budget.markers import is_from_user
from sanitizers.budget.marks import Marks
from sanitizers.budget.units import count_leading_system, split_units
from sanitizers.messages import Messages

_LARGEST = 5


@dataclass(frozen=True, slots=True)
class Parts:
    """A request's tokens by part. The parts add up to the whole.

    *first_goal* is the user's first message, unless that message is part of *current_round*. *current_round* is the
    newest unit (a message with its tool results). *older_rounds* are all other messages after the leading system
    messages. *rounds* counts the model's turns. *largest* lists the largest messages as (index, tokens), largest first.
    """

    system: int
    tools: int
    first_goal: int
    older_rounds: int
    current_round: int
    rounds: int
    largest: tuple[tuple[int, int], ...]

    @property
    def whole(self) -> int:
        """All tokens of the request."""
        return self.system + self.tools + self.first_goal + self.older_rounds + self.current_round

    def as_dict(self) -> dict[str, Any]:
        """Return the parts as JSON-ready values."""
        return asdict(self)


def measure_parts(
    messages: Messages, size: Size, marks: Marks, *, origins: Sequence[int] | None = None
) -> Parts:
    """Return the tokens of *messages* by part, as *size* counts them. *marks* has the tokens of tools.

    If *origins* are given, *largest* has these indexes instead of those in *messages*.
    """
    tokens = [size(message) for message in messages]
    lead = count_leading_system(messages)
    units = split_units(messages, lead)
    current = range(units[-1].start, units[-1].end) if units else range(lead, lead)
    goal = next((at for at in range(lead, len(messages)) if is_from_user(messages[at])), None)
    if goal is not None and goal in current:
        goal = None
    of_goal = 0 if goal is None else tokens[goal]
    of_current = sum(tokens[at] for at in current)
    places = range(len(messages)) if origins is None else origins
    largest = sorted(range(len(tokens)), key=lambda at: (-tokens[at], at))[:_LARGEST]
    return Parts(
        system=sum(tokens[:lead]),
        tools=marks.tools,
        first_goal=of_goal,
        older_rounds=sum(tokens[lead:]) - of_goal - of_current,
        current_round=of_current,
        rounds=sum(unit.role == "assistant" for unit in units),
        largest=tuple((places[at], tokens[at]) for at in largest),
    )
