"""What a row of the table holds: how a provider takes the request parameters of OpenAI's format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""The reasoning efforts that clients know, from none to most; ``default`` asks for none in particular."""

CHOICES = frozenset({"auto", "named", "none", "required"})
"""The kinds of a tool choice; ``named`` is one that names a function."""

FORMATS = frozenset({"json_object", "json_schema"})
"""The forms of an answer beside text."""

Limit = Literal["any", "one", "max_tokens"]
"""By which names the limit of the answer goes: either or both, either but not both, or the old one alone."""

Thinking = Literal["free", "budget", "always"]
"""What reasoning rules out. ``free``: nothing. ``budget``: Claude's extended thinking, which needs room in the limit,
its blocks in the history, and no sampling, nor a tool that must be called. ``always``: it is always on, and no tool can
be forced."""

Range = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """One provider's, or model family's, way with parameters. The defaults are those of a server of OpenAI's wire."""

    name: str
    """Stable name of the row."""

    dropped: frozenset[str] = frozenset()
    """Parameters that it has no use for, or that would be lost on the way without a word: never sent, and counted."""

    carried: frozenset[str] = frozenset()
    """Parameters that it takes, though litellm's own table does not say so: they are sent on litellm as well."""

    limit: Limit = "any"

    answers: int | None = None
    """Most answers to one request (``n``)."""

    temperature: Range | None = None
    top_p: Range | None = None
    penalties: Range | None = None
    """Legal values, both ends included, where the range is smaller than OpenAI's."""

    one_sampler: bool = False
    """``temperature`` and ``top_p`` cannot stand together."""

    small_seeds: bool = False
    """Seeds are 32 bits wide."""

    stops: int | None = None
    """Most stop sequences."""

    blank_stops: bool = True
    """A stop sequence of white space alone is taken; an empty one is by nobody."""

    stop_lists: bool = False
    """Stop sequences come as a list only."""

    top_k: str = "top_k"
    """What ``top_k`` is called."""

    opaque_users: bool = False
    """``user`` must be no e-mail address or telephone number."""

    efforts: tuple[str, ...] | None = None
    """The reasoning efforts that it knows; None where it is left to say so itself."""

    always_reasons: bool = False
    """``none`` is taken, and means as little as can be."""

    thinking: Thinking = "free"

    formats: frozenset[str] = FORMATS
    """The forms of an answer that can be asked for by parameter; others are asked for in words."""

    formats_with_tools: frozenset[str] = FORMATS
    """Those that can be beside tools."""

    choices: frozenset[str] = CHOICES
    """The tool choices that it is given."""

    functions: bool = True
    """``functions`` and ``function_call`` are known; otherwise they become tools."""
