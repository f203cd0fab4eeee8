"""The paths that take a chat request read it in the same way."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from proxy.ingress.openai_chat.parameters import PARAMETERS
from tests.support.builders import user
from tests.support.proxied import CHAT, MODEL, Proxied, chat
from tests.support.strategies import any_histories


@pytest.mark.parametrize("path", [CHAT, "/chat/completions", "/v1/explain", "/explain"])
async def test_paths_with_and_without_v1_find_the_same_faults(proxy: Proxied, path: str) -> None:
    """The rule covers chats and dry runs."""
    reply = await proxy.post({"model": MODEL, "messages": [user(5)]}, path)

    assert (reply.status, reply.error["param"]) == (400, "messages[0].content")


def _json_values() -> st.SearchStrategy[Any]:
    leaves = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=8)
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
        max_leaves=12,
    )


_NAMES = st.sampled_from(["messages", "tools", "role", "content", "tool_calls", "type", *PARAMETERS])
_FIELDS = st.dictionaries(_NAMES, _json_values(), max_size=5)
_MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "tool", "system", "function", "developer"])},
        optional={
            name: _json_values()
            for name in ("content", "tool_calls", "tool_call_id", "name", "function_call", "audio", "refusal")
        },
    ),
    min_size=1,
    max_size=4,
)
_BODIES = st.one_of(
    st.binary(max_size=200),
    _json_values().map(lambda value: json.dumps(value).encode()),
    st.builds(lambda fields: json.dumps({**chat(), **fields}).encode(), _FIELDS),
    st.builds(lambda history: json.dumps({"model": MODEL, "messages": history}).encode(), _MESSAGES),
    st.builds(
        lambda history, fields: json.dumps({**fields, "model": MODEL, "messages": history}).encode(),
        any_histories(max_messages=5),
        _FIELDS,
    ),
)


@given(body=_BODIES, path=st.sampled_from([CHAT, "/v1/explain"]))
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_no_body_causes_a_server_error(proxy: Proxied, body: bytes, path: str) -> None:
    """The body may be any bytes."""
    reply = await proxy.post(body, path)

    assert reply.status < 500, reply.raw
    assert (reply.status == 200) == (
        "error" not in reply.json if not reply.raw.startswith(b"data:") else True
    )
