"""The part of all formats with a list of their own: numbers of chat messages become the client's own places.

The steps of the pipeline work on chat messages, and number these. One entry of the client's list may have become
several of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import attrgetter
from typing import Any, Protocol

from proxy.core.errors import InvalidRequest, ProxyError, UnrepairableHistory
from sanitizers.native import Span

NO_ENTRY = -1
"""The index of what no entry of the client's list holds, such as the instructions."""

_MESSAGES_END = attrgetter("messages.stop")
_OF_OTHERS = frozenset({"answer_repair", "instructions", "parameters", "session", "tools"})
"""Steps whose changes have no index of a message."""


def find_span(spans: Sequence[Span], message: int) -> Span | None:
    """Return the span of the chat message at the index *message*, or None for one that no entry holds."""
    at = bisect_right(spans, message, key=_MESSAGES_END)
    if at == len(spans):
        return None
    span = spans[at]
    return span if span.items and message >= span.messages.start else None


class ClientPlaces(ABC):
    """Finds the client's places of the chat messages of one request."""

    __slots__ = ()

    @abstractmethod
    def of_message(self, message: int) -> int:
        """Return the index of the first entry of the chat message at the index *message*, or :data:`NO_ENTRY`."""

    @abstractmethod
    def rename(self, text: str) -> str:
        """Return *text* with the client's places in the place of ``messages[3]``."""

    def rename_param(self, param: str) -> str:
        """Return the client's path for the chat field *param*."""
        return param

    def of_entry(self, step: str, index: int) -> int | None:
        """Return the client's index for *index* in a change of the *step*, where it is that of an entry. Else None."""
        return None

    def rename_error(self, error: InvalidRequest) -> None:
        """Give *error*, by which the proxy refuses a request, the client's places in its text and in its lists."""
        error.message = self.rename(error.message)
        if isinstance(error, UnrepairableHistory):
            error.violations = self.renumber(error.violations)
            error.changes = self.renumber(error.changes)
            if error.details:
                error.details = {"violations": error.violations, "changes": error.changes}

    def renumber(self, entries: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Return the *entries* of chat messages, changes or broken rules as JSON, with the client's indexes."""
        return [*map(self._renumber_one, entries)]

    def _renumber_one(self, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        step = entry.get("step", "")
        if step in _OF_OTHERS:
            return entry
        own = self.of_entry(step, entry["index"])
        return {**entry, "index": self.of_message(entry["index"]) if own is None else own}

    def renumber_explanation(self, described: dict[str, Any], mended: int) -> dict[str, Any]:
        """Return *described*, a dry run as JSON, with the client's indexes.

        Its first *mended* changes were made while the request was read, and have these indexes already.
        """
        changes, refusal, memory = described["changes"], described["refusal"], described.get("memory")
        numbered = {
            **described,
            "changes": [*changes[:mended], *self.renumber(changes[mended:])],
            "found": self.renumber(described["found"]),
            "violations": self.renumber(described["violations"]),
        }
        if refusal is not None:
            param = refusal["param"]
            renamed = None if param is None else self.rename_param(param)
            numbered["refusal"] = {**refusal, "message": self.rename(refusal["message"]), "param": renamed}
        if memory is not None:
            places = {name: list(map(self.of_message, memory[name])) for name in ("pinned", "replaced")}
            numbered["memory"] = {**memory, **places}
        return numbered


class HasPlaces(Protocol):
    """A request that was read."""

    @property
    def places(self) -> ClientPlaces:
        """The client's places of the chat messages."""


@contextmanager
def renamed_errors(read: HasPlaces) -> Iterator[None]:
    """Give errors the paths of the client's own format, in ``param`` and in their words."""
    try:
        yield
    except ProxyError as error:
        if error.of_deployment:
            raise
        places = read.places
        if isinstance(error, InvalidRequest):
            places.rename_error(error)
        if error.param is not None:
            error.param = places.rename_param(error.param)
        raise
