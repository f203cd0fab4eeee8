"""Lists of messages of Anthropic's API that break one of its rules, as its clients and their bridges were seen to send.

Each list is repaired for every provider, but for those of `UNREADABLE` and `CLAUDE_ALONE`.
"""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from tests.support.anthropic_emulator import redact
from tests.support_tests.anthropic_cases import (
    MARK,
    U,
    assistant,
    called,
    image,
    results,
    text,
    thought,
    user,
)

Json = dict[str, Any]

FOREIGN = b64encode(b"foreign").decode()
BEHIND = assistant(text("Done."))
NEXT = user(text("And now?"))


def system(value: Any) -> Json:
    """Return an inline system message."""
    return {"role": "system", "content": value}


def result(id: str, content: Any, **extra: Any) -> Json:
    """Return a result block."""
    return {"type": "tool_result", "tool_use_id": id, "content": content, **extra}


def calling(**fields: Any) -> Json:
    """Return an assistant message with the call *a*, whose fields are changed."""
    use = {"type": "tool_use", "id": "a", "name": "f", "input": {}} | fields
    return assistant({name: value for name, value in use.items() if value is not ...})


BROKEN: dict[str, list[Json]] = {
    "text before the results": [U, called("a"), user(text("Stop."), result("a", "one"))],
    "image before the results": [U, called("a"), user(image(), result("a", "one"))],
    "results around a text": [
        *(U, called("a", "b")),
        user(result("a", "one"), text("between"), result("b", "two")),
    ],
    "results split over messages": [U, called("a", "b"), results("a"), results("b"), NEXT],
    "results split by an answer": [
        *(U, called("a", "b"), user(result("a", "one")), assistant(text("I see."))),
        *(user(result("b", "two")), NEXT),
    ],
    "results in order of completion": [
        *(U, called("a", "b", "c", "d")),
        user(result("c", "3"), result("a", "1"), result("b", "2"), result("d", "4")),
    ],
    "one result missing": [U, called("a", "b"), user(result("a", "one")), BEHIND, NEXT],
    "no results": [U, called("a", "b"), NEXT],
    "calls at the end": [U, called("a", "b")],
    "orphan at the start": [user(result("z", "lost")), BEHIND, NEXT],
    "orphan among results": [U, called("a"), user(result("z", "lost"), result("a", "one")), BEHIND, NEXT],
    "result before its call": [U, user(result("a", "one"), text("Go.")), called("a"), NEXT],
    "result much too late": [U, called("a"), user(text("x")), BEHIND, user(result("a", "one"))],
    "two results for one call": [U, called("a"), user(result("a", "one"), result("a", "two")), BEHIND, NEXT],
    "an id twice in a message": [
        *(U, called("a", "a"), user(result("a", "one"), result("a", "two")), BEHIND, NEXT),
    ],
    "an id used again": [
        *(U, called("a"), user(result("a", "one")), called("a"), user(result("a", "two")), BEHIND, NEXT),
    ],
    "illegal id": [U, called("functions.f:0"), results("functions.f:0"), BEHIND, NEXT],
    "long id": [U, called("c" * 300), results("c" * 300), BEHIND, NEXT],
    "illegal name": [U, called("a", name="my tool.v1"), results("a"), BEHIND, NEXT],
    "text behind a call": [U, assistant(*called("a")["content"], text("I called.")), results("a"), NEXT],
    "input in a text": [U, calling(input='{"q": 1}'), results("a"), BEHIND, NEXT],
    "input is a list": [U, calling(input=[1]), results("a"), BEHIND, NEXT],
    "input is null": [U, calling(input=None), results("a"), BEHIND, NEXT],
    "no input": [U, calling(input=...), results("a"), BEHIND, NEXT],
    "result without content": [U, called("a"), user({"type": "tool_result", "tool_use_id": "a"})],
    "empty result": [U, called("a"), user(result("a", []))],
    "empty text in a result": [U, called("a"), user(result("a", [text(""), text("one")]))],
    "failed result without words": [U, called("a"), user(result("a", "", is_error=True))],
    "failed result": [U, called("a"), user(result("a", "No such file.", is_error=True))],
    "image in a result": [U, called("a"), user(result("a", [text("See."), image()]))],
    "empty text of the user": [user(text("")), BEHIND, NEXT],
    "blank text of the user": [user(text(" \n"), text("Hi.")), BEHIND, NEXT],
    "empty content of the user": [{"role": "user", "content": ""}, BEHIND, NEXT],
    "no blocks of the user": [user(), BEHIND, NEXT],
    "empty content of the assistant": [U, {"role": "assistant", "content": ""}, NEXT],
    "no blocks of the assistant": [U, assistant(), NEXT],
    "blank text of the assistant": [U, assistant(text("\n\n")), NEXT],
    "empty text before a call": [U, called("a", before=[text("")]), results("a"), BEHIND, NEXT],
    "assistant first": [BEHIND, NEXT],
    "call first": [called("a"), results("a"), NEXT],
    "assistant last": [U, assistant(text("The answer is"))],
    "assistant last with a trailing blank": [U, assistant(text("The answer is "))],
    "neighbours of one role": [U, NEXT, BEHIND, assistant(text("Really.")), U],
    "thought of another maker": [U, assistant(thought("Hm.", FOREIGN), text("x")), NEXT],
    "thought of another maker at a call": [
        *(U, called("a", before=[thought("Hm.", FOREIGN)]), results("a")),
    ],
    "thought that was changed": [
        U,
        called("a", before=[thought("Hm!", thought("Hm.")["signature"])]),
        results("a"),
    ],
    "thought without a signature": [U, assistant({"type": "thinking", "thinking": "Hm."}, text("x")), NEXT],
    "thought with an empty signature": [
        *(U, assistant({"type": "thinking", "thinking": "Hm.", "signature": ""}, text("x")), NEXT),
    ],
    "thought behind its call": [U, assistant(*called("a")["content"], thought()), results("a")],
    "thought behind its text": [U, assistant(text("x"), thought(), *called("a")["content"]), results("a")],
    "thoughts merged": [U, called("a", before=[thought(), thought("Then.")]), results("a")],
    "thought alone": [U, assistant(thought()), NEXT],
    "thought at the end of a message": [U, assistant(text("x"), thought()), NEXT],
    "redacted thought of another maker": [
        *(U, assistant({"type": "redacted_thinking", "data": FOREIGN}, text("x")), NEXT),
    ],
    "redacted thought": [
        *(U, called("a", before=[{"type": "redacted_thinking", "data": redact("Hm.")}]), results("a")),
    ],
    "interleaved thoughts": [
        U,
        assistant(
            *(thought(), text("First."), thought("Then."), *called("a")["content"]),
            *(thought("Also."), *called("b")["content"]),
        ),
        results("b", "a"),
    ],
    "system first": [system("Be brief."), U, BEHIND, NEXT],
    "system last": [U, system("Be brief.")],
    "system between a call and its result": [U, called("a"), system("Be brief."), results("a")],
    "system behind an answer": [U, BEHIND, system("Be brief."), NEXT],
    "systems in a row": [U, system("Be brief."), system([text("Be kind.")]), BEHIND, NEXT],
    "system behind the results": [U, called("a"), results("a"), system("Be brief.")],
    "empty system": [U, system(""), BEHIND, NEXT],
    "five cache markers": [user(*[text(f"t{at}", cache_control=MARK) for at in range(5)]), BEHIND, NEXT],
    "cache marker on an empty text": [user(text("", cache_control=MARK), text("Hi."))],
    "cache marker on a thought": [U, assistant({**thought(), "cache_control": MARK}, text("x")), NEXT],
    "image of another type": [user(image("image/jpeg"), text("See."))],
}
"""Lists without a field ``system``. Each text in a list is there once."""

