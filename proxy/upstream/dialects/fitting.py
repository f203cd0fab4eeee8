"""A request's parameters while the rules of a dialect change them, with the changes made so far."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.upstream.dialects.dialect import Dialect
from sanitizers import Change, Messages
from sanitizers.changes import Kind

STEP = "parameters"
"""The *step* of each change that is recorded here.

A change of a parameter has index 0, and *detail* names the parameter.
"""


class Fitting:
    """The parameters of one request, which the rules read and rewrite.

    Rules do not change the parameters that *allowed* names.
    """

    def __init__(
        self, parameters: Mapping[str, Any], dialect: Dialect, messages: Messages, allowed: frozenset[str]
    ) -> None:
        self.dialect = dialect
        self.messages = messages
        self.instruction: str | None = None
        """An instruction for the model, where no parameter can ask for the same."""

        self.changes: list[Change] = []
        self.dropped: list[str] = []
        self._given = parameters
        self._allowed = allowed
        self._fitted = dict(parameters)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters as they are now.

        If no change was recorded and nothing was dropped, this is the given object itself.
        """
        return self._fitted if self.changes or self.dropped else self._given

    def value(self, name: str) -> Any:
        """Return the value of a parameter that a rule may change, or None if there is none."""
        return None if name in self._allowed else self._fitted.get(name)

    def declared(self) -> tuple[str, ...]:
        """Return the names of the declared functions, also when the rules may not change them."""
        tools = [tool.get("function", {}) for tool in self._fitted.get("tools") or ()]
        return tuple(function.get("name") for function in (*tools, *(self._fitted.get("functions") or ())))

    def replace(self, name: str, value: Any, reason: str, *, to: str | None = None) -> None:
        """Replace the value of *name* with *value*, renamed to *to* if given, and record the change."""
        self._fitted = {
            (to or name) if key == name else key: value if key == name else given
            for key, given in self._fitted.items()
            if key != to
        }
        self.record_change("replaced", reason, name)

    def set_value(self, name: str, value: Any) -> None:
        """Give a parameter a value without recording a change."""
        self._fitted[name] = value

    def drop(self, name: str, reason: str) -> None:
        """Leave out a parameter because of the rest of the request, and record the change."""
        del self._fitted[name]
        self.dropped.append(name)
        self.record_change("dropped", reason, name)

    def withhold(self, name: str) -> None:
        """Leave out a parameter that this provider never gets.

        The dropped parameter is counted, but no change is recorded.
        """
        del self._fitted[name]
        self.dropped.append(name)

    def record_change(self, kind: Kind, reason: str, detail: str) -> None:
        """Record a change."""
        self.changes.append(Change(STEP, kind, 0, reason, detail))
