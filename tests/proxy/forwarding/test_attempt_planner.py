"""Tests of failures whose unusable answer can still be delivered."""

from __future__ import annotations

import pytest

from proxy.core.errors import AnswerUnusable, ProxyError, UpstreamFault
from proxy.core.failures import Cause
from tests.proxy.forwarding.failing import failure_of

UNUSABLE = AnswerUnusable("x", cause=Cause.EMPTY)
KEPT = AnswerUnusable("x", cause=Cause.INVALID_ARGUMENTS, answer={"choices": []})


@pytest.mark.parametrize(
    ("error", "may_repeat", "is_answer"),
    [(UpstreamFault("x"), True, False), (UNUSABLE, True, False), (KEPT, True, True), (KEPT, False, False)],
    ids=["a fault", "nothing to deliver", "an answer", "a part of it is out"],
)
def test_kept_unusable_answer_is_an_answer_until_a_part_is_sent(
    error: ProxyError, may_repeat: bool, is_answer: bool
) -> None:
    """A failure without a kept answer is never delivered as an answer."""
    assert failure_of(error, may_repeat=may_repeat).is_answer is is_answer
