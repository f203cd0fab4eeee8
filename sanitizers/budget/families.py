"""The token costs of each model family: one frozen row for each tokenizer and its media costs.

Eleven weights per tokenizer were fitted by non-negative least squares on the relative error. The documents of the fit
were prose, source code, diffs, JSON, logs and a dozen languages. The weights were checked on other documents and on
three recorded agent sessions (1.5, 0.5 and 0.5 million characters). For every family, the estimate of every prefix of a
growing history was within ±10 % of the real count. The mean error was 0.8 to 4.0 %. ``benchmarks/estimate_accuracy.py``
checks the weights on other histories.

The estimates of all three sessions were too low for Gemini (by 3 to 5 %) and Claude (by 2 to 6 %). The ``scale`` of
these families corrects this.

Five more weights were measured on texts of one kind: gaps (runs of blanks inside a line), Greek to Arabic, dingbats,
emoji, and rare scripts. For Gemini, Claude 3 and later, and Llama, these five were chosen between the measured ones.
Gaps are 2 % of what agents write. The fit had attributed the cost of gaps to the other counts, so each ``scale`` is
lower by that cost.

A number marked *chosen* was neither measured nor documented. :mod:`sanitizers.budget.calibration` corrects its error.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from sanitizers.budget.media import (
    CLAUDE_MEDIA,
    GEMINI_MEDIA,
    GPT_4O_MINI_MEDIA,
    OPENAI_MEDIA,
    Media,
    patches,
)

Weights: TypeAlias = tuple[float, ...]
"""Tokens per count, in the order of :data:`sanitizers.budget.features.NAMES`."""


@dataclass(frozen=True, slots=True)
class Overheads:
    """The tokens that a provider adds to the client's texts.

    *per_request* is added once, and *with_tools* once where the request declares tools. *per_message*, *per_call* and
    *per_result* are added for each message, call and result.
    """

    per_request: int
    per_message: int
    per_call: int
    per_result: int
    with_tools: int


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """The facts about one tokenizer and the providers that use it."""

    name: str
    """Stable name, shown by ``/v1/explain``."""

    weights: Weights
    """Tokens per count: first the eleven that were fitted, then the five that were measured."""

    scale: float
    """The factor on the sum of the weighted counts."""

    base64: float
    """Tokens per byte of a long run of base64, which the counts underestimate."""

    overheads: Overheads
    media: Media

    initial_factor: float = 1.0
    """Real tokens per estimated token, until a provider's usage has been observed."""

    margin: float = 0.15
    """Share of the budget to keep free until a provider's usage has been observed."""


_OPENAI = Overheads(
    # 3 a message and 3 for the answer's beginning (OpenAI cookbook, "How to count tokens"; recorded calls: 6 or 7 for
    # a request of one short message). About 6 for a call and as many for a result: median of 38 recorded calls.
    per_request=3,
    per_message=3,
    per_call=6,
    per_result=6,
    with_tools=0,
)
_GEMINI = Overheads(
    # Medians of 85 recorded calls: 0 to 1 a message, about 20 for a functionCall or functionResponse part.
    per_request=0,
    per_message=1,
    per_call=20,
    per_result=20,
    with_tools=0,
)
_CLAUDE = Overheads(
    # Medians of 88 recorded calls: 7 for a request of one message, 15 for a tool_use part, and about 400 for the
    # system text that Anthropic adds when there are tools. Two recorded sessions (462 and 427 requests) fit 4 a
    # message and 25 for a call with its result.
    per_request=3,
    per_message=4,
    per_call=15,
    per_result=10,
    with_tools=400,
)

O200K = Family(
    name="o200k",
    weights=(
        *(0.0863, 0.6757, 0.1950, 0.877, 0.454, 0.6349, 0.982, 0.3157, 0.3956, 0.7814, 0.3652),
        *(0.95, 0.32, 2.0, 1.1, 3.0),
    ),
    scale=0.98,
    # Base64 takes 1.40 to 1.46 characters a token at OpenAI, Llama, DeepSeek and Gemini, 1.31 to 1.35 at Mistral and
    # Qwen, and 1.05 to 1.15 at Claude.
    base64=0.72,
    overheads=_OPENAI,
    media=OPENAI_MEDIA,
)
"""OpenAI since GPT-4o."""

O200K_4O_MINI = replace(O200K, name="o200k-4o-mini", media=GPT_4O_MINI_MEDIA)
O200K_MINI = replace(O200K, name="o200k-mini", media=patches(1.62))
O200K_NANO = replace(O200K, name="o200k-nano", media=patches(2.46))
O200K_O4_MINI = replace(O200K, name="o200k-o4-mini", media=patches(1.72))
"""Models with GPT-4o's tokenizer, whose images cost more tokens (OpenAI's vision guide)."""

