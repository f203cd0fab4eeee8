"""Fetches the images that a request names by address once, and puts them inline for models that cannot fetch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from yarl import URL

from proxy.core.chat_request import ChatRequest
from proxy.core.errors import DeadlineExceeded, InvalidRequest
from proxy.upstream.media.fetching import Fetched, MediaFetcher, Unfetched
from sanitizers import Change, Messages, Profile
from sanitizers.media.reading import Address, read_media
from sanitizers.messages import MEDIA_FREE_ROLES, first_of_newest_user_turn, is_part_list

MAX_IMAGES = 8
"""The most images that are fetched for one request. The newest images are fetched."""

_NAME = "media"
_UNFINISHED = "The images of the request were not all fetched within its time (router_settings.timeout)."
_TOO_MANY = Unfetched(f"is one too many: {MAX_IMAGES} are fetched for a request")


class RequestMedia:
    """The results of the fetches for one request of *client*, kept for all attempts of that request."""

    def __init__(self, fetcher: MediaFetcher, client: str) -> None:
        self._fetcher = fetcher
        self._client = client
        self._found: dict[str, Fetched | Unfetched] = {}

    async def fetch(self, messages: Messages, profile: Profile, *, deadline: float) -> None:
        """Fetch the images that *messages* name by address, if *profile* needs them inline.

        No address is fetched twice, even after a failure. Raises :class:`DeadlineExceeded` when *deadline*, a time of
        the loop's clock, comes first.
        """
        places = reversed(list(_addresses(messages, profile)))
        wanted = dict.fromkeys(address for _, _, address in places)
        new = [address for address in wanted if address not in self._found]
        room = MAX_IMAGES - sum(found is not _TOO_MANY for found in self._found.values())
        self._found |= dict.fromkeys(new[room:], _TOO_MANY)
        if not new[:room]:
            return
        try:
            self._found |= await self._fetcher.fetch(new[:room], client=self._client, until=deadline)
        except TimeoutError:
            raise DeadlineExceeded(_UNFINISHED) from None

    def put_in(self, chat: ChatRequest, profile: Profile) -> tuple[ChatRequest, tuple[Change, ...]]:
        """Return *chat* with the fetched images inline and the changes made. It is *chat* itself if nothing changed.

        An image that could not be fetched stays, and the sanitizer replaces and reports that image. In the newest user
        turn, such an image raises :class:`InvalidRequest` with its host instead.
        """
        messages = list(chat.messages)
        newest = first_of_newest_user_turn(messages)
        changes: list[Change] = []
        named = list(_addresses(chat.messages, profile))
        for at, (index, number, address) in enumerate(named):
            # Only the last places count: an address that is named a hundred times would be sent a hundred times.
            found = self._found.get(address, _TOO_MANY) if at >= len(named) - MAX_IMAGES else _TOO_MANY
            place = f"content[{number}]"
            if isinstance(found, Fetched):
                content = list(messages[index]["content"])
                content[number] = _inline(content[number], found.url)
                messages[index] = {**messages[index], "content": content}
                changes.append(Change(_NAME, "replaced", index, "fetched", place))
            elif index >= newest and messages[index]["role"] == "user":
                raise InvalidRequest(
                    f"'messages[{index}].{place}': the image at '{_host(address)}' {found.what}.",
                    param=f"messages[{index}].{place}.image_url",
                )
        if not changes:
            return chat, ()
        return replace(chat, messages=messages), tuple(changes)


def _addresses(messages: Messages, profile: Profile) -> Iterator[tuple[int, int, str]]:
    """Yield the message's index, the part's index and the address of each image that the provider cannot fetch."""
    if profile.remote_media:
        return
    schemes = ("http",) if profile.https_media else ("http", "https")
    for index, message in enumerate(messages):
        content = message.get("content")
        if content.__class__ is not list or not is_part_list(content):
            continue
        if message["role"] in MEDIA_FREE_ROLES:
            continue
        for number, part in enumerate(content):
            if part["type"] != "image_url" or "image_url" in profile.refused_parts:
                continue
            media = read_media(part)
            if isinstance(media, Address) and media.scheme in schemes:
                yield index, number, media.text


def _inline(part: dict[str, Any], url: str) -> dict[str, Any]:
    value = part["image_url"]
    if not isinstance(value, dict):
        return {**part, "image_url": url}
    kept = {name: held for name, held in value.items() if name != "format"}
    return {**part, "image_url": {**kept, "url": url}}


def _host(address: str) -> str:
    try:
        return (URL(address).host or "")[:255]
    except ValueError:
        return ""
