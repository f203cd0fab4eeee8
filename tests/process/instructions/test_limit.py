"""Tests that the commands refuse or cut instructions of more than 32,768 bytes, for each combination of levels."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.behaviours.instructions.configured import bearing, entry, general
from tests.process.asking import body
from tests.process.commands import run, run_in_process, write
from tests.process.running import Running
from tests.support.builders import user
from tests.support.openai_emulator import OpenAIEmulator

MOST = 32_768
LETTER = "ß中😀"
"""Letters of two, three and four bytes: nine bytes in all."""

WORD = "secretpolicy"
REMEDY = "; shorten a text, or set general_settings.instructions_overflow: truncate"


def text_of(size: int) -> str:
    """Return a text of exactly *size* bytes in UTF-8, most of its letters longer than a byte."""
    letters, rest = divmod(size - len(WORD), len(LETTER.encode()))
    text = WORD + LETTER * letters + "x" * rest
    assert len(text.encode()) == size
    return text


LEVELS: dict[str, tuple[tuple[str, ...], str]] = {
    "the gateway's alone": (("gateway",), "general_settings.instructions"),
    "the model's alone": (("model",), "model_list[0].instructions"),
    "the gateway's and the model's": (("gateway", "model"), "model_list[0].instructions"),
    "the gateway's and a key's": (("gateway", "key"), "general_settings.instructions"),
    "the gateway's and a team's": (("gateway", "team"), "general_settings.instructions"),
    "three levels": (("gateway", "model", "key"), "model_list[0].instructions"),
}


def configuration(
    levels: tuple[str, ...], total: int, **fields: Any
) -> tuple[dict[str, Any], dict[str, int]]:
    """Return a configuration whose joined texts have *total* bytes, and the bytes of the text of each level."""
    share, joints = 9_000, 2 * (len(levels) - 1)
    sizes = dict.fromkeys(levels, share) | {levels[0]: total - joints - share * (len(levels) - 1)}
    texts = {level: text_of(size) for level, size in sizes.items()}
    section = general(texts.get("gateway"), drain_delay=0, drain_grace=1, **fields)
    own = {"name": "own", "key": "sk-own-key-0000", "instructions": texts.get("key")}
    section |= {"keys": [own], "teams": []}
    if "team" in texts:
        own["team"] = "support"
        section["teams"] = [{"name": "support", "instructions": texts["team"]}]
    params = {"model": "openai/gpt-4.1", "api_key": "emulated", "api_base": "http://127.0.0.1:9/v1"}
    return {
        "model_list": [entry("chat", text=texts.get("model"), litellm_params=params)],
        "general_settings": section,
    }, sizes


@pytest.mark.parametrize(("levels", "path"), LEVELS.values(), ids=LEVELS)
def test_check_passes_32768_bytes_and_refuses_one_more(
    tmp_path: Path, levels: tuple[str, ...], path: str
) -> None:
    """The fault names each text of the combination with its bytes, and shows nothing of the texts."""
    whole, _ = configuration(levels, MOST)
    more, sizes = configuration(levels, MOST + 1)

    passed = run_in_process("check", "--config", write(tmp_path / "whole.yaml", whole))
    refused = run_in_process("check", "--config", write(tmp_path / "more.yaml", more))

    assert (passed.returncode, passed.stderr) == (0, "")
    assert (refused.returncode, refused.stdout) == (2, "")
    [line] = refused.stderr.splitlines()
    assert re.fullmatch(r"\S+/more\.yaml:\d+", line.partition(f": {path}: ")[0])
    assert line.endswith(f", and a request may have 32,768{REMEDY}")
    named = sorted(int(found.replace(",", "")) for found in re.findall(r"(?:has |\()([\d,]{5,})", line))
    assert named == sorted(sizes.values())
    assert ("which come to 32,769 with" in line) == (len(levels) > 1)
    assert WORD not in refused.stderr + passed.stdout


def test_serve_ends_with_2_where_instructions_are_too_long(tmp_path: Path) -> None:
    """Nothing is served. The lines are those of ``check``."""
    more, _ = configuration(("gateway", "model", "key"), MOST + 1)
    path = write(tmp_path / "more.yaml", more)

    served = run("serve", "--config", path, "--port", "0")

    assert served.returncode == 2
    assert served.stderr == run("check", "--config", path).stderr
    assert WORD not in served.stdout + served.stderr


@pytest.mark.parametrize(
    "total", [MOST, MOST + 1, 3 * MOST], ids=["whole", "a byte too long", "far too long"]
)
def test_truncate_sends_at_most_32768_bytes_and_cuts_the_most_general_text(
    tmp_path: Path, http: httpx.Client, openai_emulator: OpenAIEmulator, total: int
) -> None:
    """The other texts stay whole, and no character is cut. The start and ``check`` warn of the cut."""
    given, _ = configuration(("gateway", "model", "key"), total, instructions_overflow="truncate")
    given["model_list"][0]["litellm_params"]["api_base"] = openai_emulator.base_url
    path = write(tmp_path / "c.yaml", given)
    checked = run("check", "--config", path)

    running = Running(tmp_path, "serve", "--config", path, "--port", "0")
    try:
        ready = running.wait_for(lambda: next(iter(running.events("ready")), None), "ready line")
        request = body("chat", [user()])
        response = http.post(f"{ready['base_url']}/chat/completions", json=request, headers=bearing("own"))
    finally:
        running.stop()

    assert response.status_code == 200
    [sent_request] = openai_emulator.requests
    sent = sent_request.body["messages"][0]["content"]
    section, model = given["general_settings"], given["model_list"][0]["instructions"]
    texts = (section["instructions"], model, section["keys"][0]["instructions"])
    first, second, third = sent.split("\n\n")
    assert (second, third) == texts[1:]
    assert texts[0].startswith(first)
    assert (first == texts[0]) == (total == MOST)
    assert MOST - 4 < len(sent.encode()) <= MOST
    assert (checked.returncode, checked.stderr) == (0, running.errors)
    warnings = running.errors.splitlines()
    assert len(warnings) == (total != MOST)
    assert all(line.endswith("texts are cut, from the most general on") for line in warnings)
    assert WORD not in running.output + running.errors + checked.stdout
