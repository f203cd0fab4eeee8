"""Strategies for messages of Anthropic's API: likely ones, and ones whose fields hold anything."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.sanitizers.native.messages.building import (
    MARK,
    Item,
    answered,
    image,
    inline,
    said,
    sealed,
    thought,
    used,
)

IDS = ["a", "b", "c", "toolu_1"]
SOURCES: list[Any] = [
    {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="},
    {"type": "text", "media_type": "text/plain", "data": "words"},
    {"type": "url", "url": "https://example.com/a.pdf"},
    {"type": "content", "content": [said("inner"), image()]},
    {"type": "file", "file_id": "file_1"},
]
DOCUMENTS: list[Any] = [
    {"type": "document", "source": source, "title": "T", "context": "C"} for source in SOURCES
]
SEARCHED: Item = {"type": "search_result", "title": "T", "source": "s", "content": [said("found")]}
RESULTS: list[Any] = [
    "ok",
    "",
    None,
    [],
    [said("ok")],
    [said("a"), image()],
    [SEARCHED, {"type": "tool_reference", "tool_name": "g"}],
    [DOCUMENTS[0]],
]
SERVER: list[Any] = [
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}},
    {
        "type": "web_search_tool_result",
        "tool_use_id": "srvtoolu_1",
        "content": [
            {"type": "web_search_result", "title": "T", "url": "https://e.org", "encrypted_content": "x"}
        ],
    },
]
OF_USER: list[Any] = [
    said("words"),
    said("marked", **MARK),
    said(""),
    said("  "),
    image(),
    image("url"),
    image("file"),
    *DOCUMENTS,
    SEARCHED,
    {"type": "container_upload", "file_id": "file_1"},
    {"type": "unheard_of", "x": 1},
]
OF_ASSISTANT: list[Any] = [
    said("I say."),
    said("cited", citations=[{"type": "char_location"}]),
    said(""),
    thought("S1"),
    thought("S2", ""),
    thought(""),
    {"type": "redacted_thinking", "data": "D"},
    sealed("a"),
    thought("tr1_damaged"),
    *SERVER,
    image(),
    {"type": "compaction", "content": "so far"},
]
ODD: list[Any] = [None, "", 0, 1.5, True, [], {}, "odd", ["odd"], {"type": "odd"}, [{"type": "text"}], [None]]
SYSTEMS: list[Any] = [
    None,
    "Be brief.",
    [said("x-anthropic-billing-header: cch=1"), said("Be brief."), said("More.", **MARK)],
    [said("")],
]


def _results() -> st.SearchStrategy[Item]:
    return st.builds(answered, st.sampled_from(IDS), st.sampled_from(RESULTS), is_error=st.booleans())


def _calls() -> st.SearchStrategy[Item]:
    given = st.sampled_from([{}, {"p": [1, None]}, "{}", "not JSON", None])
    return st.builds(used, st.sampled_from(IDS), st.sampled_from(["f", "g"]), given)


@st.composite
def items(draw: st.DrawFn, *, odd: bool = False) -> list[Any]:
    """Draw a list of messages of any role. With *odd*, a field may hold anything, or may be missing."""
    return [draw(_item(odd)) for _ in range(draw(st.integers(1, 7)))]


@st.composite
def _item(draw: st.DrawFn, odd: bool) -> Any:
    role = draw(st.sampled_from(["user", "assistant", "user", "assistant", "system"]))
    item: Item
    if role == "system":
        item = inline("Now.")
    elif draw(st.integers(0, 3)) == 0:
        item = {"role": role, "content": draw(st.sampled_from(["words", "", " "]))}
    else:
        block = (
            st.one_of(_results(), _results(), st.sampled_from(OF_USER))
            if role == "user"
            else st.one_of(_calls(), _calls(), st.sampled_from(OF_ASSISTANT))
        )
        item = {"role": role, "content": draw(st.lists(block, max_size=4))}
    if odd and draw(st.booleans()):
        holder = item
        if isinstance(item["content"], list) and item["content"] and draw(st.booleans()):
            at = draw(st.integers(0, len(item["content"]) - 1))
            holder = dict(item["content"][at])
            item = {**item, "content": [*item["content"][:at], holder, *item["content"][at + 1 :]]}
        holder[draw(st.sampled_from([*holder]))] = draw(st.sampled_from(ODD))
    return draw(st.sampled_from(ODD)) if odd and draw(st.integers(0, 40)) == 40 else item
