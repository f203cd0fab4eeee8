"""Tests that a conversation beyond a model's window is cut and reported, or goes to a larger model, or is refused."""

from __future__ import annotations

import itertools
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from proxy.emulator.answers import count_tokens
from tests.process.asking import Answer, ask, explain, function_tool
from tests.process.emulators import Gemini
from tests.process.running import Served, serve
from tests.support.builders import assistant, call, system, tool, user
from tests.support.openai_emulator import OpenAIEmulator

WINDOW = 32_768
ROUNDS = 60
TOOLS = [function_tool(name) for name in ("read_file", "run_tests", "search", "git_diff")]
PROMPT = (
    "You are a careful software agent. Use the tools to find out what is the matter, change as little as you can, and "
    "say what you did when you are done. Never guess what a file holds: read it."
)
GOAL = "The nightly build fails in the billing service. Find the cause, mend it, and run the tests again."
EXACT = re.compile(r"est=\d+;limit=\d+;sent=\d+;used=\d+%;round=\d+;left=\d+")
BOUND = re.compile(r"est<=\d+;limit=\d+;sent<=\d+;used<=\d+%(?:;round<=\d+;left>=\d+)?")
OVERFLOW = (
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 20000 tokens."
)
GEMINI_OVERFLOW = "The input token count (50000) exceeds the maximum number of tokens allowed (40000)."

NAMES = 40
"""Number of model names of each kind. Each test uses its own name, so that tests share no learned window."""

_numbers = itertools.count()


def configuration(transport: str, gemini: Gemini, openai: OpenAIEmulator) -> dict[str, Any]:
    """Return a configuration with models of known and unknown windows, some with a larger fallback."""

    def entry(name: str, model: str, **info: int) -> dict[str, Any]:
        base = gemini.api_base if model.startswith("gemini/") else openai.base_url
        parameters = {"model": model, "api_key": "emulated", "api_base": base}
        return {"model_name": name, "transport": transport, "litellm_params": parameters, "model_info": info}

    entries = [entry("larger", "openai/larger-one", max_input_tokens=1_000_000)]
    for number in range(NAMES):
        entries += [
            entry(f"small-{number}", "gemini/gemini-2.5-pro", max_input_tokens=WINDOW),
            entry(f"gemini-{number}", "gemini/gemini-2.5-flash", max_input_tokens=75_000),
            entry(f"local-{number}", "openai/local-one"),
            entry(f"known-{number}", "openai/local-one", max_input_tokens=8_192),
            entry(f"backed-{number}", "openai/local-one", max_input_tokens=8_192),
        ]
    return {
        "model_list": entries,
        "general_settings": {"drain_delay": 0, "drain_grace": 2, "max_body_mib": 64},
        "router_settings": {
            "num_retries": 0,
            "cooldown_time": 0,
            "context_window_fallbacks": [{f"backed-{number}": ["larger"]} for number in range(NAMES)],
        },
    }


@pytest.fixture(scope="module")
def budgeted(
    directory: Path, gemini_process: Gemini, openai_thread: OpenAIEmulator, transport: str
) -> Iterator[Served]:
    """Run ``turnright serve`` in front of both providers."""
    with serve(directory, configuration(transport, gemini_process, openai_thread)) as process:
        yield process


@pytest.fixture
def number() -> int:
    """Return the number in the model names that only this test uses."""
    return next(_numbers) % NAMES


@dataclass(frozen=True)
class Client:
    """Sends chat requests to one process, and asks for their explanations."""

    http: httpx.Client
    served: Served

    def ask(self, model: str, messages: Any, **parameters: Any) -> Answer:
        """Send a chat request and return its answer."""
        return ask(self.http, self.served, {"model": model, "messages": messages, **parameters})

    def explain(self, model: str, messages: Any, **parameters: Any) -> dict[str, Any]:
        """Return the explanation of a request, which is a dry run."""
        return explain(self.http, self.served, {"model": model, "messages": messages, **parameters})

    def metric(self, name: str, **labels: str) -> float:
        """Return the sum of a metric's samples with these labels."""
        lines = self.http.get(f"{self.served.origin}/metrics").text.splitlines()
        found = [
            line
            for line in lines
            if line.startswith(f"{name}{{")
            and all(f'{label}="{value}"' in line for label, value in labels.items())
        ]
        return sum(float(line.rpartition(" ")[2]) for line in found)


@pytest.fixture
def client(http: httpx.Client, budgeted: Served) -> Client:
    """Return the client of the process."""
    return Client(http, budgeted)


