"""Tests of the turn guard in the running process: what it reports, what it withholds and what it leaves alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.process.asking import Answer, function_tool
from tests.process.emulators import Gemini
from tests.process.running import Served, serve
from tests.process.test_turns_everywhere import rounds, text_of
from tests.support.builders import assistant, call, system, tool, user
from tests.support.openai_emulator import OpenAIEmulator

KEYS = {"blue": "sk-blue", "red": "sk-red"}
TOOLS = [function_tool("get_weather"), function_tool("get_time")]
DELEGATING = [*TOOLS, function_tool("transfer_to_billing")]


@pytest.fixture(scope="module")
def guarded(
    directory: Path, gemini_process: Gemini, openai_thread: OpenAIEmulator, transport: str
) -> Iterator[Served]:
    """Run ``turnright serve`` with models that warn, enforce or are off, and with one key that has its own limit."""

    def entry(name: str, model: str) -> dict[str, Any]:
        base = gemini_process.api_base if model.startswith("gemini/") else openai_thread.base_url
        parameters = {"model": model, "api_key": "emulated", "api_base": base}
        return {"model_name": name, "transport": transport, "litellm_params": parameters}

    config = {
        "model_list": [
            entry("warned", "openai/gpt-4.1"),
            entry("enforced", "openai/gpt-4.1"),
            entry("off", "openai/gpt-4.1"),
            {**entry("narrow", "openai/gpt-4.1"), "model_info": {"max_input_tokens": 12_000}},
            {**entry("gemini-narrow", "gemini/gemini-2.5-pro"), "model_info": {"max_input_tokens": 12_000}},
            entry("gemini-warned", "gemini/gemini-3.6-flash"),
            entry("gemini-enforced", "gemini/gemini-3.6-flash"),
        ],
        "general_settings": {
            "drain_delay": 0,
            "drain_grace": 2,
            "keys": [{"name": name, "key": key} for name, key in KEYS.items()],
        },
        "router_settings": {"num_retries": 0, "cooldown_time": 0},
        "turns": {
            "per_model": [
                {"model": "enforced", "mode": "enforce"},
                {"model": "gemini-enforced", "mode": "enforce"},
                {"model": "narrow", "mode": "enforce"},
                {"model": "gemini-narrow", "mode": "enforce"},
                {"model": "off", "mode": "off"},
            ],
            "per_key": [{"key": "red", "max_rounds": 2}],
        },
    }
    with serve(directory, config) as process:
        yield process


class Client:
    """A client of the process, which sends each request with a chosen key."""

    def __init__(self, http: httpx.Client, served: Served) -> None:
        self._http, self._served = http, served

    def ask(
        self, model: str, messages: Any, *, key: str = "blue", rounds: str | None = None, **parameters: Any
    ) -> Answer:
        """Send a chat request; *rounds* is the client's own limit of rounds, sent in a header."""
        headers = {"Authorization": f"Bearer {KEYS.get(key, key)}"}
        if rounds is not None:
            headers["x-turnright-max-rounds"] = rounds
        request = {"model": model, "messages": messages, "tools": TOOLS, **parameters}
        response = self._http.post(
            f"{self._served.base_url}/chat/completions", content=json.dumps(request).encode(), headers=headers
        )
        return Answer(response.status_code, response.headers, response.text)

    def explain(self, model: str, messages: Any, *, key: str = "blue") -> dict[str, Any]:
        """Return the answer of ``/v1/explain``, the dry run."""
        response = self._http.post(
            f"{self._served.base_url}/explain",
            json={"model": model, "messages": messages, "tools": TOOLS},
            headers={"Authorization": f"Bearer {KEYS[key]}"},
        )
        explained: dict[str, Any] = response.raise_for_status().json()
        return explained

    def metric(self, name: str, **labels: str) -> float:
        """Return the sum of a metric's samples with these labels."""
        lines = self._http.get(f"{self._served.origin}/metrics").text.splitlines()
        wanted = [f'{label}="{value}"' for label, value in labels.items()]
        found = [
            line for line in lines if line.startswith(f"{name}{{") and all(one in line for one in wanted)
        ]
        return sum(float(line.rpartition(" ")[2]) for line in found)


@pytest.fixture
def client(http: httpx.Client, guarded: Served) -> Client:
    """Return the client of the process."""
    return Client(http, guarded)


def written(raw: bytes) -> bytes:
    """Return the bytes of ``messages`` in a request body in which ``tools`` is the next member."""
    start = raw.index(b'"messages":') + len(b'"messages":')
    return raw[start : raw.rindex(b',"tools"')]


