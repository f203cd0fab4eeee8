"""Tests that an entry of the corpus's JSON becomes a case, or is refused."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.conformance.case import read_case

ENTRY: dict[str, Any] = {
    "id": "x01",
    "source": "https://example.invalid/1",
    "rule": None,
    "target": "openai/gpt-4.1",
    "messages": [{"role": "user", "content": "Hello."}],
    "must": {"accepted": True, "texts": ["Hello."], "results": [], "media": 0},
}


def test_entry_becomes_a_case() -> None:
    case = read_case({**ENTRY, "tools": ["f"], "note": "a further field"})

    assert (case.id, case.rule, case.tools, case.texts) == ("x01", None, ("f",), ("Hello.",))


def test_history_without_tools_declares_none() -> None:
    assert read_case(ENTRY).tools == ()


@pytest.mark.parametrize("name", [name for name in ENTRY if name != "tools"])
def test_missing_field_is_refused(name: str) -> None:
    """An entry without a required field is refused, with the field's name in the error."""
    with pytest.raises(KeyError, match=name):
        read_case({key: value for key, value in ENTRY.items() if key != name})


def test_case_that_a_provider_shall_refuse_is_refused() -> None:
    """An entry whose ``must.accepted`` is false is refused, since the judge knows only acceptance as a goal."""
    with pytest.raises(ValueError, match="x01"):
        read_case({**ENTRY, "must": {**ENTRY["must"], "accepted": False}})