def output(number: int) -> str:
    """Return what a tool of round *number* prints, 4 to 12 kB of it: a log, source code or JSON in turn."""
    length = 4_000 + (number * 2_711) % 8_001
    line = (
        "04:{at:02d} worker[{number}] INFO the nightly run of part_{number} wrote its totals for every open account\n",
        "    def total_of_{at}(self, rows: Sequence[Row]) -> Decimal:  # part_{number}\n"
        "        return sum((row.net for row in rows if row.open), start=Decimal())\n\n",
        '{{"path": "billing/part_{number}/accounts.py", "line": {at}, "text": "assert net == gross - tax, account"}}\n',
    )[number % 3]
    count = length // len(line) + 2
    return "".join(line.format(at=at, number=number) for at in range(count))[:length]


def agent_requests() -> Iterator[list[dict[str, Any]]]:
    """Yield the growing history of an agent of :data:`ROUNDS` rounds, once for each of its requests."""
    history = [system(PROMPT), user(GOAL)]
    yield list(history)
    for number in range(ROUNDS):
        name = TOOLS[number % 4]["function"]["name"]
        arguments = json.dumps({"path": f"billing/part_{number}.py"})
        history.append(
            assistant(f"Step {number}: I use {name}.", [call(f"call_{number:03d}", name, arguments)])
        )
        history.append(tool(f"call_{number:03d}", output(number)))
        yield list(history)


def emulated_tokens(body: dict[str, Any]) -> int:
    """Return a request's tokens by the emulator's own count."""
    return count_tokens(
        [body.get(key) for key in ("systemInstruction", "system_instruction", "contents", "tools")]
    )


@pytest.mark.each_value
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_an_agent_of_sixty_rounds(client: Client, gemini: Gemini, number: int, stream: bool) -> None:
    """A model of 32K tokens takes all requests of the agent.

    Every cut is reported, and the prompt's prefix changes only with a new cut or estimate factor.
    """
    gemini.clear()
    model = f"small-{number}"
    before: list[Any] = []
    cut_before: tuple[int, float] = (0, 0.0)
    breaks, factors = 0, set()
    for turn, messages in enumerate(agent_requests()):
        explained = client.explain(model, messages, tools=TOOLS)
        gemini.clear("requests")
        answer = client.ask(model, messages, tools=TOOLS, stream=stream)
        assert answer.status == 200, (turn, answer.text)
        assert answer.is_whole, answer.text
        [entry] = gemini.journal()
        body = entry["body"]

        assert entry["verdict"]["status"] == 200, (turn, entry["verdict"])
        assert emulated_tokens(body) <= WINDOW, turn
        header = answer.headers["x-turnright-budget"]
        assert EXACT.fullmatch(header) or BOUND.fullmatch(header) or turn == 0, header
        assert f"limit={WINDOW};" in header
        assert answer.headers["x-turnright-attempts"] == "1"

        cut = json.dumps(body["contents"]).count("part_") < json.dumps(messages).count("part_")
        cuts = [change for change in explained["changes"] if change["step"] == "budget"]
        told = answer.headers.get("x-turnright-changes", "")
        assert bool(cuts) == cut, turn
        assert (f"budget={len(cuts)}" in told) == bool(cuts), (turn, told)
        contents = body["contents"]
        assert contents[0]["parts"][0] == {"text": GOAL}
        budget = explained["budget"]
        cut_now = (len(budget["events"]), budget["factor"])
        factors.add(budget["factor"])
        if contents[: len(before)] != before:
            breaks += 1
            assert cut_now != cut_before, turn
        before, cut_before = contents, cut_now
        assert (
            output(turn - 1)[:200]
            in json.dumps(contents, ensure_ascii=False).replace("\\n", "\n").replace('\\"', '"')
            or not turn
        )

    assert len(factors) <= 4, factors
    assert 3 <= breaks <= 12
    assert client.metric("turnright_budget_requests_total", model=model, outcome="cut") > 20
    assert client.metric("turnright_budget_removed_tokens_total", model=model) > 20_000


def long_history(rounds: int = 25) -> list[dict[str, Any]]:
    """Return an agent's history that is longer than the models of these tests take."""
    return next(itertools.islice(agent_requests(), rounds, None))


