"""Text completions: whole answers and streams."""

from __future__ import annotations

import json

from proxy.core.upstream_call import TextCall
from proxy.upstream.wires.openai.wire import OPENAI
from tests.proxy.upstream.wires.openai.test_wire import LIMITS, deployment_of


def test_text_stream_is_read_to_its_end() -> None:
    """A finish reason ends it; ``[DONE]`` may be missing."""
    assert OPENAI.texts is not None
    reader = OPENAI.texts.read_stream(TextCall(deployment_of(), {}, LIMITS))
    choice = {"index": 0, "text": "Good day.", "finish_reason": "stop"}
    [chunk] = reader.feed(json.dumps({"object": "text_completion", "choices": [choice]}).encode())

    assert chunk["choices"][0]["text"] == "Good day."
    assert reader.may_end(1)
    assert reader.is_over()
    assert reader.close() == []
