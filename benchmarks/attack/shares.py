"""Attacks on what clients share: request slots (places), worker threads, fetches, retries, refusals, signatures."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.attack import bodies
from benchmarks.attack.exchange import request
from benchmarks.attack.manners import MARK
from benchmarks.attack.two_clients import (
    CHAT,
    KEY_A,
    KEY_B,
    KEY_LIMITED,
    KEY_SPENT,
    PLACES,
    TWIN,
    Field,
    changed,
    say,
)

_OK, _OK_MANNER = "ok", "ok.isolation"
_ATTACKED = "attacked"
"""A model that only A's attacks call, so that B's calls can be counted apart from A's."""

_HELLO = say("Hello.")
_HONEST = bodies.CHAT["text over the budget"](700_000)
_TOOLS = [
    {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}
]


def _while_b_works(field: Field, sent: bytes, members: bytes) -> str:
    """Return what changes for B while A sends *sent* on as many connections as the proxy has places.

    B holds one place itself.
    """
    before = field.meet(_OK, members, _OK_MANNER)
    with field.held(_never(KEY_B), 1), field.held(sent, PLACES):
        return changed(before, field.meet(_OK, members, _OK_MANNER))


def _never(key: str) -> bytes:
    return request(CHAT, bodies.chat("places", _HELLO), key=key)


def _places(field: Field) -> str:
    """Let A take all places (slots for requests) with requests that the provider never answers."""
    return _while_b_works(field, _never(KEY_A), _HELLO)


def _half_bodies(field: Field) -> str:
    """Let A take all places, and the bytes in flight, with large bodies that never end."""
    whole = request(CHAT, bodies.chat(_ATTACKED, b'"x":"' + b" " * (31 * 2**20)), key=KEY_A)
    return _while_b_works(field, whole[: 2**20], _HONEST)


def _freed_places(field: Field) -> str:
    """Let A take all places before B comes, and compete with B for every place that becomes free."""
    before = field.meet(_OK, _HELLO, _OK_MANNER)
    with field.held(_never(KEY_A), PLACES - 10):
        with field.held(_never(KEY_A), 10):
            field.meet(_OK, _HELLO, _OK_MANNER)  # refused, which makes B the first to be served
        with field.held(_never(KEY_A), 20):
            return changed(before, field.meet(_OK, _HELLO, _OK_MANNER))


def _threads(family: str, size: int) -> Callable[[Field], str]:
    """Return an attack in which A keeps the proxy's worker threads busy with bodies of *family*."""

    def attack(field: Field) -> str:
        before = field.meet(_OK, _HONEST, _OK_MANNER)
        body = bodies.chat(_ATTACKED, bodies.CHAT[family](size))
        attack = threading.Thread(target=field.ask_often, args=(body, 6, 8.0))
        attack.start()
        time.sleep(1.0)
        said = changed(before, field.meet(_OK, _HONEST, _OK_MANNER))
        attack.join()
        return said

    return attack


def _inspector(field: Field) -> str:
    """Let A use up the inspections that may run at once."""
    small = bodies.looked_at(_OK, _HELLO)
    hostile = bodies.looked_at(_OK, bodies.CHAT["identical long ids"](900_000))
    before = field.ask(KEY_B, small, "/ui/api/look")
    with field.held(request("/ui/api/look", hostile, key=KEY_A), 8):
        after = field.ask(KEY_B, small, "/ui/api/look")
    return "" if after.status == before.status else f"{after.status} in the place of {before.status}"


def _images(field: Field) -> str:
    """Let A fetch many images that never arrive, while B fetches an image that arrives."""
    port = field.provider.port

    def asks(manner: str, count: int) -> bytes:
        content = [
            {"type": "image_url", "image_url": {"url": f"http://127.0.0.1:{port}/{manner}/{at}"}}
            for at in range(count)
        ]
        return json.dumps({"messages": [{"role": "user", "content": content}]}).encode()[1:-1]

    before = field.meet("gemini", asks("image", 1), "ok.images")
    with field.held(request(CHAT, bodies.chat("gemini", asks("never", 8)), key=KEY_A), 10):
        return changed(before, field.meet("gemini", asks("image", 1), "ok.images"))


