"""Strategies for Gemini's `contents`: legal (from legal histories), damaged, arbitrary and hostile lists.

Every call of a legal list has a stand-in for its signature. These strategies test the order and form of contents, not
whether a model accepts calls without signatures.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from proxy.upstream.signature_carriers import STAND_IN
from sanitizers.gemini_profiles import GEMINI_3
from tests.support.gemini_body import direct_body
from tests.support.strategies.legal import legal_histories

Contents = list[dict[str, Any]]
PNG = "iVBORw0KGgo="
ROLES = ("user", "model", "user", "model", "function", "tool", "assistant", "", None)


@st.composite
def legal_contents(draw: st.DrawFn) -> Contents:
    """Draw contents that every Gemini model accepts, from a legal history, with or without ids and thoughts."""
    history = draw(legal_histories(max_rounds=4, extras=False))
    contents: Contents = copy.deepcopy(direct_body(history, GEMINI_3, "gemini-3-flash-preview")["contents"])
    named, thinking = draw(st.booleans()), draw(st.booleans())
    for content in contents:
        for part in content["parts"]:
            if "functionCall" in part:
                part["thoughtSignature"] = STAND_IN
            for field in ("functionCall", "functionResponse"):
                if field in part and not named:
                    part[field].pop("id", None)
        if content["role"] == "model" and thinking:
            content["parts"].insert(0, {"text": "I think", "thought": True})
    return contents


@st.composite
def damaged_contents(draw: st.DrawFn) -> Contents:
    """Draw legal contents with one to five damages of :data:`DAMAGES`. The list is never empty."""
    contents = draw(legal_contents())
    plan = st.tuples(st.sampled_from(list(DAMAGES)), st.integers(0, 40), st.integers(0, 40))
    for name, place, variant in draw(st.lists(plan, min_size=1, max_size=5)):
        contents = DAMAGES[name](contents, place, variant) or contents
    return contents


@st.composite
def any_contents(draw: st.DrawFn) -> Contents:
    """Draw one to eight contents of any role with any parts."""
    part = st.tuples(st.integers(0, len(_PARTS) - 1), st.integers(0, 2))
    plan = draw(
        st.lists(st.tuples(st.sampled_from(ROLES), st.lists(part, max_size=4)), min_size=1, max_size=8)
    )
    contents = []
    for role, parts in plan:
        content: dict[str, Any] = {} if role is None else {"role": role}
        contents.append({**content, "parts": [_PARTS[kind](number) for kind, number in parts]})
    return contents


_NAMES = st.sampled_from(
    [
        "args",
        "code",
        "content",
        "data",
        "fileData",
        "fileUri",
        "functionCall",
        "functionResponse",
        "function_call",
        "function_response",
        "id",
        "inlineData",
        "mimeType",
        "name",
        "output",
        "parts",
        "response",
        "role",
        "text",
        "thought",
        "thoughtSignature",
        "toolCall",
    ]
)
_SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=3), st.sampled_from(["model", "user", "f"])
)


def hostile_contents() -> st.SearchStrategy[list[Any]]:
    """Draw lists of arbitrary JSON with the field names of Gemini's contents."""
    value = st.recursive(
        _SCALARS,
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_NAMES, inner, max_size=4)),
        max_leaves=12,
    )
    content = st.fixed_dictionaries(
        {"parts": st.lists(st.dictionaries(_NAMES, value, max_size=3), max_size=3)}, optional={"role": value}
    )
    return st.lists(st.one_of(content, value), max_size=4)


