"""Returns the limits of the turn guard (:mod:`sanitizers.turns`) for a request.

The values of a key override those of a model. The values of a model override the section ``turns``.
"""

from __future__ import annotations

from collections.abc import Mapping

from typing_extensions import override

from proxy.config.schema.turns import Overrides, Turns
from proxy.planning.override_policies import OverridePolicies
from sanitizers.turns import TurnPolicy

_NO_OVERRIDES = Overrides()


class TurnPolicies(OverridePolicies[TurnPolicy]):
    """The turn policies of a configuration. *aliases* maps the aliases of models to the models."""

    def __init__(self, turns: Turns, aliases: Mapping[str, str] | None = None) -> None:
        self._turns = turns
        self._models = {entry.model: entry for entry in turns.per_model}
        self._keys = {entry.key: entry for entry in turns.per_key}
        super().__init__(self._models, self._keys, aliases)

    @override
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
