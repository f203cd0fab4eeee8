"""Write chat messages as the ``system`` field and the messages of Anthropic's Messages API.

The results of a turn stand in one user message, in the order of their calls, before what the user says next: "ids were
found without `tool_result` blocks immediately after" otherwise (hermes-agent#65369). Messages of one side in a row are
one message, as Anthropic itself joins them.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

from sanitizers.errors import Unrepairable
from sanitizers.messages import SYSTEM_ROLES, Message, Messages
from sanitizers.native.messages.write_blocks import message_blocks, result_block
from sanitizers.native.messages.write_turn import turn_blocks, write_call
from sanitizers.native.protocol import Item
from sanitizers.profiles import Profile
from sanitizers.record import record
from sanitizers.synthetic import reminder
from sanitizers.work_limit import metered

_RESULT_OF = itemgetter("tool_use_id")


@record
class WrittenMessages:
    """A history as Anthropic gets it. *system* is None where no system message leads."""

    system: list[Item] | None
    messages: list[Item]


def write_messages(messages: Messages, profile: Profile) -> WrittenMessages:
    """Return *messages*, a history that is legal for *profile*, in Anthropic's form.

    Each leading system message has its blocks in ``system``. A later one stays where it is, as a message with the role
    ``system``. Where the profile has no such messages, it becomes a reminder in the user's words. Raises
    :class:`~sanitizers.errors.Unrepairable`, with the message's index, for a part that Anthropic has no form for.
    """
    writer = _Writer(profile)
    at = 0
    try:
        for at, message in enumerate(metered(messages)):  # noqa: B007 - the index of the error
            writer.write(message)
    except Unrepairable as error:
        place = f"messages[{at}]"
        raise Unrepairable(f"'{place}': {error.message}", rule=error.rule, param=place, index=at) from None
    writer.end_results()
    return WrittenMessages(writer.system or None, writer.messages)


class _Writer:
    def __init__(self, profile: Profile) -> None:
        self._takes_systems = profile.system_anywhere
        self._signs = profile.signed_thoughts or not profile.keeps_thoughts
        self._results: list[Item] = []
        self._calls: Sequence[Message] = ()
        self.system: list[Item] = []
        self.messages: list[Item] = []

    def write(self, message: Message) -> None:
        """Write *message*. Plain messages, which are nearly all, are written here without a further call."""
        role, content, fields = message["role"], message.get("content"), len(message)
        is_text = content.__class__ is str
        if role == "tool":
            if fields == 3 and is_text and content:
                call_id = message.get("tool_call_id") or ""
                result: Item = {"type": "tool_result", "tool_use_id": call_id, "content": content}
            else:
                result = result_block(message)
            self._results.append(result)
            return
        if self._results:
            self.end_results()
        if role == "assistant":
            calls = self._calls = message.get("tool_calls") or ()
            known = 1 + ("content" in message) + ("tool_calls" in message)
            if fields == known and (is_text or content is None):
                blocks: list[Item] = []
                if is_text and content and not content.isspace():
                    blocks.append({"type": "text", "text": content})
                for call in calls:
                    blocks.append(write_call(call))
            else:
                blocks = turn_blocks(message, signs=self._signs)
        elif fields == 2 and is_text and content and not content.isspace():
            blocks = [{"type": "text", "text": content}]
        else:
            blocks = message_blocks(message)
        if role in SYSTEM_ROLES:
            self._write_system(blocks)
        elif blocks:
            written, side = self.messages, "assistant" if role == "assistant" else "user"
            if written and written[-1]["role"] == side:
                written[-1]["content"] += blocks
            else:
                written.append({"role": side, "content": blocks})

    def end_results(self) -> None:
        """Write the results that were collected since the last turn of the model, in the order of its calls."""
        results = self._results
        if not results:
            return
        calls = self._calls
        if len(results) > 1 and [*map(_RESULT_OF, results)] != [call.get("id") for call in calls]:
            order = {call.get("id") or "": at for at, call in enumerate(calls)}
            results.sort(key=lambda result: order.get(result["tool_use_id"], len(order)))
        self._results = []
        self._add("user", results)

    def _write_system(self, blocks: list[Item]) -> None:
        if not self.messages:
            self.system += blocks
        elif self._takes_systems:
            self._add("system", blocks)
        else:
            self._add("user", [remind(block) for block in blocks])

    def _add(self, role: str, blocks: list[Item]) -> None:
        if not blocks:
            return
        last = self.messages[-1] if self.messages else None
        if last is not None and last["role"] == role:
            last["content"] += blocks
        else:
            self.messages.append({"role": role, "content": blocks})


def remind(block: Item) -> Item:
    """Return a text block of a system message as a reminder in a user message."""
    return {**block, "text": reminder(block["text"])} if block["type"] == "text" else block
