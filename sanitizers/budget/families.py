"""The token costs of each model family: one frozen row per tokenizer. The longest prefix of a model's name wins.

Eleven weights per tokenizer were fitted by non-negative least squares on the relative error. The documents were prose,
source code, diffs, JSON, logs and a dozen languages. The weights were checked on other documents and on three recorded
agent sessions (1.5, 0.5 and 0.5 million characters). Every prefix of a growing history was within ±10 % for every
family, and the mean error was 0.8 to 4.0 %. ``benchmarks/estimate_accuracy.py`` checks them on histories of its own.

All three sessions came out low for Gemini (by 3 to 5 %) and Claude (by 2 to 6 %). The ``scale`` of these rows corrects
that.

Five more weights were measured on texts of one kind: gaps, Greek to Arabic, dingbats, emoji, and scripts that
vocabularies hardly know. Those of Gemini, Claude 3 and later, and Llama were chosen between the measured ones. Gaps are
2 % of what agents write. The fit had charged them to the other counts, so that each ``scale`` is lower by as much.

A number marked *chosen* was neither measured nor documented. Calibration (:mod:`sanitizers.budget.calibration`)
corrects its error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil
from types import MappingProxyType
from typing import TypeAlias

Weights: TypeAlias = tuple[float, ...]
"""Tokens per count, in the order of :data:`sanitizers.budget.features.NAMES`."""


@dataclass(frozen=True, slots=True)
class Overheads:
    """Tokens that a provider adds to what a client wrote."""

    per_request: int
    """Once per request."""

    per_message: int
    """For each message, beyond its content."""

    per_call: int
    """For each tool call, beyond its name and arguments."""

    per_result: int
    """For each tool result, beyond its content."""

    with_tools: int
    """Once per request that declares tools."""


@dataclass(frozen=True, slots=True)
class Media:
    """Token costs of media. ``_per_kb`` is per 1,000 bytes. Base64 is never counted as text."""

    image: int
    """An image of unknown size."""

    image_low: int
    """An image for which the client requests low detail."""

    pixels_per_token: int | None
    """Pixels per token, where an image's size decides. *image* is then the most that an image costs."""

    audio_per_kb: float
    """Compressed audio. Uncompressed audio costs a third of it."""

    video_per_kb: float

    document_per_kb: float
    """PDF, and any other document that is no plain text."""

    remote: int
    """Audio, video or a document that is named by its address or id, so that its size is unknown."""

    tile: int | None = None
    """Each tile of 512 pixels a side beyond *image_low*, where an image's size decides by tiles."""


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """The facts about one tokenizer and the providers that use it."""

    name: str
    """Stable name, shown by ``/v1/explain``."""

    weights: Weights
    """Tokens per count, as fitted."""

    scale: float
    """The factor on the sum of the weighted counts."""

    base64: float
    """Tokens per byte of a long run of base64, which the counts underestimate."""

    overheads: Overheads

    media: Media

    initial_factor: float
    """Real tokens per estimated token, before a provider's usage has taught it."""

    margin: float
    """Share of the budget to keep free until then."""


def _joined(
    fitted: tuple[float, float, float, float, float, float, float, float, float, float, float],
    measured: tuple[float, float, float, float, float],
) -> Weights:
    """Return the weights of the eleven fitted counts and of the five measured ones."""
    return fitted + measured


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

_OPENAI_MEDIA = Media(
    # 85 in low detail; else 85 and 170 a tile: 765 for 1024 x 1024, 1105 for 2048 x 4096 (OpenAI's vision guide).
    image=1_105,
    image_low=85,
    pixels_per_token=None,
    tile=170,
    # 10 tokens a second (OpenAI's audio guide), of 16 kB: 128 kbit/s.
    audio_per_kb=0.7,
    video_per_kb=2.5,  # chosen
    # A PDF goes in as text and as an image of each page: some 1,500 a page of 50 kB. Chosen.
    document_per_kb=30.0,
    remote=5_000,  # chosen
)
_GEMINI_MEDIA = Media(
    # 258 a tile of 768 x 768, and for an image of 384 x 384 or less (Gemini's token guide, 2.x): 1,548 for a screen
    # of 1920 x 1080. 1,120 an image of any size on Gemini 3 (its media-resolution guide).
    image=1_120,
    image_low=258,
    pixels_per_token=None,
    # 32 tokens a second of audio, 16 kB; about 300 a second of video, 125 kB; 258 a page of PDF (the token guide).
    audio_per_kb=2.0,
    video_per_kb=2.4,
    document_per_kb=6.0,
    remote=5_000,  # chosen
)
_CLAUDE_MEDIA = Media(
    # width * height / 750, at most about 1,600 after scaling down (Anthropic's vision guide).
    image=1_600,
    image_low=1_600,
    pixels_per_token=750,
    audio_per_kb=2.0,  # not accepted
    video_per_kb=2.5,  # not accepted
    # 1,500 to 3,000 of text a page, and the page as an image (Anthropic's PDF guide); a page of 50 kB is chosen.
    document_per_kb=60.0,
    remote=5_000,  # chosen
)

