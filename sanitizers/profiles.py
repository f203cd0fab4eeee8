"""The rules of each model family, one frozen table row per family: the fields, and the row of OpenAI.

A comment beside a fact names its source, and often the month in which it was seen. There is no field for a fact that no
row needs. Add a row in :mod:`sanitizers.gemini_profiles` or :mod:`sanitizers.provider_profiles` for a new family, or
for a model that became stricter. :mod:`sanitizers.profile_names` chooses the row of a model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from typing_extensions import override

from sanitizers.name_rules import ANY_NAMES, OPENAI_NAMES, NameRule


@dataclass(frozen=True, slots=True)
class Profile:
    """The facts about one model family that the steps and the checker read."""

    name: str
    """Stable name, shown by ``/v1/explain`` and ``turnright check``."""

    user_first: bool
    """The first turn after the system messages must be a user turn."""

    model_last: bool
    """The history may end with an assistant message (prefill), which the model continues."""

    assistant_runs: bool
    """Two assistant messages in a row are legal."""

    user_runs: bool
    """Two user messages in a row are legal."""

    system_anywhere: bool
    """System messages may stand after the first turn.

    Otherwise system messages may only stand before the first turn.
    """

    turn_required: bool
    """A request of system messages alone is refused."""

    empty_texts: bool
    """An empty text is accepted as content."""

    ordered_results: bool
    """Results must be in the order of their calls. Otherwise any order directly after the calls is accepted."""

    call_ids: bool
    """The provider's API has ids for calls and results. Without ids, identical parallel calls become one call."""

    object_arguments: bool
    """Arguments must be a JSON object. Otherwise any string is accepted."""

    openai_forms: bool
    """OpenAI's other forms of a message are accepted: ``function_call``, role ``function``, ``refusal``, ``audio``."""

    custom_calls: bool
    """Tool calls of a type other than ``function`` are accepted."""

    signs_calls: bool
    """The models sign their calls. A signature may be a field of a call or a suffix of its id."""

    tool_names: NameRule
    """The rule for a tool's name, declared or called."""

    max_call_id_length: int | None
    """The longest tool-call id, in characters, or None where any length is accepted."""

    result_types: frozenset[str]
    """MIME types that media in a tool result may have. Other media moves to a user message after the results."""

    image_types: frozenset[str] | None
    """MIME types that an ``image_url`` part may have, or None where they are unknown, so that none is refused."""

    file_types: frozenset[str] | None
    """MIME types that ``file`` and ``input_audio`` parts may have, or None where they are unknown."""

    refused_parts: frozenset[str]
    """Types of content parts that the provider accepts in no role."""

    refused_fields: frozenset[str]
    """Fields of messages and parts that the steps remove: they get lost on the way, or change the request."""

    remote_media: bool
    """Media may be given by URL. Otherwise it must be inline, as a ``data:`` URL."""

    schemas: str
    """The dialect of a tool's schema, by its name (:mod:`sanitizers.schemas.dialects`)."""

    # The rules below are none of OpenAI's: each default means that the rule does not exist.

    https_media: bool = False
    """Images and files may be given by an https URL too, where :attr:`remote_media` forbids URLs."""

    file_ids: bool = True
    """A file may be named by its id in the provider's own store."""

    refused_media: frozenset[str] = frozenset()
    """Types of media parts that cannot reach the provider, whatever they hold."""

    blank_texts: bool = True
    """A text of nothing but whitespace is accepted as content."""

    blank_results: bool = True
    """A tool result that holds nothing, or nothing but whitespace, is accepted."""

    call_id_form: Literal["any", "token", "nine"] = "any"
    """The form of call ids: ``token`` is letters, digits, ``_`` and ``-``. ``nine`` is nine letters or digits."""

    unique_call_ids: bool = False
    """No two calls of a history may have the same id, even if the first has its result."""

    user_after_result: bool = True
    """A user message may follow tool results directly. Otherwise an assistant message must stand between them."""

    calls_with_text: bool = True
    """An assistant message may hold a text and calls together."""

    parallel_calls: bool = True
    """An assistant message may hold several calls."""

    system_role: bool = True
    """The provider has a role ``system``. Otherwise system messages become the user's."""

    many_systems: bool = True
    """Several system messages may lead the history."""

    developer_role: bool = True
    """The provider has a role ``developer``. Otherwise the role ``developer`` becomes ``system``."""

    takes_prefix: bool = False
    """A trailing assistant message is accepted where it says ``prefix: true``."""

    trailing_space: bool = True
    """A trailing assistant message may end with whitespace."""

    echoes_reasoning: bool = False
    """Assistant messages must have ``reasoning_content``, which may be empty."""

    echoes_if_asked: bool = False
    """Assistant messages must have ``reasoning_content`` where the request asks the model to think."""

    thinks_before_calls: bool = False
    """Assistant messages with calls must have ``reasoning_content`` that is not empty. White space is enough."""

    only_fields: frozenset[str] | None = None
    """The only fields that a message may have, or None where others are ignored."""

    result_fields: frozenset[str] = frozenset()
    """The fields that a tool result may have in addition to :attr:`only_fields`."""

    bare_calls: bool = False
    """A function's call may have no fields but those of :data:`sanitizers.messages.CALL_FIELDS`.

    The function in it has only the fields of :data:`sanitizers.messages.FUNCTION_FIELDS`.
    """

    named_roles: frozenset[str] | None = None
    """The roles whose messages may have a ``name``, or None where all may. A name that is null does not count."""

    null_content: bool = True
    """The content of an assistant message with calls may be missing or null. Otherwise an empty text is written."""

    empty_names: bool = True
    """The ``name`` of a tool result may be an empty text."""

    continues_if_asked: bool = False
    """A trailing assistant message is accepted where the request has ``continue_final_message: true``."""

    systems_behind_users: bool = False
    """A system message after the first turn directly follows a user message or results, and no turn of the user's."""

    system_reminders: bool = False
    """A later system message that becomes the user's is marked as a reminder of the system."""

    most_marks: int | None = None
    """The most cache marks of a request, its tools included."""

    most_media: int | None = None
    """The most images and documents of a request."""

    signed_thoughts: bool = False
    """The blocks of ``thinking_blocks`` must have their signature, or their hidden data."""

    keeps_thoughts: bool = False
    """The models sign their thoughts, and want those of an open turn back as they were, in ``thinking_blocks``."""

    blocks: bool = False
    """The history goes to the provider as messages of Anthropic's API, in the blocks of its client."""

    contents: bool = False
    """The history goes to the provider as its client's own ``contents`` of Gemini's API."""

    items: bool = False
    """The history goes to the provider as items of the Responses API, and not as a chat."""

    @override
    def __hash__(self) -> int:
        """Hash the name, and the fields in which profiles of one name usually differ.

        Hashing all forty fields would take longer than the cache saves.
        """
        return hash(
            (self.name, self.remote_media, self.assistant_runs, self.user_runs, self.echoes_reasoning)
        )

    def as_items(self) -> Profile:
        """Return the row for a history that the provider gets as items of the Responses API.

        Items have no field for a participant's name, nor for a recording that was said. OpenAI's results may hold
        images and files there (openai-python 3.54, ``ResponseFunctionCallOutputItemList``).
        """
        return self if self.items else _as_items(self)

    def over_messages(self, *, is_claude: bool, takes_systems: bool) -> Profile:
        """Return the row for a history that a provider gets by Anthropic's own API, without litellm.

        The models of other vendors with this API have Claude's rules, but for those of its signatures.
        """
        return _over_messages(self, is_claude, takes_systems)

    def as_blocks(self) -> Profile:
        """Return the row for a history that the provider gets as its client's own messages of Anthropic's API.

        What only concerns blocks is mended there (:mod:`sanitizers.native.messages.mend`). Tools keep the names that
        their client chose for this API.
        """
        return self if self.blocks else _as_blocks(self)

    def as_contents(self) -> Profile:
        """Return the row for a history that the provider gets as its client's own ``contents`` of Gemini's API.

        Gemini fetches media by https itself there. Equal parallel calls stay apart, since nobody joins them. A tool
        whose name Gemini refuses is renamed, as for any client.
        """
        return self if self.contents else _as_contents(self)

    @property
    def legacy_calls(self) -> bool:
        """True where ``function_call`` and role ``function`` are accepted. Items have no form for them."""
        return self.openai_forms and not self.items

    @property
    def takes_any_field(self) -> bool:
        """True where :attr:`refused_fields` are the only fields that may have to be removed from a text message."""
        return self.only_fields is None and self.empty_names

    def fields_for(self, role: str) -> frozenset[str] | None:
        """Return the fields that a message of *role* may have, or None where all are accepted or ignored."""
        if self.only_fields is None:
            return None
        return self.only_fields | self.result_fields if role == "tool" else self.only_fields

    def thinking(self) -> Profile:
        """Return the row for a request that asks the model to think."""
        return _thinking(self) if self.echoes_if_asked else self

    def continuing(self) -> Profile:
        """Return the row for a request that asks the model to go on with the last message."""
        return _continuing(self) if self.continues_if_asked else self

    def merging(self) -> Profile:
        """Return the row with runs of one role forbidden, so that steps merge them (``sanitize.merge_same_role``)."""
        return _merging(self)


