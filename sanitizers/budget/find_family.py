"""Find the tokenizer family of a model by the model's name: the longest known prefix wins."""

from __future__ import annotations

import re
from functools import lru_cache
from types import MappingProxyType

from sanitizers.budget.families import (
    CL100K,
    CLAUDE_2,
    CLAUDE_3,
    CLAUDE_48,
    DEEPSEEK,
    GEMINI,
    LLAMA_3,
    MISTRAL,
    O200K,
    O200K_4O_MINI,
    O200K_MINI,
    O200K_NANO,
    O200K_O4_MINI,
    QWEN_3,
    UNKNOWN,
    Family,
)

_NAMES = (
    (CL100K, ("gpt-3", "gpt-4")),
    (CLAUDE_2, ("claude-2", "claude-instant", "claude-v")),  # `claude-v2` is Bedrock's name
    (CLAUDE_3, ("claude-3", "claude-4", "claude-haiku-4", "claude-opus-4", "claude-sonnet-4")),
    (CLAUDE_48, ("claude",)),  # unknown and later versions: the larger count is the safe one
    (
        CLAUDE_48,
        (
            f"claude-{kind}4{dot}{minor}"
            for kind in ("", "haiku-", "opus-", "sonnet-")
            for dot in "-."
            for minor in (7, 8, 9)
        ),
    ),
    (DEEPSEEK, ("deepseek",)),
    (GEMINI, ("gemini", "gemma")),
    (LLAMA_3, ("llama", "meta-llama")),
    (MISTRAL, ("codestral", "devstral", "magistral", "ministral", "mistral", "mixtral", "pixtral")),
    (MISTRAL, ("open-mistral", "open-mixtral")),
    (O200K, ("chatgpt", "codex", "gpt", "gpt-4.1", "gpt-4.5", "gpt-4o", "o1", "o3", "o4")),
    (O200K_4O_MINI, ("gpt-4o-mini",)),
    (O200K_MINI, ("gpt-4.1-mini", "gpt-5-mini")),
    (O200K_NANO, ("gpt-4.1-nano", "gpt-5-nano")),
    (O200K_O4_MINI, ("o4-mini",)),
    (QWEN_3, ("qvq", "qwen", "qwq")),
    (UNKNOWN, ("llama-2", "llama2")),  # another vocabulary than Llama 3's
)
PREFIXES = MappingProxyType({prefix: family for family, prefixes in _NAMES for prefix in prefixes})
"""Maps prefixes of a model's own name to the model's family. The longest prefix that fits wins."""

_VENDOR = re.compile(r"(?:[a-z-]+\.)+|ft:|databricks-")
"""The prefix before a model's name: Bedrock's ``us.anthropic.``, OpenAI's ``ft:`` or ``databricks-``."""


@lru_cache(maxsize=1024)
def family_of(model: str) -> Family:
    """Return the family of *model*, in litellm's spelling (``anthropic/claude-opus-4-5``) or bare.

    Only the last path segment counts, as in :func:`sanitizers.profile_for`. A name without a known prefix gets
    :data:`UNKNOWN`. Never raises.
    """
    name = model.rpartition("/")[2].lower()
    vendor = _VENDOR.match(name)
    return _row(name) or (vendor and _row(name[vendor.end() :])) or UNKNOWN


def _row(name: str) -> Family | None:
    best = max((prefix for prefix in PREFIXES if name.startswith(prefix)), key=len, default=None)
    return None if best is None else PREFIXES[best]
