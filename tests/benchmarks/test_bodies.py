"""Tests that the benchmarks' bodies are legal or damaged as named, and never the same twice."""

from __future__ import annotations

import json

import pytest

from benchmarks.gateway.bodies import MARK, agent_history, bodies, damaged, encode, numbered
from benchmarks.gateway.lengths import LENGTHS, history_of
from sanitizers import find_violations
from sanitizers.gemini_profiles import GEMINI_3_STRICT
from sanitizers.profiles import OPENAI


@pytest.mark.parametrize("length", [2, 3, 10, 30, 31, 32, 33, 300])
def test_agent_history_is_legal_and_as_long_as_asked(length: int) -> None:
    """An agent's history breaks no rule of OpenAI's profile, and has the wanted length."""
    history = agent_history(length, length * 1_000)

    assert len(history) == length
    assert find_violations(history, OPENAI) == ()


def test_sizes_are_what_they_are_called() -> None:
    """The bodies have about four characters for each token of their name."""
    sizes = {name: len(encode(body, model="m")) for name, body in bodies().items()}

    assert 400 < sizes["small"] < 700
    assert 38_000 < sizes["10k"] < 50_000
    assert 320_000 < sizes["100k"] < 400_000


@pytest.mark.parametrize("size", ["10k", "100k"])
def test_damaged_history_breaks_rules(size: str) -> None:
    """A damaged history breaks rules of Gemini. Otherwise its row in the benchmark's table would measure no repair."""
    history = list(bodies()[f"{size} damaged"]["messages"])

    assert find_violations(history, GEMINI_3_STRICT) != ()
    assert damaged(list(bodies()[size]["messages"])) == history


def test_every_message_is_marked() -> None:
    """Every message holds the mark, so that a numbered request has only new messages."""
    for body in bodies().values():
        assert all(MARK in json.dumps(message) for message in body["messages"])


def test_numbers_take_the_place_of_marks() -> None:
    """A number replaces the mark in every message, or in the last message only.

    The number is as long as the mark, so that the body's length stays as the request's head says.
    """
    parts = f"a{MARK}b{MARK}c".encode().split(MARK.encode())

    assert numbered(parts, 255, growing=False) == b"a000000ffb000000ffc"
    assert numbered(parts, 255, growing=True) == b"a00000000b000000ffc"
    assert len(MARK) == len("000000ff")


@pytest.mark.parametrize("length", [length for length in LENGTHS if length <= 1_000])
def test_lengths_are_of_messages(length: int) -> None:
    """A history for the plot has as many messages as the plot's axis says."""
    assert len(history_of(length)["messages"]) == length
