"""``turns``: the guard against agents that do not stop, for all requests, for one model, or for one client's key."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from proxy.config.faults import refusal
from proxy.config.references import from_environment
from proxy.config.schema.section import Section
from proxy.config.values import CountOrZero, Flag, Ratio, Text, read_off
from sanitizers.turns import DELEGATION_TOOLS, FINAL_TOOLS

Mode = Annotated[
    Literal["warn", "enforce", "off"], BeforeValidator(from_environment), BeforeValidator(read_off)
]


def _at_least_two(value: int) -> int:
    if value == 1:
        raise refusal("must be 0, or at least 2: a call that was made once repeats nothing")
    return value


def _few_stars(text: str) -> str:
    if text.count("*") > _MAX_STARS:
        raise refusal(f"must hold at most {_MAX_STARS} of *")
    return text


_MAX_STARS = 2

Repeats = Annotated[CountOrZero, Field(le=1_000), AfterValidator(_at_least_two)]
Pattern = Annotated[Text, AfterValidator(_few_stars)]


class Overrides(Section):
    """Values of ``turns`` that differ for one model or for one client's key.

    A value that is left out overrides nothing.
    """

    mode: Mode | None = None
    """Replaces ``turns.mode``."""

    max_rounds: CountOrZero | None = None
    """Replaces ``turns.max_rounds``."""

    max_rounds_multi_agent: CountOrZero | None = None
    """Replaces ``turns.max_rounds_multi_agent``."""

    max_delegation_rounds: CountOrZero | None = None
    """Replaces ``turns.max_delegation_rounds``."""

    max_calls_per_turn: CountOrZero | None = None
    """Replaces ``turns.max_calls_per_turn``."""

    max_repeats: Repeats | None = None
    """Replaces ``turns.max_repeats``."""


class ModelTurns(Overrides):
    """Values that differ for one model."""

    where: ClassVar[str] = "turns.per_model[]"

    model: Text
    """The name that clients send, as in ``model_list``. Required."""


class KeyTurns(Overrides):
    """Values that differ for one client's key. They override ``per_model``."""

    where: ClassVar[str] = "turns.per_key[]"

    key: Text
    """The name of the key, as in ``general_settings.keys``. Required."""


class Turns(Section):
    """The guard against agents that do not stop: rounds of tool calls since the last user message."""

    where: ClassVar[str] = "turns"

    mode: Mode = "warn"
    """``warn`` (default) reports, ``enforce`` lets the model wrap up at the limit, ``off`` counts nothing."""

    max_rounds: CountOrZero = 25
    """The most rounds of a turn without delegation tools. Default 25. 0 is no limit.

    A client can lower the limit for one request with the header ``x-turnright-max-rounds``.
    """

    max_rounds_multi_agent: CountOrZero = 50
    """The most rounds of a turn in which delegation tools are declared or were called. Default 50. 0 is no limit."""

    warn_at: Ratio = 0.8
    """The share of the limit on rounds from which a warning is given. Default 0.8."""

    max_delegation_rounds: CountOrZero = 10
    """The most rounds of a turn that delegate.

    Default 10. 0 is no limit. After them ``enforce`` withholds the delegation tools.
    """

    max_calls_per_turn: CountOrZero = 10
    """The most tool calls of one answer that ``enforce`` passes on. Default 10. 0 is no limit."""

    max_repeats: Repeats = 5
    """The number of repetitions that count as a loop: the same calls and results, in cycles of up to three rounds.

    Default 5. 0 switches the check off.
    """

    hint_after_errors: CountOrZero = 0
    """After this number of failures of one tool in a turn, the model is asked once to try another way.

    The hint is also given in ``warn``. Default 0: never. 3 is a good value.
    """

    tell_model: Flag = False
    """Tell the model of the warning and of the limit on delegation, in ``warn`` as well. Default false."""

    delegation_tools: Annotated[tuple[Pattern, ...], Field(max_length=100)] = DELEGATION_TOOLS
    """Names of tools that delegate a task, with ``*`` for any characters. Case is ignored.

    Default ``transfer_to_*``, ``handoff_*``, ``delegate_*`` and ``task``.
    """

    final_tools: Annotated[tuple[Pattern, ...], Field(max_length=100)] = FINAL_TOOLS
    """Names of tools that give the final answer, and may be called when the model has to finish.

    Default ``final_result*``, ``final_answer`` and ``attempt_completion``.
    """

    per_model: tuple[ModelTurns, ...] = ()
    """Values that differ for single models. Default none."""

    per_key: tuple[KeyTurns, ...] = ()
    """Values that differ for single keys of ``general_settings.keys``. Default none."""
