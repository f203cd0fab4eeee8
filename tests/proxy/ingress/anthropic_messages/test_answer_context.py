"""Tests of the facts that an answer needs."""

from __future__ import annotations

from proxy.ingress.anthropic_messages.answer_context import AnswerContext
from sanitizers.native.messages.envelope import SignedCall, unpack_signature

CALL = "call_aaaaabbbbbcccccddddd2222"


def test_id_follows_from_the_seed() -> None:
    first, again, other = (AnswerContext("m", seed).message_id for seed in ("a", "a", "b"))

    assert first == again != other
    assert first.startswith("msg_")


def test_sealed_call_opens_for_its_tenant_alone() -> None:
    """It holds the call's id and the tag of the signature's origin."""
    sealed = AnswerContext("m", "s", tenant="ann").seal_call(CALL, "c2ln")

    assert unpack_signature(sealed, "ann") == SignedCall("aaaaa", CALL, "c2ln")
    assert unpack_signature(sealed, "ben") is None


def test_call_with_a_foreign_id_has_no_origin() -> None:
    sealed = AnswerContext("m", "s").seal_call("toolu_1", "c2ln")

    assert unpack_signature(sealed, "") == SignedCall("", "toolu_1", "c2ln")


def test_thoughts_without_a_signature_get_one_that_holds_nothing() -> None:
    assert unpack_signature(AnswerContext("m", "s").seal_thoughts(), "") == SignedCall("", "", "")
