"""Tests that an embedding request with too many inputs is split into calls, and joined into one answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proxy.config import resolve
from proxy.core.source import SOURCE, AnswerSource
from proxy.core.text_request import EmbeddingSource
from proxy.core.upstream_call import TextCall, Timeouts
from proxy.forwarding.text import embedding
from proxy.forwarding.text.embedding import embed
from tests.proxy.forwarding.text.asking import NAME, embedded, plain_settings
from tests.support.scripted_upstream import ScriptedUpstream

(DEPLOYMENT,) = resolve(plain_settings(), NAME)


def call_for(given: Any) -> TextCall:
    """Return a call that embeds *given*."""
    timeouts = Timeouts(connect_s=1, first_byte_s=1, idle_s=1, total_s=1)
    return TextCall(DEPLOYMENT, {"input": given, "dimensions": 1}, timeouts, weight=500)


@pytest.mark.parametrize(
    ("given", "most", "parts"),
    [
        ("a", 2, ["a"]),
        (["a", "b"], 2, [["a", "b"]]),
        (["a", "b", "c"], 2, [["a", "b"], ["c"]]),
        (["a", "b", "c"], None, [["a", "b", "c"]]),
        ([[1, 2], [3], [4]], 1, [[[1, 2]], [[3]], [[4]]]),
        ([1, 2, 3], 1, [[1, 2, 3]]),
    ],
)
async def test_call_over_the_wires_inputs_is_sent_in_parts(
    monkeypatch: pytest.MonkeyPatch, given: Any, most: int | None, parts: list[Any]
) -> None:
    """A call with too many inputs is sent in parts, each with the call's other parameters.

    The answer has the vectors in the order of the inputs.
    """
    monkeypatch.setattr(embedding, "most_inputs_of", lambda _: most)
    upstream, vector = ScriptedUpstream(), 0
    for part in parts:
        texts = len(part) if isinstance(part, list) and not isinstance(part[0], int) else 1
        upstream.then(embedded(*([float(vector + at)] for at in range(texts))))
        vector += texts
    answer = await embed(upstream, call_for(given))

    assert [call.parameters["input"] for call in upstream.plain_calls] == parts
    assert {call.parameters["dimensions"] for call in upstream.plain_calls} == {1}
    assert [one["embedding"] for one in answer["data"]] == [[float(at)] for at in range(vector)]
    assert [one["index"] for one in answer["data"]] == list(range(vector))
    assert answer["usage"]["prompt_tokens"] == 3 * len(parts)


@pytest.mark.parametrize(("most", "is_relayed"), [(2, True), (1, False)])
async def test_answer_in_one_part_keeps_its_source(
    monkeypatch: pytest.MonkeyPatch, most: int, is_relayed: bool
) -> None:
    """Each part of a call has its part of the client's requests. A field of the source's name is no source."""
    monkeypatch.setattr(embedding, "most_inputs_of", lambda _: most)
    upstream, kept = ScriptedUpstream(), AnswerSource("f", {})
    for _ in range(2 // most):
        upstream.then({**embedded(*[[1.0]] * most), SOURCE: kept})
    source = EmbeddingSource(b"{}", {"requests": [1, 2]}, is_batch=True)
    answer = await embed(upstream, replace(call_for(["a", "b"]), source=source))

    sent = [call.source for call in upstream.plain_calls]
    assert answer.get(SOURCE) == (kept if is_relayed else None)
    assert sent == [source] if is_relayed else [source.part(0, 1), source.part(1, 2)]
    upstream.then({**embedded([1.0]), SOURCE: {"event": {}}})
    assert SOURCE not in await embed(upstream, call_for("a"))
