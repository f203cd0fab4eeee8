"""Tests of the format without the facts of a request."""

from __future__ import annotations

import json

from proxy.core.errors import Overloaded
from proxy.ingress.anthropic_messages.format import ANTHROPIC_MESSAGES
from tests.support.scripted_upstream import answer


def test_answer_has_the_model_that_answered() -> None:
    written = json.loads(ANTHROPIC_MESSAGES.write_answer(answer()))
    native = json.loads(ANTHROPIC_MESSAGES.write_native_answer({"model": "m"}, answer()))

    assert (written["model"], native["model"]) == ("scripted", "scripted")


def test_error_has_no_id() -> None:
    assert json.loads(ANTHROPIC_MESSAGES.write_error(Overloaded("x")))["request_id"] is None
