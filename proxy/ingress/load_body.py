"""Decodes the body of a request with a history, and mends half characters in it."""

from __future__ import annotations

from typing import Any

from proxy.core.errors import InvalidRequest
from proxy.ingress.json_fields import load_object
from proxy.ingress.mend_surrogates import mend_surrogates
from sanitizers import Change
from sanitizers.work_limit import metered

_TEXTS = frozenset({str})


def load_body(body: bytes, history: str, *, mends: bool) -> tuple[dict[str, Any], bytes, tuple[Change, ...]]:
    """Return the fields of *body*, the bytes that were parsed, and the changes that made *body* readable.

    *history* is the field with the messages or items. With *mends*, half characters in it are replaced. Raises
    :class:`InvalidRequest` for anything but a JSON object.
    """
    try:
        return load_object(body), body, ()
    except InvalidRequest:
        found = mend_surrogates(body, history) if mends else None
        if found is None:
            raise
    body, places = found
    return load_object(body), body, tuple(Change("shape", "replaced", at, "half_character") for at in places)


def without_plain_entries(fields: dict[str, Any], history: str) -> dict[str, Any]:
    """Return *fields* without those entries of the list *history* that hold texts alone, as most of an agent's do.

    Such an entry has no depth, so that the check of nesting can leave it out.
    """
    given = fields.get(history)
    if given.__class__ is not list:
        return fields
    nested = [
        item
        for item in metered(given)
        if item.__class__ is not dict or not _TEXTS.issuperset(map(type, item.values()))
    ]
    return {**fields, history: nested}
