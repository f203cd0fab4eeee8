"""Judges a Messages request by Anthropic's rules, with Anthropic's own error texts.

The proxy has its own invariant checker. This judge shares no code with that checker. So an error in either of them
shows up as a disagreement. The checks run in this order: headers, shape, model, parameters, tools, then the
conversation. The module of each check holds the error texts and their sources. Error texts marked as from memory follow
the pattern of similar error texts.

Known to be legal, and so accepted: neighbouring messages of one role (the API reads them as one) and an empty `content`
of a result. So are texts after the results of a user message, thinking blocks while thinking is off, and results in any
order.
"""

from collections.abc import Iterator
from typing import Any

from tests.support.anthropic_emulator.caching import cache_faults
from tests.support.anthropic_emulator.errors import Refusal
from tests.support.anthropic_emulator.fields import EXTRA, field_faults
from tests.support.anthropic_emulator.images import image_faults
from tests.support.anthropic_emulator.inline_system import inline_faults
from tests.support.anthropic_emulator.models import Claude, find_model
from tests.support.anthropic_emulator.pairing import pairing_faults
from tests.support.anthropic_emulator.placing import placing_faults
from tests.support.anthropic_emulator.server_tools import server_tool_faults
from tests.support.anthropic_emulator.terms import Terms, term_faults
from tests.support.anthropic_emulator.texts import text_faults
from tests.support.anthropic_emulator.thinking import thinking_faults
from tests.support.anthropic_emulator.tools import tool_faults

NO_JSON = "The request body is not valid JSON: expected value at line 1 column 1"
RANGE = "{name}: range: 0..1"
BOTH = "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
DEPRECATED = "`{name}` is deprecated for this model."
BLANK_STOP = "stop_sequences: each stop sequence must contain non-whitespace"
TOO_MANY_TOKENS = (
    "max_tokens: {given} > {most}, which is the maximum allowed number of output tokens for {model}"
)
EFFORT = "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'"
EFFORTS = ("low", "medium", "high", "xhigh", "max")
OLD_TERMS = Terms()


def judge_anthropic(body: Any, terms: Terms = OLD_TERMS, *, is_counted: bool = False) -> Refusal | None:
    """Return the first fault that Anthropic would report, or None if Anthropic accepts the request.

    *terms* are what the headers say. With *is_counted*, the request asks for its number of tokens.
    """
    if not isinstance(body, dict):
        return Refusal(NO_JSON)
    for words in field_faults(body, terms, is_counted=is_counted):
        return Refusal(words)
    model = find_model(body["model"])
    if model is None:
        return Refusal(f"model: {body['model']}", 404)
    for words in _faults(body, model, terms):
        return Refusal(words)
    return None


def _faults(body: dict[str, Any], model: Claude, terms: Terms) -> Iterator[str]:
    yield from term_faults(body, terms)
    yield from _parameter_faults(body, model)
    yield from tool_faults(body)
    yield from cache_faults(body, terms)
    yield from inline_faults(body["messages"], model)
    yield from text_faults(body, model)
    yield from image_faults(body["messages"])
    yield from pairing_faults(body["messages"])
    yield from server_tool_faults(body["messages"])
    yield from thinking_faults(body, model)
    yield from placing_faults(body["messages"])


def _parameter_faults(body: dict[str, Any], model: Claude) -> Iterator[str]:
    for name in ("temperature", "top_p"):
        value = body.get(name)
        if value is not None and not 0 <= value <= 1:
            yield RANGE.format(name=name)
    for name in ("temperature", "top_p", "top_k"):
        if body.get(name) is not None and not model.takes_sampling:
            yield DEPRECATED.format(name=name)
    given = [name for name in ("temperature", "top_p") if body.get(name) is not None]
    if len(given) == 2 and not model.takes_temperature_and_top_p:
        yield BOTH
    if any(not stop.strip() for stop in body.get("stop_sequences") or ()):
        yield BLANK_STOP
    if body.get("max_tokens", 0) > model.max_tokens:
        yield TOO_MANY_TOKENS.format(given=body["max_tokens"], most=model.max_tokens, model=body["model"])
    if "context_management" in body and not model.takes_context_management:
        yield EXTRA.format(path="context_management")
    effort = (body.get("output_config") or {}).get("effort")
    if effort is not None and effort not in EFFORTS:
        yield EFFORT