CL100K = replace(
    O200K,
    name="cl100k",
    weights=(
        *(0.0768, 0.7530, 0.1735, 0.861, 0.443, 0.6272, 0.895, 0.5218, 1.2575, 1.1206, 0.3949),
        *(0.95, 1.0, 2.1, 1.45, 3.0),
    ),
)
"""OpenAI's GPT-3.5 and GPT-4."""

GEMINI = Family(
    name="gemini",
    weights=(
        *(0.0665, 0.7117, 0.1561, 1.403, 0.584, 1.4188, 1.153, 0.2567, 0.2800, 0.5223, 0.2766),
        *(0.95, 0.3, 1.5, 0.8, 3.0),
    ),
    scale=1.02,
    base64=0.72,
    overheads=_GEMINI,
    media=GEMINI_MEDIA,
)
"""Gemini and Gemma: one vocabulary of 256,000 pieces. The weights were fitted on Gemma 3's."""

CLAUDE_3 = Family(
    name="claude3",
    weights=(
        *(0.0615, 0.7772, 0.3879, 0.810, 0.640, 1.4294, 1.235, 0.4746, 0.8605, 0.9982, 0.5538),
        *(0.95, 0.7, 2.2, 1.5, 3.0),
    ),
    scale=1.02,
    base64=0.9,
    overheads=_CLAUDE,
    media=CLAUDE_MEDIA,
)
"""Claude 3 to 4.6. The weights were fitted on the package ctok, which was within 2 % of recorded usage."""

CLAUDE_2 = replace(
    CLAUDE_3,
    name="claude2",
    weights=(
        *(0.0834, 0.6449, 0.2378, 0.7615, 0.6000, 1.4766, 0.1880, 0.6364, 1.3890, 1.0565, 0.4523),
        *(0.95, 1.1, 2.2, 1.5, 3.0),
    ),
    scale=0.98,
)
"""Claude 2 and Instant: the only vocabulary that Anthropic published. Later models count differently."""

CLAUDE_48 = replace(
    CLAUDE_3,
    name="claude48",
    weights=(
        *(0.1662, 0.7578, 0.6854, 0.766, 0.746, 1.4592, 1.148, 0.4778, 0.8486, 0.9865, 0.4316),
        *(0.95, 0.7, 2.2, 1.5, 3.0),
    ),
    # Newer models read images of up to 2,576 pixels a side.
    media=replace(CLAUDE_MEDIA, image=4_800, image_low=4_800),
)
"""Claude 4.7 and later: a third more tokens for the same text."""

LLAMA_3 = replace(
    O200K,
    name="llama3",
    weights=(
        *(0.0943, 0.6618, 0.1560, 0.875, 0.440, 0.6469, 0.878, 0.3850, 0.6369, 0.7974, 0.3848),
        *(0.95, 0.55, 2.0, 1.4, 3.0),
    ),
)
"""Llama 3 and later."""

QWEN_3 = replace(
    O200K,
    name="qwen3",
    weights=(
        *(0.1111, 0.5830, 0.1243, 1.468, 0.420, 0.6096, 0.935, 0.4070, 1.1061, 0.7605, 0.3143),
        *(0.95, 0.6, 2.0, 1.3, 3.0),
    ),
)
"""Qwen 3."""

DEEPSEEK = replace(
    O200K,
    name="deepseek",
    weights=(
        *(0.0617, 0.7869, 0.2785, 0.784, 0.534, 0.6488, 1.041, 0.3807, 0.7076, 0.7091, 0.3730),
        *(0.95, 0.6, 2.0, 1.2, 3.0),
    ),
)
"""DeepSeek V3 and V4."""

MISTRAL = replace(
    O200K,
    name="mistral",
    weights=(
        *(0.0943, 0.6482, 0.2150, 1.488, 0.469, 0.5262, 1.241, 0.3695, 0.4673, 0.8641, 0.4923),
        *(0.95, 0.5, 2.5, 1.7, 3.0),
    ),
)
"""Mistral's Tekken."""

UNKNOWN = replace(
    O200K,
    name="unknown",
    # On agent sessions the other open tokenizers take 1.00 to 1.21 times as many tokens as o200k. Chosen within.
    initial_factor=1.15,
    margin=0.25,
)
"""Every other model. The first observed usage replaces the initial factor."""

FAMILIES = (
    O200K,
    O200K_4O_MINI,
    O200K_MINI,
    O200K_NANO,
    O200K_O4_MINI,
    CL100K,
    GEMINI,
    CLAUDE_2,
    CLAUDE_3,
    CLAUDE_48,
    LLAMA_3,
    QWEN_3,
    DEEPSEEK,
    MISTRAL,
    UNKNOWN,
)
