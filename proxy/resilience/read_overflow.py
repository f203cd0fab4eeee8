"""Reads from an error that the conversation exceeds the model's context, and its numbers.

It is a table of the providers' texts. The guard comes first. Throttling errors also name too many tokens (Bedrock's
``ThrottlingException``, agentao#88). OpenAI refuses over-long tool ids with words about a maximum length, which
LiteLLM read as an overflow (autogen#6377).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from proxy.resilience.error_prefix import begin_of
from proxy.resilience.request_words import NO_WORDS, RequestWords


class Overflow(NamedTuple):
    """A conversation that is too long. Numbers are tokens, where the provider names them."""

    limit: int | None = None
    requested: int | None = None
    output: int | None = None
    """The part of *requested* that is for the answer, where the provider names it."""

    with_output: bool = False
    """True where *requested* counts the answer's tokens, and their number is unknown."""

    of_bytes: bool = False
    """True where the limit is one of bytes."""

    coded: bool = False
    """True where one of the provider's codes reports the overflow."""

    inside_text: bool = False
    """True where the words do not begin a text. They count for their own tenant alone."""

    in_request: bool = False
    """True where the request holds the words. They may be a quotation, and count for this request alone."""


class _Row(NamedTuple):
    provider: str
    says: re.Pattern[str]
    source: str
    with_output: bool = False


_N = r"\d[\d,._]*(?: ?[km]\b)?"

_MAX_TEXTS = 16
_LONGEST = 20_000
"""The most characters that are searched in all texts together. The words that count stand near the top.

The patterns are bounded as well, since they are searched between the events of other clients' streams."""


def _text(pattern: str) -> re.Pattern[str]:
    return re.compile(
        pattern.replace("<limit>", rf"(?P<limit>{_N})").replace("<requested>", rf"(?P<requested>{_N})"),
        re.IGNORECASE,
    )


_QUOTED = re.compile(r"""(?<![\w`'"])(["'`])(?:(?!\1)[^\n]){20,500}\1(?!\w)""")
"""A provider's quotation of a request, in which a client may write anything."""

_LEAD = re.compile(
    r"(?:this (?:model|endpoint)'s |the number of |the (?:model's |request )?|your (?:input |request )?|please "
    r"|request \(\d+ tokens\) |input length and `?max_tokens`? "
    r"|please reduce the length of the messages or completion\. "
    r"|messages(?:\.\w{1,20}){0,4}: "
    r"|'max_tokens' or [\w' ]{1,40} is too large: \d{1,12}\. this model's )?",
    re.IGNORECASE,
)
"""Prefixes that may stand before a row's words at the beginning of a text."""

_MAX_MATCHES = 8
"""The most matches of a row in a text. The first ones may be quoted."""

_OUTPUT = re.compile(
    r"(\d[\d,]*) (?:tokens )?(?:in|of|for) the (?:completion|output)\b|requested (\d[\d,]*) output tokens",
    re.IGNORECASE,
)
"""The answer's part of the requested tokens: OpenAI, DeepSeek, OpenRouter, and vLLM's newer text."""

_GUARD = re.compile(
    r"throttl|rate.?limit|\b429\b|too many requests|please wait|tokens? per (?:min|day|hour)|\bTPM\b|quota"
    r"|string_above_max_length|string too long",
    re.IGNORECASE,
)

_TOO_MANY_BYTES = "request_too_large"
"""Anthropic's limit on the body, 32 MB. Media usually exceed it (docs.anthropic.com, errors)."""

CODES = frozenset(
    {
        "context_length_exceeded",
        "exceed_context_size_error",
        "model_context_window_exceeded",
        _TOO_MANY_BYTES,
    }
)
"""Codes and types that report an overflow without a text: OpenAI, llama.cpp, z.ai, Anthropic."""

