"""Tests of which objects in an error are the provider's own, by nesting and by the words of the request."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typing_extensions import override

from proxy.resilience.own_objects import own_objects
from proxy.resilience.request_words import RequestWords
from proxy.resilience.unwrap_error import unwrap_error

ONE = {"code": 401, "reason": "OTHER"}
TEXT = json.dumps({"error": ONE})


class Counted(RequestWords):
    """The words of a request, which count how often they are searched."""

    searched = 0

    @override
    def contains(self, words: str) -> bool:
        """Count the search, and find nothing."""
        self.searched += 1
        return False


@pytest.mark.parametrize(
    ("body", "request_text", "own"),
    [
        ({"error": ONE}, json.dumps(ONE), True),
        ({"error": {"details": [ONE]}}, json.dumps(ONE), False),
        ({"error": {"details": [ONE]}}, '"code": 401', True),
        ({"error": {"details": [ONE]}}, "401, and another", True),
        ({"error": {"message": TEXT}}, TEXT, False),
        ({"error": {"message": TEXT}}, '"code": 401', False),
        ({"error": {"message": TEXT}}, "401, and another", True),
        ({"error": {"received": ONE}}, "401, and another", False),
        ({"error": {"received": ONE}}, "no", True),
    ],
)
def test_an_object_is_judged_by_its_place(body: Any, request_text: str, own: bool) -> None:
    """The deeper an object is nested, the fewer of its fields in the request make it a quotation."""
    found = own_objects(unwrap_error(json.dumps(body).encode()), RequestWords(request_text))

    assert (ONE in found) == own


def test_a_field_of_the_request_with_its_value_is_a_quotation() -> None:
    """A field is a quotation if the client sends it in an object and the provider writes it into a text."""
    request = RequestWords([{"role": "user", "content": "Hi."}], {"metadata": ONE})

    assert ONE not in own_objects(unwrap_error(json.dumps({"message": TEXT}).encode()), request)


def test_only_some_objects_are_compared() -> None:
    """The search stops after some values, since a request may be large. Further objects do not count."""
    request = Counted()
    body = json.dumps({"error": {"received": [{"code": str(at), "type": "x"} for at in range(1_000)]}})
    found = own_objects(unwrap_error(body.encode()), request)

    assert len(found) < 40
    assert request.searched <= 200
