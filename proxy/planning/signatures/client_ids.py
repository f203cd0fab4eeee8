"""The ids by which clients know the calls of an answer.

They are legal at every provider but those with a dialect of their own: 40 characters at most (OpenAI,
``string_above_max_length``, vercel/ai#5171) of ``[A-Za-z0-9_-]`` (Anthropic, langchain#37756). A provider's id stays
where it is that, and is no other call's of the answer or of the history: some say the same ids again in every turn, or
the function's name, or one for all parallel calls (TanStack/ai#199, cline#9768, 9router#4273), and clients that look
results up by id then find the wrong one.

Calls of models that sign get ids of ours. What is kept under an id must be found under no other conversation's, and
it must be known when the call begins, before its signature may have come. Such an id says where the call was made:

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
_OURS = re.compile(r"call_([a-z2-7]{5})[a-z2-7]{19}", re.ASCII)


class CallIds:
    """Gives the calls of one answer their ids.

    *seed* must be another for each answer, and not to be guessed. With *tag* all calls get ids of ours. *taken* tells
    the ids of the history. All are asked once, when there is a call: most answers hold none.
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

    def show(self, given: str | None, choice: int, place: int) -> str:
        """Return the id for the call at *place* of *choice*; *given* is the provider's own, if it has one."""
        if self._taken is None:
            self._taken = set(self._history())
        shown = given if given and self._may_stay(given) and given not in self._taken else None
        shown = shown or self._make(choice, place)
        self._taken.add(shown)
        return shown

    def _may_stay(self, given: str) -> bool:
        """Tell whether a provider's id can be the client's; one of another turnright's keeps a signature itself."""
        return bool((_LEGAL if self._tag is None else _OURS).fullmatch(given))

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
    """Return the tag of an id of ours; None for any other id."""
    found = _OURS.fullmatch(call_id)
    return found[1] if found else None


def ids_in(messages: Messages) -> set[str]:
    """Return the ids of all calls in a history."""
    return {
        call_id
        for message in messages
        for call in tool_calls_of(message)
        if isinstance(call_id := call.get("id"), str)
    }