@pytest.mark.pairwise
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(
    ("model", "count", "told"),
    [("enforced", 20 - 1, "19/25"), ("enforced", 24, "24/25;warn"), ("warned", 80, "80/25;warn")],
)
def test_a_session_is_left_alone(
    client: Client,
    openai_emulator: OpenAIEmulator,
    transport: str,
    model: str,
    count: int,
    told: str,
    stream: bool,
) -> None:
    """Below the limit or in mode ``warn``, the guard leaves the upstream body unchanged to the byte."""
    rounds_told = ""
    for number in range(0, count + 1, 1 if count < 30 else 8):
        messages = rounds(number)
        bodies = []
        for name in ("off", model):
            openai_emulator.requests.clear()
            answer = client.ask(name, messages, stream=stream)
            assert answer.is_whole
            assert "x-turnright-changes" not in answer.headers
            [sent] = openai_emulator.requests
            bodies.append(sent.raw)
            rounds_told = answer.headers.get("x-turnright-rounds", "")
        assert bodies[0] == bodies[1]
        if transport == "direct":
            asked = json.dumps(messages).encode()
            assert asked in bodies[1]
    assert rounds_told == told


def test_gemini_is_left_alone(client: Client, gemini: Gemini) -> None:
    """Below the limit or in mode ``warn``, the guard adds nothing to the contents for Gemini."""
    client.ask("gemini-warned", rounds(80))
    client.ask("gemini-enforced", rounds(24))
    long, short = (entry["body"]["contents"] for entry in gemini.journal())
    assert len(long) == 161
    assert "turnright" not in json.dumps([long, short])


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("model", ["enforced", "gemini-enforced"])
def test_model_is_told_to_finish_at_the_limit_and_past_it(
    client: Client, gemini: Gemini, model: str, stream: bool
) -> None:
    """At the limit and past it the model is told to finish, and ``/v1/explain`` shows that instruction."""
    for count, told in ((25, "25/25;warn;wrap-up"), (40, "40/25;warn;wrap-up")):
        answer = client.ask(model, rounds(count), stream=stream)
        explained = client.explain(model, rounds(count))

        assert answer.is_whole
        assert answer.headers["x-turnright-rounds"] == told
        assert "turns=2" in answer.headers["x-turnright-changes"]
        assert (explained["turns"]["rounds"], explained["turns"]["wrap_up"]) == (count, "limit")
        assert "turns=2" in explained["summary"]
        assert explained["body"]["tool_choice"] == "none"
        assert "Answer now with what you have" in json.dumps(explained["body"]["messages"][-1])


def test_a_key_has_its_own_limit(client: Client, openai_emulator: OpenAIEmulator) -> None:
    """A key's own limit of rounds holds for this key's requests alone, and an unknown key is refused."""
    assert client.ask("warned", rounds(2), key="red").headers["x-turnright-rounds"] == "2/2;warn"
    assert client.ask("enforced", rounds(2), key="red").headers["x-turnright-rounds"] == "2/2;warn;wrap-up"
    assert client.ask("warned", rounds(2)).headers["x-turnright-rounds"] == "2/25"
    assert client.ask("warned", rounds(2), key="sk-green").status == 401


@pytest.mark.parametrize(
    ("asked", "told"),
    [("2", "2/2;warn;wrap-up"), ("5", "2/5"), ("99", "2/25"), (None, "2/25")],
)
def test_a_request_lowers_its_limit(
    client: Client, openai_emulator: OpenAIEmulator, asked: str | None, told: str
) -> None:
    """A request's header can lower the limit of rounds, but not raise it."""
    assert client.ask("enforced", rounds(2), rounds=asked).headers["x-turnright-rounds"] == told


@pytest.mark.parametrize("asked", ["0", "-1", "ten", "1.5", "", "1e3", "9" * 30])
def test_a_limit_that_is_none(client: Client, openai_emulator: OpenAIEmulator, asked: str) -> None:
    """An invalid limit of rounds in a request's header is refused before anything is sent to the provider."""
    answer = client.ask("warned", rounds(1), rounds=asked)
    assert (answer.status, answer.error["param"]) == (400, "x-turnright-max-rounds")
    assert not openai_emulator.requests


