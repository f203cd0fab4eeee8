"""Configurations with instructions of each level, and what is sent with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.config import Settings
from tests.support.builders import user
from tests.support.proxied import CHAT, Proxied, Reply, settings_of

GATEWAY = "Behave courteously,\navoiding gossip. Größe: 中文."
MODEL = "You represent Zanzibar's bakery."
KEY = "Decline riddles."
TEAM = "Assist apprentices."
TEXTS = (GATEWAY, MODEL, KEY, TEAM)

MASTER = "sk-master-0000"
CLIENTS: Mapping[str, dict[str, Any]] = {
    "own": {"instructions": KEY},
    "member": {"team": "support"},
    "both": {"instructions": KEY, "team": "support"},
    "none": {},
    "other": {"team": "silent"},
}
"""The clients' keys by their names: with a text, a team, both, neither, and a team that has no text."""

NAMES = ("own", "member", "both", "none", "other")


def key_of(name: str) -> str:
    """Return the key that the client *name* sends. The name of the master key is empty."""
    return f"sk-{name}-key-0000" if name else MASTER


def joined(*texts: str) -> str:
    """Return the texts as one, as they stand before a history."""
    return "\n\n".join(texts)


def general(gateway: Any = GATEWAY, **fields: Any) -> dict[str, Any]:
    """Return the section ``general_settings`` with every key and team, and with the gateway's text."""
    return {
        "master_key": MASTER,
        "keys": [{"name": name, "key": key_of(name), **given} for name, given in CLIENTS.items()],
        "teams": [{"name": "support", "instructions": TEAM}, {"name": "silent"}],
        **({} if gateway is None else {"instructions": gateway}),
        **fields,
    }


def entry(name: str, model: str = "openai/gpt-4.1", text: Any = MODEL, **fields: Any) -> dict[str, Any]:
    """Return an entry of the model list, with a text unless *text* is None.

    *fields* are further settings of the entry.
    """
    made: dict[str, Any] = {"model_name": name, "litellm_params": {"model": model}}
    if text is not None:
        made["instructions"] = text
    return made | fields


def configured(*entries: dict[str, Any], **sections: Any) -> Settings:
    """Return settings of *entries*, with instructions of every level unless *sections* say otherwise."""
    return settings_of(
        model_list=list(entries) or [entry("chat")],
        **{"general_settings": general(), **sections},
    )


async def ask(
    proxy: Proxied, messages: Any = None, key: str = "own", *, model: str = "chat", **fields: Any
) -> Reply:
    """Send a chat request with the key *key*, and return its answer."""
    body = {"model": model, "messages": [user()] if messages is None else messages, **fields}
    return await proxy.post(body, CHAT, headers=bearing(key))


def bearing(key: str) -> dict[str, str]:
    """Return the headers of the client *key*."""
    return {"Authorization": f"Bearer {key_of(key)}"}
