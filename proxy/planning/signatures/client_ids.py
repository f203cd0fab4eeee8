"""Makes the ids by which clients know the calls of an answer.

The ids are legal at every provider, without a separate form for each: 40 characters at most (OpenAI,
``string_above_max_length``, vercel/ai#5171) of ``[A-Za-z0-9_-]`` (Anthropic, langchain#37756).

A provider's id stays if it is legal, and no other call of the answer or the history has it. Some providers repeat their
ids in every turn, use the function's name, or use one id for all parallel calls (TanStack/ai#199, cline#9768,
9router#4273). Clients that look results up by id then find the wrong result.

Where the model signs its calls, the calls get ids that the proxy makes. A stored signature must not be found under an
id of another conversation. The id must be known when the call begins, before its signature has come. A proxy-made id
holds a tag of the call's origin:

    call_ + tag of the origin (5) + digest of the request's own random seed (19), all in [a-z2-7]
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Collection

from proxy.planning.signatures.origins import TAG_LENGTH
from sanitizers import Messages
from sanitizers.messages import tool_calls_of

_LEGAL = re.compile(r"[A-Za-z0-9_-]{1,40}", re.ASCII)
_PROXY_ID = re.compile(r"call_([a-z2-7]{5})[a-z2-7]{19}", re.ASCII)


class CallIds:
    """Gives the calls of one answer their ids.

    *seed* must differ for each answer, and must not be guessable. With *tag*, all calls get proxy-made ids, unless
    another turnright instance has already made the id. *taken* returns the ids of the history. Each function is called
    at most once, at the answer's first tool call, since most answers have no calls.
    """

    def __init__(
        self,
        seed: str | Callable[[], str],
        *,
        tag: str | Callable[[], str] | None = None,
        taken: Callable[[], Collection[str]] = frozenset,
    ) -> None:
        self._seed = seed
        self._tag = tag
        self._history = taken
        self._taken: set[str] | None = None

    def id_for(self, given: str | None, choice: int, place: int) -> str:
        """Return the id for the call with index *place* in the choice with index *choice*.

        *given* is the provider's own id, if it has one.
        """
        if self._taken is None:
            self._taken = set(self._history())
        call_id = given if given and self._is_usable(given) and given not in self._taken else None
        call_id = call_id or self._make(choice, place)
        self._taken.add(call_id)
        return call_id

    def _is_usable(self, given: str) -> bool:
        """Return True where a provider's id may go to the client.

        An id that another turnright instance made stays, since that instance stores the signature.
        """
        return bool((_LEGAL if self._tag is None else _PROXY_ID).fullmatch(given))

    def _make(self, choice: int, place: int) -> str:
        if not isinstance(self._seed, str):
            self._seed = self._seed()
        if callable(self._tag):
            self._tag = self._tag()
        digest = hashlib.sha256(f"{self._seed}\0{choice}\0{place}".encode()).digest()
        text = base64.b32encode(digest).decode().lower()
        tag = text[-TAG_LENGTH - 10 : -10] if self._tag is None else self._tag
        return f"call_{tag}{text[:19]}"


def tag_in(call_id: str) -> str | None:
    """Return the tag of an id that the proxy made. None for any other id."""
    found = _PROXY_ID.fullmatch(call_id)
    return found[1] if found else None


def ids_in(messages: Messages) -> set[str]:
    """Return the ids of all calls in a history."""
    return {
        call_id
        for message in messages
        for call in tool_calls_of(message)
        if isinstance(call_id := call.get("id"), str)
    }
