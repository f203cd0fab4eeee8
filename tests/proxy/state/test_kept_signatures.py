"""Tests of the stored form of a signed call, and of the calls that match it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.state.kept_signatures import Signed, StoredSignature, pack, text_key, unpack

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=5), JSON_VALUES, max_size=4)


def kept(arguments: str, name: str = "f") -> StoredSignature:
    """Return the stored form of a call, unpacked."""
    found = unpack(pack(Signed("call_1", name, arguments, "c2ln"), "here"))
    assert found is not None
    return found


@given(OBJECTS, st.randoms())
def test_other_spellings_are_the_same_call(value: dict[str, Any], random: Any) -> None:
    """Clients rewrite arguments in another order, with other blanks, escapes and number formats."""
    written = json.dumps(value)
    names = list(value)
    random.shuffle(names)
    again = json.dumps({name: value[name] for name in names}, indent=1, ensure_ascii=False)

    assert kept(written).is_of("f", written)
    if all(ord(c) < 0xD800 or ord(c) > 0xDFFF for c in again):
        assert kept(written).is_of("f", again)


@given(OBJECTS, OBJECTS)
def test_other_arguments_are_another_call(value: dict[str, Any], other: dict[str, Any]) -> None:
    """A signature returns only to the call that it was made for."""
    assert kept(json.dumps(value)).is_of("f", json.dumps(other)) == (_plain(value) == _plain(other))


def test_signature_is_kept_by_name_and_arguments_apart() -> None:
    """Name and arguments are compared separately, and not joined into one text."""
    assert not kept("{}").is_of("g", "{}")
    assert not kept("b{}", name="a").is_of("ab", "{}")


FIELDS_OF_NO_TEXT = b'{"signature": 7, "origin": "o", "as_written": "", "as_meant": ""}'


@pytest.mark.parametrize("value", [b"", b"[]", b"{}", b'{"signature": "a"}', b"\xff", FIELDS_OF_NO_TEXT])
def test_unreadable_bytes_give_none(value: bytes) -> None:
    """Another version may have written the bytes."""
    assert unpack(value) is None


def _plain(value: Any) -> str:
    """Return *value* in one spelling, numbers as doubles."""
    if isinstance(value, dict):
        return json.dumps({key: _plain(item) for key, item in value.items()}, sort_keys=True)
    if isinstance(value, list):
        return json.dumps([_plain(item) for item in value])
    if isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    return json.dumps(value)


def test_key_of_a_long_signature_is_that_of_its_text() -> None:
    """Only keys of usual signatures are cached, and the cache changes none."""
    for length in (1, 2_048, 2_049, 70_000):
        keys = {text_key("a" * length), text_key("a" * length)}

        assert len(keys) == 1
        assert keys.isdisjoint({text_key("a" * (length - 1)), text_key("b" * length)})
