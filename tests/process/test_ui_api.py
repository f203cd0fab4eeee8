"""Tests of the requests that the inspector's page sends, against the running process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from tests.process.asking import ask, body, explain
from tests.process.emulators import Gemini
from tests.process.providers import params_of
from tests.process.running import Served, serve
from tests.support.builders import assistant, call, tool, user
from tests.support.emulated import Emulator

MASTER = "tr-master-inspector"
BROKEN: list[dict[str, Any]] = [
    assistant("I am the model <script>alert(1)</script>."),
    tool("nobody", "lost"),
    user("go"),
    assistant(None, [call("c1", "f"), call("c2", "g")]),
    tool("c1"),
    user("and?"),
]
DIRECTIVES = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
}
PAGE = Path(__file__).parents[2] / "proxy" / "inspector" / "static" / "index.html"


def config(gemini: Gemini, **general: Any) -> dict[str, Any]:
    """Return a configuration with two models at the emulator."""

    def entry(name: str, model: str) -> dict[str, Any]:
        params = {"model": f"gemini/{model}", "api_key": "emulated", "api_base": gemini.api_base}
        return {"model_name": name, "litellm_params": params, "transport": "direct"}

    return {
        "model_list": [entry("new", "gemini-3.6-flash"), entry("old", "gemini-2.5-pro")],
        "general_settings": {"drain_delay": 0, **general},
        "router_settings": {"num_retries": 0},
    }


@pytest.fixture(scope="module")
def inspected(directory: Path, gemini_process: Gemini) -> Iterator[Served]:
    """Serve with the inspector's default settings."""
    with serve(directory, config(gemini_process)) as served:
        yield served


@pytest.fixture(scope="module")
def keyed(directory: Path, gemini_process: Gemini) -> Iterator[Served]:
    """Serve with a key, an admin listener and an inspector that keeps bodies."""
    general = {
        "master_key": MASTER,
        "admin": {"host": "127.0.0.1", "port": 0},
        "inspector": {"requests": 3, "bodies": True, "mib": 1},
    }
    with serve(directory, config(gemini_process, **general)) as served:
        yield served


def post(http: httpx.Client, served: Served, path: str, asked: Any) -> dict[str, Any]:
    """Post *asked* to the inspector's API as the page does, and return the JSON answer."""
    answer = http.post(
        f"{served.origin}/ui/api/{path}", content=json.dumps(asked).encode()
    ).raise_for_status()
    assert answer.headers["Cache-Control"] == "no-store"
    told: dict[str, Any] = answer.json()
    return told


def get(http: httpx.Client, served: Served, path: str) -> dict[str, Any]:
    """Return the JSON answer to a GET of *path* in the inspector's API."""
    told: dict[str, Any] = http.get(f"{served.origin}/ui/api/{path}").raise_for_status().json()
    return told


def test_page_lists_every_model_deployment_and_profile(http: httpx.Client, inspected: Served) -> None:
    told = get(http, inspected, "models")

    assert [model["name"] for model in told["models"]] == ["new", "old"]
    assert told["models"][0]["deployments"] == [
        {
            "position": 0,
            "model": "gemini/gemini-3.6-flash",
            "profile": "gemini-3-strict",
            "transport": "direct",
        }
    ]
    assert {"openai", "anthropic", "mistral"} <= set(told["profiles"])
    assert told["bodies"] is False


def test_page_shows_what_explain_says_and_sends_nothing(http: httpx.Client, inspected: Served) -> None:
    """The page's API returns the result of ``/v1/explain``, with the history after each step."""
    told = post(http, inspected, "look", {"request": {"messages": BROKEN}, "target": {"model": "old"}})
    explained = explain(http, inspected, body("old", BROKEN))

    assert [step["step"] for step in told["steps"]] == ["orphan_drop", "user_prepend", "pairing"]
    for name in ("body", "changes", "turns", "verdict", "found", "profile"):
        assert told[name] == explained[name], name
    last = told["steps"][-1]["after"]
    messages = [entry.get("message") or BROKEN[entry["origin"]] for entry in last]
    assert messages == told["body"]["messages"]
    assert [entry["origin"] for entry in last] == [None, 0, 2, 3, 4, None, 5]


