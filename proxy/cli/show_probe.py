"""The results of ``turnright probe`` as a table, and the text that tells its size before it starts."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from proxy.cli.render_lines import Part, render_lines
from proxy.cli.show_messages import printable
from proxy.planning.probe.choose_cases import Expected
from proxy.planning.probe.count_tokens import Size
from proxy.planning.probe.describe import Probe
from proxy.planning.probe.judge_reply import Finding, Reaction, Verdict

_COLOURS = {
    Verdict.AGREES: "green",
    Verdict.PRECAUTION: "cyan",
    Verdict.DIFFERS: "bold red",
    Verdict.HIDDEN: "dim",
    Verdict.NOT_ASKED: "yellow",
}
_VERDICTS = {
    Verdict.AGREES: "agrees",
    Verdict.PRECAUTION: "careful",
    Verdict.DIFFERS: "DIFFERS",
    Verdict.HIDDEN: "not sent",
    Verdict.NOT_ASKED: "not asked",
}
_EXPECTED = {
    Expected.ACCEPTED: "allowed",
    Expected.EITHER: "forbidden to be safe",
    Expected.REFUSED: "forbidden, refused",
}
_SUMMARY = (
    (Verdict.AGREES, "agree"),
    (Verdict.DIFFERS, "differ"),
    (Verdict.PRECAUTION, "accepted although forbidden to be safe"),
    (Verdict.HIDDEN, "not sent"),
    (Verdict.NOT_ASKED, "not asked"),
)
_LONGEST_WORDS = 90
"""The most characters of a provider's error message in the table."""


def show_size(size: Size, model: str, pause_s: float) -> str:
    """Return the number of requests and tokens of a probe of *model* as sentences, to show before the probe starts."""
    return (
        f"{size.requests} requests to {printable(model)}, at most {size.most_requests}, {pause_s:g} s apart. About "
        f"{size.prompt_tokens:,} tokens of prompts, at most {size.most_prompt_tokens:,}. Answers of at most "
        f"{size.most_answer_tokens:,} tokens in all, and usually far fewer."
    )


def show_probe(probe: Probe, *, colours: bool) -> Iterator[str]:
    """Yield the lines of the table, the counts by verdict, and the rules that no history tests."""
    return render_lines(_parts(probe), colours=colours)


def _parts(probe: Probe) -> Iterator[Part]:
    yield f"{printable(probe.model)} ({probe.upstream}), profile {probe.profile}"
    yield ""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for title in ("history", "the profile", "the provider", "result", ""):
        table.add_column(title)
    for finding in probe.findings:
        colour = _COLOURS[finding.verdict]
        table.add_row(
            finding.case.history.id,
            _EXPECTED[finding.case.expected],
            _said(finding),
            Text(_VERDICTS[finding.verdict], colour),
            Text(_remark(finding), "dim"),
        )
    yield table
    yield ""
    counts = probe.counts
    yield f"{', '.join(f'{counts[verdict]} {word}' for verdict, word in _SUMMARY if counts[verdict])}."
    if probe.untested:
        yield f"No history breaks these rules alone under this profile: {', '.join(probe.untested)}."


def _said(finding: Finding) -> str:
    status = f" {finding.status}" if finding.status is not None else ""
    row = f" ({finding.row})" if finding.row else ""
    match finding.reaction:
        case Reaction.REFUSED | Reaction.FAILED | Reaction.STOPPED:
            return f"{finding.reaction}{status}{row}"
        case Reaction.ACCEPTED:
            return "accepted"
        case _:
            return "-"


def _remark(finding: Finding) -> str:
    """Return the reason of a result.

    The provider's words follow if the result differs or the provider could not be asked.
    """
    parts = [finding.why] if finding.why else []
    if finding.shown and finding.verdict in (Verdict.DIFFERS, Verdict.NOT_ASKED):
        words = " ".join(printable(finding.shown.replace("\n", " ")).split())
        parts.append(words if len(words) <= _LONGEST_WORDS else f"{words[:_LONGEST_WORDS]}…")
    return "; ".join(parts)