_PARTS: tuple[Callable[[int], dict[str, Any]], ...] = (
    lambda n: {"text": f"text {n}"},
    lambda n: {"functionCall": {"name": f"f{n}", "args": {"n": n}}, "thoughtSignature": STAND_IN},
    lambda n: {"functionResponse": {"name": f"f{n}", "response": {"output": f"done {n}"}}},
    lambda n: {"functionCall": {"id": f"id{n}", "name": "g", "args": {}}, "thoughtSignature": STAND_IN},
    lambda n: {"functionResponse": {"id": f"id{n}", "name": "g", "response": {"result": n}}},
    lambda n: {"function_call": {"name": "snake", "args": {"n": n}}, "thought_signature": STAND_IN},
    lambda n: {"function_response": {"name": "snake", "response": {"error": f"{n}"}}},
    lambda n: {"text": f"thought {n}", "thought": True},
    lambda n: ({}, {"text": ""}, {"thoughtSignature": STAND_IN})[n],
    lambda n: {"inlineData": {"mimeType": "image/png", "data": PNG}},
    lambda n: {"fileData": {"mimeType": "application/pdf", "fileUri": f"files/{n}"}},
    lambda n: {"executableCode": {"language": "PYTHON", "code": f"print({n})"}},
    lambda n: {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": f"{n}"}},
    lambda n: {"functionResponse": {"name": ("", "f1", "nobody")[n], "response": {"output": "x"}}},
    lambda n: {"functionCall": {"name": "", "args": {}}, "thoughtSignature": STAND_IN},
    lambda n: {"functionResponse": {"name": "f1", "response": {}, "parts": [_PARTS[9 + n % 2](n)]}},
    lambda n: {"text": "", "thoughtSignature": STAND_IN},
)


def _drop(contents: Contents, place: int, variant: int) -> Contents:
    at = place % len(contents)
    return contents[:at] + contents[at + 1 :]


def _repeat(contents: Contents, place: int, variant: int) -> Contents:
    at = place % len(contents)
    return [*contents[:at], copy.deepcopy(contents[at]), *contents[at:]]


def _swap(contents: Contents, place: int, variant: int) -> Contents:
    at = place % len(contents)
    return contents[:at] + contents[at : at + 2][::-1] + contents[at + 2 :]


def _split(contents: Contents, place: int, variant: int) -> Contents:
    """Split one content into two, as clients do that send each result separately."""
    found = [at for at, content in enumerate(contents) if len(content["parts"]) > 1]
    if not found:
        return contents
    at = found[place % len(found)]
    parts = contents[at]["parts"]
    cut = 1 + variant % (len(parts) - 1)
    halves = [{**contents[at], "parts": half} for half in (parts[:cut], parts[cut:])]
    return contents[:at] + halves + contents[at + 1 :]


def _join(contents: Contents, place: int, variant: int) -> Contents:
    """Join two neighbouring contents into one."""
    at = place % len(contents)
    if at + 1 == len(contents):
        return contents
    parts = contents[at]["parts"] + contents[at + 1]["parts"]
    return [*contents[:at], {**contents[at], "parts": parts}, *contents[at + 2 :]]


def _relabel(contents: Contents, place: int, variant: int) -> Contents:
    contents[place % len(contents)]["role"] = ROLES[variant % len(ROLES)] or "system"
    return contents


def _hollow(contents: Contents, place: int, variant: int) -> Contents:
    """Insert a part without data at the beginning, or remove all parts."""
    parts = contents[place % len(contents)]["parts"]
    parts[:0] = [({}, {"text": ""}, {"thought": True})[variant % 3]]
    if variant % 4 == 3:
        parts.clear()
    return contents


def _misname(contents: Contents, place: int, variant: int) -> Contents:
    """Change the id or the name of a call or a response, but not of its counterpart."""
    found = [
        part[field]
        for content in contents
        for part in content["parts"]
        for field in ("functionCall", "functionResponse")
        if field in part
    ]
    if found:
        key, value = (("id", "same"), ("id", ""), ("name", "other"), ("name", ""))[variant % 4]
        found[place % len(found)][key] = value
    return contents


DAMAGES: dict[str, Callable[[Contents, int, int], Contents]] = {
    "drop": _drop,
    "hollow": _hollow,
    "join": _join,
    "misname": _misname,
    "relabel": _relabel,
    "repeat": _repeat,
    "split": _split,
    "swap": _swap,
}
