"""Tests that ``docs/canonical-chat.md`` lists the keys of a canonical message as the code has them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest

from proxy.core import canonical_chat
from proxy.core.canonical_chat import EXTENSION_KEYS, ChatMessage, ContentPart, ToolCall
from sanitizers.profile_names import PROFILES
from sanitizers.validation import PART_TYPES, ROLES
from tests.support.markdown_tables import key_in, rows_under

ROOT = Path(__file__).resolve().parents[3]
DOCUMENT = (ROOT / "docs" / "canonical-chat.md").read_text(encoding="utf-8")
KINDS = [
    kind
    for kind in vars(canonical_chat).values()
    if hasattr(kind, "__required_keys__") and kind.__module__ == canonical_chat.__name__
]
MESSAGES = get_args(ChatMessage)
OPENAI_KEYS = {
    *("annotations", "audio", "content", "function_call", "name", "refusal", "role", "tool_call_id"),
    "tool_calls",
}
"""Keys of OpenAI's own messages (chat completions reference, 2026-11)."""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_document_lists_the_keys_of_each_chat_type(kind: Any) -> None:
    """The document lists each type's keys in the code's order, and marks required keys."""
    listed = {key_in(row[0]): row[1] for row in rows_under(DOCUMENT, f"`{kind.__name__}`")}

    assert list(listed) == list(kind.__annotations__)
    assert {key for key, required in listed.items() if required == "yes"} == kind.__required_keys__


def test_chat_types_are_found() -> None:
    """The search finds all 15 chat types, so that the test above has cases."""
    assert set(MESSAGES) < set(KINDS)
    assert len(KINDS) == 15


def test_document_lists_the_extension_keys() -> None:
    """The document lists exactly the extension keys of the code."""
    assert sorted(key_in(row[0]) for row in rows_under(DOCUMENT, "Extension keys")) == sorted(EXTENSION_KEYS)


def test_message_has_only_openais_keys_and_extensions() -> None:
    """Messages of all roles have only OpenAI's keys and extension keys."""
    known = {key for kind in MESSAGES for key in kind.__annotations__}

    assert known == OPENAI_KEYS | EXTENSION_KEYS


def test_every_role_has_a_type() -> None:
    """Every role that the validator accepts has a type."""
    roles = [role for kind in MESSAGES for role in get_args(kind.__annotations__["role"])]

    assert sorted(roles) == sorted(ROLES)


def test_every_kind_of_part_has_its_key() -> None:
    """Every type of content part has a key of its own name, except a redacted thought."""
    assert PART_TYPES - {"redacted_thinking"} <= ContentPart.__annotations__.keys()


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_profiles_name_only_known_keys(profile: Any) -> None:
    """The keys of messages that profiles refuse or accept are all known keys."""
    named = profile.refused_fields | (profile.only_fields or frozenset()) | profile.result_fields

    assert named <= OPENAI_KEYS | EXTENSION_KEYS


@pytest.mark.parametrize("row", rows_under(DOCUMENT, "Extension keys"), ids=lambda row: key_in(row[0]))
def test_listed_writers_and_readers_hold_the_extension_key(row: list[str]) -> None:
    """Each file that the document lists for an extension key contains that key."""
    key = key_in(row[0])
    paths = re.findall(r"`((?:proxy|sanitizers)/[\w/.]+)`", " ".join(row[2:]))

    assert paths
    assert [path for path in paths if f'"{key}"' not in (ROOT / path).read_text(encoding="utf-8")] == []


def test_extensions_of_calls_are_extensions_of_messages() -> None:
    """Keys of a call are OpenAI's, the index from a stream, or extension keys."""
    own = {"custom", "function", "id", "index", "type"}

    assert ToolCall.__annotations__.keys() - own <= EXTENSION_KEYS


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:proxy|sanitizers)/[\w/.]+)`", DOCUMENT))))
def test_every_named_file_exists(path: str) -> None:
    """Every file that the document names exists."""
    assert (ROOT / path).exists()