def test_page_compares_one_history_on_every_model(http: httpx.Client, inspected: Served) -> None:
    """The page's API returns one history's verdict for every model and every profile."""
    rows = post(http, inspected, "verdicts", {"request": BROKEN})["rows"]

    assert [row["target"] for row in rows[:2]] == [{"model": "new"}, {"model": "old"}]
    assert {row["verdict"] for row in rows} == {"repaired"}
    assert rows[1]["changes"] == {"orphan_drop": 1, "user_prepend": 1, "pairing": 1}
    assert all("profile" in row["target"] for row in rows[2:])


def test_request_is_listed_among_recent_and_live_ones(
    http: httpx.Client, inspected: Served, gemini: Gemini
) -> None:
    """A request is listed among the recent requests without its texts, and counted in the live numbers."""
    gemini.say("An answer.")
    answer = ask(http, inspected, body("old", BROKEN))
    inspected.running.wait_for_events("request_finished", 1)

    entry = get(http, inspected, "recent")["requests"][0]
    refused = http.get(f"{inspected.origin}/ui/api/recent/{entry['id']}")
    live = get(http, inspected, "live")

    assert answer.status == 200
    assert (entry["model"], entry["status"], entry["outcome"]) == ("old", 200, "ok")
    assert (entry["changes"], entry["messages"]) == ("orphan_drop=1,user_prepend=1,pairing=1", 6)
    assert entry["input_tokens"] > 0
    assert abs(entry["at"] - live["now"]) < 60
    assert "script" not in json.dumps(entry)
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "body_not_kept")
    assert sum(bucket["changes"].get("pairing", 0) for bucket in live["buckets"]) >= 1
    assert sum(bucket["input_tokens"] for bucket in live["buckets"]) >= entry["input_tokens"]


def test_kept_bodies_are_shown_with_the_key_and_the_oldest_are_dropped(
    http: httpx.Client, keyed: Served, gemini: Gemini
) -> None:
    """Kept bodies are shown unchanged to a client with the key, and the oldest bodies are dropped."""
    headers = {"Authorization": f"Bearer {MASTER}"}
    asked = [json.dumps(body("old", [user(f"number {number}")])).encode() for number in range(5)]
    for number, one in enumerate(asked):
        gemini.say("An answer.")
        named = {**headers, "x-request-id": f"r{number}"}
        assert http.post(f"{keyed.base_url}/chat/completions", content=one, headers=named).status_code == 200
    keyed.running.wait_for_events("request_finished", 5)
    api = f"{keyed.origin}/ui/api"

    closed = [http.get(f"{api}/{path}").status_code for path in ("models", "recent", "recent/r4", "live")]
    closed += [http.post(f"{api}/{path}", content=b"{}").status_code for path in ("look", "verdicts")]
    recent = http.get(f"{api}/recent", headers=headers).json()
    shown = http.get(f"{api}/recent/r4", headers=headers)
    gone = http.get(f"{api}/recent/r1", headers=headers)

    assert closed == [401] * 6
    assert [entry["id"] for entry in recent["requests"]] == ["r4", "r3", "r2"]
    assert recent["bounds"] == {"requests": 3, "mib": 1}
    assert shown.json()["request"] == json.loads(asked[4])
    assert gone.status_code == 404
    assert "number" not in keyed.running.output
    admin = f"http://127.0.0.1:{keyed.admin_port}"
    assert {http.get(f"{admin}{path}").status_code for path in ("/ui", "/ui/api/models")} <= {401, 404}


def test_page_needs_no_key_and_runs_its_own_files_alone(http: httpx.Client, keyed: Served) -> None:
    """The page and its files need no key, and their content policy allows nothing else to run."""
    files = [path for path in PAGE.parent.rglob("*") if path.suffix in (".html", ".js", ".css", ".svg")]
    for path in files:
        answer = http.get(f"{keyed.origin}/ui/{path.relative_to(PAGE.parent).as_posix()}")
        assert (answer.status_code, answer.content) == (200, path.read_bytes())
        assert set(answer.headers["Content-Security-Policy"].split("; ")) == DIRECTIVES
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert http.get(f"{keyed.origin}/ui").content == PAGE.read_bytes()


