"""Finds the policy that holds for a model and a client's key, where a section of the settings has overrides.

The values of a key override those of a model. The values of a model override the section's own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from typing import Generic, TypeVar

Policy = TypeVar("Policy")


class OverridePolicies(ABC, Generic[Policy]):
    """The policies of one section of the settings.

    Each policy is made once, when it is first needed. *models* and *keys* are the names that have overrides. *aliases*
    maps the aliases of models to the models.
    """

    def __init__(
        self, models: Collection[str], keys: Collection[str], aliases: Mapping[str, str] | None
    ) -> None:
        self._named_models = frozenset(models)
        self._named_keys = frozenset(keys)
        self._aliases = aliases or {}
        self._made: dict[tuple[str, str], Policy | None] = {}

    def find(self, model: str, label: str, key: str) -> Policy | None:
        """Return the policy for *model* and for the key named *key*, or None where it is switched off.

        *label* is the model's name in the configuration, which may be a wildcard. An entry for the exact name replaces
        the entry for the wildcard. An alias without an entry gets the entry of its model.
        """
        models = self._named_models
        if self._aliases and model not in models:
            model = self._aliases.get(model, model)
        named = model if model in models else label if label in models else ""
        place = (named, key if key in self._named_keys else "")
        if place not in self._made:
            self._made[place] = self._make(*place)
        return self._made[place]

    @abstractmethod
    def _make(self, model: str, key: str) -> Policy | None:
        """Return the policy with the overrides of *model* and *key*. An empty name has no overrides."""
