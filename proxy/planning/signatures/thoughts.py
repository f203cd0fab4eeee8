"""Puts thoughts back into a history, for the model that had them.

Claude signs its thoughts, and wants those of an open turn back unchanged and in their places: "`thinking` or
`redacted_thinking` blocks in the latest assistant message cannot be modified" (claude-code#19539). Most chat clients
keep neither. For each assistant message the first row that holds decides:

    stored, of this very turn      had here                        restored with their places
                                   had elsewhere                   withheld
    stored, of another turn        the text or a call has changed  withheld
    not stored                     made elsewhere by its id        withheld
                                   the client brought some         carried: their origin is unknown
                                                                   until they are refused

Where a message of the open turn has lost its thoughts, the thoughts of the whole open turn are left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from proxy.core.chat_request import ChatRequest
from proxy.core.deployment import Deployment
from proxy.core.json_text import write_json
from proxy.core.source import ANTHROPIC_MESSAGES
from proxy.planning.compact.hash_chain import HashChain
from proxy.planning.signatures.client_ids import tag_in
from proxy.planning.signatures.origins import tag_of
from proxy.planning.signatures.restoring import CARRIED, RESTORED, WITHHELD
from proxy.state.kept_thoughts import Called, StoredThoughts
from proxy.upstream.dialects.claude_models import claude_of
from sanitizers import Message, Messages
from sanitizers.messages import function_of, tool_calls_of
from sanitizers.outline import Outline
from sanitizers.signed_thoughts import is_readable_thought
from sanitizers.work_limit import metered

BLOCKS = "thinking_blocks"
_THOUGHTS = frozenset({"redacted_thinking", "thinking"})
_MAX_TEXTS = 64
"""The most answers without calls whose thoughts are looked up, the newest ones."""


def wants_thoughts(request: ChatRequest, deployment: Deployment) -> bool:
    """Tell whether the model of *deployment* thinks in its answer to *request*, so that it wants its thoughts back.

    A client of Anthropic's own format has them itself.
    """
    if request.source is not None and request.source.format == ANTHROPIC_MESSAGES:
        return False
    effort = request.parameters.get("reasoning_effort") or deployment.defaults.get("reasoning_effort")
    if effort not in (None, "none") or "thinking" in deployment.extra_body:
        return True
    if "thinking" in request.unknown and "thinking" in deployment.allowed_openai_params:
        return True
    claude = claude_of(deployment.model_id)
    return claude is not None and claude.always_thinks


def thought_keys(messages: Messages, tenant: str) -> dict[int, str]:
    """Return the key of each assistant message of *messages* whose thoughts *tenant*'s store may have, by its index."""
    keys: dict[int, str] = {}
    texts: list[int] = []
    for at, message in enumerate(metered(messages)):
        if message["role"] != "assistant":
            continue
        calls = tool_calls_of(message)
        if not calls:
            texts.append(at)
        elif isinstance(call_id := calls[0].get("id"), str) and tag_in(call_id) is not None:
            keys[at] = call_id
    if texts:
        chain = HashChain(messages, tenant)
        keys |= {at: chain[at + 1].hex() for at in texts[-_MAX_TEXTS:]}
    return keys


def key_of_text(messages: Messages, text: str, tenant: str) -> str:
    """Return the key of the thoughts of an answer without calls that says *text* to *messages*."""
    said = {"role": "assistant", "content": text}
    return HashChain([*messages, said], tenant)[-1].hex()


def restore_thoughts(
    messages: Messages, kept: Mapping[int, StoredThoughts], origin: str, *, are_ours: bool = False
) -> tuple[Messages, defaultdict[str, int]]:
    """Return *messages* with the thoughts that *origin* had or may have had, and counts by outcome.

    *kept* has the stored thoughts by the ``id`` of their message object. With *are_ours*, the proxy itself has put the
    client's thoughts into the messages, so that their places count too. Without changes, *messages* is returned.
    """
    counts: defaultdict[str, int] = defaultdict(int)
    made: list[Message] | None = None
    lost: list[int] = []
    for at, message in enumerate(metered(messages)):
        if message["role"] != "assistant":
            continue
        stored = kept.get(id(message))
        if stored is None and BLOCKS not in message:
            if _is_made_by(message, origin):
                lost.append(at)
            continue
        blocks = _blocks_of(message, stored, origin, counts, are_ours=are_ours)
        if blocks is None:
            lost.append(at)
        new = _with_blocks(message, blocks)
        if new is not message:
            made = list(messages) if made is None else made
            made[at] = new
    settled = messages if made is None else made
    start = _open_turn(settled)
    if any(at >= start for at in lost):
        settled = _without_thoughts(settled, start, counts)
    return settled, counts


