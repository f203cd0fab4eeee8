"""Tests of the control endpoints: the queues that they fill and empty, and the bodies that they refuse."""

from __future__ import annotations

import pytest

from tests.proxy.emulator.conftest import Client
from tests.proxy.emulator.wire import V2_5, body, user

PATH = f"/v1beta/models/{V2_5}:generateContent"


async def test_waiting_faults_are_listed_and_deleted(emulator: Client) -> None:
    """Queued faults are listed with only the fields that were set, and can be deleted."""
    await emulator.fault(model="models/other", status=504)
    await emulator.fault(times=2, status=503)

    assert (await emulator.get("/_emulator/faults"))[1] == {
        "faults": [{"model": "other", "times": 1, "status": 504}, {"times": 2, "status": 503}]
    }
    assert await emulator.delete("/_emulator/faults") == 200
    assert (await emulator.get("/_emulator/faults"))[1] == {"faults": []}


async def test_deleted_answers_are_not_given_and_a_refused_request_uses_none(emulator: Client) -> None:
    """A refused request uses no scripted answer, and deleted answers are not given."""
    scripted = [{"text": "scripted"}]
    await emulator.post("/_emulator/answers", {"answers": [{"parts": scripted}] * 2})

    assert (await emulator.post(PATH, {}))[0] == 400
    assert (await emulator.post(PATH, body(user())))[1]["candidates"][0]["content"]["parts"] == scripted
    assert await emulator.delete("/_emulator/answers") == 200
    assert (await emulator.post(PATH, body(user())))[1]["candidates"][0]["content"]["parts"] != scripted


@pytest.mark.parametrize(("path", "entry"), [("faults", {}), ("answers", {"parts": []})])
async def test_unusable_control_body_is_a_400(emulator: Client, path: str, entry: dict[str, object]) -> None:
    """A control body of another form, or with too many entries, is refused with a 400."""
    for given, message in (
        ([], f'the body must be {{"{path}": [...]}}'),
        ({path: [entry] * 1001}, "the queue would hold more than 1000 entries"),
    ):
        status, answer = await emulator.post(f"/_emulator/{path}", given)
        assert (status, answer["error"]["message"]) == (400, message)
