"""Returns the settings of compaction for a request.

The values of a key override those of a model. The values of a model override the section ``compaction``.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CompactionPolicy:
    """The settings of compaction that hold for one request. Shares are fractions of 1.0.

    *model* is the configured name of the model that summarizes. *trigger* is the share of the limit from which a
    summary is written. The last *keep_messages* messages are never replaced. *memory_tokens* is the most that a memory
    message may have. After *reflect_after* summaries of segments, one summary of them all is made. *max_share* is the
    share of a key's tokens that its summaries may take.
    """

    model: str
    trigger: float = 0.7
    keep_messages: int = 10
    memory_tokens: int = 4_000
    reflect_after: int = 5
    max_share: float = 0.1
