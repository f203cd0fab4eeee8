"""The fields of a provider's row."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProviderRow:
    """One provider that speaks OpenAI's wire, by litellm's prefix.

    *base* is the provider's address. None means that the operator gives it as ``api_base``: a server of their own, or
    an address for each account.
    """

    prefix: str
    base: str | None

    keys: tuple[str, ...] = ()
    """The environment variables of the key, as litellm reads them. The first that is set counts."""

    bases: tuple[str, ...] = ()
    """The environment variables of the address, as litellm reads them where a call has no address."""

    embeddings: bool = False
    texts: bool = False
    """True where a source says that the provider's current models answer OpenAI's text completions.

    Elsewhere a text completion becomes a chat, which a model that only chats can answer. litellm asks for texts at some
    of those providers too. xAI: "Not supported by reasoning models" (docs.x.ai, "Legacy & Deprecated"). Moonshot and
    W&B list chats alone (platform.moonshot.ai, docs.wandb.ai). No page of the others says so (2026-11).
    """

    limit_as_max_tokens: bool = False
    """True where the answer's limit must go as ``max_tokens``."""

    hottest: float | None = None
    """The greatest ``temperature``, where it is less than OpenAI's."""

    text_lists: bool = True
    """True where a message's content may be a list of text parts. Otherwise the parts become one text."""
