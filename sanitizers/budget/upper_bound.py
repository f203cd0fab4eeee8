"""An upper bound of a request's tokens from the lengths of its texts, so that most requests are never counted.

If the bound is within the budget, the request fits too. The bound is computed as the estimate is, except for texts. A
text counts as the most expensive text of its length.

The bound is never below :meth:`sanitizers.budget.estimate.Estimator.request_tokens` of the same family for the same
arguments. A text's bound is never below the count of a tokenizer that merges bytes, since no token is shorter than a
byte. Nearly all tokenizers merge bytes.

Providers add hidden text to a request, and the cost of media is a guess. So the factor and the margin of an estimate
apply to the bound too. The bound is loose, since it allows for texts that nobody writes, such as all digits or all rare
characters. For agents' histories it is three to five times the estimate.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import product
from math import ceil
from typing import Any, NamedTuple, TypeAlias

from sanitizers.budget.estimate import SAMPLE, WHOLE, Estimator, count_text
from sanitizers.budget.families import Family
from sanitizers.messages import Messages
from sanitizers.outline import Outline

_KINDS = "aA1.\n \t"
"""An ASCII character of each class that costs tokens or separates words."""

_OTHERS = "яاक漢→✅😀\u1200"
"""A character of each other class. The cost of such a character does not depend on the character before."""


_ROUNDED_UP = 1 + 1e-6
"""A factor that covers the different rounding of two sums of floats: one part in a million."""

_Walks: TypeAlias = dict[tuple[str, str], float]
"""The highest cost of a run of characters, by the classes of its first and last character (:func:`text_bound`)."""


class TextBound(NamedTuple):
    """The most that a text can cost: *per_text* tokens, and *per_byte* for each byte of its UTF-8."""

    per_text: float
    per_byte: float


def upper_bound(family: Family, messages: Messages, tools: Any = None, response_format: Any = None) -> int:
    """Return a number of tokens that the estimate for the same request does not exceed.

    The call takes about 0.6 ms for 300 messages, and 0.1 ms more for 100,000 characters that are not ASCII. Never
    raises.
    """
    return _bounding(family).request_tokens(messages, tools, response_format)


def bound_of_outlined(
    family: Family,
    outline: Outline,
    most_bytes: int,
    tools: Any = None,
    response_format: Any = None,
) -> int:
    """Return a number that :func:`upper_bound` for the outlined messages does not exceed, without reading their texts.

    *most_bytes* is at least the UTF-8 size of all texts in plain messages. The length of the JSON that the messages
    were read from suffices, since JSON never writes a character with fewer bytes. *most_bytes* must not exceed
    :data:`WHOLE`: for a longer text, :func:`upper_bound` counts four bytes for each character.

    Plain messages (:mod:`sanitizers.outline`) take no time. The messages in ``outline.odd`` are read as in
    :func:`upper_bound`. If *most_bytes* is the length of the JSON, the JSON around the texts makes the result larger.
    """
    rates = _rates(family)
    plain = len(outline.messages) - len(outline.odd)
    calls = len(outline.call_ids)
    texts = plain + 2 * calls + outline.named + most_bytes // SAMPLE
    tokens: float = (
        rates.per_message * plain
        + rates.per_call * calls
        + rates.per_result * len(outline.result_ids)
        + rates.per_text * texts
        + rates.per_byte * most_bytes
        + plain  # each message's tokens are rounded
    )
    if not outline.odd and not tools and not response_format:
        return ceil(tokens) + rates.per_request
    odd = [*map(outline.messages.__getitem__, outline.odd)]
    return ceil(tokens) + _bounding(family).request_tokens(odd, tools, response_format)


def bound_of_changed(family: Family, changed: Messages) -> int:
    """Return what *changed* messages add to the bound of an outline.

    The *changed* messages replaced messages of the outline.

    The replaced messages still count in the outline's bound, so that a changed message counts twice.
    """
    return _bounding(family).history_tokens(changed)


class _Rates(NamedTuple):
    """The costs of a family's messages without their texts, and the bound of the texts."""

    per_request: int
    per_message: float
    per_call: float
    per_result: float
    per_text: float
    per_byte: float


@lru_cache(maxsize=32)
def _rates(family: Family) -> _Rates:
    overheads, bound = family.overheads, text_bound(family)
    return _Rates(
        overheads.per_request,
        overheads.per_message,
        overheads.per_call,
        overheads.per_result,
        bound.per_text,
        bound.per_byte * _ROUNDED_UP,
    )


@lru_cache(maxsize=32)
def text_bound(family: Family) -> TextBound:
    """Return the bound for a text of *family*.

    An ASCII character's cost depends on its class and on the class before (a space's cost on the two before). So a text
    is a walk over the classes of characters. Each cycle of a walk costs at most the dearest cycle's mean per step.
    Charging this mean for each step covers all cycles of a walk. The rest of the walk visits no class twice. Its cost
    beyond the mean is at most that of the dearest walk without a repeated class. A character that is not ASCII begins a
    new walk.
    """

    def cost(before: str, character: str) -> float:
        starts = ("", *(first + before for first in _KINDS)) if character == " " else (before,)
        return max(count_text(start + character, family) - count_text(start, family) for start in starts)

    steps = {(a, b): cost(a, b) for a, b in product(_KINDS, repeat=2)}
    walks, mean = steps, 0.0
    for length in range(1, len(_KINDS) + 1):
        mean = max(mean, *(walks[a, a] / length for a in _KINDS))
        walks = _longer(walks, steps)
    # Base64 has a rate of its own, and no token is shorter than a byte.
    mean = max(mean, family.base64, 1.0)
    walks = dearest = {pair: step - mean for pair, step in steps.items()}
    for _ in _KINDS:
        walks = _longer(walks, {pair: step - mean for pair, step in steps.items()})
        dearest = {pair: max(dearest[pair], walks[pair]) for pair in steps}
    # A text begins as if a space stood before it.
    per_text = max(0.0, *(dearest[" ", b] for b in _KINDS))
    others = ((count_text(other, family) + per_text) / len(other.encode()) for other in _OTHERS)
    return TextBound(per_text, max(mean, *others))


def _longer(walks: _Walks, steps: _Walks) -> _Walks:
    """Return the most that a walk one step longer can cost, for each first and last class."""
    return {(a, c): max(walks[a, b] + steps[b, c] for b in _KINDS) for a, c in steps}


@lru_cache(maxsize=32)
def _bounding(family: Family) -> Estimator:
    return Estimator(family, _bounded(text_bound(family)))


def _bounded(bound: TextBound) -> Callable[[str], float]:
    per_text, per_byte = bound
    per_byte *= _ROUNDED_UP

    def tokens(text: str) -> float:
        if not text:  # no text, no tokens
            return 0.0
        return per_text * (1 + len(text) // SAMPLE) + per_byte * _most_bytes(text)

    return tokens


def _most_bytes(text: str) -> int:
    """Return the bytes of a text's UTF-8, or the most that they can be for a large text that is not ASCII."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-8", "surrogatepass")) if len(text) <= WHOLE else 4 * len(text)
