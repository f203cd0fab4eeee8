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
    """True where the provider has OpenAI's endpoint for text completions."""

    limit_as_max_tokens: bool = False
    """True where the answer's limit must go as ``max_tokens``."""

    hottest: float | None = None
    """The greatest ``temperature``, where it is less than OpenAI's."""

    text_lists: bool = True
    """True where a message's content may be a list of text parts. Otherwise the parts become one text."""
