"""Checks the tools that Anthropic runs itself: each result follows its call in the same message.

Sources: the text for a result alone, claude-code#64383. A call without a result is legal at the end of the last
assistant message alone, where the answer was paused. Sealed contents must come back as they were: from memory.
"""

from collections.abc import Iterator
from typing import Any

from tests.support.anthropic_emulator.pairing import blocks_of
from tests.support.anthropic_emulator.shapes import SERVER_RESULTS
from tests.support.anthropic_emulator.signatures import is_redacted

ALONE = (
    "{path}: unexpected `tool_use_id` found in `{kind}` blocks: {id}. "
    "Each `{kind}` block must have a corresponding `{call}` block before it."
)
UNFINISHED = "{path}: `{kind}` tool use with id {id} was found without a corresponding result block in the same message"
USER = "{path}: `{kind}` blocks can only be in `assistant` messages"
SEALED = "{path}.{name}: Invalid encrypted content"
_SEALED_NAMES = ("encrypted_content", "encrypted_index", "sealed")


def server_tool_faults(messages: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the error text of each fault in the calls and results of Anthropic's own tools."""
    last_assistant = max(
        (i for i, message in enumerate(messages) if message["role"] == "assistant"), default=-1
    )
    for index, message in enumerate(messages):
        open_calls: dict[str, tuple[str, str]] = {}
        for place, block in enumerate(blocks_of(message)):
            path, kind = f"messages.{index}.content.{place}", block["type"]
            yield from _sealed_faults(path, block)
            if kind not in SERVER_RESULTS and kind not in ("server_tool_use", "mcp_tool_use"):
                continue
            if message["role"] != "assistant":
                yield USER.format(path=path, kind=kind)
            if kind not in SERVER_RESULTS:
                open_calls[block["id"]] = (path, kind)
                continue
            called = open_calls.pop(block["tool_use_id"], None)
            if called is None or called[1] not in SERVER_RESULTS[kind]:
                call = SERVER_RESULTS[kind][0]
                yield ALONE.format(path=path, kind=kind, id=block["tool_use_id"], call=call)
        if index != last_assistant:
            for id_, (path, kind) in open_calls.items():
                yield UNFINISHED.format(path=path, kind=kind, id=id_)


def _sealed_faults(path: str, value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _sealed_faults(f"{path}.{index}", item)
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name in _SEALED_NAMES and not (isinstance(inner, str) and is_redacted(inner)):
                yield SEALED.format(path=path, name=name)
            elif name != "input":
                yield from _sealed_faults(f"{path}.{name}", inner)
