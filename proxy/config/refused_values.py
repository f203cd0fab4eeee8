"""Refuses values of LiteLLM's keys that guard something or ask for a missing feature, where the key itself is harmless.

Most callbacks only log. Some check what is said to a model, and code of an operator's own may do anything. Tags of
deployments are harmless, unless they decide which of several deployments serves a request.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from types import MappingProxyType

from proxy.config.faults import Fault, Location, path_of
from proxy.config.refused_keys import is_nothing

_CALLBACKS = "callbacks"
_LOGGING_KEYS = ("input_callback", "success_callback", "failure_callback", "service_callback")
"""Keys whose callbacks only log, except for guards, which LiteLLM loads from each of these keys."""

_CODE = "*.*"

_OBEYED = frozenset({"enforce_model_rate_limits"})
"""The checks before calls that turnright makes in any case: a deployment's ``rpm`` and ``tpm``."""

_ENFORCING = "enforce*"
"""The pattern for the names in ``router_settings.optional_pre_call_checks`` whose checks refuse requests."""

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
                "model_armor",
                "*secret_detection*",
                "*content_filter*",
                "*prisma_airs*",
                "pangea*",
                "lasso*",
                "aim",
                "noma*",
                "javelin*",
                "enkryptai*",
                "zscaler*",
            ),
            "checks what is said to a model; turnright has no such check: remove it only if nothing depends on it",
        ),
        "*_interception": "runs tools for the model; turnright runs none: remove it, and what needs it",
        _CODE: "runs code of yours, which may check calls; turnright loads no code: remove it only if it only logs",
    }
)
"""The reasons for which names in ``litellm_settings.callbacks`` are refused, by pattern. Case is ignored."""


def refused_values(raw: Mapping[object, object]) -> Iterator[Fault]:
    """Yield a fault for each value of *raw*, the parsed file, that guards something or asks for a missing feature."""
    for key in (_CALLBACKS, *_LOGGING_KEYS):
        for place, name in _names(raw.get("litellm_settings"), ("litellm_settings", key)):
            pattern = next((known for known in CALLBACKS if fnmatchcase(name.lower(), known)), None)
            if pattern is not None and (pattern != _CODE or key == _CALLBACKS):
                yield Fault(path_of(place), CALLBACKS[pattern])
    for place, name in _names(raw.get("router_settings"), ("router_settings", "optional_pre_call_checks")):
        if name not in _OBEYED and fnmatchcase(name.lower(), _ENFORCING):
            yield Fault(
                path_of(place),
                "refuses requests beyond a limit; turnright has no such check: "
                "remove it only if nothing depends on it",
            )
    yield from _metadata(raw.get("model_list"))
    yield from _tag_filtering(raw.get("router_settings"), raw.get("model_list"))


def _names(section: object, place: tuple[str, str]) -> Iterator[tuple[Location, str]]:
    """Yield the names at *place*, where *section* has one name or a list of them, each with its place."""
    given = section.get(place[1]) if isinstance(section, dict) else None
    if isinstance(given, str):
        yield place, given
    for position, name in enumerate(given if isinstance(given, list) else ()):
        if isinstance(name, str):
            yield (*place, position), name


def _metadata(entries: object) -> Iterator[Fault]:
    """Yield a fault for each guardrail that an entry asks for in its metadata."""
    for position, entry in enumerate(entries if isinstance(entries, list) else ()):
        params = entry.get("litellm_params") if isinstance(entry, dict) else None
        for name in ("metadata", "litellm_metadata"):
            held = params.get(name) if isinstance(params, dict) else None
            for key, value in held.items() if isinstance(held, dict) else ():
                if "guardrail" in str(key).lower() and not is_nothing(str(key), value):
                    place = ("model_list", position, "litellm_params", name, str(key))
                    yield Fault(path_of(place), CALLBACKS["*guard*"])


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
