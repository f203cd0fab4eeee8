"""The results of a probe as JSON-ready values, and the report of the differences.

The report is made to be shown to others. Of the provider's words it holds only a phrase that a row of the repair table
lists.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from proxy.planning.probe.judge_reply import Finding, Verdict
from proxy.planning.probe.known_refusals import UpstreamName


@dataclass(frozen=True, slots=True)
class Probe:
    """The results of a finished probe. *model* is the deployment's model in litellm's spelling, without secrets.

    *untested* names the rules that no history breaks alone under the profile.
    """

    model: str
    upstream: UpstreamName
    profile: str
    findings: tuple[Finding, ...]
    untested: tuple[str, ...]

    @property
    def verdict(self) -> Verdict:
        """The result of the whole probe. A difference counts more than a history that could not be asked about."""
        counts = self.counts
        for verdict in (Verdict.DIFFERS, Verdict.NOT_ASKED):
            if counts[verdict]:
                return verdict
        return Verdict.AGREES

    @property
    def counts(self) -> Counter[Verdict]:
        """The number of results by verdict."""
        return Counter(finding.verdict for finding in self.findings)


def describe_probe(probe: Probe) -> dict[str, Any]:
    """Return *probe* as JSON-ready values."""
    return {
        "object": "turnright.probe",
        **_head(probe),
        "verdict": probe.verdict.value,
        "counts": {verdict.value: probe.counts[verdict] for verdict in Verdict},
        "findings": [_finding(finding) for finding in probe.findings],
        "untested": list(probe.untested),
    }


def describe_differences(probe: Probe) -> dict[str, Any]:
    """Return the report of *probe*: only the differences, each with the known phrase in the provider's words."""
    differences = [finding for finding in probe.findings if finding.verdict is Verdict.DIFFERS]
    return {
        "object": "turnright.probe_report",
        **_head(probe),
        "differences": _without(("verdict", "shown", "why"), [_finding(one) for one in differences]),
    }


def _head(probe: Probe) -> dict[str, Any]:
    return {"model": probe.model, "upstream": probe.upstream, "profile": probe.profile}


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.case.history.rule,
        "history": finding.case.history.id,
        "expected": finding.case.expected.value,
        "said": finding.reaction.value,
        "verdict": finding.verdict.value,
        "status": finding.status,
        "row": finding.row or None,
        "words": finding.words or None,
        "shown": finding.shown or None,
        "why": finding.why or None,
    }


def _without(names: Sequence[str], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name not in names} for row in rows]
