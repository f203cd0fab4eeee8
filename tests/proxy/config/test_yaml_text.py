"""Tests of reading YAML: duplicate keys, lines, and faults that do not quote the file."""

from __future__ import annotations

import pytest

from proxy.config.faults import Fault
from proxy.config.yaml_text import MAX_NESTING, read_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param(b"", None, id="empty"),
        pytest.param(b"\xef\xbb\xbfa: 1", {"a": 1}, id="byte order mark"),
        pytest.param(
            b"a: &x {b: 1}\nc: {<<: *x, b: 2}", {"a": {"b": 1}, "c": {"b": 2}}, id="merge key overridden"
        ),
    ],
)
def test_valid_document_is_read_without_faults(text: bytes, value: object) -> None:
    """A good document gives its value and no fault."""
    assert read_yaml(text)[:2] == (value, ())


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        pytest.param(
            b"a: [", "is not valid YAML: did not find expected node content (line 2, column 1)", id="open"
        ),
        pytest.param(
            b"a: [b\nc: d",
            "is not valid YAML: did not find expected ',' or ']' (line 2, column 2)",
            id="flow",
        ),
        pytest.param(
            b"a: 1\n b: 2",
            "is not valid YAML: mapping values are not allowed in this context (line 2, column 3)",
            id="indent",
        ),
        pytest.param(
            b"a: *hidden", "is not valid YAML: found undefined alias (line 1, column 4)", id="alias"
        ),
        pytest.param(
            b"a: !hidden b",
            "is not valid YAML: could not determine a constructor for the tag (line 1, column 4)",
            id="tag",
        ),
        pytest.param(
            b"a: 1\n--- b",
            "is not valid YAML: expected a single document in the stream but found another document (line 2, column 1)",
            id="two",
        ),
        pytest.param(
            b"a: 2024-13-45",
            "is not valid YAML: a number or a date is out of range; put it in quotes",
            id="date",
        ),
        pytest.param(
            b"a: " + b"9" * 5000,
            "is not valid YAML: a number or a date is out of range; put it in quotes",
            id="digits",
        ),
        pytest.param(b"a\x00", "is not valid YAML: it holds a character that YAML does not allow", id="nul"),
        pytest.param(b"a: 1\nb: \xff", "is not UTF-8 (line 2, column 4)", id="latin-1"),
        pytest.param(b"[" * 100_000, f"nests more than {MAX_NESTING} levels deep (line 1)", id="deep"),
    ],
)
def test_invalid_yaml_is_a_fault_with_its_place(text: bytes, fault: str) -> None:
    """Invalid YAML is a fault with a position, if known, and without text of the file."""
    assert read_yaml(text) == (None, (Fault("", fault),), {})


def test_duplicate_keys_are_faults_with_their_places() -> None:
    """Each duplicate key, at any depth, is a fault with its path and both lines."""
    _, faults, _ = read_yaml(b"a:\n- {b: 1, c: 2}\n- d: 1\n  'd': 2\na: 3\n")

    assert faults == (
        Fault("a", "is given twice (lines 1 and 5)"),
        Fault("a[1].d", "is given twice (lines 3 and 4)"),
    )


def test_list_with_an_anchor_to_itself_is_read() -> None:
    """A list that contains itself by an anchor is read without a fault."""
    value, faults, _ = read_yaml(b"&a [*a]")

    assert isinstance(value, list)
    assert value[0] is value
    assert faults == ()


def test_each_key_and_entry_has_its_line() -> None:
    """Each key and each entry of a list has its line. Merged keys have no line of their own."""
    text = b"a:\n- b: 1\n  c: &x\n    d: 2\n- {e: 3,\n   f: 4}\ng:\n  <<: *x\n  'two words': 5\n"

    assert read_yaml(text).lines == {
        "a": 1,
        "a[0]": 2,
        "a[0].b": 2,
        "a[0].c": 3,
        "a[0].c.d": 4,
        "a[1]": 5,
        "a[1].e": 5,
        "a[1].f": 6,
        "g": 7,
        'g."<<"': 8,
        'g."two words"': 9,
    }
