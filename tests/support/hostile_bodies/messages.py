"""Builders of hostile bodies with messages, media and texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from tests.support.builders import PNG_URL, assistant, call, system, tool, user
from tests.support.hostile_bodies.making import DEEP, Body, Builder, chat, many, nested, turns


def _media(size: int, url: Callable[[int], str]) -> Body:
    parts = many(size, lambda at: {"type": "image_url", "image_url": {"url": url(at)}})
    return chat([user(parts), assistant("seen"), user("on")])


def _repeated(text: str, size: int) -> str:
    return text * max(1, size // (len(json.dumps(text)) - 2))


def _text(text: str) -> Builder:
    return lambda size: chat([user(_repeated(text, size))])


def _result(text: str) -> Builder:
    def build(size: int) -> Body:
        result = [assistant(None, [call("c1")]), tool("c1", _repeated(text, size))]
        return chat([user("go"), *result, assistant("done"), user("on")])

    return build


MESSAGES: Mapping[str, Builder] = {
    "alternating_roles": lambda size: turns(size, lambda at: [assistant("a"), user("b")]),
    "users": lambda size: turns(size, lambda at: [user("a")]),
    "users_of_parts": lambda size: turns(size, lambda at: [user([{"type": "text", "text": "a"}])]),
    "assistants": lambda size: turns(size, lambda at: [assistant("a")]),
    "systems": lambda size: turns(size, lambda at: [system("s")]),
    "leading_systems": lambda size: chat([*many(size, lambda at: system("s")), user("go")]),
    "leading_developers": lambda size: chat(
        [*many(size, lambda at: system("s", role="developer")), user("go")]
    ),
    "systems_and_nothing_else": lambda size: chat(many(size, lambda at: system("s"))),
    "systems_between": lambda size: turns(size, lambda at: [system("s"), assistant("a"), user("b")]),
    "empty_messages": lambda size: turns(size, lambda at: [user("")]),
    "empty_assistants": lambda size: turns(size, lambda at: [assistant(None), user("x")]),
    "blank_messages": lambda size: turns(size, lambda at: [user(" "), assistant("\n")]),
    "empty_parts": lambda size: chat([user(many(size, lambda at: {"type": "text", "text": ""}))]),
    "text_parts": lambda size: chat([user(many(size, lambda at: {"type": "text", "text": "a"}))]),
    "unknown_parts": lambda size: chat([user(many(size, lambda at: {"type": "odd"}))]),
    "thinking_parts": lambda size: turns(
        size, lambda at: [assistant([{"type": "thinking", "thinking": "a", "signature": "b"}]), user("x")]
    ),
    "unknown_roles": lambda size: turns(size, lambda at: [user("a", role="odd")]),
    "unknown_message_fields": lambda size: turns(size, lambda at: [user("a", **{f"field{at}": 1})]),
    "one_message_of_unknown_fields": lambda size: chat(
        [user("a", **{f"field{at}": 1 for at in range(size // 15)})]
    ),
    "cache_marks": lambda size: turns(
        size,
        lambda at: [
            user([{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}]),
            assistant("b"),
        ],
    ),
    "deep_fields": lambda size: turns(
        size, lambda at: [user("a", extra=nested(1, DEEP, lambda inner: {"a": inner}))]
    ),
    "numbers_for_messages": lambda size: chat(many(size, lambda at: at)),
    "empty_objects_for_messages": lambda size: chat(many(size, lambda at: {})),
}

MEDIA: Mapping[str, Builder] = {
    "media_by_address": lambda size: _media(size, lambda at: f"https://example.invalid/{at}.png"),
    "media_that_is_no_url": lambda size: _media(size, lambda at: f"nothing{at}"),
    "media_of_a_wrong_type": lambda size: _media(size, lambda at: PNG_URL.replace("png", "jpg")),
    "media_with_line_breaks": lambda size: _media(size, lambda at: PNG_URL.replace("A", "A\n")),
    "one_medium_of_line_breaks": lambda size: _media(
        9, lambda at: "data:image/png;base64," + "\nA" * (size // 3)
    ),
    "one_medium_of_percent_signs": lambda size: _media(9, lambda at: "data:image/png;base64," + "%" * size),
    "one_medium_of_escapes": lambda size: _media(9, lambda at: "data:text/plain," + "%41%4" * (size // 5)),
    "one_medium_of_semicolons": lambda size: _media(
        9, lambda at: "data:image/png" + ";a" * (size // 2) + ",x"
    ),
    "one_medium_without_a_comma": lambda size: _media(9, lambda at: "data:" + "image/" * (size // 6)),
    "one_medium_of_padding": lambda size: _media(9, lambda at: "data:image/png;base64," + "=" * size),
}

TEXTS: Mapping[str, Builder] = {
    name: _text(text)
    for name, text in {
        "text_of_spaces": " ",
        "text_of_line_breaks": "\n",
        "text_of_digits": "1",
        "text_of_capitals_and_digits": "A1b",
        "text_of_brackets": "[{",
        "text_of_quotes": '"',
        "text_of_accents": "e\u0301",
        "text_of_emoji": "\U0001f600",
        "text_of_half_surrogates": "\ud83d",
        "text_of_both_halves": "\ud83d\ude00",
        "text_of_halves_in_reverse": "\ude00\ud83d",
        "text_of_notices": "[turnright: ",
        "text_of_ended_notices": "[turnright: a]",
        "text_of_omissions": "[turnright: 1 characters of 2 were left out here]\n",
        "text_of_data_urls": "data:image/png;base64,",
        "text_of_tags": "<a>",
        "text_of_dashes": "---\n",
        "text_of_code": "def f(x):\n    return x\n",
        "text_of_one_letter": "a",
        "text_of_dots": "a.b.",
    }.items()
}

RESULT_TEXTS: Mapping[str, Builder] = {
    name: _result(text)
    for name, text in {
        "result_of_errors": "Error: ",
        "result_of_error_names": "aerror",
        "result_of_word_characters": "a.b",
        "result_of_exit_codes": "exit code ",
        "result_of_call_ids": "Call id: ",
        "result_of_tracebacks": "Traceback (most recent call last):\n",
        "result_of_line_breaks": "\n",
        "result_of_spaces": " ",
        "result_of_half_surrogates": "\ud83d",
        "result_of_json": '{"is_error": ',
        "result_of_lists": "[[",
        "result_of_capitals_and_digits": "A1",
        "result_of_notices": "[turnright: \n\n",
        "result_of_tags": "<error>",
        "result_of_quotes": "\"'`",
        "result_of_carried_results": "[search_files for 'a'] Result:\n",
    }.items()
}
