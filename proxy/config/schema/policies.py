"""Sections of turnright's own: the changes to histories.

``off`` is a value of some keys, and YAML 1.1 reads the bare word as false. These keys accept both.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from proxy.config.faults import refusal
from proxy.config.references import from_environment
from proxy.config.schema.section import Section
from proxy.config.values import Count, CountOrZero, Flag, Ratio, Text, read_off
from sanitizers.budget.cap_text import SMALLEST

_Word = BeforeValidator(from_environment)
_WordOrOff = BeforeValidator(read_off)


class Sanitize(Section):
    """The treatment of a history that the provider would refuse."""

    where: ClassVar[str] = "sanitize"

    mode: Annotated[Literal["repair", "observe", "strict", "off"], _Word, _WordOrOff] = "repair"
    """``repair`` (default) makes it legal, ``observe`` only reports, ``strict`` answers 400, ``off`` does nothing."""

    on_violation: Annotated[Literal["refuse", "send"], _Word] = "refuse"
    """The treatment of a repaired history that still breaks a rule.

    ``refuse`` (default) answers 400 and names the rule. ``send`` sends the history and counts the violation.
    """

    merge_same_role: Flag = False
    """Merge consecutive messages of one role for every provider.

    Default false: where such messages are legal the history is sent unchanged, and prompt caches keep hitting.
    """


class Budget(Section):
    """The rules that fit a history into the model's window. A value that is left out is the preset's."""

    where: ClassVar[str] = "budget"

    preset: Annotated[Literal["balanced", "lango", "localcowork", "codex", "off"], _Word, _WordOrOff] = (
        "balanced"
    )
    """``balanced`` (default) cuts only a request that would not fit, down to half. ``off`` never cuts."""

    margin: Annotated[float, Field(strict=True, ge=0, lt=1, allow_inf_nan=False)] | None = None
    """The share of the model's token limit that is kept free for errors of the token estimate."""

    reserve: CountOrZero | None = None
    """Tokens kept free for the answer, taken from the window."""

    high: Ratio | None = None
    """The share of the available tokens above which a history is cut (1.0 in ``balanced``)."""

    low: Ratio | None = None
    """The share of the available tokens down to which a history is cut (0.5 in ``balanced``).

    It must be below ``high``.
    """

    hard: Ratio | None = None
    """The share of a known limit above which a request is refused (0.95 in ``balanced``)."""

    cap: Annotated[Count, Field(ge=SMALLEST)] | None = None
    """Characters that a tool result may have.

    Longer results keep head and tail. At least 400, to fit the mark of the cut.
    """

    last_turns: CountOrZero | None = None
    """Turns that are kept at most. 0, the presets' value, keeps all."""

    unknown_window: Count | None = None
    """Tokens to assume where a model's window is unknown.

    ``balanced`` assumes none and learns the window from refusals.
    """

    exclude_tools: tuple[Text, ...] = ()
    """Names of tools whose results are never capped or cleared. Default none."""

    notice: Flag = True
    """Tell the model, in one neutral line, the number of removed messages. Default true."""

    on_no_room: Annotated[Literal["reduce", "refuse"], _Word] = "reduce"
    """The treatment of a limit for the answer that exceeds the tokens left in the window.

    ``reduce`` (default) asks for a shorter answer. ``refuse`` answers 400.
    """

    @field_validator("low")
    @classmethod
    def _low_is_below_high(cls, low: float | None, info: ValidationInfo) -> float | None:
        high = info.data.get("high")
        if low is not None and high is not None and low >= high:
            raise refusal("must be below budget.high")
        return low
