"""Tests that thought signatures are required in the current turn, and verified on every part."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from proxy.emulator.signatures import CORRUPTED, INVALID, sign_call, sign_text
from tests.proxy.emulator.wire import (
    SIGNED,
    UNSIGNED,
    V2_5,
    V3,
    body,
    fc,
    fr,
    image,
    model,
    refusal_text,
    text,
    user,
)

DUMMIES = (
    "skip_thought_signature_validator",
    "context_engineering_is_the_way_to_go",
    "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=",
    b64encode(b"context_engineering_is_the_way_to_go").decode(),
)


def signed(part: dict[str, Any], signature: str, key: str = "thoughtSignature") -> dict[str, Any]:
    """Return *part* with *signature*."""
    return {k: v for k, v in part.items() if k != "thoughtSignature"} | {key: signature}


def missing(name: str, position: int) -> str:
    """Return the refusal text for a missing signature."""
    return (
        "Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
        "correctly, and missing thought_signature may lead to degraded model performance. Additional data, "
        f"function call `default_api:{name}` , position {position}. Please refer to "
        "https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
    )


UNSIGNED_CALL = body(user(), model(fc("get", sign=False)), user(fr("get")))


@pytest.mark.parametrize("name", SIGNED)
def test_call_of_the_current_turn_needs_a_signature(name: str) -> None:
    """The refusal of an unsigned call has the call's name and its content's position, counted from one."""
    assert refusal_text(name, UNSIGNED_CALL) == missing("get", 2)


@pytest.mark.parametrize("name", UNSIGNED)
def test_signature_is_optional_up_to_2_5(name: str) -> None:
    """Gemini up to 2.5 does not verify a foreign signature."""
    assert refusal_text(name, UNSIGNED_CALL) is None
    assert refusal_text(name, body(user(), model(signed(fc(), "AAAA")), user(fr()))) is None


@pytest.mark.parametrize("name", SIGNED)
def test_calls_of_earlier_turns_need_no_signature(name: str) -> None:
    """A user content without a function response begins a new turn, so calls before it need no signature."""
    done = UNSIGNED_CALL["contents"]

    assert refusal_text(name, body(*done, user())) is None
    assert refusal_text(name, body(*done, user(image()))) is None
    later = (*done, model(fc("h", sign=False)), user(fr("h")))
    assert refusal_text(name, body(*later)) == missing("get", 2)
    assert refusal_text(name, body(*done, user(), *later[3:])) == missing("h", 5)


def test_mixed_content_does_not_start_a_turn() -> None:
    """A call before a response with a text still needs a signature."""
    assert refusal_text(V3, body(user(), model(fc("f", sign=False)), user(fr(), text()))) == missing("f", 2)


def test_only_the_first_call_needs_a_signature() -> None:
    """Parallel calls after the first may be unsigned."""
    first, second = fc("f"), fc("g", sign=False)

    assert refusal_text(V3, body(user(), model(first, second), user(fr("f"), fr("g")))) is None
    assert refusal_text(V3, body(user(), model(second, first), user(fr("g"), fr("f")))) == missing("g", 2)


def test_signature_on_a_thought_does_not_count() -> None:
    """The signature of a thought before a call does not replace the call's own."""
    thought = {"text": "hm", "thought": True, "thoughtSignature": sign_text(1)}

    assert refusal_text(V3, body(user(), model(thought, fc("f", sign=False)), user(fr()))) == missing("f", 2)


@pytest.mark.parametrize("dummy", DUMMIES)
@pytest.mark.parametrize("name", SIGNED)
def test_documented_dummies_are_accepted(name: str, dummy: str) -> None:
    """A documented dummy signature may be raw or in base64."""
    assert refusal_text(name, body(user(), model(signed(fc(), dummy)), user(fr()))) is None


@pytest.mark.parametrize("key", ["thoughtSignature", "thought_signature"])
@pytest.mark.parametrize("counter", [0, 7, 2**40])
def test_issued_signature_is_accepted(key: str, counter: int) -> None:
    """An issued signature is accepted in either spelling of its field and in either alphabet of base64."""
    signature = sign_call("f", {"a": 1}, counter)

    for form in (signature, signature.replace("+", "-").replace("/", "_")):
        assert refusal_text(V3, body(user(), model(signed(fc(), form, key)), user(fr()))) is None


def test_signature_is_the_same_in_every_process() -> None:
    """A signature depends on the call and the counter alone."""
    assert sign_call("f", {"a": 1}, 3) == "ElRSAQAAAAMi0JjDF3/dzqIe5d0IIN+IAq+S0lLlO0N/479/14QdvQ=="


def test_signature_covers_the_values_of_the_arguments() -> None:
    """A proto Struct has no key order and only doubles, so ``1`` and ``1.0`` are equal."""
    signature = sign_call("f", {"a": 1, "b": [True, None, 2.5]}, 0)
    call = fc("f", {"b": [True, None, 2.5], "a": 1.0})

    assert refusal_text(V3, body(user(), model(signed(call, signature)), user(fr()))) is None


@pytest.mark.parametrize("foreign", ["AAAA", b64encode(b"x" * 40).decode(), sign_call("f", {"a": 1}, 0)[:-8]])
def test_foreign_signature_is_corrupted(foreign: str) -> None:
    """The emulator refuses a signature that it did not issue. Earlier turns are checked too."""
    assert refusal_text(V3, body(user(), model(signed(fc(), foreign)), user(fr()))) == CORRUPTED
    assert (
        refusal_text(V3, body(user(), model(signed(fc(), foreign)), user(fr()), model(), user())) == CORRUPTED
    )


@pytest.mark.parametrize(
    "part",
    [
        signed(fc("g"), sign_call("f", {"a": 1}, 0)),
        signed(fc("f", {"a": 2}), sign_call("f", {"a": 1}, 0)),
        signed(fc("f"), sign_text(0)),
    ],
)
def test_signature_of_another_part_is_invalid(part: dict[str, Any]) -> None:
    """A signature that was issued for another call, for other arguments or for a text is invalid."""
    name = part["functionCall"]["name"]

    assert refusal_text(V3, body(user(), model(part), user(fr(name)))) == INVALID


def test_text_signature_is_accepted_on_any_text() -> None:
    """Clients join texts, so the signature of a text does not depend on its words.

    A call's signature is invalid on a text.
    """
    assert refusal_text(V3, body(user(), model(signed(text("joined"), sign_text(1))), user())) is None
    assert refusal_text(V3, body(user(), model(signed(text(), sign_call("f", {}, 0))), user())) == INVALID


@pytest.mark.parametrize("name", [*SIGNED, V2_5])
@pytest.mark.parametrize("bad", ["EsICCr8CAb4", "msg_1...", "RXBz=RXBz", "AA+_"])
def test_signature_must_be_base64(name: str, bad: str) -> None:
    """Gemini 2.5 and later refuse a signature that is not base64, in either spelling of the field."""
    place = "'contents[1].parts[0].thought_signature' (TYPE_BYTES)"
    text_of = f'Invalid value at {place}, Base64 decoding failed for "{bad}"'
    for key in ("thoughtSignature", "thought_signature"):
        assert refusal_text(name, body(user(), model(signed(fc(), bad, key)), user(fr()))) == text_of
