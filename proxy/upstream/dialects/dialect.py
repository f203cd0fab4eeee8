"""The fields of a row of the table: how a provider takes the request parameters of OpenAI's format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""The reasoning efforts that clients send, from none to most. The value ``default`` leaves the effort to the model."""

CHOICES = frozenset({"auto", "named", "none", "required"})
"""The kinds of a tool choice. ``named`` stands for a choice that names a function."""

FORMATS = frozenset({"json_object", "json_schema"})
"""The formats of an answer other than text."""

Limit = Literal["any", "one", "max_tokens"]
"""The names that a provider takes for the answer's token limit: one or both, one alone, or ``max_tokens`` only."""

Thinking = Literal["free", "budget", "adaptive", "always"]
"""The restrictions that reasoning brings.

    ``free``     none
    ``budget``   Claude's extended thinking: room in the limit, thinking blocks in the history, no sampling parameters
                 and no forced tool call
    ``adaptive`` Claude's thinking from 4.6 on: no forced tool call
    ``always``   reasoning is always on, and no tool call can be forced
"""

Range = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """The rules for the parameters of one provider or model family. The defaults are for servers with OpenAI's API."""

    name: str
    """The row's name, which stays stable."""

    dropped: frozenset[str] = frozenset()
    """Parameters that are never sent.

    Each dropped parameter is counted. The provider ignores or refuses these parameters, or litellm loses them.
    """

    carried: frozenset[str] = frozenset()
    """Parameters that the provider takes though litellm's table lacks them. They are sent through litellm too."""

    limit: Limit = "any"

    answers: int | None = None
    """The most answers to one request (``n``)."""

    temperature: Range | None = None
    top_p: Range | None = None
    penalties: Range | None = None
    """Legal values, both ends included, where the range is smaller than OpenAI's."""

    one_sampler: bool = False
    """True where ``temperature`` and ``top_p`` exclude each other."""

    small_seeds: bool = False
    """True where a seed has 32 bits."""

    stops: int | None = None
    """The most stop sequences."""

    blank_stops: bool = True
    """True where a stop sequence may be white space. No provider takes an empty one."""

    stop_lists: bool = False
    """True where the stop sequences must be a list."""

    top_k: str = "top_k"
    """The provider's name for ``top_k``."""

    opaque_users: bool = False
    """True where ``user`` must not be an e-mail address or telephone number."""

    efforts: tuple[str, ...] | None = None
    """The reasoning efforts that the model takes. None means that they are unknown, so the effort is sent unchanged."""

    always_reasons: bool = False
    """True where the effort ``none`` is taken, but the model still reasons a little."""

    thinking: Thinking = "free"

    formats: frozenset[str] = FORMATS
    """The formats that a parameter can ask for. An instruction in the messages asks for the other formats."""

    formats_with_tools: frozenset[str] = FORMATS
    """The formats that a parameter can ask for when the request has tools."""

    closed_schemas: bool = False
    """True where the schema of an answer, or of a strict tool, must be one that a grammar can enforce."""

    streams_formats: bool = True
    """True where an answer in a format can be streamed. Otherwise a whole answer is cut into chunks."""

    choices: frozenset[str] = CHOICES
    """The kinds of a tool choice that the provider takes."""

    stream_usage: bool = True
    """True where ``stream_options`` asks for a stream's usage. Other providers report usage unasked."""

    names: tuple[tuple[str, str], ...] = ()
    """Parameters that have another name on this provider's wire: the name in OpenAI's format, and the provider's."""

    thinking_switch: bool = False
    """True where the parameter ``thinking`` turns reasoning on and off on OpenAI's wire, in addition to the effort."""

    thinking_budget: bool = False
    """True where the effort is written as Claude's ``thinking`` with a budget of tokens, on OpenAI's wire."""

    tool_marks: bool = True
    """True where a tool may have a cache mark (``cache_control``)."""

    declares_calls: bool = False
    """True where a history with calls is refused unless the request declares tools."""

    least_output: int | None = None
    """The least limit of an answer's tokens that the provider takes."""

    functions: bool = True
    """True where ``functions`` and ``function_call`` are taken. Otherwise they are rewritten as tools."""
