"""Finds the settings of compaction that hold for a request.

The values of a key override those of a model. The values of a model override the section ``compaction``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from typing_extensions import override

from proxy.config.schema.compaction import Compaction, Overrides
from proxy.planning.override_policies import OverridePolicies

_NO_OVERRIDES = Overrides()


@dataclass(frozen=True, slots=True)
class CompactionPolicy:
    """The settings of compaction that hold for one request. Shares are fractions of 1.0.

    *model* is the configured name of the model that summarizes. *trigger* is the share of the limit from which a
    summary is written. The last *keep_messages* messages are never replaced. *memory_tokens* is the most that a memory
    message may have. After *reflect_after* summaries of parts of a conversation, one summary of them all is made.
    *max_share* is the share of a key's tokens that its summaries may take.
    """

    model: str
    trigger: float = 0.7
    keep_messages: int = 10
    memory_tokens: int = 4_000
    reflect_after: int = 5
    max_share: float = 0.1


class CompactionPolicies(OverridePolicies[CompactionPolicy]):
    """The compaction policies of a configuration.

    *aliases* maps the aliases of models to the models. *is_off* is True where compaction is off for every model and
    key, so that a request needs no other check.
    """

    def __init__(self, compaction: Compaction, aliases: Mapping[str, str] | None = None) -> None:
        self._compaction = compaction
        self._models = {entry.model: entry for entry in compaction.per_model}
        self._keys = {entry.key: entry for entry in compaction.per_key}
        self.is_off = not compaction.is_on_for_any
        super().__init__(self._models, self._keys, aliases)

    @override
    def _make(self, model: str, key: str) -> CompactionPolicy | None:
        section = self._compaction
        overrides = (self._keys.get(key, _NO_OVERRIDES), self._models.get(model, _NO_OVERRIDES))

        def value(name: str) -> Any:
            found = (getattr(each, name) for each in (*overrides, section))
            return next(each for each in found if each is not None)

        named = (*(each.summary_model for each in overrides), section.model)
        summarizer = next((each for each in named if each is not None), None)
        if summarizer is None or not value("enabled"):
            return None
        return CompactionPolicy(
            summarizer,
            value("trigger"),
            value("keep_messages"),
            value("memory_tokens"),
            value("reflect_after"),
            value("max_share"),
        )
