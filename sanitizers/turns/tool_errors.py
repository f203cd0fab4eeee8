"""Find tools that fail repeatedly, by counting the results that are errors.

OpenAI's format has no field for an error, and Anthropic's mark is a key of the message. Any other result is an error by
the beginning of its text, by a field of its JSON object, or by pydantic-ai's closing words. Words in the middle do not
count, since a web page about errors is no error.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sanitizers.messages import Message, parse_arguments
from sanitizers.turns.outcomes import words_of
from sanitizers.turns.rounds import Result, Round

_BEGINS = re.compile(
    r"\s*+(?:Observation:\n\s*+)?+(?:"  # possessive: a result may be nothing but white space
    r"(?i:(?:tool )?error\s*:)"  # LangChain's ToolNode, CrewAI, Cline
    r"|(?i:error (?:executing|calling|invoking|running|while|during) )"  # MCP servers ("Error executing tool x: ")
    r"|(?i:an error occurred )"  # openai-agents ("An error occurred while running the tool.")
    r"|(?i:(?:tool|command|function) (?:\S+ )?(?:execution )?failed\b)"
    r"|<(?:tool_)?error>"
    r"|(?:Call id: [^\n]*\n)?Error:\n"  # smolagents
    r"|Traceback \(most recent call last\):"
    r"|[A-Za-z_.]{0,80}(?:Error|Exception)\s*: "
    r")"
)
_RETRY = "Fix the errors and try again."
"""The end of pydantic-ai's retry prompts."""

_LONGEST = 65_536
_LONGEST_QUOTE = 200


class Failure(NamedTuple):
    """The failure number *times* of a tool, which calls for a hint. *quote* is the shortened text of the error."""

    result: Result
    name: str
    times: int
    quote: str


def find_failures(rounds: Sequence[Round], times: int) -> Iterator[Failure]:
    """Yield for each tool the failure number *times* in the *rounds* of one turn, if the tool failed that often."""
    counts: Counter[str] = Counter()
    for one in rounds:
        for result in one.results:
            name = one.name_of(result)
            if not name or (said := error_of(result.message)) is None:
                continue
            counts[name] += 1
            if counts[name] == times:
                yield Failure(result, name, times, said)


def error_of(message: Message) -> str | None:
    """Return a result's error text on one line, cut after 200 characters, or None if it is no error or very long."""
    text = words_of(message)
    if not text or text == "{}" or len(text) > _LONGEST:
        return None
    if message.get("is_error") is True or _BEGINS.match(text) or text.rstrip().endswith(_RETRY):
        return _quoted(text)
    if text.lstrip().startswith("{") and (value := parse_arguments(text)) is not None and _is_error(value):
        return _quoted(text)
    return None


def _is_error(value: dict[str, Any]) -> bool:
    """Tell whether a JSON object reports an error: MCP's ``isError``, ``{"error": …}`` and similar fields."""
    return (
        bool(value.get("error"))
        or value.get("isError") is True
        or value.get("is_error") is True
        or value.get("status") == "error"
        or value.get("success") is False
    )


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_QUOTE else f"{line[:_LONGEST_QUOTE]}…"
