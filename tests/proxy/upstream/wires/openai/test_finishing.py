"""Finish reasons in the words of others: OpenAI's word for each, and a fault for an unknown one."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from tests.proxy.upstream.wires.openai.reading import (
    CALL,
    is_refused,
    streamed,
    whole,
)
from tests.support.scripted_upstream import answer, chunk


@pytest.mark.parametrize("reason", [True, 1, ["stop"], {"type": "stop"}, "error"], ids=repr)
def test_finish_reason_of_another_kind(reason: Any) -> None:
    """A reason that is no text is no reason; an error is one, and is never passed off as an end."""
    is_refused({"choices": [{"message": {"content": "x"}, "finish_reason": reason}]}, chunk(finish=reason))


@pytest.mark.parametrize(
    ("reason", "wanted"),
    [
        *[(reason, reason) for reason in ("stop", "length", "content_filter")],
        *[
            (reason, "stop")
            for reason in ("STOP", "end_turn", "eos", "eos_token", "stop_sequence", "COMPLETE")
        ],
        *[(reason, "length") for reason in ("max_tokens", "MAX_TOKENS", "model_length")],
        *[(reason, "content_filter") for reason in ("SAFETY", "sensitive", "refusal")],
    ],
)
def test_finish_reason_in_other_words(reason: str, wanted: str) -> None:
    """What other providers call it is written in OpenAI's words, which are all that strict clients know."""
    value = answer()
    value["choices"][0]["finish_reason"] = reason

    assert whole(value)["choices"][0]["finish_reason"] == wanted
    assert streamed(chunk(finish=reason))[0]["choices"][0]["finish_reason"] == wanted


@pytest.mark.parametrize("reason", ["tool_calls", "tool_use"])
def test_finish_reason_of_calls(reason: str) -> None:
    """It is one where there are calls; where there are none, an agent would wait for nothing."""
    for calls, wanted in (([CALL], "tool_calls"), (None, "stop")):
        value = answer(tool_calls=calls)
        value["choices"][0]["finish_reason"] = reason

        assert whole(value)["choices"][0]["finish_reason"] == wanted
        found = streamed(chunk({"tool_calls": calls}), chunk(finish=reason))
        assert found[-1]["choices"][0]["finish_reason"] == wanted


@pytest.mark.parametrize(
    "reason",
    ["abort", "network_error", "insufficient_system_resource", "function_call_filter: MALFORMED", "nobody's"],
)
def test_finish_reason_that_nobody_knows(reason: str) -> None:
    """It may well say that the answer was broken off, so it is never called a stop."""
    for read in (whole, streamed):
        with pytest.raises(UpstreamFault, match=reason) as caught:
            read({"choices": [{"index": 0, "message": {}, "delta": {}, "finish_reason": reason}]})
        assert caught.value.cause is Cause.ODD_END


def test_finish_reason_of_null_as_a_text() -> None:
    """It is none."""
    assert streamed(chunk({"content": "x"}, finish="null"))[0]["choices"][0]["finish_reason"] is None
