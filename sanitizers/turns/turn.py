"""The state of a turn for the header, the log, the metrics and ``/v1/explain``. It holds no message text."""

from __future__ import annotations

from typing import Any, Literal

from sanitizers.record import record

EVENTS = ("warning", "limit", "delegation_limit", "loop", "tool_errors", "wrap_up")
"""Events of a turn.

Every event except ``wrap_up`` is reported once, with the request whose newest round caused the event.
"""

WrapUp = Literal["", "limit", "loop", "delegation"]


@record
class Turn:
    """The agent's turn since the user's last message. A limit of 0 means no limit."""

    mode: str
    rounds: int
    limit: int
    delegations: int = 0
    delegation_limit: int = 0
    warns: bool = False
    """True where the number of rounds has reached the share of the limit at which a warning is given."""

    loop_period: int = 0
    """The number of rounds in the cycle that the newest rounds repeat, or 0 where there is no such cycle."""

    wrap_up: WrapUp = ""
    """The reason why the model has to finish, or empty where it may go on."""

    events: tuple[str, ...] = ()
    """The events (:data:`EVENTS`) that the newest round or this request caused."""

    def header(self) -> str:
        """Return ``x-turnright-rounds``: ``12/25``, or ``12`` without a limit.

        Where they apply, ``;warn``, ``;wrap-up``, ``;loop`` and ``;delegations=3/10`` follow in this order.
        """
        used = _of(self.rounds, self.limit)
        if not (self.warns or self.wrap_up or self.loop_period or self.delegations):
            return used  # the usual case
        parts = [used]
        if self.warns:
            parts.append("warn")
        if self.wrap_up:
            parts.append("wrap-up")
        if self.loop_period:
            parts.append("loop")
        if self.delegations:
            parts.append(f"delegations={_of(self.delegations, self.delegation_limit)}")
        return ";".join(parts)

    def as_dict(self) -> dict[str, Any]:
        """Return the turn as JSON-ready values."""
        return {
            "mode": self.mode,
            "rounds": self.rounds,
            "limit": self.limit or None,
            "delegation_rounds": self.delegations,
            "delegation_limit": self.delegation_limit or None,
            "warns": self.warns,
            "loop_period": self.loop_period or None,
            "wrap_up": self.wrap_up or None,
            "events": list(self.events),
        }


def _of(count: int, limit: int) -> str:
    return f"{count}/{limit}" if limit else str(count)
