"""Takes excerpts of the newest error and the newest test result out of the replaced messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from proxy.planning.compact.failed_commands import command_of, find_failure
from proxy.planning.compact.message_texts import Answered, answered_calls, cut_at_word
from sanitizers.budget.cap_text import SMALLEST, Cap, cap_content
from sanitizers.messages import Messages

LENGTHS = (2_000, 1_000, SMALLEST)
"""The lengths in characters that an excerpt may have. The longest one that fits is taken."""

OF_EXCERPT = "head and tail kept."
"""The text after the numbers in the marker of a shortened excerpt."""

_LOOKED_AT = 2_000
_FIRST = 200
"""The characters of a tool's result in which an error is looked for, unless the tool ran a command.

A file that a tool has read may mention errors further on.
"""

_TEST_RESULT = re.compile(
    r"(?m)\b\d{1,7} (?:tests? )?(?:passed|failed|passing|failing)\b|^test result: |^Tests: {1,8}\d|^Ran \d{1,7} tests? "
    r"|^(?:ok|FAIL|PASS):? {0,4}\t? {0,4}\S|^(?:OK|FAILED) \(|\bBUILD (?:SUCCESS|FAIL)"
    r"|\b\d{1,7} examples?, \d{1,7} failures?"
)


class Excerpt(NamedTuple):
    """One excerpt: its heading, and the whole text of the tool's result that it is taken from."""

    heading: str
    text: str

    def shortened(self, length: int) -> str:
        """Return the excerpt with at most *length* characters of the text, its head and its tail, as a quotation.

        A tool's result may hold anybody's words. Without the ``>`` before each line, a line of the result could pose as
        a heading of the memory, or as words of the user.
        """
        text = str(cap_content(self.text, Cap(length), is_error=True, advice=OF_EXCERPT))
        return "\n".join([f"{self.heading}:", *(f"> {line}" for line in text.splitlines())])


def find_excerpts(messages: Messages) -> list[Excerpt]:
    """Return the newest error and the newest test result, in this order.

    A result that is both is returned once, as the error.
    """
    error = test = None
    for answered in reversed(list(answered_calls(messages))):
        is_run = answered.call is None or command_of(answered.call.name, answered.call.arguments) != ""
        if error is None and find_failure(answered.text if is_run else answered.text[:_FIRST]) is not None:
            error = answered
        if test is None and is_run and _is_test_result(answered.text):
            test = answered
        if error and test:
            break
    return list(_named(error, test))


def _named(error: Answered | None, test: Answered | None) -> Iterator[Excerpt]:
    if error is not None:
        yield Excerpt(f"The last error{_source(error)}", error.text.strip())
    if test is not None and test is not error:
        yield Excerpt(f"The last test result{_source(test)}", test.text.strip())


def _source(answered: Answered) -> str:
    """Return the words that name the command or the tool of a result."""
    if answered.call is None:
        return ""
    command = command_of(answered.call.name, answered.call.arguments) or answered.call.name
    command = " ".join(command[:300].split())
    return f", of `{cut_at_word(command, 120)}`" if command else ""


def _is_test_result(text: str) -> bool:
    seen = text if len(text) <= 2 * _LOOKED_AT else f"{text[:_LOOKED_AT]}\n{text[-_LOOKED_AT:]}"
    return _TEST_RESULT.search(seen) is not None
