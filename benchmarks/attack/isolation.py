"""Compare what client B gets before and after an attack by client A.

Most attacks have a deployment of their own, and a twin deployment that is never attacked. B's request to the twin shows
what B gets without A. A and B have keys of their own.
"""

from __future__ import annotations

import functools
import re
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.attack import bodies, shares
from benchmarks.attack.child import Program, Provider, deployment, proxy
from benchmarks.attack.goals import STATE
from benchmarks.attack.manners import MARK
from benchmarks.attack.two_clients import (
    KEY_A,
    KEY_B,
    KEY_LIMITED,
    KEY_SPENT,
    LONGEST_S,
    PLACES,
    TWIN,
    Field,
    changed,
    say,
)
from benchmarks.attack.verdicts import Figure

_OPENAI, _GEMINI = "openai/gpt-4.1", "gemini/gemini-3.6-flash"


@dataclass(frozen=True, slots=True)
class Words:
    """An attack by error text: the provider refuses A's requests with *status*, and quotes one of *words*."""

    status: int
    words: tuple[str, ...]
    times: int = 4
    b: bytes = say("Hello.")


_LONG = bodies.CHAT["text over the budget"](400_000)
WORDS: Mapping[str, Words] = {
    "window": Words(
        400,
        (
            "This model's maximum context length is 64000 tokens. However, your messages resulted in 70000 tokens.",
            "prompt is too long: 70000 tokens > 64000 maximum",
            "The input token count (70000) exceeds the maximum number of tokens allowed (64000).",
        ),
        b=_LONG,
    ),
    "window, by a count": Words(400, ("prompt is too long: 900000 tokens > 899999 maximum",), b=_LONG),
    "parked by 404": Words(404, ("No endpoints found that support image input.",)),
    "parked by 403": Words(403, ("Your input was flagged by our moderation.",)),
    "parked by 400": Words(400, ("API key not valid. Please pass a valid API key.",)),
    "circuit, by 500": Words(500, ("The server had an error.",), times=12),
    "circuit, by 503": Words(503, ("The server is overloaded.",), times=12),
    "parameters": Words(
        400,
        ("Unsupported parameter: 'temperature' is not supported with this model.",),
        b=say("Hello.", temperature=0.5),
    ),
}


def manner_of(case: str, status: int) -> str:
    """Return the name of the provider's behaviour in *case*: it refuses with *status*."""
    return f"refuse{status}.{re.sub('[^a-z0-9]', '-', case)}"


def config(provider: Provider, *, cooldown_s: float = 5) -> dict[str, Any]:
    """Return the settings: two clients, and a deployment and its twin for each attack."""
    models = []
    manners = {case: manner_of(case, one.status) for case, one in WORDS.items()}
    manners |= {
        "refusal": "refuse400.refusal",
        "retries": "once.retries",
        "places": "never",
        "ok": "ok.isolation",
    }
    for name, manner in manners.items():
        models.append(deployment(name, _OPENAI, provider.base(manner)))
        models.append(deployment(f"{name}{TWIN}", _OPENAI, provider.base(f"{manner}{TWIN}")))
        if name in WORDS:  # a deployment that is left alone is asked all the same where there is no other
            models += [deployment(f"{name}{end}", _OPENAI, provider.base("ok.spare")) for end in ("", TWIN)]
    models.append(deployment("signed", _GEMINI, provider.base("signed", "/v1beta")))
    models.append(deployment("gemini", "gemini/gemini-2.5-flash", provider.base("ok.images", "/v1beta")))
    return {
        "model_list": models,
        "router_settings": {"timeout": LONGEST_S, "num_retries": 2, "cooldown_time": cooldown_s},
        "general_settings": {
            "keys": [
                {"name": "a", "key": KEY_A},
                {"name": "b", "key": KEY_B},
                {"name": "limited", "key": KEY_LIMITED, "rpm_limit": 1, "tpm_limit": 1_000_000},
                {"name": "spent", "key": KEY_SPENT, "max_budget": 0.00805, "budget_duration": "30d"},
            ],
            "max_in_flight": PLACES,
            "media": {"fetch": True, "timeout": 4},
            "drain_delay": 0,
            "drain_grace": 0,
        },
        "store": {"memory_mib": 1},
    }


def attack_by_words(field: Field, case: str, attack: Words) -> str:
    """Let A cause the provider's refusals, and return what changes for B."""
    manner = manner_of(case, attack.status)
    before = field.meet(f"{case}{TWIN}", attack.b, f"{manner}{TWIN}")
    for words in attack.words:
        for at in range(attack.times):
            field.ask(KEY_A, bodies.chat(case, say(f"{MARK} {at} <<{words}>>", temperature=0.5)))
    return changed(before, field.meet(case, attack.b, manner))


def run(directory: Path, provider: Provider, seconds: float, *, wanted: str) -> list[Figure]:
    """Return a figure for each attack: 1 if A changes what B gets, else 0."""
    until = time.monotonic() + seconds
    attacks: dict[str, Callable[[Field], str]] = {
        case: functools.partial(attack_by_words, case=case, attack=one) for case, one in WORDS.items()
    }
    program = Program(module=(sys.executable, "-m", "benchmarks.attack.open_media"))
    figures = []
    for cooldown_s, group in ((5, attacks), (5, shares.ATTACKS), (0, shares.WITHOUT_CIRCUITS)):
        chosen = [(case, one) for case, one in group.items() if wanted in f"{STATE.key} {case}"]
        if not chosen:
            continue
        with proxy(directory, config(provider, cooldown_s=cooldown_s), program) as running:
            field = Field(running, provider)
            field.ask(KEY_B, bodies.chat("ok", say("Hello.")))
            for case, one in chosen:
                if time.monotonic() > until:
                    figures.append(Figure(STATE, case, None, "no time was left"))
                    continue
                said = one(field)
                figures.append(Figure(STATE, case, float(bool(said)), said))
            running.kill()
    return figures
