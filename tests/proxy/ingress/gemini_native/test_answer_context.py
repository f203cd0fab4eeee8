"""Tests of the facts of a request that its answer needs."""

from __future__ import annotations

from proxy.ingress.gemini_native.answer_context import AnswerContext
from sanitizers.native.gemini.envelope import SealedThoughts, unpack_thoughts

CALL = f"call_{'abcde'}{'f' * 19}"
BLOCKS = [{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}]


def test_thoughts_come_back_to_the_same_key_alone() -> None:
    """The id of the call has the tag of the model that had the thoughts."""
    sealed = AnswerContext("m", "seed", tenant="one").seal_thoughts(BLOCKS, CALL)

    assert sealed is not None
    assert unpack_thoughts(sealed, "one") == SealedThoughts("abcde", CALL, BLOCKS)
    assert unpack_thoughts(sealed, "two") is None


def test_thoughts_that_are_too_long_are_not_sealed() -> None:
    long = [{**BLOCKS[0], "thinking": "x" * 2**20}]

    assert AnswerContext("m", "seed").seal_thoughts(long, CALL) is None


def test_legacy_calls_have_ids_of_their_own() -> None:
    one, other = AnswerContext("m", "seed"), AnswerContext("m", "other")

    assert one.legacy_call_id(0) == AnswerContext("x", "seed").legacy_call_id(0)
    assert len({one.legacy_call_id(0), one.legacy_call_id(1), other.legacy_call_id(0)}) == 3
