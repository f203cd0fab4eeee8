"""Bodies for Bedrock's judge: one per broken rule, with Bedrock's error text, and similar legal bodies."""

from typing import Any

from tests.support.anthropic_emulator import sign
from tests.support.anthropic_emulator.texts import PREFILL, TRAILING_SPACE
from tests.support.anthropic_emulator.thinking import MISSING
from tests.support.bedrock_emulator import judging as rules

CLAUDE = "anthropic.claude-sonnet-4-5-20250929-v1:0"
LLAMA = "us.meta.llama4-maverick-17b-instruct-v1:0"
THINKING = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
NAMED = "toolConfig.tools.1.member.toolSpec.name"


def user(*blocks: Any) -> dict[str, Any]:
    """Return a user message with *blocks*."""
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Any) -> dict[str, Any]:
    """Return an assistant message with *blocks*."""
    return {"role": "assistant", "content": list(blocks)}


def text(value: str = "Hello.") -> dict[str, Any]:
    """Return a text block."""
    return {"text": value}


def called(id: str, name: str = "f") -> dict[str, Any]:
    """Return the content block of a call."""
    return {"toolUse": {"toolUseId": id, "name": name, "input": {}}}


def result(id: str, *content: Any, **extra: Any) -> dict[str, Any]:
    """Return the content block of a result, for the call *id*."""
    return {"toolResult": {"toolUseId": id, "content": list(content or [text("ok")]), **extra}}


def thought(value: str = "Hm.", signature: str | None = None) -> dict[str, Any]:
    """Return the content block of a thought, without a signature unless *signature* is given."""
    told = {"text": value} if signature is None else {"text": value, "signature": signature}
    return {"reasoningContent": {"reasoningText": told}}


def tool(name: str = "f") -> dict[str, Any]:
    """Return a tool declaration."""
    return {"toolSpec": {"name": name, "inputSchema": {"json": {"type": "object"}}}}


TOOLS = (tool(),)


def body(*messages: Any, tools: Any = TOOLS, **fields: Any) -> dict[str, Any]:
    """Return the body of a request to Bedrock's Converse API with *messages*."""
    config = {"toolConfig": {"tools": list(tools)}} if tools else {}
    return {"messages": list(messages), **config, **fields}


U = user(text())
ROUND = [U, assistant(called("a")), user(result("a"))]

