"""Rules for whole histories that single providers have. Each yields the provider's words.

Sources. Perplexity: api-discussion#265, OpenManus#580, litellm#3918. MiniMax: openclaw#19386, MiniMax-M2#51.
Databricks: litellm#31633. Kimi: picoclaw#588, pi#4178. Thinking Claude: mastra#7507, llm.js#30, openai-agents#1704.
xAI: crush#964. Moonshot: FastGPT#3575.
"""

from collections.abc import Iterator
from itertools import pairwise

from tests.support.compatible_emulator.rules import Body


def perplexity_turns(body: Body) -> Iterator[str]:
    """Refuse two turns of one role, a late system message, and a last message that is not the user's."""
    roles = [message["role"] for message in body["messages"]]
    while roles and roles[0] == "system":
        roles.pop(0)
    if any(role not in ("user", "assistant") for role in roles) or any(a == b for a, b in pairwise(roles)):
        yield "After the (optional) system message(s), user and assistant roles should be alternating."
    if not roles or roles[-1] != "user":
        yield "Last message must have role `user`."


def one_system(body: Body) -> Iterator[str]:
    """Refuse a second system message."""
    if sum(message["role"] == "system" for message in body["messages"]) > 1:
        yield "invalid chat setting"


def one_call(body: Body) -> Iterator[str]:
    """Refuse a message with several calls."""
    if any(len(message.get("tool_calls") or ()) > 1 for message in body["messages"]):
        yield "Multiple tool calls are not supported.\n"


def kimi_thoughts(body: Body) -> Iterator[str]:
    """Refuse calls without the thoughts before them. An empty text counts as missing."""
    if (body.get("thinking") or {}).get("type") == "disabled":
        return
    for index, message in enumerate(body["messages"]):
        if message.get("tool_calls") and not message.get("reasoning_content"):
            yield (
                "thinking is enabled but reasoning_content is missing in assistant tool call message "
                f"at index {index}"
            )


def thinking_claude(body: Body) -> Iterator[str]:
    """Refuse what Claude's extended thinking excludes."""
    thinking = body.get("thinking") or {}
    if thinking.get("type") != "enabled":
        return
    if thinking["budget_tokens"] >= body.get("max_tokens", 0):
        yield "`max_tokens` must be greater than `thinking.budget_tokens`."
    choice = body.get("tool_choice")
    if isinstance(choice, dict) or choice == "required":
        yield "Thinking may not be enabled when tool_choice forces tool use."
    if body.get("temperature") not in (None, 1):
        yield "`temperature` may only be set to 1 when thinking is enabled."
    last = [message for message in body["messages"] if message["role"] == "assistant"][-1:]
    if body["messages"][-1]["role"] == "tool" and last and not isinstance(last[0].get("content"), list):
        yield "Expected `thinking` or `redacted_thinking`, but found `tool_use`."


def empty_contents(body: Body) -> Iterator[str]:
    """Refuse a message with neither content nor calls."""
    if any(not message.get("content") and not message.get("tool_calls") for message in body["messages"]):
        yield "Each message must have at least one content element."
