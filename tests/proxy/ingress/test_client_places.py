"""Tests of the part of all formats that turns numbers of chat messages into the client's places."""

from __future__ import annotations

from typing_extensions import override

from proxy.core.errors import UnrepairableHistory
from proxy.ingress.client_places import NO_ENTRY, ClientPlaces, find_span
from sanitizers.native import Span

SPANS = [Span(range(1), range(1, 3)), Span(range(1, 2), range(3, 4)), Span(range(0), range(4, 5))]


class Places(ClientPlaces):
    """Places by SPANS, whose entries have a step ``own`` with indexes of their own."""

    @override
    def of_message(self, message: int) -> int:
        span = find_span(SPANS, message)
        return NO_ENTRY if span is None else span.items.start

    @override
    def rename(self, text: str) -> str:
        return text.replace("messages[3]", "entry 1")

    @override
    def of_entry(self, step: str, index: int) -> int | None:
        return index + 10 if step == "own" else None


def test_message_has_its_span_where_an_entry_holds_it() -> None:
    found = [find_span(SPANS, message) for message in range(-1, 7)]

    assert found == [None, None, SPANS[0], SPANS[0], SPANS[1], None, None, None]


def test_entries_get_the_clients_indexes() -> None:
    entries = [{"step": "shape", "index": 3}, {"rule": "x", "index": 0}, {"step": "own", "index": 3}]
    kept = [{"step": step, "index": 3} for step in ("answer_repair", "instructions", "parameters", "tools")]

    assert [one["index"] for one in Places().renumber(entries)] == [1, NO_ENTRY, 13]
    assert Places().renumber(kept) == kept


def test_error_has_the_clients_places_in_all_it_says() -> None:
    error = UnrepairableHistory("messages[3] is wrong.", violations=[{"rule": "x", "index": 3}])
    bare = UnrepairableHistory("messages[3] is wrong.")
    Places().rename_error(error)
    Places().rename_error(bare)

    assert (error.message, bare.message) == ("entry 1 is wrong.", "entry 1 is wrong.")
    assert error.details == {"violations": [{"rule": "x", "index": 1}], "changes": []}
    assert bare.details == {}


def test_explanation_keeps_the_indexes_of_what_was_mended_while_reading() -> None:
    changes = [{"step": "shape", "index": 3}, {"step": "shape", "index": 3}]
    described = {
        "changes": changes,
        "found": [{"rule": "x", "index": 3}],
        "violations": [],
        "refusal": {"message": "messages[3] is wrong.", "param": "messages[3]"},
        "memory": {"pinned": [3], "replaced": [1, 2], "text": "…"},
    }
    numbered = Places().renumber_explanation(described, 1)

    assert [one["index"] for one in numbered["changes"]] == [3, 1]
    assert numbered["found"] == [{"rule": "x", "index": 1}]
    assert numbered["refusal"] == {"message": "entry 1 is wrong.", "param": "messages[3]"}
    assert numbered["memory"] == {"pinned": [1], "replaced": [0, 0], "text": "…"}
