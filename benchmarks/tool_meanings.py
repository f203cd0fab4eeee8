"""Counts the real tools' schemas that keep their full meaning when cleaned, by source (``make bench-tools``).

The tools come from the packages that the tests use. A schema is *as it was* when nothing was changed, and *kept* when
the cleaned schema accepts exactly the same calls. *Sent* is the better of the two schemas that the direct transport can
send to Gemini: ``parameters`` or ``parametersJsonSchema``.
"""

from __future__ import annotations

from collections import Counter

from sanitizers.schemas import (
    ANTHROPIC,
    GEMINI,
    GEMINI_JSON,
    GEMINI_ON_LITELLM,
    OPENAI,
    Dialect,
    clean_schema,
)
from tests.clients.tool_sources.sources import SOURCES
from tests.clients.tool_sources.tool import Tool

DIALECTS = (GEMINI, GEMINI_ON_LITELLM, GEMINI_JSON, OPENAI, ANTHROPIC)


def kept(tools: list[Tool], *dialects: Dialect) -> list[Tool]:
    """Return the tools whose schema at least one of *dialects* expresses without a loss."""
    return [tool for tool in tools if any(not clean_schema(tool.schema, d).losses for d in dialects)]


def _cells(tools: list[Tool]) -> str:
    untouched = sum(not clean_schema(tool.schema, GEMINI).notes for tool in tools)
    shares = [len(kept(tools, dialect)) for dialect in DIALECTS]
    sent = len(kept(tools, GEMINI, GEMINI_JSON))
    cells = [f"{number / len(tools):.0%}" for number in (untouched, *shares, sent)]
    return f"{len(tools)} | " + " | ".join(cells)


def main() -> None:
    """Print the table, and the most frequent reasons for a loss of meaning."""
    names = [f"{dialect.name} kept" for dialect in DIALECTS]
    titles = ["source", "schemas", "gemini as it was", *names, "gemini sent kept"]
    print(f"| {' | '.join(titles)} |")
    print("|---" * len(titles) + "|")
    everything: dict[str, Tool] = {}
    for source in SOURCES:
        print(f"| {source.name} | {_cells(list(source.tools))} |")
        everything |= {tool.meaning: tool for tool in source.tools}
    print(f"| all, none twice | {_cells(list(everything.values()))} |")
    for dialect in (GEMINI, GEMINI_JSON):
        reasons = Counter(
            reason
            for tool in everything.values()
            for reason in {note.reason for note in clean_schema(tool.schema, dialect).notes if not note.kept}
        )
        listed = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common(8))
        print(f"\nSchemas that lose something in {dialect.name}, by reason: {listed}.")


if __name__ == "__main__":
    main()
