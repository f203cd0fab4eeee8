"""The steps, in the design's order, and why each stands where it does.

-  ``media`` before all others, so that what it says of a part names the place where the client put it, and ``tools``,
   since calls and results are matched by name where ids do not help.
0. ``shape`` first of those that repair, because every later step relies on it: ids present, unambiguous and equal on
   both sides of a pair, arguments readable, nothing empty. What it drops can make neighbours of messages that were
   apart.
1. ``orphan_drop`` before any merging, so that a stray result does not keep two assistant turns apart.
2. ``role_merge`` before pairing, because parallel calls split over several messages are one turn, and a turn's
   results can only be placed when the whole turn is known.
3. ``user_prepend`` once the first turn is known; dropping and merging decide which that is.
4. ``pairing`` moves, sorts and synthesizes results per call, which can bring two assistant turns together; then
   ``result_media``, since it is known only now where a block of results ends.
5. ``final_merge`` joins what these two made neighbours. It comes last of the five because all others can.
6. ``dialect`` writes what single providers want beside these: it would be merged again before. Then ``tail`` looks at
   the last turn, which pairing may have changed from a call to a result.

A step takes the history and the profile, and returns the history (the same object when it changed nothing) and
its changes. It never mutates a message, and it knows nothing of the other steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from sanitizers.changes import Change
from sanitizers.messages import Entries
from sanitizers.profiles import Profile
from sanitizers.steps.dialect import apply_provider_rules
from sanitizers.steps.final_merge import merge_what_pairing_joined
from sanitizers.steps.media import check_media
from sanitizers.steps.orphan_drop import drop_orphaned_results
from sanitizers.steps.pairing import pair_calls_with_results
from sanitizers.steps.result_media import move_result_media
from sanitizers.steps.role_merge import merge_role_runs
from sanitizers.steps.shape import normalize_shape
from sanitizers.steps.tail import close_trailing_model_turn
from sanitizers.steps.tools import rename_called_tools
from sanitizers.steps.user_prepend import prepend_user_turn

Step: TypeAlias = Callable[[Entries, Profile], tuple[Entries, tuple[Change, ...]]]
"""What every step is."""

STEPS: tuple[Step, ...] = (
    check_media,
    rename_called_tools,
    normalize_shape,
    drop_orphaned_results,
    merge_role_runs,
    prepend_user_turn,
    pair_calls_with_results,
    move_result_media,
    merge_what_pairing_joined,
    apply_provider_rules,
    close_trailing_model_turn,
)
"""All steps in their order."""

STEP_NAMES = (
    "media",
    "tools",
    "shape",
    "orphan_drop",
    "role_merge",
    "user_prepend",
    "pairing",
    "result_media",
    "final_merge",
    "dialect",
    "tail",
)
"""The names that headers, metrics and the change list use."""
