"""Builds an answer in Anthropic's shape: a thought, then the text, then the calls, or the blocks of a script.

Source: platform.claude.com/docs/en/api/messages. A script's blocks get what only Anthropic can make: the signatures of
thoughts that have none, and the ids of calls that have none.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.anthropic_emulator.errors import TYPES, Refusal
from tests.support.anthropic_emulator.events import events_of
from tests.support.anthropic_emulator.models import find_model
from tests.support.anthropic_emulator.pairing import blocks_of
from tests.support.anthropic_emulator.placing import places_in
from tests.support.anthropic_emulator.signatures import redact, sign
from tests.support.anthropic_emulator.thinking import is_thinking
from tests.support.anthropic_emulator.usage import usage
from tests.support.emulated.answering import Prompt, Said, sample_of

Json = dict[str, Any]

_ID_PREFIXES = {"tool_use": "toolu", "server_tool_use": "srvtoolu", "mcp_tool_use": "mcptoolu"}
REFUSED = {"type": "refusal", "category": None, "explanation": None}


def call_id(sequence: int, index: int, kind: str = "tool_use") -> str:
    """Return a call id in Anthropic's form."""
    return f"{_ID_PREFIXES[kind]}_01Emulated{sequence:06d}{index:02d}"


def prompt_in(body: Json) -> Prompt:
    """Return the parts of a request that decide its answer."""
    spoken = [message for message in body["messages"] if message["role"] != "system"]
    newest = spoken[-1] if spoken else {"role": "user", "content": ""}
    blocks = blocks_of(newest)
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    choice = body.get("tool_choice") or {}
    tools = [tool for tool in body.get("tools") or () if "input_schema" in tool]
    return Prompt(
        newest=" ".join(texts),
        after_result=any(block["type"] == "tool_result" for block in blocks) and not texts,
        from_user=newest["role"] == "user",
        tools=tuple((tool["name"], tool["input_schema"]) for tool in tools),
        may_call=choice.get("type") != "none",
        parallel=not choice.get("disable_parallel_tool_use"),
        forced=choice.get("name"),
        thinks=is_thinking(body),
    )


def message(body: Json, said: Said, sequence: int) -> Json:
    """Return the answer to a request that does not stream."""
    blocks = _signed(body, _blocks(body, said, sequence), sequence)
    reason = said.ends if said.ends is not None and not _is_error(said) else _stop_reason(body, blocks)
    stops = body.get("stop_sequences") or (None,)
    return {
        "id": f"msg_01Emulated{sequence:06d}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": blocks,
        "stop_reason": reason,
        "stop_sequence": stops[0] if reason == "stop_sequence" else None,
        **({"stop_details": REFUSED} if reason == "refusal" else {}),
        "usage": usage(body, blocks),
    }


def events(body: Json, said: Said, sequence: int) -> Iterator[Json]:
    """Yield the events of a stream. One that the script ends with the type of an error breaks off with it."""
    error = None
    if _is_error(said):
        error = Refusal("A scripted failure.", type=said.ends).envelope()
    yield from events_of(message(body, said, sequence), error)


def _is_error(said: Said) -> bool:
    return said.ends in TYPES.values()


def _blocks(body: Json, said: Said, sequence: int) -> list[Json]:
    if body["max_tokens"] == 0:
        return []
    if said.items is not None:
        return [_named(item, sequence, index) for index, item in enumerate(said.items)]
    blocks: list[Json] = []
    if said.reasoning is not None:
        blocks.append({"type": "thinking", "thinking": said.reasoning})
    if said.text:
        blocks.append({"type": "text", "text": _as_asked(body, said.text)})
    for index, (name, arguments) in enumerate(said.calls):
        called = {"type": "tool_use", "id": call_id(sequence, index), "name": name, "input": dict(arguments)}
        blocks.append(called)
    return blocks


def _named(item: Mapping[str, Any], sequence: int, index: int) -> Json:
    if item["type"] in _ID_PREFIXES and "id" not in item:
        return {"type": item["type"], "id": call_id(sequence, index, item["type"]), **item}
    return dict(item)


def _signed(body: Json, blocks: list[Json], sequence: int) -> list[Json]:
    """Return *blocks* with signed thoughts, whose texts are left out where the request or the model says so."""
    model = find_model(body["model"])
    shows = "summarized" if model is None or model.shows_thoughts else "omitted"
    is_shown = ((body.get("thinking") or {}).get("display") or shows) == "summarized"
    for index, place in places_in(f"{sequence:06d}", blocks).items():
        block = blocks[index]
        if block["type"] == "redacted_thinking":
            block.setdefault("data", redact(f"hidden {index}", place))
        elif "signature" not in block:
            block["thinking"] = block["thinking"] if is_shown else ""
            block["signature"] = sign(block["thinking"], place)
    return blocks


def _as_asked(body: Json, text: str) -> str:
    """Return *text*, or JSON of the schema that was asked for where *text* is no JSON."""
    asked = (body.get("output_config") or {}).get("format") or {}
    if asked.get("type") != "json_schema":
        return text
    try:
        json.loads(text)
    except ValueError:
        properties = asked["schema"].get("properties") or {}
        return json.dumps({name: sample_of(name, of) for name, of in properties.items()})
    return text


def _stop_reason(body: Json, blocks: list[Json]) -> str:
    if body["max_tokens"] == 0:
        return "max_tokens"
    return "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
