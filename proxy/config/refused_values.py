"""Refuses values of LiteLLM's keys that guard something or ask for a missing feature, where the key itself is harmless.

Most callbacks only log. Some check what is said to a model, and code of an operator's own may do anything. Tags of
deployments are harmless, unless they decide which of several deployments serves a request.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from types import MappingProxyType

from proxy.config.faults import Fault, path_of

CALLBACKS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(
            (
                "presidio",
                "*guard*",
                "*moderation*",
                "*prompt_injection*",
                "hide_secrets",
                "blocked_user_check",
                "banned_keywords",
                "azure_content_safety",
                "lakera*",
                "aporia*",
                "pillar*",
            ),
            "checks what is said to a model; turnright has no such check: remove it only if nothing depends on it",
        ),
        "*_interception": "runs tools for the model; turnright runs none: remove it, and what needs it",
        "*.*": "runs code of yours, which may check calls; turnright loads no code: remove it only if it only logs",
    }
)
"""The reasons for which names in ``litellm_settings.callbacks`` are refused, by pattern."""


def refused_values(raw: Mapping[object, object]) -> Iterator[Fault]:
    """Yield a fault for each value of *raw*, the parsed file, that guards something or asks for a missing feature."""
    yield from _callbacks(raw.get("litellm_settings"))
    yield from _tag_filtering(raw.get("router_settings"), raw.get("model_list"))


def _callbacks(section: object) -> Iterator[Fault]:
    given = section.get("callbacks") if isinstance(section, dict) else None
    for position, name in enumerate(given if isinstance(given, list) else [given]):
        reason = next((row for known, row in CALLBACKS.items() if fnmatchcase(str(name), known)), None)
        if isinstance(name, str) and reason is not None:
            place = ("litellm_settings", "callbacks", *([position] if isinstance(given, list) else []))
            yield Fault(path_of(place), reason)


def _tag_filtering(router: object, entries: object) -> Iterator[Fault]:
    """Yield a fault where tags would choose among the deployments of one name, such as those of two teams."""
    if (
        not isinstance(router, dict)
        or not router.get("enable_tag_filtering")
        or not isinstance(entries, list)
    ):
        return
    names = Counter(str(entry.get("model_name")) for entry in entries if isinstance(entry, dict))
    for entry in entries:
        params = entry.get("litellm_params") if isinstance(entry, dict) else None
        if isinstance(params, dict) and params.get("tags") and names[str(entry.get("model_name"))] > 1:
            yield Fault(
                path_of(("router_settings", "enable_tag_filtering")),
                "chooses among the deployments of a name by a request's tags, which turnright does not read: "
                "give each of them a name of its own",
            )
            return
