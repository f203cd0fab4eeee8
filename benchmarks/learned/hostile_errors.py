"""``python -m benchmarks.learned.hostile_errors``: what providers' errors teach that quote a hostile client.

Each of 10,000 errors refuses a random request. It quotes texts of the request that look like refusals: words of any
row, other parameters, long lists, JSON, odd letters. Most errors also name a fault in the provider's own words. The
decision code reads the error, repairs the request and names the repairs. Sixteen conversations then confirm them, which
is enough for each repair. So every named repair is made in advance for other requests, where they have its feature.

The measurement knows the provider's own words: the error without its quotations. These are violations:

    model      a repair that is found for another model, or for the same model at another address
    parameter  a parameter that is changed in advance, and that the own words would not change in the same way. Or the
               refused request did not have it, or had it with another value and only that value was refused
    schema     tools, or an answer's form, that are changed in advance, and differ from those of the refused request
    user text  a user's message that is changed in advance, and that the repair after the same refusal would not change
    quotation  a named repair whose fault, parameter or field the own words do not name

A name that the provider puts into its own sentence counts as the provider's. No text is a short phrase of the table
alone, such as ``any_of``, or a field's name such as ``tool_calls``. Nobody can tell its quotation from the provider's
word. The measurement also fails where too few errors teach something, since it would then find nothing.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.learned.error_texts import ErrorTexts, HostileTexts
from benchmarks.learned.refused_requests import RandomRequests, Request, user_texts_of
from proxy.config import resolve
from proxy.core.chat_request import ChatRequest
from proxy.planning.learned.features import NAMED_FAULTS
from proxy.planning.learned.name_repairs import name_repairs
from proxy.planning.learned.repair_in_advance import repair_in_advance
from proxy.planning.plan import Plan
from proxy.planning.repairs import repair_request
from proxy.planning.repairs.draft import Draft
from proxy.planning.repairs.repair_table import TABLE
from proxy.planning.repairs.use_repaired import use_repaired
from proxy.resilience.failure_table import NO_CHATS
from proxy.resilience.read_error import ProviderError
from proxy.resilience.request_words import RequestWords
from proxy.state.repairs.evidence import MAX_CONVERSATIONS
from proxy.state.repairs.learned_repairs import LearnedRepairs
from proxy.state.repairs.repair_key import RepairKey
from proxy.upstream.dialects.responses_models import NO_FIELD
from sanitizers.messages import Entry
from tests.support.proxied import settings_of

SEED, COUNT = 28, 10_000
VIOLATIONS = ("model", "parameter", "schema", "user text", "quotation")
LEAST_TAUGHT = 0.1
"""The least share of errors that teach something."""

_SETTINGS = settings_of(
    {"here": "openai/m", "other": "openai/n", "elsewhere": {"model": "openai/m", "api_base": "http://h/v1"}}
)
HERE, *ELSEWHERE = (resolve(_SETTINGS, name)[0] for name in ("here", "other", "elsewhere"))

_SCHEMAS = frozenset({"response_format", "tools"})
_NOW = 1_000_000.0


def measure(numbers: Sequence[int], seed: int = SEED) -> Counter[str]:
    """Return the counts of all errors with *numbers*: what was done, and the violations."""
    counts: Counter[str] = Counter()
    for number in numbers:
        counts.update(_Trial(random.Random(f"{seed}-{number}")).results())
    return counts


def plan_of(request: Request) -> Plan:
    """Return the plan of a request that is sent as it is."""
    chat = ChatRequest("m", request.messages, False, False, request.parameters, {}, 1)
    return Plan(chat, HERE, request.profile, "repair", request.messages, None, request.parameters, {}, ())


class _Trial:
    """One refused request, the error, and what follows from it."""

    def __init__(self, draw: random.Random) -> None:
        self._requests = RandomRequests(draw)
        texts = [HostileTexts(draw).draw() for _ in range(draw.randint(1, 3))]
        self._refused = self._requests.refused(texts)
        error = ErrorTexts(draw).draw(texts)
        self._words = RequestWords(self._refused.messages, self._refused.parameters, {})
        self._said, self._own = error.read(self._words), error.read_own()

    def results(self) -> Iterator[str]:
        """Yield the name of each thing that happens, and of each violation."""
        yield "errors"
        plan = plan_of(self._refused)
        repaired = repair_request(plan.messages, plan.parameters, plan.profile, self._said)
        if repaired is None:
            return
        yield "repaired"
        draft = Draft(
            tuple(Entry(message, at) for at, message in enumerate(plan.messages)),
            plan.parameters,
            plan.profile,
        )
        keys = name_repairs(repaired.made, draft, self._said, self._words)
        if not keys:
            return
        yield "taught"
        for key in keys:
            if not self._is_named(key, plan):
                yield "quotation"
        yield from self._in_advance(keys)

    def _is_named(self, key: RepairKey, plan: Plan) -> bool:
        """Return True where the provider's own words name the fault of *key*, and its parameter or field."""
        rows = [row for row in TABLE if row.fault == key.fault]
        if key.fault not in NAMED_FAULTS:
            return any(row.fits(self._own) for row in rows)
        repaired = repair_request(plan.messages, plan.parameters, plan.profile, self._own, table=rows)
        details = [] if repaired is None else [change.detail for change in repaired.changes]
        return key.feature.partition("=")[0] in ",".join(details).split(",")

    def _in_advance(self, keys: Sequence[RepairKey]) -> Iterator[str]:
        """Yield what happens to other requests once *keys* are learned."""
        known = LearnedRepairs(lambda: _NOW)
        for number in range(MAX_CONVERSATIONS):
            known.confirm(HERE, "", keys, f"conversation {number}")
        for deployment in ELSEWHERE:
            if known.find(deployment, ""):
                yield "model"
        learned = [replace(repair, probe_due=False) for repair in known.find(HERE, "")]
        for other in self._requests.others(self._refused):
            yield "other requests"
            plan = plan_of(other)
            advanced = repair_in_advance(plan, learned)
            if advanced is not plan:
                yield "changed in advance"
                yield from self._violations(plan, advanced)

    def _violations(self, plan: Plan, advanced: Plan) -> Iterator[str]:
        after, own = _after_refusal(plan, self._said), _after_refusal(plan, self._own)
        if _changed_texts(plan, advanced) - _changed_texts(plan, after):
            yield "user text"
        for name in {*plan.parameters, *advanced.parameters}:
            if plan.parameters.get(name) == advanced.parameters.get(name):
                continue
            if own.parameters.get(name) != advanced.parameters.get(name) and name not in _SCHEMAS:
                yield "parameter"
            elif name in plan.parameters and not self._concerns(name, plan.parameters):
                yield "schema" if name in _SCHEMAS else "parameter"

    def _concerns(self, name: str, parameters: Mapping[str, Any]) -> bool:
        """Return True where the refusal concerns the parameter *name* of another request with *parameters*."""
        refused = self._refused.parameters
        if self._own.says(" is only allowed when 'tools' are specified", "without function_declarations"):
            return True  # the row drops every setting for tools
        if name in NO_FIELD and self._own.says(*NO_CHATS):
            return True  # the other API has no such field
        if name == "response_format" and self._own.says("with a response mime type"):
            return True  # the row concerns every answer's form beside tools
        if name == "tools":
            return _schemas_in(parameters) == _schemas_in(refused)
        is_of_value = name == "response_format" or self._refuses_value(name)
        return name in refused and (not is_of_value or parameters[name] == refused[name])

    def _refuses_value(self, name: str) -> bool:
        """Return True where the own words refuse the value of the parameter *name*, and not the parameter itself."""
        others = replace(self._own, words=self._own.words.replace(f"unsupported value: '{name}'", ""))
        rows = [row for row in TABLE if row.fault == "parameter"]
        return repair_request([], {name: None}, self._refused.profile, others, table=rows) is None