# 2,833 and 5,667 a tile for gpt-4o-mini (OpenAI's vision guide). Four tiles: an image of 1024 x 1024.
_4O_MINI_MEDIA = replace(_OPENAI_MEDIA, image=25_501, image_low=2_833, tile=5_667)


def _patches(tokens_per_patch: float) -> Media:
    """Return the costs for patches of 32 pixels a side, of which 1,536 count at most (OpenAI's vision guide)."""
    most = ceil(1_536 * tokens_per_patch)
    pixels = int(32 * 32 / tokens_per_patch)
    return replace(_OPENAI_MEDIA, image=most, image_low=most, pixels_per_token=pixels, tile=None)


O200K = Family(
    name="o200k",
    weights=_joined(
        (0.0863, 0.6757, 0.1950, 0.877, 0.454, 0.6349, 0.982, 0.3157, 0.3956, 0.7814, 0.3652),
        (0.95, 0.32, 2.0, 1.1, 3.0),
    ),
    scale=0.98,
    # Base64 takes 1.40 to 1.46 characters a token at OpenAI, Llama, DeepSeek and Gemini, 1.31 to 1.35 at Mistral and
    # Qwen, and 1.05 to 1.15 at Claude.
    base64=0.72,
    overheads=_OPENAI,
    media=_OPENAI_MEDIA,
    initial_factor=1.0,
    margin=0.15,
)
"""OpenAI since GPT-4o."""

O200K_4O_MINI = replace(O200K, name="o200k-4o-mini", media=_4O_MINI_MEDIA)
O200K_MINI = replace(O200K, name="o200k-mini", media=_patches(1.62))
O200K_NANO = replace(O200K, name="o200k-nano", media=_patches(2.46))
O200K_O4_MINI = replace(O200K, name="o200k-o4-mini", media=_patches(1.72))
"""Models with the same tokenizer whose images cost more: the smaller the model, the more (OpenAI's vision guide)."""

CL100K = replace(
    O200K,
    name="cl100k",
    weights=_joined(
        (0.0768, 0.7530, 0.1735, 0.861, 0.443, 0.6272, 0.895, 0.5218, 1.2575, 1.1206, 0.3949),
        (0.95, 1.0, 2.1, 1.45, 3.0),
    ),
)
"""OpenAI's GPT-3.5 and GPT-4."""

GEMINI = Family(
    name="gemini",
    weights=_joined(
        (0.0665, 0.7117, 0.1561, 1.403, 0.584, 1.4188, 1.153, 0.2567, 0.2800, 0.5223, 0.2766),
        (0.95, 0.3, 1.5, 0.8, 3.0),
    ),
    scale=1.02,
    base64=0.72,
    overheads=_GEMINI,
    media=_GEMINI_MEDIA,
    initial_factor=1.0,
    margin=0.15,
)
"""Gemini and Gemma: one vocabulary of 256,000 pieces. The weights were fitted on Gemma 3's."""

CLAUDE_3 = Family(
    name="claude3",
    weights=_joined(
        (0.0615, 0.7772, 0.3879, 0.810, 0.640, 1.4294, 1.235, 0.4746, 0.8605, 0.9982, 0.5538),
        (0.95, 0.7, 2.2, 1.5, 3.0),
    ),
    scale=1.02,
    base64=0.9,
    overheads=_CLAUDE,
    media=_CLAUDE_MEDIA,
    initial_factor=1.0,
    margin=0.15,
)
"""Claude 3 to 4.6. The weights were fitted on the package ctok, which was within 2 % of recorded usage."""

CLAUDE_2 = replace(
    CLAUDE_3,
    name="claude2",
    weights=_joined(
        (0.0834, 0.6449, 0.2378, 0.7615, 0.6000, 1.4766, 0.1880, 0.6364, 1.3890, 1.0565, 0.4523),
        (0.95, 1.1, 2.2, 1.5, 3.0),
    ),
    scale=0.98,
)
"""Claude 2 and Instant: the only vocabulary that Anthropic published. Later models count differently."""

CLAUDE_48 = replace(
    CLAUDE_3,
    name="claude48",
    weights=_joined(
        (0.1662, 0.7578, 0.6854, 0.766, 0.746, 1.4592, 1.148, 0.4778, 0.8486, 0.9865, 0.4316),
        (0.95, 0.7, 2.2, 1.5, 3.0),
    ),
    # Newer models read images of up to 2,576 pixels a side.
    media=replace(_CLAUDE_MEDIA, image=4_800, image_low=4_800),
)
"""Claude 4.7 and later: a third more tokens for the same text."""

