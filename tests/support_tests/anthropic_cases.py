"""Bodies for Anthropic's judge: one per broken rule, with Anthropic's error text, and similar legal bodies."""

from base64 import b64encode
from typing import Any

from tests.support.anthropic_emulator import redact, sign
from tests.support.anthropic_emulator import thinking as thoughts
from tests.support.anthropic_emulator.inline_system import SYSTEM_ROLE
from tests.support.anthropic_emulator.shapes import MESSAGE_BLOCKS
from tests.support.anthropic_emulator.terms import BETA_BLOCKS
from tests.support.anthropic_emulator.texts import EMPTY_MESSAGE, PREFILL, TRAILING_SPACE
from tests.support.anthropic_emulator.tools import NO_TOOLS
from tests.support.builders import PNG_URL

MODEL = "claude-sonnet-4-5"
PNG = PNG_URL.partition(",")[2]
U = {"role": "user", "content": "Hello."}
TOOL = {"name": "f", "description": "d", "input_schema": {"type": "object", "properties": {}}}
THINKING = {"type": "enabled", "budget_tokens": 1024}
MARK = {"type": "ephemeral"}


def body(messages: Any = (U,), **fields: Any) -> dict[str, Any]:
    """Return a request to Anthropic's Messages API with *messages*."""
    return {"model": MODEL, "max_tokens": 4096, "messages": list(messages), **fields}


