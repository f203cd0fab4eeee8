"""A request's parameters on their way into a dialect: what was made of them, and what is said of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.upstream.dialects.dialect import Dialect
from sanitizers import Change, Messages
from sanitizers.changes import Kind

STEP = "parameters"
"""The step's name in a change; a change of a parameter stands at 0, and *detail* names it."""


class Fitting:
    """Parameters that rules read and rewrite. Names in *allowed* pass untouched: no rule gets to see them."""

    def __init__(
        self, parameters: Mapping[str, Any], dialect: Dialect, messages: Messages, allowed: frozenset[str]
    ) -> None:
        self.dialect = dialect
        self.messages = messages
        self.words: str | None = None
        """What is asked for in words, since no parameter can."""

        self.changes: list[Change] = []
        self.dropped: list[str] = []
        self._given = parameters
        self._allowed = allowed
        self._fitted = dict(parameters)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters as they are now; those that were given where nothing was changed."""
        return self._fitted if self.changes or self.dropped else self._given

    def value(self, name: str) -> Any:
        """Return the value of a parameter that a rule may change; None where there is none."""
        return None if name in self._allowed else self._fitted.get(name)

    def declared(self) -> tuple[str, ...]:
        """Return the names of the functions that are declared, whoever may change them."""
        tools = [tool.get("function", {}) for tool in self._fitted.get("tools") or ()]
        return tuple(function.get("name") for function in (*tools, *(self._fitted.get("functions") or ())))

    def replace(self, name: str, value: Any, reason: str, *, to: str | None = None) -> None:
        """Put *value* in the place of what *name* had, under the name *to* if there is one."""
        self._fitted = {
            (to or name) if key == name else key: value if key == name else given
            for key, given in self._fitted.items()
            if key != to
        }
        self.say("replaced", reason, name)

    def put(self, name: str, value: Any) -> None:
        """Give a parameter a value; the caller says why."""
        self._fitted[name] = value

    def drop(self, name: str, reason: str) -> None:
        """Leave a parameter out for what else is in the request."""
        del self._fitted[name]
        self.dropped.append(name)
        self.say("dropped", reason, name)

    def withhold(self, name: str) -> None:
        """Leave out a parameter that is never sent; the count says so."""
        del self._fitted[name]
        self.dropped.append(name)

    def say(self, kind: Kind, reason: str, detail: str) -> None:
        """Put a change on the list."""
        self.changes.append(Change(STEP, kind, 0, reason, detail))
