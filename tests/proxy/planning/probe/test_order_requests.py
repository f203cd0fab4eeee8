"""Tests of the order of a probe's requests, and of the replies after which the probe stops."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from proxy.core.failures import Cause
from proxy.planning.probe.all_histories import BASELINES
from proxy.planning.probe.choose_cases import Case, Cases, Expected
from proxy.planning.probe.judge_reply import Finding, Reply, Verdict
from proxy.planning.probe.order_requests import order_requests
from tests.proxy.planning.probe.replies import ANSWERED, case_of, failure, refusal

PLAIN = BASELINES["text"].id
FIRST = case_of("user_after_result", Expected.ACCEPTED)
SECOND = case_of("trailing_model_turn", Expected.REFUSED)
THIRD = case_of("no_turn", Expected.EITHER)
WITH_TOOLS = case_of("result_order", Expected.ACCEPTED, "tools")


def run(
    replies: Callable[[str, int], Reply], *given: Case, tools: bool = False
) -> tuple[list[str], tuple[Finding, ...]]:
    """Return the ids of the histories that were sent, and the findings.

    *replies* maps an id and a request's number to the reply.
    """
    baselines = (BASELINES["text"], BASELINES["tools"]) if tools else (BASELINES["text"],)
    sequence = order_requests(Cases(given or (FIRST, SECOND, THIRD), baselines, ()))
    sent = [next(sequence).id]
    while True:
        try:
            sent.append(sequence.send(replies(sent[-1], len(sent))).id)
        except StopIteration as ended:
            return sent, ended.value


def verdicts(findings: tuple[Finding, ...]) -> list[Verdict]:
    """Return the verdicts alone."""
    return [finding.verdict for finding in findings]


def test_plain_history_goes_first_and_once_where_all_is_well() -> None:
    sent, findings = run(lambda at, _: refusal(400) if at == "trailing_model_turn" else ANSWERED)

    assert sent == [PLAIN, "user_after_result", "trailing_model_turn", "no_turn"]
    assert verdicts(findings) == [Verdict.AGREES, Verdict.AGREES, Verdict.PRECAUTION]


def test_a_refusal_that_the_profile_does_not_expect_is_checked_by_the_plain_history() -> None:
    sent, findings = run(lambda at, _: ANSWERED if at == PLAIN else refusal(400))

    assert sent[:3] == [PLAIN, "user_after_result", PLAIN]
    assert verdicts(findings) == [Verdict.DIFFERS, Verdict.AGREES, Verdict.AGREES]


def test_a_refusal_of_everything_is_no_difference() -> None:
    """If the provider refuses the plain history too, the probe stops, and no case counts as a difference."""
    sent, findings = run(lambda _, number: ANSWERED if number == 1 else refusal(400))

    assert sent == [PLAIN, "user_after_result", PLAIN]
    assert verdicts(findings) == [Verdict.NOT_ASKED] * 3


@pytest.mark.parametrize(
    "reply", [refusal(500), refusal(429), refusal(401), failure(Cause.UNREACHABLE), refusal(400)]
)
def test_a_provider_that_is_down_from_the_start_is_asked_once(reply: Reply) -> None:
    sent, findings = run(lambda *_: reply)

    assert sent == [PLAIN]
    assert verdicts(findings) == [Verdict.NOT_ASKED] * 3


@pytest.mark.parametrize("status", [401, 429])
def test_the_first_429_or_401_stops_the_probe(status: int) -> None:
    sent, findings = run(lambda at, _: ANSWERED if at == PLAIN else refusal(status))

    assert sent == [PLAIN, "user_after_result"]
    assert verdicts(findings) == [Verdict.NOT_ASKED] * 3
    assert str(status) in findings[-1].why


def test_a_failure_at_one_history_does_not_stop_the_probe() -> None:
    """After a failure the plain history is sent. If the provider answers it, the probe goes on."""
    sent, findings = run(lambda at, _: refusal(500) if at == "user_after_result" else ANSWERED)

    assert sent == [PLAIN, "user_after_result", PLAIN, "trailing_model_turn", "no_turn"]
    assert verdicts(findings) == [Verdict.NOT_ASKED, Verdict.DIFFERS, Verdict.PRECAUTION]


def test_a_provider_that_goes_down_stops_the_probe() -> None:
    sent, findings = run(lambda _, number: ANSWERED if number == 1 else failure(Cause.FIRST_BYTE_TIMEOUT))

    assert sent == [PLAIN, "user_after_result", PLAIN]
    assert verdicts(findings) == [Verdict.NOT_ASKED] * 3


def test_a_model_without_tools_is_asked_about_the_rest() -> None:
    plain = BASELINES["tools"].id
    sent, findings = run(
        lambda at, _: refusal(400) if at == plain else ANSWERED, FIRST, WITH_TOOLS, tools=True
    )

    assert sent == [PLAIN, plain, "user_after_result"]
    assert verdicts(findings) == [Verdict.AGREES, Verdict.NOT_ASKED]
    assert "with tools" in findings[1].why


def test_a_hidden_case_is_not_sent() -> None:
    hidden = case_of("remote_media", Expected.EITHER, hidden="the address would be fetched")
    sent, findings = run(lambda *_: ANSWERED, hidden)

    assert sent == [PLAIN]
    assert verdicts(findings) == [Verdict.HIDDEN]
