"""The facts of one request that its answer needs: the model's name as asked, the ids, and the seal of signatures."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from proxy.ingress.anthropic_messages.errors import NO_PLACES
from proxy.ingress.anthropic_messages.message_places import MessagePlaces
from proxy.ingress.anthropic_messages.thinking import ReadThinking
from proxy.ingress.token_numbers import NO_NUMBERS, TokenNumbers
from proxy.planning.signatures.client_ids import tag_in
from sanitizers.native.messages.envelope import SignedCall, pack_signature

ID_PREFIX = "msg_"
NO_THINKING = ReadThinking(None, False, False)

_UNSIGNED = SignedCall("", "", "")


class AnswerContext:
    """The facts of one request.

    *model* is the name that the client asked for. The client drops the thoughts of a turn with another name
    (claude-code-router#1629), so that it is in every answer, whatever model has answered. *seed* makes the message's
    id. *tenant* is the name of the client's key. *numbers* returns the tokens of the request as far as they are known.
    """

    def __init__(
        self,
        model: str,
        seed: str,
        *,
        request_id: str = "",
        tenant: str = "",
        thinking: ReadThinking = NO_THINKING,
        places: MessagePlaces = NO_PLACES,
        numbers: Callable[[], TokenNumbers] = lambda: NO_NUMBERS,
    ) -> None:
        self.model = model
        self.request_id = request_id
        self.thinking = thinking
        self.places = places
        self.numbers = numbers
        self._seed = seed
        self._tenant = tenant

    @property
    def message_id(self) -> str:
        """The id of the answer. It follows from the request's own seed."""
        return ID_PREFIX + hashlib.sha256(self._seed.encode()).hexdigest()[:32]

    @property
    def legacy_call_id(self) -> str:
        """The id of a call in the older form ``function_call``, which has none of its own."""
        return f"call_{hashlib.sha256(self._seed.encode()).hexdigest()[:24]}"

    def seal_call(self, call_id: str, signature: str) -> str:
        """Return the ``signature`` of a thinking block that brings back the *signature* of the call *call_id*.

        The id of a signed call has the tag of the signature's origin.
        """
        return pack_signature(SignedCall(tag_in(call_id) or "", call_id, signature), self._tenant)

    def seal_thoughts(self) -> str:
        """Return the ``signature`` of thoughts that nobody signed. Some clients hide thoughts without one."""
        return pack_signature(_UNSIGNED, self._tenant)