@pytest.mark.parametrize("model", ["warned", "enforced"])
def test_repeated_call_is_told_then_has_to_finish(
    client: Client, openai_emulator: OpenAIEmulator, model: str
) -> None:
    """A call repeated five times is reported; in `enforce` the model gets a note, then has to finish at the sixth."""
    history: list[dict[str, Any]] = [user("Is the build done?")]
    seen, noted, said_last = [], None, []
    for number in range(6):
        history += [
            assistant(None, [call(f"c{number}", "get_time", '{"zone": "x"}')]),
            tool(f"c{number}", "?"),
        ]
        openai_emulator.requests.clear()
        seen.append(client.ask(model, history).headers["x-turnright-rounds"])
        [sent] = openai_emulator.requests
        said_last = sent.body["messages"]
        said = json.dumps(said_last)
        assert ("5 times in a row" in said) == (model == "enforced" and number >= 4)
        assert ("keep coming to the same results" in said) == (model == "enforced" and number == 5)
        if number == 4:
            noted = said_last[-1]
    ended = "6/25;loop" if model == "warned" else "6/25;wrap-up;loop"
    assert seen == ["1/25", "2/25", "3/25", "4/25", "5/25;loop", ended]
    if model == "enforced":  # the note stays where it was
        assert noted in said_last


def test_polling_is_no_loop(client: Client, openai_emulator: OpenAIEmulator) -> None:
    """Equal calls whose results change are no loop."""
    history: list[dict[str, Any]] = [user("Is the build done?")]
    for number in range(12):
        history += [
            assistant(None, [call(f"c{number}", "get_time", "{}")]),
            tool(f"c{number}", f"{number} %"),
        ]
    assert client.ask("enforced", history).headers["x-turnright-rounds"] == "12/25"


def test_delegation_does_not_use_up_the_limit(client: Client, openai_emulator: OpenAIEmulator) -> None:
    """Delegations to another agent have their own limit, at which only the delegating tools are withheld."""
    history: list[dict[str, Any]] = [system("Route."), user("Help me.")]
    for number in range(10):
        name = "get_time" if number % 2 else "transfer_to_billing"
        for half, tool_name in enumerate((name, "transfer_to_billing")):
            call_id = f"c{number}_{half}"
            history += [
                assistant(None, [call(call_id, tool_name, json.dumps({"n": number, "half": half}))]),
                tool(call_id, f"{number} {half}"),
            ]
    openai_emulator.faults.append({"calls": [("transfer_to_billing", {})]})

    answer = client.ask("enforced", history, tools=DELEGATING)

    assert answer.headers["x-turnright-rounds"] == "5/50;delegations=15/10"
    [sent] = openai_emulator.requests
    assert [one["function"]["name"] for one in sent.body["tools"]] == ["get_weather", "get_time"]
    text, reason, calls = text_of(answer)
    assert (reason, calls) == ("stop", 0)
    assert "was not handed on again" in text


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(("model", "passed"), [("warned", 13), ("enforced", 10)])
def test_calls_of_one_answer(
    client: Client, openai_emulator: OpenAIEmulator, model: str, passed: int, stream: bool
) -> None:
    """In `enforce` an answer has ten calls at most, and the calls that are cut are counted."""
    openai_emulator.faults.append({"calls": [("get_time", {"n": number}) for number in range(13)]})
    before = client.metric("turnright_changes_total", step="turns", reason="calls_per_turn")
    answer = client.ask(model, rounds(1), stream=stream)
    assert text_of(answer)[1] == "tool_calls"
    if stream:
        places = [
            piece["index"]
            for event in answer.events[:-1]
            for choice in json.loads(event)["choices"]
            for piece in choice["delta"].get("tool_calls") or ()
        ]
        assert sorted(set(places)) == list(range(passed))
    else:
        assert text_of(answer)[2] == passed
    cut = client.metric("turnright_changes_total", step="turns", reason="calls_per_turn") - before
    assert cut == 13 - passed


