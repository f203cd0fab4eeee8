"""Which tool call a piece of an answer belongs to, where the provider does not say so as OpenAI does. Pure.

OpenAI gives each call an ``index`` and says its id and name once. Other servers leave the index out, send 0 for every
parallel call, say the id again with each piece, share one id among calls, or send a whole call twice; taken at their
word, two calls become one whose arguments are no JSON (hermes-agent#102787, omnigent#28, ``[A, B, B]`` in
hermes-agent#111686). What tells them apart is the id, and that nothing can follow arguments that are whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from proxy.answers.partial_call import PartialCall, piece_of
from proxy.answers.restore_tool_names import UNCHANGED, NamesBack
from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.planning.signatures.client_ids import CallIds
from proxy.state.kept_signatures import Signed
from proxy.upstream.signature_carriers import call_signatures, has_only_openai_fields, is_signature
from sanitizers.messages import base_id

_NO_DETAILS: Mapping[str, str] = MappingProxyType({})


_MOST_DOUBTFUL = 64
"""Objects that may stand in one call's place and only repeat others; a model in a loop writes hundreds."""


class CallAssembler:
    """The tool calls of one choice, in the order in which they began, which is their place.

    They are told apart by the provider's names; all that is returned has the client's, by *names*.
    """

    def __init__(self, ids: CallIds, choice: int, names: NamesBack = UNCHANGED) -> None:
        self._ids = ids
        self._choice = choice
        self._names = names
        self._calls: list[PartialCall] = []  # that are announced: the place of each is its index here
        self._open_ended: list[
            PartialCall
        ] = []  # that may have something to say when another begins, and the newest
        self._waiting: list[
            PartialCall
        ] = []  # that have no name yet, or not all of it, or may only say again what was said
        self._by_id: dict[
            str, PartialCall
        ] = {}  # the newest of each id of the provider's, which calls may share
        self._by_index: dict[int, PartialCall] = {}  # the newest call of each index of the provider's
        self._last: PartialCall | None = None
        self._unkept: list[PartialCall] = []  # signed, and not yet told of
        self._whole: set[tuple[str | None, str, str]] = set()  # id, name and arguments in whole answers

    def read(self, piece: dict[str, Any]) -> list[dict[str, Any]]:
        """Return what *piece* says, each with its place as ``index``; nothing where it only says again what was said.

        The piece that begins a call has an id, a type and a name; the later ones have none of these, since clients join
        what they get, OpenAI's own among them. All have arguments, though these may be empty: some clients lose a
        delta that has a call without any (langchain-openai).
        """
        index = piece.get("index")
        function = piece.get("function") or {}
        name, arguments = function.get("name"), function.get("arguments")
        if len(piece) == 2 and len(function) == 1 and arguments is not None and index is not None:
            # Nothing but arguments for a call that is named by its index, as nearly all pieces of OpenAI's are.
            call = self._by_index.get(index)
            if call is not None and call.place >= 0:
                return self._more(call, arguments)
        call_id, signature = _id_and_signature(piece)
        call = self._find(call_id, index, name)
        if call is not None and call.name and (name or call_id):
            new_name = name and name != call.name
            if call.whole() is not None:
                if not new_name and (not arguments or call.says_again(arguments)):
                    self._last = call  # a head of its own may have come: what follows is for this one
                    call.headed = bool(name) and not arguments
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
                and (said := self._said(call_id, name, arguments))
            ):
                return self._sign(said, signature)
            call = self._begin(call_id, index)
        elif name is None and signature is None and call.place >= 0:  # as most pieces are
            return self._more(call, arguments)
        return list(self._go_on(call, name, arguments, signature))

    def _more(self, call: PartialCall, arguments: Any) -> list[dict[str, Any]]:
        """Return what *arguments* add to a *call* that is announced, and the calls that begin in them."""
        self._last = call
        fresh, rest = call.take(arguments, again=False) if arguments else ("", "")
        pieces = [piece_of(call.place, fresh)] if fresh else []
        return [*pieces, *self._begin_from(call, rest)] if rest else pieces

    def read_whole(self, call: dict[str, Any]) -> None:
        """Take a call of a whole answer: none goes on with another, though one may stand there twice under its id."""
        call_id, signature = _id_and_signature(call)
        function = call.get("function") or {}
        name, arguments = function.get("name"), function.get("arguments")
        if call_id is not None:
            said = (call_id, name or "", arguments or "")
            if said in self._whole:
                return
            self._whole.add(said)
        for _ in self._go_on(self._begin(call_id, None), name, arguments, signature):
            pass  # there is no client to tell of pieces

    def close(self, *, cut_off: bool) -> list[dict[str, Any]]:
        """Return the last pieces, when the choice has said how it ended.

        A call without arguments has those of an empty object, unless the answer was *cut_off*, and they may have been
        to come. Arguments that were held back, since they are no object as they stand, are read once more. Raises
        :class:`UpstreamFault` for a call that nobody can run, as it has no name.
        """
        pieces: list[dict[str, Any]] = []
        for call in self._waiting:
            if not call.name:
                if cut_off:
                    continue
                raise UpstreamFault("The model wrote a tool call without a name.", cause=Cause.MALFORMED_CALL)
            if not (call.doubtful and call.repeats(self._calls)):
                pieces += self._open(call)
        self._waiting = []
        for call in self._calls:
            rest = call.finish(cut_off=cut_off)
            if rest:
                pieces.append(piece_of(call.place, rest))
        return pieces

    def sign_first(self, signature: str) -> list[dict[str, Any]]:
        """Give a signature that came apart from the calls to the first one, unless that has its own.

        Some streams have it on a text behind the call, where Gemini does not look for it (gemini-cli, stripThoughts).
        """
        return self._sign(self._calls[0], signature) if self._calls else []

    def sign(self, signatures: Mapping[str, str]) -> list[dict[str, Any]]:
        """Give signatures that came apart from the calls to theirs, by the provider's ids."""
        pieces: list[dict[str, Any]] = []
        for call in self._calls if signatures else ():
            signature = signatures.get(call.said_id or "")
            if signature is not None and is_signature(signature):
                pieces += self._sign(call, signature)
        return pieces

    @property
    def is_empty(self) -> bool:
        """Whether no call was announced."""
        return not self._calls

    def whole_calls(self) -> list[dict[str, Any]]:
        """Return the calls as a whole answer has them."""
        calls = []
        for call in self._calls:
            name = self._names.restore(call.name)
            piece = piece_of(call.place, call.text(), signature=call.signature, call_id=call.id, name=name)
            del piece["index"]
            calls.append(piece)
        return calls

    def decoded(self) -> Iterator[str]:
        """Yield the ids of the calls whose arguments are not written as they came."""
        return (call.id for call in self._calls if call.decoded)

    def signed(self, *, ended: bool) -> Iterator[Signed]:
        """Yield the signed calls that were not yielded before and are whole, or with *ended* all that are left."""
        if not self._unkept:
            return
        ready = [call for call in self._unkept if call.place >= 0 and (ended or call.whole() is not None)]
        self._unkept = [call for call in self._unkept if call not in ready]
        for call in ready:
            if call.signature is not None:
                yield Signed(call.id, self._names.restore(call.name), call.text(), call.signature)

    def _find(self, call_id: str | None, index: int | None, name: Any) -> PartialCall | None:
        """Return the call that a piece seems to go on with; None where it begins one.

        A new id begins a call, but for one in a piece without a name on a call that has one: that id came late, or
        is made up for each piece. An id that parallel calls share does not tell them apart; their indices do. A piece
        with neither id nor index goes on with the call before it, unless it names a function, and that call is not one
        of the same name that waits for more (servers that stream whole calls, or say the name with each piece).
        """
        found = None if index is None else self._by_index.get(index)
        if call_id is not None and call_id in self._by_id:
            known = self._by_id[call_id]
            if found is not None and found.said_id == call_id:
                return found
            apart = name and index is not None and found is None and known.index not in (None, index)
            return None if apart else known
        if index is not None:
            if found is None or call_id is None:
                return found
            return None if name or not found.name or found.whole() is not None else found
        last = self._last
        if call_id is None and (
            not name or (last and last.name == name and last.has_arguments and last.whole() is None)
        ):
            return last
        return None

    def _said(self, call_id: str | None, name: str, arguments: str) -> PartialCall | None:
        """Return the call of that id and name that says all of *arguments*; only a whole one can."""
        same = (call for call in self._calls if call.said_id == call_id and call.name == name)
        return next((call for call in same if call.whole() is not None and call.says_again(arguments)), None)

    def _begin(self, call_id: str | None, index: int | None) -> PartialCall:
        """Begin a call, which waits until it has a name."""
        call = PartialCall(call_id, index)
        self._waiting.append(call)
        if call_id is not None:
            self._by_id[call_id] = call
        if index is not None:
            self._by_index[index] = call
        return call

    def _go_on(
        self, call: PartialCall, name: Any, arguments: Any, signature: str | None
    ) -> Iterator[dict[str, Any]]:
        """Yield what a piece adds to *call*, and to the calls that begin in it."""
        self._last = call
        headed = call.name != "" and not call.doubtful
        said_name = ""
        if name and name != call.name:
            call.name += name
            said_name = name
        fresh, rest = call.take(arguments, again=bool(name)) if arguments else ("", "")
        if call.place >= 0:
            news = signature if signature is not None and call.signature is None else None
            self._note(call, news)
            if fresh or said_name or news:
                yield piece_of(call.place, fresh, signature=news, name=said_name)
        else:
            self._note(call, signature)
            if call.doubtful:
                ready = bool(call.name) and not call.may_repeat(self._calls)
            else:
                ready = bool(call.name) and (call.has_arguments or not self._names.may_go_on(call.name))
            if ready:
                yield from self._announce(call, headed=headed)
        if rest:
            yield from self._begin_from(call, rest)

    def _begin_from(self, call: PartialCall, rest: str) -> Iterator[dict[str, Any]]:
        """Begin calls with the *rest* that stood behind the whole arguments of *call*, in its place.

        Raises :class:`UpstreamFault` for a model that says the same over and over.
        """
        while rest:
            following = PartialCall(None, None, doubtful=True)
            following.name = call.name
            self._waiting.append(following)
            if len(self._waiting) > _MOST_DOUBTFUL:
                raise UpstreamFault("The model wrote one call over and over.", cause=Cause.MALFORMED_CALL)
            _hand_on(self._by_index, call, following)
            _hand_on(self._by_id, call, following)
            self._last = call = following
            _, rest = call.take(rest, again=False)
            if call.name and not call.may_repeat(self._calls):
                yield from self._announce(call)

    def _note(self, call: PartialCall, signature: str | None) -> None:
        """Give *call* its signature, unless it has one."""
        if signature is not None and call.signature is None:
            call.signature = signature
            self._unkept.append(call)

    def _announce(self, call: PartialCall, *, headed: bool = False) -> Iterator[dict[str, Any]]:
        """Begin *call*, which waits, for the client, behind those that came before it and might have had longer names.

        *headed* says that its own head came before, and waited for that.
        """
        at = self._waiting.index(call)
        before = [one for one in self._waiting[:at] if one.name and not one.doubtful]
        self._waiting = [one for one in self._waiting if one is not call and one not in before]
        for one in before:
            yield from self._open(one)
        yield from self._open(call, headed=headed)

    def _open(self, call: PartialCall, *, headed: bool = False) -> Iterator[dict[str, Any]]:
        """Begin *call* for the client, and say before what of the others was held back and is complete.

        OpenAI's own client reads a call's arguments as soon as the next one begins.
        """
        with_arguments = call.has_arguments and not headed
        for earlier in self._open_ended:
            if earlier.is_complete(another_has_arguments=with_arguments) and (
                rest := earlier.finish(cut_off=False)
            ):
                yield piece_of(earlier.place, rest)
        self._open_ended = [earlier for earlier in self._open_ended if earlier.is_open_ended]
        self._open_ended.append(call)
        call.place = len(self._calls)
        call.id = self._ids.show(call.said_id, self._choice, call.place)
        self._calls.append(call)
        name = self._names.restore(call.name)
        yield piece_of(call.place, call.shown(), signature=call.signature, call_id=call.id, name=name)

    def _sign(self, call: PartialCall, signature: str | None) -> list[dict[str, Any]]:
        if signature is None or call.signature is not None:
            return []
        self._note(call, signature)
        return [piece_of(call.place, "", signature=signature)] if call.place >= 0 else []


def _hand_on(known: dict[Any, PartialCall], call: PartialCall, following: PartialCall) -> None:
    """Let whatever led to *call* lead to *following*."""
    for key, found in known.items():
        if found is call:
            known[key] = following


def _id_and_signature(piece: dict[str, Any]) -> tuple[str | None, str | None]:
    given = piece.get("id")
    if not given and has_only_openai_fields(piece):
        return None, None
    signature = next((text for text in call_signatures(piece, _NO_DETAILS) if is_signature(text)), None)
    return (base_id(given if isinstance(given, str) else str(given)) if given else None), signature
