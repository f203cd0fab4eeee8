"""Finds the faults of a request by a provider's rules, in the order of the body."""

from typing import Any

from tests.support.compatible_emulator.faults import Fault
from tests.support.compatible_emulator.rules import LIMITS, Body, Faults, Rules

CALL_FIELDS = frozenset({"id", "type", "function", "index"})
FUNCTION_FIELDS = frozenset({"name", "arguments"})
_MARK = "cache_control"


def faults_of(body: Body, rules: Rules) -> Faults:
    """Yield every fault in a body whose types are those of OpenAI's format."""
    yield from _fields(body, rules)
    yield from _values(body, rules)
    if not rules.tool_marks and any(_MARK in tool for tool in body.get("tools") or ()):
        yield Fault("field", f"tools[].{_MARK}")
    for index, message in enumerate(body["messages"]):
        yield from _message(index, message, rules)
    for rule in rules.histories:
        for words in rule(body):
            yield Fault("words", words)


def _fields(body: Body, rules: Rules) -> Faults:
    for name in body:
        if (
            name in rules.refused
            or (name in LIMITS and name not in rules.limits)
            or (rules.fields is not None and name not in rules.fields)
        ):
            yield Fault("field", name)
    if len(LIMITS & body.keys()) > 1:
        yield Fault(
            "words", "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."
        )


def _values(body: Body, rules: Rules) -> Faults:
    for name, (low, high) in rules.ranges.items():
        if body.get(name) is not None and not low <= body[name] <= high:
            yield Fault("value", name)
    for name, (only, words) in rules.fixed.items():
        if body.get(name) not in (None, only):
            yield Fault("words", words)
    choice = body.get("tool_choice")
    if choice is not None:
        kind = choice if isinstance(choice, str) else "named"
        if kind not in rules.choices:
            yield Fault("words", rules.choice_words)
    effort = body.get("reasoning_effort")
    if effort is not None and rules.efforts is not None and effort not in rules.efforts:
        yield Fault("words", rules.effort_words)


def _message(index: int, message: dict[str, Any], rules: Rules) -> Faults:
    role = message["role"]
    if role not in rules.roles:
        yield Fault("role", role, index)
    for name in message:
        known = rules.message_fields is None or name in rules.message_fields
        if not known or (name == "name" and role not in rules.named_roles):
            yield Fault("message_field", name, index, role)
    content = message.get("content")
    if isinstance(content, list):
        yield from _parts(index, message, content, rules)
    if rules.message_fields is not None:
        for call in message.get("tool_calls") or ():
            for name in sorted((call.keys() - CALL_FIELDS) | (call["function"].keys() - FUNCTION_FIELDS)):
                yield Fault("message_field", f"tool_calls.{name}", index, role)


def _parts(index: int, message: dict[str, Any], content: list[Any], rules: Rules) -> Faults:
    role = message["role"]
    is_text = all(part["type"] == "text" for part in content)
    if (is_text and not rules.text_lists) or (role == "tool" and not rules.result_lists):
        yield Fault("words", f"messages[{index}]: invalid type: sequence, expected a string")
    if not rules.part_marks and any(_MARK in part for part in content):
        yield Fault("message_field", _MARK, index, role)
