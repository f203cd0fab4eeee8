"""Builds the items and the response object of an answer, from the request and the answer's content.

A call has the type of the tool that the request declares. A tool within a namespace is named ``namespace__name`` in a
test's script. The namespace ``functions`` is reserved, and is left out of names and of calls.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.support.emulated.answering import Prompt, Said
from tests.support.responses_emulator.fields import declared_tools, reasons
from tests.support.responses_emulator.ids import call_id, item_id
from tests.support.responses_emulator.items import type_of
from tests.support.responses_emulator.pairing import OUTPUTS
from tests.support.responses_emulator.sealing import seal

CREATED = 1_760_000_000
SUMMARY = "The emulated summary of all that was said."
RESERVED = "functions"
CUSTOM_SCHEMA = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
ENDS = {"max_output_tokens": "incomplete", "content_filter": "incomplete"}
"""The status of an answer that ends as the script says. Any other word is the code of a failure."""

Json = dict[str, Any]


def prompt_in(body: Mapping[str, Any]) -> Prompt:
    """Return the parts of a request that decide its answer."""
    given = body["input"]
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    newest = items[-1] if items else {}
    choice = body.get("tool_choice")
    schemas = {name: _schema(tool) for name, (tool, _) in named_tools(body).items()}
    return Prompt(
        newest=text_of(newest),
        after_result=type_of(newest) in OUTPUTS,
        from_user=newest.get("role") == "user",
        tools=tuple(schemas.items()),
        may_call=choice != "none",
        parallel=body.get("parallel_tool_calls") is not False,
        forced=choice.get("name") if isinstance(choice, dict) else None,
        thinks=thinks(body),
    )


def thinks(body: Mapping[str, Any]) -> bool:
    """Tell whether the model reasons before it answers."""
    return reasons(body.get("model")) and (body.get("reasoning") or {}).get("effort") != "none"


def named_tools(body: Mapping[str, Any]) -> dict[str, tuple[Mapping[str, Any], str | None]]:
    """Return each tool that the client runs, with its namespace, by the name that a script calls it by."""
    return {
        name if outer is None else f"{outer}__{name}": (tool, outer)
        for outer, name, tool in _named(declared_tools(body), None)
    }


def _named(
    tools: Sequence[Mapping[str, Any]], outer: str | None
) -> Iterator[tuple[str | None, str, Mapping[str, Any]]]:
    for tool in tools:
        if tool.get("type") == "namespace":
            yield from _named(tool.get("tools") or (), None if tool["name"] == RESERVED else tool["name"])
        elif tool.get("type") in ("function", "custom"):
            yield outer, tool["name"], tool


def _schema(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    return CUSTOM_SCHEMA if tool["type"] == "custom" else tool.get("parameters") or {}


def text_of(item: Mapping[str, Any]) -> str:
    """Return the texts of a message, joined by spaces."""
    content = item.get("content") or ""
    if isinstance(content, str):
        return content
    return " ".join(part["text"] for part in content if "text" in part)


def output_of(body: Mapping[str, Any], said: Said, sequence: int, owner: str) -> list[Json]:
    """Return the items of an answer. A model that reasons begins with a thought."""
    if said.items is not None:
        return [dict(item) for item in said.items]
    if _asks_for_summary(body):
        sealed = seal(item_id("compaction", sequence, 0), owner, said.text or SUMMARY)
        return [{"id": item_id("compaction", sequence, 0), "type": "compaction", "encrypted_content": sealed}]
    items: list[Json] = []
    if said.reasoning is not None:
        items.append(_thought(body, said.reasoning, sequence, owner))
    thought = 0 if items else None
    if said.text is not None:
        text = _as_asked(body, said.text)
        part: Json = {"type": "output_text", "annotations": [], "logprobs": [], "text": text}
        phase = {"phase": "commentary" if said.calls else "final_answer"} if items else {}
        id_ = item_id("message", sequence, len(items), thought)
        message = {"id": id_, "type": "message", "status": "completed", "content": [part], **phase}
        items.append({**message, "role": "assistant"})
    tools = named_tools(body)
    for index, (name, arguments) in enumerate(said.calls):
        tool, namespace = tools.get(name, ({"type": "function", "name": name}, None))
        kind, field, value = "function_call", "arguments", json.dumps(arguments, ensure_ascii=False)
        if tool["type"] == "custom":
            kind, field, value = "custom_tool_call", "input", str(arguments["input"])
        call: Json = {"id": item_id(kind, sequence, len(items), thought), "type": kind, "status": "completed"}
        call |= {field: value, "call_id": call_id(sequence, index), "name": tool["name"]}
        items.append(call if namespace is None else {**call, "namespace": namespace})
    if said.ends is not None and items and "status" in items[-1]:
        items[-1]["status"] = "incomplete"
    return items


def _asks_for_summary(body: Mapping[str, Any]) -> bool:
    given = body["input"]
    return isinstance(given, list) and bool(given) and type_of(given[-1]) == "compaction_trigger"


def _thought(body: Mapping[str, Any], text: str, sequence: int, owner: str) -> Json:
    id_ = item_id("reasoning", sequence, 0)
    shown = (body.get("reasoning") or {}).get("summary")
    thought: Json = {"id": id_, "type": "reasoning"}
    if "reasoning.encrypted_content" in (body.get("include") or ()):
        thought["encrypted_content"] = seal(id_, owner, text)
    return {**thought, "summary": [{"type": "summary_text", "text": text}] if shown else []}


def _as_asked(body: Mapping[str, Any], text: str) -> str:
    """Return *text*, or JSON of the schema that was asked for where *text* is no JSON."""
    asked = (body.get("text") or {}).get("format") or {}
    if asked.get("type") != "json_schema":
        return text
    try:
        json.loads(text)
    except ValueError:
        samples: Json = {"integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}}
        properties = asked["schema"].get("properties") or {}
        return json.dumps(
            {name: samples.get(of.get("type"), f"some {name}") for name, of in properties.items()}
        )
    return text


def response_of(body: Mapping[str, Any], sequence: int, output: Sequence[Json], said: Said | None) -> Json:
    """Return the response object, with the request's fields as OpenAI repeats them. Without *said* it has begun."""
    status = "in_progress" if said is None else ENDS.get(said.ends or "", "failed")
    status = "completed" if said is not None and said.ends is None else status
    error = {"code": said.ends, "message": "A scripted failure."} if said and status == "failed" else None
    why = {"reason": said.ends} if said and status == "incomplete" else None
    text = {"format": {"type": "text"}, "verbosity": "medium", **(body.get("text") or {})}
    return {
        "id": f"resp_emulated{sequence:06d}",
        "object": "response",
        "created_at": CREATED + sequence,
        "status": status,
        "background": False,
        "completed_at": CREATED + sequence + 1 if status == "completed" else None,
        "error": error,
        "frequency_penalty": 0.0,
        "incomplete_details": why,
        "instructions": body.get("instructions"),
        "max_output_tokens": body.get("max_output_tokens"),
        "max_tool_calls": body.get("max_tool_calls"),
        "metadata": body.get("metadata") or {},
        "model": body["model"],
        "output": list(output),
        "parallel_tool_calls": body.get("parallel_tool_calls") is not False,
        "presence_penalty": 0.0,
        "previous_response_id": None,
        "prompt_cache_key": body.get("prompt_cache_key"),
        "reasoning": {"effort": None, "summary": None, **(body.get("reasoning") or {})},
        "safety_identifier": body.get("safety_identifier"),
        "service_tier": "default",
        "store": body.get("store") is not False,
        "temperature": body.get("temperature") or 1.0,
        "text": text,
        "tool_choice": body.get("tool_choice") or "auto",
        "tools": [_completed(tool) for tool in body.get("tools") or ()],
        "top_logprobs": body.get("top_logprobs") or 0,
        "top_p": body.get("top_p") or 1.0,
        "truncation": body.get("truncation") or "disabled",
        "usage": None if said is None or status == "failed" else usage(body, output),
        "user": body.get("user"),
    }


def _completed(tool: Mapping[str, Any]) -> Json:
    """Return *tool* with the keys that OpenAI adds to a function."""
    added: Json = {"description": None, "parameters": None, "strict": True}
    return {**(added if tool.get("type") == "function" else {}), **tool}


def usage(body: Mapping[str, Any], output: Sequence[Json]) -> Json:
    """Return plausible token counts, at four characters per token."""
    shaping = [body.get(name) for name in ("instructions", "input", "tools")]
    asked = 3 + len(json.dumps(shaping, ensure_ascii=False)) // 4
    thoughts = 7 * sum(item["type"] == "reasoning" for item in output)
    visible = [item for item in output if item["type"] != "reasoning"]
    made = thoughts + 1 + len(json.dumps(visible, ensure_ascii=False)) // 4
    return {
        "input_tokens": asked,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": made,
        "output_tokens_details": {"reasoning_tokens": thoughts},
        "total_tokens": asked + made,
    }
