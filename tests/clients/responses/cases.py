"""The axes of the clients' tests: client, model, scenario, stream or whole, and where the history is."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.clients.conftest import GEMINI_MODEL
from tests.clients.rounds import ROUNDS, Call, Round
from tests.clients.running_clients import Report, Seen, run_script

GEMINI = f"gemini/{GEMINI_MODEL}"
GEMINI_AS_GPT = "gpt-5.6-strict"
"""Gemini by a name that clients take for a reasoning model of OpenAI."""

GPT = "gpt-4.1"
CODEX_NATIVE = "gpt-5.6-sol"
"""A name for which codex sends its tools as an item, and one custom tool among them."""

CODEX_GPT = "gpt-5.6-terra"
"""Such a name of a model that is asked in chats."""

CODEX_GEMINI = "gpt-6-astra"
"""Gemini by such a name."""

NATIVE = "gpt-5.6-native"
"""A model that is asked in the Responses API itself, by a name that clients take for a reasoning model of OpenAI."""

NATIVE_OTHER = "grok-4"
"""Such a model by a name that clients do not know. It encrypts its thoughts where the client asks for that alone."""

RESPONSES_ONLY = "gpt-5.3-codex"
"""A model that has no chats, as its entry says."""

NATIVES = (NATIVE, NATIVE_OTHER, CODEX_NATIVE, RESPONSES_ONLY)

UNSEALED = (NATIVE_OTHER, RESPONSES_ONLY)
"""Models at addresses that the proxy does not know, so that it does not ask for encrypted thoughts by itself."""

MODELS = (GEMINI, GEMINI_AS_GPT, GPT, NATIVE, NATIVE_OTHER, RESPONSES_ONLY)

SCRIPTS = (
    "responses.with_openai",
    "responses.with_openai_agents",
    "responses.with_langchain",
    "responses.with_pydantic_ai",
    "responses/openai.mjs",
    "responses/openai_agents.mjs",
    "responses/ai_sdk.mjs",
)


@dataclass(frozen=True)
class State:
    """The place of the history: the script's mode and the relay's work decide it."""

    name: str
    mode: str
    is_lost: bool = False
    """True where each answer is unknown to the gateway that gets the next request: the envelope alone is left."""

    is_stripped: bool = False
    """True where the client sends no envelope: the store alone is left."""

    is_shared: bool = False
    """True where the requests go to two replicas with one store in turn."""


STORED = State("stored", "stored")
LOST = State("envelope-only", "unstored", is_lost=True)
STORE_ONLY = State("store-only", "unstored", is_stripped=True)
STATES = (
    STORED,
    State("unstored", "unstored"),
    State("chained", "chained"),
    LOST,
    STORE_ONLY,
    State("two-replicas", "chained", is_shared=True),
)


@dataclass(frozen=True, eq=False)  # one object for each, and so a value that has a hash
class Scenario:
    """One conversation: the model's answers, and the name of the script's task."""

    name: str
    script: str
    rounds: Sequence[Round] = ()


FIVE_ROUNDS = Scenario("five-rounds", "tools", ROUNDS)
TEXT = Scenario("text", "text")
STRUCTURED = Scenario("structured", "structured")
SCENARIOS = (
    TEXT,
    Scenario(
        "tool-turn",
        "tools",
        (
            Round((Call("get_weather", {"city": "Oslo"}, "The weather in Oslo is fine."),)),
            Round((Call("get_time", {"city": "Oslo", "hours_ahead": 1}, "Oslo, 1 hours ahead."),), "Now."),
        ),
    ),
    Scenario("parallel-calls", "tools", ROUNDS[:2]),
    STRUCTURED,
)


@dataclass(frozen=True)
class Case:
    """A point on the axes."""

    script: str
    stream: bool
    model: str
    scenario: Scenario
    state: State

    @property
    def name(self) -> str:
        """The case's name in the tests."""
        client = self.script.replace("responses.with_", "").replace("responses/", "")
        way = "stream" if self.stream else "whole"
        return "-".join((client, way, self.model.rpartition("/")[2], self.scenario.name, self.state.name))

    @property
    def is_possible(self) -> bool:
        """False where the client itself keeps the case from working.

        pydantic-ai sends back the reasoning items of models whose names it knows, and of no other: an envelope cannot
        come back to :data:`GEMINI`. The AI SDK keeps the history of a prompt's tool loop itself.
        """
        keeps = self.script == "responses/ai_sdk.mjs" and self.scenario.name != "text"
        return not (self._forgets_reasoning and self.state.is_lost) and not (
            keeps and self.state.mode == "chained"
        )

    @property
    def keeps_text_signature(self) -> bool:
        """True where a text's signature comes back to Gemini, which never requires it.

        It needs both the envelope, which has the signature, and the store, which knows where it was made.
        """
        if self.model not in (GEMINI, GEMINI_AS_GPT) or self.state.is_lost or self.state.is_stripped:
            return False
        return self.state.mode == "chained" or not self._forgets_reasoning

    @property
    def keeps_thoughts(self) -> bool:
        """True where a provider of responses gets its encrypted thoughts back."""
        return self.model == NATIVE and self.state.mode != "unstored"

    @property
    def drops_thoughts(self) -> bool:
        """True where the client sends calls with their ids, and not the thoughts before them.

        langchain drops a thought without encrypted content. The provider alone knows then that a thought is missing.
        """
        return self.script == "responses.with_langchain" and self.state.mode == "unstored"

    @property
    def _forgets_reasoning(self) -> bool:
        return self.script == "responses.with_pydantic_ai" and self.model == GEMINI

    def run(self, base_url: str) -> Report:
        """Run the client to its end."""
        way = "stream" if self.stream else "whole"
        told = run_script(self.script, base_url, self.model, way, self.state.mode, self.scenario.script)
        return Report([[Seen(**call) for call in calls] for calls in told["rounds"]], told["text"])


def pairwise(
    axes: Sequence[Sequence[Any]], is_possible: Callable[[tuple[Any, ...]], bool]
) -> list[tuple[Any, ...]]:
    """Return few rows in which every two values of two axes meet that meet in any possible row.

    Of rows that are equally good, the one is taken whose values were taken least.
    """
    possible = [row for row in itertools.product(*axes) if is_possible(row)]
    missing = set().union(*map(pairs_of, possible))
    rows = list[tuple[Any, ...]]()
    taken = Counter[tuple[int, Any]]()
    while missing:
        best = max(
            possible,
            key=lambda row: (len(missing & pairs_of(row)), -sum(taken[value] for value in enumerate(row))),
        )
        missing -= pairs_of(best)
        taken.update(enumerate(best))
        rows.append(best)
    return rows


def pairs_of(row: Sequence[Any]) -> set[tuple[Any, ...]]:
    """Return the pairs of a row's values, with their axes."""
    return set(itertools.combinations(enumerate(row), 2))


def each_client() -> list[Case]:
    """Return the loop of five rounds on the strict Gemini for each client, streamed."""
    return [Case(script, True, GEMINI, FIVE_ROUNDS, STORED) for script in SCRIPTS]


def in_pairs() -> list[Case]:
    """Return cases in which every two values of two axes meet."""
    rows = pairwise((SCRIPTS, (False, True), MODELS, SCENARIOS, STATES), lambda row: Case(*row).is_possible)
    return _sorted(Case(*row) for row in rows)


def _sorted(cases: Iterable[Case]) -> list[Case]:
    return sorted(cases, key=lambda case: case.name)
