"""Bodies that only a native client sends, for Anthropic's judge: one per broken rule, and similar legal bodies."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from tests.support.anthropic_emulator import inline_system as inline
from tests.support.anthropic_emulator import placing, redact, server_tools, sign
from tests.support.anthropic_emulator import thinking as thoughts
from tests.support.anthropic_emulator.placing import places_in
from tests.support.anthropic_emulator.terms import STRICT_VERSION, Terms
from tests.support_tests.anthropic_cases import (
    PNG,
    TOOL,
    U,
    assistant,
    body,
    called,
    image,
    results,
    rounds,
    text,
    tools,
    user,
)

OPUS = "claude-opus-4-8"
OLD = Terms()
STRICT = Terms(STRICT_VERSION)
PDF: dict[str, Any] = {
    "type": "document",
    "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="},
}
CITED: dict[str, Any] = {
    "type": "web_search_result_location",
    "cited_text": "a",
    "url": "https://a/",
    "title": "A",
    "encrypted_index": redact("index"),
}
SYSTEM = {"role": "system", "content": "Be brief."}
UNKNOWN: dict[str, Any] = {"type": "emulated_block", "id": "e", "content": [], "sealed": redact("state")}


def with_betas(*betas: str) -> Terms:
    """Return the terms of the first version with *betas*."""
    return Terms(betas=frozenset(betas))


def answer(*blocks: Any) -> list[dict[str, Any]]:
    """Return the blocks of an answer, with its thoughts signed at their places. A text in *blocks* is a thought."""
    made = [{"type": "thinking", "thinking": of} if isinstance(of, str) else dict(of) for of in blocks]
    for index, place in places_in("one", made).items():
        made[index]["signature"] = sign(made[index]["thinking"], place)
    return made


def searched(**sealed: str) -> list[dict[str, Any]]:
    """Return a web search and its result, whose sealed content may be another one."""
    found = {"type": "web_search_result", "url": "https://a/", "title": "A", "page_age": None}
    found = {**found, "encrypted_content": redact("page"), **sealed}
    return [
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "a"}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [found]},
    ]


CALL = called("a")["content"][0]
INTERLEAVED = answer("One.", text("x"), "Two.", CALL)
CALLS, FOUND = searched()

REFUSED: dict[str, tuple[dict[str, Any], Terms, str]] = {
    "temperature in the strict version": (
        body(temperature=1),
        STRICT,
        "temperature: Extra inputs are not permitted",
    ),
    "top_k in the strict version": (body(top_k=5), STRICT, "top_k: Extra inputs are not permitted"),
    "a document of the assistant in the strict version": (
        body([U, assistant(PDF, text("x")), U]),
        STRICT,
        "messages.1.content.0: `document` blocks can only be in `user` messages",
    ),
    "citations of the user in the strict version": (
        body([user(text("a", citations=[CITED]))]),
        STRICT,
        "messages.0.content.0.text.citations: Extra inputs are not permitted",
    ),
    "a field without its beta": (
        body(context_management={"edits": []}),
        OLD,
        "context_management: Extra inputs are not permitted",
    ),
    "a field that a model lacks": (
        body(context_management={"edits": []}, model="claude-haiku-4-5"),
        with_betas("context-management"),
        "context_management: Extra inputs are not permitted",
    ),
    "a scope without its beta": (
        body([user(text("a", cache_control={"type": "ephemeral", "scope": "global"}))]),
        OLD,
        "messages.0.content.0.cache_control.ephemeral.scope: Extra inputs are not permitted",
    ),
    "more tokens than the model has": (
        body(max_tokens=64001),
        OLD,
        "max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5",
    ),
    "an unknown effort": (
        body(output_config={"effort": "minimal"}),
        OLD,
        "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'",
    ),
    "thinking that cannot be off": (
        body(model="claude-fable-5", thinking={"type": "disabled"}),
        OLD,
        thoughts.NO_DISABLED,
    ),
    "a display of another kind": (
        body(model=OPUS, thinking={"type": "adaptive", "display": "full"}),
        OLD,
        thoughts.DISPLAY.format(kind="adaptive"),
    ),
    "system inside on an older model": (body([U, SYSTEM]), OLD, inline.SYSTEM_ROLE),
    "system first": (
        body([SYSTEM, assistant(text("x")), U], model=OPUS),
        OLD,
        inline.BEFORE.format(index=0),
    ),
    "system behind a text": (
        body([U, assistant(text("x")), SYSTEM], model=OPUS),
        OLD,
        inline.BEFORE.format(index=2),
    ),
    "system before the user": (body([U, SYSTEM, U], model=OPUS), OLD, inline.BEHIND.format(index=1)),
    "a changed thought": (
        rounds(
            assistant({**INTERLEAVED[0], "thinking": "Else."}, *INTERLEAVED[1:]), results("a"), model=OPUS
        ),
        OLD,
        "messages.1.content.0: Invalid `signature` in `thinking` block",
    ),
    "a moved thought": (
        rounds(assistant(INTERLEAVED[0], INTERLEAVED[2], INTERLEAVED[1], CALL), results("a"), model=OPUS),
        OLD,
        placing.CHANGED.format(index=1, place=1),
    ),
    "thoughts in another order": (
        rounds(assistant(*(INTERLEAVED[i] for i in (2, 1, 0, 3))), results("a"), model=OPUS),
        OLD,
        placing.CHANGED.format(index=1, place=0),
    ),
    "a lost thought": (
        rounds(assistant(*INTERLEAVED[:2], CALL), results("a"), model=OPUS),
        OLD,
        placing.CHANGED.format(index=1, place=2),
    ),
    "a result of no search": (
        body([U, assistant(FOUND, text("x")), U]),
        OLD,
        server_tools.ALONE.format(
            path="messages.1.content.0",
            kind="web_search_tool_result",
            id="srvtoolu_1",
            call="server_tool_use",
        ),
    ),
    "a search in another message than its result": (
        body([U, assistant(CALLS), U, assistant(text("x")), U]),
        OLD,
        server_tools.UNFINISHED.format(path="messages.1.content.0", kind="server_tool_use", id="srvtoolu_1"),
    ),
    "a search by the user": (
        body([user(CALLS)]),
        OLD,
        server_tools.USER.format(path="messages.0.content.0", kind="server_tool_use"),
    ),
    "a page from elsewhere": (
        body([U, assistant(*searched(encrypted_content="Zm9v"), text("x")), U]),
        OLD,
        server_tools.SEALED.format(path="messages.1.content.1.content.0", name="encrypted_content"),
    ),
    "a citation from elsewhere": (
        body([U, assistant(text("x", citations=[{**CITED, "encrypted_index": "Zm9v"}])), U]),
        OLD,
        server_tools.SEALED.format(path="messages.1.content.0.citations.0", name="encrypted_index"),
    ),
    "an id of another tool": (
        body([U, assistant({**CALLS, "id": "toolu_1"}), U]),
        OLD,
        "messages.1.content.0.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",
    ),
    "an input that is text": (
        body([U, assistant({**CALLS, "input": "{}"}), U]),
        OLD,
        "messages.1.content.0.server_tool_use.input: Input should be a valid dictionary",
    ),
    "a tool of an unknown type": (
        tools({"type": "teleport_20260101", "name": "teleport"}),
        OLD,
        "tools.0: Input tag 'teleport_20260101' found using 'type' does not match any of the expected tags",
    ),
    "a built-in tool by another name": (
        tools({"type": "bash_20250124", "name": "shell"}),
        OLD,
        "tools.0.bash_20250124.name: Input should be 'bash'",
    ),
    "a built-in tool with a schema": (
        tools({"type": "bash_20250124", "name": "bash", "input_schema": TOOL["input_schema"]}),
        OLD,
        "tools.0.bash_20250124.input_schema: Extra inputs are not permitted",
    ),
    "too many images": (
        body([user(*[image()] * 101)]),
        OLD,
        "Too much media: 0 document pages + 101 images > 100",
    ),
    "a file without an id": (
        body([user({"type": "image", "source": {"type": "file"}})]),
        OLD,
        "messages.0.content.0.image.source.file.file_id: Field required",
    ),
    "a large image": (
        body([user(image(data=b64encode(b"\x89PNG\r\n\x1a\n" + bytes(5 * 1024 * 1024)).decode()))]),
        OLD,
        "messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 5242888 bytes > 5242880 bytes",
    ),
}

ACCEPTED: dict[str, tuple[dict[str, Any], Terms]] = {
    "temperature in the first version": (body(temperature=1), OLD),
    "a document of the assistant in the first version": (body([U, assistant(PDF, text("x")), U]), OLD),
    "a field with its beta": (body(context_management={"edits": []}), with_betas("context-management")),
    "a field with another beta": (body(context_management={"edits": []}), with_betas("compact")),
    "a scope with its beta": (
        body([user(text("a", cache_control={"type": "ephemeral", "scope": "global"}))]),
        with_betas("prompt-caching-scope"),
    ),
    "an unknown block with its beta": (
        body([U, assistant(UNKNOWN, text("x")), U]),
        with_betas("emulated-blocks"),
    ),
    "a cache that is filled": (body(max_tokens=0), OLD),
    "system behind the user": (body([U, SYSTEM], model=OPUS), OLD),
    "system behind results": (
        rounds(called("a"), results("a"), SYSTEM, assistant(text("x")), U, model=OPUS),
        OLD,
    ),
    "system behind a search": (
        body([U, assistant(*searched()), SYSTEM, assistant(text("x")), U], model=OPUS),
        OLD,
    ),
    "interleaved thoughts": (rounds(assistant(*INTERLEAVED), results("a"), model=OPUS), OLD),
    "no thought of an answer": (rounds(assistant(text("x"), CALL), results("a"), model=OPUS), OLD),
    "a lost thought of an earlier answer": (
        rounds(assistant(*INTERLEAVED[:2], CALL), results("a"), assistant(text("x")), U, model=OPUS),
        OLD,
    ),
    "an answer in two messages": (
        rounds(assistant(*INTERLEAVED[:2]), assistant(*INTERLEAVED[2:]), results("a"), model=OPUS),
        OLD,
    ),
    "an answer behind a paused one": (
        rounds(assistant(*searched()), assistant(*INTERLEAVED), results("a"), model=OPUS),
        OLD,
    ),
    "a search and its citation": (body([U, assistant(*searched(), text("x", citations=[CITED])), U]), OLD),
    "a search that is paused": (body([U, assistant(CALLS)]), OLD),
    "built-in tools": (
        tools(
            {"type": "bash_20250124", "name": "bash"},
            {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"},
            {"type": "web_search_20250305", "name": "web_search", "max_uses": 2},
            {"type": "computer_toolset_20260801"},
        ),
        OLD,
    ),
    "a file by its id": (
        body([user({"type": "image", "source": {"type": "file", "file_id": "file_1"}})]),
        with_betas("files-api"),
    ),
    "an image and a reference in a result": (
        rounds(
            called("a"),
            results("a", content=[image(data=PNG), {"type": "tool_reference", "tool_name": "f"}]),
        ),
        OLD,
    ),
}