def without(fields: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a copy of *fields* without the field *name*."""
    return {key: value for key, value in fields.items() if key != name}


def text(value: Any, **extra: Any) -> dict[str, Any]:
    """Return a text block."""
    return {"type": "text", "text": value, **extra}


def called(*ids: str, before: Any = (), **extra: Any) -> dict[str, Any]:
    """Return an assistant message with a call for each of *ids*, after the blocks *before*."""
    blocks = [{"type": "tool_use", "id": id, "name": "f", "input": {}, **extra} for id in ids]
    return {"role": "assistant", "content": [*before, *blocks]}


def results(*ids: str, after: Any = (), **extra: Any) -> dict[str, Any]:
    """Return a user message with a result for each call in *ids*, followed by the blocks *after*."""
    blocks = [{"type": "tool_result", "tool_use_id": id, "content": "ok", **extra} for id in ids]
    return {"role": "user", "content": [*blocks, *after]}


def user(*blocks: Any) -> dict[str, Any]:
    """Return a user message with *blocks*."""
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Any) -> dict[str, Any]:
    """Return an assistant message with *blocks*."""
    return {"role": "assistant", "content": list(blocks)}


def image(media_type: str = "image/png", data: str = PNG) -> dict[str, Any]:
    """Return an image block."""
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


def thought(value: str = "Hm.", signature: str | None = None) -> dict[str, Any]:
    """Return a thinking block, with a valid signature unless *signature* is given."""
    return {"type": "thinking", "thinking": value, "signature": signature or sign(value)}


def rounds(*messages: Any, **fields: Any) -> dict[str, Any]:
    """Return a request with a declared tool. Its history is a user message, followed by *messages*."""
    return body([U, *messages], tools=[TOOL], **fields)


def tools(*declared: Any, **fields: Any) -> dict[str, Any]:
    """Return a request that declares the tools *declared*."""
    return body(tools=list(declared), **fields)


def schema(**fields: Any) -> dict[str, Any]:
    """Return a tool declaration whose input schema has *fields*."""
    return {**TOOL, "input_schema": fields}


UNANSWERED = (
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. "
    "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
)
ORPHAN = (
    "{path}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. "
    "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
)
BLANK = "messages: text content blocks must contain non-whitespace text"
EMPTY = "messages: text content blocks must be non-empty"

TAGS = ", ".join(f"'{kind}'" for kind in sorted({*MESSAGE_BLOCKS} - {*BETA_BLOCKS}))

REFUSED: dict[str, tuple[Any, str]] = {
    "no JSON": (None, "The request body is not valid JSON: expected value at line 1 column 1"),
    "no max_tokens": (without(body(), "max_tokens"), "max_tokens: Field required"),
    "no model": (without(body(), "model"), "model: Field required"),
    "no messages": (without(body(), "messages"), "messages: Field required"),
    "max_tokens of text": (body(max_tokens="1"), "max_tokens: Input should be a valid integer"),
    "negative max_tokens": (body(max_tokens=-1), "max_tokens: must be greater than or equal to 0"),
    "messages in no list": (
        {**body(), "messages": "Hello."},
        "messages: Input should be a valid list",
    ),
    "system in no list": (body(system=5), "system: Input should be a valid list"),
    "unknown field in system": (
        body(system=[text("a", x=1)]),
        "system.0.text.x: Extra inputs are not permitted",
    ),
    "message of text": (body(["Hello."]), "messages.0: Input should be a valid dictionary"),
    "message without a role": (body([without(U, "role")]), "messages.0.role: Field required"),
    "block of text": (body([user("Hello.")]), "messages.0.content.0: Input should be a valid dictionary"),
    "text without text": (body([user({"type": "text"})]), "messages.0.content.0.text.text: Field required"),
    "text of a number": (
        body([user(text(5))]),
        "messages.0.content.0.text.text: Input should be a valid string",
    ),
    "image without a source": (
        body([user({"type": "image"})]),
        "messages.0.content.0.image.source: Field required",
    ),
    "call without an input": (
        rounds(assistant({"type": "tool_use", "id": "a", "name": "f"}), results("a")),
        "messages.1.content.0.tool_use.input: Field required",
    ),
    "result in no list": (
        rounds(called("a"), results("a", content=5)),
        "messages.2.content.0.tool_result.content: Input should be a valid list",
    ),
    "call in a result": (
        rounds(called("a"), results("a", content=called("b")["content"])),
        "messages.2.content.0.tool_result.content.0: Input tag 'tool_use' found using 'type' does not match any "
        "of the expected tags: 'document', 'image', 'search_result', 'text', 'tool_reference'",
    ),
    "mark for a year": (
        body([user(text("a", cache_control={"type": "ephemeral", "ttl": "1y"}))]),
        "messages.0.content.0.cache_control.ephemeral.ttl: Input should be '5m' or '1h'",
    ),
    "empty messages": (body([]), "messages: at least one message is required"),
    "unknown model": (body(model="gpt-4.1"), "model: gpt-4.1"),
    "unknown field": (body(logprobs=True), "logprobs: Extra inputs are not permitted"),
    "unknown field of a message": (
        body([{**U, "name": "bob"}]),
        "messages.0.name: Extra inputs are not permitted",
    ),
    "unknown field of a block": (
        body([user(text("a", x=1))]),
        "messages.0.content.0.text.x: Extra inputs are not permitted",
    ),
    "unknown field of a tool": (
        tools({**TOOL, "parameters": {}}),
        "tools.0.custom.parameters: Extra inputs are not permitted",
    ),
    "role system": (body([{"role": "system", "content": "a"}, U]), SYSTEM_ROLE),
    "role tool": (
        body([U, {"role": "tool", "content": "a"}]),
        'messages: Unexpected role "tool". Allowed roles are "user" or "assistant".',
    ),
    "system is no text": (body(system=[image()]), "system.0.type: Input should be 'text'"),
    "block of an unknown type": (
        body([user({"type": "image_url"})]),
        "messages.0.content.0: Input tag 'image_url' found using 'type' does not match any of the expected tags: "
        + TAGS,
    ),
    "content is null": (
        body([{"role": "user", "content": None}]),
        "messages.0.content: Input should be a valid list",
    ),
    "assistant first": (
        body([assistant(text("a")), U]),
        'messages: first message must use the "user" role',
    ),
    "empty content": (body([U, {"role": "assistant", "content": ""}, U]), EMPTY_MESSAGE),
    "empty text": (body([user(text(""))]), EMPTY),
    "empty text in a result": (rounds(called("a"), results("a", content=[text("")])), EMPTY),
    "blank text": (body([user(text(" \n"))]), BLANK),
    "blank content": (body([{"role": "user", "content": " "}]), BLANK),
    "empty system": (body(system=[text("")]), "system: text content blocks must be non-empty"),
    "empty error": (
        rounds(called("a"), results("a", content="", is_error=True)),
        "messages.2.content.0: `tool_result` content cannot be empty if `is_error` is true",
    ),
    "trailing space": (body([U, assistant(text("a "))]), TRAILING_SPACE),
    "prefill on a new model": (body([U, assistant(text("a"))], model="claude-opus-4-6"), PREFILL),
    "prefill on a later one": (body([U, assistant(text("a"))], model="claude-sonnet-5"), PREFILL),
    "unanswered": (rounds(called("a", "b"), results("a")), UNANSWERED.format(ids="b")),
    "unanswered at the end": (rounds(called("a")), UNANSWERED.format(ids="a")),
    "text before the results": (
        rounds(called("a"), user(text("x"), *results("a")["content"])),
        UNANSWERED.format(ids="a"),
    ),
    "answered too late": (
        rounds(called("a"), U, assistant(text("x")), results("a")),
        UNANSWERED.format(ids="a"),
    ),
    "orphan": (
        body([results("a")], tools=[TOOL]),
        ORPHAN.format(path="messages.0.content.0", id="a"),
    ),
    "orphan in a block": (
        rounds(called("a"), results("a", "z")),
        ORPHAN.format(path="messages.2.content.1", id="z"),
    ),
    "two results": (
        rounds(called("a"), results("a", "a")),
        "messages.2.content.1: each tool_use must have a single result. "
        "Found multiple `tool_result` blocks with id: a",
    ),
    "an id twice in a message": (
        rounds(called("a", "a"), results("a")),
        "messages.1.content.1: `tool_use` ids must be unique",
    ),
    "an id used again": (
        rounds(called("a"), results("a"), called("a"), results("a")),
        "messages.3.content.0: `tool_use` ids must be unique",
    ),
    "call by the user": (
        body([user(*called("a")["content"])], tools=[TOOL]),
        "messages.0.content.0: `tool_use` blocks can only be in `assistant` messages",
    ),
    "result of the assistant": (
        rounds(called("a"), results("a"), assistant(*results("a")["content"]), U),
        "messages.3.content.0: `tool_result` blocks can only be in `user` messages",
    ),
    "image of the assistant": (
        body([U, assistant(image()), U]),
        "messages.1.content.0: `image` blocks can only be in `user` messages",
    ),
    "bad call id": (
        rounds(called("functions.f:0"), results("functions.f:0")),
        "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ),
    "bad result id": (
        rounds(called("a"), results("a.b")),
        "messages.2.content.0.tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ),
    "bad name of a call": (
        rounds(called("a", name="a.b"), results("a")),
        "messages.1.content.0.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ),
    "input is a list": (
        rounds(called("a", input=[1]), results("a")),
        "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
    ),
    "no tools for the history": (body([U, called("a"), results("a")]), NO_TOOLS),
    "bad name of a tool": (
        tools({**TOOL, "name": "a.b"}),
        "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ),
    "long name of a tool": (
        tools({**TOOL, "name": "a" * 129}),
        "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ),
    "one name twice": (tools(TOOL, TOOL), "tools: Tool names must be unique."),
    "no schema": (
        tools(without(TOOL, "input_schema")),
        "tools.0.custom.input_schema: Field required",
    ),
    "schema of text": (
        tools({**TOOL, "input_schema": "{}"}),
        "tools.0.custom.input_schema: Input should be a valid dictionary",
    ),
    "schema without a type": (tools(schema()), "tools.0.custom.input_schema.type: Field required"),
    "schema of a string": (
        tools(schema(type="string")),
        "tools.0.custom.input_schema.type: Input should be 'object'",
    ),
    "anyOf at the top": (
        tools(schema(type="object", anyOf=[{"required": ["a"]}])),
        "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
    ),
    "schema is no schema": (
        tools(schema(type="object", properties={"a": {"type": "float"}})),
        "tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 "
        "(https://json-schema.org/draft/2020-12). Learn more about tool use at "
        "https://docs.anthropic.com/en/docs/tool-use.",
    ),
    "bad name of a property": (
        tools(schema(type="object", properties={"a b": {}})),
        "tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
    ),
    "a choice alone": (
        body(tool_choice={"type": "auto"}),
        "tool_choice: tool_choice may only be specified while providing tools",
    ),
    "choice of nothing": (
        tools(TOOL, tool_choice={"type": "tool", "name": "g"}),
        "Tool 'g' not found in provided tools",
    ),
    "choice of another kind": (
        tools(TOOL, tool_choice={"type": "required"}),
        "tool_choice: Input tag 'required' found using 'type' does not match any of the expected tags: "
        "'auto', 'any', 'tool', 'none'",
    ),
    "image of another type": (
        body([user(image("image/bmp"))]),
        "messages.0.content.0.image.source.base64.media_type: "
        "Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    ),
    "image in no base64": (
        body([user(image(data="%%%"))]),
        "messages.0.content.0.image.source.base64: invalid base64 data",
    ),
    "image of nothing": (
        body([user(image(data=""))]),
        "messages.0.content.0.image.source.base64.data: image cannot be empty",
    ),
    "image that is another": (
        body([user(image("image/jpeg"))]),
        "messages.0.content.0.image.source.base64.data: "
        "Image does not match the provided media type image/jpeg",
    ),
    "image in a result": (
        rounds(called("a"), results("a", content=[image("image/bmp")])),
        "messages.2.content.0.tool_result.content.0.image.source.base64.media_type: "
        "Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    ),
    "image of another source": (
        body([user({"type": "image", "source": {"type": "gs"}})]),
        "messages.0.content.0.image.source: Input tag 'gs' found using 'type' does not match any of the expected "
        "tags: 'base64', 'file', 'url'",
    ),
    "image by http": (
        body([user({"type": "image", "source": {"type": "url", "url": "http://a/b.png"}})]),
        "messages.0.content.0.image.source.url.url: Only HTTPS URLs are supported.",
    ),
    "hot": (body(temperature=1.5), "temperature: range: 0..1"),
    "top_p above one": (body(top_p=1.5), "top_p: range: 0..1"),
    "both": (
        body(temperature=0.5, top_p=0.5),
        "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
    ),
    "temperature on a newer model": (
        body(temperature=0.5, model="claude-opus-4-7"),
        "`temperature` is deprecated for this model.",
    ),
    "blank stop": (
        body(stop_sequences=[" "]),
        "stop_sequences: each stop sequence must contain non-whitespace",
    ),
    "five marks": (
        body([user(*[text("a", cache_control=MARK)] * 5)]),
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    "mark of another kind": (
        body([user(text("a", cache_control={"type": "forever"}))]),
        "messages.0.content.0.cache_control.type: Input should be 'ephemeral'",
    ),
    "mark on nothing": (
        body([user(text("", cache_control=MARK))]),
        "messages.0.content.0.text: cache_control cannot be set for empty text blocks",
    ),
    "no thought before the calls": (
        rounds(called("a"), results("a"), thinking=THINKING),
        thoughts.MISSING.format(index=1, found="tool_use"),
    ),
    "no thought before the text": (
        rounds(called("a", before=[text("x")]), results("a"), thinking=THINKING),
        thoughts.MISSING.format(index=1, found="text"),
    ),
    "no thought before a prefill": (
        body([U, assistant(text("x"))], thinking=THINKING),
        thoughts.MISSING.format(index=1, found="text"),
    ),
    "foreign signature": (
        body([U, assistant(thought(signature=b64encode(b"foreign").decode()), text("x")), U]),
        "messages.1.content.0: Invalid `signature` in `thinking` block",
    ),
    "signature of another thought": (
        body([U, assistant(thought("A.", sign("B.")), text("x")), U]),
        "messages.1.content.0: Invalid `signature` in `thinking` block",
    ),
    "foreign data": (
        body([U, assistant({"type": "redacted_thinking", "data": "Zm9v"}, text("x")), U]),
        "messages.1.content.0: Invalid `data` in `redacted_thinking` block",
    ),
    "a thought alone": (
        body([U, assistant(thought()), U]),
        "messages.1: The final block in an assistant message cannot be `thinking`.",
    ),
    "a thought at the end while it is off": (
        body([U, assistant(thought(), text("x"))]),
        thoughts.OFF.format(index=1),
    ),
    "no budget": (
        body(thinking={"type": "enabled"}),
        "thinking.enabled.budget_tokens: Field required",
    ),
    "small budget": (
        body(thinking={"type": "enabled", "budget_tokens": 1023}),
        thoughts.BUDGET_LOW,
    ),
    "budget above max_tokens": (body(thinking=THINKING, max_tokens=1024), thoughts.BUDGET_HIGH),
    "cool thinking": (body(thinking=THINKING, temperature=0.5), thoughts.TEMPERATURE),
    "thinking with top_p": (body(thinking=THINKING, top_p=0.5), thoughts.TOP_P),
    "thinking with top_k": (body(thinking=THINKING, top_k=5), thoughts.TOP_K),
    "thinking with forced tools": (
        tools(TOOL, thinking=THINKING, tool_choice={"type": "any"}),
        thoughts.FORCED,
    ),
    "thinking of an old model": (
        body(thinking=THINKING, model="claude-3-5-sonnet-20241022"),
        "'claude-3-5-sonnet-20241022' does not support thinking.",
    ),
    "adaptive thinking of an old model": (body(thinking={"type": "adaptive"}), thoughts.NO_ADAPTIVE),
    "thinking by budget of a new model": (
        body(thinking=THINKING, model="claude-opus-4-7"),
        thoughts.NO_ENABLED,
    ),
    "thinking of another kind": (
        body(thinking={"type": "high"}),
        "thinking: Input tag 'high' found using 'type' does not match any of the expected tags: "
        "'adaptive', 'disabled', 'enabled'",
    ),
}

ACCEPTED: dict[str, dict[str, Any]] = {
    "a question": body(),
    "with a system prompt": body(system=[text("Be brief.", cache_control=MARK)]),
    "neighbours of one role": body([U, U, assistant(text("a")), assistant(text("b")), U]),
    "prefill": body([U, assistant(text("a"))]),
    "empty prefill": body([U, {"role": "assistant", "content": ""}]),
    "a round": rounds(called("a", "b"), results("b", "a", after=[text("go on")])),
    "results in two messages": rounds(called("a", "b"), results("a"), results("b")),
    "a call behind a text": rounds(called("a", before=[text("x")]), results("a")),
    "a result of nothing": rounds(called("a"), results("a", content="")),
    "a result with an image": rounds(called("a"), results("a", content=[text("x"), image()])),
    "four marks": body([user(*[text("a", cache_control={"type": "ephemeral", "ttl": "1h"})] * 4)]),
    "a forced tool": tools(TOOL, tool_choice={"type": "tool", "name": "f"}),
    "an image by https": body([user({"type": "image", "source": {"type": "url", "url": "https://a/b.png"}})]),
    "thinking": rounds(called("a", before=[thought()]), results("a"), thinking=THINKING),
    "a redacted thought": rounds(
        called("a", before=[{"type": "redacted_thinking", "data": redact("Hm.")}]),
        results("a"),
        thinking=THINKING,
    ),
    "thinking once in a run of calls": rounds(
        called("a", before=[thought()]), results("a"), called("b"), results("b"), thinking=THINKING
    ),
    "thinking behind an answer": rounds(
        called("a"), results("a"), assistant(text("x")), U, thinking=THINKING
    ),
    "thoughts while it is off": rounds(called("a", before=[thought()]), results("a")),
    "adaptive thinking": body(thinking={"type": "adaptive"}, model="claude-sonnet-4-6"),
    "adaptive thinking behind calls without a thought": rounds(
        called("a"), results("a"), thinking={"type": "adaptive"}, model="claude-sonnet-4-6"
    ),
    "temperature on an old model": body(temperature=0.5, top_p=0.5, model="claude-3-7-sonnet-20250219"),
}
