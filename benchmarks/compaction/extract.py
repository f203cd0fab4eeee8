"""Three summarizers without a model, such as one that copies the lines that hold planted facts (:class:`Extract`).

For equal transcripts, :class:`Extract` returns equal summaries. A summary of :class:`Extract` has headings, and is
filled with other lines up to a usual length.
"""

from __future__ import annotations

import re

from benchmarks.compaction.provider import Answer

LEAST, MOST = 1_200, 2_800
"""The characters of a summary, which are about 300 and 700 tokens.

Lines that do not fit into :data:`MOST` characters are left out.
"""

MOST_OF_ALL = 5_600
"""The most characters of a summary of summaries."""

_WORD = re.compile(r"[0-9A-Za-z]+")
_AROUND = 90
"""The characters that are copied on either side of a *core*, the word by which a planted fact is found."""

_META = "[record 1 of "
"""The text with which the data of a request for a summary of summaries begins."""

_HEADINGS = ("Goal", "Constraints", "Decisions and why", "Files", "Failed attempts")


class Extract:
    """Summarizes a text by the lines that hold any of *cores*, the words by which planted facts are found."""

    def __init__(self, cores: set[str]) -> None:
        self._cores = cores

    def __call__(self, text: str) -> Answer:
        """Return the summary of *text*, the data of the request."""
        most = MOST_OF_ALL if text.startswith(_META) else MOST
        kept: list[str] = []
        size = 0
        for line in self._lines(text):
            size += len(line) + 3
            if size > most:
                break
            kept.append(line)
        others = (line.strip() for line in text.splitlines() if 20 < len(line) < 120)
        while size < LEAST and (line := next(others, "")):
            kept.append(line)
            size += len(line) + 3
        return Answer(summary_of(kept))

    def _lines(self, text: str) -> list[str]:
        """Return the text around the first occurrence of each core, within the line of the core."""
        found: dict[str, None] = {}
        seen: set[str] = set()
        for line in text.splitlines():
            for word in _WORD.finditer(line):
                core = word[0]
                if core in self._cores and core not in seen:
                    seen.add(core)
                    found[line[max(0, word.start() - _AROUND) : word.end() + _AROUND].strip(" -")] = None
        return list(found)


class OwnWords:
    """A summarizer without a model. Each answer differs from all earlier answers."""

    def __init__(self) -> None:
        self._calls = 0

    def __call__(self, data: str) -> Answer:
        """Return a summary of *data* that names the call's number."""
        self._calls += 1
        return Answer(summary_of([f"answer {self._calls}", data[:80].replace("\n", " ")]))


class NoFacts:
    """A summarizer without a model that keeps nothing of what it reads. Its summaries have a usual length."""

    def __init__(self) -> None:
        self._calls = 0

    def __call__(self, data: str) -> Answer:
        """Return a summary of some 650 tokens."""
        del data
        self._calls += 1
        line = "the agent went on with its work and found nothing of note in this part of the session"
        return Answer(summary_of([f"{self._calls}: {line} ({number})" for number in range(24)]))


def summary_of(lines: list[str]) -> str:
    """Return a summary with *lines*, spread over the headings that the proxy expects."""
    each = -(-len(lines) // len(_HEADINGS))
    parts = ["## Language\nEnglish"]
    for place, heading in enumerate(_HEADINGS):
        parts += [f"## {heading}", *(f"- {line}" for line in lines[place * each : (place + 1) * each])]
    return "\n".join([*parts, "## Next step", "Go on."])