def _after_refusal(plan: Plan, error: ProviderError) -> Plan:
    repaired = repair_request(plan.messages, plan.parameters, plan.profile, error)
    return plan if repaired is None else use_repaired(plan, repaired)


def _changed_texts(before: Plan, after: Plan) -> Counter[str]:
    """Return the user's messages of *before* that *after* does not have as they were."""
    return Counter(user_texts_of(before.messages)) - Counter(user_texts_of(after.messages))


def _schemas_in(parameters: Mapping[str, Any]) -> list[Any]:
    return [tool["function"]["parameters"] for tool in parameters.get("tools", ())]


def goals(counts: Mapping[str, int]) -> list[tuple[str, bool]]:
    """Return each goal in words, with the figure, and whether the goal is met."""
    errors, taught = counts.get("errors", 0), counts.get("taught", 0)
    zeros = [
        (f"violations, {name}: {counts.get(name, 0):,} (0)", not counts.get(name)) for name in VIOLATIONS
    ]
    enough = errors * LEAST_TAUGHT <= taught <= counts.get("changed in advance", 0)
    return [*zeros, (f"errors that teach something: {taught:,} (at least {LEAST_TAUGHT:.0%})", enough)]


def main() -> int:
    """Print the table, and return 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description="Count what hostile error texts teach.")
    parser.add_argument("--count", type=int, default=COUNT, help="errors (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=SEED, help="seed of all texts (default: %(default)s)")
    options = parser.parse_args()
    counts = measure(range(options.count), options.seed)
    print("| what | number |\n|---|---|")
    for name in ("errors", "repaired", "taught", "other requests", "changed in advance"):
        print(f"| {name} | {counts[name]:,} |")
    judged = goals(counts)
    for words, is_met in judged:
        print(f"{'ok  ' if is_met else 'MISS'} {words}")
    return 0 if all(is_met for _, is_met in judged) else 1


if __name__ == "__main__":
    sys.exit(main())
