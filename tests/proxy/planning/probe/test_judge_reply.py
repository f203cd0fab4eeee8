"""Tests of the judgement of one reply."""

from __future__ import annotations

import pytest

from proxy.core.failures import Cause
from proxy.planning.probe.choose_cases import Expected
from proxy.planning.probe.judge_reply import Reaction, Reply, Verdict, find_words, judge_reply
from proxy.resilience.failure_table import Kind
from tests.proxy.planning.probe.replies import ANSWERED, case_of, failure, refusal

PREFILL = "Requests ending with a model turn are not supported."


@pytest.mark.parametrize(
    ("expected", "reply", "verdict"),
    [
        (Expected.ACCEPTED, ANSWERED, Verdict.AGREES),
        (Expected.ACCEPTED, refusal(400), Verdict.DIFFERS),
        (Expected.ACCEPTED, refusal(422, PREFILL), Verdict.DIFFERS),
        (Expected.EITHER, ANSWERED, Verdict.PRECAUTION),
        (Expected.EITHER, refusal(400), Verdict.AGREES),
        (Expected.REFUSED, ANSWERED, Verdict.DIFFERS),
        (Expected.REFUSED, refusal(400), Verdict.AGREES),
        (Expected.REFUSED, refusal(400, PREFILL), Verdict.AGREES),
    ],
)
def test_a_reply_is_compared_with_the_profile(expected: Expected, reply: Reply, verdict: Verdict) -> None:
    assert judge_reply(case_of("trailing_model_turn", expected), reply).verdict is verdict


@pytest.mark.parametrize("expected", Expected)
@pytest.mark.parametrize(
    "reply",
    [
        refusal(500),
        refusal(503),
        refusal(529),
        refusal(401),
        refusal(402),
        refusal(403),
        refusal(408),
        refusal(429),
        refusal(413),
        failure(Cause.UNREACHABLE),
        failure(Cause.CONNECTION_LOST),
        failure(Cause.FIRST_BYTE_TIMEOUT),
        failure(Cause.NOT_AN_ANSWER),
    ],
    ids=lambda reply: str(reply.kind),
)
def test_a_failure_of_the_provider_is_never_a_difference(expected: Expected, reply: Reply) -> None:
    finding = judge_reply(case_of("trailing_model_turn", expected), reply)

    assert finding.verdict is Verdict.NOT_ASKED
    assert finding.why


def test_words_of_another_fault_tell_nothing_of_the_rule() -> None:
    """A refusal whose words report another fault than the history's gives the verdict NOT_ASKED."""
    finding = judge_reply(
        case_of("trailing_model_turn", Expected.REFUSED), refusal(400, "Unsupported MIME type: image/jpg")
    )

    assert (finding.verdict, finding.row) == (Verdict.NOT_ASKED, "media")


def test_a_template_that_refuses_with_status_500_agrees() -> None:
    """Status 500 with a template's words agrees with a profile that forbids the history.

    If the profile allows it, the reply tells nothing.
    """
    words = "After the optional system message, conversation roles must alternate user and assistant roles."
    forbidden = judge_reply(case_of("same_role_neighbours", Expected.EITHER), refusal(500, words))
    allowed = judge_reply(case_of("same_role_neighbours", Expected.ACCEPTED), refusal(500, words))

    assert forbidden.verdict is Verdict.AGREES
    assert allowed.verdict is Verdict.NOT_ASKED


def test_a_history_that_the_transport_cannot_write_is_hidden_unless_the_profile_allows_it() -> None:
    reply = failure(Cause.CONVERSION)

    assert judge_reply(case_of("custom_call", Expected.EITHER), reply).verdict is Verdict.HIDDEN
    assert judge_reply(case_of("custom_call", Expected.ACCEPTED), reply).verdict is Verdict.DIFFERS


@pytest.mark.parametrize("kind", [Kind.EMPTY, Kind.TRUNCATED, Kind.THINKING_ONLY, Kind.MALFORMED_CALL])
def test_a_bad_answer_is_an_acceptance_of_the_history(kind: Kind) -> None:
    assert Reply(kind).reaction is Reaction.ACCEPTED


def test_only_the_words_of_the_row_are_kept() -> None:
    """Only the repair table's phrase is kept of a refusal, since the provider's sentence may quote a user's text."""
    error = refusal(400, f"Secret words. {PREFILL} More secret words.").error

    assert find_words(error) == ("tail", "ending with a model turn")


def test_a_refusal_without_a_known_row_has_no_words() -> None:
    finding = judge_reply(case_of("unknown_field", Expected.ACCEPTED), refusal(400, "Go away."))

    assert (finding.row, finding.words, finding.shown) == ("", "", "Go away.")


def test_an_unknown_model_stops_the_probe_and_a_404_for_one_request_does_not() -> None:
    assert refusal(404, "The model `gpt-9` does not exist").reaction is Reaction.STOPPED
    assert refusal(404, "No endpoints found that support image input").reaction is Reaction.REFUSED
