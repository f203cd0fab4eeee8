"""Warnings about ``provider_objects`` and ``provider_state``: what clients share, and where a setting has no effect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from proxy.config import Settings
from proxy.core.deployment import Deployment
from proxy.planning.native_formats import speaks_a_format


def find_provider_object_warnings(
    settings: Settings, pools: Mapping[str, Sequence[Deployment]]
) -> Iterator[str]:
    """Yield a warning for each of these settings that has no effect, and for each that lets clients share objects.

    *pools* are the deployments by their names. Each warning begins with the key in the file.
    """
    is_shared = settings.general_settings.has_several_keys
    for pool in pools.values():
        for deployment in pool:
            entry = settings.entries[deployment.position]
            path = settings.path_of_entry(deployment.position)
            speaks = speaks_a_format(deployment)
            for key in ("provider_objects", "provider_state"):
                if getattr(entry, key) and not speaks:
                    yield f"{path}.{key}: has no effect, since {deployment.model} is asked in the format of chats"
            if not speaks:
                continue
            if entry.provider_objects and is_shared:
                yield (
                    f"{path}.provider_objects: clients of all keys share the files and conversations that "
                    f"{deployment.provider} stores for this account"
                )
            elif entry.provider_state and is_shared:
                yield (
                    f"{path}.provider_state: no client can continue a response, since there are several keys: "
                    "with provider_objects clients of all keys would share the stored responses"
                )
