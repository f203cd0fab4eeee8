"""Checks messages of the role `system` inside `messages`, which models take from 4.8 on.

Sources: the refusal by other models, ChainForge#271, one-api#1135. The places are those of Anthropic's page on system
messages within a conversation: directly after a user message, or after an assistant's that ends in a server tool, and
last or before an assistant's. The texts on places are made up in the manner of the others.
"""

from collections.abc import Iterator
from typing import Any

from tests.support.anthropic_emulator.models import Claude
from tests.support.anthropic_emulator.pairing import blocks_of
from tests.support.anthropic_emulator.shapes import SERVER_RESULTS

SYSTEM_ROLE = (
    'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, '
    'not "system" as an input message role.'
)
BEFORE = "messages.{index}: a `system` message must directly follow a `user` message"
BEHIND = "messages.{index}: a `system` message must be last or be followed by an `assistant` message"


def inline_faults(messages: list[dict[str, Any]], model: Claude) -> Iterator[str]:
    """Yield the error text of each `system` message that *model* does not take, or not at its place."""
    for index, message in enumerate(messages):
        if message["role"] != "system":
            continue
        if not model.takes_inline_system:
            yield SYSTEM_ROLE
        if index == 0 or not _may_precede(messages[index - 1]):
            yield BEFORE.format(index=index)
        if index + 1 < len(messages) and messages[index + 1]["role"] != "assistant":
            yield BEHIND.format(index=index)


def _may_precede(message: dict[str, Any]) -> bool:
    if message["role"] == "user":
        return True
    blocks = blocks_of(message)
    return message["role"] == "assistant" and bool(blocks) and blocks[-1]["type"] in SERVER_RESULTS
