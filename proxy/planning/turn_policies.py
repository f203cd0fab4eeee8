"""Returns the limits of the turn guard (:mod:`sanitizers.turns`) for a request.

The values of a key override those of a model. The values of a model override the section ``turns``.
"""

from __future__ import annotations

from collections.abc import Mapping

from proxy.config.schema.turns import Overrides, Turns
from sanitizers.turns import TurnPolicy

_NO_OVERRIDES = Overrides()


class TurnPolicies:
    """The turn policies of a configuration.

    Each policy is made once, when it is first needed. *aliases* maps the aliases of models to the models.
    """

    def __init__(self, turns: Turns, aliases: Mapping[str, str] | None = None) -> None:
        self._turns = turns
        self._aliases = aliases or {}
        self._models = {entry.model: entry for entry in turns.per_model}
        self._keys = {entry.key: entry for entry in turns.per_key}
        self._made: dict[tuple[str, str], TurnPolicy | None] = {}

    def find(self, model: str, label: str, key: str) -> TurnPolicy | None:
        """Return the policy for *model* and for the key named *key*, or None where the guard is off.

        *label* is the model's name in the configuration, which may be a wildcard. An entry for the exact name replaces
        the entry for the wildcard. An alias without an entry gets the entry of its model.
        """
        if self._aliases and model not in self._models:
            model = self._aliases.get(model, model)
        named = model if model in self._models else label if label in self._models else ""
        place = (named, key if key in self._keys else "")
        if place not in self._made:
            self._made[place] = self._make(*place)
        return self._made[place]

    def _make(self, model: str, key: str) -> TurnPolicy | None:
        turns = self._turns
        of_model = self._models.get(model, _NO_OVERRIDES)
        of_key = self._keys.get(key, _NO_OVERRIDES)
        mode = of_key.mode or of_model.mode or turns.mode
        if mode == "off":
            return None

        def limit(name: str) -> int:
            values: list[int | None] = [getattr(section, name) for section in (of_key, of_model, turns)]
            return next(value for value in values if value is not None)

        return TurnPolicy(
            mode,
            limit("max_rounds"),
            limit("max_rounds_multi_agent"),
            turns.warn_at,
            limit("max_delegation_rounds"),
            limit("max_calls_per_turn"),
            limit("max_repeats"),
            turns.hint_after_errors,
            turns.tell_model,
            turns.delegation_tools,
            turns.final_tools,
        )
