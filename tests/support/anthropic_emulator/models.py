"""The differences between the Claude models, read from their names.

Names are `claude-opus-4-6`, `claude-sonnet-4-5-20250929` or, before version 4, `claude-3-7-sonnet-20250219`. Sources:
no prefill from 4.6 on, pipecat's Anthropic adapter; not both `temperature` and `top_p` from 4.1 on, litellm#15097,
otoroshi-llm-extension#140; from 4.7 on only adaptive thinking and no sampling parameters, attune-ai#730; thinking from
3.7 on and `adaptive` from 4.6 on, Anthropic's pages on both, from memory.
"""

import re
from dataclasses import dataclass

_NEW = re.compile(r"claude-[a-z]+-(\d{1,2})(?:-(\d{1,2}))?(?:-\d{8}|-latest)?")
_OLD = re.compile(r"claude-(\d)(?:-(\d))?-[a-z]+(?:-\d{8}|-latest)?")


@dataclass(frozen=True, slots=True)
class Claude:
    """The traits of one Claude model, derived from its version."""

    version: tuple[int, int]

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
    def takes_temperature_and_top_p(self) -> bool:
        """True if `temperature` and `top_p` may both be set."""
        return self.version < (4, 1)


def find_model(name: str) -> Claude | None:
    """Return the traits of the model *name*, or None if the name has no Claude model's form."""
    match = _NEW.fullmatch(name) or _OLD.fullmatch(name)
    if match is None:
        return None
    return Claude((int(match[1]), int(match[2] or 0)))
