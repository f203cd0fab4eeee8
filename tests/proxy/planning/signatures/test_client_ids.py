"""Tests that the call ids that clients get are legal for every provider, and unique."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.planning.signatures.client_ids import CallIds, ids_in, tag_in
from proxy.planning.signatures.origins import tag_of
from tests.support.builders import assistant, call, tool, user

LEGAL = re.compile(r"[A-Za-z0-9_-]{1,40}")
OURS = re.compile(r"call_[a-z2-7]{24}")
TAG = tag_of("here gemini-3")


def test_a_legal_id_stays() -> None:
    """An id that every provider accepts is kept, since Mistral requires its nine-character ids back."""
    assert CallIds("s").id_for("aB3dE6gH9", 0, 0) == "aB3dE6gH9"


@pytest.mark.parametrize(
    "given_id",
    [None, "", "x" * 41, "functions.f:0", "é", "a b", "c1__thought__QUJD=="],
)
def test_an_illegal_id_is_replaced(given_id: str | None) -> None:
    """An id that some provider would refuse is replaced.

    OpenAI takes at most 40 characters, and Anthropic only certain ones.
    """
    assert OURS.fullmatch(CallIds("s").id_for(given_id, 0, 0))


def test_an_id_of_the_history_is_replaced() -> None:
    """Clients that look up results by id would find the result of the earlier call."""
    history = [user("x"), assistant(None, [call("call_0")]), tool("call_0")]
    ids = CallIds("s", taken=lambda: ids_in(history))

    assert ids.id_for("call_0", 0, 0) != "call_0"
    assert ids.id_for("call_1", 0, 1) == "call_1"


def test_an_id_is_given_once_in_an_answer() -> None:
    """Parallel calls get different ids, also across two choices."""
    ids = CallIds("s")
    shown = [ids.id_for("same", choice, place) for choice in range(2) for place in range(3)]

    assert len(set(shown)) == 6


def test_calls_of_models_that_sign_get_the_proxy_s_ids() -> None:
    """The proxy's id contains a tag of the call's origin."""
    shown = CallIds("s", tag=TAG).id_for("abc123", 0, 0)

    assert OURS.fullmatch(shown)
    assert tag_in(shown) == TAG


def test_ids_of_another_turnright_stay() -> None:
    """An id made by another turnright stays, since that proxy stores the signature under this id."""
    inner = CallIds("s", tag=tag_of("there gemini-3")).id_for(None, 0, 0)

    assert CallIds("t", tag=TAG).id_for(inner, 0, 0) == inner


def test_other_ids_have_no_tag() -> None:
    """A tag is read only from an id in the proxy's exact form."""
    assert tag_in("call_abcdefghijklmnopqrstuvwx") == "abcde"
    for other in ("call_Abcdefghijklmnopqrstuvwx", "call_abc", "toolu_abcdefghijklmnopqrstuvwx"):
        assert tag_in(other) is None


@given(st.text(max_size=20), st.text(max_size=20), st.integers(0, 7), st.integers(0, 100))
def test_answers_share_no_ids(seed: str, other: str, choice: int, place: int) -> None:
    """The same seed gives the same id, and another seed gives another id."""
    shown = CallIds(seed, tag=TAG).id_for(None, choice, place)

    assert LEGAL.fullmatch(shown)
    assert shown == CallIds(seed, tag=TAG).id_for(None, choice, place)
    assert (shown == CallIds(other, tag=TAG).id_for(None, choice, place)) == (seed == other)