REFUSED: dict[str, tuple[str, Any, str]] = {
    "no messages": (CLAUDE, {}, "The messages field is required."),
    "users in a row": (CLAUDE, body(U, U), rules.ALTERNATE),
    "assistants in a row": (CLAUDE, body(U, assistant(text()), assistant(text()), U), rules.ALTERNATE),
    "user behind results": (CLAUDE, body(*ROUND, U), rules.ALTERNATE),
    "assistant first": (CLAUDE, body(assistant(text()), U), rules.START),
    "empty": (CLAUDE, body(U, assistant(), U), rules.EMPTY.format(index=1)),
    "blank": (CLAUDE, body(user(text(), text(" "))), rules.BLANK.format(index=0, place=1)),
    "blank system": (CLAUDE, body(U, system=[text("")]), rules.BLANK_SYSTEM.format(place=0)),
    "blank result": (
        CLAUDE,
        body(*ROUND[:2], user(result("a", text("")))),
        rules.BLANK.format(index=2, place="0.toolResult.content.0"),
    ),
    "more results than calls": (
        CLAUDE,
        body(*ROUND[:2], user(result("a"), result("b"))),
        rules.TOO_MANY.format(index=2),
    ),
    "a result without a call": (CLAUDE, body(user(result("a"))), rules.TOO_MANY.format(index=0)),
    "a call without a result": (
        CLAUDE,
        body(U, assistant(called("a"), called("b")), user(result("a"))),
        rules.EXPECTED.format(index=2, ids="b"),
    ),
    "a call at the end": (CLAUDE, body(*ROUND[:2]), rules.EXPECTED.format(index=2, ids="a")),
    "text beside a call": (
        LLAMA,
        body(U, assistant(text(), called("a")), user(result("a"))),
        rules.TEXT_BESIDE_CALL.format(index=1),
    ),
    "text beside a result": (
        LLAMA,
        body(*ROUND[:2], user(result("a"), text())),
        rules.TEXT_BESIDE_RESULT.format(index=2),
    ),
    "tools that are not declared": (CLAUDE, body(*ROUND, tools=()), rules.NO_CONFIG),
    "an error without a word": (
        CLAUDE,
        body(*ROUND[:2], user({"toolResult": {"toolUseId": "a", "content": [], "status": "error"}})),
        rules.EMPTY_ERROR.format(index=2, place=0),
    ),
    "bad name of a tool": (
        CLAUDE,
        body(U, tools=[tool("a.b")]),
        rules.PATTERN.format(value="a.b", field=NAMED),
    ),
    "long name of a tool": (
        CLAUDE,
        body(U, tools=[tool("a" * 65)]),
        rules.LONG.format(value="a" * 65, field=NAMED),
    ),
    "one name twice": (
        CLAUDE,
        body(U, tools=[tool(), tool()]),
        rules.DUPLICATE.format(name="f", index=1),
    ),
    "bad id": (
        CLAUDE,
        body(U, assistant(called("f:0")), user(result("f:0"))),
        rules.PATTERN.format(value="f:0", field="messages.2.member.content.1.member.toolUse.toolUseId"),
    ),
    "bad name of a call": (
        CLAUDE,
        body(U, assistant(called("a", "f.g")), user(result("a"))),
        rules.PATTERN.format(value="f.g", field="messages.2.member.content.1.member.toolUse.name"),
    ),
    "assistant last": (LLAMA, body(U, assistant(text())), rules.END),
    "assistant last on a newer Claude": (
        "us.anthropic.claude-opus-4-6-v1:0",
        body(U, assistant(text())),
        rules.OF_THE_MODEL.format(words=PREFILL),
    ),
    "trailing space": (
        CLAUDE,
        body(U, assistant(text("a "))),
        rules.OF_THE_MODEL.format(words=TRAILING_SPACE),
    ),
    "foreign thought": (
        CLAUDE,
        body(U, assistant(thought("Hm.", "Zm9v"), text()), U),
        rules.OF_THE_MODEL.format(words="messages.1.content.0: Invalid `signature` in `thinking` block"),
    ),
    "no thought before the calls": (
        CLAUDE,
        body(*ROUND, additionalModelRequestFields=THINKING),
        rules.OF_THE_MODEL.format(words=MISSING.format(index=1, found="tool_use")),
    ),
    "a thought with a signature for another": (
        LLAMA,
        body(U, assistant(thought("Hm.", "Zm9v"), text()), U),
        rules.NO_SIGNATURE,
    ),
}
ACCEPTED: dict[str, tuple[str, Any]] = {
    "a round": (LLAMA, body(*ROUND)),
    "parallel calls": (LLAMA, body(U, assistant(called("a"), called("b")), user(result("b"), result("a")))),
    "text beside both": (CLAUDE, body(U, assistant(text(), called("a")), user(result("a"), text()))),
    "prefill": (CLAUDE, body(U, assistant(text("a")))),
    "a thought": (CLAUDE, body(U, assistant(thought("Hm.", sign("Hm.")), called("a")), user(result("a")))),
    "thinking behind an answer": (
        CLAUDE,
        body(*ROUND, assistant(text()), U, additionalModelRequestFields=THINKING),
    ),
    "a plain thought": (LLAMA, body(U, assistant(thought("Hm."), text()), U)),
    "an id used again": (CLAUDE, body(*ROUND, *ROUND[1:])),
    "no tools": (LLAMA, body(U, tools=())),
}
