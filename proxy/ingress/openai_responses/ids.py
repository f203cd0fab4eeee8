"""Makes the ids of responses and of their output items.

An id is short, legal and has its type's prefix from the first day, since clients keep ids for ever. OpenAI refuses an
id over 64 characters, one with another prefix, and one with other characters than letters, digits, ``_`` and ``-``
(hermes-agent#73492, codex#33176, langchainjs#11044). An item's id follows from the response's id and the item's place,
so that all events of the item have the same id (litellm#19125).

OpenAI's ids look alike. The last characters of an own id are computed from the others, so that an id that was lost here
is never taken for one of the provider's.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from types import MappingProxyType

RESPONSE_PREFIX = "resp_"
CONVERSATION_PREFIX = "conv_"

ITEM_PREFIXES: Mapping[str, str] = MappingProxyType(
    {
        "apply_patch_call": "apc_",
        "compaction": "cmp_",
        "custom_tool_call": "ctc_",
        "function_call": "fc_",
        "local_shell_call": "lsh_",
        "message": "msg_",
        "reasoning": "rs_",
        "shell_call": "sh_",
    }
)
"""The prefix of an output item's id, by the item's type (OpenAI's API reference, 2026-11)."""

_STEM = 40
_OWN = re.compile(r"(?:resp|conv)_([0-9a-f]{40})([0-9a-f]{8})")
_OWN_ITEM = re.compile(r"[a-z]{2,4}_(?:[0-9a-f]{42}|[0-9a-f]{32})")


def make_response_id(seed: str) -> str:
    """Return the id of a response, 53 characters long. *seed* must differ for each response and be unguessable."""
    return RESPONSE_PREFIX + _checked(seed)


def make_conversation_id(seed: str) -> str:
    """Return the id of a conversation, as :func:`make_response_id` does for a response."""
    return CONVERSATION_PREFIX + _checked(seed)


def is_own_id(id_: str) -> bool:
    """Tell whether *id_* is one that the proxy made for a response, a conversation or an item.

    An item's id is known by its length, which OpenAI's do not have. A client's item without an id gets a shorter one.
    """
    found = _OWN.fullmatch(id_)
    if found is None:
        return _OWN_ITEM.fullmatch(id_) is not None
    return found[2] == _check_of(found[1])


def _checked(seed: str) -> str:
    stem = hashlib.sha256(seed.encode()).hexdigest()[:_STEM]
    return stem + _check_of(stem)


def _check_of(stem: str) -> str:
    return hashlib.sha256(f"turnright {stem}".encode()).hexdigest()[:8]


class ItemIds:
    """Gives the output items of one response their ids."""

    def __init__(self, response_id: str) -> None:
        self._stem = hashlib.sha256(response_id.encode()).hexdigest()[:_STEM]

    def item_id(self, item_type: str, output_index: int) -> str:
        """Return the id of the item at *output_index*. *item_type* is a key of :data:`ITEM_PREFIXES`."""
        return f"{ITEM_PREFIXES[item_type]}{self._stem}{output_index:02x}"

    def legacy_call_id(self) -> str:
        """Return the call id for a call in the older form ``function_call``, which has no id of its own."""
        return f"call_{self._stem[:24]}"
