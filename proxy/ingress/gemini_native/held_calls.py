"""The calls of a streamed answer, which come in pieces and are written whole.

Gemini's clients know no pieces of calls. All calls are kept until their choice ends, since signatures and thoughts may
come as late as that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from proxy.ingress.gemini_native.answer_context import AnswerContext


class HeldCalls:
    """The calls of one choice."""

    def __init__(self) -> None:
        self._calls: dict[int, dict[str, Any]] = {}
        self._pieces: dict[int, list[str]] = {}
        self._legacy: list[Mapping[str, Any]] = []
        self._relayed: set[int] = set()

    @property
    def are_held(self) -> bool:
        """True once a call is kept."""
        return bool(self._calls or self._legacy)

    def relay(self, pieces: Iterable[Mapping[str, Any]]) -> None:
        """Note that the calls of *pieces* were written as the provider sent them."""
        self._relayed.update(piece["index"] for piece in pieces)

    def add(self, pieces: Iterable[Mapping[str, Any]]) -> None:
        """Add *pieces* of calls. Those of a call that was relayed say nothing new."""
        for piece in pieces:
            place = piece["index"]
            if place in self._relayed:
                continue
            call = self._calls.setdefault(place, {"id": "", "function": {"name": ""}})
            call["id"] = piece.get("id") or call["id"]
            call["function"]["name"] += piece["function"].get("name") or ""
            if "extra_content" in piece:
                call["extra_content"] = piece["extra_content"]
            self._pieces.setdefault(place, []).append(piece["function"].get("arguments") or "")

    def add_legacy(self, piece: Mapping[str, Any]) -> None:
        """Add a *piece* of a call in the older form ``function_call``, of which a choice has one at most."""
        self._legacy.append(piece)

    def take(self, context: AnswerContext, choice: int) -> Sequence[Mapping[str, Any]]:
        """Return the whole calls of the *choice*, in their order."""
        calls = []
        for place in sorted(self._calls):
            call = self._calls[place]
            arguments = "".join(self._pieces[place])
            calls.append({**call, "function": {**call["function"], "arguments": arguments}})
        if self._legacy:
            joined = {
                name: "".join(piece.get(name) or "" for piece in self._legacy)
                for name in ("name", "arguments")
            }
            calls.append({"id": context.legacy_call_id(choice), "function": joined})
        return calls