UNREADABLE: dict[str, tuple[list[Json], str]] = {
    "message that is a text": (["Hi."], "messages.0"),  # type: ignore[list-item]
    "message without a role": ([{"content": "Hi."}], "messages.0"),
    "unknown role": ([U, {"role": "critic", "content": "Hi."}], "messages.1"),
    "content that is a number": ([{"role": "user", "content": 5}], "messages.0"),
    "call by the user": ([user(*called("a")["content"]), results("a")], "messages.0.content.0"),
    "result of the assistant": (
        [U, called("a"), assistant(result("a", "one")), NEXT],
        "messages.2.content.0",
    ),
    "block that is a text": ([U, BEHIND, user("Hi.")], "messages.2.content.0"),
    "block without a type": ([user(text("x"), {"text": "Hi."})], "messages.0.content.1"),
    "text that is a number": ([user(text(5))], "messages.0.content.0"),
    "result of a number": ([U, called("a"), user(result("a", 5))], "messages.2.content.0"),
    "image without a source": ([user({"type": "image"})], "messages.0.content.0"),
    "image in no base64": ([user(image(data="%%%"))], "messages.0.content.0"),
}
"""Lists that nobody can read, with the path of the fault."""

CLAUDE_ALONE: dict[str, tuple[list[Json], str]] = {
    "unknown block": ([user(text("x"), {"type": "hologram", "x": 1})], "messages.0.content.1"),
    "unknown block of the assistant": ([U, assistant({"type": "hologram"}), NEXT], "messages.1.content.0"),
    "container upload": ([user({"type": "container_upload", "file_id": "file_1"})], "messages.0.content.0"),
    "image at the provider": (
        [user(text("x"), {"type": "image", "source": {"type": "file", "file_id": "file_1"}})],
        "messages.0.content.1",
    ),
    "document at the provider": (
        [user({"type": "document", "source": {"type": "file", "file_id": "file_1"}})],
        "messages.0.content.0",
    ),
    "compaction": ([U, assistant({"type": "compaction", "content": "x"}), NEXT], "messages.1.content.0"),
}
"""Lists that only Claude may understand, with the path that a refusal for another provider names."""
