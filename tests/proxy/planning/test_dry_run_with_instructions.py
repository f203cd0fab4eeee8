"""Tests of dry runs with the operator's instructions: their plans, and what a client may see of them."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.source import ResponsesRequest
from proxy.ingress.openai_responses.fields import read_fields
from proxy.ingress.openai_responses.read_request import to_chat
from proxy.planning.describe_dry_run import describe_dry_run
from proxy.planning.dry_run import DryRun, DryRunInput, run_dry
from proxy.planning.plan import plan_request
from proxy.planning.plan_target import plan_target
from proxy.state.repairs.repair_key import LearnedRepair, RepairKey
from tests.proxy.inspector.looking import parse
from tests.proxy.planning.budgets.shapes import LOCAL, agent, facts_for
from tests.proxy.planning.compact.memories import TEXT, memory_of
from tests.proxy.planning.operator_texts import OWN, SHOWN, WORDS, words_in
from tests.proxy.planning.test_plan import target_of
from tests.proxy.upstream.deployments import deployment_of
from tests.support.builders import system, tool, user
from tests.support.proxied import settings_of

PLAIN = [user("Hello.")]
NO_SYSTEM = LearnedRepair(
    RepairKey("system_role", "", "system role not supported", loosens=False), 0.8, 5.0, 0.0, 0.0, False, False
)


def dry(history: list[dict[str, Any]], mode: str = "repair", window: int = 200_000, **given: Any) -> DryRun:
    """Return the dry run of *history* with the instructions."""
    given = {"instructions": OWN, **given}
    return run_dry(DryRunInput(parse(history), target_of(mode), facts_for(LOCAL, window), **given))


@pytest.mark.parametrize("mode", ["repair", "observe", "strict", "off"])
def test_instructions_are_the_first_change_in_every_mode(mode: str) -> None:
    """The verdict is that of a request that is changed by a setting of its own."""
    described = describe_dry_run(dry([system("Be kind."), *PLAIN], mode))

    assert described["body"]["messages"] == [system(OWN.text), system("Be kind."), *PLAIN]
    assert (described["verdict"], described["summary"]) == ("repaired", "instructions=1")


def test_dry_run_is_the_plan_of_a_sent_request() -> None:
    """The history, the changes and the tokens are those of a plan with the same instructions."""
    history = agent(30)
    sent = plan_request(
        parse(history), target_of(), facts=facts_for(window=9_000), instructions=OWN, count=True
    )
    run = dry(history, window=9_000)

    assert run.sent == sent
    assert run.changes[0].step == "instructions"
    assert {change.step for change in run.changes} == {"instructions", "budget"}
    assert sent.budget is not None
    assert sent.budget.marks is not None
    assert sent.budget.marks.system > len(WORDS)


def test_items_that_a_client_sees_have_no_instructions() -> None:
    """The provider gets their text, as the first item."""
    target = plan_target(
        deployment_of("openai/gpt-4.1", api_key="k"),
        settings_of({"m": "openai/gpt-4.1"}).sanitize,
        lambda *_: frozenset(),
    )
    fields = read_fields(b'{"model":"m","input":"Hi.","instructions":"Theirs."}', max_nesting=9)
    chat = to_chat(fields, fields.items).chat
    run = run_dry(DryRunInput(chat, target, facts_for(LOCAL, 200_000), instructions=OWN))

    assert [item["content"] for item in _items_of(run)] == [OWN.text, "Theirs.", "Hi."]
    assert [item["content"] for item in _items_of(run.for_client())] == [SHOWN, "Theirs.", "Hi."]


def _items_of(run: DryRun) -> Any:
    assert run.sent is not None
    source = run.sent.request.source
    assert source is not None
    assert isinstance(source.native, ResponsesRequest)
    assert source.messages is run.sent.messages
    return source.native.items


def test_instructions_stand_before_a_memory() -> None:
    """Both are in the summary, and the memory replaces messages of the client alone."""
    history = [*agent(20)[:12], user("Now the other test."), *agent(20)[12:]]
    described = describe_dry_run(dry(history, memory=memory_of(2, 33)))

    assert described["summary"] == "instructions=1,compaction=1"
    assert described["body"]["messages"] == [system(OWN.text), *history[:2], user(TEXT), *history[33:]]


def test_request_that_is_refused_shows_no_instructions() -> None:
    """Nothing would be sent, so there is nothing to show."""
    described = describe_dry_run(dry([tool("nobody")]))

    assert (described["verdict"], described["body"], "instructions" in described) == ("refused", None, False)


@pytest.mark.parametrize("learned", [(), (NO_SYSTEM,)], ids=["plain", "repaired"])
@pytest.mark.parametrize("history", [[system("Be kind."), *PLAIN, tool("nobody")], [tool("nobody")]])
@pytest.mark.parametrize("mode", ["repair", "observe", "strict", "off"])
def test_client_sees_the_placeholder_in_every_plan(
    mode: str, history: list[dict[str, Any]], learned: tuple[LearnedRepair, ...]
) -> None:
    """Also the plan without learned repairs has no word of the text. Everything else is as it was.

    The second history cannot be repaired, but some modes send it.
    """
    run = dry(history, mode, learned=learned)
    client = run.for_client()
    plans = [plan for plan in (run.sent, run.repaired, run.shown) if plan is not None]
    hidden = [plan for plan in (client.sent, client.repaired, client.shown) if plan is not None]
    advances = [plan.advance for plan in hidden if plan.advance is not None]

    assert [words_in(str(plan)) for plan in plans] == [[*WORDS]] * len(plans)
    assert words_in(str([*hidden, *(advance.plain for advance in advances)])) == []
    assert bool(advances) is (bool(learned) and history[1:] != [])
    assert (client.sent is client.repaired) is (run.sent is run.repaired)
    assert describe_dry_run(client) == _hidden(describe_dry_run(run))


def _hidden(described: Any) -> Any:
    """Return *described* with the placeholder in place of the text in every string."""
    if isinstance(described, str):
        return described.replace(OWN.text, SHOWN)
    if isinstance(described, dict):
        return {name: _hidden(value) for name, value in described.items()}
    return [_hidden(value) for value in described] if isinstance(described, list) else described


def test_run_without_instructions_is_described_the_same_for_a_client() -> None:
    """There is nothing to hide."""
    run = dry(PLAIN, instructions=None)

    assert run.for_client() == run
