"""Finds the operator's instructions for a request: the gateway's, then the model's, then the key's or its team's."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from proxy.config.instruction_text import InstructionText
from proxy.config.schema.settings import Settings
from proxy.core.combine_instructions import combine
from proxy.core.deployment import Deployment
from proxy.core.instructions import InstructionPart, Instructions, Level

_MOST = 256
"""The most combinations that are kept: some 8 MB."""

_NONE = -1
"""Stands for every entry of ``model_list`` without a text, so that they share their combinations."""

_Slot: TypeAlias = tuple[Level, str]
"""The key or the team that a text belongs to. Keys of a team without texts of their own share the team's."""


class InstructionPolicies:
    """The operator's instructions of a configuration.

    *is_off* is True where no text is configured, so that a request needs no other check.
    """

    def __init__(self, settings: Settings) -> None:
        general = settings.general_settings
        self._gateway = _part("gateway", general.instructions)
        self._models = {
            position: part
            for position, entry in settings.entries.items()
            if (part := _part("model", entry.instructions)) is not None
        }
        teams = {team.name: _part("team", team.instructions) for team in general.teams}
        self._special: dict[_Slot, InstructionPart] = {}
        self._slots: dict[str, _Slot] = {}
        for key in general.keys:
            own = _part("key", key.instructions)
            part = own or teams.get(key.team or "")
            if part is not None:
                slot = (part.level, key.name if own else key.team or "")
                self._slots[key.name], self._special[slot] = slot, part
        self.is_off = self._gateway is None and not self._models and not self._slots
        self._combined = lru_cache(_MOST)(self._combine)

    def find(self, deployment: Deployment, key: str) -> Instructions | None:
        """Return the instructions for *deployment* and for the client key named *key*, or None without any.

        *key* is empty for the master key, and where no key is needed. The same combination gives the same object, as
        long as it is kept.
        """
        if self.is_off:
            return None
        position = deployment.position
        return self._combined(position if position in self._models else _NONE, self._slots.get(key))

    def is_like(self, other: InstructionPolicies) -> bool:
        """Return True where *other* gives the same instructions to every entry and key."""
        texts = (self._gateway, self._models, self._slots, self._special)
        return texts == (other._gateway, other._models, other._slots, other._special)

    def _combine(self, position: int, slot: _Slot | None) -> Instructions | None:
        special = None if slot is None else self._special[slot]
        parts = (self._gateway, self._models.get(position), special)
        return combine([part for part in parts if part is not None])


def _part(level: Level, text: InstructionText | None) -> InstructionPart | None:
    return None if text is None else InstructionPart(level, text.text, text.bytes)
