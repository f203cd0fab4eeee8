"""One comparison of the demo as lines for a terminal: both answers, and a sentence for each change."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from rich.text import Text

from proxy.cli.change_sentences import change_sentences
from proxy.cli.comparison.run import Comparison
from proxy.cli.render_lines import Part, render_lines
from proxy.cli.show_messages import printable

WIDTH = 110
"""The most columns of a line. A line with an address may be longer."""

_HEAD, _LABEL = 9, 13
"""Columns before the description, and before the values."""

_MAX_LINES = 2
"""The most lines of an answer that are shown."""

_OK, _REFUSED = 200, 400
_STATUS_STYLES = {_OK: "green", _REFUSED: "red"}


def show_comparison(comparison: Comparison, *, colours: bool = False, width: int = WIDTH) -> str:
    """Return *comparison* as lines below a rule of *width* columns, with a mark for the expected outcome."""
    return "\n".join(render_lines(_parts(comparison, width), colours=colours))


def _parts(comparison: Comparison, width: int) -> Iterator[Part]:
    yield Text("─" * width, "dim")
    mark = ("ok ", "bold green") if comparison.is_as_expected else ("NOT", "bold red")
    head = textwrap.wrap(f"{comparison.model}: {comparison.description}", max(width - _HEAD, 20))
    yield Text.assemble(mark, " ", (f"{comparison.name:<5}", "bold"), f"\n{'':{_HEAD}}".join(head))
    yield Text(f"{'':{_LABEL}}{comparison.source}", "dim")
    yield _answer("straight", comparison.straight_status, comparison.straight_text, width)
    yield _answer("turnright", comparison.proxied_status, comparison.proxied_text, width)
    label = "changes"
    for sentence in change_sentences(comparison.change_list) if comparison.changes else ("none",):
        yield Text.assemble(f"  {label:<{_LABEL - 2}}", (sentence, "yellow"))
        label = ""


def _answer(label: str, status: int, text: str, width: int) -> Text:
    lines = textwrap.wrap(printable(" ".join(text.split())), max(width - _LABEL - 4, 20)) or [""]
    shown = lines[:_MAX_LINES] + ["…"] * (len(lines) > _MAX_LINES)
    words = f"\n{'':{_LABEL + 4}}".join(shown)
    return Text.assemble(
        f"  {label:<{_LABEL - 2}}", (f"{status} ", _STATUS_STYLES.get(status, "bold red")), words
    )