def leave_out_thoughts(messages: Messages, outline: Outline | None = None) -> tuple[Messages, int]:
    """Return *messages*, for a provider that has no such thoughts, without those beside calls of the proxy's own ids.

    The client got them here, with the answer of another provider. Those of any other turn are the client's own, and
    meant for the server that it names. The second value is the number of messages that lost thoughts.
    """
    indexes: Sequence[int] = range(len(messages))
    if outline is not None and outline.describes(messages):
        indexes = outline.odd
    made: list[Message] | None = None
    count = 0
    for at in metered(indexes):
        message = messages[at]
        if BLOCKS not in message or not any(tag_in(call.id) is not None for call in _calls_of(message)):
            continue
        made = list(messages) if made is None else made
        made[at] = _with_blocks(message, None)
        count += 1
    return (messages if made is None else made), count


def _blocks_of(
    message: Message,
    stored: StoredThoughts | None,
    origin: str,
    counts: defaultdict[str, int],
    *,
    are_ours: bool,
) -> list[dict[str, Any]] | None:
    """Return the blocks that go with *message*, or None where its thoughts are lost or belong elsewhere."""
    if stored is not None:
        found = stored.entries_for(_text_of(message), _calls_of(message)) if stored.origin == origin else None
        counts[WITHHELD if found is None else RESTORED] += 1
        return found
    brought = message.get(BLOCKS)
    is_read = is_readable_thought if are_ours else _is_thought
    thoughts = [block for block in metered(brought) if is_read(block)] if isinstance(brought, list) else []
    if not thoughts:
        return []
    tags = {tag_in(call.id) for call in _calls_of(message)} - {None, tag_of(origin)}
    counts[WITHHELD if tags else CARRIED] += 1
    return None if tags else thoughts


def _with_blocks(message: Message, blocks: Sequence[dict[str, Any]] | None) -> Message:
    given = message.get(BLOCKS)
    if blocks and any(map(_is_thought, blocks)):
        return message if given == blocks else {**message, BLOCKS: list(blocks)}
    if BLOCKS not in message:
        return message
    return {name: value for name, value in message.items() if name != BLOCKS}


def _without_thoughts(messages: Messages, start: int, counts: defaultdict[str, int]) -> Messages:
    bare = list(messages)
    for at in range(start, len(bare)):
        if BLOCKS in bare[at]:
            bare[at] = _with_blocks(bare[at], None)
            counts[WITHHELD] += 1
    return bare


def _open_turn(messages: Messages) -> int:
    """Return the index behind the last user message, where the open turn begins."""
    for at in range(len(messages) - 1, -1, -1):
        if messages[at]["role"] == "user":
            return at + 1
    return 0


def _is_made_by(message: Message, origin: str) -> bool:
    """Tell whether the calls of *message* have ids that the proxy made for answers of *origin*."""
    calls = tool_calls_of(message)
    first = calls[0].get("id") if calls else None
    return isinstance(first, str) and tag_in(first) == tag_of(origin)


def _is_thought(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") in _THOUGHTS


def _text_of(message: Message) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    return "".join(
        part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)
    )


def _calls_of(message: Message) -> list[Called]:
    calls = []
    for call in tool_calls_of(message):
        function, call_id = function_of(call), call.get("id")
        name, arguments = function.get("name"), function.get("arguments")
        if not isinstance(arguments, str):
            arguments = "{}" if arguments is None else write_json(arguments).decode()
        calls.append(
            Called(
                call_id if isinstance(call_id, str) else "", name if isinstance(name, str) else "", arguments
            )
        )
    return calls
