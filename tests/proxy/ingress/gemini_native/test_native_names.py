"""Tests of the client's names of tools in an answer of Gemini's own."""

from __future__ import annotations

from typing import Any

from proxy.ingress.gemini_native.native_names import with_client_names


def native(*candidates: list[str], indexed: bool = True) -> dict[str, Any]:
    """Return an answer of Gemini's whose candidates call functions with these names, behind a text."""
    return {
        "candidates": [
            {
                "content": {
                    "parts": [
                        {"text": "x"},
                        *(
                            {"functionCall": {"name": name, "args": {}}, "thoughtSignature": "QQ=="}
                            for name in names
                        ),
                    ]
                },
                **({"index": at} if indexed else {}),
            }
            for at, names in enumerate(candidates)
        ],
        "responseId": "r",
    }


def choices(*named: list[str]) -> list[dict[str, Any]]:
    """Return the canonical form of the same answer."""
    return [
        {"index": at, "message": {"tool_calls": [{"function": {"name": name}} for name in names]}}
        for at, names in enumerate(named)
    ]


def test_answer_without_other_names_is_the_same_object() -> None:
    given = native(["f", "g"], [])

    assert with_client_names(given, choices(["f", "g"], [])) is given
    assert with_client_names({"promptFeedback": {}}, []) == {"promptFeedback": {}}


def test_other_names_are_put_in_and_nothing_else_changes() -> None:
    given = native(["f", "g"], ["f"])
    found = with_client_names(given, choices(["f.1", "g"], ["f.1"]))

    assert found == native(["f.1", "g"], ["f.1"])
    assert given == native(["f", "g"], ["f"])


def test_candidate_without_an_index_has_that_of_its_place() -> None:
    given = native(["f"], ["f"], indexed=False)

    assert with_client_names(given, choices(["a"], ["b"])) == native(["a"], ["b"], indexed=False)


def test_call_that_came_twice_keeps_its_name_where_it_is_known() -> None:
    """The canonical form has the call once. Where its name was another, nobody knows which call is meant."""
    given = native(["f", "f"])

    assert with_client_names(given, choices(["f"])) is given
    assert with_client_names(given, choices(["f.1"])) is None
