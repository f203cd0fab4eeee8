"""Sentences with the facts of single requests: their memory, the operator's instructions and the learned repairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from proxy.planning.add_instructions import STEP as INSTRUCTIONS
from proxy.planning.compact.applied_memory import STEP as COMPACTION
from proxy.planning.plan import REPAIR

_Description: TypeAlias = Mapping[str, Any]
"""The description of a dry run (:func:`proxy.planning.describe_dry_run.describe_dry_run`)."""

_MAX_PINNED = 5
"""The most pinned messages that the sentence about a memory lists. The answer's ``memory`` lists them all."""


def facts_in_words(step: str, described: _Description) -> str:
    """Return what the step named *step* does in the described request, or an empty text for most steps."""
    tell = _TELL.get(step)
    return "" if tell is None else tell(described)


def _tell_memory(described: _Description) -> str:
    """Return which messages a memory replaces, its size, its author and its age."""
    memory = described["memory"]
    first, last = memory["replaced"]
    words = f"It has {memory['tokens']:,} tokens and replaces the messages {first} to {last}."
    if pinned := memory["pinned"]:
        listed = (
            f"the messages {', '.join(map(str, pinned))}" if len(pinned) <= _MAX_PINNED else f"{len(pinned)}"
        )
        words += f" Of these, the proxy still sends {listed}."
    summaries = "a summary" if memory["reflections"] == 1 else f"{memory['reflections']} summaries"
    return f"{words} It holds {summaries} by {memory['model']}, and is in use since {_moment(memory['created'])}."


def _tell_instructions(described: _Description) -> str:
    """Return the length of the operator's texts, the levels that they belong to, and their digest."""
    instructions = described["instructions"]
    levels = instructions["levels"]
    listed = ", ".join(f"{each['bytes']:,} of the {each['level']}" for each in levels)
    words = f"They have {instructions['bytes']:,} bytes ({listed}) and the digest {instructions['digest']}."
    cut = [each["level"] for each in levels if not each["whole"]]
    return f"{words} The {cut[0]}'s text was cut, since all texts were too long together." if cut else words


def _tell_learned(described: _Description) -> str:
    """Return since when each learned repair is known, and how sure it is."""
    return " ".join(map(_tell_repair, described["learned"]))


def _tell_repair(repair: Mapping[str, Any]) -> str:
    name = f"{repair['fault']} {repair['feature']}".rstrip()
    where = "in this conversation" if repair["scope"] == "conversation" else "for this model"
    return (
        f"Learned {where}: {name}, since {_moment(repair['since'])}, with a confidence of {repair['confidence']:.2f} "
        f"({repair['confirmed']:g} for it, {repair['contradicted']:g} against it)."
    )


def _moment(time: str) -> str:
    return f"{time[:10]}, {time[11:16]} UTC"


_TELL: Mapping[str, Callable[[_Description], str]] = MappingProxyType(
    {COMPACTION: _tell_memory, INSTRUCTIONS: _tell_instructions, REPAIR: _tell_learned}
)
