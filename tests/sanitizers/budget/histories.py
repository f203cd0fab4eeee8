"""Histories of tool rounds, with sizes and marks for cutting them. A token is four characters of any text."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from sanitizers.budget import Cap, CutPolicy, Marks, Size
from sanitizers.budget.markers import notice_message
from sanitizers.budget.replay import CutPlan, plan_cuts
from tests.support.builders import assistant, call, tool, user


def size(message: dict[str, Any]) -> int:
    """Return a message's size in tokens: a quarter of the characters of its JSON."""
    return len(json.dumps(message, ensure_ascii=False)) // 4 + 1


def quick_size(message: dict[str, Any]) -> int:
    """Return a message's rough size in tokens: about a quarter of its characters.

    No JSON is written, so this is fast for many or large messages.
    """
    content = message.get("content")
    calls = message.get("tool_calls") or ()
    if isinstance(content, list):
        characters = sum(len(part.get("text") or "") + 20 for part in content)
    else:
        characters = len(content or "")
    return 10 + characters // 4 + 20 * len(calls)


def marks(high: int, low: int | None = None, hard: int | None = None) -> Marks:
    """Return marks for turns of *high* tokens.

    By default a history is cut to half of *high*, and refused above 1.1 times *high*.
    """
    return Marks(high, high, high // 2 if low is None else low, high * 11 // 10 if hard is None else hard)


def total(messages: list[dict[str, Any]], size: Size = size) -> int:
    """Return the sum of the sizes."""
    return sum(map(size, messages))


BALANCED = CutPolicy("balanced")


SMALL = replace(BALANCED, aged=Cap(400), least_capped=0)


def a_round(number: int, length: int, name: str = "read") -> list[dict[str, Any]]:
    """Return one call with a result of *length* characters."""
    return [assistant(None, [call(f"c{number}", name)]), tool(f"c{number}", "x" * length)]


def rounds(count: int, length: int, name: str = "read") -> list[dict[str, Any]]:
    """Return a goal and *count* rounds with results of *length* characters each."""
    return [user("goal"), *[m for number in range(count) for m in a_round(number, length, name)]]


def plan(history: list[dict[str, Any]], budget: Marks, policy: CutPolicy = SMALL) -> CutPlan:
    """Plan the cuts, and check that the plan's total is the size of what is left."""
    done = plan_cuts(history, size, budget, policy)
    left = sum(size(m) for at, m in enumerate(history) if at not in done.gone and at not in done.replaced)
    left += sum(r.tokens for at, r in done.replaced.items() if at not in done.gone)
    left += size(notice_message(done.noticed)) if done.noticed else 0
    lead = 0
    while history[lead]["role"] == "system":
        left -= size(history[lead])
        lead += 1
    assert done.total == left
    return done
