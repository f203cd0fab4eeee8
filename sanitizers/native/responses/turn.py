"""The model's open turn: everything that it said between two items of the client's, in any order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sanitizers.merging import SEPARATOR
from sanitizers.messages import Message


@dataclass(slots=True)
class OpenTurn:
    """One turn while its items are read. It becomes one assistant message, and one tool message for each of *results*.

    A model may think, speak and call in any order, also speak after its calls (gpt-5.3-codex-spark). A turn that was
    cut there would lose its results (cursor-byok#307).
    """

    texts: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    calls: list[Message] = field(default_factory=list)
    results: list[Message] = field(default_factory=list)
    """The results of calls that the server ran, which came with their calls."""

    thoughts: dict[str, int] = field(default_factory=dict)
    """The thoughts, each once, with the index of the item that holds them."""

    signatures: dict[str, str] = field(default_factory=dict)
    text_signature: str | None = None
    signed_at: int | None = None
    """The index of the last item with an envelope that holds a signature."""

    def say(self, text: str, refusal: str) -> None:
        """Add the words of one assistant message, which may be empty."""
        if refusal:
            self.refusals.append(refusal)
        if text or not refusal:
            self.texts.append(text)

    def add_signatures(self, signatures: Mapping[str, str], text_signature: str | None, index: int) -> None:
        """Add what the envelope of the item at *index* holds."""
        self.signatures.update(signatures)
        self.text_signature = text_signature or self.text_signature
        if signatures or text_signature:
            self.signed_at = index

    def messages(self) -> list[Message]:
        """Return the messages of the turn. Thoughts alone make none, and neither does an empty turn."""
        if not (self.texts or self.refusals or self.thoughts or self.signatures or self.results):
            return [{"role": "assistant", "content": None, "tool_calls": self.calls}] if self.calls else []
        if not (self.texts or self.refusals or self.calls):
            return []
        said = [text for text in self.texts if text]
        content = SEPARATOR.join(said) if said or (self.texts and not self.calls) else None
        message: Message = {"role": "assistant", "content": content}
        if self.refusals:
            message["refusal"] = SEPARATOR.join(self.refusals)
        if self.thoughts:
            message["reasoning_content"] = SEPARATOR.join(self.thoughts)
        if self.calls:
            message["tool_calls"] = [signed(call, self.signatures.get(call["id"])) for call in self.calls]
        elif said:
            signed(message, self.text_signature)
        return [message, *self.results]

    def take_calls(self) -> list[Message] | None:
        """Return the message of a turn that holds calls alone, and empty the turn. None stands for any other turn.

        Most turns of an agent are such turns, and a new object for each would cost a third of their reading.
        """
        if self.texts or self.refusals or self.thoughts or self.signatures or self.results or not self.calls:
            return None
        if self.signed_at is not None:
            return None
        made: list[Message] = [{"role": "assistant", "content": None, "tool_calls": self.calls}]
        self.calls = []
        return made

    def lost_at(self) -> list[int]:
        """Return the indexes of the items with thoughts or signatures, which are lost where the turn has no message."""
        lost = {*self.thoughts.values()}
        if self.signed_at is not None:
            lost.add(self.signed_at)
        return sorted(lost)


def signed(holder: Message, signature: str | None) -> Message:
    """Return *holder*, a new message or call, with *signature* in the field of Google's OpenAI endpoint."""
    if signature:
        holder["extra_content"] = {"google": {"thought_signature": signature}}
    return holder
