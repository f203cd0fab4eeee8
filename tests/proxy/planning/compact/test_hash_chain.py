"""Tests of the digests of a history's prefixes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.planning.compact.hash_chain import HashChain
from tests.support.builders import assistant, call, image, system, text, tool, user

HISTORY = [
    system("Be brief."),
    user("Read it."),
    assistant(None, [call("c1", "read", '{"path": "a.py", "lines": 3}')]),
    tool("c1", "print(1)"),
    assistant("Done."),
]


def last_digest(*messages: dict[str, Any], tenant: str = "blue") -> bytes:
    """Return the digest of all *messages*."""
    return HashChain([*messages], tenant)[-1]


def test_chain_has_a_digest_after_each_message_and_continues() -> None:
    """The digests of a longer history begin with those of the shorter one."""
    chain = HashChain(HISTORY, "blue")
    assert len(chain) == len(HISTORY) + 1
    assert len(set(chain)) == len(chain)
    assert list(HashChain(HISTORY[:3], "blue")) == chain[:4]


def test_tenants_share_no_digest() -> None:
    """Equal histories of two keys have different digests."""
    assert not set(HashChain(HISTORY, "blue")) & set(HashChain(HISTORY, "red"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            assistant(None, [call("c1", "f", '{"a":1,"b":2}')]),
            assistant(None, [call("x9", "f", '{"b": 2, "a": 1}')]),
        ),
        (tool("c1", "ok"), tool("x9", "ok", name="read")),
        (user("Hello."), user([text("Hello.")])),
        (user([text("Hello.", cache_control={"type": "ephemeral"})]), user([text("Hello.")])),
        (user([{"type": "x", "y": 1, "cache_control": {}}]), user([{"type": "x", "y": 1}])),
        (assistant("Yes."), assistant("Yes.", reasoning_content="Let me see.")),
        (assistant(""), assistant(None)),
        (assistant("Yes."), assistant("Yes.", tool_calls=[])),
    ],
)
def test_fields_that_clients_change_do_not_count(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Ids, cache marks, reasoning, blanks in arguments and the form of a text change no digest."""
    assert last_digest(one) == last_digest(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (user("a"), assistant("a")),
        (user("a"), user("b")),
        (user([text("ab")]), user([text("a"), text("b")])),
        (user([image()]), user([image("https://example.com/a.png")])),
        (assistant(None, [call("c", "f", "{}")]), assistant(None, [call("c", "g", "{}")])),
        (assistant(None, [call("c", "f", '{"a":1}')]), assistant(None, [call("c", "f", '{"a":2}')])),
        (assistant(None, [call("c", "f", "{")]), assistant(None, [call("c", "f", "{}")])),
        (assistant(None, [call("c")]), assistant(None, [call("c"), call("d")])),
        (user("1:a"), user([text("1:"), text("a")])),
    ],
)
def test_all_that_a_model_reads_counts(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Roles, texts, media, names and arguments change the digest, and texts cannot imitate a border of fields."""
    assert last_digest(one) != last_digest(other)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.lists(
        st.fixed_dictionaries(
            {"role": st.text(max_size=6)},
            optional={"content": _JSON, "tool_calls": _JSON, "function_call": _JSON},
        )
    )
)
def test_chain_never_raises_for_json(messages: list[dict[str, Any]]) -> None:
    """Odd histories are hashed too, since the history is read before it is checked."""
    assert len(HashChain(messages, "")) == len(messages) + 1