# Made once for each row: a cache with profiles as keys is fastest for the same object.


@lru_cache(maxsize=64)
def _as_items(profile: Profile) -> Profile:
    is_openai = profile.name == OPENAI.name
    return replace(
        profile,
        name="openai-responses" if is_openai else profile.name,
        items=True,
        max_call_id_length=64 if is_openai else profile.max_call_id_length,
        named_roles=frozenset({"function"}),
        refused_fields=profile.refused_fields | {"audio"},
        result_types=profile.result_types | WEB_IMAGES | {"application/pdf"}
        if is_openai
        else profile.result_types,
    )


@lru_cache(maxsize=64)
def _over_messages(profile: Profile, is_claude: bool, takes_systems: bool) -> Profile:
    if profile.schemas != "anthropic":
        return profile
    return replace(
        profile,
        keeps_thoughts=True,
        signed_thoughts=is_claude,
        # "A maximum of 4 blocks with cache_control may be provided." (9router#3795)
        most_marks=4 if is_claude else None,
        # "Too much media: 0 document pages + 102 images > 100" (claude-code#19822)
        most_media=100 if is_claude else None,
        # "role 'system' is not supported on this model" (gproxy-transform); since Opus 4.8 (Anthropic's documents).
        system_anywhere=takes_systems,
        systems_behind_users=takes_systems,
        system_reminders=True,
        # `source: {type: url}`, of images and documents: "Only HTTPS URLs are supported."
        https_media=is_claude,
        # A `tool_result` has `is_error`. litellm leaves it out without a word.
        refused_fields=profile.refused_fields - {"is_error"},
        # A `document` may hold plain text.
        file_types=_DOCUMENTS,
        result_types=profile.result_types | _DOCUMENTS,
    )


