"""Tests that the text of the operator's instructions is hidden from clients, wherever a history holds it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from proxy.inspector.targets import MODELS, deployments_by_profile
from proxy.planning.add_instructions import (
    add_instructions,
    describe_instructions,
    hide_instructions,
    placeholder_for,
)
from proxy.planning.repairs import repair_request
from proxy.planning.repairs.repair_row import Learning
from proxy.planning.repairs.repair_table import TABLE
from proxy.resilience.read_error import NO_ERROR_FACTS
from sanitizers import Profile, profile_for, sanitize
from tests.proxy.planning.operator_texts import GATEWAY, MODEL, OWN, SHOWN, WORDS, words_in
from tests.support.builders import assistant, call, system, tool, user

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
TURNS = [assistant(None, [call("c1")]), tool("c1"), user("Go on.")]
HISTORIES: Mapping[str, list[dict[str, Any]]] = {
    "user": [user("Hello."), *TURNS],
    "parts": [user([{"type": "text", "text": "Hello."}, IMAGE]), *TURNS],
    "system": [system("Client's own."), user("Hello."), *TURNS],
    "system_parts": [system([{"type": "text", "text": "Client's own."}]), user("Hello."), *TURNS],
    "developer": [{"role": "developer", "content": "Client's own."}, user("Hello."), *TURNS],
}


def profile_named(name: str) -> Profile:
    """Return a profile."""
    deployment = deployments_by_profile()[name]
    return profile_for(deployment.model, deployment.profile)


@pytest.mark.parametrize("profile", MODELS)
@pytest.mark.parametrize("history", HISTORIES)
def test_no_form_of_the_instructions_keeps_a_word_of_their_text(profile: str, history: str) -> None:
    """The placeholder has the length and the digest. Everything of the client stays as it is."""
    messages = sanitize(HISTORIES[history], profile_named(profile)).messages
    instructed = add_instructions(messages, OWN, profile_named(profile)).messages
    hidden = hide_instructions(instructed, OWN)

    assert words_in(instructed) == [*WORDS]
    assert words_in(hidden) == []
    assert json.dumps(hidden).count(json.dumps(SHOWN)[1:-1]) == 1
    assert hidden == add_instructions(messages, placeholder_for(OWN), profile_named(profile)).messages


def test_no_learned_repair_moves_a_word_out_of_the_placeholder() -> None:
    """A repair may put the text into another message, but never changes it."""
    moved = set()
    for name, row in product(("openai", "chat-template", "mistral"), TABLE):
        rules = profile_named(name)
        error = replace(NO_ERROR_FACTS, words="\n".join((*row.says, *row.beside)))
        for history in () if row.learning is Learning.NEVER else HISTORIES.values():
            instructed = add_instructions(sanitize(history, rules).messages, OWN, rules)
            repaired = repair_request(instructed.messages, {}, rules, error, table=(row,))
            if repaired is not None:
                hidden = hide_instructions(repaired.messages, OWN)
                assert json.dumps(list(hidden)).count(json.dumps(SHOWN)[1:-1]) == 1
                assert words_in(list(hidden)) == []
                moved |= set() if instructed.holder in repaired.messages else {row.fault}

    assert {"system_role", "alternation"} <= moved


def test_the_same_words_of_a_client_stay() -> None:
    """Only the first occurrence is the operator's. A client that writes the text itself has it already."""
    messages = add_instructions([system(OWN.text), user(OWN.text)], OWN, profile_named("openai")).messages

    assert hide_instructions(messages, OWN) == [system(SHOWN), system(OWN.text), user(OWN.text)]
    joined = add_instructions([user(OWN.text)], OWN, profile_named("chat-template-gemma")).messages
    assert hide_instructions(joined, OWN) == [user(f"{SHOWN}\n\n{OWN.text}")]


def test_history_without_the_text_is_returned_as_it_is() -> None:
    """Messages without content, and contents of other types, are passed over."""
    messages: list[dict[str, Any]] = [assistant(None, [call("c1")]), user([IMAGE, "x", 1]), user("Hello.")]

    assert hide_instructions(messages, OWN) is messages


def test_placeholder_keeps_the_facts_and_no_word() -> None:
    """The entry in the change list is the same."""
    hidden = placeholder_for(OWN)

    assert (hidden.bytes, hidden.digest, hidden.text) == (OWN.bytes, OWN.digest, SHOWN)
    assert describe_instructions(hidden) == describe_instructions(OWN)
    assert [(part.level, part.bytes, part.text) for part in hidden.parts] == [
        ("gateway", len(GATEWAY), ""),
        ("model", len(MODEL) + 1, ""),
    ]
