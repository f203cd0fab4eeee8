"""Assigns the pieces of an answer to its tool calls, also where the provider's form differs from OpenAI's.

OpenAI gives each call an ``index``, and sends its id and name once. Other servers leave the index out, send 0 for every
parallel call, or repeat the id with each piece. Some servers give several calls the same id, or send a whole call
twice. A client that takes these fields literally joins two calls into one, whose arguments are not JSON
(hermes-agent#102787, omnigent#28, ``[A, B, B]`` in hermes-agent#111686).

Ids, indexes and names tell calls apart. One more rule applies: an object after arguments that are a whole object begins
another call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from proxy.answers.partial_call import PartialCall, piece_of
from proxy.answers.restore_tool_names import UNCHANGED, ToolNameMap
from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.planning.signatures.client_ids import CallIds
from proxy.state.kept_signatures import Signed
from proxy.state.kept_thoughts import Called
from proxy.upstream.signature_carriers import call_signatures, has_only_openai_fields, is_signature
from sanitizers.messages import base_id

_NO_DETAILS: Mapping[str, str] = MappingProxyType({})

_MAX_DOUBTFUL = 64
"""The most calls of a choice that may wait unsent. If arguments begin one more call, the answer fails.

A model in a loop writes hundreds of objects into the arguments of one call.
"""


class CallAssembler:
    """The tool calls of one choice. A call's place is its index in the answer for the client.

    The assembler compares calls by the provider's tool names. *names* restores the client's names in returned calls.
    """

    def __init__(self, ids: CallIds, choice: int, names: ToolNameMap = UNCHANGED) -> None:
        self._ids = ids
        self._choice = choice
        self._names = names
        self._calls: list[PartialCall] = []  # announced calls; the index here is the call's place
        # Calls that may have more to send when another begins, and the newest one.
        self._unfinished: list[PartialCall] = []
        # Calls without a name or with part of it, and calls that may only repeat others.
        self._waiting: list[PartialCall] = []
        self._by_id: dict[str, PartialCall] = {}  # the newest call of each provider id, which calls may share
        self._by_index: dict[int, PartialCall] = {}  # the newest call of each provider index
        self._last: PartialCall | None = None
        self._unreported: list[PartialCall] = []  # signed calls that were not reported yet
        self._whole_seen: set[tuple[str | None, str, str]] = set()  # id, name and arguments in whole answers

    def read(self, piece: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the pieces that *piece* adds, with the call's place as ``index``. A repeated call adds no pieces.

        The first piece of a call has an id, a type and a name. Later pieces have none of these, except a further part
        of the name. Clients, OpenAI's own among them, join the values of all pieces, so a repeated id or name would
        come out twice. Every piece has arguments, which may be empty, since langchain-openai loses a delta whose call
        has none.
        """
        index = piece.get("index")
        function = piece.get("function") or {}
        name, arguments = function.get("name"), function.get("arguments")
        if len(piece) == 2 and len(function) == 1 and arguments is not None and index is not None:
            # The fast path for nearly all of OpenAI's pieces: only arguments, for a call named by its index.
            call = self._by_index.get(index)
            if call is not None and call.place >= 0:
                return self._extend_arguments(call, arguments)
        call_id, signature = _id_and_signature(piece)
        call = self._find(call_id, index, name)
        if call is not None and call.name and (name or call_id):
            new_name = name and name != call.name
            if call.whole_arguments() is not None:
                if not new_name and (not arguments or call.means_same(arguments)):
                    self._last = call  # the name may begin another call: later arguments belong to this one
                    call.name_repeated = bool(name) and not arguments
                    if index is not None:
                        self._by_index[index] = call
                    return self._sign(call, signature)
                call = None if name else call
            elif new_name and (call.has_arguments or (index is not None and index not in self._by_index)):
                call = None
        if call is None:
            if (
                call_id in self._by_id
                and name
                and arguments
                and (said := self._find_equal(call_id, name, arguments))
            ):
                return self._sign(said, signature)
            call = self._begin(call_id, index)
        elif name is None and signature is None and call.place >= 0:  # as most pieces are
            return self._extend_arguments(call, arguments)
        return list(self._extend(call, name, arguments, signature))

    def _extend_arguments(self, call: PartialCall, arguments: Any) -> list[dict[str, Any]]:
        """Return the pieces that *arguments* add to an announced *call*, and to calls that begin in them."""
        self._last = call
        fresh, rest = call.add_text(arguments, again=False) if arguments else ("", "")
        pieces = [piece_of(call.place, fresh)] if fresh else []
        return [*pieces, *self._begin_behind(call, rest)] if rest else pieces

    def read_whole(self, call: dict[str, Any]) -> None:
        """Read a call of a whole answer. A repetition with the same id, name and arguments is skipped."""
        call_id, signature = _id_and_signature(call)
        function = call.get("function") or {}
        name, arguments = function.get("name"), function.get("arguments")
        if call_id is not None:
            said = (call_id, name or "", arguments or "")
            if said in self._whole_seen:
                return
            self._whole_seen.add(said)
        for _ in self._extend(self._begin(call_id, None), name, arguments, signature):
            pass  # no client gets pieces of a whole answer

    def close(self, *, cut_off: bool) -> list[dict[str, Any]]:
        """Return the pieces that are still to be sent when the choice has its finish reason.

        A call without arguments gets an empty object, unless the answer was *cut_off* before them. Withheld arguments
        that were encoded twice are decoded, unless the answer was *cut_off*. Raises :class:`UpstreamFault` for a call
        without a name, unless the answer was *cut_off*. Nobody can run such a call.
        """
        pieces: list[dict[str, Any]] = []
        for call in self._waiting:
            if not call.name:
                if cut_off:
                    continue
                raise UpstreamFault("The model wrote a tool call without a name.", cause=Cause.MALFORMED_CALL)
            if not (call.maybe_repeated and call.repeats(self._calls)):
                pieces += self._send_head(call)
        self._waiting = []
        for call in self._calls:
            rest = call.finish(cut_off=cut_off)
            if rest:
                pieces.append(piece_of(call.place, rest))
        return pieces

    def sign_first(self, signature: str) -> list[dict[str, Any]]:
        """Give *signature*, a thought signature outside the calls, to the first call, unless that call has its own.

        Some streams put the signature on a text after the call. Gemini does not read a signature there (gemini-cli,
        stripThoughts).
        """
        return self._sign(self._calls[0], signature) if self._calls else []

    def sign(self, signatures: Mapping[str, str]) -> list[dict[str, Any]]:
        """Give each call its thought signature from *signatures*, whose keys are the provider's call ids."""
        pieces: list[dict[str, Any]] = []
        for call in self._calls if signatures else ():
            signature = signatures.get(call.provider_id or "")
            if signature is not None and is_signature(signature):
                pieces += self._sign(call, signature)
        return pieces

    @property
    def is_empty(self) -> bool:
        """True where no call was announced to the client."""
        return not self._calls

    def whole_calls(self) -> list[dict[str, Any]]:
        """Return the calls in the form of a whole answer."""
        calls = []
        for call in self._calls:
            name = self._names.restore(call.name)
            piece = piece_of(call.place, call.text(), signature=call.signature, call_id=call.id, name=name)
            del piece["index"]
            calls.append(piece)
        return calls

    def client_ids(self) -> dict[str, str]:
        """Return the client's id of each announced call, by the provider's id."""
        return {call.provider_id: call.id for call in self._calls if call.provider_id is not None}

    def called(self) -> list[Called]:
        """Return the announced calls as the client got them."""
        return [Called(call.id, self._names.restore(call.name), call.text()) for call in self._calls]

    def rewritten(self) -> Iterator[str]:
        """Yield the client's ids of the calls whose arguments :meth:`PartialCall.finish` has rewritten."""
        return (call.id for call in self._calls if call.rewritten)

    def signed(self, *, ended: bool) -> Iterator[Signed]:
        """Yield the signed calls that are whole and were not yielded before.

        With *ended*, yield unfinished calls too.
        """
        if not self._unreported:
            return
        ready = [
            call
            for call in self._unreported
            if call.place >= 0 and (ended or call.whole_arguments() is not None)
        ]
        self._unreported = [call for call in self._unreported if call not in ready]
        for call in ready:
            if call.signature is not None:
                yield Signed(call.id, self._names.restore(call.name), call.text(), call.signature)

    def _find(self, call_id: str | None, index: int | None, name: Any) -> PartialCall | None:
        """Return the call that a piece continues, or None where the piece begins a new call.

        A new id begins a call. But a piece without a name continues the unfinished call of its index. Some servers send
        a late id, or a new id in each piece. Parallel calls with a shared id are told apart by their indexes. A piece
        with neither id nor index continues the last call, unless it has a function name. A piece that repeats the last
        call's name continues that call while its arguments are unfinished. Some servers stream whole calls, others
        repeat the name in each piece.
        """
        found = None if index is None else self._by_index.get(index)
        if call_id is not None and call_id in self._by_id:
            known = self._by_id[call_id]
            if found is not None and found.provider_id == call_id:
                return found
            apart = name and index is not None and found is None and known.index not in (None, index)
            return None if apart else known
        if index is not None:
            if found is None or call_id is None:
                return found
            return None if name or not found.name or found.whole_arguments() is not None else found
        last = self._last
        if call_id is None and (
            not name or (last and last.name == name and last.has_arguments and last.whole_arguments() is None)
        ):
            return last
        return None

    def _find_equal(self, call_id: str | None, name: str, arguments: str) -> PartialCall | None:
        """Return a call of *call_id* and *name* whose whole arguments mean the same as *arguments*, or None."""
        same = (call for call in self._calls if call.provider_id == call_id and call.name == name)
        return next(
            (call for call in same if call.whole_arguments() is not None and call.means_same(arguments)), None
        )

    def _begin(self, call_id: str | None, index: int | None) -> PartialCall:
        """Begin a call, which waits until it has a name."""
        call = PartialCall(call_id, index)
        self._waiting.append(call)
        if call_id is not None:
            self._by_id[call_id] = call
        if index is not None:
            self._by_index[index] = call
        return call

    def _extend(
        self, call: PartialCall, name: Any, arguments: Any, signature: str | None
    ) -> Iterator[dict[str, Any]]:
        """Yield the pieces that a piece adds to *call*, and to calls that begin within its arguments."""
        self._last = call
        name_repeated = call.name != "" and not call.maybe_repeated
        said_name = ""
        if name and name != call.name:
            call.name += name
            said_name = name
        fresh, rest = call.add_text(arguments, again=bool(name)) if arguments else ("", "")
        if call.place >= 0:
            news = signature if signature is not None and call.signature is None else None
            self._set_signature(call, news)
            if fresh or said_name or news:
                yield piece_of(call.place, fresh, signature=news, name=said_name)
        else:
            self._set_signature(call, signature)
            if call.maybe_repeated:
                ready = bool(call.name) and not call.may_repeat(self._calls)
            else:
                ready = bool(call.name) and (call.has_arguments or not self._names.may_go_on(call.name))
            if ready:
                yield from self._announce(call, name_repeated=name_repeated)
        if rest:
            yield from self._begin_behind(call, rest)

    def _begin_behind(self, call: PartialCall, rest: str) -> Iterator[dict[str, Any]]:
        """Begin calls with *rest*, the text after *call*'s whole arguments.

        The last of these calls takes over the index and id of *call*. Raises :class:`UpstreamFault` for a model that
        repeats one call over and over.
        """
        while rest:
            following = PartialCall(None, None, maybe_repeated=True)
            following.name = call.name
            self._waiting.append(following)
            if len(self._waiting) > _MAX_DOUBTFUL:
                raise UpstreamFault("The model wrote one call over and over.", cause=Cause.MALFORMED_CALL)
            _reassign(self._by_index, call, following)
            _reassign(self._by_id, call, following)
            self._last = call = following
            _, rest = call.add_text(rest, again=False)
            if call.name and not call.may_repeat(self._calls):
                yield from self._announce(call)

    def _set_signature(self, call: PartialCall, signature: str | None) -> None:
        """Give *call* its signature, unless it has one."""
        if signature is not None and call.signature is None:
            call.signature = signature
            self._unreported.append(call)

    def _announce(self, call: PartialCall, *, name_repeated: bool = False) -> Iterator[dict[str, Any]]:
        """Announce a waiting *call* to the client, after the named calls that began to wait earlier.

        The names of these earlier calls may have been unfinished until now. *name_repeated* is true where the call's
        name came in an earlier piece. The call's arguments then do not complete earlier calls.
        """
        at = self._waiting.index(call)
        before = [one for one in self._waiting[:at] if one.name and not one.maybe_repeated]
        self._waiting = [one for one in self._waiting if one is not call and one not in before]
        for one in before:
            yield from self._send_head(one)
        yield from self._send_head(call, name_repeated=name_repeated)

    def _send_head(self, call: PartialCall, *, name_repeated: bool = False) -> Iterator[dict[str, Any]]:
        """Announce *call*, after the withheld arguments of earlier calls that are now complete.

        OpenAI's own client reads a call's arguments as soon as the next call begins.
        """
        with_arguments = call.has_arguments and not name_repeated
        for earlier in self._unfinished:
            if earlier.is_complete(another_has_arguments=with_arguments) and (
                rest := earlier.finish(cut_off=False)
            ):
                yield piece_of(earlier.place, rest)
        self._unfinished = [earlier for earlier in self._unfinished if earlier.is_unfinished]
        self._unfinished.append(call)
        call.place = len(self._calls)
        call.id = self._ids.id_for(call.provider_id, self._choice, call.place)
        self._calls.append(call)
        name = self._names.restore(call.name)
        yield piece_of(call.place, call.sendable(), signature=call.signature, call_id=call.id, name=name)

    def _sign(self, call: PartialCall, signature: str | None) -> list[dict[str, Any]]:
        if signature is None or call.signature is not None:
            return []
        self._set_signature(call, signature)
        return [piece_of(call.place, "", signature=signature)] if call.place >= 0 else []


def _reassign(known: dict[Any, PartialCall], call: PartialCall, following: PartialCall) -> None:
    """Replace *call* by *following* under each key of *known* that leads to *call*."""
    for key, found in known.items():
        if found is call:
            known[key] = following


def _id_and_signature(piece: dict[str, Any]) -> tuple[str | None, str | None]:
    given = piece.get("id")
    if not given and has_only_openai_fields(piece):
        return None, None
    signature = next((text for text in call_signatures(piece, _NO_DETAILS) if is_signature(text)), None)
    return (base_id(given if isinstance(given, str) else str(given)) if given else None), signature
