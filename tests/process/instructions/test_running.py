"""Tests of instructions in one running process: reloads of their files, and traces without their text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.behaviours.instructions.configured import MODEL, bearing, entry, general, joined
from tests.process.asking import body
from tests.process.collector import collecting
from tests.process.running import Served, serve
from tests.process.test_reload import put, reloading
from tests.support.builders import user
from tests.support.openai_emulator import OpenAIEmulator

OLD, NEW = "The old zqpolicy.", "The new zqpolicy: Größe."
"""Texts of the operator. Their common word is in no output of the process."""


def configuration(openai: OpenAIEmulator, **general_settings: Any) -> dict[str, Any]:
    """Return a configuration whose model is the emulator."""
    params = {"model": "openai/gpt-4.1", "api_key": "emulated", "api_base": openai.base_url}
    quick = {"drain_delay": 0, "drain_grace": 2, **general_settings}
    return {
        "model_list": [entry("chat", transport="direct", litellm_params=params)],
        "general_settings": quick,
        "router_settings": {"num_retries": 0, "cooldown_time": 0},
    }


def sent_with(http: httpx.Client, served: Served, openai: OpenAIEmulator, key: str = "own") -> str:
    """Send a chat request with *key*, and return the first message that the provider got."""
    openai.requests.clear()
    response = http.post(
        f"{served.base_url}/chat/completions", json=body("chat", [user()]), headers=bearing(key)
    )
    assert response.status_code == 200, response.text
    first: str = openai.requests[-1].body["messages"][0]["content"]
    return first


BAD: dict[str, Callable[[Path], object]] = {
    "too long": lambda path: put(path, f"zqpolicy {'ß' * 16_384}"),
    "not UTF-8": lambda path: path.write_bytes(b"zqpolicy \xff"),
    "a NUL character": lambda path: path.write_bytes(b"zqpolicy \0"),
    "empty": lambda path: put(path, "\n"),
    "deleted": lambda path: path.unlink(),
}


@pytest.mark.parametrize("level", ["gateway", "model", "key", "team"])
def test_a_changed_file_takes_effect_and_a_bad_one_keeps_the_old_text(
    tmp_path: Path, http: httpx.Client, openai_emulator: OpenAIEmulator, level: str
) -> None:
    """Each fault is logged with its setting and without any text. The next good file takes effect."""
    policy = tmp_path / "policy.md"
    policy.write_text(OLD)
    file = {"file": "../policy.md"}
    section = general(file if level == "gateway" else None)
    section["teams"] = [{"name": "support", "instructions": file if level == "team" else None}]
    section["keys"] = [{"name": "own", "key": "sk-own-key-0000", "team": "support"}]
    section["keys"][0]["instructions"] = file if level == "key" else None
    given = configuration(openai_emulator, **section)
    given["model_list"][0]["instructions"] = file if level == "model" else None

    with reloading(tmp_path / "a", http, given) as process:
        assert sent_with(http, process.served, openai_emulator) == OLD
        with process.reload():
            put(policy, NEW)
        assert sent_with(http, process.served, openai_emulator) == NEW
        for change in BAD.values():
            with process.reload():
                change(policy)
            assert sent_with(http, process.served, openai_emulator) == NEW
        with process.reload():
            put(policy, OLD)
        assert sent_with(http, process.served, openai_emulator) == OLD

        lines = process.running.events("config_reload_failed")
        assert len(lines) == len(BAD)
        places = {fault.partition(": ")[0] for line in lines for fault in line["faults"]}
        assert len(places) == 1
        assert "zqpolicy" not in process.running.output


def test_a_reload_moves_texts_between_levels(
    tmp_path: Path, http: httpx.Client, openai_emulator: OpenAIEmulator
) -> None:
    """Texts that a new configuration adds, takes away or gives to another key hold for the next request."""
    with reloading(tmp_path / "a", http, configuration(openai_emulator, **general(OLD))) as process:
        keys = [
            {"name": name, "key": f"sk-{name}-key-0000", "instructions": text}
            for name, text in (("own", None), ("none", NEW))
        ]
        before = sent_with(http, process.served, openai_emulator, "none")
        process.publish(configuration(openai_emulator, **general(None) | {"keys": keys}))
        after = [sent_with(http, process.served, openai_emulator, key) for key in ("own", "none")]
        process.publish(
            configuration(openai_emulator, **general("x" * 32_768, instructions_overflow="truncate"))
        )
        [_, line] = process.running.events("config_reloaded")
        cut = sent_with(http, process.served, openai_emulator, "none")

    assert before == joined(OLD, MODEL)
    assert after == [MODEL, joined(MODEL, NEW)]
    assert any("texts are cut" in warning for warning in line["warnings"])
    assert cut == joined("x" * (32_768 - 2 - len(MODEL)), MODEL)


@pytest.mark.parametrize("status", [200, 400])
def test_no_trace_holds_a_text(
    tmp_path: Path, http: httpx.Client, openai_emulator: OpenAIEmulator, status: int
) -> None:
    """Neither a good answer's trace nor that of an error that quotes the request holds the instructions."""
    if status == 400:
        openai_emulator.faults.append({"status": 400, "message": f"Invalid value: {joined(OLD, MODEL)}"})
    with collecting() as collector:
        variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.origin, "OTEL_BSP_SCHEDULE_DELAY": "50"}
        given = configuration(openai_emulator, **general(OLD))
        with serve(tmp_path, given, variables=variables) as served:
            request = body("chat", [user()])
            response = http.post(f"{served.base_url}/chat/completions", json=request, headers=bearing("none"))
            collector.wait_for(2)
            metrics = http.get(f"{served.origin}/metrics").text

    assert response.status_code == status
    assert "zqpolicy" in str(openai_emulator.requests[-1].body)
    assert not any(b"zqpolicy" in received for received in collector.bodies)
    assert "zqpolicy" not in response.text + metrics + served.running.output
