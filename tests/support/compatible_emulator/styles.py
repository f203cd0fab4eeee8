"""The shapes of whole answers and of streams, as each provider writes them.

Sources. Thoughts: console.groq.com/docs/reasoning, free-claude-code#1136 (Cerebras), docs.mistral.ai (Reasoning),
docs.databricks.com (Query reasoning models). Usage of streams: console.groq.com/docs (``x_groq``), pi#2016 (Moonshot),
api-discussion#209 (Perplexity), docs.mistral.ai, openrouter.ai/docs. Filters: openai-python#1677 (Azure). Comments:
api-docs.deepseek.com (keep-alive), openrouter.ai/docs. Roles and codes in a 200: platform.minimax.io. xAI's finish
reason and tokens of thoughts: litellm 1.105.3, `llms/xai`. Ollama's calls: old versions of its ``/v1`` [from memory].
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.support.emulated import Said, fragments

CREATED = 1_760_000_000
THOUGHT_TOKENS = 5

Thought = Literal["reasoning_content", "reasoning", "mistral", "databricks"]
Place = Literal["asked", "last", "x_groq", "choice", "each", "with_choice"]
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Style:
    """The shape of a provider's answers. The defaults are OpenAI's."""

    thought: Thought = "reasoning_content"
    """The field of a thought, or the form of the parts that hold it."""

    usage: Place = "asked"
    """The place of a stream's usage. In all places but ``asked`` it comes unasked."""

    pieces: bool = True
    """False where a stream brings each call whole, in one chunk."""

    index: Literal["counted", "none", "zero"] = "counted"
    """The index of streamed calls. Some servers write none, or zero for every call."""

    role: str | None = None
    """The role of every delta, where it has one. Otherwise the first delta alone has the role."""

    whole_finish: str = "tool_calls"
    stream_finish: str = "tool_calls"
    """The finish reasons of answers with calls."""

    first: tuple[str, ...] = ()
    """Events before the first chunk."""

    between: str = ""
    """An event between each two chunks."""

    cumulative: bool = False
    """True where each chunk has the whole message so far beside the delta."""

    done: bool = True
    """False where a stream ends without ``[DONE]``."""

    top: Mapping[str, Any] = field(default_factory=dict)
    """Further fields at the top of answers and chunks."""

    thoughts_beside: bool = False
    """True where the tokens of thoughts are not counted among those of the answer."""


OPENAI = Style()


def event(value: Any) -> str:
    """Return one event of a stream."""
    return f"data: {json.dumps(value)}\n\n"


def counts(sequence: int) -> tuple[int, int, int]:
    """Return the tokens of an answer's request, of the answer and of both, which the *sequence* number tells."""
    return 100 + sequence, 10 + sequence, 110 + 2 * sequence


def usage(sequence: int, style: Style) -> Json:
    """Return the usage of an answer in the provider's form."""
    prompt, completion, total = counts(sequence)
    counted: Json = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total}
    if style.thoughts_beside:
        details = {"reasoning_tokens": THOUGHT_TOKENS}
        counted |= {
            "completion_tokens": completion - THOUGHT_TOKENS,
            "completion_tokens_details": details,
        }
    return counted


def whole(model: str, said: Said, sequence: int, ids: list[str], style: Style) -> Json:
    """Return an answer that is not streamed."""
    message: Json = {"role": style.role or "assistant", **_content(said, style, [said.text or ""])[0]}
    if said.calls:
        message["tool_calls"] = [_call(call_id, *call) for call_id, call in zip(ids, said.calls, strict=True)]
        message.setdefault("content", None)
    if said.reasoning and style.thought in ("reasoning", "reasoning_content"):
        message[style.thought] = said.reasoning
    choice = {"index": 0, "message": message, "finish_reason": style.whole_finish if said.calls else "stop"}
    head = _head(model, sequence, "chat.completion", style)
    return {**head, "choices": [choice], "usage": usage(sequence, style)}