ROWS: tuple[_Row, ...] = (
    _Row(
        "gemini",
        _text(r"input token count \(?<requested>\)? exceeds the maximum number of tokens allowed \(?<limit>"),
        "pi-mono overflow.ts",
    ),
    _Row("gemini", _text(r"input token count.{0,200}exceeds the maximum"), "pi-mono overflow.ts"),
    _Row(
        "openai",
        _text(
            r"maximum context length is <limit> tokens\.? however, "
            r"(?:your messages resulted in|you requested \d+ output tokens and your prompt contains"
            r"(?: at least)?) <requested>"
        ),
        "chathub#126; vLLM's newer text",
    ),
    _Row(
        "openai",
        _text(r"maximum context length is <limit> tokens\.? however, you requested(?: about)? <requested>"),
        "chathub#126; vLLM, OpenRouter, DeepSeek alike",
        with_output=True,
    ),
    _Row("openai", _text(r"maximum context length is <limit>"), "the same, other endings"),
    _Row("openai", _text(r"exceeds? the context window"), "openai-python, newer text"),
    _Row(
        "anthropic", _text(r"prompt is too long:? <requested> tokens > <limit> maximum"), "anthropic errors"
    ),
    _Row("anthropic", _text(r"prompt is too long"), "anthropic errors"),
    _Row("anthropic", _text(r"exceed context limit: <requested> \+ [\d,]+ > <limit>"), "continue#6080"),
    _Row("bedrock", _text(r"input is too long for requested model"), "pi-mono overflow.ts"),
    _Row(
        "xai",
        _text(r"maximum prompt length is <limit> but the request contains <requested> tokens"),
        "pi-mono overflow.ts",
    ),
    _Row("groq", _text(r"reduce the length of the messages"), "pi-mono overflow.ts"),
    _Row(
        "mistral",
        _text(
            r"prompt contains <requested> tokens.{0,200}too large for model with <limit> maximum context length"
        ),
        "litellm exception mapping",
    ),
    _Row(
        "poolside, glm",
        _text(r"input length <requested> exceeds the maximum allowed input length of <limit>"),
        "pi#4943",
    ),
    _Row(
        "vllm",
        _text(r"input length \(?<requested>\)? exceeds (?:the )?model'?s maximum context length \(?<limit>"),
        "pi#5677",
    ),
    _Row(
        "sglang",
        _text(r"input \(?<requested> tokens\)? is longer than the model'?s context length \(?<limit>"),
        "openclaw#129352",
    ),
    _Row(
        "sglang",
        _text(
            r"requested token count exceeds the model'?s maximum context length of <limit>"
            r"(?: tokens\. you requested a total of <requested>)?"
        ),
        "opencode#25230",
        with_output=True,
    ),
    _Row("llama.cpp", _text(r"exceeds the available context size"), "llama.cpp server"),
    _Row(
        "lm studio",
        _text(r"tokens to keep from the initial prompt is greater than the context length"),
        "LM Studio",
    ),
    _Row(
        "copilot",
        _text(r"prompt token count of <requested> exceeds the limit of <limit>"),
        "pi-mono overflow.ts",
    ),
    _Row("dashscope", _text(r"range of input length should be \[\d+, ?<limit>\]"), "opencode#45834"),
    _Row(
        "kimi",
        _text(r"exceeded model token limit: <limit> ?\(requested: <requested>\)"),
        "pi-mono overflow.ts",
    ),
    _Row("minimax", _text(r"context window exceeds limit"), "pi-mono overflow.ts"),
    _Row("cerebras", _text(r"current length is <requested> while limit is <limit>"), "pi-mono overflow.ts"),
    _Row(
        "tgi",
        _text(r"`?inputs`? tokens \+ `?max_new_tokens`? must be <= <limit>\. given: `?<requested>"),
        "text-generation-inference",
        with_output=True,
    ),
    _Row("tgi", _text(r"`?inputs`? tokens \+ `?max_new_tokens`? must be"), "text-generation-inference"),
)


def read_overflow(
    texts: Iterable[str], codes: Iterable[str], request: RequestWords = NO_WORDS
) -> Overflow | None:
    """Return the overflow that *texts* report, or None. *codes* are the provider's codes and types.

    Words that begin a text are preferred, then rows with numbers, in any order of the table. Words that *request* does
    not hold are preferred to all others.
    """
    shown = [_QUOTED.sub(" ", text) for text in _beginning(texts)]
    if any(_GUARD.search(text) for text in shown):
        return None
    said_by = CODES.intersection(codes)
    found = [overflow for text in shown for overflow in _read_text(text, request)]
    if found:
        best = min(
            found,
            key=lambda one: (one.in_request, one.inside_text, one.limit is None and one.requested is None),
        )
        return best._replace(coded=bool(said_by))
    return Overflow(of_bytes=said_by == {_TOO_MANY_BYTES}, coded=True) if said_by else None


def _read_text(text: str, request: RequestWords) -> Iterator[Overflow]:
    """Yield the overflow of each row that *text* matches."""
    lead = _LEAD.match(text, begin_of(text))
    begin = 0 if lead is None else lead.end()
    for row in ROWS:
        matches = list(islice(row.says.finditer(text), _MAX_MATCHES))
        own = next((match for match in matches if not request.contains(match[0])), None)
        for match in matches[:1] if own is None else [own]:
            said = match.groupdict()
            limit, requested = _number(said.get("limit")), _number(said.get("requested"))
            output = _OUTPUT.search(text) if row.with_output else None
            share = None if output is None else _number(output[1] or output[2])
            with_numbers = limit is not None or requested is not None
            yield Overflow(
                limit,
                requested,
                share if with_numbers else None,
                row.with_output and with_numbers,
                inside_text=match.start() > begin,
                in_request=own is None,
            )


def _beginning(texts: Iterable[str]) -> Iterator[str]:
    left = _LONGEST
    for text in islice(texts, _MAX_TEXTS):
        if left > 0:
            yield text[:left]
        left -= len(text)


def _number(text: str | None) -> int | None:
    """Return the number of a text such as ``128,000`` or ``128k``."""
    shown = (text or "").lower().rstrip("., ")
    factor = {"k": 1_000, "m": 1_000_000}.get(shown[-1:], 1)
    if factor > 1:
        try:
            return round(float(shown[:-1]) * factor)
        except ValueError:
            return None
    digits = re.sub(r"\D", "", shown)
    return int(digits) if 0 < len(digits) <= 12 else None
