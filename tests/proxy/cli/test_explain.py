"""Tests of the exit status and the outputs of ``turnright explain``."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from proxy.cli.explain import run_explain
from tests.support.builders import assistant, call, tool, user

MODEL = "gemini-2.5-pro"
ROUND = [user(), assistant(calls=[call("c1")]), tool("c1")]


def explain(directory: Path, request: Any, **options: Any) -> int:
    """Run ``turnright explain`` with *request* in a file, and return its exit status."""
    file = directory / "request.json"
    file.write_text(json.dumps(request))
    return run_explain(
        Namespace(**{"config": None, "model": None, "json": True, "file": str(file)} | options)
    )


@pytest.mark.parametrize(
    ("messages", "status"), [(ROUND, 0), (ROUND[:2], 1), ([{"role": "nobody", "content": "x"}], 2)]
)
@pytest.mark.parametrize("as_list", [False, True], ids=["request", "list"])
def test_status_says_if_the_request_is_changed(
    messages: list[Any], status: int, as_list: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The status is 0 for an unchanged request, 1 for a repaired one and 2 for an unusable one."""
    request = messages if as_list else {"model": MODEL, "messages": messages}

    assert explain(tmp_path, request, model=MODEL if as_list else None) == status
    shown = capsys.readouterr()
    assert bool(shown.out) == (status < 2)
    if status < 2:
        assert json.loads(shown.out)["verdict"] == ["unchanged", "repaired"][status]


def test_items_are_shown_as_messages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A request of the Responses API is explained as its chat, with the numbers of messages."""
    said = {"role": "user", "content": "Hello."}
    items = [said, {"type": "web_search_call", "id": "ws_1"}, said]
    tools = [{"type": "web_search"}]

    assert explain(tmp_path, {"model": MODEL, "input": items, "tools": tools}, json=False) == 1
    shown = capsys.readouterr().out
    assert "items        messages[1]    dropped server_item  web_search_call" in shown
    assert "items        tools[0]       dropped server_tool" in shown


def test_contents_are_shown_as_messages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A request of Gemini's API names its model in the path, so that the option may name it."""
    response = {"functionResponse": {"id": "c1", "name": "f", "response": {"output": "lost"}}}
    contents = [{"role": "user", "parts": [{"text": "Hello."}]}, {"role": "user", "parts": [response]}]

    assert explain(tmp_path, {"contents": contents}, model=MODEL) == 1
    [change] = json.loads(capsys.readouterr().out)["changes"]
    assert (change["step"], change["index"], change["reason"]) == ("orphan_drop", 1, "orphaned_result")
    assert explain(tmp_path, {"contents": contents[:1]}, model=MODEL) == 0
    assert explain(tmp_path, {"contents": contents}) == 2
    assert "model" in capsys.readouterr().err


def test_stored_conversation_is_known_to_a_running_proxy_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without its history a request is refused."""
    assert explain(tmp_path, {"model": MODEL, "input": "x", "previous_response_id": "resp_1"}) == 2
    assert "(previous_response_id)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"file": "/nowhere"}, "turnright: /nowhere: No such file or directory"),
        ({"config": "/nowhere"}, "turnright: /nowhere: No such file or directory"),
        ({"model": "\ud800"}, "turnright: --model: it is not valid UTF-8"),
    ],
)
def test_unusable_option_is_a_fault(
    options: dict[str, str], fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unusable option gives status 2 and a fault on standard error."""
    assert explain(tmp_path, {"model": MODEL, "messages": ROUND}, **options) == 2
    assert capsys.readouterr() == ("", f"{fault}\n")


@pytest.mark.parametrize(
    ("sections", "is_noted"),
    [
        ({}, False),
        ({"compaction": {"enabled": True, "model": "cheap"}}, True),
        ({"compaction": {"enabled": True, "model": "cheap"}, "sanitize": {"mode": "observe"}}, False),
    ],
)
def test_a_memory_is_looked_up_by_a_running_proxy_alone(
    sections: dict[str, Any], is_noted: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line says that compaction is on. The JSON has no memory."""
    entries = [
        {"model_name": name, "litellm_params": {"model": "openai/gpt-4o"}} for name in ("mine", "cheap")
    ]
    path = tmp_path / "c.yaml"
    path.write_text(json.dumps({"model_list": entries, **sections}))
    request = {"model": "mine", "messages": ROUND}

    explain(tmp_path, request, config=str(path), json=False)
    text = capsys.readouterr().out
    explain(tmp_path, request, config=str(path))

    assert ("memory: not looked up; POST /v1/explain" in text) is is_noted
    assert "memory" not in json.loads(capsys.readouterr().out)


OWN_TEXT = {"instructions": "Speak quietly."}


@pytest.mark.parametrize(
    ("general", "is_noted"),
    [
        (OWN_TEXT, False),
        (OWN_TEXT | {"keys": [{"name": "ci", "key": "sk-ci-0123456789"} | OWN_TEXT]}, True),
        (OWN_TEXT | {"teams": [{"name": "a"} | OWN_TEXT]}, True),
    ],
)
def test_instructions_are_shown_to_whoever_has_the_configuration(
    general: dict[str, Any], is_noted: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are the master key's. One line says where a key or a team may have its own."""
    entry = {"model_name": "mine", "litellm_params": {"model": "openai/gpt-4o"}}
    path = tmp_path / "c.yaml"
    path.write_text(json.dumps({"model_list": [entry], "general_settings": general}))
    request = {"model": "mine", "messages": ROUND}

    assert explain(tmp_path, request, config=str(path), json=False) == 1
    text = capsys.readouterr().out
    explain(tmp_path, request, config=str(path))
    described = json.loads(capsys.readouterr().out)

    assert "    + [new]  system Speak quietly." in text.splitlines()
    assert "changes (instructions=1):" in text
    assert ("instructions: those of the master key" in text) is is_noted
    assert (
        described["body"]["messages"][0]["content"] == described["instructions"]["text"] == "Speak quietly."
    )


@pytest.mark.parametrize(
    ("sections", "is_noted"),
    [
        ({}, True),
        ({"router_settings": {"learn": "observe"}}, False),
        ({"router_settings": {"learn": False}}, False),
        ({"sanitize": {"mode": "strict"}}, False),
        (None, False),
    ],
)
def test_learned_repairs_are_known_to_a_running_proxy_alone(
    sections: dict[str, Any] | None, is_noted: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line says so where a proxy with this configuration would make them."""
    path = tmp_path / "c.yaml"
    entry = {"model_name": "mine", "litellm_params": {"model": "openai/gpt-4o"}}
    path.write_text(json.dumps({"model_list": [entry], **(sections or {})}))
    config = None if sections is None else str(path)

    assert explain(tmp_path, {"model": "mine", "messages": ROUND}, config=config, json=False) == 0
    assert ("learned repairs: not looked up; POST /v1/explain" in capsys.readouterr().out) is is_noted
