"""One request for embeddings or for a text completion, and its texts.

The texts are in ``input`` or ``prompt``: one text or many, each as a string or as token numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from proxy.core.chat_request import ProviderNeed
from proxy.core.errors import InvalidRequest
from sanitizers.work_limit import metered

Tokens: TypeAlias = list[int]
Inputs: TypeAlias = Sequence[str] | Sequence[Tokens]

MAX_TEXTS = 8_192
"""The largest number of texts in one request.

OpenAI takes 2,048, and self-hosted servers take more. Gemini takes 100 for each call.
"""

MAX_TOKENS = 2**20
"""The largest number of tokens in an input of one text sent as numbers: the largest window of any model."""


@dataclass(frozen=True, slots=True)
class EmbeddingSource:
    """A request for embeddings in Gemini's own API as its client meant it, for a provider that speaks that API."""

    body: bytes | None
    """The bytes that *fields* were read from. None where *fields* are only a part of the client's request."""

    fields: Mapping[str, Any]
    """The decoded body, with the names as the client spells them."""

    is_batch: bool
    """True for several requests under ``requests``. Otherwise the body is one request itself."""

    own: tuple[str, ...] = ()
    """The names of fields that other providers lack, such as ``taskType``."""

    needs: tuple[ProviderNeed, ...] = ()
    """The needs that only Gemini can serve. Where there are any, there are no texts for another provider."""

    def part(self, start: int, stop: int) -> EmbeddingSource:
        """Return the source of the requests from *start* on, up to *stop*. It must be a batch."""
        return replace(
            self, body=None, fields={**self.fields, "requests": self.fields["requests"][start:stop]}
        )


@dataclass(frozen=True, slots=True)
class TextRequest:
    """One request with the parameters that the client set.

    *parameters* holds ``input`` or ``prompt`` and the known parameters that were set, without the stream options. Null
    counts as not set. *unknown* holds everything else, which goes upstream only if the deployment allows it by name.
    """

    model: str
    stream: bool
    include_usage: bool
    parameters: Mapping[str, Any]
    unknown: Mapping[str, Any]
    weight: int = 0
    """The cost of working on the request, as a number of bytes of a usual body."""

    source: EmbeddingSource | None = None
    """The request in the client's own form, or None for a format of OpenAI's."""


def check_inputs(name: str, value: Any) -> None:
    """Check that *value* is a text, tokens, or a list of either, as OpenAI accepts for *name*.

    Raises :class:`InvalidRequest`, whose ``param`` is the path of the faulty value. Lengths below :data:`MAX_TEXTS` and
    :data:`MAX_TOKENS` are left to the provider.
    """
    if isinstance(value, str):
        return
    if not isinstance(value, list) or not value:
        raise _refused(name, "expected a string, or an array that is not empty")
    first = value[0]
    is_list_of_texts = isinstance(first, (str, list))
    maximum, what = (MAX_TEXTS, "texts") if is_list_of_texts else (MAX_TOKENS, "tokens")
    if len(value) > maximum:
        words = f"at most {maximum} {what} are taken, and it has {len(value)}. No setting moves this limit"
        raise _refused(name, words)
    if isinstance(first, str):
        _check_each(name, value, str, "a string")
    elif isinstance(first, list):
        _check_each(name, value, list, "an array of tokens")
        for at, tokens in enumerate(metered(value)):
            if not tokens:
                raise _refused(f"{name}[{at}]", "expected an array that is not empty")
            _check_tokens(f"{name}[{at}]", tokens)
    else:
        _check_tokens(name, value)


def separate_inputs(value: Any) -> Inputs:
    """Return the single texts of a checked *value*, each as a string or as tokens."""
    if isinstance(value, str):
        return [value]
    return [value] if isinstance(value[0], int) else value


def _check_tokens(name: str, tokens: list[Any]) -> None:
    for at, token in enumerate(tokens):
        if type(token) is not int or token < 0:  # not isinstance: a bool is an int as well
            raise _refused(f"{name}[{at}]", "expected a token, a number from 0")


def _check_each(name: str, values: list[Any], kind: type, words: str) -> None:
    for at, value in enumerate(values):
        if not isinstance(value, kind):
            raise _refused(f"{name}[{at}]", f"expected {words}, as the ones before it are")


def _refused(place: str, words: str) -> InvalidRequest:
    return InvalidRequest(f"Invalid value for '{place}': {words}.", param=place)
