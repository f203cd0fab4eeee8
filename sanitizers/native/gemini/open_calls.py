"""Finds the call that a response answers."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence

from sanitizers.messages import Message


class OpenCalls:
    """The calls of one model content, and which of them have a response."""

    __slots__ = ("_answered", "_by_name", "_calls", "names")

    def __init__(self, calls: Sequence[Message], names: dict[str | None, str] | None = None) -> None:
        self.names = {call["id"]: call["function"]["name"] for call in calls} if names is None else names
        self._calls = calls
        self._answered: set[str | None] | None = None
        self._by_name: dict[str, deque[str]] | None = None

    def take_all(self) -> None:
        """Note that all calls have a response."""
        self._answered = {*self.names}

    def take(self, response_id: str, name: str) -> str | None:
        """Return the id of the call that a response answers, or None where the later steps have to find that call."""
        if self._answered is None:
            self._answered = set()
        if response_id not in self.names:
            waiting = self._waiting().get(name)
            while waiting and waiting[0] in self._answered:
                waiting.popleft()
            if not waiting:
                return None
            response_id = waiting.popleft()
        self._answered.add(response_id)
        return response_id

    def _waiting(self) -> dict[str, deque[str]]:
        if self._by_name is None:
            self._by_name = defaultdict(deque)
            for call in self._calls:
                self._by_name[call["function"]["name"]].append(call["id"])
        return self._by_name