LLAMA_3 = replace(
    O200K,
    name="llama3",
    weights=_joined(
        (0.0943, 0.6618, 0.1560, 0.875, 0.440, 0.6469, 0.878, 0.3850, 0.6369, 0.7974, 0.3848),
        (0.95, 0.55, 2.0, 1.4, 3.0),
    ),
)
"""Llama 3 and later."""

QWEN_3 = replace(
    O200K,
    name="qwen3",
    weights=_joined(
        (0.1111, 0.5830, 0.1243, 1.468, 0.420, 0.6096, 0.935, 0.4070, 1.1061, 0.7605, 0.3143),
        (0.95, 0.6, 2.0, 1.3, 3.0),
    ),
)
"""Qwen 3."""

DEEPSEEK = replace(
    O200K,
    name="deepseek",
    weights=_joined(
        (0.0617, 0.7869, 0.2785, 0.784, 0.534, 0.6488, 1.041, 0.3807, 0.7076, 0.7091, 0.3730),
        (0.95, 0.6, 2.0, 1.2, 3.0),
    ),
)
"""DeepSeek V3 and V4."""

MISTRAL = replace(
    O200K,
    name="mistral",
    weights=_joined(
        (0.0943, 0.6482, 0.2150, 1.488, 0.469, 0.5262, 1.241, 0.3695, 0.4673, 0.8641, 0.4923),
        (0.95, 0.5, 2.5, 1.7, 3.0),
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
"""Every other model, until its own usage has taught a factor."""

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
"""Every row."""

PREFIXES = MappingProxyType(
    {
        "chatgpt": O200K,
        "claude": CLAUDE_48,  # unknown and later versions: the larger count is the safe one
        "claude-2": CLAUDE_2,
        "claude-3": CLAUDE_3,
        "claude-4": CLAUDE_3,  # `claude-4-sonnet`, as some routes spell it
        "claude-haiku-4": CLAUDE_3,
        "claude-instant": CLAUDE_2,
        "claude-opus-4": CLAUDE_3,
        "claude-sonnet-4": CLAUDE_3,
        "claude-v": CLAUDE_2,  # Bedrock's name for it
        **{
            f"claude-{kind}4{dot}{minor}": CLAUDE_48
            for kind in ("", "haiku-", "opus-", "sonnet-")
            for dot in "-."
            for minor in (7, 8, 9)
        },
        "codestral": MISTRAL,
        "codex": O200K,
        "deepseek": DEEPSEEK,
        "devstral": MISTRAL,
        "gemini": GEMINI,
        "gemma": GEMINI,
        "gpt": O200K,
        "gpt-3": CL100K,
        "gpt-4": CL100K,
        "gpt-4.1": O200K,
        "gpt-4.1-mini": O200K_MINI,
        "gpt-4.1-nano": O200K_NANO,
        "gpt-4.5": O200K,
        "gpt-4o": O200K,
        "gpt-4o-mini": O200K_4O_MINI,
        "gpt-5-mini": O200K_MINI,
        "gpt-5-nano": O200K_NANO,
        "llama": LLAMA_3,
        "llama-2": UNKNOWN,  # another vocabulary
        "llama2": UNKNOWN,
        "magistral": MISTRAL,
        "meta-llama": LLAMA_3,
        "ministral": MISTRAL,
        "mistral": MISTRAL,
        "mixtral": MISTRAL,
        "o1": O200K,
        "o3": O200K,
        "o4": O200K,
        "o4-mini": O200K_O4_MINI,
        "open-mistral": MISTRAL,
        "open-mixtral": MISTRAL,
        "pixtral": MISTRAL,
        "qvq": QWEN_3,
        "qwen": QWEN_3,
        "qwq": QWEN_3,
    }
)
"""Prefixes of a model's own name to its row. The longest prefix that fits wins."""

_VENDOR = re.compile(r"(?:[a-z-]+\.)+|ft:|databricks-")
"""The vendor before a model's name: Bedrock's ``us.anthropic.``, OpenAI's ``ft:`` and Databricks' own."""


@lru_cache(maxsize=1024)
def family_of(model: str) -> Family:
    """Return the row of *model*, in litellm's spelling (``anthropic/claude-opus-4-5``) or bare.

    Only the last path segment counts, as in :func:`sanitizers.profile_for`. A name that fits no row gets
    :data:`UNKNOWN`. Never raises.
    """
    name = model.rpartition("/")[2].lower()
    vendor = _VENDOR.match(name)
    return _row(name) or (vendor and _row(name[vendor.end() :])) or UNKNOWN


def _row(name: str) -> Family | None:
    best = max((prefix for prefix in PREFIXES if name.startswith(prefix)), key=len, default=None)
    return None if best is None else PREFIXES[best]
