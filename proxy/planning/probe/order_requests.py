"""The order of a probe's requests: which history comes next, after each reply.

Plain histories go first. If even a plain history is not accepted, the cause is the provider and not a rule of the
profile. So a plain history is sent again after each failure and each unexpected refusal.
"""

from __future__ import annotations

from collections.abc import Generator

from proxy.planning.probe.choose_cases import Case, Cases
from proxy.planning.probe.history_values import Need, ProbeHistory
from proxy.planning.probe.judge_reply import Finding, Reaction, Reply, Verdict, judge_reply

RequestSequence = Generator[ProbeHistory, Reply, tuple[Finding, ...]]
"""A generator that yields the histories to send, gets each reply by ``send``, and returns the results of all cases."""

_STOP_WORDS = {
    Reaction.FAILED: "the provider does not answer",
    Reaction.NOT_SENT: "the transport cannot write the plain history",
    Reaction.REFUSED: "the provider refuses the plain history",
    Reaction.STOPPED: "the provider takes no more requests",
}


def order_requests(cases: Cases) -> RequestSequence:
    """Yield each history to send, until all cases are judged or the provider takes no more requests.

    No more histories are yielded after a reply that refuses the key, the rate, the quota or the model. The same holds
    after a plain history that is no longer accepted. All further cases then have the verdict NOT_ASKED.
    """
    lacking: dict[Need, str] = {}
    stopped = ""
    for history in cases.baselines:
        reply = yield history
        if reply.reaction is Reaction.ACCEPTED:
            continue
        why = describe_stop(reply)
        if history.needs == "text" or reply.reaction in (Reaction.FAILED, Reaction.STOPPED):
            stopped = why
            break
        lacking[history.needs] = f"{why} with {history.needs}"
    plain = {history.needs: history for history in cases.baselines}
    findings: list[Finding] = []
    for case in cases.cases:
        why = stopped or lacking.get(case.history.needs, "")
        if case.hidden:
            findings.append(Finding(case, Verdict.HIDDEN, Reaction.NOTHING, why=case.hidden))
        elif why:
            findings.append(Finding(case, Verdict.NOT_ASKED, Reaction.NOTHING, why=why))
        else:
            finding, stopped = yield from _ask(case, plain[case.history.needs])
            findings.append(finding)
    return tuple(findings)


def _ask(case: Case, plain: ProbeHistory) -> Generator[ProbeHistory, Reply, tuple[Finding, str]]:
    """Yield the history of *case*. Return the result, and the reason to stop the probe, which may be empty."""
    reply = yield case.history
    finding = judge_reply(case, reply)
    if reply.reaction is Reaction.STOPPED:
        return finding, describe_stop(reply)
    is_unexpected = finding.verdict is Verdict.DIFFERS and reply.reaction is Reaction.REFUSED
    if not is_unexpected and reply.reaction is not Reaction.FAILED:
        return finding, ""
    check = yield plain
    if check.reaction is Reaction.ACCEPTED:
        return finding, ""
    stopped = describe_stop(check)
    return Finding(
        case, Verdict.NOT_ASKED, reply.reaction, reply.status, shown=reply.shown, why=stopped
    ), stopped


def describe_stop(reply: Reply) -> str:
    """Return the reason why no more requests are sent after *reply*."""
    facts = [str(reply.kind)] if reply.status is None else [str(reply.status), str(reply.kind)]
    return f"{_STOP_WORDS[reply.reaction]} ({', '.join(facts)})"