def test_an_overflow_is_learnt_from(client: Client, openai_emulator: OpenAIEmulator, number: int) -> None:
    """The refused first request is cut and sent again. The next request of the session is cut in advance."""
    model, messages = f"local-{number}", long_history()
    openai_emulator.faults.append({"status": 400, "message": OVERFLOW, "code": "context_length_exceeded"})
    first = client.ask(model, messages, tools=TOOLS)

    assert first.status == 200, first.text
    refused, cut = openai_emulator.requests
    assert first.headers["x-turnright-attempts"] == "2"
    assert len(refused.body["messages"]) == len(messages)
    assert len(cut.raw) < len(refused.raw) / 2
    assert len(cut.raw) / 4 <= 8_192
    assert "budget=" in first.headers["x-turnright-changes"]
    assert client.metric("turnright_retries_total", model=model, reason="context_overflow") == 1

    openai_emulator.requests.clear()
    messages = [*messages, assistant("I have found it."), user("Then mend it.")]
    second = client.ask(model, messages, tools=TOOLS)

    assert second.status == 200, second.text
    [sent] = openai_emulator.requests
    assert second.headers["x-turnright-attempts"] == "1"
    assert len(sent.raw) / 4 <= 8_192
    assert sent.body["messages"][-1]["content"] == "Then mend it."
    assert "limit=" in second.headers["x-turnright-budget"]


def test_an_overflow_of_gemini_is_learnt_from(client: Client, gemini: Gemini, number: int) -> None:
    """The window that Gemini's refusal names is learned. It is below the configured window, but above half of it."""
    gemini.clear()
    model, messages = f"gemini-{number}", long_history(60)
    gemini.fault(status=400, message=GEMINI_OVERFLOW)
    first = client.ask(model, messages, tools=TOOLS)

    assert first.status == 200, first.text
    refused, cut = gemini.journal()
    assert emulated_tokens(cut["body"]) < emulated_tokens(refused["body"])
    assert client.explain(model, messages, tools=TOOLS)["budget"]["window"] == 40_000

    gemini.clear("requests")
    second = client.ask(model, messages, tools=TOOLS)

    assert second.status == 200, second.text
    [sent] = gemini.journal()
    assert emulated_tokens(sent["body"]) < emulated_tokens(refused["body"])


def test_an_overflow_where_nothing_can_be_cut(
    client: Client, openai_emulator: OpenAIEmulator, number: int
) -> None:
    """A request that cannot be cut is not sent again, and the client gets the provider's error text."""
    openai_emulator.faults.append({"status": 400, "message": OVERFLOW, "code": "context_length_exceeded"})
    answer = client.ask(f"local-{number}", [user("Hello.")])

    assert (answer.status, answer.error["code"]) == (400, "context_length_exceeded")
    assert OVERFLOW in answer.error["message"]
    assert len(openai_emulator.requests) == 1


def test_overflow_after_a_tighter_cut_is_told_to_the_client(
    client: Client, openai_emulator: OpenAIEmulator, number: int
) -> None:
    """A request that overflows again after one cut is not cut further. The client gets the provider's error text."""
    for _ in range(5):
        openai_emulator.faults.append({"status": 400, "message": OVERFLOW, "code": "context_length_exceeded"})
    answer = client.ask(f"local-{number}", long_history())
    openai_emulator.faults.clear()

    assert (answer.status, answer.error["code"]) == (400, "context_length_exceeded")
    assert OVERFLOW in answer.error["message"]
    assert len(openai_emulator.requests) == 2


def test_the_larger_model_takes_what_cannot_be_cut(
    client: Client, openai_emulator: OpenAIEmulator, number: int
) -> None:
    """A system message is never cut. The whole request goes to the larger model, without a call to the small one."""
    messages = [system(output(1) * 10), user("What is wrong here?")]
    answer = client.ask(f"backed-{number}", messages)

    assert answer.status == 200, answer.text
    [sent] = openai_emulator.requests
    assert sent.body["model"] == "larger-one"
    assert sent.body["messages"] == messages
    assert answer.headers["x-turnright-model"] == "openai/larger-one"


def test_a_system_prompt_larger_than_the_window(
    client: Client, openai_emulator: OpenAIEmulator, number: int
) -> None:
    """A system prompt beyond the window gets a 400 that lists the tokens of each part, and no provider is called.

    The dry run (``/v1/explain``) shows the same refusal.
    """
    messages = [system(output(1) * 10), user("What is wrong here?")]
    answer = client.ask(f"known-{number}", messages, tools=TOOLS)

    assert (answer.status, answer.error["code"]) == (400, "context_length_exceeded")
    assert answer.error["type"] == "invalid_request_error"
    assert not openai_emulator.requests
    words = answer.error["message"]
    for part in ("system messages", "tools", "first user message", "older rounds", "current round"):
        assert re.search(rf"{part} \d+", words), words
    assert "Largest: messages[0] " in words
    assert "worker[" not in words
    explained = client.explain(f"known-{number}", messages, tools=TOOLS)
    assert explained["verdict"] == "refused"
    assert explained["refusal"]["rule"] == "context_length_exceeded"
    assert explained["refusal"]["message"] == words


