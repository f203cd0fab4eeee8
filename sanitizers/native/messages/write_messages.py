"""Write chat messages as the ``system`` field and the messages of Anthropic's Messages API.

The results of a turn stand in one user message, in the order of their calls, before what the user says next: "ids were
found without `tool_result` blocks immediately after" otherwise (hermes-agent#65369). Messages of one side in a row are
one message, as Anthropic itself joins them.
"""

from __future__ import annotations

from sanitizers.errors import Unrepairable
from sanitizers.messages import SYSTEM_ROLES, Message, Messages, tool_calls_of
from sanitizers.native.messages.write_blocks import message_blocks, result_block
from sanitizers.native.messages.write_turn import turn_blocks
from sanitizers.native.protocol import Item
from sanitizers.profiles import Profile
from sanitizers.record import record
from sanitizers.work_limit import metered

REMINDER = "<system-reminder>\n{}\n</system-reminder>"
"""A later system message as a user's text, for models that take none. Claude Code writes its own in this form."""


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
    try:
        for message in metered(messages):
            writer.write(message)
        writer.end_results()
    except Unrepairable as error:
        place = f"messages[{writer.at}]"
        raise Unrepairable(
            f"'{place}': {error.message}", rule=error.rule, param=place, index=writer.at
        ) from None
    return WrittenMessages(writer.system or None, writer.messages)


class _Writer:
    def __init__(self, profile: Profile) -> None:
        self._takes_systems = profile.system_anywhere
        self._results: list[Item] = []
        self.at = -1  # the index of the message that is written
        self._call_order: dict[str, int] = {}
        self.system: list[Item] = []
        self.messages: list[Item] = []

    def write(self, message: Message) -> None:
        self.at += 1
        role = message["role"]
        if role == "tool":
            self._results.append(result_block(message))
            return
        if self._results:
            self.end_results()
        if role == "assistant":
            self._call_order = {call.get("id") or "": at for at, call in enumerate(tool_calls_of(message))}
            self._add(role, turn_blocks(message))
        elif role in SYSTEM_ROLES:
            self._write_system(message_blocks(message))
        else:
            self._add("user", message_blocks(message))

    def end_results(self) -> None:
        """Write the results that were collected since the last turn of the model, in the order of its calls."""
        order, last = self._call_order, len(self._call_order)
        results = self._results
        if len(results) > 1:
            results.sort(key=lambda result: order.get(result["tool_use_id"], last))
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
    return {**block, "text": REMINDER.format(block["text"])} if block["type"] == "text" else block