def test_off_and_on_again(tmp_path: Path, http: httpx.Client, gemini: Gemini) -> None:
    """A reload of the configuration switches the inspector on that was off at the start."""
    with serve(tmp_path, config(gemini, ui=False)) as served:
        [path] = tmp_path.glob("*.yaml")
        off = [http.get(f"{served.origin}{place}").status_code for place in ("/ui", "/ui/api/models")]
        path.write_text(yaml.safe_dump(config(gemini, ui=True)))
        served.running.wait_for(lambda: served.running.events("config_reloaded"), "a reload")
        on = http.get(f"{served.origin}/ui/api/recent")

    assert off == [404, 404]
    assert (on.status_code, on.json()["requests"]) == (200, [])


TEAM = "tr-team-inspector"
TEXT, OWN = 'Zebulon "speaks"\nof quartz', "Marmalade is a matter of trust."
HIDDEN = f"[instructions of the operator: {len(TEXT) + 2 + len(OWN)} bytes, "
LOOKS = ("look", "verdicts")
SENT_TO = {"gemini": "old", "openai": "gpt", "anthropic": "claude"}


@pytest.fixture(scope="module")
def instructed(directory: Path, gemini_process: Gemini, emulators: dict[str, Emulator]) -> Iterator[Served]:
    """Serve a model on each of three wires, with a text for every request and one for the team's key."""
    served = config(
        gemini_process,
        master_key=MASTER,
        instructions=TEXT,
        keys=[{"name": "team", "key": TEAM, "instructions": OWN}],
        inspector={"bodies": True},
    )
    for name, model in (("gpt", "openai/gpt-4.1"), ("claude", "anthropic/claude-sonnet-4-5")):
        params = params_of(model, gemini_process, emulators)
        served["model_list"].append({"model_name": name, "litellm_params": params})
    with serve(directory, served) as running:
        yield running


@pytest.mark.parametrize("wire", SENT_TO)
def test_operator_s_text_reaches_the_provider_and_no_client(
    http: httpx.Client, instructed: Served, gemini: Gemini, emulators: dict[str, Emulator], wire: str
) -> None:
    """The master key sees what the provider got. No client's answer, no log line and no metric has a word of it."""
    request = body(SENT_TO[wire], [user("Who is there?")])
    keys = {name: {"Authorization": f"Bearer {key}"} for name, key in (("team", TEAM), ("master", MASTER))}
    origin, sent_before = instructed.origin, len(sent_to(wire, gemini, emulators))
    asked = {**keys["team"], "x-request-id": f"to-{wire}"}
    answered = http.post(f"{instructed.base_url}/chat/completions", json=request, headers=asked)
    shown = {}
    for name, headers in keys.items():
        given = {"request": request, "recent": f"to-{wire}"}
        answers = [http.post(f"{origin}/v1/explain", json=request, headers=headers)]
        answers += [http.post(f"{origin}/ui/api/{path}", json=given, headers=headers) for path in LOOKS]
        paths = ("models", "recent", f"recent/to-{wire}", "live")
        answers += [http.get(f"{origin}/ui/api/{path}", headers=headers) for path in paths]
        assert {answer.status_code for answer in answers} == {200}
        shown[name] = [answer.text for answer in answers]
    [sent] = sent_to(wire, gemini, emulators)[sent_before:]

    assert answered.status_code == 200
    words = ("Zebulon", "quartz", "Marmalade")
    assert all(word in json.dumps(sent) for word in words)
    assert all(word in shown["master"][1] for word in words)
    said = [answered.text, str(answered.headers), *shown["team"], http.get(f"{origin}/metrics").text]
    assert [word for word in words if word in " ".join([*said, instructed.running.output])] == []
    assert all(HIDDEN in text for text in shown["team"][:2])
    wired = json.loads(shown["master"][1])["wire"]["body"]
    assert wired is None or json.loads(wired) == sent


def sent_to(wire: str, gemini: Gemini, emulators: dict[str, Emulator]) -> list[Any]:
    """Return the bodies that the provider on *wire* got, oldest first."""
    if wire == "gemini":
        return [entry["body"] for entry in gemini.journal()]
    return [record.body for record in emulators[wire].requests]