def _refusal(field: Field) -> str:
    """Let the provider refuse A's body several times, and then let B send the same body."""
    body = bodies.chat("refusal", say(f"{MARK} <<Words of A's.>>"))
    for _ in range(4):
        field.ask(KEY_A, body)
    before = field.provider.calls("refuse400.refusal")
    field.ask(KEY_B, body)
    return "" if field.provider.calls("refuse400.refusal") > before else "it did not reach the provider"


def _signatures(field: Field) -> str:
    """Let B get a signed call, A fill the store of signatures, and B continue with its call."""
    first = say("Look.", tools=_TOOLS)
    answer = json.loads(field.ask(KEY_B, bodies.chat("signed", first)).body)
    call = answer["choices"][0]["message"]["tool_calls"][0]
    plain = {"id": call["id"].partition("__")[0], "type": "function", "function": call["function"]}
    history: list[dict[str, Any]] = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": None, "tool_calls": [plain]},
        {"role": "tool", "tool_call_id": plain["id"], "content": "1"},
    ]
    on = json.dumps({"messages": history, "tools": _TOOLS}).encode()[1:-1]

    def is_signed() -> bool:
        field.ask(KEY_B, bodies.chat("signed", on))
        return "SIG" in field.provider.last("signed")

    if not is_signed():
        return "B's own call went without its signature before the attack"
    field.ask_often(bodies.chat("signed", say(f"{MARK} Look.", tools=_TOOLS)), 50)
    field.ask_often(bodies.chat("signed", say(f"{MARK} Look again.", tools=_TOOLS)), 50)
    return "" if is_signed() else "B's signature is gone"


def _limited(key: str, members: bytes) -> Callable[[Field], str]:
    """Return an attack in which A goes on sending *members* with *key*, whose limit is used up."""

    def attack(field: Field) -> str:
        before = field.meet(_OK, _HELLO, _OK_MANNER)
        body = bodies.chat(_OK, members)
        if (status := [field.ask(key, body).status for _ in range(3)][-1]) != 429:
            return f"A has no limit: {status}"
        attacks = [
            threading.Thread(target=field.ask_often, args=(body, PLACES // 2), kwargs={"key": key})
            for _ in range(8)
        ]
        said = []
        for attack in attacks:
            attack.start()
            said.append(changed(before, field.meet(_OK, _HELLO, _OK_MANNER)))
            attack.join()
        return next(filter(None, said), "")

    return attack


def _retries(field: Field) -> str:
    """Let A's requests fail until the retries are used up, and B's request fail once."""

    def once(model: str, manner: str, name: str) -> Any:
        return field.meet(model, say(f"ONCE-{name}"), manner)

    before = once(f"retries{TWIN}", f"once.retries{TWIN}", "b1")
    for at in range(2):
        field.ask_often(bodies.chat("retries", say(f"{MARK} {at}")), 25)
    after = once("retries", "once.retries", "b2")
    return "" if after.status == before.status else f"{after.status} in the place of {before.status}"


ATTACKS: Mapping[str, Callable[[Field], str]] = {
    "refusals": _refusal,
    "signatures": _signatures,
    "the limit of another key": _limited(KEY_LIMITED, bodies.CHAT["text over the budget"](4 * 2**20)),
    "the budget of another key": _limited(KEY_SPENT, say("Hello.", max_tokens=1000)),
    "places": _places,
    "places that come free": _freed_places,
    "places, by half-sent bodies": _half_bodies,
    "places of image fetches": _images,
    "the inspector's seats": _inspector,
    "worker threads, by 31 MiB of text": _threads("text over the budget", 31 * 2**20),
    "worker threads, by identical ids": _threads("identical long ids", 925_000),
}
"""Maps the state that A attacks to the attack, which returns what changes for B.

Attacks that leave worker threads busy come last.
"""

WITHOUT_CIRCUITS: Mapping[str, Callable[[Field], str]] = {"retries": _retries}
"""Attacks that run with circuits switched off, by a cooldown of 0 seconds."""
