"""Composes the emulated model's answer, as a pure function of the request.

The answer calls each declared tool that the newest prompt names, once for each mention. Without a call, the answer is
generated JSON if the request asks for JSON. Otherwise it quotes the function responses at the request's end. Without
function responses there, it echoes the prompt.

Call ids and thought signatures are added for model generations that require signatures. For these generations, each
call has an ``id``. A thought signature is on the first call only, or at the end of a text
(ai.google.dev/gemini-api/docs/thought-signatures).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from proxy.emulator import signatures
from proxy.emulator.arguments import value_for
from proxy.emulator.contents import Content, view_contents
from proxy.emulator.models import Generation, Mixing
from proxy.emulator.tools import declarations

ECHOED_CHARACTERS = 80
QUOTED_CHARACTERS = 40
CHARACTERS_PER_TOKEN = 4
MEDIA_TOKENS = 258
"""Gemini's token count for an image tile (ai.google.dev/gemini-api/docs/tokens)."""
THOUGHTS_TOKENS = 16
MAX_CALLS = 32
MAX_CANDIDATES = 8
SCHEMA_FIELDS = ("responseSchema", "responseJsonSchema", "_responseJsonSchema")
ANY_ANSWER = {"type": "OBJECT", "properties": {"answer": {"type": "STRING"}}, "required": ["answer"]}


@dataclass(frozen=True)
class Answer:
    """A finished answer: the parts of every candidate, the finish reason, and the usage."""

    parts: tuple[Mapping[str, Any], ...]
    finish_reason: str
    usage: Mapping[str, int]
    response_id: str
    model: str
    candidates: int = 1
    text_signature: str | None = None
    """The signature of the last text part. A stream delivers it on an empty text part at the end."""
    trailing_stop: bool = False
    """True if a stream of calls ends with a chunk of empty text (python-genai#2868, envoy ai-gateway#2399)."""
    finish_message: str | None = None


@dataclass(frozen=True)
class Script:
    """An answer that a test has scripted, which replaces the composed one."""

    parts: tuple[Mapping[str, Any], ...] = field(default=())
    finish_reason: str = "STOP"
    finish_message: str | None = None


def compose(
    model: str,
    request: Mapping[str, Any],
    generation: Generation,
    *,
    seed: int = 0,
    script: Script | None = None,
) -> Answer:
    """Return the answer of *model* to *request*, a message that the judge has accepted.

    *seed* varies ids only. *script* replaces the composed parts, and gets the ids and signatures that it lacks.
    """
    contents = view_contents(request)
    settings = request.get("generationConfig") or {}
    digest = _digest(model, request, seed)
    candidate = script or Script(tuple(_compose_parts(request, contents, generation)))
    parts, finish_reason = candidate.parts, candidate.finish_reason
    if script is None:
        parts, finish_reason = _limited(parts, settings)
    text_signature = None
    if generation.signatures:
        counter = sum(len(content.calls) for content in contents)
        parts = _with_ids_and_signature(parts, digest, counter)
        if parts and not any("functionCall" in part for part in parts) and "text" in parts[-1]:
            text_signature = parts[-1].get("thoughtSignature") or signatures.sign_text(len(contents))
            parts = (*parts[:-1], {k: v for k, v in parts[-1].items() if k != "thoughtSignature"})
    count = int(float(settings.get("candidateCount") or 1))
    return Answer(
        parts=parts,
        finish_reason=finish_reason,
        usage=_usage(request, parts, generation),
        response_id=digest[:22],
        model=model,
        candidates=min(max(count, 1), MAX_CANDIDATES),
        text_signature=text_signature,
        trailing_stop=generation.signatures,
        finish_message=candidate.finish_message,
    )


