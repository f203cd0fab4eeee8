"""The running gateways of a test, the emulators behind them, and the relay before them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tests.clients.conftest import GEMINI_MODEL
from tests.clients.messages.cases import (
    CLAUDES,
    GEMINI,
    GEMINI_AS_CLAUDE,
    GPT,
    GPT_AS_CLAUDE,
    Blocks,
)
from tests.clients.responses.relay import Exchange, Relay
from tests.process.emulators import Gemini
from tests.process.running import Served, serve
from tests.support.emulated import Emulator, Fault
from tests.support.openai_emulator import OpenAIEmulator

PATH = "/v1/messages"


@dataclass(frozen=True)
class Gateways:
    """The processes and threads that a client of the Messages API needs."""

    relay: Relay
    alone: Served
    other: Callable[[], Served]
    """A second gateway, with a store of its own."""

    gemini: Gemini
    openai: OpenAIEmulator
    anthropic: Emulator
    directory: Path
    """The directory of the configurations and of the outputs."""

    @contextmanager
    def serving(self, **settings: Any) -> Iterator[Served]:
        """Run a gateway with further *settings*, and point the relay at it."""
        with serve(
            self.directory, {**config_of(self.gemini, self.openai, self.anthropic), **settings}
        ) as served:
            self.relay.begin(served.origin)
            yield served

    @property
    def origin(self) -> str:
        """The relay's address, as anthropic's clients want it."""
        return self.relay.base_url.removesuffix("/v1")

    @property
    def exchanges(self) -> list[Exchange]:
        """The exchanges of ``POST /v1/messages``."""
        return [exchange for exchange in self.relay.exchanges if exchange.path == PATH]

    def begin(self, *, is_lost: bool = False, strips: bool = False) -> None:
        """Point the relay at the gateway.

        With *is_lost*, it sends the requests to two gateways in turn, of which neither knows the other's answers. With
        *strips*, the requests lose their thoughts, as those of a client do that keeps none.
        """
        origins = (self.alone.origin, *((self.other().origin,) if is_lost else ()))
        self.relay.begin(*origins, strips=strips)

    def in_a_thread(self, model: str) -> Emulator | None:
        """Return the emulator of *model* where it runs in a thread. Gemini's runs in a process."""
        if model in CLAUDES:
            return self.anthropic
        return self.openai if model in (GPT, GPT_AS_CLAUDE) else None

    def queue(self, model: str, *answers: Blocks | str) -> None:
        """Queue *answers* of blocks or of a text for the provider of *model*."""
        emulator = self.in_a_thread(model)
        for answer in answers:
            if isinstance(answer, str):
                if emulator is None:
                    self.gemini.say(answer)
                else:
                    emulator.faults.append({"text": answer})
            elif model in CLAUDES:
                self.anthropic.faults.append({"items": [dict(block) for block in answer]})
            elif emulator is not None:
                calls = [(block["name"], block["input"]) for block in answer if block["type"] == "tool_use"]
                emulator.faults.append({"calls": calls})
            else:
                self.gemini.answer(*filter(None, map(self.part_of, answer)))

    def part_of(self, block: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return a block as a part of Gemini's answer, or None for a thought."""
        if block["type"] == "text":
            return {"text": block["text"]}
        if block["type"] == "tool_use":
            return {"functionCall": {"name": block["name"], "args": dict(block["input"])}}
        return None

    def fail(self, model: str, fault: Mapping[str, Any]) -> None:
        """Queue *fault* for the provider of *model*."""
        emulator = self.in_a_thread(model)
        if emulator is None:
            self.gemini.fault(times=1, **fault)
        else:
            emulator.faults.append(cast("Fault", dict(fault)))

    def refusals(self, model: str) -> list[Any]:
        """Return what the provider of *model* has refused by its own rules, and not by a script."""
        emulator = self.in_a_thread(model)
        if emulator is not None:
            return [request.refusal for request in emulator.requests if request.refusal is not None]
        verdicts = [entry["verdict"] for entry in self.gemini.journal()]
        return [verdict for verdict in verdicts if verdict["status"] not in (200, 503)]

    def last_body(self, model: str) -> Any:
        """Return the last body that reached the provider of *model*."""
        emulator = self.in_a_thread(model)
        return self.gemini.journal()[-1]["body"] if emulator is None else emulator.requests[-1].body

    def accepted(self, model: str) -> list[Any]:
        """Return the bodies that reached the provider of *model*, which must have accepted each of them."""
        emulator = self.in_a_thread(model)
        if emulator is not None:
            requests = [
                request for request in emulator.requests if not request.path.endswith("/count_tokens")
            ]
            assert [request.refusal for request in requests] == [None] * len(requests)
            return [request.body for request in requests]
        journal = self.gemini.journal()
        assert [entry["verdict"] for entry in journal if entry["verdict"]["status"] != 200] == []
        return [entry["body"] for entry in journal]


def config_of(gemini: Gemini, openai: OpenAIEmulator, anthropic: Emulator) -> dict[str, Any]:
    """Return the configuration of a gateway before the emulators, with a store in its own memory."""
    strict = {"model": f"gemini/{GEMINI_MODEL}", "api_key": "emulated", "api_base": gemini.api_base}
    gpt = {"model": "openai/gpt-4.1", "api_key": "emulated", "api_base": openai.base_url}
    claude = {"api_key": "emulated", "api_base": anthropic.base_url}
    return {
        "model_list": [
            {"model_name": GEMINI, "litellm_params": strict},
            {"model_name": GEMINI_AS_CLAUDE, "litellm_params": strict},
            {"model_name": GPT, "litellm_params": gpt},
            {"model_name": GPT_AS_CLAUDE, "litellm_params": gpt},
            *(
                {"model_name": name, "litellm_params": {"model": f"anthropic/{name}", **claude}}
                for name in CLAUDES
            ),
        ],
        "general_settings": {"drain_delay": 0, "drain_grace": 2},
        "router_settings": {"num_retries": 0, "cooldown_time": 0},
    }
