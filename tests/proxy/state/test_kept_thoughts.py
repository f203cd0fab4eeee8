"""Tests of the stored form of an answer's thoughts."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.state.kept_thoughts import Called, StoredThoughts, Thoughts, pack_thoughts, unpack_thoughts

THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}
CALL = Called("call_1", "f", '{"a": 1, "b": 2}')


def place(length: int) -> dict[str, Any]:
    """Return the place of a text."""
    return {"type": "text", "length": length}


def stored(
    *entries: dict[str, Any], text: str = "Hi.", calls: tuple[Called, ...] = (CALL,)
) -> StoredThoughts:
    """Return thoughts as they come from a store."""
    kept = unpack_thoughts(pack_thoughts(Thoughts(entries or (THOUGHT, place(3)), text, calls), "here"))
    assert kept is not None
    return kept


def test_thoughts_come_back_with_their_turn() -> None:
    """The origin is kept, and the text and the calls are not."""
    kept = stored()
    assert kept.origin == "here"
    assert kept.entries_for("Hi.", [CALL]) == [THOUGHT, place(3)]
    assert "Hi." not in str(kept)


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("Ho.", [CALL]),
        ("", [CALL]),
        ("Hi.", []),
        ("Hi.", [CALL._replace(id="call_2")]),
        ("Hi.", [CALL._replace(name="g")]),
        ("Hi.", [CALL._replace(arguments='{"a": 1}')]),
        ("Hi.", [CALL, CALL._replace(id="call_2")]),
    ],
)
def test_another_turn_has_no_thoughts(text: str, calls: list[Called]) -> None:
    """A thought beside another text or call is refused."""
    assert stored().entries_for(text, calls) is None


def test_arguments_may_be_written_otherwise() -> None:
    """Clients decode arguments and write them anew."""
    again = CALL._replace(arguments='{"b":2,"a":1.0}')
    assert stored().entries_for("Hi.", [again]) == [THOUGHT, place(3)]


@pytest.mark.parametrize(
    ("entries", "text", "said", "expected"),
    [
        ((THOUGHT, place(4)), "Hi.\n", "Hi.", [THOUGHT, place(3)]),
        ((THOUGHT, place(2), THOUGHT, place(0)), "\n\n", "", [THOUGHT, place(0), THOUGHT, place(0)]),
        ((place(0), THOUGHT, place(4)), "Hi.\n", "Hi.", [place(0), THOUGHT, place(3)]),
        ((place(4), THOUGHT, place(4)), "Hi. Ho. ", "Hi. Ho.", None),
        ((THOUGHT,), "", "", [THOUGHT]),
    ],
)
def test_client_may_trim_the_one_text(
    entries: tuple[dict[str, Any], ...], text: str, said: str, expected: Any
) -> None:
    """The place of the only text has its new length. Of several texts, none is known to be the shorter one."""
    assert stored(*entries, text=text, calls=()).entries_for(said, []) == expected


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"[]",
        b"{}",
        b'{"origin": 1, "entries": [], "text": "", "calls": {}}',
        b'{"origin": "", "entries": {}, "text": "", "calls": {}}',
        b'{"origin": "", "entries": [1], "text": "", "calls": {}}',
        b'{"origin": "", "entries": [], "text": 1, "calls": {}}',
        b'{"origin": "", "entries": [], "text": "", "calls": []}',
        b'{"origin": "", "entries": [], "text": "", "calls": {"a": ["x"]}}',
    ],
)
def test_foreign_bytes_are_nothing(value: bytes) -> None:
    """Another version or program may have written them."""
    assert unpack_thoughts(value) is None