def count_tokens(value: Any) -> int:
    """Return an estimate of the tokens in *value*: one for four characters, and a fixed number for each file."""
    return -(-_characters(value) // CHARACTERS_PER_TOKEN)


def _compose_parts(
    request: Mapping[str, Any], contents: Sequence[Content], generation: Generation
) -> list[Mapping[str, Any]]:
    last = contents[-1]
    if last.is_mixed and last.text and generation.mixing is Mixing.SILENT:
        return []
    calls = _calls(request, last)
    thinking = (request.get("generationConfig") or {}).get("thinkingConfig") or {}
    thoughts: list[Mapping[str, Any]] = []
    if generation.thinking and thinking.get("includeThoughts"):
        thoughts = [{"text": "The newest turn decides what to do.", "thought": True}]
    return thoughts + (calls or [{"text": _text(request, last)}])


def _calls(request: Mapping[str, Any], last: Content) -> list[Mapping[str, Any]]:
    """Return a call for each mention of a declared function, or the call that the tool choice forces."""
    config = (request.get("toolConfig") or {}).get("functionCallingConfig") or {}
    mode = config.get("mode")
    allowed = config.get("allowedFunctionNames") or ()
    functions = {
        d["name"]: d for d in declarations(request) if mode != "ANY" or not allowed or d["name"] in allowed
    }
    if mode == "NONE" or not functions:
        return []
    prompt = last.text if last.role == "user" and not last.responses else ""
    names = _mentions(prompt, functions) or (list(functions)[:1] if mode == "ANY" else [])
    return [{"functionCall": {"name": name, "args": _arguments(functions[name])}} for name in names]


def _mentions(prompt: str, functions: Mapping[str, Any]) -> list[str]:
    """Return the functions that *prompt* names, in order. "twice" after a name repeats it."""
    longest_first = sorted(functions, key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
    found = list(pattern.finditer(prompt))
    ends = [match.start() for match in found[1:]] + [len(prompt)]
    names: list[str] = []
    for match, end in zip(found, ends, strict=False):
        again = re.search(r"\btwice\b", prompt[match.end() : end])
        names += [match.group()] * (2 if again else 1)
    return names[:MAX_CALLS]


def _arguments(declaration: Mapping[str, Any]) -> dict[str, Any]:
    schema = declaration.get("parameters") or declaration.get("parametersJsonSchema") or {}
    value = value_for(schema) if isinstance(schema, Mapping) and schema else {}
    return value if isinstance(value, dict) else {}


def _text(request: Mapping[str, Any], last: Content) -> str:
    settings = request.get("generationConfig") or {}
    if settings.get("responseMimeType") == "application/json":
        given = [settings[name] for name in SCHEMA_FIELDS if name in settings]
        schema = given[0] if given else ANY_ANSWER
        return json.dumps(value_for(schema, "answer"), ensure_ascii=False, default=str)
    if last.responses:
        quotes = ", ".join(f'"{_quote(response)}" from {response.get("name")}' for response in last.responses)
        return f"I read {_counted(len(last.responses), 'tool result')}: {quotes}."
    texts = (part.get("text") or "" for part in last.parts if not part.get("thought"))
    words = " ".join(" ".join(texts).split())
    if not words:
        return f"I read {_counted(len(last.parts), 'part')} and no text."
    quoted = f'"{words[:ECHOED_CHARACTERS]}"'
    return (
        f"I go on after my own words: {quoted}" if last.role == "model" else f"I read your message: {quoted}"
    )


def _counted(number: int, name: str) -> str:
    return f"{number} {name}" + "s" * (number != 1)


def _quote(response: Mapping[str, Any]) -> str:
    given = response.get("response") or {}
    only = next(iter(given.values())) if isinstance(given, Mapping) and len(given) == 1 else given
    text = only if isinstance(only, str) else json.dumps(only, ensure_ascii=False, default=str)
    return " ".join(text.split())[:QUOTED_CHARACTERS]


def _limited(
    parts: tuple[Mapping[str, Any], ...], settings: Mapping[str, Any]
) -> tuple[tuple[Mapping[str, Any], ...], str]:
    """Return *parts* cut at the first stop sequence and at ``maxOutputTokens``, and the finish reason."""
    limit = int(float(settings.get("maxOutputTokens") or 0))
    stops = [stop for stop in settings.get("stopSequences") or () if stop]
    kept: list[Mapping[str, Any]] = []
    room = limit * CHARACTERS_PER_TOKEN if limit > 0 else None
    for part in parts:
        if "text" not in part:
            if room is not None and _characters(part) > room:
                return tuple(kept), "MAX_TOKENS"
            kept.append(part)
            continue
        text = part["text"]
        for stop in stops if not part.get("thought") else ():
            text = text.split(stop, 1)[0]
        if room is not None and not part.get("thought") and len(text) > room:
            return (*kept, {**part, "text": text[:room]}), "MAX_TOKENS"
        kept += [{**part, "text": text}] if text else []
    return tuple(kept), "STOP"


def _with_ids_and_signature(
    parts: Sequence[Mapping[str, Any]], digest: str, counter: int
) -> tuple[Mapping[str, Any], ...]:
    """Return *parts* with an id on each call, and a signature on the first call, unless they exist already."""
    done: list[Mapping[str, Any]] = []
    ordinal = 0
    for part in parts:
        call = part.get("functionCall")
        if call is not None:
            part = {**part, "functionCall": {"id": f"{digest[:8]}{ordinal:x}", **call}}
            if ordinal == 0 and "thoughtSignature" not in part:
                signature = signatures.sign_call(call.get("name") or "", call.get("args") or {}, counter)
                part = {**part, "thoughtSignature": signature}
            ordinal += 1
        done.append(part)
    return tuple(done)


def _usage(
    request: Mapping[str, Any], parts: Sequence[Mapping[str, Any]], generation: Generation
) -> dict[str, int]:
    """Return ``usageMetadata``. Thoughts are counted apart, and the total includes them (envoy ai-gateway#2399)."""
    prompt = count_tokens([request.get(key) for key in ("systemInstruction", "contents", "tools")])
    answer = count_tokens([part for part in parts if not part.get("thought")])
    thoughts = THOUGHTS_TOKENS if generation.thinking else 0
    usage = {
        "promptTokenCount": prompt,
        "candidatesTokenCount": answer,
        "totalTokenCount": prompt + answer + thoughts,
    }
    return usage | ({"thoughtsTokenCount": thoughts} if thoughts else {})


def _characters(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        if "inlineData" in value or "fileData" in value:
            return MEDIA_TOKENS * CHARACTERS_PER_TOKEN
        return sum(_characters(item) for key, item in value.items() if key != "thoughtSignature")
    if isinstance(value, list | tuple):
        return sum(map(_characters, value))
    return 0 if value is None else len(str(value))


def _digest(model: str, request: Mapping[str, Any], seed: int) -> str:
    text = json.dumps([seed, model, request], sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
