"""Thought signatures: demanded in the current turn, verified wherever they stand, bound to their call."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from proxy.emulator import judge
from proxy.emulator.signatures import CORRUPTED, INVALID, sign_call, sign_text
from tests.proxy.emulator.wire import SIGNED, UNSIGNED, V2_5, V3, body, fc, fr, image, model, text, user

DUMMIES = (
    "skip_thought_signature_validator",
    "context_engineering_is_the_way_to_go",
    "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=",
    b64encode(b"context_engineering_is_the_way_to_go").decode(),
)


def signed(part: dict[str, Any], signature: str, key: str = "thoughtSignature") -> dict[str, Any]:
    """Return *part* with *signature*."""
    return {k: v for k, v in part.items() if k != "thoughtSignature"} | {key: signature}


def message(name: str, given: dict[str, Any]) -> str | None:
    """Return what the model *name* says of *given*."""
    refusal = judge(name, given)
    return refusal.message if refusal else None


def missing(name: str, position: int) -> str:
    """Return the text of a missing signature."""
    return (
        "Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
        "correctly, and missing thought_signature may lead to degraded model performance. Additional data, "
        f"function call `default_api:{name}` , position {position}. Please refer to "
        "https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
    )


UNSIGNED_CALL = body(user(), model(fc("get", sign=False)), user(fr("get")))


@pytest.mark.parametrize("name", SIGNED)
def test_call_of_the_current_turn_needs_a_signature(name: str) -> None:
    """From generation 3 on, an unsigned first call is refused with its name and 1-based position."""
    assert message(name, UNSIGNED_CALL) == missing("get", 2)


@pytest.mark.parametrize("name", UNSIGNED)
def test_signature_is_optional_before(name: str) -> None:
    """Up to 2.5 a call needs no signature, and a foreign one is not looked at."""
    assert message(name, UNSIGNED_CALL) is None
    assert message(name, body(user(), model(signed(fc(), "AAAA")), user(fr()))) is None


@pytest.mark.parametrize("name", SIGNED)
def test_only_the_current_turn_is_searched(name: str) -> None:
    """A user content that speaks ends the search; one that mixes in a response does not."""
    done = UNSIGNED_CALL["contents"]

    assert message(name, body(*done, user())) is None
    assert message(name, body(*done, user(image()))) is None
    later = (*done, model(fc("h", sign=False)), user(fr("h")))
    assert message(name, body(*later)) == missing("get", 2)
    assert message(name, body(*done, user(), *later[3:])) == missing("h", 5)


def test_mixed_content_does_not_start_a_turn() -> None:
    """Text merged into a response leaves the turn open, so the call before it needs a signature."""
    assert message(V3, body(user(), model(fc("f", sign=False)), user(fr(), text()))) == missing("f", 2)


def test_only_the_first_call_needs_a_signature() -> None:
    """Of parallel calls, only the first one is asked for a signature."""
    first, second = fc("f"), fc("g", sign=False)

    assert message(V3, body(user(), model(first, second), user(fr("f"), fr("g")))) is None
    assert message(V3, body(user(), model(second, first), user(fr("g"), fr("f")))) == missing("g", 2)


def test_signature_on_a_thought_does_not_count() -> None:
    """A signature on the part before the call leaves the call unsigned."""
    thought = {"text": "hm", "thought": True, "thoughtSignature": sign_text(1)}

    assert message(V3, body(user(), model(thought, fc("f", sign=False)), user(fr()))) == missing("f", 2)


@pytest.mark.parametrize("dummy", DUMMIES)
@pytest.mark.parametrize("name", SIGNED)
def test_documented_dummies_are_taken(name: str, dummy: str) -> None:
    """Both documented dummies skip validation, raw and in base64."""
    assert message(name, body(user(), model(signed(fc(), dummy)), user(fr()))) is None


@pytest.mark.parametrize("key", ["thoughtSignature", "thought_signature"])
@pytest.mark.parametrize("counter", [0, 7, 2**40])
def test_issued_signature_is_taken(key: str, counter: int) -> None:
    """A signature that was issued for the call is taken, in both spellings and both alphabets."""
    signature = sign_call("f", {"a": 1}, counter)

    for form in (signature, signature.replace("+", "-").replace("/", "_")):
        assert message(V3, body(user(), model(signed(fc(), form, key)), user(fr()))) is None


def test_signature_is_stable() -> None:
    """The same call gets the same signature in every process: nothing but the arguments goes in."""
    assert sign_call("f", {"a": 1}, 3) == "ElRSAQAAAAMi0JjDF3/dzqIe5d0IIN+IAq+S0lLlO0N/479/14QdvQ=="


def test_arguments_may_be_written_otherwise() -> None:
    """Key order and ``1`` for ``1.0`` do not matter: a Struct holds doubles and no order."""
    signature = sign_call("f", {"a": 1, "b": [True, None, 2.5]}, 0)
    call = fc("f", {"b": [True, None, 2.5], "a": 1.0})

    assert message(V3, body(user(), model(signed(call, signature)), user(fr()))) is None


@pytest.mark.parametrize("foreign", ["AAAA", b64encode(b"x" * 40).decode(), sign_call("f", {"a": 1}, 0)[:-8]])
def test_foreign_signature_is_corrupted(foreign: str) -> None:
    """A signature that the emulator did not issue is refused, in earlier turns too."""
    assert message(V3, body(user(), model(signed(fc(), foreign)), user(fr()))) == CORRUPTED
    assert message(V3, body(user(), model(signed(fc(), foreign)), user(fr()), model(), user())) == CORRUPTED


@pytest.mark.parametrize(
    "part",
    [
        signed(fc("g"), sign_call("f", {"a": 1}, 0)),
        signed(fc("f", {"a": 2}), sign_call("f", {"a": 1}, 0)),
        signed(fc("f"), sign_text(0)),
    ],
)
def test_signature_of_another_part_is_invalid(part: dict[str, Any]) -> None:
    """An issued signature on another call, other arguments or another kind of part is refused."""
    name = part["functionCall"]["name"]

    assert message(V3, body(user(), model(part), user(fr(name)))) == INVALID


def test_text_signature_belongs_on_text() -> None:
    """A text's signature is taken on any text, which clients join, and a call's is not."""
    assert message(V3, body(user(), model(signed(text("joined"), sign_text(1))), user())) is None
    assert message(V3, body(user(), model(signed(text(), sign_call("f", {}, 0))), user())) == INVALID


@pytest.mark.parametrize("name", [*SIGNED, V2_5])
@pytest.mark.parametrize("bad", ["EsICCr8CAb4", "msg_1...", "RXBz=RXBz", "AA+_"])
def test_signature_must_be_base64(name: str, bad: str) -> None:
    """Every generation refuses a signature that is no base64, whichever way its key is spelled."""
    place = "'contents[1].parts[0].thought_signature' (TYPE_BYTES)"
    text_of = f'Invalid value at {place}, Base64 decoding failed for "{bad}"'
    for key in ("thoughtSignature", "thought_signature"):
        assert message(name, body(user(), model(signed(fc(), bad, key)), user(fr()))) == text_of