@lru_cache(maxsize=64)
def _as_blocks(profile: Profile) -> Profile:
    return replace(
        profile,
        blocks=True,
        system_anywhere=True,
        systems_behind_users=False,
        signed_thoughts=False,
        most_marks=None,
        most_media=None,
        many_systems=True,
        assistant_runs=True,
        user_runs=True,
        tool_names=ANY_NAMES,
        refused_fields=profile.refused_fields - {"cache_control", "is_error", "thinking_blocks"},
    )


@lru_cache(maxsize=64)
def _as_contents(profile: Profile) -> Profile:
    return replace(profile, contents=True, https_media=True)


@lru_cache(maxsize=64)
def _thinking(profile: Profile) -> Profile:
    return replace(profile, echoes_reasoning=True)


@lru_cache(maxsize=64)
def _continuing(profile: Profile) -> Profile:
    return replace(profile, model_last=True)


@lru_cache(maxsize=64)
def _merging(profile: Profile) -> Profile:
    return replace(profile, assistant_runs=False, user_runs=False)


_DOCUMENTS = frozenset({"application/pdf", "text/csv", "text/html", "text/markdown", "text/plain"})

WEB_IMAGES = frozenset({"image/gif", "image/jpeg", "image/png", "image/webp"})
"""MIME types of images that OpenAI, Anthropic and Mistral accept (their documentation, 2026-08)."""

OPENAI = Profile(
    name="openai",
    user_first=False,
    model_last=True,
    assistant_runs=True,
    user_runs=True,
    system_anywhere=True,
    turn_required=False,
    empty_texts=True,
    # "must be followed by tool messages responding to each 'tool_call_id'": no order is asked (dataline#172).
    ordered_results=False,
    call_ids=True,
    object_arguments=False,
    openai_forms=True,
    custom_calls=True,
    signs_calls=False,
    # "does not match '^[a-zA-Z0-9_-]+$'", at most 64. Servers that speak this wire mostly copied it; where
    # one takes more, a rename that is undone in the answer loses nothing.
    tool_names=OPENAI_NAMES,
    # "Expected a string with maximum length 40" (vercel/ai#5171, 2025-03).
    max_call_id_length=40,
    # "Image URLs are only allowed for messages with role 'user'" (OpenAI API, 2026-08).
    result_types=frozenset(),
    # "unsupported image … one of the following formats: ['png', 'jpeg', 'gif', 'webp']" (OpenAI API, 2026-08).
    image_types=WEB_IMAGES,
    file_types=None,
    refused_parts=frozenset(),
    # Google's OpenAI endpoint and its clients keep thought signatures here. A request that fell back from Gemini
    # would carry them to another provider (litellm#41534). Anthropic's mark of a failed call has no field here.
    refused_fields=frozenset({"extra_content", "is_error"}),
    remote_media=True,
    schemas="openai",
)
"""OpenAI's chat completions: pairing and shapes are checked, and the order of roles is free."""