def events(
    model: str, said: Said, sequence: int, ids: list[str], style: Style, *, asked: bool
) -> Iterator[str]:
    """Yield the events of a stream, without the closing ``[DONE]``. *asked* tells whether usage was asked for."""
    head = _head(model, sequence, "chat.completion.chunk", style)
    counted = usage(sequence, style)
    yield from style.first
    told = ""
    deltas = [*_deltas(said, ids, style)]
    for delta in deltas:
        told += delta["content"] if isinstance(delta.get("content"), str) else ""
        yield event(_chunk(head, delta, None, told, counted, style))
        if style.between:
            yield style.between
    finish = style.stream_finish if said.calls else "stop"
    last = _chunk(head, {"content": ""} if style.cumulative else {}, finish, told, counted, style)
    if style.usage == "last":
        last["usage"] = counted
    elif style.usage == "x_groq":
        last["x_groq"] = {"id": "req_1", "usage": counted}
    elif style.usage == "choice":
        last["choices"][0]["usage"] = {**counted, "cached_tokens": 1}
    yield event(last)
    if style.usage == "asked" and asked:
        yield event({**head, "choices": [], "usage": counted})
    elif style.usage == "with_choice":
        choice = {"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}
        yield event({**head, "choices": [choice], "usage": counted})


def _chunk(head: Json, delta: Json, finish: str | None, told: str, counted: Json, style: Style) -> Json:
    choice: Json = {"index": 0, "delta": delta, "finish_reason": finish}
    if style.role is not None:
        delta["role"] = style.role
    if style.cumulative:
        choice["message"] = {"role": "assistant", "content": told}
    chunk = {**head, "choices": [choice]}
    return chunk | {"usage": counted} if style.usage == "each" else chunk


def _deltas(said: Said, ids: list[str], style: Style) -> Iterator[Json]:
    yield {"role": "assistant", "content": ""}
    if said.reasoning and style.thought in ("reasoning", "reasoning_content"):
        for fragment in fragments(said.reasoning):
            yield {style.thought: fragment}
    yield from _content(said, style, fragments(said.text or ""))
    for index, (call_id, call) in enumerate(zip(ids, said.calls, strict=True)):
        place = {"counted": {"index": index}, "zero": {"index": 0}, "none": {}}[style.index]
        entry = _call(call_id, *call)
        if not style.pieces:
            yield {"tool_calls": [{**place, **entry}]}
            continue
        yield {"tool_calls": [{**place, **entry, "function": {"name": call[0], "arguments": ""}}]}
        for fragment in fragments(entry["function"]["arguments"]):
            yield {"tool_calls": [{**place, "function": {"arguments": fragment}}]}


def _content(said: Said, style: Style, texts: Iterable[str]) -> list[Json]:
    """Return the messages or deltas of a thought in parts, and of the *texts*. A whole answer has one."""
    thought = said.reasoning
    parts: list[Any] = [text for text in texts if text]
    if not thought or style.thought in ("reasoning", "reasoning_content"):
        return [{"content": text} for text in parts] or [{}]
    form = _mistral_part if style.thought == "mistral" else _databricks_part
    written: list[Json] = [{"type": "text", "text": text} for text in parts]
    return [{"content": [form(thought), *written[:1]]}, *({"content": [one]} for one in written[1:])]


def _mistral_part(thought: str) -> Json:
    return {"type": "thinking", "thinking": [{"type": "text", "text": thought}]}


def _databricks_part(thought: str) -> Json:
    return {"type": "reasoning", "summary": [{"type": "summary_text", "text": thought, "signature": "s"}]}


def _call(call_id: str, name: str, arguments: Mapping[str, Any]) -> Json:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": call_id, "type": "function", "function": function}


def _head(model: str, sequence: int, kind: str, style: Style) -> Json:
    return {"id": f"c-{sequence}", "object": kind, "created": CREATED, "model": model, **style.top}


CallId = Callable[[int, int], str]
_FILTERS = {"hate": {"filtered": False, "severity": "safe"}}
_NO_HEAD = {"id": "", "object": "", "created": 0, "model": ""}

AZURE = Style(
    first=(
        event(
            {
                **_NO_HEAD,
                "choices": [],
                "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": _FILTERS}],
            }
        ),
    ),
    between=event(
        {
            **_NO_HEAD,
            "choices": [
                {
                    "index": 0,
                    "finish_reason": None,
                    "content_filter_results": _FILTERS,
                    "content_filter_offsets": {"check_offset": 44, "start_offset": 44, "end_offset": 198},
                }
            ],
            "usage": None,
        }
    ),
)
CEREBRAS = Style("reasoning", usage="last", pieces=False, top={"time_info": {"total_time": 0.1}})
DATABRICKS = Style("databricks", usage="last")
DEEPSEEK = Style(first=(": keep-alive\n\n",), between=": keep-alive\n\n")
GROQ = Style("reasoning", usage="x_groq", pieces=False)
MINIMAX = Style(
    usage="last",
    pieces=False,
    role="",
    top={"input_sensitive": False, "base_resp": {"status_code": 0, "status_msg": ""}},
)
MISTRAL = Style("mistral", usage="last", pieces=False)
MOONSHOT = Style(usage="choice")
OLLAMA = Style("reasoning", pieces=False, index="zero", whole_finish="stop", stream_finish="stop")
OPENROUTER = Style(
    "reasoning", usage="with_choice", first=(": OPENROUTER PROCESSING\n\n",), top={"provider": "BaseTen"}
)
PERPLEXITY = Style(
    usage="each",
    role="assistant",
    cumulative=True,
    done=False,
    top={"citations": ["https://a"], "search_results": [{"title": "t", "url": "https://a"}]},
)
UNNUMBERED = Style(pieces=False, index="none")
VLLM = Style("reasoning")
XAI = Style(pieces=False, whole_finish="", thoughts_beside=True)
