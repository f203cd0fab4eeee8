"""The sections that are turnright's own: what happens to a history, and where state lives.

``off`` is a word here, and YAML 1.1 reads it as false: both spellings are understood.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from proxy.config.faults import refusal
from proxy.config.schema.section import Section
from proxy.config.values import (
    Count,
    CountOrZero,
    Flag,
    Ratio,
    StoreUrl,
    Text,
    from_environment,
    off_is_a_word,
)
from sanitizers.budget.cap_text import SMALLEST

_Word = BeforeValidator(from_environment)
_WordOrOff = BeforeValidator(off_is_a_word)


class Sanitize(Section):
    """What is done to a history that the provider would refuse."""

    where: ClassVar[str] = "sanitize"

    mode: Annotated[Literal["repair", "observe", "strict", "off"], _Word, _WordOrOff] = "repair"
    """``repair`` (default) makes it legal; ``observe`` only counts; ``strict`` answers 400; ``off`` looks away."""

    on_violation: Annotated[Literal["refuse", "send"], _Word] = "refuse"
    """When the repaired history still breaks a rule: a 400 that names it (``refuse``, default), or send it, counted."""

    merge_same_role: Flag = False
    """Merge runs of one role for every provider. Default false: where neighbours of one role are legal, what
    comes in goes out the same, and prompt caches keep hitting."""


class Budget(Section):
    """How a history is fitted into the model's window. A single value that is left out is the preset's."""

    where: ClassVar[str] = "budget"

    preset: Annotated[Literal["balanced", "lango", "localcowork", "codex", "off"], _Word, _WordOrOff] = (
        "balanced"
    )
    """``balanced`` (default) cuts nothing before a request would not fit, then down to half; ``off`` never cuts."""

    margin: Annotated[float, Field(strict=True, ge=0, lt=1, allow_inf_nan=False)] | None = None
    """The share of the limit that is kept free for the estimate's error."""

    reserve: CountOrZero | None = None
    """Tokens kept free for the answer, taken from the window."""

    high: Ratio | None = None
    """The share of what is available above which a history is cut (1.0 in ``balanced``)."""

    low: Ratio | None = None
    """The share of what is available down to which it is cut (0.5 in ``balanced``); below ``high``."""

    hard: Ratio | None = None
    """The share of a known limit above which a request is refused (0.95 in ``balanced``)."""

    cap: Annotated[Count, Field(ge=SMALLEST)] | None = None
    """Characters that a tool result may have, at once; head and tail are kept. At least 400: the marker takes room."""

    last_turns: CountOrZero | None = None
    """How many turns are kept at most; 0, the presets' value, keeps all."""

    unknown_window: Count | None = None
    """Tokens to assume where a model's window is unknown. ``balanced`` assumes none and learns it."""

    exclude_tools: tuple[Text, ...] = ()
    """Names of tools whose results are never capped or cleared. Default none."""

    notice: Flag = True
    """Tell the model, in one neutral line, how many messages were removed. Default true."""

    on_no_room: Annotated[Literal["reduce", "refuse"], _Word] = "reduce"
    """When the answer may be longer than what is left of the window: ask for less (``reduce``, default), or a 400."""

    @field_validator("low")
    @classmethod
    def _low_is_below_high(cls, low: float | None, info: ValidationInfo) -> float | None:
        high = info.data.get("high")
        if low is not None and high is not None and low >= high:
            raise refusal("must be below budget.high")
        return low


class Compaction(Section):
    """Summaries in the place of what was cut."""

    where: ClassVar[str] = "compaction"

    enabled: Flag = False
    """Let a model summarize. Default false: it costs calls, and sends the history once more. Not built so far:
    ``true`` is refused."""


class Store(Section):
    """Where state lives that outlasts a request; a store that is down degrades a feature, never a request."""

    where: ClassVar[str] = "store"

    url: StoreUrl = Field(default="memory://", repr=False)
    """``memory://`` (default; lost at exit), ``sqlite:///FILE`` (one host) or ``redis://HOST:PORT/0`` (replicas).
    Only ``memory://`` is built so far; the others are refused."""

    memory_mib: Count = 32
    """MiB that are kept in memory, at most. Default 32: the thought signatures of some 15,000 calls. When it is full,
    the key that holds the most loses its oldest."""
