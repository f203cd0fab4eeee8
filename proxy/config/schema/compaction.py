"""``compaction``: summaries of old messages, for all requests, for one model, or for one client's key."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from proxy.config.schema.section import Section
from proxy.config.values import Count, Flag, Ratio, Text

KeepMessages = Annotated[Count, Field(ge=2, le=1_000)]
MemoryTokens = Annotated[Count, Field(ge=1_000, le=16_000)]
ReflectAfter = Annotated[Count, Field(ge=3, le=20)]


class Overrides(Section):
    """Values of ``compaction`` that differ for one model or for one client's key.

    A value that is left out overrides nothing.
    """

    enabled: Flag | None = None
    """Replaces ``compaction.enabled``."""

    summary_model: Text | None = None
    """Replaces ``compaction.model``: the model that writes the summaries."""

    trigger: Ratio | None = None
    """Replaces ``compaction.trigger``."""

    keep_messages: KeepMessages | None = None
    """Replaces ``compaction.keep_messages``."""

    memory_tokens: MemoryTokens | None = None
    """Replaces ``compaction.memory_tokens``."""

    reflect_after: ReflectAfter | None = None
    """Replaces ``compaction.reflect_after``."""

    max_share: Ratio | None = None
    """Replaces ``compaction.max_share``."""


class ModelCompaction(Overrides):
    """Values that differ for one model."""

    where: ClassVar[str] = "compaction.per_model[]"

    model: Text
    """The name that clients send, as in ``model_list``. Required."""


class KeyCompaction(Overrides):
    """Values that differ for one client's key. They override ``per_model``."""

    where: ClassVar[str] = "compaction.per_key[]"

    key: Text
    """The name of the key, as in ``general_settings.keys``. Required."""


class Compaction(Section):
    """A memory of the older messages, in place of these messages, where a history becomes long."""

    where: ClassVar[str] = "compaction"

    enabled: Flag = False
    """Let a model summarize long histories. Default false: the summaries cost calls to ``model``.

    Histories are compacted only where ``sanitize.mode`` is ``repair``.
    """

    model: Text | None = None
    """The model that writes the summaries, as in ``model_list``. Required where compaction is enabled.

    A cheap model is a good choice. The text of conversations is sent to its provider.
    """

    trigger: Ratio = 0.7
    """The share of the prompt's limit from which a summary is written in the background. Default 0.7."""

    keep_messages: KeepMessages = 10
    """The newest messages, which are never replaced. Default 10, at least 2."""

    memory_tokens: MemoryTokens = 4_000
    """The most tokens of the memory that stands in place of the messages. Default 4000, from 1000 to 16000."""

    reflect_after: ReflectAfter = 5
    """The number of summaries after which one summary of them all is written. Default 5, from 3 to 20."""

    max_share: Ratio = 0.1
    """The share of a key's tokens that its summaries may take. Default 0.1."""

    per_model: tuple[ModelCompaction, ...] = ()
    """Values that differ for single models. Default none."""

    per_key: tuple[KeyCompaction, ...] = ()
    """Values that differ for single keys of ``general_settings.keys``. Default none."""

    @property
    def is_on_for_any(self) -> bool:
        """True where a model or a key has compaction switched on."""
        return self.enabled or any(each.enabled for each in (*self.per_model, *self.per_key))
