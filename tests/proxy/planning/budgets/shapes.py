"""Builders of deployments, of facts about deployments, and of agents' histories of a known size."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from typing import Any

from proxy.config import Settings, resolve
from proxy.core.deployment import Deployment
from proxy.planning.budgets.budget_facts import BudgetFacts, facts_of
from proxy.state.lessons import DeploymentLessons, Learned
from sanitizers import Profile, profile_for
from sanitizers.budget.calibration import Calibration
from sanitizers.budget.estimate import Estimator
from sanitizers.budget.find_family import family_of
from tests.support.builders import assistant, call, system, tool, user
from tests.support.proxied import settings_of

LOCAL = "openai/nobody-knows-it"
"""A model that is in no table and no family."""

GEMINI = "gemini/gemini-2.5-pro"

History = list[dict[str, Any]]


@lru_cache
def _settings(sections: str) -> Settings:
    return settings_of(**json.loads(sections))


@lru_cache
def _plain(model: str) -> Deployment:
    (found,) = resolve(settings_of({"m": model}), "m")
    return found


def deployment_of(
    model: str = LOCAL, *, max_input_tokens: int | None = None, max_output_tokens: int | None = None
) -> Deployment:
    """Return the deployment of *model*, with its ``model_info``."""
    return replace(_plain(model), max_input_tokens=max_input_tokens, max_output_tokens=max_output_tokens)


def facts_for(
    model: str = LOCAL,
    window: int | None = None,
    *,
    live: float = 1.0,
    sticky: float | None = None,
    learned: int | None = None,
    tight: bool = False,
    **budget: Any,
) -> BudgetFacts:
    """Return the facts of a deployment.

    *window* is the operator's window, and *budget* the section ``budget`` of the file. The calibration's factor is
    *live* and counts as observed, so the margin is 8 % with every family.
    """
    calibration = Calibration(live, live if sticky is None else sticky, 1)
    lessons = DeploymentLessons(family_of(model), calibration, None if learned is None else Learned(learned))
    deployment = deployment_of(model, max_input_tokens=window)
    return facts_of(deployment, _settings(json.dumps({"budget": budget})).budget, lessons, tight=tight)


def profile_of_model(model: str = LOCAL) -> Profile:
    """Return the profile of *model*."""
    return profile_for(model)


def output(number: int, characters: int) -> str:
    """Return a tool's output of *characters*, with lines of a test run that differ by *number*."""
    lines: list[str] = []
    length = 0
    while length < characters:
        at = len(lines)
        lines.append(
            f"{number:03d}:{at:04d} checked src/module_{at % 37}/part_{number}.py in {at * 7 % 900} ms\n"
        )
        length += len(lines[-1])
    return "".join(lines)[:characters]


def agent(
    rounds: int, characters: int = 4_000, *, prompt: str = "You are an agent that mends code."
) -> History:
    """Return an agent's history: a goal, and *rounds* rounds of one call with a result of *characters*."""
    history: History = [system(prompt), user("Mend the failing test in src/module_3, please.")]
    for number in range(rounds):
        name = f"call_{number:03d}"
        history.append(assistant(f"I look at part {number}.", [call(name, "run", f'{{"part": {number}}}')]))
        history.append(tool(name, output(number, characters)))
    return history


def tokens(messages: Any, model: str = LOCAL, tools: Any = None) -> int:
    """Return the estimated tokens of a request, without any factor."""
    return Estimator(family_of(model)).request_tokens(messages, tools)
