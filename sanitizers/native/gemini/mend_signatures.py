"""Take the signatures off texts and thoughts, for a provider that has refused them.

Gemini requires the signatures of calls alone (ai.google.dev/gemini-api/docs/thought-signatures). The calls have theirs,
or a stand-in, by the chat message.
"""

from __future__ import annotations

from dataclasses import replace
from operator import is_

from sanitizers.changes import Change
from sanitizers.native.gemini.changed_contents import STEP, ChangedContents
from sanitizers.native.gemini.parts import Part, data_of, parts_of, signature_of, without_signature
from sanitizers.native.protocol import Item, Items
from sanitizers.work_limit import metered


def has_signed_texts(items: Items) -> bool:
    """Tell whether any part of *items* that is no call has a signature."""
    return any(
        _is_signed_text(part)
        for index, item in enumerate(metered(items))
        for part in metered(parts_of(item, index))
    )


def drop_text_signatures(changed: ChangedContents) -> ChangedContents:
    """Return *changed* without the signatures of parts that are no calls. A part of nothing else goes."""
    contents: list[Item] = []
    changes: list[Change] = []
    for at, item in enumerate(metered(changed.items)):
        parts = parts_of(item, at)
        bare = [kept for part in metered(parts) if (kept := _bare(part)) is not None]
        if len(bare) == len(parts) and all(map(is_, bare, parts)):
            contents.append(item)
            continue
        index = at if changed.origins is None else changed.origins[at]
        changes.append(Change(STEP, "dropped", index, "signature"))
        contents.append({**item, "parts": bare or [*map(without_signature, parts)]})
    if not changes:
        return changed
    origins = changed.origins or tuple(range(len(contents)))
    return replace(changed, items=contents, origins=origins, changes=(*changed.changes, *changes))


def _bare(part: Part) -> Part | None:
    if not _is_signed_text(part):
        return part
    bare = without_signature(part)
    data = data_of(bare)
    return bare if data.kind and (data.kind != "text" or data.value) else None


def _is_signed_text(part: Part) -> bool:
    return len(part) > 1 and signature_of(part) is not None and data_of(part).kind != "functionCall"
