"""The outcomes of ``turnright conform`` as lines for a terminal: a row for each case that fails, and the figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from proxy.cli.render_lines import Part, render_lines
from proxy.cli.show_messages import printable
from proxy.conformance.judge import Outcome, Verdict

_WORDS = {
    Verdict.HOLDS: "hold",
    Verdict.LOST: "lost a part",
    Verdict.PROVIDER_REFUSED: "refused by the provider",
    Verdict.GATEWAY_REFUSED: "refused by the gateway",
    Verdict.NOT_SENT: "answered, and not sent",
    Verdict.NO_ANSWER: "not answered",
}
_MAX_DETAIL = 90
"""The most characters of a detail that the table shows. The JSON output has the whole detail."""


def show_conformance(outcomes: Sequence[Outcome], *, colours: bool = False) -> str:
    """Return the *outcomes* as lines."""
    return "\n".join(render_lines(_parts(outcomes), colours=colours))


def count_verdicts(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """Return the number of outcomes for each verdict, with 0 for a verdict that no outcome has."""
    counted = Counter(outcome.verdict for outcome in outcomes)
    return {verdict.value: counted[verdict] for verdict in Verdict}


def _parts(outcomes: Sequence[Outcome]) -> Iterator[Part]:
    failing = [outcome for outcome in outcomes if outcome.verdict is not Verdict.HOLDS]
    if failing:
        yield _table(failing)
        yield ""
    for verdict, number in count_verdicts(outcomes).items():
        if number and verdict != Verdict.HOLDS:
            yield f"{number:>4}  {_WORDS[Verdict(verdict)]}"
    held = len(outcomes) - len(failing)
    yield Text(f"{held} of {len(outcomes)} histories hold.", "bold red" if failing else "bold green")


def _table(failing: Sequence[Outcome]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for title in ("history", "rule", "outcome", "why"):
        table.add_column(title)
    for outcome in failing:
        detail = printable(" ".join(outcome.detail.split()))
        table.add_row(
            outcome.id,
            outcome.rule or "-",
            Text(_WORDS[outcome.verdict], "yellow" if outcome.verdict is Verdict.LOST else "red"),
            detail if len(detail) <= _MAX_DETAIL else f"{detail[: _MAX_DETAIL - 1]}…",
        )
    return table
