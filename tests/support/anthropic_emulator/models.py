"""The differences between the Claude models, read from their names.

Names are `claude-opus-4-6`, `claude-sonnet-4-5-20250929` or, before version 4, `claude-3-7-sonnet-20250219`. Sources:
no prefill from 4.6 on, pipecat's Anthropic adapter; not both `temperature` and `top_p` from 4.1 on, litellm#15097,
otoroshi-llm-extension#140; from 4.7 on only adaptive thinking and no sampling parameters, attune-ai#730; thinking from
3.7 on and `adaptive` from 4.6 on, Anthropic's pages on both, from memory. Haiku 4.5 without `context_management`:
claude-code#59536. The rest: the texts on models in Anthropic's clients.
"""

import re
from dataclasses import dataclass

_NEW = re.compile(r"claude-[a-z]+-(\d{1,2})(?:-(\d{1,2}))?(?:-\d{8}|-latest)?")
_OLD = re.compile(r"claude-(\d)(?:-(\d))?-[a-z]+(?:-\d{8}|-latest)?")


@dataclass(frozen=True, slots=True)
class Claude:
    """The traits of one Claude model, derived from its version."""

    version: tuple[int, int]
    name: str = ""
    """Its family, such as `opus`."""

    @property
    def takes_prefill(self) -> bool:
        """True if the conversation may end with an assistant message."""
        return self.version < (4, 6)

    @property
    def thinking_kinds(self) -> tuple[str, ...]:
        """The values of `thinking.type` that switch thinking on."""
        if self.version < (3, 7):
            return ()
        if self.version < (4, 6):
            return ("enabled",)
        return ("enabled", "adaptive") if self.version < (4, 7) else ("adaptive",)

    @property
    def takes_sampling(self) -> bool:
        """True if `temperature`, `top_p` and `top_k` may be set at all."""
        return self.version < (4, 7)

    @property
    def takes_disabled_thinking(self) -> bool:
        """True if `thinking.type` may be `disabled`."""
        return self.version < (5, 0)

    @property
    def shows_thoughts(self) -> bool:
        """True if thoughts have their text where the request does not say so."""
        return self.version < (4, 7)

    @property
    def takes_inline_system(self) -> bool:
        """True if `messages` may contain the role `system`."""
        return self.version >= (4, 8)

    @property
    def takes_context_management(self) -> bool:
        """True if `context_management` is permitted, with its beta."""
        return self.name != "haiku" or self.version > (4, 5)

    @property
    def max_tokens(self) -> int:
        """The greatest number of tokens of an answer."""
        if self.version < (3, 7):
            return 8192
        if self.version < (4, 6):
            return 32000 if self.name == "opus" and self.version < (4, 5) else 64000
        return 128000

    @property
    def takes_temperature_and_top_p(self) -> bool:
        """True if `temperature` and `top_p` may both be set."""
        return self.version < (4, 1)


def find_model(name: str) -> Claude | None:
    """Return the traits of the model *name*, or None if the name has no Claude model's form."""
    match = _NEW.fullmatch(name) or _OLD.fullmatch(name)
    if match is None:
        return None
    return Claude((int(match[1]), int(match[2] or 0)), _family(name))


def _family(name: str) -> str:
    return next((family for family in ("haiku", "opus", "sonnet") if family in name), "")
