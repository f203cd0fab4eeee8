"""A body that a provider has refused as invalid twice is not sent a third time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.state import refused_requests as module
from proxy.state.refused_requests import Digest, Refusal, RefusedRequests

HERE, THERE = (0, "gemini/a"), (1, "gemini/a")
WORDS = Refusal(400, "Please ensure that the function call turn comes immediately after a user turn.")


def body(text: str) -> Digest:
    """Return a function that digests a body. A short text is its own digest."""
    return text.encode


def never() -> bytes:
    """Fail, since the body must not be digested."""
    raise AssertionError("digested")


@pytest.fixture
def guard() -> RefusedRequests:
    """Return the store after two refusals of the body *bad*, at 0 and at 10 seconds."""
    guard = RefusedRequests()
    guard.refused(HERE, body("bad"), Refusal(400, "other words"), 0.0)
    assert guard.find_refusal(HERE, body("bad"), 0.0) is None
    guard.refused(HERE, body("bad"), WORDS, 10.0)
    return guard


def test_two_refusals_are_answered_for_a_minute(guard: RefusedRequests) -> None:
    """For a minute, the answer is the provider's last refusal.

    Then one request is sent, and a new refusal begins another minute.
    """
    assert guard.find_refusal(HERE, body("bad"), 10.0) == WORDS
    assert guard.find_refusal(HERE, body("bad"), 69.9) == WORDS
    assert guard.find_refusal(HERE, body("bad"), 70.0) is None
    guard.refused(HERE, body("bad"), WORDS, 71.0)
    assert guard.find_refusal(HERE, body("bad"), 130.0) == WORDS


def test_refusal_is_for_one_body_and_one_deployment(guard: RefusedRequests) -> None:
    """A body with one more byte is another request, and another deployment has other rules."""
    assert guard.find_refusal(HERE, body("bad "), 10.0) is None
    assert guard.find_refusal(THERE, never, 10.0) is None
    guard.refused(THERE, body("bad"), WORDS, 10.0)
    assert guard.find_refusal(THERE, body("bad"), 10.0) is None


def test_a_body_is_digested_only_after_a_refusal(guard: RefusedRequests) -> None:
    """No digest is computed for a deployment without stored refusals, or after they have expired."""
    assert RefusedRequests().find_refusal(HERE, never, 0.0) is None
    guard.answered(THERE, never, 10.0)
    assert guard.has_refusals(HERE, 609.9)
    assert not guard.has_refusals(HERE, 610.0)
    assert guard.find_refusal(HERE, never, 610.0) is None


def test_an_answer_ends_the_refusal(guard: RefusedRequests) -> None:
    """A body that is answered did not cause its earlier refusals, so they are dropped."""
    guard.answered(HERE, body("fine"), 11.0)
    assert guard.find_refusal(HERE, body("bad"), 11.0) == WORDS
    guard.answered(HERE, body("bad"), 11.0)
    assert not guard.has_refusals(HERE, 11.0)
    guard.refused(HERE, body("bad"), WORDS, 12.0)
    assert guard.find_refusal(HERE, body("bad"), 12.0) is None


@given(
    st.lists(
        st.tuples(
            st.sampled_from([HERE, THERE]),
            st.sampled_from("abcdef"),
            st.sampled_from(["refused", "refused", "answered", "found"]),
            st.sampled_from([0.0, 1.0, 61.0, 601.0]),
        ),
        max_size=60,
    )
)
def test_refusals_are_bounded_and_exact(steps: list[tuple[tuple[int, str], str, str, float]]) -> None:
    """A body is refused only if the full history has two refusals, the last within a minute.

    With room for four bodies, a bad body may be sent after its refusals were dropped.
    """
    now = 0.0
    story: dict[tuple[tuple[int, str], str], list[float]] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MAX_BODIES", 4)
        guard = RefusedRequests()
        for key, text, what, passed in steps:
            now += passed
            times = story.setdefault((key, text), [])
            if what == "refused":
                guard.refused(key, body(text), WORDS, now)
                times.append(now)
            elif what == "answered":
                guard.answered(key, body(text), now)
                times.clear()
            elif guard.find_refusal(key, body(text), now) is not None:
                assert len(times) >= 2
                assert now < times[-1] + 60.0
            assert len(guard._entries) == sum(guard._bodies.values()) <= 4


def test_oldest_refusal_is_dropped_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many refused bodies evict the oldest body. A deployment without stored bodies needs no digest."""
    monkeypatch.setattr(module, "MAX_BODIES", 3)
    guard = RefusedRequests()
    for now, text in enumerate(["a", "b", "a", "c"]):
        guard.refused(HERE, body(text), WORDS, now)
    guard.refused(THERE, body("d"), WORDS, 4.0)
    assert guard.find_refusal(HERE, body("a"), 4.0) == WORDS
    guard.refused(HERE, body("b"), WORDS, 5.0)
    assert guard.find_refusal(HERE, body("b"), 5.0) is None, "its first refusal is forgotten"
    for text in "xyz":
        guard.refused(THERE, body(text), WORDS, 6.0)
    assert not guard.has_refusals(HERE, 6.0)


def test_same_body_of_another_tenant_is_sent(guard: RefusedRequests) -> None:
    """The same body of another tenant is sent, not digested.

    An answer to the other tenant changes nothing for the first tenant.
    """
    assert guard.find_refusal(HERE, never, 10.0, "b") is None
    guard.answered(HERE, never, 10.0, "b")
    assert guard.find_refusal(HERE, body("bad"), 10.0) == WORDS


def test_many_refusals_of_one_tenant_push_out_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tenants' refusals stay stored, however many bodies of one tenant are refused."""
    monkeypatch.setattr(module, "MAX_BODIES", 6)
    guard = RefusedRequests()
    for _ in range(2):
        guard.refused(HERE, body("bad"), WORDS, 0.0, "b")
    for number in range(50):
        guard.refused(HERE, body(str(number)), WORDS, 1.0, "a")

    assert guard.find_refusal(HERE, body("bad"), 2.0, "b") == WORDS
    assert len(guard._entries) == sum(guard._bodies.values()) == 6
