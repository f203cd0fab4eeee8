"""The facts of one request that its answer needs: the thoughts that the client wants, the ids, and the seal."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from proxy.ingress.gemini_native.errors import NO_PLACES
from proxy.ingress.gemini_native.places import ContentPlaces
from proxy.ingress.token_numbers import NO_NUMBERS, TokenNumbers
from proxy.planning.signatures.client_ids import tag_in
from sanitizers.native.gemini.envelope import pack_thoughts


class AnswerContext:
    """The facts of one request.

    *model* is the name that the client asked for. *seed* makes the id of a call that has none. *tenant* is the name of
    the client's key. With *shows_thoughts*, the client gets the model's thoughts as parts. *is_array* is true for a
    stream that is one JSON array. *numbers* returns the tokens of the request as far as they are known.
    """

    def __init__(
        self,
        model: str,
        seed: str,
        *,
        tenant: str = "",
        shows_thoughts: bool = False,
        is_array: bool = False,
        places: ContentPlaces = NO_PLACES,
        numbers: Callable[[], TokenNumbers] = lambda: NO_NUMBERS,
    ) -> None:
        self.model = model
        self.shows_thoughts = shows_thoughts
        self.is_array = is_array
        self.places = places
        self.numbers = numbers
        self._seed = seed
        self._tenant = tenant

    def legacy_call_id(self, choice: int) -> str:
        """Return the id of a call in the older form ``function_call``, which has none of its own."""
        return f"call_{hashlib.sha256(f'{self._seed}{choice}'.encode()).hexdigest()[:24]}"

    def seal_thoughts(self, blocks: Sequence[dict[str, Any]], call_id: str) -> str | None:
        """Return the ``thoughtSignature`` of the call *call_id* that brings back Claude's *blocks* of thoughts.

        The id of the call has the tag of the thoughts' origin. None where they are too long.
        """
        return pack_thoughts(blocks, tag_in(call_id) or "", call_id, self._tenant)
