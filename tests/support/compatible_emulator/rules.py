"""The rules of one provider for a request, as values."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.support.compatible_emulator.faults import Fault
from tests.support.emulated import Refused

Body = dict[str, Any]

ROLES = frozenset({"system", "user", "assistant", "tool"})
EVERY_ROLE = ROLES | {"developer", "function"}
LIMITS = frozenset({"max_tokens", "max_completion_tokens"})
CHOICES = frozenset({"auto", "none", "required", "named"})
Choice = Literal["auto", "none", "required", "named"]


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules for a request. The defaults are OpenAI's, without its role ``developer``."""

    fields: frozenset[str] | None = None
    """The only fields of a body, or None where others are ignored."""

    refused: frozenset[str] = frozenset()
    """Fields of a body that are refused."""

    message_fields: frozenset[str] | None = None
    """The only fields of messages, or None where others are ignored."""

    roles: frozenset[str] = ROLES
    named_roles: frozenset[str] = EVERY_ROLE
    """The roles whose messages may have a ``name``."""

    text_lists: bool = True
    """False where a list of texts as content is refused, in every role."""

    result_lists: bool = True
    """False where a list as the content of a result is refused."""

    tool_marks: bool = True
    part_marks: bool = True
    """False where ``cache_control`` of tools, or of parts, is refused."""

    limits: frozenset[str] = LIMITS
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """The legal numbers of parameters, both ends included."""

    fixed: Mapping[str, tuple[float, str]] = field(default_factory=dict)
    """Parameters that have one legal value, with the words for others."""

    choices: frozenset[str] = CHOICES
    choice_words: str = "Invalid value for 'tool_choice'."
    efforts: frozenset[str] | None = None
    """The legal efforts, or None where all are."""

    effort_words: str = "Invalid value for 'reasoning_effort'."
    histories: tuple[Callable[[Body], Iterator[str]], ...] = ()
    """Further rules. Each yields the provider's words."""

    judge: Callable[[Any], Refused | None] | None = None
    """The provider's own judge, where the emulators have one already."""


ALIKE = Rules()
"""OpenAI's rules, without its role ``developer``."""

Faults = Iterator[Fault]
