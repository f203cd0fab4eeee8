"""The repair steps in their order, and the reason for each step's place in the order.

-  ``media`` comes first, so that a change names the part where the client put it. ``tools`` follows, since calls and
   results are matched by name where ids do not help.
0. ``shape`` is the first step that repairs messages, because every later step relies on it. Ids are then present,
   unambiguous and equal on both sides of a pair. Arguments are readable, and nothing is empty. A message that it drops
   can make neighbours of two others.
1. ``orphan_drop`` runs before any merging, so that a stray result does not keep two assistant turns apart.
2. ``role_merge`` runs before pairing. Parallel calls that are split over several messages are one turn, and results can
   only be placed when the whole turn is known.
3. ``user_prepend`` runs when dropping and merging have decided which turn is the first.
4. ``pairing`` moves, sorts and synthesizes results, which can bring two assistant turns together. ``result_media``
   follows, since the ends of the blocks of results are known then.
5. ``final_merge`` joins the neighbours that these two steps made.
6. ``dialect`` writes what single providers need, which the steps before would merge again. ``tail`` checks the last
   turn, which pairing may have changed from a call to a result.

A step takes the history and the profile. It returns the history (the same object when it changed nothing) and its
changes. It never mutates a message, and it does not depend on the code of other steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from sanitizers.changes import Change
from sanitizers.messages import Entries
from sanitizers.profiles import Profile
from sanitizers.steps.dialect import apply_provider_rules
from sanitizers.steps.media import check_media
from sanitizers.steps.orphan_drop import drop_orphaned_results
from sanitizers.steps.pairing import pair_calls_with_results
from sanitizers.steps.result_media import move_result_media
from sanitizers.steps.role_merge import merge_after_pairing, merge_role_runs
from sanitizers.steps.shape import normalize_shape
from sanitizers.steps.tail import close_trailing_model_turn
from sanitizers.steps.tools import rename_called_tools
from sanitizers.steps.user_prepend import prepend_user_turn

Step: TypeAlias = Callable[[Entries, Profile], tuple[Entries, tuple[Change, ...]]]
"""The signature of every step."""

STEPS: tuple[Step, ...] = (
    check_media,
    rename_called_tools,
    normalize_shape,
    drop_orphaned_results,
    merge_role_runs,
    prepend_user_turn,
    pair_calls_with_results,
    move_result_media,
    merge_after_pairing,
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