MEGABYTES_30 = 30 * 1024 * 1024
GIANTS = {
    "digits": "0123456789" * (MEGABYTES_30 // 10),
    "words": "a small word and " * (MEGABYTES_30 // 17),
    "spaces": " " * MEGABYTES_30,
    "not ASCII": "é漢" * (MEGABYTES_30 // 12),
}


@pytest.mark.pairwise
@pytest.mark.parametrize("giant", GIANTS.values(), ids=GIANTS)
@pytest.mark.parametrize("kind", ["known", "local"])
def test_thirty_megabytes_on_one_line(
    client: Client, openai_emulator: OpenAIEmulator, number: int, kind: str, giant: str
) -> None:
    """A tool result of 30 MB takes bounded time, and gets an answer or a refusal."""
    messages = [user("Read it."), assistant(None, [call("c1", "read_file", "{}")]), tool("c1", giant)]
    begun = time.monotonic()
    answer = client.ask(f"{kind}-{number}", messages, tools=TOOLS)
    seconds = time.monotonic() - begun

    assert seconds < 10, seconds
    if kind == "known":
        assert answer.status == 200, answer.text[:500]
        [sent] = openai_emulator.requests
        assert len(sent.raw) < 8_192 * 48  # characters that a token holds at most
        assert "omitted by the gateway" in sent.body["messages"][-1]["content"]
        assert "budget=" in answer.headers["x-turnright-changes"]
    else:
        assert answer.status in (200, 400), answer.text[:500]
        assert len(answer.text) < 10_000


@pytest.mark.each_value
def test_ten_thousand_messages_are_cut_in_bounded_time(
    client: Client, openai_emulator: OpenAIEmulator, number: int
) -> None:
    """A history of ten thousand messages is cut to the model's window in bounded time."""
    messages = [user("Count with me.")]
    for at in range(5_000):
        messages += [assistant(f"That makes {at}."), user(f"And {at + 1}?")]
    begun = time.monotonic()
    answer = client.ask(f"known-{number}", messages)

    assert time.monotonic() - begun < 10
    assert answer.status == 200, answer.text[:500]
    [sent] = openai_emulator.requests
    assert sent.body["messages"][0]["content"].startswith("Count with me.")
    assert sent.body["messages"][-1]["content"] == "And 5000?"
    assert len(sent.raw) / 4 < 8_192


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_usage_corrects_the_next_estimate(
    client: Client, openai_emulator: OpenAIEmulator, number: int, stream: bool
) -> None:
    """The token usage that the provider reports corrects the next estimate, which is then within 5 % of the usage."""
    model, messages = f"local-{number}", long_history(10)
    before = client.metric("turnright_estimate_error_ratio_count", model=model)
    factor = client.explain(model, messages)["budget"]["factor"]
    options = {"stream_options": {"include_usage": True}} if stream else {}
    answer = client.ask(model, messages, stream=stream, **options)
    assert answer.is_whole, answer.text
    usage = json.loads(answer.events[-2])["usage"] if stream else answer.json["usage"]
    counted = usage["prompt_tokens"]

    until = time.monotonic() + 30  # a long prompt is counted in a thread, when the answer is out
    while client.metric("turnright_estimate_error_ratio_count", model=model) == before:
        assert time.monotonic() < until
        time.sleep(0.02)

    explained = client.explain(model, messages)["budget"]
    assert client.metric("turnright_estimate_error_ratio_count", model=model) == before + 1
    assert explained["factor"] != factor
    assert abs(explained["sent"] - counted) / counted < 0.05


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_an_answer_that_leaves_no_room_is_asked_for_shorter(
    client: Client, openai_emulator: OpenAIEmulator, number: int, stream: bool
) -> None:
    """The proxy lowers ``max_tokens`` where prompt and answer together exceed the window, and reports the change."""
    answer = client.ask(f"known-{number}", [user("Hello.")], max_tokens=20_000, stream=stream)

    assert answer.is_whole, answer.text
    [sent] = openai_emulator.requests
    assert 256 <= sent.body["max_tokens"] < 8_192
    assert answer.headers["x-turnright-changes"] == "budget=1"
