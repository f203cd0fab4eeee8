"""Checks the headers of a request, and the fields and values that its API version or its betas decide.

Sources. Versions: platform.claude.com/docs/en/api/versioning. Since 2026-10-21, sampling parameters are refused at any
value, and so are documents directly in assistant messages and citations on texts of users. An unknown date:
conductai#2179. Unknown betas: claude-code#56970. A beta and its field belong together: sub2api#2726,
claude-code#21612. The model that refuses the field all the same: claude-code#59536. The names of betas are those of
Anthropic's clients.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from tests.support.anthropic_emulator.errors import Refusal

FIRST_VERSION = "2023-06-01"
STRICT_VERSION = "2026-10-21"
NO_KEY = "x-api-key header is required"
NO_VERSION = "anthropic-version: header is required"
BAD_VERSION = (
    'anthropic-version: "{version}" is not a valid version. Supported versions: 2023-06-01, 2026-10-21'
)
UNKNOWN_BETA = "Unexpected value(s) {names} for the `anthropic-beta` header"
TOO_LARGE = "Request exceeds the maximum size"
GONE = "{path}: Extra inputs are not permitted"
MAX_BYTES = 32 * 1024 * 1024

BETA_FIELDS = MappingProxyType(
    {
        "billing_policy": ("user-profiles-billing",),
        "compaction": ("compact",),
        "context_management": ("context-management", "compact"),
        "fallbacks": ("server-side-fallback",),
        "mcp_servers": ("mcp-client",),
        "speed": ("fast-mode",),
        "thread": ("message-threads",),
        "emulated_field": ("emulated-blocks",),
    }
)
"""Fields of a request, and the betas of which each needs one. The last one stands for what is not known yet."""

BETA_BLOCKS = MappingProxyType(
    {
        "advisor_tool_result": ("advisor-tool",),
        "compaction": ("compact",),
        "fallback": ("server-side-fallback",),
        "mcp_tool_use": ("mcp-client",),
        "mcp_tool_result": ("mcp-client",),
        "tool_addition": ("mid-conversation-tool-changes",),
        "tool_removal": ("mid-conversation-tool-changes",),
        "emulated_block": ("emulated-blocks",),
    }
)
"""Blocks that need one of these betas."""

BETAS = frozenset(
    {
        "advisor-tool",
        "cache-diagnosis",
        "claude-code",
        "code-execution",
        "compact",
        "computer-use",
        "context-1m",
        "context-management",
        "effort",
        "emulated-blocks",
        "extended-cache-ttl",
        "fallback-credit",
        "fast-mode",
        "files-api",
        "fine-grained-tool-streaming",
        "inline-tools",
        "interleaved-thinking",
        "mcp-client",
        "message-threads",
        "mid-conversation-system",
        "mid-conversation-tool-changes",
        "output-128k",
        "pdfs",
        "prompt-caching",
        "prompt-caching-scope",
        "server-side-fallback",
        "skills",
        "structured-outputs",
        "task-budgets",
        "thinking-display-updates",
        "thinking-token-count",
        "token-counting",
        "token-efficient-tools",
        "tool-search-tool",
        "user-profiles-billing",
    }
)
"""The names of known betas, without their dates."""

_DATED = re.compile(r"(.+?)-20\d{2}-?\d{2}-?\d{2}")


@dataclass(frozen=True, slots=True)
class Terms:
    """The API version and the betas of a request. The names of betas have no dates here."""

    version: str = FIRST_VERSION
    betas: frozenset[str] = frozenset()

    @property
    def is_strict(self) -> bool:
        """True for the version without sampling parameters."""
        return self.version == STRICT_VERSION

    def has_any(self, betas: tuple[str, ...]) -> bool:
        """Return whether the request has one of *betas*."""
        return not self.betas.isdisjoint(betas)


def terms_of(headers: Mapping[str, str]) -> Terms:
    """Return the terms of a request by its headers. Header names are case-insensitive."""
    named = {name.lower(): value for name, value in headers.items()}
    return Terms(named.get("anthropic-version", FIRST_VERSION), frozenset(map(_undated, _betas(named))))


def judge_headers(headers: Mapping[str, str]) -> Refusal | None:
    """Return Anthropic's error for a request's headers, or None. Header names are case-insensitive.

    Since its version 2, Anthropic's own client sends the key as a bearer token.
    """
    named = {name.lower(): value for name, value in headers.items()}
    if not named.keys() & {"x-api-key", "authorization"}:
        return Refusal(NO_KEY, 401)
    if "anthropic-version" not in named:
        return Refusal(NO_VERSION)
    version = named["anthropic-version"]
    if version not in (FIRST_VERSION, STRICT_VERSION):
        return Refusal(BAD_VERSION.format(version=version))
    unknown = [f"`{name}`" for name in _betas(named) if _undated(name) not in BETAS]
    if unknown:
        return Refusal(UNKNOWN_BETA.format(names=", ".join(unknown)))
    if int(named.get("content-length", 0)) > MAX_BYTES:
        return Refusal(TOO_LARGE, 413)
    return None


def term_faults(body: dict[str, Any], terms: Terms) -> Iterator[str]:
    """Yield the error text of each field and value that the request's version or betas do not permit."""
    if not terms.is_strict:
        return
    yield from (GONE.format(path=name) for name in ("temperature", "top_p", "top_k") if name in body)
    for index, message in enumerate(body["messages"]):
        blocks = message["content"] if isinstance(message["content"], list) else []
        for place, block in enumerate(blocks):
            path = f"messages.{index}.content.{place}"
            if message["role"] == "assistant" and block["type"] == "document":
                yield f"{path}: `document` blocks can only be in `user` messages"
            if message["role"] == "user" and block["type"] == "text" and block.get("citations"):
                yield GONE.format(path=f"{path}.text.citations")


def _betas(named: Mapping[str, str]) -> list[str]:
    return [beta for name in named.get("anthropic-beta", "").split(",") if (beta := name.strip())]


def _undated(name: str) -> str:
    dated = _DATED.fullmatch(name)
    return dated[1] if dated else name
