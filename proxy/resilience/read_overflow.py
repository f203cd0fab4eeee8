"""Recognises a context overflow in a provider's error, and reads its token numbers.

The providers' texts are in :mod:`proxy.resilience.overflow_table`. If a text matches ``_GUARD``, the error is no
overflow. Throttling errors also name too many tokens (Bedrock's ``ThrottlingException``, agentao#88). OpenAI refuses
over-long tool ids with words about a maximum length, which LiteLLM read as an overflow (autogen#6377).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from proxy.resilience.error_prefix import begin_of
from proxy.resilience.overflow_table import CODES, ROWS, TOO_MANY_BYTES
from proxy.resilience.request_words import NO_WORDS, RequestWords


class Overflow(NamedTuple):
    """A conversation that is too long.

    The numbers count tokens. They are None where the provider does not name them.
    """

    limit: int | None = None
    requested: int | None = None
    output: int | None = None
    """The part of *requested* that is for the answer, where the provider names it."""

    with_output: bool = False
    """True where *requested* counts the answer's tokens too, whether or not *output* gives their number."""

    of_bytes: bool = False
    """True where the limit is in bytes."""

    coded: bool = False
    """True where one of the provider's codes reports the overflow."""

    inside_text: bool = False
    """True where the overflow words do not stand at the beginning of a text.

    Such words count only for the tenant that sent the request.
    """

    in_request: bool = False
    """True where the request holds the overflow words too.

    They may be a quotation, and count for this request alone.
    """


_MAX_TEXTS = 16
_LONGEST = 20_000
"""The most characters that are searched in all texts together. The words that count stand near the top.

The patterns are bounded as well, since a search blocks the event loop, which serves other clients' streams."""


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
"""The most matches of a row in a text. The first matches may be quoted from the request."""

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


def read_overflow(
    texts: Iterable[str], codes: Iterable[str], request: RequestWords = NO_WORDS
) -> Overflow | None:
    """Return the overflow that *texts* report, or None. *codes* are the provider's codes and types.

    Words at the beginning of a text are preferred. Among these, rows with numbers are preferred, whatever their order
    in the table. Above all, words that *request* does not hold are preferred.
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
    return Overflow(of_bytes=said_by == {TOO_MANY_BYTES}, coded=True) if said_by else None


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
