"""What a client can get wrong about a plain request, told with the place of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.errors import InvalidRequest
from proxy.core.text_request import check_inputs, separate_inputs
from tests.proxy.forwarding.text.asking import COMPLETIONS, EMBEDDINGS, body_for
from tests.support.proxied import Proxied
from tests.support.scripted_upstream import ScriptedUpstream

BAD: list[tuple[str, dict[str, Any], str | None]] = [
    (EMBEDDINGS, {"input": None}, "input"),
    (EMBEDDINGS, {"input": []}, "input"),
    (EMBEDDINGS, {"input": {}}, "input"),
    (EMBEDDINGS, {"input": 5}, "input"),
    (EMBEDDINGS, {"input": ["a", 1]}, "input[1]"),
    (EMBEDDINGS, {"input": [1, "a"]}, "input[1]"),
    (EMBEDDINGS, {"input": [1, True]}, "input[1]"),
    (EMBEDDINGS, {"input": [1, -1]}, "input[1]"),
    (EMBEDDINGS, {"input": [[1], []]}, "input[1]"),
    (EMBEDDINGS, {"input": [[1], [2, 0.5]]}, "input[1][1]"),
    (EMBEDDINGS, {"input": [None]}, "input[0]"),
    (EMBEDDINGS, {"encoding_format": "int8"}, "encoding_format"),
    (EMBEDDINGS, {"dimensions": 0}, "dimensions"),
    (EMBEDDINGS, {"dimensions": "8"}, "dimensions"),
    (EMBEDDINGS, {"user": 1}, "user"),
    (EMBEDDINGS, {"model": ""}, "model"),
    (COMPLETIONS, {"prompt": None}, "prompt"),
    (COMPLETIONS, {"prompt": []}, "prompt"),
    (COMPLETIONS, {"max_tokens": -1}, "max_tokens"),
    (COMPLETIONS, {"n": 9}, "n"),
    (COMPLETIONS, {"best_of": 21}, "best_of"),
    (COMPLETIONS, {"logprobs": True}, "logprobs"),
    (COMPLETIONS, {"echo": 1}, "echo"),
    (COMPLETIONS, {"stop": [1]}, "stop"),
    (COMPLETIONS, {"logit_bias": {"1": "x"}}, "logit_bias"),
    (COMPLETIONS, {"stream": "yes"}, "stream"),
    (COMPLETIONS, {"stream": True, "stream_options": {"include_usage": 1}}, "stream_options.include_usage"),
]


@pytest.mark.parametrize(("path", "fields", "param"), BAD)
async def test_told_with_its_place(
    proxy: Proxied, upstream: ScriptedUpstream, path: str, fields: dict[str, Any], param: str | None
) -> None:
    """A value of the wrong type is a 400 that names it; nothing is sent."""
    reply = await proxy.post(body_for(path, **fields), path)

    assert (reply.status, reply.error["code"]) == (400, "invalid_request")
    assert reply.error["param"] == param
    assert upstream.plain_calls == []


@pytest.mark.parametrize("path", [EMBEDDINGS, COMPLETIONS])
@pytest.mark.parametrize(
    "raw", [b"", b"[]", b"{", b'{"model": "plain", "x": ' + b"[" * 300 + b"]" * 300 + b"}"]
)
async def test_no_body_of_ours(proxy: Proxied, path: str, raw: bytes) -> None:
    """What is no JSON object, or nested without end, is a 400."""
    assert (await proxy.post(raw, path)).status == 400


tokens = st.lists(st.integers(min_value=0), min_size=1)
inputs = st.one_of(st.text(), st.lists(st.text(), min_size=1), tokens, st.lists(tokens, min_size=1))


@given(inputs)
def test_every_input_of_openais_is_taken(value: Any) -> None:
    """The four forms are taken, and each is as many texts as it says."""
    check_inputs("input", value)
    separate = separate_inputs(value)
    single = isinstance(value, str) or isinstance(value[0], int)

    assert list(separate) == ([value] if single else value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=8,
)


@given(json_values)
def test_anything_is_taken_or_refused(value: Any) -> None:
    """Nothing but the error with a place comes of anything else."""
    try:
        check_inputs("input", value)
    except InvalidRequest as error:
        place = error.param or ""
    else:
        place = "input" if len({type(one) for one in separate_inputs(value)}) == 1 else ""
    assert place.startswith("input")