def test_each_threshold_of_a_session_is_counted_once(
    client: Client, guarded: Served, openai_emulator: OpenAIEmulator
) -> None:
    """Metrics count a session's warning and limit once, and every wrap-up; the log names the rounds and the key."""
    events = ("warning", "limit", "wrap_up")
    before = [client.metric("turnright_turn_events_total", model="enforced", event=event) for event in events]
    for count in range(18, 28):
        client.ask("enforced", rounds(count))
    after = [client.metric("turnright_turn_events_total", model="enforced", event=event) for event in events]
    assert [new - old for new, old in zip(after, before, strict=True)] == [1, 1, 3]
    assert client.metric("turnright_rounds_count", model="enforced") >= 10
    last = client.ask("enforced", rounds(1)).headers["x-request-id"]
    guarded.running.wait_for(
        lambda: [line for line in guarded.running.events("request_finished") if line["request_id"] == last],
        "line of the last request",
    )
    told = [line for line in guarded.running.events("turn_guard") if line["model"] == "enforced"]
    warned = [line for line in told if line["what"] == "warning" and line["rounds"] == "20/25;warn"]
    assert warned[-1]["key"] == "blue"


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(
    "parts",
    [
        pytest.param(((), "UNEXPECTED_TOOL_CALL"), id="a call where none may be"),
        pytest.param(((), "MALFORMED_FUNCTION_CALL"), id="half a call"),
        pytest.param(((), "STOP"), id="nothing"),
        pytest.param((({"text": "hm", "thought": True},), "STOP"), id="thoughts"),
    ],
)
def test_always_makes_each_failure_an_answer(
    client: Client, gemini: Gemini, parts: tuple[tuple[dict[str, Any], ...], str], stream: bool
) -> None:
    """At the limit, a provider's failure or empty answer becomes a text that names the limit."""
    gemini.answer(*parts[0], finish_reason=parts[1])
    answer = client.ask("gemini-enforced", rounds(25), stream=stream)
    assert answer.is_whole, answer.text
    text, reason, calls = text_of(answer)
    assert (reason, calls) == ("stop", 0)
    assert text.startswith("[turnright: The limit of 25 rounds")


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_a_final_answer_that_does_not_fit_is_delivered(
    client: Client, openai_emulator: OpenAIEmulator, stream: bool
) -> None:
    """A final result is delivered even where its arguments do not fit the schema, since the agent expects that call."""
    final = function_tool("final_result")
    final["function"]["parameters"] = {"type": "object", "properties": {"x": {}}, "required": ["x"]}
    openai_emulator.faults.append({"calls": [("final_result", {})]})
    answer = client.ask("enforced", rounds(25), stream=stream, tools=[*TOOLS, final])
    assert answer.is_whole
    _, reason, pieces = text_of(answer)
    assert reason == "tool_calls"
    assert pieces


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_nothing_is_an_answer_nowhere(client: Client, openai_emulator: OpenAIEmulator, stream: bool) -> None:
    """At the limit, an empty answer is replaced by a text that says that the limit is reached."""
    openai_emulator.faults.append({"text": ""})
    answer = client.ask("enforced", rounds(25), stream=stream)
    assert answer.is_whole
    assert text_of(answer)[0].startswith("[turnright: The limit of 25 rounds")


@pytest.mark.parametrize("reason", ["UNEXPECTED_TOOL_CALL", "MALFORMED_FUNCTION_CALL"])
def test_delegation_that_is_withheld_ends_in_an_answer(client: Client, gemini: Gemini, reason: str) -> None:
    """A withheld delegation ends in an answer, even where the provider fails over a call to the withheld tool."""
    history: list[dict[str, Any]] = [user("Help me.")]
    for number in range(10):
        call_id = f"c{number}"
        history += [
            assistant(None, [call(call_id, "transfer_to_billing", json.dumps({"n": number}))]),
            tool(call_id, f"{number}"),
        ]
    gemini.answer(finish_reason=reason)
    answer = client.ask("gemini-enforced", history, tools=DELEGATING)
    assert answer.is_whole, answer.text
    assert "was not handed on again" in text_of(answer)[0]


@pytest.mark.parametrize("model", ["narrow", "gemini-narrow"])
def test_the_last_round_is_there_to_finish_with(
    client: Client, gemini: Gemini, openai_emulator: OpenAIEmulator, model: str
) -> None:
    """In a nearly full context window, the instruction to finish does not push out the newest tool result."""
    history: list[dict[str, Any]] = [user("What do the files say?")]
    for number in range(3):
        call_id = f"c{number}"
        history += [
            assistant(None, [call(call_id, "read_file", json.dumps({"n": number}))]),
            tool(call_id, f"[file {number}] " + f"what it says, part {number}. " * 900),
        ]
    answers = [client.ask(model, history, rounds=limit) for limit in ("9", "3")]
    assert [answer.headers["x-turnright-rounds"] for answer in answers] == ["3/9", "3/3;warn;wrap-up"]
    if model == "narrow":
        sent = [record.body["messages"] for record in openai_emulator.requests]
    else:
        sent = [entry["body"]["contents"] for entry in gemini.journal()]
    warned, ended = (json.dumps(messages) for messages in sent)
    assert "[file 2]" in warned
    assert warned.count("part 2.") - ended.count("part 2.") < 60
    assert "Answer now with what you have" in ended


def test_explain_has_the_turn_guards_verdict_by_mode(http: httpx.Client, client: Client) -> None:
    """``/v1/explain`` has the turn guard's verdict, and none where the guard is off."""
    assert client.explain("warned", rounds(21))["turns"] == {
        "mode": "warn",
        "rounds": 21,
        "limit": 25,
        "delegation_rounds": 0,
        "delegation_limit": 10,
        "warns": True,
        "loop_period": None,
        "wrap_up": None,
        "events": [],
    }
    assert client.explain("off", rounds(21))["turns"] is None
