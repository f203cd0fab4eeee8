"""Tests that finish reasons of other engines become OpenAI's words."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from tests.proxy.upstream.wires.openai.reading import CALL, is_refused, streamed, whole
from tests.support.scripted_upstream import answer, chunk


@pytest.mark.parametrize("reason", [True, 1, ["stop"], {"type": "stop"}, "error"], ids=repr)
def test_finish_reason_that_is_no_text_is_refused(reason: Any) -> None:
    """A finish reason that is not a text is refused, and so is the text ``error``."""
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
def test_finish_reason_of_other_engines_is_openai_s_word(reason: str, wanted: str) -> None:
    """Strict clients know only OpenAI's words."""
    value = answer()
    value["choices"][0]["finish_reason"] = reason

    assert whole(value)["choices"][0]["finish_reason"] == wanted
    assert streamed(chunk(finish=reason))[0]["choices"][0]["finish_reason"] == wanted


@pytest.mark.parametrize("reason", ["tool_calls", "tool_use"])
def test_finish_reason_for_calls_needs_calls(reason: str) -> None:
    """With the finish reason ``tool_calls``, an agent would wait for calls that are not there."""
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
def test_unknown_finish_reason_is_a_fault(reason: str) -> None:
    """An unknown finish reason may mean that the answer broke off."""
    for read in (whole, streamed):
        with pytest.raises(UpstreamFault, match=reason) as caught:
            read({"choices": [{"index": 0, "message": {}, "delta": {}, "finish_reason": reason}]})
        assert caught.value.cause is Cause.ODD_END


def test_finish_reason_null_as_a_text_is_none() -> None:
    """A choice whose finish reason is the text ``null`` has not ended."""
    assert streamed(chunk({"content": "x"}, finish="null"))[0]["choices"][0]["finish_reason"] is None
