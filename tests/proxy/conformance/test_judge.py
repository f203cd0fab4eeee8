"""Tests of the verdict on a case: whether a request was accepted with everything that must arrive."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.conformance.judge import Arrival, Outcome, Reply, Verdict, judge_case
from tests.proxy.conformance.builders import accepted, case_of, contents, response

OK = Reply(200)
REFUSED = Arrival(contents({"text": "a"}), 400, "Please ensure that …")


def verdict_of(arrivals: list[Arrival], reply: Reply = OK, **must: Any) -> tuple[Verdict, str]:
    """Return the verdict and its detail."""
    outcome = judge_case(case_of(**must), reply, arrivals)
    return outcome.verdict, outcome.detail


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Reply(None, "no answer in time"), (Verdict.NO_ANSWER, "no answer in time")),
        (Reply(400, "no"), (Verdict.GATEWAY_REFUSED, "no")),
        (Reply(500, "broken"), (Verdict.GATEWAY_REFUSED, "broken")),
        (Reply(200), (Verdict.NOT_SENT, "")),
    ],
)
def test_nothing_arrived(reply: Reply, expected: tuple[Verdict, str]) -> None:
    """If no request arrived, the gateway's reply decides: no answer, an error, or an answer without a request."""
    assert verdict_of([], reply) == expected


def test_refused_by_the_provider_with_its_words() -> None:
    assert verdict_of([REFUSED], Reply(400)) == (Verdict.PROVIDER_REFUSED, "Please ensure that …")


def test_request_that_is_still_judged_is_not_accepted() -> None:
    assert verdict_of([Arrival(contents({"text": "a"}), None)])[0] is Verdict.PROVIDER_REFUSED


def test_gateway_that_repairs_after_a_refusal_holds() -> None:
    """The last accepted request of a case counts, whether a refused request came before or after it."""
    whole = accepted({"text": "a"})

    assert verdict_of([REFUSED, whole], texts=("a",))[0] is Verdict.HOLDS
    assert verdict_of([whole, REFUSED], texts=("a",))[0] is Verdict.HOLDS
    assert verdict_of([whole, accepted({"text": "b"})], texts=("a",))[0] is Verdict.LOST


def test_accepted_request_holds_although_the_gateways_answer_failed() -> None:
    """A case holds if its accepted request is whole, even if the gateway answered the client with an error."""
    assert verdict_of([accepted({"text": "a"})], Reply(500, "x"), texts=("a",)) == (Verdict.HOLDS, "")


@pytest.mark.parametrize(
    "parts",
    [
        [{"text": "one"}, {"text": "two"}],
        [{"text": "one\n\ntwo"}],
        [{"text": "zero\none  two three"}],
        [{"text": "two"}, {"text": "one [conform one r1]"}],
    ],
    ids=str,
)
def test_texts_may_be_joined_and_their_whitespace_changed(parts: list[dict[str, Any]]) -> None:
    assert verdict_of([accepted(*parts)], texts=("one", "two"))[0] is Verdict.HOLDS


def test_each_arrived_text_counts_once() -> None:
    """Two equal texts must arrive twice, and a short text is not found in a long one that has been used."""
    once = [accepted({"text": "go on"})]

    assert verdict_of(once, texts=("go on", "go on")) == (Verdict.LOST, 'the text "go on"')
    assert verdict_of(once, texts=("go", "go on")) == (Verdict.LOST, 'the text "go"')
    assert (
        verdict_of([accepted({"text": "go on"}, {"text": "go"})], texts=("go", "go on"))[0] is Verdict.HOLDS
    )


@pytest.mark.parametrize(
    "value",
    [
        {"content": "4 degrees"},
        {"output": "4  degrees"},
        {"result": {"text": "4 degrees"}},
        {"parts": ["4 degrees", "rain"]},
    ],
    ids=str,
)
def test_result_is_found_wherever_the_response_has_it(value: Any) -> None:
    assert verdict_of([accepted(response(value))], results=("4 degrees",))[0] is Verdict.HOLDS


def test_result_in_a_nested_part_is_found() -> None:
    arrived = accepted(response({}, {"text": "4 degrees"}))

    assert verdict_of([arrived], results=("4 degrees",))[0] is Verdict.HOLDS


@pytest.mark.parametrize("value", [{"degrees": 4}, {"content": {"degrees": 4}}, {"content": '{"degrees":4}'}])
def test_result_that_is_an_object_may_arrive_as_object_or_text(value: Any) -> None:
    verdict, _ = verdict_of([accepted(response(value))], results=('{"degrees":4}',))

    assert verdict is Verdict.HOLDS


def test_result_as_a_users_text_is_lost() -> None:
    """A tool result that arrives as a text, and not as a function response, counts as lost."""
    arrived = accepted({"text": "4 degrees"})

    assert verdict_of([arrived], results=("4 degrees",)) == (Verdict.LOST, 'the result "4 degrees"')


def test_text_in_a_response_is_lost() -> None:
    arrived = accepted(response({"content": "Hello."}))

    assert verdict_of([arrived], texts=("Hello.",)) == (Verdict.LOST, 'the text "Hello."')


def test_equal_results_must_arrive_in_responses_of_their_own() -> None:
    one, other = response({"content": "ok"}), response({"content": {"a": 1}})

    assert verdict_of([accepted(one)], results=("ok", "ok"))[0] is Verdict.LOST
    assert verdict_of([accepted(one, one)], results=("ok", "ok"))[0] is Verdict.HOLDS
    assert verdict_of([accepted(other)], results=('{"a": 1}', '{"a": 1}'))[0] is Verdict.LOST


def test_missing_media_are_counted() -> None:
    arrived = accepted({"inlineData": {"data": "AAAA"}})

    assert verdict_of([arrived], media=1)[0] is Verdict.HOLDS
    assert verdict_of([arrived], media=3) == (Verdict.LOST, "2 of 3 media")


def test_long_text_is_shortened_in_the_detail() -> None:
    _, detail = verdict_of([accepted()], texts=("word " * 40,))

    assert len(detail) < 80


def test_outcome_names_its_case_and_counts_arrivals() -> None:
    outcome = judge_case(case_of(), Reply(502, "x"), [REFUSED, REFUSED])

    assert outcome == Outcome(
        "one",
        "missing_result",
        "gemini/gemini-3.6-flash",
        "a report",
        Verdict.PROVIDER_REFUSED,
        "Please ensure that …",
        502,
        2,
    )
    assert outcome.as_dict()["verdict"] == "provider_refused"
